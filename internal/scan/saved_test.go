package scan_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
)

// eventful is a past with several cases.
func eventful(t testing.TB) (*config.Config, []sources.Reader) {
	t.Helper()
	for seed := range uint64(1000) {
		cfg, ms := lived(seed)
		if oracle(cfg, ms).counts.Cases >= 5 {
			return cfg, readersOf(ms)
		}
	}
	t.Fatal("no history has five cases")
	return nil, nil
}

func readersOf(ms []*memory) []sources.Reader {
	out := make([]sources.Reader, len(ms))
	for i, m := range ms {
		out[i] = m
	}
	return out
}

func allCases(r *scan.Result) ([]*scan.Case, error) {
	var out []*scan.Case
	for c, err := range r.Cases(context.Background(), scan.Filter{}) {
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// saved writes a saved scan and returns its name and what it says.
func saved(t testing.TB) (name, says string) {
	t.Helper()
	cfg, readers := eventful(t)
	name = filepath.Join(t.TempDir(), "night.scan")
	res, err := scan.RunReaders(t.Context(), cfg, readers, scan.Options{TempDir: t.TempDir(), Out: name})
	if err != nil {
		t.Fatal(err)
	}
	says, err = spell(res)
	if err = errors.Join(err, res.Close()); err != nil {
		t.Fatal(err)
	}
	return name, says
}

func spell(r *scan.Result) (string, error) {
	cases, err := allCases(r)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n", *r.Manifest())
	for _, c := range cases {
		fmt.Fprintf(&b, "%+v\n", *c)
	}
	return b.String(), nil
}

func TestSavedScanSaysTheSame(t *testing.T) {
	t.Parallel()
	cfg, readers := eventful(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "a ?#%41 night.scan")
	var says [3]string
	for i, out := range []string{"", name} {
		res, err := scan.RunReaders(t.Context(), cfg, readers, scan.Options{TempDir: t.TempDir(), Out: out, Tool: "idemctl v1.2.3"})
		if err != nil {
			t.Fatal(err)
		}
		says[i], err = spell(res)
		if err = errors.Join(err, res.Close()); err != nil {
			t.Fatal(err)
		}
	}
	res, err := scan.OpenSaved(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	says[2], err = spell(res)
	if err = errors.Join(err, res.Close()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(says[2], "Tool:idemctl v1.2.3 ") {
		t.Errorf("it does not say what scanned: %s", says[2])
	}
	if says[0] != says[1] || says[1] != says[2] {
		t.Errorf("they differ: %s", cmp.Diff(says[0], says[2]))
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("beside the saved scan stands %v, %v", left, err)
	}
}

// TestSavedScanReplacesTheOneBefore keeps the old file when the new scan fails, and replaces it whole when it does not.
func TestSavedScanReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	name, says := saved(t)
	cfg, readers := eventful(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := scan.RunReaders(ctx, cfg, readers, scan.Options{TempDir: t.TempDir(), Out: name}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if got := reopened(t, name); got != says {
		t.Errorf("a cancelled scan changed the file")
	}
	cfg.Name = "another"
	res, err := scan.RunReaders(t.Context(), cfg, readers, scan.Options{TempDir: t.TempDir(), Out: name})
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Close(); err != nil {
		t.Fatal(err)
	}
	if got := reopened(t, name); got == says {
		t.Errorf("the file was not replaced")
	}
}

func reopened(t testing.TB, name string) string {
	t.Helper()
	res, err := scan.OpenSaved(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	says, err := spell(res)
	if err = errors.Join(err, res.Close()); err != nil {
		t.Fatal(err)
	}
	return says
}

// TestDamagedSavedScan flips and cuts the file everywhere: it is refused, or says exactly what it said before.
func TestDamagedSavedScan(t *testing.T) {
	t.Parallel()
	name, says := saved(t)
	whole, err := os.ReadFile(name) // the test's own file
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, b []byte) {
		hurt := filepath.Join(t.TempDir(), "hurt.scan")
		if err := os.WriteFile(hurt, b, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := "", error(nil)
		if res, e := scan.OpenSaved(t.Context(), hurt); e != nil {
			err = e
		} else {
			got, err = spell(res)
			err = errors.Join(err, res.Close())
		}
		if err == nil && got != says {
			t.Errorf("%s: it says something else: %s", what, cmp.Diff(says, got))
		}
		if e := (*scan.Error)(nil); err != nil && (!errors.As(err, &e) || e.Hint == "") {
			t.Errorf("%s: an error without a hint: %v", what, err)
		}
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/400 {
		b := append([]byte(nil), whole...)
		b[at] ^= 1 << (at % 8)
		try(fmt.Sprintf("bit flipped in byte %d", at), b)
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/20 {
		try(fmt.Sprintf("cut at %d", at), whole[:at])
	}
}

func TestOpenSavedRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	newer, _ := saved(t)
	b, err := os.ReadFile(newer) // the test's own file
	if err != nil {
		t.Fatal(err)
	}
	b[63]++ // the last byte of user_version in SQLite's header
	b2 := slices.Clone(b)
	b2[63] -= 2
	older := string(b2)
	for name, content := range map[string]string{"empty": "", "text": "not a database at all", "newer": string(b), "older": older} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"empty": "not a saved scan", "text": "not a saved scan", "newer": "newer idemctl (format 3", "older": "older idemctl (format 1", "folder": "not a regular file", "none": "no such file"} {
		res, err := scan.OpenSaved(t.Context(), filepath.Join(dir, name))
		if err == nil {
			t.Errorf("%s was opened", name)
			_ = res.Close()
			continue
		}
		if e := (*scan.Error)(nil); !strings.Contains(err.Error(), want) || !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCaseByPrefix(t *testing.T) {
	t.Parallel()
	cfg, readers := eventful(t)
	res, err := scan.RunReaders(t.Context(), cfg, readers, scan.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Close() }()
	for c, err := range res.Cases(t.Context(), scan.Filter{}) { // asking for one case while they are listed must not wait for the list to end
		if err != nil {
			t.Fatal(err)
		}
		if got, err := res.Case(t.Context(), c.CaseID[:12]); err != nil || got.CaseID != c.CaseID {
			t.Errorf("%s: %v, %v", c.CaseID, got, err)
		}
	}
	for _, bad := range []string{"", "nosuchcase", "%", "a' OR 1=1", "\x1b[2J"} {
		_, err := res.Case(t.Context(), bad)
		if e := (*scan.Error)(nil); !errors.As(err, &e) || e.Hint == "" || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestFilterAndOrder lists cases by kind, and all of them in the one order.
func TestFilterAndOrder(t *testing.T) {
	t.Parallel()
	cfg, readers := eventful(t)
	res, err := scan.RunReaders(t.Context(), cfg, readers, scan.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Close() }()
	for kind, want := range res.Manifest().Counts.Findings {
		var n int64
		for c, err := range res.Cases(t.Context(), scan.Filter{Kinds: []reconcile.Kind{kind}}) {
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(fmt.Sprint(c.Kinds), kind.String()) {
				t.Errorf("%s among cases of %s", c.Kinds, kind)
			}
			n++
		}
		if n != want {
			t.Errorf("%d cases of %s, counted %d", n, kind, want)
		}
	}
	cases, err := allCases(res)
	if err != nil {
		t.Fatal(err)
	}
	rank := map[reconcile.ExposureState]int{reconcile.ExposureOpen: 0, reconcile.ExposureUnknown: 1, reconcile.ExposureUntil: 2, reconcile.ExposureNone: 3}
	for i := 1; i < len(cases); i++ {
		a, b := cases[i-1], cases[i]
		left := fmt.Sprintf("%d %020d %d %s", rank[a.Exposure.State], a.Exposure.Until.UnixNano(), a.Severity, a.CaseID)
		if right := fmt.Sprintf("%d %020d %d %s", rank[b.Exposure.State], b.Exposure.Until.UnixNano(), b.Severity, b.CaseID); left >= right {
			t.Errorf("%s stands before %s", left, right)
		}
	}
}
