//go:build cases

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// seedConfig reads a database that was written by another program: receipts name their effect inside the stored result, and effects carry no key.
const seedConfig = `version: 1
name: seed
now: %d
contracts:
  - operation: "*"
    scope: [tenant, operation, key]
    effect: local
    atomic: true
    retention: 60s
    retry_window: 24h
    settle: 0s
    margin: 0s
sources:
  - name: receipts
    role: receipts
    open: sqlite:%s
    table: receipts
    map: {tenant: tenant, operation: operation, key: request_key, params: fingerprint, effect_id: result.effect_id, expires_at: {from: expires_at, as: unix-s}}
  - name: orders
    role: effects
    open: sqlite:%s
    table: effects
    map: {tenant: tenant, operation: operation, effect_id: id}
`

type seedScan struct {
	Complete bool             `json:"complete"`
	Counts   map[string]any   `json:"counts"`
	Cases    []seedCase       `json:"cases"`
	Contract []map[string]any `json:"contract_findings"`
}

type seedCase struct {
	Headline string         `json:"headline"`
	Identity map[string]any `json:"identity"`
	Executed string         `json:"executed"`
	Evidence []struct {
		Locator string `json:"locator"`
	} `json:"evidence"`
}

func TestCasesSeed(t *testing.T) {
	store := filepath.Join(os.Getenv("IDEMCTL_CASES"), "seed", "orders.sqlite")
	before, err := os.ReadFile(store)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		now                int
		matched, explained float64
		contracts          []string
	}{
		{now: 60, matched: 6},
		{now: 121, explained: 6, contracts: []string{"retention-gap"}},
	} {
		t.Run(fmt.Sprint("now ", tt.now), func(t *testing.T) {
			got := scanSeed(t, store, tt.now)
			if len(got.Cases) != 1 {
				t.Fatalf("%d cases, want 1: %+v", len(got.Cases), got)
			}
			c := got.Cases[0]
			if c.Headline != "orphaned-effect" || c.Executed != "yes" || c.Identity["key"] != nil || len(c.Evidence) != 1 || c.Evidence[0].Locator != "effects/1" {
				t.Errorf("the case is %+v", c)
			}
			if !got.Complete || got.Counts["matched"] != tt.matched || got.Counts["explained"] != tt.explained || got.Counts["subjects"] != 7.0 {
				t.Errorf("complete %v, counts %v", got.Complete, got.Counts)
			}
			var kinds []string
			for _, f := range got.Contract {
				kinds = append(kinds, fmt.Sprint(f["kind"]))
			}
			if diff := cmp.Diff(tt.contracts, kinds); diff != "" {
				t.Errorf("contract findings (-want +got)\n%s", diff)
			}
		})
	}
	after, err := os.ReadFile(store)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database has changed: %v", err)
	}
}

func scanSeed(t *testing.T, store string, now int) seedScan {
	t.Helper()
	config := filepath.Join(t.TempDir(), "idemctl.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, seedConfig, now, store, store), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	env := &Env{Args: []string{"scan", "--json", config}, Out: &out, Err: &errOut, Now: time.Now, Getenv: func(string) string { return "" }}
	if code := Main(context.Background(), env); code != exitUndecided {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	var got seedScan
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}
