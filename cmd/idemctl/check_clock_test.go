package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/sources/postgres/pgtest"
)

// TestCheckTellsClocksApart: a server whose clock is another than this machine's is named, with by how much and which of them judges.
func TestCheckTellsClocksApart(t *testing.T) {
	t.Parallel()
	c, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := c.Exec(ctx, "postgres", "CREATE DATABASE clocks"); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(ctx, "clocks", "CREATE TABLE receipts (k text PRIMARY KEY, made timestamptz)"); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "idemctl.yaml")
	text := "version: 1\nname: clocks\ncontracts: [{operation: buy, scope: [operation, key], effect: none}]\n" +
		"sources: [{name: receipts, role: receipts, open: '" + c.DSN(pgtest.User, "clocks") + "', table: receipts, map: {operation: {value: buy}, key: k, created_at: made}}]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		off  time.Duration // of this machine's clock
		want string
	}{
		{-10 * time.Minute, `the server's clock is (10m|9m)\S+ ahead of this machine's: leases and expiries are judged by this machine's`},
		{time.Hour, `the server's clock is (1h0m|59m)\S+ behind this machine's`},
	} {
		var out, errOut strings.Builder
		env := &Env{Args: []string{"check", config}, Out: &out, Err: &errOut, Now: func() time.Time { return time.Now().Add(tt.off) }, Getenv: func(string) string { return "" }}
		if code := Main(ctx, env); code != exitClean {
			t.Fatalf("%s: exit code %d: %s", tt.off, code, errOut.String())
		}
		if !regexp.MustCompile(tt.want).MatchString(strings.Join(strings.Fields(out.String()), " ")) {
			t.Errorf("%s off: no %s in\n%s", tt.off, tt.want, out.String())
		}
	}
}
