package audit

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// eachRecord visits the records that a condition and an order behind selectRecords choose.
func eachRecord(ctx context.Context, q querier, visit func(*record) error, condition string, args ...any) (err error) {
	rows, err := q.QueryContext(ctx, selectRecords+condition, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	p := newParser()
	for rows.Next() {
		r, err := scanRecord(rows, p)
		if err != nil {
			return err
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// foldCase adds the records of one case to f, and checks that the table of decisions tells the same story.
func foldCase(ctx context.Context, q querier, id string, f *fold) error {
	err := eachRecord(ctx, q, func(r *record) error {
		if err := f.apply(r); err != nil {
			return faultf(fmt.Sprintf("record %d", r.seq), "%v", err)
		}
		return nil
	}, ` WHERE subject=? ORDER BY seq`, id)
	if err != nil {
		return err
	}
	seen := 0
	err = eachDecisionRow(ctx, q, func(got decisionRow) error {
		seen++
		return got.check(f.rows[got.id()])
	}, ` WHERE case_id=?`, id)
	if err == nil && seen != f.count(id) {
		err = faultf("decisions of case "+id, "%d in the table, %d in the log", seen, f.count(id))
	}
	return err
}

func (f *fold) count(id string) (n int) {
	for _, d := range f.order {
		if d.Case == id {
			n++
		}
	}
	return n
}

// decisionRow is a row of the table of decisions, as it stands.
type decisionRow []any

const selectDecisions = `SELECT decision_id, case_id, case_rev, action, resolution, operator, digest, plan, recorded, valid_until, seq, state, state_seq, handed_seq, outcome, outcome_seq FROM decision`

var decisionColumns = strings.Split("decision_id case_id case_rev action resolution operator digest plan recorded valid_until seq state state_seq handed_seq outcome outcome_seq", " ")

func eachDecisionRow(ctx context.Context, q querier, visit func(decisionRow) error, condition string, args ...any) (err error) {
	rows, err := q.QueryContext(ctx, selectDecisions+condition, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		got := make(decisionRow, len(decisionColumns))
		into := make([]any, len(got))
		for i := range got {
			into[i] = &got[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := visit(got); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (d decisionRow) id() string { return fmt.Sprint(d[0]) }

// check compares every column with what the log says.
func (d decisionRow) check(want *row) error {
	where := "decision " + d.id()
	if want == nil {
		return faultf(where, "stands in the table, and not in the log")
	}
	for i, v := range want.columns() {
		if n, ok := v.(sql.NullInt64); ok {
			v, _ = n.Value()
		}
		if !same(v, d[i]) {
			return faultf(where, "its %s is not what the log says", decisionColumns[i])
		}
	}
	return nil
}

func same(want, got any) bool {
	if b, ok := want.([]byte); ok {
		g, ok := got.([]byte)
		return ok && string(b) == string(g)
	}
	return want == got
}

// usable returns the trouble of a trail whose file is gone.
func (t *Trail) usable() (*conns, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.conns != nil:
		return t.conns, nil
	case t.trouble != nil:
		return nil, t.trouble
	}
	return nil, fmt.Errorf("audit trail %s: closed", t.site.path)
}

// Decisions lists decisions, oldest first. What became of each is folded from its records, and compared with the table; where they differ a *Trouble comes.
func (t *Trail) Decisions(ctx context.Context, query Query) iter.Seq2[Decision, error] {
	return func(yield func(Decision, error) bool) {
		f, err := t.decisions(ctx, query.Cases)
		if err != nil {
			if damage(err) {
				err = t.damaged(err, damageAdvice)
			}
			yield(Decision{}, fmt.Errorf("reading decisions: %w", err))
			return
		}
		now := reconcile.At(t.env.Now())
		for _, d := range f.order {
			if (!query.LiveOnly || d.Live(now)) && !yield(d.Decision, nil) {
				return
			}
		}
	}
}

func (t *Trail) decisions(ctx context.Context, cases []string) (*fold, error) {
	c, err := t.usable()
	if err != nil {
		return nil, err
	}
	f := newFold()
	err = c.snapshot(ctx, func(q querier) error {
		if len(cases) == 0 {
			return foldAll(ctx, q, f)
		}
		done := map[string]bool{}
		for _, id := range cases {
			if done[id] {
				continue
			}
			done[id] = true
			if err := foldCase(ctx, q, id, f); err != nil {
				return err
			}
		}
		return nil
	})
	slices.SortFunc(f.order, func(a, b *row) int { return cmp.Compare(a.Seq, b.Seq) })
	return f, err
}

// foldAll adds the records of all cases, and compares the whole table.
func foldAll(ctx context.Context, q querier, f *fold) error {
	err := eachRecord(ctx, q, func(r *record) error {
		if err := f.apply(r); err != nil {
			return faultf(fmt.Sprintf("record %d", r.seq), "%v", err)
		}
		return nil
	}, ` WHERE subject<>'' ORDER BY seq`)
	if err != nil {
		return err
	}
	seen := 0
	err = eachDecisionRow(ctx, q, func(got decisionRow) error {
		seen++
		return got.check(f.rows[got.id()])
	}, ``)
	if err == nil && seen != len(f.order) {
		err = faultf("decisions", "%d in the table, %d in the log", seen, len(f.order))
	}
	return err
}

// Decision finds the one decision whose id begins with a text.
func (t *Trail) Decision(ctx context.Context, idPrefix string) (Decision, error) {
	d, err := t.decision(ctx, idPrefix)
	if err != nil {
		return Decision{}, fmt.Errorf("finding decision %q: %w", idPrefix, err)
	}
	return d, nil
}

func (t *Trail) decision(ctx context.Context, prefix string) (Decision, error) {
	c, err := t.usable()
	if err != nil {
		return Decision{}, err
	}
	if prefix == "" {
		return Decision{}, ErrNotFound
	}
	var out Decision
	err = c.snapshot(ctx, func(q querier) error {
		var id, caseID string
		n := 0
		err := eachDecisionRow(ctx, q, func(d decisionRow) error {
			n++
			id, caseID = d.id(), fmt.Sprint(d[1])
			return nil
		}, ` WHERE substr(decision_id, 1, length(?1))=?1 LIMIT 2`, prefix)
		switch {
		case err != nil:
			return err
		case n == 0:
			return ErrNotFound
		case n > 1:
			return ErrAmbiguous
		}
		f := newFold()
		if err := foldCase(ctx, q, caseID, f); err != nil {
			return err
		}
		out = f.rows[id].Decision
		return nil
	})
	return out, err
}

// Log lists records.
func (t *Trail) Log(ctx context.Context, query LogQuery) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		c, err := t.usable()
		condition, limit := ` WHERE seq>=? ORDER BY seq LIMIT ?`, query.Limit
		from := query.From
		if query.Reverse {
			condition = ` WHERE seq<=? ORDER BY seq DESC LIMIT ?`
			if from <= 0 {
				from = maxInteger
			}
		}
		if limit <= 0 {
			limit = -1
		}
		if err == nil {
			err = eachRecord(ctx, c.read, func(r *record) error {
				if !yield(r.entry(), nil) {
					return errStop
				}
				return nil
			}, condition, from, limit)
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(Entry{}, fmt.Errorf("reading the audit log: %w", err))
		}
	}
}

// errStop ends a list that nobody wants more of.
var errStop = errors.New("stop")

// Entry returns one record.
func (t *Trail) Entry(ctx context.Context, seq int64) (Entry, error) {
	c, err := t.usable()
	if err != nil {
		return Entry{}, err
	}
	r, err := readRecord(ctx, c.read, seq)
	if err != nil {
		return Entry{}, fmt.Errorf("reading the audit log: %w", err)
	}
	return r.entry(), nil
}

// Evidence returns the evidence of a record as it was, byte for byte, checked against the record's commitment. ErrNotFound where the record has none,
// ErrRemoved where it was removed.
func (t *Trail) Evidence(ctx context.Context, seq int64) ([]byte, error) {
	c, err := t.usable()
	if err != nil {
		return nil, err
	}
	var out []byte
	err = c.snapshot(ctx, func(q querier) error {
		r, err := readRecord(ctx, q, seq)
		if err != nil {
			return err
		}
		if len(r.evidence) == 0 {
			return ErrNotFound
		}
		e, err := readEvidence(ctx, q, r.evidence[0][:])
		if err != nil {
			return err
		}
		out = e.bytes
		return e.check()
	})
	if err != nil {
		return nil, fmt.Errorf("reading the evidence of record %d: %w", seq, err)
	}
	return out, nil
}

// Taken tells with which record a machine that remembered nothing of the trail last took it as it was, 0 where none did, and whether this machine remembers it.
// Where it does not, its next record takes the trail over. Whatever was recorded before may be followed by what that machine has not seen.
func (t *Trail) Taken(ctx context.Context) (seq int64, remembered bool, err error) {
	c, err := t.usable()
	if err != nil {
		return 0, false, err
	}
	p, err := t.remembered()
	if err != nil {
		return 0, false, err
	}
	err = c.snapshot(ctx, func(q querier) error {
		what := `SELECT ifnull(max(seq), 0) FROM entry WHERE type=?`
		if p == nil {
			what = `SELECT CASE max(seq) WHEN 0 THEN 0 ELSE max(seq)+1 END FROM entry WHERE ?<>''`
		}
		return q.QueryRowContext(ctx, what, EventAdopted.String()).Scan(&seq)
	})
	if err != nil {
		return 0, false, fmt.Errorf("reading who took the trail over: %w", err)
	}
	return seq, p != nil, nil
}
