package caselist

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"example.com/idemctl/internal/query"
	"example.com/idemctl/internal/reconcile"
)

// Column is what rows are ordered by. Queued is the queue's own order: exposure, nearest deadline, severity, id; cases that rest come last.
type Column uint8

// The columns.
const (
	Queued Column = iota
	BySeverity
	ByKind
	ByMoney
	ByAge
	ByDecision
	columns
)

var columnWords = [...]string{"exposure", "severity", "kind", "money", "age", "decision"}

func (c Column) String() string { return columnWords[c] }

// Next returns the column behind c, the first behind the last.
func (c Column) Next() Column { return (c + 1) % columns }

// Choice says which rows are listed, and how.
type Choice struct {
	Query   *query.Query
	By      Column
	Reverse bool
	Now     reconcile.Instant
}

// Plain reports whether all rows are listed in their own order.
func (c *Choice) Plain() bool { return c.Query.All() && c.By == Queued && !c.Reverse }

// View is the rows that are listed, in order. The zero View of a list lists all.
type View struct {
	order []uint32 // nil: every row of the snapshot
	plain bool
	n     int
}

// Plain reports whether the view lists every row in the rows' own order.
func (v View) Plain() bool { return v.plain }

// All lists every row of a snapshot in its own order.
func All(s *Snapshot) View { return View{plain: true, n: s.n} }

// Len returns how many rows are listed.
func (v View) Len() int { return v.n }

// At returns the row listed at a place.
func (v View) At(place int) int {
	if v.plain {
		return place
	}
	return int(v.order[place])
}

// Place returns where a row is listed, -1 when it is not.
func (v View) Place(row int) int {
	if v.plain {
		if row < v.n {
			return row
		}
		return -1
	}
	return slices.Index(v.order, uint32(row))
}

// stopEvery is how many rows are looked at between two looks at the context.
const stopEvery = 1 << 12

// List lists the rows of the snapshot that are chosen. It stops soon after ctx is cancelled.
func (s *Snapshot) List(ctx context.Context, ch Choice) (View, error) {
	if ch.Plain() && !s.rest {
		return All(s), nil
	}
	order, err := s.filter(ctx, &ch, 0)
	if err != nil {
		return View{}, err
	}
	if ch.By != Queued || s.rest {
		s.sort(order, ch.By)
	}
	if ch.Reverse {
		slices.Reverse(order)
	}
	return View{order: order, n: len(order)}, ctx.Err()
}

// Extend lists rows that were added since v was made, behind those of v: their place in the order is found when the last has come.
func (s *Snapshot) Extend(v View, from int, ch Choice) View {
	if v.plain && ch.Plain() && !s.rest {
		return All(s)
	}
	more, err := s.filter(context.Background(), &ch, from)
	if err != nil {
		return v
	}
	order := append(v.order, more...)
	return View{order: order, n: len(order)}
}

func (s *Snapshot) filter(ctx context.Context, ch *Choice, from int) ([]uint32, error) {
	var out []uint32
	if ch.Query.All() {
		out = make([]uint32, 0, s.n-from)
		for i := from; i < s.n; i++ {
			out = append(out, uint32(i))
		}
		return out, nil
	}
	var c query.Case
	texts := ch.Query.Texts()
	for i := from; i < s.n; i++ {
		if i%stopEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.fill(i, &c, texts)
		if ch.Query.Match(&c, ch.Now) {
			out = append(out, uint32(i))
		}
	}
	return out, nil
}

// fill unpacks a row for a query into memory that is used again; its texts only where the query looks at them.
func (s *Snapshot) fill(i int, c *query.Case, texts bool) {
	r, text := s.row(i)
	sh, d := &s.shapes[r.shape], &s.decided[i]
	c.Contract, c.Headline, c.Kinds, c.Severity, c.Executed, c.RetryNow = sh.contract, r.headline, r.kinds, r.severity, r.executed, r.retry
	c.Exposure.State, c.Exposure.Until, c.Since, c.Amount = r.exposure, instant(r.until), instant(r.since), s.amount(r)
	c.Decided, c.State, c.Decision, c.As, c.Live, c.Changed = d.Some, d.State, d.Decision, d.As, d.Live, d.Changed
	if !texts {
		return
	}
	n, k := binary.Uvarint(text)
	c.ID = text[k : k+int(n)]
	text = text[k+int(n):]
	c.Identity = c.Identity[:0]
	for _, name := range sh.names {
		n, k := binary.Uvarint(text)
		text = text[k:]
		v := reconcile.Value{}
		if n > 0 {
			v = reconcile.Bytes(text[: n-1 : n-1])
			text = text[n-1:]
		}
		c.Identity = append(c.Identity, reconcile.Component{Name: name, Value: v})
	}
}

// sort orders rows by a column, and rows that are equal there by the queue's own order. The first row is the one to look at first.
func (s *Snapshot) sort(order []uint32, by Column) {
	type keyed struct {
		key int64
		row uint32
	}
	rows := make([]keyed, len(order))
	for i, at := range order {
		rows[i] = keyed{s.key(int(at), by), at}
	}
	slices.SortFunc(rows, func(a, b keyed) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(a.row, b.row)
	})
	for i := range rows {
		order[i] = rows[i].row
	}
}

// last stands behind all others.
const last = 1<<63 - 1

func (s *Snapshot) key(i int, by Column) int64 {
	r, _ := s.row(i)
	switch by {
	case BySeverity:
		return int64(r.severity)
	case ByKind:
		return int64(r.headline)
	case ByMoney: // by currency, then the most first: amounts of two currencies have no order
		if !r.valid {
			return last
		}
		const bits = 50
		most := int64(1)<<(bits-1) - 1
		return int64(r.currency)<<bits - min(max(r.minor, -most), most)
	case ByAge: // the oldest first
		if r.since == unknown {
			return last
		}
		return r.since
	case ByDecision:
		return decidedKey(&s.decided[i])
	case Queued, columns:
		if s.decided[i].Rests() {
			return 1
		}
	}
	return 0
}

// decidedKey puts first what asks for somebody: changed evidence, then nothing decided.
func decidedKey(d *Decided) int64 {
	switch {
	case d.Some && d.Changed:
		return 0
	case !d.Some:
		return 1
	case !d.Live:
		return 2 + int64(d.State)
	}
	return 100 + int64(d.State)
}
