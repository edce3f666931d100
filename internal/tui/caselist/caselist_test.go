package caselist_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/idemctl/internal/query"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/tui/caselist"
)

var night = time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)

func row(id string, change func(*scan.Row)) *scan.Row {
	r := &scan.Row{
		ID: id, Contract: "checkout", Headline: reconcile.OrphanedEffect, Kinds: 1 << reconcile.OrphanedEffect, Severity: reconcile.SeverityHigh,
		Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("north")}, {Name: "operation"}, {Name: "key", Value: reconcile.Text("cart-" + id)}},
	}
	if change != nil {
		change(r)
	}
	return r
}

// A row comes out as it went in, whatever bytes it holds.
func TestRowsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := caselist.New()
		var want []scan.Row
		for i := range rapid.IntRange(0, 30).Draw(t, "rows") {
			value := func(name string) reconcile.Value {
				if rapid.Bool().Draw(t, name+" known") {
					return reconcile.Bytes(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, name))
				}
				return reconcile.Value{}
			}
			r := scan.Row{
				ID: fmt.Sprint(i, rapid.String().Draw(t, "id")), Contract: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "contract"),
				Headline: reconcile.Kind(rapid.IntRange(0, len(reconcile.Findings)-1).Draw(t, "kind")), Kinds: uint64(rapid.Uint32().Draw(t, "kinds")),
				Severity: reconcile.Severity(rapid.IntRange(0, 3).Draw(t, "severity")), Exposure: reconcile.Exposure{State: reconcile.ExposureUntil, Until: reconcile.AtUnix(rapid.Int64Min(-1<<62).Draw(t, "until"))},
				Amount:   reconcile.Amount{Minor: rapid.Int64().Draw(t, "minor"), Exponent: 3, Currency: rapid.SampledFrom([]string{"EUR", "JPY", ""}).Draw(t, "currency"), Valid: rapid.Bool().Draw(t, "priced")},
				Identity: []reconcile.Component{{Name: "tenant", Value: value("tenant")}, {Name: "key", Value: value("key")}},
			}
			if !r.Amount.Valid {
				r.Amount = reconcile.Amount{}
			}
			l.Add(&r)
			want = append(want, r)
		}
		s := l.Snapshot()
		for i := range want {
			got := s.Row(i)
			if diff := cmp.Diff(fmt.Sprintf("%#v", want[i]), fmt.Sprintf("%#v", got.Row)); diff != "" {
				t.Fatalf("row %d (-want +got):\n%s", i, diff)
			}
			if s.ID(i) != want[i].ID || s.Find(want[i].ID) != i {
				t.Fatalf("row %d is not found by its id", i)
			}
		}
	})
}

func TestChoice(t *testing.T) {
	t.Parallel()
	l := caselist.New()
	priced := func(minor int64, code string) func(*scan.Row) {
		return func(r *scan.Row) { r.Amount = reconcile.Amount{Minor: minor, Exponent: 2, Currency: code, Valid: true} }
	}
	l.Add(row("a", priced(500, "EUR")))
	l.Add(row("b", func(r *scan.Row) { r.Severity = reconcile.SeverityCritical; r.Since = reconcile.At(night) }))
	l.Add(row("c", func(r *scan.Row) { priced(900, "EUR")(r); r.Since = reconcile.At(night.Add(-time.Hour)) }))
	l.Add(row("d", func(r *scan.Row) { r.Headline = reconcile.DuplicateEffect; priced(7, "USD")(r) }))
	l.SetDecided(map[string]caselist.Decided{"c": {Some: true, Live: true, Changed: true}, "d": {Some: true, Live: true}, "e": {Some: true, Live: true}})
	l.Add(row("e", nil))
	s := l.Snapshot()
	for _, tt := range []struct {
		query   string
		by      caselist.Column
		reverse bool
		want    string
	}{
		{"", caselist.Queued, false, "abcde"},
		{"", caselist.Queued, true, "edcba"},
		{"", caselist.BySeverity, false, "bacde"},
		{"", caselist.ByKind, false, "dabce"},
		{"", caselist.ByMoney, false, "cadbe"},
		{"", caselist.ByAge, false, "cbade"},
		{"", caselist.ByDecision, false, "cabde"},
		{"", caselist.BySeverity, true, "edcab"},
		{"amount>0", caselist.ByMoney, false, "cad"},
		{"decision:live", caselist.Queued, false, "cde"},
		{"decision:none", caselist.Queued, false, "ab"},
		{"cart-b or cart-d", caselist.Queued, false, "bd"},
		{"nowhere", caselist.Queued, false, ""},
	} {
		q, err := query.Parse(tt.query, s.Components())
		if err != nil {
			t.Fatal(err)
		}
		ch := caselist.Choice{Query: q, By: tt.by, Reverse: tt.reverse, Now: reconcile.At(night)}
		v, err := s.List(t.Context(), ch)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for at := range v.Len() {
			got += s.ID(v.At(at))
			if v.Place(v.At(at)) != at {
				t.Errorf("%q by %s: place %d is not found again", tt.query, tt.by, at)
			}
		}
		if got != tt.want {
			t.Errorf("%q by %s, turned %v: %s, want %s", tt.query, tt.by, tt.reverse, got, tt.want)
		}
	}
}

// Rows that come while a list is shown are listed behind what was there, and a snapshot does not see them.
// TestRests holds cases that are to be looked at again later behind the others, in the queue's own order alone.
func TestRests(t *testing.T) {
	t.Parallel()
	l := caselist.New()
	for _, id := range []string{"a", "b", "c", "d"} {
		l.Add(row(id, nil))
	}
	order := func(by caselist.Column) string {
		s, got := l.Snapshot(), ""
		v, err := s.List(t.Context(), caselist.Choice{By: by})
		if err != nil {
			t.Fatal(err)
		}
		for at := range v.Len() {
			got += s.ID(v.At(at))
		}
		return got
	}
	again := caselist.Decided{Some: true, Live: true, Decision: reconcile.DecideRecheck}
	over, changed, held := again, again, again
	over.Live, changed.Changed, held.Decision = false, true, reconcile.DecideHold
	for _, tt := range []struct {
		decided map[string]caselist.Decided
		want    string
	}{
		{nil, "abcd"},
		{map[string]caselist.Decided{"a": again, "c": again}, "bdac"},
		{map[string]caselist.Decided{"a": over, "b": changed, "c": held}, "abcd"},
		{nil, "abcd"},
	} {
		l.SetDecided(tt.decided)
		if got := order(caselist.Queued); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.decided, got, tt.want)
		}
		if got := order(caselist.BySeverity); got != "abcd" {
			t.Errorf("by severity: %s", got)
		}
	}
}

func TestExtend(t *testing.T) {
	t.Parallel()
	l := caselist.New()
	for i := range 9000 { // more than two blocks
		l.Add(row(fmt.Sprint(i), nil))
	}
	before := l.Snapshot()
	q, err := query.Parse("key:cart-*7", before.Components())
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range []caselist.Choice{{}, {Query: q}} {
		v, err := before.List(t.Context(), ch)
		if err != nil {
			t.Fatal(err)
		}
		grown := caselist.New()
		for i := range 12000 {
			grown.Add(row(fmt.Sprint(i), nil))
		}
		after := grown.Snapshot()
		whole, err := after.List(t.Context(), ch)
		if err != nil {
			t.Fatal(err)
		}
		if got := after.Extend(v, 9000, ch); got.Len() != whole.Len() || got.At(got.Len()-1) != whole.At(whole.Len()-1) {
			t.Errorf("%d rows are listed, not %d", got.Len(), whole.Len())
		}
	}
	l.Add(row("late", nil))
	if before.Len() != 9000 || before.Find("late") >= 0 {
		t.Error("a snapshot sees what came after it")
	}
}

func TestListStops(t *testing.T) {
	t.Parallel()
	l := caselist.New()
	l.Add(row("a", nil))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	q, err := query.Parse("x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Snapshot().List(ctx, caselist.Choice{Query: q}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled filter ends with %v", err)
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var m caselist.Marks
		want := map[int]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			at, on := rapid.IntRange(0, 300).Draw(t, "row"), rapid.Bool().Draw(t, "on")
			m.Set(at, on)
			if want[at] = on; !on {
				delete(want, at)
			}
		}
		var list []int
		for at := range want {
			list = append(list, at)
		}
		slices.Sort(list)
		if got := slices.Collect(m.All()); !slices.Equal(got, list) || m.Len() != len(list) {
			t.Fatalf("%v are marked, want %v", got, list)
		}
	})
}

// million is a queue as large as the console is made for.
func million(n int) *caselist.List {
	l := caselist.New()
	r := row("", nil)
	for i := range n {
		r.ID = fmt.Sprintf("case%012d", i)
		r.Severity = reconcile.Severity(i % 4)
		r.Headline = reconcile.Kind(i % len(reconcile.Findings))
		r.Since = reconcile.At(night.Add(-time.Duration(i%100000) * time.Second))
		r.Amount = reconcile.Amount{Minor: int64(i % 7919), Exponent: 2, Currency: "EUR", Valid: true}
		r.Identity[2].Value = reconcile.Text(fmt.Sprintf("cart-%08x-1", i*2654435761))
		l.Add(r)
	}
	l.Trim()
	return l
}

const many = 1_000_000

// BenchmarkRows tells what a million rows cost to keep.
func BenchmarkRows(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		l := million(many)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
		runtime.KeepAlive(l)
	}
}

func BenchmarkList(b *testing.B) {
	s := million(many).Snapshot()
	for _, bb := range []struct {
		name, query string
		by          caselist.Column
	}{
		{"severity", "severity>=high", caselist.Queued},
		{"text", "3b90", caselist.Queued},
		{"component", "tenant:south", caselist.Queued},
		{"regexp", "key~f00.*1$", caselist.Queued},
		{"by-age", "", caselist.ByAge},
		{"by-money", "severity>=high", caselist.ByMoney},
	} {
		q, err := query.Parse(bb.query, s.Components())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.List(b.Context(), caselist.Choice{Query: q, By: bb.by, Now: reconcile.At(night)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
