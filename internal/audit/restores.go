package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// Restore is a window that an operator confirmed, or corrected: what a restore took of a store.
type Restore struct {
	Event                reconcile.Event
	Reason               string
	Missing, Present     int64 // as the scan counted them on which it rests
	Config, ConfigDigest string
	ScanNow              reconcile.Instant
	Pinned               bool

	// Of one that is recorded.
	ID       string
	Seq      int64
	Operator string
	Recorded reconcile.Instant
}

// window is the part of a record that says which restore was confirmed.
type window struct {
	store, kind      string
	from, to         reconcile.Instant
	only             []reconcile.Component // one for each value of a component
	missing, present int64
}

func (w *window) members() []member {
	return []member{
		textMember("store", true, &w.store),
		wordMember("kind", true, &w.kind, checked(reconcile.ParseEventKind)),
		timeMember("from", false, &w.from),
		timeMember("to", false, &w.to),
		listMember("only", &w.only, componentMembers),
		numberMember("missing", &w.missing),
		numberMember("present", &w.present),
	}
}

func windowOf(r *Restore) window {
	ev := &r.Event
	w := window{store: ev.Store, kind: ev.Kind.String(), from: ev.From, to: ev.To.Or(ev.ResumedAt), missing: r.Missing, present: r.Present}
	for _, name := range slices.Sorted(maps.Keys(ev.Only)) {
		for _, v := range slices.Sorted(slices.Values(ev.Only[name])) {
			w.only = append(w.only, reconcile.Component{Name: name, Value: reconcile.Text(v)})
		}
	}
	return w
}

// restored is what a record of type EventRestore says.
func (r *record) restored() Restore {
	w := &r.window
	ev := reconcile.Event{Store: w.store, From: w.from, To: w.to}
	ev.Kind, _ = reconcile.ParseEventKind(w.kind) // the word was checked when r was parsed
	for _, c := range w.only {
		if ev.Only == nil {
			ev.Only = make(map[string][]string)
		}
		ev.Only[c.Name] = append(ev.Only[c.Name], c.Value.String())
	}
	return Restore{
		Event: ev, Reason: r.reason, Missing: w.missing, Present: w.present, Config: r.config, ConfigDigest: r.configDigest, ScanNow: r.scanNow, Pinned: r.pinned,
		ID: r.id, Seq: r.seq, Operator: r.actor, Recorded: r.at,
	}
}

// CheckConfirmation says what the reason for confirming a restore lacks, as a *RequestError.
func CheckConfirmation(reason string) error { return checkReason("confirm", reason, LeastConfirmation) }

// ConfirmRestores records windows, each in its own record, all or none. One that overlaps an earlier window of the same part of its store takes its place.
func (t *Trail) ConfirmRestores(ctx context.Context, rs ...Restore) ([]Restore, error) {
	var w work
	var drafts []draft
	for i := range rs {
		r := &rs[i]
		if err := CheckConfirmation(r.Reason); err != nil {
			return nil, err
		}
		if r.Event.Store == "" {
			return nil, fmt.Errorf("confirming a restore: no store is named")
		}
		n := intent{id: t.env.NewID(), what: EventRestore, window: windowOf(r), core: core{
			reason: r.Reason, ref: r.Event.Text(), config: r.Config, configDigest: r.ConfigDigest, scanNow: r.ScanNow, pinned: r.Pinned,
		}}
		w.ids = append(w.ids, n.id)
		drafts = append(drafts, draft{intent: n})
	}
	w.build = func(*view) ([]draft, error) { return slices.Clone(drafts), nil }
	a, err := t.append(ctx, w)
	if err != nil {
		err = fmt.Errorf("confirming a restore: %w", err)
	}
	if a == nil {
		return nil, err
	}
	var out []Restore
	for _, r := range a.done {
		if r.kind == EventRestore {
			out = append(out, r.restored())
		}
	}
	return out, err
}

// WithdrawRestore records that the confirmation of a window is taken back: what it says of the store is no fact any more. What it had corrected does not come
// back. It is named by its id, or the beginning of it; one that does not stand is ErrNotFound.
func (t *Trail) WithdrawRestore(ctx context.Context, prefix, reason string) (Restore, error) {
	const doing = "withdrawing what was said of a restore"
	if err := CheckWithdrawal(reason); err != nil {
		return Restore{}, err
	}
	all, err := t.Restores(ctx)
	if err != nil {
		return Restore{}, err
	}
	all = slices.DeleteFunc(all, func(r Restore) bool { return prefix == "" || !strings.HasPrefix(r.ID, prefix) })
	switch {
	case len(all) == 0:
		return Restore{}, fmt.Errorf("%s: %w", doing, ErrNotFound)
	case len(all) > 1:
		return Restore{}, fmt.Errorf("%s: %w", doing, ErrAmbiguous)
	}
	r := &all[0]
	n := intent{id: t.env.NewID(), what: EventRetracted, decision: r.ID, window: windowOf(r), core: core{
		reason: reason, ref: r.Event.Text(), config: r.Config, configDigest: r.ConfigDigest, scanNow: r.ScanNow, pinned: r.Pinned,
	}}
	_, err = t.append(ctx, work{ids: []string{n.id}, build: func(*view) ([]draft, error) { return []draft{{intent: n}}, nil }})
	if err != nil {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	return *r, err
}

// Restores lists the windows that stand, oldest first: those that a later one took the place of, and those that were withdrawn, are left out.
func (t *Trail) Restores(ctx context.Context) ([]Restore, error) {
	c, err := t.usable()
	if err != nil {
		return nil, err
	}
	var out []Restore
	err = c.snapshot(ctx, func(q querier) error {
		return eachRecord(ctx, q, func(r *record) error {
			one := r.restored()
			out = slices.DeleteFunc(out, func(old Restore) bool {
				return r.what == EventRetracted && old.ID == r.decision || r.what == EventRestore && one.Event.Corrects(&old.Event)
			})
			if r.what == EventRestore {
				out = append(out, one)
			}
			return nil
		}, ` WHERE subject='' AND type IN (?, ?) ORDER BY seq`, string(EventRestore), string(EventRetracted))
	})
	if err != nil {
		return nil, fmt.Errorf("reading confirmed restores: %w", err)
	}
	return out, nil
}
