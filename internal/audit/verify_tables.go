package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// tree computes every node anew and compares it.
func (v *verifier) tree(ctx context.Context, q querier) error {
	rows, err := q.QueryContext(ctx, `SELECT idx, h FROM node ORDER BY idx`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var next int64
	below := map[int][]tlog.Hash{} // by level: hashes that wait for their right neighbour
	for rows.Next() {
		var idx int64
		var h []byte
		if err := rows.Scan(&idx, &h); err != nil {
			return err
		}
		if idx != next {
			return faultf(fmt.Sprintf("node %d", idx), "node %d should stand here", next)
		}
		next++
		level, n := tlog.SplitStoredHashIndex(idx)
		var got tlog.Hash
		copy(got[:], h)
		if level > 0 {
			pair := below[level-1]
			if len(pair) < 2 || tlog.NodeHash(pair[0], pair[1]) != got {
				v.report.fault(fmt.Sprintf("node %d", idx), "it is not the hash of the two below it")
			}
			delete(below, level-1)
		} else if n >= v.records || v.leaves[n] != got {
			v.report.fault(fmt.Sprintf("node %d", idx), "it is not the leaf of record %d", n)
		}
		below[level] = append(below[level], got)
	}
	if want := tlog.StoredHashCount(v.records); next != want {
		v.report.fault("tree", "%d nodes, %d belong to %d records", next, want, v.records)
	}
	return rows.Err()
}

// head compares the signed checkpoint with the tree of the records.
func (v *verifier) head(ctx context.Context, q querier) error {
	h, err := readHead(ctx, q)
	if err != nil {
		return missingRecord(err)
	}
	if h.size != v.records || h.root != v.root(v.records) {
		v.report.fault("head", "it says %v, the records give %d, root %v", h.checkpoint, v.records, v.root(v.records))
	}
	var n int
	if err := q.QueryRowContext(ctx, `SELECT count(*) FROM head`).Scan(&n); err != nil || n != 1 {
		v.report.fault("head", "%d rows", n)
	}
	return nil
}

func (v *verifier) decisions(ctx context.Context, q querier) error {
	stand := map[string]bool{}
	err := eachDecisionRow(ctx, q, func(got decisionRow) error {
		stand[got.id()] = true
		v.report.note("decisions", got.check(v.fold.rows[got.id()]))
		return nil
	}, ` ORDER BY decision_id`)
	for _, d := range v.fold.order {
		if !stand[d.ID] {
			v.report.fault("decision "+d.ID, "missing in the table")
		}
	}
	return err
}

func (v *verifier) evidence(ctx context.Context, q querier) (err error) {
	rows, err := q.QueryContext(ctx, selectEvidence+` ORDER BY commitment`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		e := &evidence{}
		if err := e.scan(rows.Scan); err != nil {
			return err
		}
		where, ok := v.promised[string(e.commitment)]
		if !ok {
			v.report.fault(fmt.Sprintf("evidence %x", e.commitment), "no record names it")
		}
		if err := e.check(); err != nil {
			v.report.fault(fmt.Sprintf("evidence %x", e.commitment), "of %s: %v", where, err)
		}
		delete(v.promised, string(e.commitment))
	}
	for h, where := range v.promised {
		v.report.fault(fmt.Sprintf("evidence %x", h), "of %s: missing", where)
	}
	return rows.Err()
}

func (v *verifier) steps(ctx context.Context, q querier) error {
	want := map[string]bool{}
	for _, s := range Steps {
		want["state "+s.From.String()+" "+s.To.String()] = true
	}
	for _, s := range OutcomeSteps {
		want["outcome "+s.From.String()+" "+s.To.String()] = true
	}
	rows, err := q.QueryContext(ctx, `SELECT kind, a, b FROM step`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var kind, a, b string
		if err := rows.Scan(&kind, &a, &b); err != nil {
			return err
		}
		key := strings.Join([]string{kind, a, b}, " ")
		if !want[key] {
			v.report.fault("steps", "%s was added", key)
		}
		delete(want, key)
	}
	for key := range want {
		v.report.fault("steps", "%s is missing", key)
	}
	return rows.Err()
}

// pin compares what this machine remembers with the records.
func (v *verifier) pin(p *pin) error {
	if p == nil {
		return nil
	}
	history, err := p.history()
	if err != nil {
		return err
	}
	switch {
	case p.key != v.key:
		v.report.fault("pin", "%v: its key is not the trail's", ErrKey)
	case p.size > v.records:
		v.report.fault("pin", "%v: it remembers %v, there are %d records", ErrRolledBack, p, v.records)
	}
	for _, c := range history {
		if c.size <= v.records && v.root(c.size) != c.root {
			v.report.fault("pin", "%v: it remembers %v, the records give another root", ErrForked, c)
			break
		}
	}
	return nil
}

// journal compares the bytes that this machine kept of every record.
func (v *verifier) journal(p *pin) error {
	if p == nil {
		return nil
	}
	n := int64(0)
	err := readJournal(v.trail.site.memory.journal(p.origin), p.journal, func(seq int64, body []byte) error {
		n++
		if seq < v.records && v.leaves[seq] != tlog.RecordHash(body) {
			v.report.fault(fmt.Sprintf("record %d", seq), "the journal of this machine has other bytes")
		}
		return nil
	})
	if err == nil && n != p.size {
		v.report.fault("journal", "%d records, the pin says %d", n, p.size)
	}
	return err
}
