package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
)

// place is where a row stands: its source and its position there.
type place struct {
	src uint16
	pos uint64
}

// sourceChanged says that rows which were read once could not be read again.
type sourceChanged struct {
	src int
	err error
}

func (e *sourceChanged) Error() string { return fmt.Sprintf("reading suspects again: %v", e.err) }
func (e *sourceChanged) Unwrap() error { return e.err }

// judge reads suspects again, judges them with the whole rules, and keeps what is a case.
type judge struct {
	book    reconcile.Book
	world   *reconcile.World
	readers []sources.Reader
	gone    map[int]bool // sources that could not be read again
	counts  *Counts
	keep    *keeper
	gaps    *retentionGaps
	renames *renames
	dues    dues
	missing map[string]int64 // gap → cases in it
	strays  *strays
	judged  *atomic.Int64
	crowds  int  // identities that are judged together, see crowdSize
	block   int  // rows of a crowd that are judged as one; 0 = clusterRows
	open    bool // the rows at hand are a piece of such, and the others may hold what they lack
	marks   *tracer
	met     []strangeMark // lines that are not ours and carry what a suspect carries, sorted
}

// run visits every cluster. Where unlinked rows may be missing counterparts, they are gathered first and judged last, so that each side can name the other.
func (j *judge) run(ctx context.Context, c *clusters, hasStrays bool) error {
	if !hasStrays {
		return c.visit(ctx, j.visitor(ctx, nil, func(*reconcile.Subject) bool { return true }))
	}
	j.strays = newStrays()
	gather := j.visitor(ctx, func(e suspect) bool { return e.stray }, nil)
	if err := c.visit(ctx, gather); err != nil {
		return err
	}
	j.strays.sort()
	if err := c.visit(ctx, j.visitor(ctx, nil, func(s *reconcile.Subject) bool { return !s.Stray() })); err != nil {
		return err
	}
	return c.visit(ctx, j.visitor(ctx, func(e suspect) bool { return e.stray }, (*reconcile.Subject).Stray))
}

// visitor judges the subjects of a cluster that which chooses; nil gathers strays instead.
func (j *judge) visitor(ctx context.Context, only func(suspect) bool, which func(*reconcile.Subject) bool) visitor {
	return visitor{
		only: only,
		batch: func(es []suspect) error {
			found, err := j.fetch(ctx, es)
			if err != nil {
				return err
			}
			for i := 0; i < len(es); {
				end := i + 1
				for end < len(es) && es[end].node == es[i].node {
					end++
				}
				if err := j.cluster(ctx, es[i:end], found, which); err != nil {
					return err
				}
				i = end
			}
			return nil
		},
		large: func(each func(func([]suspect) error) error) error { return j.large(ctx, each, which) },
	}
}

// cluster judges rows that must be judged together, unless they are a crowd.
func (j *judge) cluster(ctx context.Context, es []suspect, found map[place]*reconcile.Record, which func(*reconcile.Subject) bool) error {
	if len(es) > j.crowds && j.isCrowd(es, found) {
		return j.crowd(ctx, func(f func([]suspect) error) error { return f(es) }, which)
	}
	return j.together(ctx, es, found, which)
}

func (j *judge) isCrowd(es []suspect, found map[place]*reconcile.Record) bool {
	ids := make(map[string]bool)
	for _, e := range es {
		if r := found[place{e.src, e.pos}]; r != nil && !e.guest {
			ids[identityText(j.book, r)] = true
		}
	}
	return len(ids) > j.crowds
}

func (j *judge) together(ctx context.Context, es []suspect, found map[place]*reconcile.Record, which func(*reconcile.Subject) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var all []*reconcile.Record
	guests := make(map[*reconcile.Record]bool)
	at := make(map[*reconcile.Record]place)
	for _, e := range es {
		r := found[place{e.src, e.pos}]
		if r == nil {
			continue
		}
		if _, own := at[r]; e.guest && own {
			continue // its own rows stand first
		}
		if e.guest {
			guests[r] = true
		} else {
			at[r] = place{e.src, e.pos}
		}
		all = append(all, r)
	}
	return j.subjects(ctx, all, guests, at, func(*reconcile.Subject) int64 { return 0 }, which)
}

// large judges a cluster that is too large to hold.
func (j *judge) large(ctx context.Context, each func(func([]suspect) error) error, which func(*reconcile.Subject) bool) error {
	err := j.sampled(ctx, each, which, leastCrowd)
	if errors.Is(err, errCrowd) {
		return j.crowd(ctx, each, which)
	}
	return err
}

// sampled judges a cluster of which only a sample is held, if it is one of at most so many identities.
func (j *judge) sampled(ctx context.Context, each func(func([]suspect) error) error, which func(*reconcile.Subject) bool, most int) error {
	s := newSample(j.book)
	var guests []*reconcile.Record
	if err := each(func(es []suspect) error {
		for part := range slices.Chunk(es, batchRows) {
			visits := make(map[place]bool)
			for _, e := range part {
				if e.guest {
					visits[place{e.src, e.pos}] = true
				}
			}
			if err := j.stream(ctx, part, func(at place, r *reconcile.Record) {
				if !visits[at] {
					s.add(r, at)
				} else if len(guests) < invitesPerSuspect*guestRows {
					guests = append(guests, r.Clone())
				}
			}); err != nil {
				return err
			}
			if s.identities() > most {
				return errCrowd
			}
		}
		return nil
	}); err != nil {
		return err
	}
	guest := make(map[*reconcile.Record]bool)
	for _, g := range guests {
		guest[g] = true
	}
	all, at := s.records()
	return j.subjects(ctx, append(all, guests...), guest, at, s.left, which)
}

func (j *judge) subjects(ctx context.Context, all []*reconcile.Record, guests map[*reconcile.Record]bool, at map[*reconcile.Record]place, left func(*reconcile.Subject) int64, which func(*reconcile.Subject) bool) error {
	subjects := reconcile.Assemble(all, j.book, j.world)
	if err := ctx.Err(); err != nil {
		return err
	}
	if which == nil {
		j.strays.gather(j, subjects, at)
		return nil
	}
	own := func(s *reconcile.Subject) bool { return isOwn(s, guests) && which(s) }
	reconcile.RelateTwins(subjects, j.world, own)
	reconcile.RelateTies(subjects, j.world)
	for _, s := range subjects {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !own(s) {
			continue
		}
		if j.strays != nil {
			if err := j.strays.relate(ctx, j, s); err != nil {
				return err
			}
		}
		if j.open {
			s.MoreCands++
		}
		if err := j.one(s, left(s)); err != nil {
			return err
		}
	}
	return nil
}

// isOwn reports whether a subject is judged here: where the rows of its key are, not where a row without one found it among guests.
func isOwn(s *reconcile.Subject, guests map[*reconcile.Record]bool) bool {
	keyed := slices.ContainsFunc(s.Evidence, byKey)
	return slices.ContainsFunc(s.Evidence, func(e reconcile.Evidence) bool { return !guests[e.Record] && (!keyed || byKey(e)) })
}

func byKey(e reconcile.Evidence) bool {
	return e.Link == reconcile.LinkKey || e.Link == reconcile.LinkPartial
}

// one judges a subject and counts it.
func (j *judge) one(s *reconcile.Subject, left int64) error {
	j.judged.Add(1)
	j.tell(s)
	v := reconcile.Judge(s, j.world)
	j.counts.add(v.Class, 1)
	j.dues.add(s.Contract, v)
	j.renames.add(s, v)
	for _, rule := range v.NotJudged {
		j.counts.NotJudged[rule]++
	}
	for _, gap := range []string{v.InGap, v.AlsoInGap} {
		if gap != "" {
			j.missing[gap]++
		}
	}
	switch {
	case v.Class == reconcile.ClassExplained && v.Explained == reconcile.RetentionGap:
		j.gaps.add(s, v)
	case v.Class == reconcile.ClassCase:
		for _, k := range v.Kinds {
			j.counts.Findings[k]++
		}
		return j.keep.add(caseOf(s, v, left))
	}
	return nil
}

func caseOf(s *reconcile.Subject, v *reconcile.Judgement, left int64) *Case {
	c := &Case{Judgement: *v, Contract: s.Contract.Name, Identity: s.Identity, More: left, Candidates: s.Candidates, MoreCands: s.MoreCands, Twins: slices.Concat(s.Twins, s.Unsure), MoreTwins: s.MoreTwins + s.MoreUnsure}
	for _, o := range s.Likened() {
		said := func(r reconcile.Reason) bool { return strings.Contains(r.Text, o.Case) }
		refused := func(answer reconcile.Option) bool { return answer.Other == o.Case }
		if slices.ContainsFunc(v.Reasons, said) || slices.ContainsFunc(v.Options, refused) {
			c.Others = append(c.Others, o)
		}
	}
	for _, e := range s.Evidence {
		c.Evidence = append(c.Evidence, Evidence{
			Role: e.Record.Role, Source: e.Record.Source, Locator: e.Record.Locator, Link: e.Link, History: e.History,
			Facts: reconcile.FactsOf(e.Record), Raw: e.Record.Raw,
		})
	}
	slices.SortFunc(c.Evidence, func(a, b Evidence) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Locator, b.Locator))
	})
	return c
}

// fetch reads rows again.
func (j *judge) fetch(ctx context.Context, es []suspect) (map[place]*reconcile.Record, error) {
	found := make(map[place]*reconcile.Record, len(es))
	return found, j.stream(ctx, es, func(at place, r *reconcile.Record) { found[at] = r.Clone() })
}

// stream reads rows again, source by source, each in ascending order. A record is good until the next one comes.
func (j *judge) stream(ctx context.Context, es []suspect, each func(place, *reconcile.Record)) error {
	bySource := make([][]rows.Pos, len(j.readers))
	for _, e := range es {
		bySource[e.src] = append(bySource[e.src], rows.Pos(e.pos))
	}
	for src, at := range bySource {
		if len(at) == 0 || j.gone[src] {
			continue
		}
		slices.Sort(at)
		at = slices.Compact(at)
		met := 0
		err := j.readers[src].Fetch(ctx, at, func(pos rows.Pos, r *reconcile.Record) error {
			if met < len(at) && pos == at[met] {
				met++
			}
			each(place{uint16(src), uint64(pos)}, r) // a trace holds the source in 16 bits; Run refuses more
			return nil
		})
		if err == nil && met < len(at) {
			err = errors.New("a row is no longer there")
		}
		if err != nil && ctx.Err() == nil {
			return &sourceChanged{src: src, err: err}
		}
		if err != nil {
			return ctx.Err()
		}
	}
	return nil
}
