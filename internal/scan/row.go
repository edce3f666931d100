package scan

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"iter"

	"example.com/idemctl/internal/reconcile"
)

// Row is a case as a list shows it: what can be filtered and ordered by, without its evidence.
type Row struct {
	ID, Contract string
	Headline     reconcile.Kind
	Kinds        uint64 // a bit for each kind
	Severity     reconcile.Severity
	Exposure     reconcile.Exposure
	Executed     reconcile.Executed
	RetryNow     reconcile.RetryVerdict
	Amount       reconcile.Amount
	Since        reconcile.Instant
	Identity     []reconcile.Component
}

// RowOf is the row of a case.
func RowOf(c *Case) Row {
	return Row{
		ID: c.CaseID, Contract: c.Contract, Headline: c.Headline(), Kinds: uint64(kindBits(c.Kinds)), Severity: c.Severity, Exposure: c.Exposure,
		Executed: c.Executed, RetryNow: c.RetryNow, Amount: c.Amount, Since: c.Since, Identity: c.Identity,
	}
}

// rowsPerPage is how many rows are read at once: between two pages nothing of the file is in use.
const rowsPerPage = 4096

// Rows yields the cases' rows in the queue's order. A row is valid until the next one is asked for. A row that does not add up ends in an error.
func (r *Result) Rows(ctx context.Context) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		var n int64
		var after []any
		words := make(map[string]string)
		for {
			page, last, err := r.heads(ctx, after)
			if err != nil {
				yield(nil, err)
				return
			}
			var row Row
			for _, head := range page {
				if err := row.parse(head, words); err != nil {
					yield(nil, r.damaged("a row of the list does not add up"))
					return
				}
				if !yield(&row, nil) {
					return
				}
			}
			if n += int64(len(page)); len(page) < rowsPerPage {
				break
			}
			after = last
		}
		if all := r.manifest.Counts.Cases; n != all {
			yield(nil, r.damaged("it should hold %d cases, and lists %d", all, n))
		}
	}
}

// heads reads one page of rows and the place behind which the next begins.
func (r *Result) heads(ctx context.Context, after []any) (page [][]byte, last []any, err error) {
	query := "SELECT rank, until, severity, id, head FROM cases INDEXED BY cases_head "
	if after != nil {
		query += "WHERE (rank, until, severity, id, head) > (?,?,?,?,?) "
	}
	rows, err := r.db.QueryContext(ctx, query+"ORDER BY rank, until, severity, id, head LIMIT 4096", after...)
	if err != nil {
		return nil, nil, r.unread(ctx, err)
	}
	defer func() { _ = rows.Close() }() // what it could report, Err has reported
	var at queuePlace
	for rows.Next() {
		var head []byte
		if err := rows.Scan(&at.rank, &at.until, &at.severity, &at.id, &head); err != nil {
			return nil, nil, r.unread(ctx, err)
		}
		page = append(page, head)
	}
	if err := rows.Err(); err != nil {
		return nil, nil, r.unread(ctx, err)
	}
	if len(page) > 0 {
		last = []any{at.rank, at.until, at.severity, at.id, page[len(page)-1]}
	}
	return page, last, nil
}

// bytes spells the row as bytes that end in their checksum.
func (r *Row) bytes() []byte {
	var b []byte
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	instant := func(i reconcile.Instant) {
		if !i.Known() {
			b = append(b, 0)
			return
		}
		b = binary.AppendVarint(append(b, 1), i.UnixNano())
	}
	b = append(b, byte(r.Headline), byte(r.Severity), byte(r.Exposure.State), byte(r.Executed), byte(r.RetryNow))
	b = binary.AppendUvarint(b, r.Kinds)
	instant(r.Exposure.Until)
	instant(r.Since)
	if r.Amount.Valid {
		b = binary.AppendVarint(append(b, 1, r.Amount.Exponent), r.Amount.Minor)
		text(r.Amount.Currency)
	} else {
		b = append(b, 0)
	}
	text(r.ID)
	text(r.Contract)
	b = binary.AppendUvarint(b, uint64(len(r.Identity)))
	for _, c := range r.Identity {
		text(c.Name)
		if !c.Value.Known() {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(c.Value.Bytes()))+1)
		b = append(b, c.Value.Bytes()...)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

var errRow = errors.New("not a row")

// parse reads what bytes wrote. Texts that many rows share are kept once in words; everything else belongs to b.
func (r *Row) parse(b []byte, words map[string]string) error {
	if len(b) < 4 || crc32.Checksum(b[:len(b)-4], castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return errRow
	}
	p := rowParser{b: b[:len(b)-4]}
	*r = Row{
		Headline: reconcile.Kind(p.byte()), Severity: reconcile.Severity(p.byte()), Exposure: reconcile.Exposure{State: reconcile.ExposureState(p.byte())},
		Executed: reconcile.Executed(p.byte()), RetryNow: reconcile.RetryVerdict(p.byte()), Kinds: p.uvarint(), Identity: r.Identity[:0],
	}
	r.Exposure.Until, r.Since = p.instant(), p.instant()
	if p.byte() == 1 {
		r.Amount = reconcile.Amount{Exponent: p.byte(), Minor: p.varint(), Currency: p.word(words), Valid: true}
	}
	r.ID, r.Contract = string(p.text()), p.word(words)
	for n := p.uvarint(); n > 0 && !p.failed; n-- {
		c := reconcile.Component{Name: p.word(words)}
		if size := p.uvarint(); size > 0 {
			c.Value = reconcile.Bytes(p.take(size - 1))
		}
		r.Identity = append(r.Identity, c)
	}
	if p.failed || len(p.b) > 0 || int(r.Headline) >= len(reconcile.Findings) {
		return errRow
	}
	return nil
}

// rowParser takes a row apart. Once it has failed it gives nothing.
type rowParser struct {
	b      []byte
	failed bool
}

func (p *rowParser) take(n uint64) []byte {
	if p.failed || n > uint64(len(p.b)) {
		p.failed = true
		return nil
	}
	out := p.b[:n:n]
	p.b = p.b[n:]
	return out
}

func (p *rowParser) byte() byte {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (p *rowParser) uvarint() uint64 {
	v, n := binary.Uvarint(p.b)
	if n <= 0 {
		p.failed = true
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *rowParser) varint() int64 {
	v, n := binary.Varint(p.b)
	if n <= 0 {
		p.failed = true
		return 0
	}
	p.b = p.b[n:]
	return v
}

func (p *rowParser) text() []byte { return p.take(p.uvarint()) }

func (p *rowParser) word(words map[string]string) string {
	b := p.text()
	if s, ok := words[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(words) < rowsPerPage {
		words[s] = s
	}
	return s
}

func (p *rowParser) instant() reconcile.Instant {
	if p.byte() != 1 {
		return reconcile.Instant{}
	}
	return reconcile.AtUnix(p.varint())
}
