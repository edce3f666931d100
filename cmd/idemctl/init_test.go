package main

import (
	"strings"
	"testing"
)

// TestDSNsAreWrittenWithoutPasswords: wherever a connection carries its password, none of it is written; the rest stands as it was.
func TestDSNsAreWrittenWithoutPasswords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ dsn, open string }{
		{"postgres://reader@db/orders", "postgres://reader@db/orders"},
		{"postgresql://db/orders", "postgres://db/orders"},
		{"postgres://reader:canary@db:5433/orders", "postgres://reader:${DATABASE_PASSWORD}@db:5433/orders"},
		{"postgres://reader:can%40ary@db/orders?sslmode=verify-full", "postgres://reader:${DATABASE_PASSWORD}@db/orders?sslmode=verify-full"},
		{"postgres://reader@db/orders?password=canary", "postgres://reader:${DATABASE_PASSWORD}@db/orders"},
		{"postgres://db/orders?user=reader&sslpassword=canary", "postgres://db/orders?user=reader"},
		{"postgres://owner@/db_1?host=%2Ftmp%2Fpg1", "postgres://owner@/db_1?host=%2Ftmp%2Fpg1"},
	} {
		got, err := dsnTarget(tc.dsn)
		if err != nil {
			t.Errorf("%s: %v", tc.dsn, err)
			continue
		}
		if got.Open != tc.open || strings.Contains(got.Open+got.Note+got.Name+got.Spec.Shown, "canary") {
			t.Errorf("%s is written %s (%s), want %s", tc.dsn, got.Open, got.Note, tc.open)
		}
	}
	if _, err := dsnTarget("postgres://reader:canary@db:port/orders"); err == nil || strings.Contains(err.Error()+hintOf(err), "canary") {
		t.Errorf("a connection that cannot be read: %v", err)
	}
}
