package scan

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// The sizes by which a cluster is told to be a crowd, and by which one is divided.
const (
	crowdIdentities = 64 // identities that are judged together where they can be
	partIdentities  = 16 // identities of one part
	partGuests      = 16 // rows without identity that are shown to every other part
)

// errCrowd stops the gathering of a sample.
var errCrowd = errors.New("a cluster of too many identities")

// member is a row of a crowd: two identities of one scope carry different keys, and 0 stands for what the row does not tell.
type member struct {
	suspect
	scope, key uint32
}

// crowd judges a cluster of very many identities: a reference that all of them carry, or a number that every tenant gives out anew. Judged together they
// would cost the square of their number. They are divided into parts of whole identities, those of one scope side by side. A row without an identity is
// counted in one part and shown to the others of its scope, so that everyone sees with whom it shares the reference.
func (j *judge) crowd(ctx context.Context, each func(func([]suspect) error) error, which func(*reconcile.Subject) bool) error {
	members, err := j.members(ctx, each)
	if err != nil {
		return err
	}
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.scope, b.scope), cmp.Compare(a.key, b.key), cmp.Compare(a.src, b.src), cmp.Compare(a.pos, b.pos))
	})
	commons, rest := cutWhere(members, func(m member) bool { return m.scope != 0 })
	if len(rest) == 0 { // no row tells its scope: then keys alone divide them
		commons, rest = nil, members
	}
	people := identities(rest)
	parts := max(1, (people+partIdentities-1)/partIdentities) // of like sizes: nobody is left alone in the last one
	var loose []member                                        // of the scope at hand
	for n := range parts {
		part := suspects(nil, commons, n > 0)
		if len(rest) > 0 && len(loose) > 0 && loose[0].scope == rest[0].scope {
			part = suspects(part, loose, true)
		}
		for range (n+1)*people/parts - n*people/parts {
			var one []member
			if rest[0].key == 0 {
				loose, rest = cutWhere(rest, func(m member) bool { return m.scope != rest[0].scope || m.key != 0 })
				part = suspects(part, loose, false)
				if len(rest) == 0 || rest[0].scope != loose[0].scope {
					continue
				}
			}
			one, rest = cutWhere(rest, func(m member) bool { return m.scope != rest[0].scope || m.key != rest[0].key })
			part = suspects(part, one, false)
		}
		if err := j.part(ctx, part, which); err != nil {
			return err
		}
	}
	return nil
}

// identities counts the keys of each scope; a scope without keys counts as one.
func identities(ms []member) int {
	n := 0
	for i := range ms {
		first := i == 0 || ms[i].scope != ms[i-1].scope
		if first || (ms[i].key != ms[i-1].key && ms[i-1].key != 0) {
			n++
		}
	}
	return n
}

// cutWhere divides a list where f becomes true.
func cutWhere(ms []member, f func(member) bool) (before, after []member) {
	i := slices.IndexFunc(ms, f)
	if i < 0 {
		i = len(ms)
	}
	return ms[:i], ms[i:]
}

// suspects appends members to a part: to be counted there, or, some of them, as guests.
func suspects(part []suspect, ms []member, guests bool) []suspect {
	if guests {
		ms = ms[:min(len(ms), partGuests)]
	}
	for _, m := range ms {
		m.guest = guests
		part = append(part, m.suspect)
	}
	return part
}

// members reads a crowd's rows for the identities that they carry.
func (j *judge) members(ctx context.Context, each func(func([]suspect) error) error) ([]member, error) {
	var out []member
	seed := maphash.MakeSeed()
	err := each(func(es []suspect) error {
		for part := range slices.Chunk(es, batchRows) {
			found, err := j.fetch(ctx, part)
			if err != nil {
				return err
			}
			for _, e := range part {
				if r := found[place{e.src, e.pos}]; r != nil && !e.guest {
					out = append(out, j.memberOf(seed, e, r))
				}
			}
		}
		return nil
	})
	return out, err
}

func (j *judge) memberOf(seed maphash.Seed, e suspect, r *reconcile.Record) member {
	m := member{suspect: e}
	c := j.book.Claim(r)
	if c == nil {
		return m
	}
	scope := slices.DeleteFunc(c.IdentityOf(r), func(p reconcile.Component) bool { return p.Name == "key" })
	if len(scope) == 0 || reconcile.Whole(scope) {
		m.scope = uint32(maphash.Bytes(seed, c.AppendIdentity([]byte(c.Name), scope))) | 1 // a hash, cut
	}
	if b := c.AppendKey(nil, r); len(b) > 0 {
		m.key = uint32(maphash.Bytes(seed, b)) | 1 // a hash, cut
	}
	return m
}

// part judges some rows of a crowd.
func (j *judge) part(ctx context.Context, es []suspect, which func(*reconcile.Subject) bool) error {
	if len(es) > clusterRows {
		return j.sampled(ctx, func(f func([]suspect) error) error { return f(es) }, which, len(es))
	}
	found, err := j.fetch(ctx, es)
	if err != nil {
		return err
	}
	return j.together(ctx, es, found, which)
}
