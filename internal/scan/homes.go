package scan

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
)

// homes finds, before identities meet, the identity of rows that carry no key but a reference: an effect by the id that a receipt names, then a provider
// line by the object that a row names, then by the other name of that object. It is used only where some source is mapped without a key; then the rows of the others post here too.
//
// A row gets a home only where exactly one identity carries its reference and nothing that the traces hold speaks against it. Every other row goes on
// without one, as a suspect: the rules decide.
type homes struct {
	dir     string
	budget  int64
	effects *pool // of posting, by effect reference
	objects *pool // of posting, by object reference
	aliases *pool // of posting, by the second name of an object, and by the first of whatever has no second; nil where no line has two
}

// posting is a trace with the hash of its scope without key, where 0 = a component is unknown, and that of the second name of its object.
type posting struct {
	trace
	scope uint32
	alias uint32
}

const postingSize = traceSize + 8

func (p *posting) put(b []byte) {
	p.trace.put(b)
	binary.LittleEndian.PutUint32(b[traceSize:], p.scope)
	binary.LittleEndian.PutUint32(b[traceSize+4:], p.alias)
}

func (p *posting) get(b []byte) {
	p.trace.get(b)
	p.scope = binary.LittleEndian.Uint32(b[traceSize:])
	p.alias = binary.LittleEndian.Uint32(b[traceSize+4:])
}

func newHomes(dir string, budget int64, aliases bool) *homes {
	h := &homes{dir: dir, budget: budget, effects: newPool(dir, postingSize, partitions, budget/4), objects: newPool(dir, postingSize, partitions, budget/4)}
	if aliases {
		h.aliases = newPool(dir, postingSize, partitions, budget/4)
	}
	return h
}

func (h *homes) close() error {
	err := cmp.Or(h.effects.close(), h.objects.close())
	if h.aliases != nil {
		err = cmp.Or(err, h.aliases.close())
	}
	return err
}

// poster routes one source's rows: to the references they carry, or straight to the identities.
type poster struct {
	effects, objects, traces *writer
}

func (h *homes) poster(traces *pool) *poster {
	return &poster{effects: h.effects.writer(), objects: h.objects.writer(), traces: traces.writer()}
}

func (p *poster) done() error { return cmp.Or(p.effects.done(), p.objects.done(), p.traces.done()) }

// post routes a row by the first reference that is still to be asked.
func (p *poster) post(row *posting, afterEffects bool) error {
	switch {
	case row.er != 0 && !afterEffects:
		b, err := p.effects.entry(mix(uint64(row.er)))
		if err != nil {
			return err
		}
		row.put(b)
	case row.pr != 0:
		b, err := p.objects.entry(mix(uint64(row.pr)))
		if err != nil {
			return err
		}
		row.put(b)
	default:
		return p.settle(row)
	}
	return nil
}

func (p *poster) settle(row *posting) error {
	at := row.k
	if at == 0 {
		at = rowNode(&row.trace)
	}
	b, err := p.traces.entry(at)
	if err != nil {
		return err
	}
	row.trace.put(b)
	return nil
}

// counter counts the references of one pass.
type counter struct {
	common *common
	domain reconcile.RefDomain
}

// find asks every reference and hands all rows on to the identities.
func (h *homes) find(ctx context.Context, traces *pool, c *common) error {
	p := h.poster(traces)
	err := h.pass(ctx, h.effects, counter{c, reconcile.RefEffect}, func(r *posting) uint32 { return r.er }, func(r *posting) error { return p.post(r, true) })
	if err = cmp.Or(err, p.objects.done()); err != nil {
		return err
	}
	byObject := func(r *posting) uint32 { return r.pr }
	if h.aliases == nil {
		return cmp.Or(h.pass(ctx, h.objects, counter{c, reconcile.RefObject}, byObject, p.settle), p.done())
	}
	w := h.aliases.writer()
	err = h.pass(ctx, h.objects, counter{c, reconcile.RefObject}, byObject, func(r *posting) error {
		b, err := w.entry(mix(uint64(r.other())))
		if err == nil {
			r.put(b)
		}
		return err
	})
	if err = cmp.Or(err, w.done()); err != nil {
		return err
	}
	return cmp.Or(h.pass(ctx, h.aliases, counter{c, reconcile.RefAlias}, (*posting).other, p.settle), p.done())
}

// other is the second name of a row's object, or the only one.
func (p *posting) other() uint32 { return cmp.Or(p.alias, p.pr) }

func (h *homes) pass(ctx context.Context, p *pool, c counter, ref func(*posting) uint32, next func(*posting) error) error {
	var block []byte
	var rows []posting
	for i := range p.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.bytes(i) > loadLimit {
			if err := eachPosting(ctx, p, i, next); err != nil {
				return err
			}
			continue
		}
		var err error
		if block, err = p.load(i, block[:0]); err != nil {
			return err
		}
		rows = rows[:0]
		for b := block; len(b) > 0; b = b[postingSize:] {
			var r posting
			r.get(b)
			rows = append(rows, r)
		}
		slices.SortFunc(rows, func(a, b posting) int { return cmp.Compare(ref(&a), ref(&b)) })
		for at := 0; at < len(rows); {
			end := at + 1
			for end < len(rows) && ref(&rows[end]) == ref(&rows[at]) {
				end++
			}
			c.common.refs(c.domain, rows[at:end])
			lodge(rows[at:end])
			at = end
		}
		for n := range rows {
			if err := next(&rows[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachPosting passes a partition's rows on as they are: one reference with so many rows is no plain link.
func eachPosting(ctx context.Context, p *pool, i int, next func(*posting) error) error {
	return p.stream(i, streamBlock-streamBlock%postingSize, func(b []byte) error {
		var r posting
		for ; len(b) > 0; b = b[postingSize:] {
			r.get(b)
			if err := next(&r); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// lodge gives the keyless rows of one reference the identity that carries it, where it is the only one, every keyless row is of one kind and source, and
// scope and time agree.
func lodge(rows []posting) {
	home := -1
	for i := range rows {
		switch {
		case rows[i].k == 0:
			if r := rows[i].role(); r != reconcile.RoleEffect && r != reconcile.RoleProvider {
				return
			}
		case rows[i].id == 0, home >= 0 && rows[i].id != rows[home].id:
			return
		default:
			home = i
		}
	}
	if home < 0 {
		return
	}
	if !agree(rows) {
		return
	}
	for i := range rows {
		if rows[i].k == 0 {
			rows[i].k, rows[i].id = rows[home].k, rows[home].id
			rows[i].fl |= lodged
		}
	}
}

// agree reports whether nothing that the postings hold speaks against their being one action's. A reference counts only where all tell the whole scope, and
// no effect is younger than a receipt that names it.
func agree(rows []posting) bool {
	var receipt, effect uint32 // the oldest receipt, the youngest effect
	for i := range rows {
		r := &rows[i]
		if r.scope == 0 || r.scope != rows[0].scope {
			return false
		}
		switch r.role() {
		case reconcile.RoleReceipt:
			if t := r.completed(); t != 0 && (receipt == 0 || t < receipt) {
				receipt = t
			}
		case reconcile.RoleEffect:
			effect = max(effect, r.t)
		case reconcile.RoleIntent, reconcile.RoleOutbox, reconcile.RoleProvider:
		}
	}
	return receipt == 0 || effect <= receipt
}

// aliases reports whether the lines of some log have two references by which rows may know their object.
func (r *run) aliases() bool {
	return slices.ContainsFunc(r.readers, func(rd sources.Reader) bool { return rd.Facts().MapsAlias })
}

// alias is the second name of the row's object, where its source tells one; 0 where it has none.
func (tr *tracer) alias() uint32 {
	for _, m := range tr.more {
		if tr.facts.MapsAlias && m.tag == tagObject {
			return m.h
		}
	}
	return 0
}
