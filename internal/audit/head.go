package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// head is the trail's state in the file: the signed checkpoint and the last leaf.
type head struct {
	checkpoint
	last tlog.Hash
	note []byte
	key  string // of the first record: the verifier key of all checkpoints
}

// storedHashes reads the nodes of the tree.
type storedHashes struct {
	ctx context.Context // tlog's interface has none
	q   querier
}

// ReadHashes implements tlog.HashReader.
func (s storedHashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, idx := range indexes {
		var h []byte
		err := s.q.QueryRowContext(s.ctx, `SELECT h FROM node WHERE idx=?`, idx).Scan(&h)
		if errors.Is(err, sql.ErrNoRows) || err == nil && len(h) != tlog.HashSize {
			return nil, faultf(fmt.Sprintf("node %d", idx), "missing")
		}
		if err != nil {
			return nil, err
		}
		copy(out[i][:], h)
	}
	return out, nil
}

// readHead reads the head and proves what can be proved without reading the whole log: the signature, the last record, the root by the stored nodes.
func readHead(ctx context.Context, q querier) (*head, error) {
	h := &head{}
	var root, last []byte
	err := q.QueryRowContext(ctx, `SELECT size, root, last_leaf, note FROM head WHERE one=1`).Scan(&h.size, &root, &last, &h.note)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, faultf("head", "missing")
	}
	if err != nil {
		return nil, err
	}
	copy(h.root[:], root)
	copy(h.last[:], last)
	first, err := readRecord(ctx, q, 0)
	if err != nil {
		return nil, err
	}
	h.origin, h.key = first.log, first.key
	v, err := note.NewVerifier(h.key)
	if err != nil {
		return nil, faultf("record 0", "its verifier key: %v", err)
	}
	signed, err := openCheckpoint(h.note, v)
	if err != nil {
		return nil, faultf("head", "its checkpoint: %v", err)
	}
	if signed != h.checkpoint {
		return nil, faultf("head", "it says %v, its signed checkpoint %v", h.checkpoint, signed)
	}
	return h, h.atEnd(ctx, q)
}

// atEnd checks that the records end where the head says, with the leaf that it says, and that the stored nodes give its root.
func (h *head) atEnd(ctx context.Context, q querier) error {
	var most sql.NullInt64
	if err := q.QueryRowContext(ctx, `SELECT max(seq) FROM entry`).Scan(&most); err != nil {
		return err
	}
	if most.Int64 != h.size-1 {
		return faultf("head", "it counts %d records, the last one is %d", h.size, most.Int64)
	}
	last, err := readRecord(ctx, q, h.size-1)
	if err != nil {
		return err
	}
	if last.leaf != h.last {
		return faultf("head", "its last leaf is not that of record %d", h.size-1)
	}
	root, err := tlog.TreeHash(h.size, storedHashes{ctx, q})
	if err != nil {
		return err
	}
	if root != h.root {
		return faultf("head", "the stored nodes give another root")
	}
	return nil
}

// extends proves that the tree at h holds all that the pin remembers; the pin was read before the head.
func (h *head) extends(ctx context.Context, q querier, path string, p *pin) error {
	if p == nil {
		return nil
	}
	t := &Trouble{Path: path, Pinned: p.String(), Found: h.String()}
	switch {
	case p.key != h.key:
		t.Kind, t.What, t.Advice = ErrKey, "its first record names another key than the one that this machine remembers", foreignAdvice
		return t
	case p.size > h.size:
		t.Kind, t.What, t.Advice = ErrRolledBack, fmt.Sprintf("the file lacks the last %d records that were acknowledged here", p.size-h.size), rollbackAdvice
		return t
	case p.size == h.size && p.root == h.root:
		return nil
	}
	if p.size < h.size {
		proof, err := tlog.ProveTree(h.size, p.size, storedHashes{ctx, q})
		if err != nil {
			return err
		}
		if tlog.CheckTree(proof, h.size, h.root, p.size, p.root) == nil {
			return nil
		}
	}
	t.Kind, t.What, t.Advice = ErrForked, "the file does not continue what this machine remembers: from some record on it tells another story", rollbackAdvice
	return t
}

const (
	rollbackAdvice = "put the newest copy of the file (with its -wal) back in its place; decisions that it lacks may have been handed out, so read the sources anew before you decide. Where no newer copy exists, keep this one and begin a trail at another path"
	foreignAdvice  = "put the right file back in its place; where this one is meant, keep it at another path and name that in the config"
	keyAdvice      = "put this machine's key back from its backup; where it is lost, keep the file and begin a trail at another path"
	damageAdvice   = "keep the file as it is, for it is evidence; audit verify names every fault. Put a whole copy back in its place, or begin a trail at another path"
	newerAdvice    = "use the newer version of idemctl"
	stateAdvice    = "put the folder back from its backup. Where audit verify finds no other fault, it may be moved away: the next decision then takes the trail as it is, and records that it did"
)

// readRecord reads one record and checks that the columns beside it say the same.
func readRecord(ctx context.Context, q querier, seq int64) (*record, error) {
	rows, err := q.QueryContext(ctx, selectRecords+` WHERE seq=?`, seq)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("record %d: %w", seq, ErrNotFound)
	}
	return scanRecord(rows, newParser())
}

const selectRecords = `SELECT seq, leaf, type, subject, event_id, body FROM entry`

// scanRecord reads a row of selectRecords.
func scanRecord(rows *sql.Rows, p *parser) (*record, error) {
	var seq int64
	var leaf, body []byte
	var kind, subject, id string
	if err := rows.Scan(&seq, &leaf, &kind, &subject, &id, &body); err != nil {
		return nil, err
	}
	where := fmt.Sprintf("record %d", seq)
	r, err := p.parse(body)
	if err != nil {
		return nil, faultf(where, "%v", err)
	}
	if r.seq != seq || string(r.leaf[:]) != string(leaf) || string(r.kind) != kind || r.caseID != subject || r.id != id {
		return nil, faultf(where, "the columns beside it say something else")
	}
	return r, nil
}
