package postgres

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"example.com/idemctl/internal/sources/rows"
)

const (
	// batch is how many rows pass between two looks at the context and two reports of progress.
	batch = 512
	// cursorRows is how many rows one FETCH of a cursor brings.
	cursorRows = 2000
	// ranged is the first version that goes straight to a range of places.
	ranged = 140000
)

// Scan implements rows.Table. A value that is too long is a Bad cell, so no row is ever bad as a whole.
func (t *table) Scan(ctx context.Context, yield rows.Yield, _ func(rows.Problem)) (rows.Extent, error) {
	t.progress.rows.Store(0)
	t.progress.bytes.Store(0)
	cells := make([]rows.Cell, t.paths)
	p := pass{t: t, deliver: func(pos rows.Pos, values [][]byte, s *selection) (int64, error) {
		size := t.fill(values, s, cells)
		return size, yield(pos, cells)
	}}
	err := p.sweep(ctx)
	p.report()
	t.current = current{}
	if p.refused != nil {
		return rows.Extent{Reason: "the reader stopped"}, p.refused
	}
	if err != nil {
		return t.failed(ctx, err)
	}
	return rows.Extent{Complete: true, Whole: t.whole, Limit: t.limit, Server: t.store.horizon.server}, nil
}

// pass is one walk over all rows.
type pass struct {
	t       *table
	deliver func(rows.Pos, [][]byte, *selection) (int64, error)
	refused error // what deliver returned

	begun bool
	last  rows.Pos // of the row that was delivered last
	seen  int64
	size  int64
}

// sweep delivers every row in natural order.
//
// Rows that can be found again by their place are read with plain columns, which is fastest; only when a row turns out too long, the pass goes on behind
// the last one with guarded columns. A connection that breaks is replaced once, in the same snapshot, and the pass goes on likewise.
func (p *pass) sweep(ctx context.Context) error {
	t := p.t
	if t.way == ordinal {
		return p.cursor(ctx)
	}
	guarded := false
	var lost error // what ended the session that was replaced
	for {
		if err := t.live(ctx); err != nil {
			return cmp.Or(lost, err)
		}
		s := t.pick(guarded, t.needed)
		var err error
		if t.way == tree {
			err = p.run(ctx, t.reader, s, s.sql)
		} else {
			err = p.parts(ctx, s)
		}
		var big *pgproto3.ExceededMaxBodyLenErr
		switch {
		case err == nil || p.refused != nil || ctx.Err() != nil:
			return err
		case errors.As(err, &big) && !guarded:
			guarded = true
		case classOf(err) == gone && lost == nil:
			lost = err
		default:
			return err
		}
	}
}

// part is a range of places, from a row on that is not part of it, up to a block that is not part of it.
type part struct {
	after string // "" from the beginning
	until string // "" to the end
}

func (r part) where() string {
	switch {
	case r.after == "" && r.until == "":
		return ""
	case r.until == "":
		return " WHERE q.ctid > '" + r.after + "'::tid"
	case r.after == "":
		return " WHERE q.ctid < '" + r.until + "'::tid"
	}
	return " WHERE q.ctid > '" + r.after + "'::tid AND q.ctid < '" + r.until + "'::tid"
}

// split divides what is left of the table. The last part is open: the file may have grown by rows that the snapshot does not show.
func (p *pass) split() []part {
	var out []part
	next := part{}
	block := int64(0)
	if p.begun {
		next.after = shownPlace(p.last)
		block = int64(p.last >> placeBits)
	}
	if s := p.t.store; p.t.blocks >= s.large && s.server.version >= ranged {
		for block += s.part; block < p.t.blocks; block += s.part {
			edge := "(" + strconv.FormatInt(block, 10) + ",0)" // no row has the place 0
			next.until = edge
			out = append(out, next)
			next = part{after: edge}
		}
	}
	return append(out, next)
}

// parts reads a table part by part, on two sessions in turn where there are several: while one part is taken, the server fills the other's connection.
func (p *pass) parts(ctx context.Context, s *selection) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	todo := p.split()
	if len(todo) > 1 {
		p.t.reinforce(ctx)
	}
	readers := []*session{p.t.reader}
	if p.t.second.alive() && len(todo) > 1 {
		readers = append(readers, p.t.second)
	}
	running := make([]*pgconn.ResultReader, len(todo))
	for i := range todo {
		for ahead := i; ahead < min(i+len(readers), len(todo)); ahead++ {
			if running[ahead] == nil {
				running[ahead] = readers[ahead%len(readers)].start(ctx, s.sql+todo[ahead].where(), nil, s.formats)
			}
		}
		if err := p.drain(ctx, running[i], s); err != nil {
			stop()
			for _, r := range running[i:min(i+len(readers), len(todo))] {
				_, _ = r.Close()
			}
			return err
		}
		running[i] = nil
	}
	return nil
}

// reinforce opens a second session. Without one the table is read all the same.
func (t *table) reinforce(ctx context.Context) {
	if t.second.alive() {
		return
	}
	t.second.close()
	t.second = nil
	if s, err := t.store.join(ctx); err == nil {
		t.second = s
	}
}

// run steps through one statement.
func (p *pass) run(ctx context.Context, reader *session, s *selection, sql string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	result := reader.start(ctx, sql, nil, s.formats)
	if err := p.drain(ctx, result, s); err != nil {
		stop()
		_, _ = result.Close()
		return err
	}
	return nil
}

// drain hands over the rows of a statement that was started. What stood at or before the last row was delivered before the connection broke.
func (p *pass) drain(ctx context.Context, result *pgconn.ResultReader, s *selection) error {
	from, at := p.last, rows.Pos(0)
	skipping := p.begun && p.t.way == tree
	first := true
	for result.NextRow() {
		if p.seen%batch == 0 {
			p.report()
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		values := result.Values()
		pos, err := p.t.posOf(values, p.seen)
		if err != nil {
			return err
		}
		if skipping && pos <= from {
			if !first && pos <= at {
				return errOrder
			}
			first, at = false, pos
			continue
		}
		if p.begun && pos <= p.last {
			return errOrder
		}
		if err := p.take(pos, values, s); err != nil {
			return err
		}
	}
	_, err := result.Close()
	return err
}

var errOrder = hinted("scan again", "%w: the server sent the rows in another order than before", rows.ErrChanged)

func (p *pass) take(pos rows.Pos, values [][]byte, s *selection) error {
	p.begun, p.last = true, pos
	p.seen++
	p.t.current = current{pos, values, s}
	size, err := p.deliver(pos, values, s)
	p.size += size
	if err != nil {
		p.refused = err
	}
	return err
}

func (p *pass) report() {
	p.t.progress.rows.Store(p.seen)
	p.t.progress.bytes.Store(p.size)
}

// cursor reads a view or a query. The server keeps the cursor, so that a second pass and a single row meet the same rows under the same numbers, however
// it would plan the query then.
func (p *pass) cursor(ctx context.Context) error {
	t := p.t
	s, err := t.declare(ctx)
	if err != nil {
		return err
	}
	if err := t.reader.exec(ctx, "MOVE ABSOLUTE 0 IN rows"); err != nil {
		return err
	}
	for {
		before := p.seen
		if err := p.run(ctx, t.reader, s, "FETCH FORWARD "+strconv.Itoa(cursorRows)+" FROM rows"); err != nil {
			return err
		}
		if p.seen-before < cursorRows {
			return nil
		}
	}
}

// declare makes sure that the table's cursor stands. All columns are in it whatever is wanted: scan and fetch read the same one.
func (t *table) declare(ctx context.Context) (*selection, error) {
	if err := t.live(ctx); err != nil {
		return nil, err
	}
	s := t.pick(true, t.all)
	if t.declared {
		return s, nil
	}
	if err := t.reader.exec(ctx, "DECLARE rows SCROLL CURSOR FOR "+s.sql); err != nil {
		return nil, err
	}
	t.declared = true
	return s, nil
}
