package report_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
)

var update = flag.Bool("update", false, "write the golden files anew")

type output struct {
	name  string
	write func(w io.Writer, r *fake, opt report.Options) error
}

func outputs() []output {
	ctx := context.Background()
	return []output{
		{"table", func(w io.Writer, r *fake, opt report.Options) error { return report.Table(ctx, w, r, opt) }},
		{"json", func(w io.Writer, r *fake, opt report.Options) error { return report.JSON(ctx, w, r, opt) }},
		{"jsonl", func(w io.Writer, r *fake, opt report.Options) error { return report.JSONLines(ctx, w, r, opt) }},
		{"csv", func(w io.Writer, r *fake, opt report.Options) error { return report.CSV(ctx, w, r, opt) }},
		{"show", func(w io.Writer, r *fake, opt report.Options) error {
			return report.Show(w, r.Manifest(), r.cases[0], opt)
		}},
		{"show-json", func(w io.Writer, r *fake, opt report.Options) error { return report.ShowJSON(w, r.cases[0], opt) }},
	}
}

func render(t *testing.T, o output, r *fake, opt report.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := o.write(&out, r, opt); err != nil {
		t.Fatalf("%s: %v", o.name, err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, o := range outputs() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			got := render(t, o, night(), report.Options{Config: "prod.yaml"})
			compare(t, o.name, got)
		})
	}
}

// compare holds what was written against the golden file of that name.
func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	golden := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// uncoloured takes the colours out, and nothing else.
func uncoloured(s string) string {
	for _, sgr := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[33m", "\x1b[32m", "\x1b[36m"} {
		s = strings.ReplaceAll(s, sgr, "")
	}
	return s
}

func TestColourAddsNothingButColour(t *testing.T) {
	t.Parallel()
	for _, o := range outputs() {
		bare := render(t, o, night(), report.Options{})
		coloured := render(t, o, night(), report.Options{Colour: true})
		if uncoloured(string(coloured)) != string(bare) {
			t.Errorf("%s: coloured output differs in more than its colour", o.name)
		}
	}
}

func TestPayloadsAreMaskedUntilRevealed(t *testing.T) {
	t.Parallel()
	for _, o := range outputs() {
		masked := string(render(t, o, night(), report.Options{}))
		for _, secret := range []string{"4111111111111111", "Aunt Marge"} {
			if strings.Contains(masked, secret) {
				t.Errorf("%s shows %q without being asked", o.name, secret)
			}
		}
	}
	for _, name := range []string{"json", "show"} {
		for _, o := range outputs() {
			if o.name != name {
				continue
			}
			if revealed := string(render(t, o, night(), report.Options{Reveal: true})); !strings.Contains(revealed, "4111111111111111") || !strings.Contains(revealed, "Aunt Marge") {
				t.Errorf("%s hides the payload although it was asked for", name)
			}
		}
	}
}

func TestKindFilters(t *testing.T) {
	t.Parallel()
	kind := reconcile.SensitiveKey
	for _, o := range outputs()[:4] {
		got := string(render(t, o, night(), report.Options{Kind: &kind}))
		if strings.Contains(got, "k7f3a9c2d4e5") || !strings.Contains(got, "b1c2d3e4f5a6") {
			t.Errorf("%s: --kind %s shows the wrong cases:\n%s", o.name, kind, got)
		}
	}
}

func TestNoCases(t *testing.T) {
	t.Parallel()
	quiet := &fake{manifest: scan.Manifest{Name: "n", Complete: true}}
	want := map[string]string{"table": "Nothing to decide.", "json": `"cases": []}`, "jsonl": "", "csv": `"case"`}
	for _, o := range outputs()[:4] {
		if got := string(render(t, o, quiet, report.Options{})); !strings.Contains(got, want[o.name]) {
			t.Errorf("%s without a case:\n%s", o.name, got)
		}
	}
}

func TestCSVReadsBack(t *testing.T) {
	t.Parallel()
	rows, err := csv.NewReader(bytes.NewReader(render(t, outputs()[3], night(), report.Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || len(rows[0]) != len(rows[1]) {
		t.Errorf("%d rows of %d and %d cells", len(rows), len(rows[0]), len(rows[1]))
	}
}

// full is a writer that takes some bytes and then fails, as a full disk does.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return f.left, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

func TestEveryFailedWriteIsTold(t *testing.T) {
	t.Parallel()
	for _, o := range outputs() {
		size := len(render(t, o, night(), report.Options{}))
		for _, room := range []int{0, 1, size / 2, size - 1} {
			if err := o.write(&full{left: room}, night(), report.Options{}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d of %d bytes: %v", o.name, room, size, err)
			}
		}
	}
}
