package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// evidence is a row of the table of evidence.
type evidence struct {
	commitment, salt, bytes []byte
	media                   string
	octets                  int64
	redacted                sql.NullInt64
}

const selectEvidence = `SELECT commitment, salt, media, bytes, octets, redacted_seq FROM evidence`

func (e *evidence) scan(scan func(...any) error) error {
	return scan(&e.commitment, &e.salt, &e.media, &e.bytes, &e.octets, &e.redacted)
}

func readEvidence(ctx context.Context, q querier, commitment []byte) (*evidence, error) {
	e := &evidence{}
	err := e.scan(q.QueryRowContext(ctx, selectEvidence+` WHERE commitment=?`, commitment).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, faultf(fmt.Sprintf("evidence %x", commitment), "missing")
	}
	return e, err
}

// check compares the bytes with their commitment. ErrRemoved where there are none: this version writes no record that removes any, so Verify calls it a fault.
func (e *evidence) check() error {
	where := fmt.Sprintf("evidence %x", e.commitment)
	if e.bytes == nil {
		return ErrRemoved
	}
	h := commit(e.salt, e.bytes)
	if string(h[:]) != string(e.commitment) || e.octets != int64(len(e.bytes)) || e.media != evidenceMedia || e.redacted.Valid {
		return faultf(where, "its bytes are not those that were kept")
	}
	return nil
}
