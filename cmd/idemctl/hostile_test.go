package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/text/hostile"
)

const hostileConfig = `version: 1
name: hostile
now: 2026-11-29T06:00:00Z
contracts: [{name: orders, operation: "*", scope: [tenant, operation, key], effect: both, unique: [{columns: [business_ref]}], params: {from: body}}]
sources:
  - name: receipts
    role: receipts
    open: sqlite:data.sql
    table: receipts
    map: {tenant: t, operation: o, key: k, effect_id: e, response_body: v, provider_ref: v, params: v}
  - name: orders
    role: effects
    open: sqlite:data.sql
    table: orders
    map: {tenant: t, operation: o, effect_id: e, business_ref: v, request_id: v, params: v, created_at: {from: at, as: unix-s}}
`

// TestHostileData puts every hostile text into every column, as text and as bytes, and reads every output of every command.
func TestHostileData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var sql strings.Builder
	sql.WriteString("CREATE TABLE receipts (t TEXT, o TEXT, k BLOB, e BLOB, v BLOB);\nCREATE TABLE orders (t TEXT, o TEXT, e BLOB, v BLOB, at INTEGER, \"\x1b]0;owned\a\" TEXT);\n")
	for i := range 20 { // some join: else the stores would be called incomparable, and nothing be found missing
		plain := fmt.Appendf(nil, "plain%d", i)
		fmt.Fprintf(&sql, "INSERT INTO receipts VALUES (x'%[1]x', x'%[1]x', x'%[1]x', x'%[1]x', x'%[1]x');\n", plain)
		fmt.Fprintf(&sql, "INSERT INTO orders VALUES (x'%[1]x', x'%[1]x', x'%[1]x', x'%[1]x', 1796000000, x'%[1]x');\n", plain)
	}
	for _, bad := range hostile.Corpus() {
		fmt.Fprintf(&sql, "INSERT INTO receipts VALUES (x'%[1]x', x'%[1]x', x'%[1]x', x'ff%[1]x', x'%[1]x');\n", bad.Bytes)
		fmt.Fprintf(&sql, "INSERT INTO orders VALUES (x'%[1]x', x'%[1]x', x'%[1]x', x'%[1]x', 1796000000, x'%[1]x');\n", bad.Bytes)
	}
	for name, text := range map[string]string{"data.sql": sql.String(), "idemctl.yaml": hostileConfig} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	saved := filepath.Join(dir, "kept.scan")
	list := quietly(t, "scan", "--jsonl", "--out", saved, dir)
	first, _, _ := strings.Cut(strings.TrimPrefix(list, `{"id":"`), `"`)
	if n := strings.Count(list, "\n"); n < len(hostile.Corpus()) {
		t.Errorf("%d cases for %d hostile texts", n, len(hostile.Corpus()))
	}
	for _, args := range [][]string{
		{"scan", saved},
		{"scan", "--json", "--reveal", saved},
		{"scan", "--csv", saved},
		{"check", dir},
		{"check", "--json", dir},
		{"show", first, saved},
		{"show", "--reveal", first, saved},
		{"show", "--json", "--reveal", first, saved},
		{"show", "\x1b[2J", saved},
		{"scan", dir + "/\x1b[2J.yaml"},
		{"scan", "--kind", "\u202e"},
		{"\x1b]0;x\a"},
		{"scan", "--\x1b[2J"},
		{"scan", "--now", "\x1b[2J"},
	} {
		quietly(t, args...)
	}
}

// quietly runs a command line and fails when either of its streams holds something that a terminal obeys. It returns standard output.
func quietly(t *testing.T, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	code := Main(context.Background(), &Env{Args: args, Out: &out, Err: &errOut, Now: time.Now, Getenv: func(string) string { return "" }})
	for name, stream := range map[string][]byte{"stdout": out.Bytes(), "stderr": errOut.Bytes()} {
		if err := hostile.Check(stream); err != nil {
			t.Errorf("idemctl %q, %s: %v", args, name, err)
		}
	}
	if out.Len() == 0 && errOut.Len() == 0 {
		t.Errorf("idemctl %q: exit code %d and not a word", args, code)
	}
	return out.String()
}
