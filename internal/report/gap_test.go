package report_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/restore"
)

// partial is night with one part of its store lost.
func partial(declared bool) *fake {
	f := night()
	f.manifest.Gaps[0].Kind, f.manifest.Gaps[0].Declared = reconcile.EventPartial, declared
	f.manifest.Gaps[0].Only = map[string][]string{"tenant": {"t\x1b07"}}
	f.manifest.Gaps[0].Slices = []reconcile.GapSlice{{From: at("2026-11-29T02:10:00Z"), To: at("2026-11-29T02:20:00Z"), Without: 412}}
	return f
}

// spoken are what people read of a gap.
func spoken(t *testing.T, f *fake) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, o := range outputs() {
		if strings.HasPrefix(o.name, "table") {
			out[o.name] = string(render(t, o, f, report.Options{}))
		}
	}
	a, err := restore.Of(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := report.Restore(&page, f.Manifest(), a, report.Options{}); err != nil {
		t.Fatal(err)
	}
	out["restore"] = page.String()
	return out
}

// A store and its part are two words with a blank between them, wherever they are told; only what the data holds is escaped.
func TestAPartOfAStoreIsNamedPlainly(t *testing.T) {
	t.Parallel()
	for name, said := range spoken(t, partial(true)) {
		if !strings.Contains(said, `receipts (tenant t\u{1b}07)`) || strings.Contains(said, `\u{20}`) {
			t.Errorf("%s names the part otherwise:\n%s", name, said)
		}
	}
}

// What is missing is of the part that is named; what is present of a declared part is counted over the whole store, and says so.
func TestWhoseRecordsAreCounted(t *testing.T) {
	t.Parallel()
	for name, said := range spoken(t, partial(true)) {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), ", whatever their tenant") {
			t.Errorf("%s does not say whose are present:\n%s", name, said)
		}
	}
	for name, said := range spoken(t, partial(false)) {
		if strings.Contains(said, "whatever") {
			t.Errorf("%s counts an inferred part over the whole store:\n%s", name, said)
		}
	}
	for name, said := range spoken(t, night()) {
		if strings.Contains(said, "whatever") {
			t.Errorf("%s names a part of a whole store:\n%s", name, said)
		}
	}
}
