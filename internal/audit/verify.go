package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Fault is one thing that is not as it was written.
type Fault struct {
	Where string // e.g. record 17, decision …, evidence …, head, schema, file, pin, journal
	What  string
}

// Report is what Verify found.
type Report struct {
	Origin     string
	Records    int64
	Root       string // of the records as they stand
	Decisions  int
	Unsigned   int64  // records that no operator's own key signed
	Backwards  int64  // records whose clock stood before that of the record before
	Remembered string // the checkpoint that this machine remembers; "" = none
	Faults     []Fault
}

// OK reports whether nothing was found.
func (r *Report) OK() bool { return len(r.Faults) == 0 }

func (r *Report) fault(where, format string, a ...any) {
	r.Faults = append(r.Faults, Fault{where, fmt.Sprintf(format, a...)})
}

// note adds err as a fault; a fault that err is keeps its place.
func (r *Report) note(where string, err error) {
	var f *faultError
	var trouble *Trouble
	switch {
	case err == nil:
	case errors.As(err, &f):
		r.Faults = append(r.Faults, f.Fault)
	case errors.As(err, &trouble):
		r.fault(where, "%v: %s", trouble.Kind, trouble.What)
	default:
		r.fault(where, "%v", err)
	}
}

// Verify reads the whole trail and compares everything with everything: the chain, the tree, the signed checkpoint, every column of every table with the fold
// of the log, the schema with the one compiled in, evidence with its commitments, the pin, its history and the journal, and SQLite's own check. Damage is no
// error but a fault in the report; an error means that it could not be done. progress, which may be nil, is told how many of the records are done.
func (t *Trail) Verify(ctx context.Context, progress func(done, of int64)) (Report, error) {
	v := newVerifier(t, progress)
	if trouble := t.Trouble(); trouble != nil {
		v.report.note("trail", trouble)
	}
	c, err := t.usable()
	if err != nil {
		if v.report.OK() {
			return v.report, err
		}
		return v.report, nil
	}
	v.report.Origin = t.origin
	p, err := t.remembered() // before the snapshot: see examine
	if err != nil {
		v.report.note("pin", err)
	}
	err = c.snapshot(ctx, func(q querier) error { return v.all(ctx, q, p) })
	if ctx.Err() != nil {
		return v.report, fmt.Errorf("verifying the audit trail: %w", ctx.Err())
	}
	v.report.note("file", err)
	v.report.Faults = distinct(v.report.Faults)
	return v.report, nil
}

func distinct(faults []Fault) []Fault {
	var out []Fault
	for _, f := range faults {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// verifier is a verification under way. Its steps go on after a fault, so that all are found.
type verifier struct {
	trail    *Trail
	report   Report
	fold     *fold
	progress func(done, of int64)

	records  int64
	last     *record
	leaves   []tlog.Hash
	right    []tlog.Hash       // roots of the whole subtrees, largest first
	roots    []tlog.Hash       // by size-1
	promised map[string]string // evidence, by commitment: the record that promises it
	plan     []*record         // the parts of the plan that is being read
	key      string
}

func newVerifier(t *Trail, progress func(done, of int64)) *verifier {
	return &verifier{trail: t, fold: newFold(), promised: map[string]string{}, progress: progress}
}

func (v *verifier) all(ctx context.Context, q querier, p *pin) error {
	v.report.note("file", sqliteCheck(ctx, q, "integrity_check"))
	v.report.note("schema", v.trail.format(ctx, q))
	if p != nil {
		v.report.Remembered = p.String()
	}
	for _, step := range []struct {
		where string
		do    func() error
	}{
		{"log", func() error { return v.log(ctx, q) }},
		{"tree", func() error { return v.tree(ctx, q) }},
		{"head", func() error { return v.head(ctx, q) }},
		{"decisions", func() error { return v.decisions(ctx, q) }},
		{"evidence", func() error { return v.evidence(ctx, q) }},
		{"steps", func() error { return v.steps(ctx, q) }},
		{"pin", func() error { return v.pin(p) }},
		{"journal", func() error { return v.journal(p) }},
	} {
		if err := step.do(); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			v.report.note(step.where, err)
		}
	}
	v.report.Records, v.report.Root, v.report.Decisions = v.records, v.root(v.records).String(), len(v.fold.order)
	return nil
}

// log reads every record: its number, its place in the chain, the tree it saw, what it changes.
func (v *verifier) log(ctx context.Context, q querier) error {
	var of int64
	if err := q.QueryRowContext(ctx, `SELECT count(*) FROM entry`).Scan(&of); err != nil {
		return err
	}
	return eachRecord(ctx, q, func(r *record) error {
		v.record(r)
		if v.progress != nil && (v.records%1024 == 0 || v.records == of) {
			v.progress(v.records, of)
		}
		return nil
	}, ` ORDER BY seq`)
}

func (v *verifier) record(r *record) {
	where := fmt.Sprintf("record %d", r.seq)
	if r.seq != v.records {
		v.report.fault(where, "record %d should stand here", v.records)
	}
	switch {
	case v.last == nil && r.seq == 0:
		v.key = r.key
	case v.last == nil:
	case r.prev != v.last.leaf:
		v.report.fault(where, "it does not follow the record before it")
	case r.log != v.last.log:
		v.report.fault(where, "it belongs to another trail")
	}
	v.look(where, r)
	v.planned(where, r)
	if r.signature == unsigned {
		v.report.Unsigned++
	} else {
		v.report.fault(where, "it is signed, and this version checks no signatures")
	}
	if v.last != nil && r.at.Before(v.last.at) {
		v.report.Backwards++
	}
	for _, h := range r.evidence {
		v.promised[string(h[:])] = where
	}
	if err := v.fold.apply(r); err != nil {
		v.report.note(where, err)
	}
	v.grow(r.leaf)
	v.last = r
}

// look checks the tree that the record's writer had before it.
func (v *verifier) look(where string, r *record) {
	switch {
	case r.seq == 0 && r.seen == (seen{}):
	case r.seen.size > v.records || r.seen.size < 1:
		v.report.fault(where, "it saw a tree of %d records", r.seen.size)
	default:
		if v.root(r.seen.size) != r.seen.root {
			v.report.fault(where, "it saw another tree of %d records", r.seen.size)
		}
	}
}

// root is that of the first size records.
func (v *verifier) root(size int64) tlog.Hash {
	if size < 1 || size > int64(len(v.roots)) {
		return tlog.Hash{}
	}
	return v.roots[size-1]
}

// planned checks the digest of a plan once its last part is there.
func (v *verifier) planned(where string, r *record) {
	if r.what != EventDecided {
		if len(v.plan) > 0 {
			v.report.fault(where, "it stands inside the plan of the records before it")
			v.plan = nil
		}
		return
	}
	v.plan = append(v.plan, r)
	if r.plan.part != int64(len(v.plan)) || r.plan.digest != v.plan[0].plan.digest || r.plan.of != v.plan[0].plan.of {
		v.report.fault(where, "it is part %d of %d of a plan, out of its place", r.plan.part, r.plan.of)
		v.plan = nil
		return
	}
	if r.plan.part < r.plan.of {
		return
	}
	parts := make([]*intent, len(v.plan))
	for i, p := range v.plan {
		parts[i] = &p.intent
	}
	v.plan = nil
	if digest, err := planDigest(parts); err != nil || digest != r.plan.digest {
		v.report.fault(where, "its plan is another one than its digest says")
	}
}

// grow adds a leaf to the tree: v.right holds the roots of the whole subtrees that the number of records is made of.
func (v *verifier) grow(leaf tlog.Hash) {
	v.leaves = append(v.leaves, leaf)
	v.right = append(v.right, leaf)
	v.records++
	for n := v.records; n%2 == 0; n /= 2 {
		k := len(v.right)
		v.right = append(v.right[:k-2], tlog.NodeHash(v.right[k-2], v.right[k-1]))
	}
	root := v.right[len(v.right)-1]
	for i := len(v.right) - 2; i >= 0; i-- {
		root = tlog.NodeHash(v.right[i], root)
	}
	v.roots = append(v.roots, root)
}
