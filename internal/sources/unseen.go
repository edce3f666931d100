package sources

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

const (
	hintForeign       = "check claim and the words of operation: a misspelt one makes ours look like somebody else's; a log that should hold none of ours is left out"
	reasonForeign     = "none of its records is ours by claim or operation"
	hintNoOperation   = "map operation: the column that tells it, or operation: {value: NAME} where every record is of one"
	hintSomeOperation = "say in map what a missing operation means: operation: {from: COLUMN, words: {null: NAME, …}}, or leave out records that are of no contract: exclude: {REASON: {COLUMN: null}}"
	reasonNoOperation = "its map gives no operation, and with several contracts nobody knows whose its records are"
	hintExcluded      = "take an export of what counts, or take an exclusion out: exclude: {REASON: null}"
	hintUnseen        = "check the member's name in map, and rows where the records stand deeper; idemctl check lists the members of the first "
)

// unseen notes which cells no record of ours had. A column is there or the table refuses to open; a member of a log's record, or of JSON in a column, may be
// absent, and one that is absent from all of them is a misspelt name more often than not.
type unseen struct {
	cells    []int               // that no record had so far, ascending
	refs     bool                // some record carried the reference by which others point at it
	loose    bool                // some provider's record is not found by the reference of a row that may well mean it
	ours     int64               // records
	sent     bool                // some message was sent, and its row still stands
	kinds    []string            // of the provider's objects that records name; none where there are too many to tell
	allKinds bool                // they are too many
	unnamed  []reconcile.Unnamed // unsent messages without a key
	regions  []string            // of which there are records
	nameless int64               // records that tell no operation
	many     bool                // the map puts several values together for a record's object
}

// begin forgets what an earlier scan met.
func (u *unseen) begin(cells int, fields []Field) {
	*u = unseen{cells: u.cells[:0], many: slices.ContainsFunc(fields, putsTogether)}
	for i := range cells {
		u.cells = append(u.cells, i)
	}
}

// putsTogether reports whether a field makes one object of all elements of a list: a call that makes several resources is one record.
func putsTogether(f Field) bool {
	every := func(f Field) bool { return strings.Contains(f.From, "[]") }
	return f.Name == "object_id" && (every(f) || slices.ContainsFunc(f.First, every))
}

// meet takes a record of ours and its cells in.
func (u *unseen) meet(r *reconcile.Record, cells []rows.Cell) {
	u.ours++
	if !r.Component("operation").Known() {
		u.nameless++
	}
	u.refs = u.refs || r.EffectID.Known() || r.ObjectID.Known()
	u.sent = u.sent || r.Sent != reconcile.Unsent || r.SentAt.Known() || r.ConfirmedAt.Known()
	u.seeKind(r)
	u.seeUnnamed(r)
	u.loose = u.loose || r.Role == reconcile.RoleProvider && (u.several(r.ObjectID) || !named(r.ObjectID) && r.Outcome != reconcile.OutcomeFailed)
	if len(u.cells) > 0 {
		u.cells = slices.DeleteFunc(u.cells, func(i int) bool { return cells[i].Kind != rows.Missing })
	}
}

// mostKinds is how many kinds of object are told apart: ids that each begin with a word of their own have no kinds.
const mostKinds = 64

// seeKind notes the kinds of the objects that a record names.
func (u *unseen) seeKind(r *reconcile.Record) {
	for _, id := range []reconcile.Value{r.ObjectID, r.AliasID, r.ProviderRef} {
		for m := range id.Members() {
			if kind := reconcile.RefKind(m); !u.allKinds && !slices.Contains(u.kinds, kind) {
				u.kinds = append(u.kinds, kind)
			}
		}
	}
	if len(u.kinds) > mostKinds {
		u.kinds, u.allKinds = nil, true
	}
}

// mostUnnamed is how many unsent messages are kept one by one, of more only when they were written; mostRegions is how many regions are, and a log proves nothing of
// one beyond.
const (
	mostUnnamed = 1024
	mostRegions = 256
)

// seeUnnamed notes a message that is not sent yet and tells no key.
func (u *unseen) seeUnnamed(r *reconcile.Record) {
	waits := r.Role == reconcile.RoleOutbox && r.Sent == reconcile.Unsent && !r.SentAt.Known() && !r.ConfirmedAt.Known()
	if !waits || r.Component("key").Known() {
		return
	}
	if len(u.unnamed) < mostUnnamed {
		u.unnamed = append(u.unnamed, reconcile.NewUnnamed(r))
		return
	}
	all := &u.unnamed[0]
	for _, m := range append(u.unnamed[1:], reconcile.NewUnnamed(r)) {
		all.Take(m)
	}
	u.unnamed = u.unnamed[:1]
}

// seeRegion notes the region of a record, of ours or not: the log shows that region.
func (u *unseen) seeRegion(r *reconcile.Record) {
	if region := r.Component("region"); region.Known() && len(u.regions) < mostRegions && !slices.Contains(u.regions, region.String()) {
		u.regions = append(u.regions, region.String())
	}
}

// several reports whether a record's object has more names than a row would hold: several that could not be told apart, or one that is spelled with its place,
// of which a row may hold the end.
func (u *unseen) several(object reconcile.Value) bool {
	if !u.many {
		return false
	}
	for m := range object.Members() {
		name := m.Bytes()
		if bytes.IndexByte(name, ',') >= 0 || bytes.HasPrefix(name, []byte("arn:")) || bytes.HasPrefix(name, []byte("https://")) {
			return true
		}
	}
	return false
}

// named reports whether a record tells its object at all: what a call made that does not stands in the log, and no reference finds it there.
func named(object reconcile.Value) bool { return object.Known() && len(object.Bytes()) > 0 }

// lacks reports whether no record gave a fact a value, where there were records.
func (u *unseen) lacks(m *mapping.Mapper, f *mapping.Understood) bool {
	return u.ours > 0 && !f.Has(m, func(cell int) bool { return !slices.Contains(u.cells, cell) })
}

// noneLeft notices a log of which every row is excluded: an export of test mode, or of reads alone, cannot testify for what it holds none of.
func (s *Source) noneLeft() (reason, hint string) {
	if len(s.stats.Excluded) == 0 {
		return "", ""
	}
	var counts []string
	for _, x := range s.stats.Excluded {
		counts = append(counts, fmt.Sprintf("%d %s", x.Rows, text.SafeString(x.Reason)))
	}
	return "every row of it is excluded: " + strings.Join(counts, ", "), hintExcluded
}

// namesNoOperation says of a source with records that may be any contract's. They are nobody's then, and each may be the very one that an action is said to lack.
func (s *Source) namesNoOperation() (reason, hint string) {
	if !slices.Contains(s.facts.Components, "operation") {
		return reasonNoOperation, hintNoOperation
	}
	what := "1 of its records tells no operation"
	if s.unseen.nameless > 1 {
		what = fmt.Sprintf("%d of its records tell no operation", s.unseen.nameless)
	}
	return what + ", and with several contracts nobody knows whose", hintSomeOperation
}

// misread notices a log in which no record has what its map rests on, or that holds nothing of ours. A component that is absent from all records makes every
// identity unknown, an id makes all of them one, a closed word makes all of them undecided; a claim or an operation that fits none makes our own records
// look like somebody else's. Then an absence proves what never happened.
func (s *Source) misread() (reason, hint string) {
	what := map[Scheme]string{JSONL: "line", JSON: "record"}[s.spec.Scheme]
	if s.stats.Records == 0 {
		return s.noneLeft()
	}
	if s.stats.Foreign == s.stats.Records {
		return reasonForeign, hintForeign
	}
	for i, seen := range s.seen {
		if !seen && what != "" && !s.m.MayLack(s.facts.Components[i]) {
			return "no " + what + " has any " + text.SafeString(s.facts.Components[i]), hintUnseen + what + "s"
		}
	}
	if s.spec.Several && s.unseen.nameless > 0 {
		return s.namesNoOperation()
	}
	for _, f := range s.m.Understood() {
		if f.Must && s.unseen.lacks(s.m, &f) {
			return "no " + cmp.Or(what, "row") + " has " + text.SafeString(f.Column) + ", from which " + text.SafeString(f.Fact) + " is read", hintUnseen + cmp.Or(what, "row") + "s"
		}
	}
	return "", ""
}
