package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// readLog is what one log decodes to.
type readLog struct {
	lines    []string
	excluded []string // by reason, sorted
	left     int      // rows that these are
	problems []string
	coverage reconcile.Coverage
}

// decodeLog reads a log as a source with these fields.
func decodeLog(t testing.TB, open, source string) readLog {
	t.Helper()
	text := fmt.Sprintf("version: 1\nname: t\ncontracts: {operation: '*', scope: [operation, key]}\nsources: {name: log, open: '%s', %s}\n", open, source)
	file := filepath.Join(t.TempDir(), "idemctl.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file, config.Options{})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	set, err := sources.Open(context.Background(), cfg.Place, cfg.Sources, reconcile.At(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	defer func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}()
	var got readLog
	log := set.Readers()[0]
	if err := log.Scan(context.Background(), func(_ rows.Pos, rec *reconcile.Record) error {
		got.lines = append(got.lines, recordLine(rec))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	stats := log.Stats()
	for _, p := range stats.Problems {
		_, place, _ := strings.Cut(p.Place, ":")
		got.problems = append(got.problems, place+": "+p.Text)
	}
	for _, x := range stats.Excluded {
		got.excluded = append(got.excluded, fmt.Sprintf("%s %d", x.Reason, x.Rows))
		got.left += int(x.Rows)
	}
	slices.Sort(got.excluded)
	got.coverage = log.Facts().Coverage
	return got
}

// logOf is the file of an example: what follows its first line.
func logOf(input string) string {
	content := input[strings.IndexByte(input, '\n')+1:] + "\n"
	return strings.NewReplacer("\\\n", "", "\\xef", "\xef", "\\xbb", "\xbb", "\\xbf", "\xbf").Replace(content)
}

// recordLine is a record as the tables have it: object, operation, outcome, amount, time, link.
func recordLine(r *reconcile.Record) string {
	outcome, at, amount := r.Outcome.String(), r.CreatedAt, "-"
	switch r.Role {
	case reconcile.RoleIntent:
		outcome, at = r.Attempts[0].Outcome.String(), r.Attempts[0].At
	case reconcile.RoleOutbox:
		outcome, at = r.Sent.String(), r.SentAt
	case reconcile.RoleReceipt, reconcile.RoleEffect, reconcile.RoleProvider:
	}
	for _, f := range reconcile.FactsOf(r) {
		if f.Name == "amount" {
			amount = f.Value.String()
		}
	}
	moment := "-"
	if at.Known() {
		moment = at.Time().UTC().Format(time.RFC3339Nano)
	}
	object := "-"
	switch {
	case r.ObjectID.Known():
		object = r.ObjectID.String()
	case r.MessageID.Known():
		object = r.MessageID.String()
	}
	if r.AliasID.Differs(r.ObjectID) {
		object += " or " + r.AliasID.String()
	}
	return strings.Join([]string{object, r.Component("operation").String(), outcome, amount, moment, linkOf(r)}, " | ")
}

// linkOf is what joins a record with the service's own: the strongest that it has.
func linkOf(r *reconcile.Record) string {
	switch {
	case r.Key().Known() && r.KeyFrom != "":
		return "key " + r.Key().String() + " from " + r.KeyFrom
	case r.Key().Known():
		return "key " + r.Key().String()
	case r.BusinessRef.Known():
		return "reference " + r.BusinessRef.String()
	case r.RequestID.Known():
		return "request " + r.RequestID.String()
	case r.ObjectID.Known():
		return "object"
	}
	return "-"
}

// TestFormats decodes made-up logs in every format of the provider presets, in the shapes that they come in and in those that they should not.
//
//	decode SCHEME
//	the fields of a source
//	the file; a backslash at the end of a line joins it with the next, \xef\xbb\xbf is a byte order mark
//	----
//	a line a record: object | operation | outcome | amount | time | link, then what was excluded and refused, and why the source is incomplete
func TestFormats(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/formats", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			scheme := d.CmdArgs[0].String()
			file := filepath.Join(t.TempDir(), "log")
			fields := d.Input[:strings.IndexByte(d.Input, '\n')]
			if err := os.WriteFile(file, []byte(logOf(d.Input)), 0o600); err != nil {
				t.Fatal(err)
			}
			got := decodeLog(t, scheme+":"+file, fields)
			out := got.lines
			for _, x := range got.excluded {
				out = append(out, "excluded "+x)
			}
			for _, p := range got.problems {
				out = append(out, "unreadable "+p)
			}
			if !got.coverage.Complete {
				out = append(out, "incomplete: "+strings.ReplaceAll(got.coverage.Reason, file, "log"))
			}
			return strings.Join(out, "\n") + "\n"
		})
	})
}
