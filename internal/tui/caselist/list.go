package caselist

import (
	"encoding/binary"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// chunkRows is how many rows share one block of memory; a block never moves.
const (
	chunkBits = 12
	chunkRows = 1 << chunkBits
)

// unknown stands for an instant that is not known.
const unknown = -1 << 63

// row is one case in 48 bytes. Its id and identity stand in the chunk's text at off.
type row struct {
	until, since int64
	minor        int64
	kinds        uint32
	off          uint32
	shape        uint16 // contract and names of the scope
	currency     uint16
	exponent     uint8
	valid        bool // the amount is known
	severity     reconcile.Severity
	exposure     reconcile.ExposureState
	executed     reconcile.Executed
	retry        reconcile.RetryVerdict
	headline     reconcile.Kind
}

type chunk struct {
	rows []row
	text []byte
}

// shape is what rows of one contract share.
type shape struct {
	contract string
	names    []string
}

// List holds the rows in the order in which they were added, which is the queue's own.
type List struct {
	chunks     []*chunk
	n          int
	shapes     []shape
	currencies []string
	decided    []Decided
	rest       bool               // some of them rest, here or waiting
	waiting    map[string]Decided // of cases that have not arrived yet
}

// New returns an empty list.
func New() *List { return &List{waiting: make(map[string]Decided)} }

// Len returns the number of rows.
func (l *List) Len() int { return l.n }

// Add appends a case's row. What it holds is copied.
func (l *List) Add(c *scan.Row) {
	var last *chunk
	if len(l.chunks) > 0 {
		last = l.chunks[len(l.chunks)-1]
	}
	if last == nil || len(last.rows) == chunkRows {
		last = &chunk{rows: make([]row, 0, chunkRows)}
		l.chunks = append(l.chunks, last)
	}
	r := row{
		until: nano(c.Exposure.Until), since: nano(c.Since), off: uint32(len(last.text)),
		shape: l.shapeOf(c), kinds: uint32(c.Kinds), severity: c.Severity, exposure: c.Exposure.State, executed: c.Executed, retry: c.RetryNow, headline: c.Headline,
	}
	if c.Amount.Valid {
		r.minor, r.exponent, r.valid, r.currency = c.Amount.Minor, c.Amount.Exponent, true, l.currencyOf(c.Amount.Currency)
	}
	last.text = appendText(last.text, c)
	last.rows = append(last.rows, r)
	l.n++
	d := None
	if len(l.waiting) > 0 {
		if known, ok := l.waiting[c.ID]; ok {
			d = known
			delete(l.waiting, c.ID)
		}
	}
	l.decided = append(l.decided, d)
}

// Trim gives back what the last block reserved and does not need; call it when no more rows come.
func (l *List) Trim() {
	for _, c := range l.chunks {
		c.rows, c.text = slices.Clip(c.rows), slices.Clip(c.text)
	}
}

// appendText packs id and identity: each with its length before it, so that no byte of a key means anything; length 0 is unknown, n+1 a known text.
func appendText(b []byte, c *scan.Row) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.ID)))
	b = append(b, c.ID...)
	for _, comp := range c.Identity {
		if !comp.Value.Known() {
			b = append(b, 0)
			continue
		}
		v := comp.Value.Bytes()
		b = binary.AppendUvarint(b, uint64(len(v))+1)
		b = append(b, v...)
	}
	return b
}

func (l *List) shapeOf(c *scan.Row) uint16 {
	at := slices.IndexFunc(l.shapes, func(s shape) bool {
		return s.contract == c.Contract && slices.EqualFunc(s.names, c.Identity, func(n string, comp reconcile.Component) bool { return n == comp.Name })
	})
	if at < 0 {
		s := shape{contract: c.Contract}
		for _, comp := range c.Identity {
			s.names = append(s.names, comp.Name)
		}
		at = len(l.shapes)
		l.shapes = append(l.shapes, s)
	}
	return uint16(min(at, 1<<16-1))
}

func (l *List) currencyOf(code string) uint16 {
	at := slices.Index(l.currencies, code)
	if at < 0 {
		at = len(l.currencies)
		l.currencies = append(l.currencies, code)
	}
	return uint16(min(at, 1<<16-1))
}

func nano(i reconcile.Instant) int64 {
	if !i.Known() {
		return unknown
	}
	return i.UnixNano()
}

func instant(ns int64) reconcile.Instant {
	if ns == unknown {
		return reconcile.Instant{}
	}
	return reconcile.AtUnix(ns)
}

// Snapshot returns the rows as they are now.
func (l *List) Snapshot() *Snapshot {
	return &Snapshot{
		chunks: slices.Clone(l.chunks), n: l.n, shapes: slices.Clip(l.shapes), currencies: slices.Clip(l.currencies), decided: l.decided[:l.n:l.n], rest: l.rest,
	}
}
