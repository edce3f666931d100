package scan

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
)

// noted is a receipt of an action, in minutes.
type noted struct {
	began, took int
	id          int64
}

func (n noted) record() *reconcile.Record {
	at := func(m int) reconcile.Instant { return reconcile.AtUnix(int64(m) * int64(time.Minute)) }
	return &reconcile.Record{Role: reconcile.RoleReceipt, State: reconcile.StateCompleted, CreatedAt: at(n.began), CompletedAt: at(n.began + n.took), EffectID: reconcile.Text(strconv.FormatInt(n.id, 10))}
}

// TestFall: ids run backwards where actions that began after others were done have lower ids; what runs at once, comes late, is linked by hand or numbered by
// nobody is no fall. The order of the rows changes nothing.
func TestFall(t *testing.T) {
	t.Parallel()
	line := func(from, rows int, id int64) (out []noted) {
		for i := range rows {
			out = append(out, noted{from + 2*i, 1, id + int64(i)})
		}
		return out
	}
	var random, apart []noted
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		random = append(random, noted{2 * i, 1, rnd.Int64N(1_000_000)})
		apart = append(apart, noted{2 * i, 1, int64(i) + []int64{1000, 500_000}[i/10%2]})
	}
	none := reconcile.Fall{}
	for name, test := range map[string]struct {
		rows []noted
		want reconcile.Fall
	}{
		"put back":         {append(line(0, 60, 700), line(200, 60, 732)...), reconcile.Fall{At: reconcile.AtUnix(200 * int64(time.Minute)), From: 759, To: 732}},
		"goes on":          {append(line(0, 60, 700), line(200, 60, 790)...), none},
		"begun before":     {append(line(0, 60, 700), noted{10, 500, 2000}, noted{12, 500, 2001}, noted{14, 500, 2002}), none},
		"at once":          {append(line(0, 60, 700), noted{119, 30, 720}, noted{119, 31, 719}, noted{119, 32, 718}), none},
		"linked by hand":   {append(line(0, 60, 700), noted{130, 1, 705}, noted{140, 1, 790}, noted{142, 1, 791}), none},
		"numbered by hand": {append(line(0, 60, 700), append([]noted{{125, 1, 2000}}, line(130, 60, 760)...)...), none},
		"another store's":  {append(line(0, 60, 700), line(200, 60, 1)...), none},
		"no order":         {random, none},
		"several":          {apart, none},
		"too few":          {append(line(0, 4, 700), line(200, 60, 701)...), none},
	} {
		for range 5 {
			o := newOrder()
			for _, i := range rnd.Perm(len(test.rows)) {
				o.see(&reconcile.Contract{}, test.rows[i].record(), 0, reconcile.Instant{})
			}
			if got := o.fall(); got != test.want {
				t.Errorf("%s: %+v, want %+v", name, got, test.want)
			}
		}
	}
	o := newOrder()
	for _, n := range append(line(0, 60, 700), line(200, 60, 732)...) {
		o.see(&reconcile.Contract{SharedEffects: true}, n.record(), 0, reconcile.Instant{})
	}
	if got := o.fall(); got != none {
		t.Errorf("an effect that several share: %+v", got)
	}
}

// TestTail: due messages and jobs that stand open side by side, behind some that were done, are a tail; those that are young, or lie among others, are not.
func TestTail(t *testing.T) {
	t.Parallel()
	const now = 600
	at := func(m int) reconcile.Instant { return reconcile.AtUnix(int64(m) * int64(time.Minute)) }
	message := func(m int, sent reconcile.Sent) *reconcile.Record {
		return &reconcile.Record{Role: reconcile.RoleOutbox, CreatedAt: at(m), Sent: sent}
	}
	job := func(m int, outcomes ...reconcile.AttemptOutcome) *reconcile.Record {
		r := &reconcile.Record{Role: reconcile.RoleIntent, DueAt: at(m)}
		for _, o := range outcomes {
			r.Attempts = append(r.Attempts, reconcile.Attempt{Outcome: o})
		}
		return r
	}
	many := func(of func(int) *reconcile.Record, ms ...int) (out []*reconcile.Record) {
		for _, m := range ms {
			out = append(out, of(m))
		}
		return out
	}
	sent := func(m int) *reconcile.Record { return message(m, reconcile.SentMarked) }
	unsent := func(m int) *reconcile.Record { return message(m, reconcile.Unsent) }
	done := func(m int) *reconcile.Record { return job(m, reconcile.AttemptUncertain, reconcile.AttemptConfirmed) }
	undone := func(m int) *reconcile.Record { return job(m, reconcile.AttemptUncertain) }
	before := many(sent, 1, 2, 3, 4, 5)
	tail := reconcile.Tail{Open: 3, From: at(10), To: at(20).Add(time.Second)}
	for name, test := range map[string]struct {
		rows []*reconcile.Record
		want reconcile.Tail
	}{
		"messages":         {append(many(unsent, 10, 12, 20), before...), tail},
		"sent behind them": {append(many(unsent, 10, 12, 20), append(before, sent(400), sent(401))...), tail},
		"jobs":             {append(many(undone, 10, 12, 20), many(done, 1, 2, 3)...), tail},
		"young":            {append(many(unsent, 598, 599, 600), before...), reconcile.Tail{}},
		"dead letters":     {append(many(unsent, 10, 12, 20), append(before, sent(11), sent(15))...), reconcile.Tail{}},
		"a few":            {append(many(unsent, 10, 12), before...), reconcile.Tail{}},
		"never marked":     {many(unsent, 10, 12, 20, 22, 24), reconcile.Tail{}},
		"jobs to come":     {append(many(undone, 700, 701, 702), many(done, 1, 2, 3)...), reconcile.Tail{}},
	} {
		o := newOrder()
		for _, r := range test.rows {
			o.see(&reconcile.Contract{ResendAfter: reconcile.For(5 * time.Minute)}, r, 0, at(now))
		}
		if got := o.tail(); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// TestMomentsWiden: where rows tell more slices than are kept they become wider, and nothing is lost.
func TestMomentsWiden(t *testing.T) {
	t.Parallel()
	m := moments[int64]{merge: func(a, b int64) int64 { return a + b }}
	for i := range int64(100_000) {
		m.add(reconcile.AtUnix((i-50_000)*int64(3*time.Second)), 1)
	}
	all := int64(0)
	for at, n := range m.at {
		if all += n; at%m.wide != 0 {
			t.Errorf("a slice begins at %d, and they are %d wide", at, m.wide)
		}
	}
	if all != 100_000 || len(m.at) > mostMoments || m.wide != 128 {
		t.Errorf("%d rows in %d slices of %d seconds", all, len(m.at), m.wide)
	}
}
