package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"example.com/idemctl/internal/text/hostile"
)

// wrap puts a piece of a config where it belongs, so that an example shows only what is wrong. The whole file is `file`.
var wrap = map[string]string{
	"file":     "%s",
	"contract": "version: 1\nname: t\ncontracts: {operation: pay, scope: [tenant, operation, key],\n%s}\nsources: {name: receipts, role: receipts, open: 'jsonl:a', map: {key: id}}\n",
	"restore":  "version: 1\nname: t\ncontracts: {operation: pay, scope: [tenant, operation, key]}\nrestore:\n%s\nsources: {name: receipts, role: receipts, open: 'jsonl:a', map: {key: id}}\n",
	"sources":  "version: 1\nname: t\ncontracts: {operation: pay, scope: [tenant, operation, key]}\nsources:\n%s\n",
	"map":      "version: 1\nname: t\ncontracts: {operation: pay, scope: [tenant, operation, key]}\nsources: {name: r, role: ROLE, open: 'jsonl:a', map: {\n%s}}\n",
}

// TestErrors reads testdata/errors: a mistake, and what is said of it.
func TestErrors(t *testing.T) {
	t.Parallel()
	count := 0
	datadriven.RunTest(t, "testdata/errors", func(t *testing.T, d *datadriven.TestData) string {
		count++
		role := "receipts"
		d.MaybeScanArgs(t, "role", &role)
		in := strings.ReplaceAll(fmt.Sprintf(wrap[d.Cmd], d.Input), "ROLE", role)
		_, err := parse("c.yaml", []byte(in), func(name string) string { return map[string]string{"SECRET": "canary"}[name] })
		var bad *Error
		if !errors.As(err, &bad) {
			return fmt.Sprintf("no error: %v\n", err)
		}
		out := fmt.Sprintf("%s\nhint: %s\n", bad, bad.Hint)
		if err := hostile.Check([]byte(out)); err != nil {
			t.Error(err)
		}
		if strings.Contains(out, "canary") {
			t.Errorf("what a variable held is shown: %s", out)
		}
		if bad.Hint == "" {
			t.Errorf("no hint: %s", out)
		}
		return out
	})
	if count < 60 {
		t.Errorf("only %d mistakes are tried", count)
	}
}
