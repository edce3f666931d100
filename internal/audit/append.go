package audit

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"example.com/idemctl/internal/reconcile"
)

// draft is one record to append: what its operator intends, and the evidence to keep for it.
type draft struct {
	intent
	proof []byte
}

// view is what an append sees before it says what to write: the decisions of the cases it names, and the time.
type view struct {
	*fold
	now reconcile.Instant
}

// work is one append. build runs in the transaction; what it returns is appended whole or not at all.
type work struct {
	ids   []string // of the records that the caller names; one of them tells later whether the append was kept
	cases []string
	build func(*view) ([]draft, error)
}

// attempts is how often a transaction that found the database busy is begun anew. Nothing was written then.
const attempts = 5

// append appends the records of w, and returns once all of it is kept: in the file, in the journal and under the pin. With ErrUnpinned it returns both.
func (t *Trail) append(ctx context.Context, w work) (*appending, error) {
	t.appends.Lock()
	defer t.appends.Unlock()
	if err := t.Trouble(); err != nil {
		return nil, err
	}
	if t.readOnly {
		return nil, ErrReading
	}
	unlock, err := lock(ctx, t.site.lock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	t.mu.Lock() // not before: whoever reads need not wait for another process
	defer t.mu.Unlock()
	if err := t.connected(); err != nil {
		return nil, err
	}
	// From here on the append is finished, whoever waits for it: it is short, and half an answer would be a doubt.
	ctx = context.WithoutCancel(ctx)
	p, err := t.remembered()
	if err != nil {
		return nil, t.quarantine(err)
	}
	var a *appending
	for i := 0; ; i++ {
		a = &appending{trail: t, pin: p}
		if err = a.transact(ctx, w); err == nil || !busy(err) && !torn(err) || i == attempts {
			break
		}
		if torn(err) {
			if e := t.reconnect(); e != nil {
				return nil, errors.Join(err, e)
			}
		}
	}
	if err != nil {
		return nil, t.quarantine(err)
	}
	if err := a.settle(ctx); err != nil {
		return nil, err
	}
	return a, a.remember(ctx)
}

// connected opens the file anew after a failure closed it.
func (t *Trail) connected() (err error) {
	if t.closed {
		return fmt.Errorf("audit trail %s: closed", t.site.path)
	}
	if t.conns == nil {
		if at, err := t.site.look(); err != nil || at != file {
			return errors.Join(err, fmt.Errorf("%s: the file is gone", t.site.path))
		}
		t.conns, err = connect(t.site)
	}
	return err
}

// reconnect opens the file anew: a connection whose shared memory was cut away under it stays of no use.
func (t *Trail) reconnect() error {
	err := t.conns.close()
	t.conns = nil
	return errors.Join(err, t.connected())
}

// quarantine keeps err as the trail's trouble where it is one, or where it is damage.
func (t *Trail) quarantine(err error) error {
	var trouble *Trouble
	switch {
	case errors.As(err, &trouble):
		t.trouble = trouble
	case damage(err):
		t.trouble = t.damaged(err, damageAdvice)
	default:
		return err
	}
	return t.trouble
}

// appending is an append under way.
type appending struct {
	trail  *Trail
	pin    *pin // as it was before; nil where none is remembered
	fold   *fold
	before *head // nil while the trail is made
	after  checkpoint
	signed []byte
	done   []*record
	doubt  error // what COMMIT said, where it failed
}

// transact writes everything in one transaction. A nil error means that COMMIT was sent; a.doubt is what it said.
func (a *appending) transact(ctx context.Context, w work) error {
	c, err := a.trail.conns.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	s := &session{conn: c, prepared: map[string]*sql.Stmt{}}
	err = a.fill(ctx, s, w)
	s.close()
	if err != nil {
		if _, e := c.ExecContext(ctx, "ROLLBACK"); e != nil {
			discard(c) // SQLite has rolled back by itself, or the connection is of no more use
		}
		return err
	}
	if _, err := c.ExecContext(ctx, "COMMIT"); err != nil {
		a.doubt = err
		discard(c)
	}
	return nil
}

// discard closes the connection itself: it must not go back to the pool in the middle of a transaction.
func discard(c *sql.Conn) { _ = c.Raw(func(any) error { return driver.ErrBadConn }) }

func (a *appending) fill(ctx context.Context, c *session, w work) error {
	h, err := readHead(ctx, c)
	if err != nil {
		return missingRecord(err)
	}
	if h.origin != a.trail.origin {
		return &Trouble{Kind: ErrForeign, Path: a.trail.site.path, What: "the file was exchanged while it was open", Pinned: a.trail.origin, Found: h.origin, Advice: foreignAdvice}
	}
	if err := h.extends(ctx, c, a.trail.site.path, a.pin); err != nil {
		return err
	}
	a.before = h
	v := &view{newFold(), reconcile.At(a.trail.env.Now())}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(w.cases))) {
		if err := foldCase(ctx, c, id, v.fold); err != nil {
			return err
		}
	}
	v.order = nil // from here on: what this append decides
	drafts, err := w.build(v)
	if err != nil {
		return err
	}
	if a.pin == nil && h.size > 1 {
		if err := a.trail.adoptable(ctx, c); err != nil {
			return err
		}
		drafts = append([]draft{{intent: intent{id: a.trail.env.NewID(), what: EventAdopted, core: core{reason: "this machine remembered nothing of this trail"}}}}, drafts...)
	}
	a.fold = v.fold
	if err := a.prepare(ctx, c, drafts); err != nil {
		return err
	}
	return a.write(ctx, c, v.now, drafts)
}

// adoptable refuses to take over a trail in which anything is not as it was written: nobody here remembers how it was.
func (t *Trail) adoptable(ctx context.Context, q querier) error {
	v := newVerifier(t, nil)
	if err := v.all(ctx, q, nil); err != nil {
		return err
	}
	if !v.report.OK() {
		return &faultError{v.report.Faults[0]}
	}
	return nil
}

// prepare completes what the drafts say, before the first of them is written: how many records each case has, the evidence, the plan.
func (a *appending) prepare(ctx context.Context, c *session, drafts []draft) error {
	var plan []*intent
	more := map[string]int64{}
	for i := range drafts {
		d := &drafts[i]
		if d.caseID != "" {
			d.rev = a.fold.revs[d.caseID] + more[d.caseID]
			more[d.caseID]++
		}
		if err := d.keepEvidence(ctx, c); err != nil {
			return err
		}
		if d.what == EventDecided {
			plan = append(plan, &d.intent)
		}
	}
	digest, err := planDigest(plan)
	for i, n := range plan {
		n.plan = planPart{digest, int64(i + 1), int64(len(plan))}
	}
	return err
}

// write inserts the records, their nodes, evidence and projections, and moves the head.
func (a *appending) write(ctx context.Context, c *session, now reconcile.Instant, drafts []draft) error {
	next, last, tree := int64(0), tlog.Hash{}, seen{}
	if a.before != nil {
		next, last, tree = a.before.size, a.before.last, seen{a.before.size, a.before.root}
	}
	for i := range drafts {
		r := &record{
			header:    header{log: a.trail.origin, seq: next, prev: last, at: now, tool: a.trail.env.Tool},
			intent:    drafts[i].intent,
			signature: unsigned,
		}
		r.actor, r.auth, r.seen = a.trail.env.Operator.Name, a.trail.env.Operator.auth(), tree
		if err := r.finish(); err != nil {
			return err
		}
		if err := a.insert(ctx, c, r); err != nil {
			return err
		}
		a.done = append(a.done, r)
		next, last = next+1, r.leaf
	}
	root, err := tlog.TreeHash(next, storedHashes{ctx, c})
	if err != nil {
		return err
	}
	a.after = checkpoint{a.trail.origin, next, root}
	if a.signed, err = a.after.sign(a.trail.key.signer); err != nil {
		return err
	}
	move := `UPDATE head SET size=?, root=?, last_leaf=?, note=?`
	if a.before == nil {
		move = `INSERT INTO head(one, size, root, last_leaf, note) VALUES (1, ?, ?, ?, ?)`
	}
	return c.exec(ctx, move, next, root[:], last[:], a.signed)
}

func (a *appending) insert(ctx context.Context, c *session, r *record) error {
	if err := a.fold.apply(r); err != nil {
		return err
	}
	if err := c.exec(ctx, `INSERT INTO entry(seq, leaf, type, subject, event_id, body) VALUES (?, ?, ?, ?, ?, ?)`, r.seq, r.leaf[:], string(r.kind), r.caseID, r.id, r.body); err != nil {
		return err
	}
	nodes, err := tlog.StoredHashesForRecordHash(r.seq, r.leaf, storedHashes{ctx, c})
	if err != nil {
		return err
	}
	for i, at := 0, tlog.StoredHashIndex(0, r.seq); i < len(nodes); i++ {
		if err := c.exec(ctx, `INSERT INTO node(idx, h) VALUES (?, ?)`, at+int64(i), nodes[i][:]); err != nil {
			return err
		}
	}
	for _, d := range a.fold.touched {
		if err := d.store(ctx, c, r.seq); err != nil {
			return err
		}
	}
	return nil
}

// store writes the decision's row, as the record seq has left it.
func (d *row) store(ctx context.Context, c *session, seq int64) error {
	v := d.columns()
	if d.Seq == seq {
		return c.exec(ctx, insertDecision, v...)
	}
	return c.exec(ctx, `UPDATE decision SET state=?, state_seq=?, handed_seq=?, outcome=?, outcome_seq=? WHERE decision_id=?`, append(v[len(v)-5:], d.ID)...)
}

const evidencePrefix = "idemctl-evidence-v1\n"

// commit is the commitment to evidence under a salt: without the salt, nobody can tell by trying what was removed.
func commit(salt, b []byte) tlog.Hash {
	return sum(append(append([]byte(evidencePrefix), salt...), b...))
}

// keepEvidence stores the evidence beside the log, and its commitment in the draft.
func (d *draft) keepEvidence(ctx context.Context, c *session) error {
	if len(d.proof) == 0 {
		return nil
	}
	salt := make([]byte, 32)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	h := commit(salt, d.proof)
	d.evidence = []tlog.Hash{h}
	return c.exec(ctx, `INSERT INTO evidence(commitment, salt, media, bytes, octets) VALUES (?, ?, ?, ?, ?)`, h[:], salt, evidenceMedia, d.proof, len(d.proof))
}

const evidenceMedia = "application/json"
