package scan

import (
	"cmp"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// group is the traces of one identity, or of one key text where it cannot be told without the rows whose identity a row is of.
type group struct {
	node uint64 // names the group: its identity's hash, else its key's, else its row's
	rows []trace
	torn bool // several identities, or rows that join none for certain
	kin  bool // other identities of its key may meet it at the provider
	near bool // they would, but for the object that the provider made for each
}

// sortTraces brings the traces of one identity together, incomplete ones last among those of their key.
func sortTraces(ts []trace) {
	slices.SortFunc(ts, func(a, b trace) int {
		switch {
		case a.k != b.k:
			return cmp.Compare(a.k, b.k)
		case a.id != b.id:
			return cmp.Compare(b.id, a.id)
		case a.k == 0 && a.er != b.er:
			return cmp.Compare(a.er, b.er)
		case a.k == 0 && a.pr != b.pr:
			return cmp.Compare(a.pr, b.pr)
		case a.src != b.src:
			return cmp.Compare(a.src, b.src)
		}
		return cmp.Compare(a.pos, b.pos)
	})
}

// groups hands over each group of sorted traces. Rows without a key are groups of their own.
func groups(ts []trace, apart []uint32, each func(group) error) error {
	for i := 0; i < len(ts); {
		if ts[i].k == 0 {
			if err := each(group{node: rowNode(&ts[i]), rows: ts[i : i+1]}); err != nil {
				return err
			}
			i++
			continue
		}
		end := i
		for end < len(ts) && ts[end].k == ts[i].k {
			end++
		}
		if err := splitKey(ts[i:end], apart, each); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// splitKey hands over the identities of one key text. Incomplete rows stand last; they join the one identity if it is the only one and nothing in them
// can disagree with it, else all of the key goes together.
func splitKey(ts []trace, apart []uint32, each func(group) error) error {
	whole := len(ts)
	certain := true
	for whole > 0 && ts[whole-1].id == 0 {
		whole--
		certain = certain && ts[whole].fl&keyOnly != 0
	}
	if whole < len(ts) {
		one := whole > 0 && ts[0].id == ts[whole-1].id
		if one && certain {
			return each(group{node: ts[0].id, rows: ts})
		}
		return each(group{node: ts[0].k, rows: ts, torn: true})
	}
	kin := ts[0].fl&meets != 0 && ts[0].id != ts[whole-1].id
	near := kin && int(ts[0].ci) < len(apart) && keptApart(ts, apart[ts[0].ci])
	kin = kin && !near
	for i := 0; i < len(ts); {
		end := i
		for end < len(ts) && ts[end].id == ts[i].id {
			end++
		}
		if err := each(group{node: ts[i].id, rows: ts[i:end], kin: kin, near: near}); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// keptApart reports whether the provider's lines show an object of its own for each identity of a key, all made within so many seconds: while it promises to
// know a key. Of lines that belong to them under another key nothing is known here, see meetings.
func keptApart(ts []trace, within uint32) bool {
	var objects []uint32
	var from, to uint32
	for i := 0; i < len(ts); {
		object, end := uint32(0), i
		for ; end < len(ts) && ts[end].id == ts[i].id; end++ {
			t := &ts[end]
			if t.role() != reconcile.RoleProvider {
				continue
			}
			if t.pr == 0 || t.t == 0 || meet(&object, t.pr) {
				return false
			}
			if to = max(to, t.t); from == 0 || t.t < from {
				from = t.t
			}
		}
		if object == 0 || slices.Contains(objects, object) || len(objects) > mostObjects {
			return false
		}
		objects = append(objects, object)
		i = end
	}
	return to-from+1 < within
}

// rowNode names a row without a key: rows of one reference have one name.
func rowNode(t *trace) uint64 {
	switch {
	case t.er != 0:
		return mix(uint64(t.er)<<32 | uint64(tagEffect))
	case t.pr != 0:
		return mix(uint64(t.pr)<<32 | uint64(tagObject))
	}
	return mix(uint64(t.src)<<48 ^ t.pos ^ 0x9e3779b97f4a7c15)
}

// mix spreads the bits of x: the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// places is what the sieve knows of the sources when judging starts.
type places struct {
	receipts    bool // some receipt source is configured
	provider    bool // some provider source is configured
	covers      bool // every receipt source covers everything up to its snapshot: an old effect's missing receipt is explained
	noReceipts  bool // a receipt source was not read as declared: nothing is concluded from a missing receipt
	noEffects   bool // the same of effects
	noProvider  bool // the same of the provider
	loose       bool // some row carries no key: what lacks a counterpart must look for it among those
	severalRows bool // a contract expects more or fewer than one record of some source: the rules count

	knows    []uint32         // of each contract, for how many seconds its provider surely knows a key
	sentKeys []bool           // of each contract: the provider is sent keys from which the action's cannot be read
	sentOnly []bool           // of each source: a log that tells no other key than one that may be the provider's
	narrow   bool             // contracts differ in which sources concern them
	shows    []uint8          // of each source, a bit for the role in which its lack of a record counts
	apart    map[uint16]uint8 // of a source, the bits of those with which it was never comparable
}

// claim says what a group is where every rule would say nothing and the class is certain; false sends it to the rules. It is the sieve's one
// judgement, and the property test holds it against reconcile.Judge.
func (p *places) claim(g *group) (reconcile.Class, bool) {
	if g.torn || g.kin || g.rows[0].k == 0 || p.severalRows || (p.narrow && p.apart != nil) {
		return 0, false
	}
	s := sum(g.rows)
	if s.doubt || s.fl&shared != 0 {
		return 0, false
	}
	if s.receipts == 1 && s.others == s.receipts && s.fl&failed != 0 && !p.loose && p.apart == nil {
		return reconcile.ClassMatched, s.live || s.allClosed
	}
	if s.fl&failed != 0 || s.intents > 0 && s.receipts == 0 {
		return 0, false
	}
	localMet := s.fl&local == 0 || s.effects > 0
	remoteMet := s.fl&remote == 0 || s.objects > 0 || !p.provider
	if s.objects > 0 && s.fl&remote == 0 {
		return 0, false
	}
	noReceipts := p.noReceipts || p.apartFrom(g.rows, reconcile.RoleReceipt)
	noEffects, noProvider := p.noEffects || p.apartFrom(g.rows, reconcile.RoleEffect), p.noProvider || p.apartFrom(g.rows, reconcile.RoleProvider)
	switch {
	case s.receipts == 1 && localMet && remoteMet && p.apart == nil:
		if s.effects == 0 && s.objects == 0 {
			return 0, false
		}
		return reconcile.ClassMatched, s.live || s.allClosed
	case s.receipts == 1 && s.live && noEffects && !localMet && remoteMet,
		s.receipts == 1 && s.live && noProvider && localMet && !remoteMet && s.effects > 0:
		return reconcile.ClassInconclusive, !p.loose
	case s.receipts == 0 && s.effects > 0 && remoteMet && s.intents+s.messages == 0:
		if noReceipts {
			return reconcile.ClassInconclusive, true
		}
		return reconcile.ClassExplained, p.covers && s.agedAll && s.allClosed
	}
	return 0, false
}

// summary is what claim reads off a group.
type summary struct {
	fl                                            flags // of any row
	receipts, effects, objects, intents, messages int
	others                                        int // rows in all
	live, allClosed, agedAll                      bool
	doubt                                         bool // odd rows, repeated ones, or rows that differ in what is comparable
}

func sum(rows []trace) summary {
	s := summary{allClosed: true, agedAll: true, others: len(rows)}
	var er, pr, dg, gn, tw, fp uint32
	for i := range rows {
		t := &rows[i]
		s.fl |= t.fl
		s.doubt = s.doubt || t.fl&odd != 0 || meet(&er, t.er) || meet(&pr, t.pr) || meet(&dg, t.dg) || meet(&gn, t.generation())
		if t.fl&request != 0 {
			s.doubt = s.doubt || meet(&tw, t.tw)
		}
		if t.fl&prints != 0 {
			s.doubt = s.doubt || meet(&fp, t.fp)
		}
		s.allClosed = s.allClosed && t.fl&closed != 0
		s.count(t, rows[:i])
	}
	s.doubt = s.doubt || s.intents > 1 && s.fl&aimed != 0
	return s
}

func (s *summary) count(t *trace, before []trace) {
	again := slices.ContainsFunc(before, func(o trace) bool { return o.src == t.src })
	switch t.role() {
	case reconcile.RoleReceipt:
		s.receipts++
		s.live = t.fl&live != 0
	case reconcile.RoleEffect:
		s.doubt = s.doubt || again
		s.effects++
		s.agedAll = s.agedAll && t.fl&aged != 0
	case reconcile.RoleProvider:
		s.objects++
		s.doubt = s.doubt || again && t.pr == 0 || len(before) > 64
	case reconcile.RoleIntent:
		s.intents++
	case reconcile.RoleOutbox:
		s.messages++
	}
	s.doubt = s.doubt || s.receipts > 1
}

// meet reports whether two hashes are both known and differ, and keeps the one that is known.
func meet(have *uint32, h uint32) bool {
	if h == 0 {
		return false
	}
	if *have == 0 {
		*have = h
		return false
	}
	return *have != h
}
