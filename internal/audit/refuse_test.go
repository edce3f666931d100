package audit_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

// TestRefused: what cannot be recorded changes nothing, and the trail goes on.
func TestRefused(t *testing.T) {
	t.Parallel()
	trail := open(t, place(t), newClock())
	first := decide(t, trail, proposal("case-a"))[0]
	bad := func(change func(*audit.Proposal)) audit.Proposal {
		p := proposal("case-b")
		change(&p)
		return p
	}
	for name, ps := range map[string][]audit.Proposal{
		"nothing":              nil,
		"no case":              {bad(func(p *audit.Proposal) { p.Case = "" })},
		"not UTF-8":            {bad(func(p *audit.Proposal) { p.Reason = "\xff" })},
		"too long":             {bad(func(p *audit.Proposal) { p.Reason = strings.Repeat("x", 70_000) })},
		"one case twice":       {proposal("case-b"), proposal("case-b")},
		"one of them is taken": {proposal("case-b"), proposal("case-a")},
		"supersedes nothing":   {bad(func(p *audit.Proposal) { p.Supersedes = "unknown" })},
		"supersedes another's": {bad(func(p *audit.Proposal) { p.Supersedes = first.ID })},
	} {
		if _, err := trail.Decide(t.Context(), ps...); err == nil {
			t.Errorf("%s: recorded", name)
		}
	}
	if _, err := trail.Outcome(t.Context(), first.ID, reconcile.ReportedNone, "", ""); err == nil {
		t.Error("an outcome of none was recorded")
	}
	var lacking *audit.RequestError
	for _, reason := range []string{"", " no ", "k\xff"} {
		if _, err := trail.Withdraw(t.Context(), first.ID, reason); !errors.As(err, &lacking) || lacking.Field != "reason" || lacking.Hint() == "" {
			t.Errorf("withdrawn for %q: %v", reason, err)
		}
	}
	if _, err := trail.HandOut(t.Context(), first.ID, first.ID); err == nil {
		t.Error("handed out twice")
	}
	if r := verified(t, trail); r.Records != 2 {
		t.Errorf("%d records", r.Records)
	}
	decide(t, trail, proposal("case-b"))
	verified(t, trail)
}

// TestFind: an id is found by its beginning, if only one begins so.
func TestFind(t *testing.T) {
	t.Parallel()
	trail := open(t, place(t), newClock())
	ds := decide(t, trail, proposal("case-a"), proposal("case-b"))
	if got, err := trail.Decision(t.Context(), ds[1].ID); err != nil || got.ID != ds[1].ID {
		t.Errorf("%s, %v", got.ID, err)
	}
	for prefix, want := range map[string]error{"": audit.ErrNotFound, "x": audit.ErrNotFound, "%": audit.ErrNotFound, ds[0].ID[:4]: audit.ErrAmbiguous} {
		if _, err := trail.Decision(t.Context(), prefix); !errors.Is(err, want) {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	if _, err := trail.Entry(t.Context(), 3); !errors.Is(err, audit.ErrNotFound) {
		t.Errorf("a record that does not stand: %v", err)
	}
	if _, err := trail.Evidence(t.Context(), 0); !errors.Is(err, audit.ErrNotFound) {
		t.Errorf("evidence of a record without any: %v", err)
	}
}

// TestLists: what is asked for comes, in its order, and a list may be left.
func TestLists(t *testing.T) {
	t.Parallel()
	c := newClock()
	trail := open(t, place(t), c)
	ds := decide(t, trail, proposal("case-a"), proposal("case-b"), proposal("case-c"))
	if _, err := trail.Withdraw(t.Context(), ds[1].ID, "a mistake"); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		query audit.Query
		want  string
	}{
		{audit.Query{}, "case-a case-b case-c"},
		{audit.Query{LiveOnly: true}, "case-a case-c"},
		{audit.Query{Cases: []string{"case-c", "case-b", "case-c", "case-x"}}, "case-b case-c"},
	} {
		var got []string
		for d, err := range trail.Decisions(t.Context(), q.query) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, d.Case)
		}
		if strings.Join(got, " ") != q.want {
			t.Errorf("%+v: %v", q.query, got)
		}
	}
	for _, q := range []struct {
		query audit.LogQuery
		want  []int64
	}{
		{audit.LogQuery{}, []int64{0, 1, 2, 3, 4}},
		{audit.LogQuery{From: 3}, []int64{3, 4}},
		{audit.LogQuery{From: 1, Limit: 2}, []int64{1, 2}},
		{audit.LogQuery{Reverse: true, Limit: 2}, []int64{4, 3}},
		{audit.LogQuery{Reverse: true, From: 1}, []int64{1, 0}},
	} {
		var got []int64
		for e, err := range trail.Log(t.Context(), q.query) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Seq)
		}
		if len(got) != len(q.want) || got[0] != q.want[0] || got[len(got)-1] != q.want[len(q.want)-1] {
			t.Errorf("%+v: %v", q.query, got)
		}
	}
	for _, err := range trail.Log(t.Context(), audit.LogQuery{}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	decide(t, trail, proposal("case-d"))
}

// TestStopped: whoever waits for the lock can stop waiting, and nothing was recorded then.
func TestStopped(t *testing.T) {
	t.Parallel()
	p := place(t)
	trail := open(t, p, newClock())
	f, err := os.Open(strings.TrimSuffix(p.Path, ".db") + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := trail.Decide(ctx, proposal("case-a")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	decide(t, trail, proposal("case-a"))
	if _, err := trail.Verify(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a verification that was stopped: %v", err)
	}
}

// TestClosed: a trail that was closed stays closed.
func TestClosed(t *testing.T) {
	t.Parallel()
	trail := open(t, place(t), newClock())
	if err := errors.Join(trail.Close(), trail.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := trail.Decide(t.Context(), proposal("case-a")); err == nil {
		t.Error("recorded")
	}
	for _, err := range trail.Decisions(t.Context(), audit.Query{}) {
		if err == nil {
			t.Error("read")
		}
	}
}
