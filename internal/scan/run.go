package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// Options is what a scan is given besides its config.
type Options struct {
	Clock     func() time.Time  // read when the scan begins and when all snapshots are taken, unless the config or Now pins it
	Now       reconcile.Instant // pins the clock, before the config's own
	Out       string            // the saved scan to write; "" = none
	TempDir   string            // where private copies and spill go; "" = the system's
	MemBudget int64             // bytes of traces kept in memory; 0 = DefaultMemBudget
	Progress  *Progress         // nil = nobody looks
	Tool      string            // what scans, in its version: the manifest names it

	// Decided is what was decided earlier, by case id, oldest first. Whatever carries the key of such a case is judged, never waved through.
	Decided map[string][]reconcile.Decided
	// Restores are what operators confirmed of restores, besides those that the config declares.
	Restores []reconcile.Event
	// Unsure says that the trail cannot be trusted: more may have been decided than Decided tells.
	Unsure bool
	// Trail is where the decisions are kept, for whoever opens the saved scan.
	Trail string

	// Tell is told at once what is systematic, before the first of many cases is judged. nil = nobody wants to know.
	Tell func(note string)

	block int // rows of a crowd that are judged as one, for tests; 0 = clusterRows
}

// manySuspects is so many rows to judge that a person should not wait for the last of them to hear what is wrong.
const manySuspects = 20_000

// DefaultMemBudget keeps a scan of millions of rows below 64 MiB in all.
const DefaultMemBudget = 1 << 20

// Run scans: it opens the config's sources, reads each once, judges the suspects and returns the result, which must be closed. A source that fails makes
// the result incomplete, not an error. A cancelled scan returns the context's error and leaves no file.
func Run(ctx context.Context, cfg *config.Config, opt Options) (*Result, error) {
	if err := vacant(opt.Out); err != nil {
		return nil, err
	}
	now, pinned := clock(cfg, opt)
	place := cfg.Place
	place.TempDir = cmp.Or(opt.TempDir, place.TempDir, os.TempDir())
	if opt.Progress == nil {
		opt.Progress = &Progress{}
	}
	set, err := sources.Open(ctx, place, cfg.Sources, now)
	if err != nil {
		return nil, closeAfter(err, set)
	}
	r := &run{cfg: cfg, opt: opt, now: now, pinned: pinned, dir: place.TempDir, readers: set.Readers()}
	if !pinned {
		r.taken = reconcile.At(opt.Clock())
	}
	res, err := r.all(ctx)
	if err = errors.Join(err, set.Close()); err != nil {
		if res != nil {
			err = errors.Join(err, res.Close())
		}
		return nil, cause(ctx, err)
	}
	opt.Progress.enter(PhaseDone)
	return res, nil
}

// RunReaders is Run over sources that are open already, for tests and for callers with readers of their own.
func RunReaders(ctx context.Context, cfg *config.Config, readers []sources.Reader, opt Options) (*Result, error) {
	if err := vacant(opt.Out); err != nil {
		return nil, err
	}
	now, pinned := clock(cfg, opt)
	if opt.Progress == nil {
		opt.Progress = &Progress{}
	}
	r := &run{cfg: cfg, opt: opt, now: now, pinned: pinned, dir: cmp.Or(opt.TempDir, os.TempDir()), readers: readers}
	res, err := r.all(ctx)
	if err != nil {
		return nil, cause(ctx, err)
	}
	return res, nil
}

func closeAfter(err error, set *sources.Set) error {
	if set == nil {
		return err
	}
	return errors.Join(err, set.Close())
}

// clock is the scan's one reading of the time.
func clock(cfg *config.Config, opt Options) (now reconcile.Instant, pinned bool) {
	switch {
	case opt.Now.Known():
		return opt.Now, true
	case cfg.Now.Known():
		return cfg.Now, true
	}
	return reconcile.At(opt.Clock()), false
}

// run is one scan under way.
type run struct {
	cfg     *config.Config
	opt     Options
	now     reconcile.Instant
	taken   reconcile.Instant // when the last snapshot had been taken
	pinned  bool
	dir     string
	readers []sources.Reader
	world   reconcile.World
	counts  Counts
	seed    maphash.Seed
	index   map[*reconcile.Contract]uint16
	loose   bool    // some row carries no key of an action
	present []int64 // per restore event: receipts that stand in its gap
	notes   []string

	first, last []reconcile.Instant // per source: its first and last row
	contracts   []map[*reconcile.Contract]bool
	shapes      map[shapeOf][]reconcile.Component
	operations  map[operationOf]life
	common      *common
	parts       *partitionValues
	ids         []ids
	orders      []order
	events      []reconcile.Event // of the config, then confirmed ones that it does not declare itself
	gaps        []reconcile.Gap   // declared, then proposed
}

func (r *run) all(ctx context.Context) (res *Result, err error) {
	if len(r.readers) > 1<<16 {
		return nil, fmt.Errorf("a config names %d sources; at most %d can be read in one scan", len(r.readers), 1<<16)
	}
	budget := cmp.Or(r.opt.MemBudget, DefaultMemBudget)
	r.events = eventsOf(r.cfg.Events, r.opt.Restores)
	r.counts.Findings, r.counts.NotJudged = make(map[reconcile.Kind]int64), make(map[string]int64)
	r.opt.Progress.begin(r.readers)
	s := &sieve{
		traces: newPool(r.dir, traceSize, partitions, budget), asked: newPool(r.dir, traceSize, partitions, budget/4),
		out: newPool(r.dir, suspectSize, partitions, budget/4), counts: &r.counts, strange: newStrangers(r.dir, budget/8),
		ties: newPool(r.dir, tieSize, partitions, budget/4), joined: newJoined(r.dir, budget/4),
	}
	h := newHomes(r.dir, budget, r.aliases())
	defer func() {
		err = errors.Join(err, h.close(), s.traces.close(), s.asked.close(), s.out.close(), s.strange.close(), s.ties.close(), s.joined.close())
	}()
	r.opt.Progress.enter(PhaseReading)
	if err := r.read(ctx, s, h); err != nil {
		return nil, err
	}
	r.opt.Progress.enter(PhaseSieving)
	r.know()
	r.common = r.gather()
	if err := h.find(ctx, s.traces, r.common); err != nil {
		return nil, err
	}
	if err := h.close(); err != nil {
		return nil, err
	}
	s.places, s.decided, s.common = r.places(), r.decidedKeys(), r.common
	s.asking = newAsking(r.readers, r.cfg.Contracts)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	r.world.BreakJoins(r.common.joins.Broken(), r.cfg.Contracts)
	r.inferGaps()
	r.opt.Progress.rows.Store(s.found)
	if all, suspects := r.records(), s.found-s.guests; suspects*20 > all && all > 1000 && len(r.world.Gaps) == 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d of %d records are not plainly healthy: look for something systematic first (a wrong join, an empty source, a restore)", suspects, all))
	}
	if s.found > manySuspects && r.opt.Tell != nil {
		for _, note := range r.notes {
			r.opt.Tell(note)
		}
	}
	r.opt.Progress.enter(PhaseJudging)
	return r.judge(ctx, s, budget)
}

// read turns every source's rows into traces, all sources at once.
func (r *run) read(ctx context.Context, s *sieve, h *homes) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.seed, r.index, r.parts = maphash.MakeSeed(), make(map[*reconcile.Contract]uint16), newPartitionValues()
	for i, c := range r.cfg.Contracts {
		r.index[c] = uint16(i) // a config of 65,536 contracts does not fit in memory anyhow
	}
	slots := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))
	done := make(chan error, len(r.readers))
	tallies := make([]tally, len(r.readers))
	posts := keyless(r.readers)
	for i := range r.readers {
		spawn(done, func() error {
			slots <- struct{}{}
			defer func() { <-slots }()
			tallies[i].present, tallies[i].contracts = make([]int64, len(r.events)), make(map[*reconcile.Contract]bool)
			tallies[i].order = newOrder()
			tr := &tracer{book: r.cfg.Contracts, index: r.index, facts: r.readers[i].Facts(), src: uint16(i), now: r.now, seed: r.seed, posts: posts, parts: r.parts.names()} // all refuses more
			return r.readSource(ctx, i, tr, s, h, &tallies[i])
		})
	}
	var err error
	for range r.readers {
		if e := <-done; e != nil {
			err = cmp.Or(err, e)
			cancel()
		}
	}
	if err != nil {
		return err
	}
	r.present, r.shapes, r.operations = make([]int64, len(r.events)), shapesOf(tallies), operationsOf(tallies)
	for i := range tallies {
		r.first, r.last, r.contracts = append(r.first, tallies[i].first), append(r.last, tallies[i].last), append(r.contracts, tallies[i].contracts)
		r.ids, r.orders = append(r.ids, tallies[i].ids), append(r.orders, tallies[i].order)
		r.counts.add(reconcile.ClassUnclaimed, tallies[i].unclaimed)
		r.loose = r.loose || tallies[i].loose
		for e, n := range tallies[i].present {
			r.present[e] += n
		}
	}
	return nil
}

// tally is what one source's goroutine counts by itself.
type tally struct {
	unclaimed int64
	present   []int64
	loose     bool // some row carries no key of an action

	first, last reconcile.Instant // row, as far as rows tell
	contracts   map[*reconcile.Contract]bool
	shapes      map[shapeOf][]reconcile.Component // the least identity whose key has a shape
	operations  map[operationOf]life
	ids         ids
	order       order
}

func (r *run) readSource(ctx context.Context, i int, tr *tracer, s *sieve, h *homes, n *tally) error {
	w, asked, strange, sought, ties := h.poster(s.traces), s.asked.writer(), s.strange.lines.writer(), s.strange.sought.writer(), s.ties.writer()
	var t trace
	err := r.readers[i].Scan(ctx, func(pos rows.Pos, rec *reconcile.Record) error {
		var err error
		if !tr.read(pos, rec, &t) {
			n.unclaimed++
			return tr.strangerTo(rec, strange)
		}
		n.see(tr.contract, rec)
		n.seeShape(tr.contract, &t, rec)
		n.seeOperation(tr.contract, rec)
		n.ids.see(tr.contract, rec, tr.facts.Serves, r.now)
		n.order.see(tr.contract, rec, tr.facts.Skew, r.now)
		r.countPresent(rec, n)
		n.loose = n.loose || t.k == 0 || tr.contract.MayBeSent(rec, &tr.facts)
		if err := cmp.Or(tr.tiesOf(rec, &t, ties), tr.seekSent(rec, sought)); err != nil {
			return err
		}
		row := posting{trace: t, scope: tr.scope, alias: tr.alias()}
		if tr.posts {
			err = w.post(&row, false)
		} else {
			err = w.settle(&row)
		}
		return cmp.Or(err, tr.postMore(t, asked, sought))
	})
	return cmp.Or(err, w.done(), asked.done(), strange.done(), sought.done(), ties.done())
}

// postMore keeps the references for which a trace has no room: traces again, of which pr is the reference and er its tag.
func (tr *tracer) postMore(t trace, asked, sought *writer) error {
	node := rowNode(&t)
	for _, m := range tr.more {
		e, err := asked.entry(node)
		if err == nil && m.tag == tagObject {
			err = seekTop(sought, m.h)
		}
		if err != nil {
			return err
		}
		t.pr, t.er = m.h, m.tag
		t.put(e)
	}
	return nil
}

func (n *tally) see(c *reconcile.Contract, r *reconcile.Record) {
	at := r.Time()
	n.first, n.last = reconcile.Earliest(n.first, at), reconcile.Latest(n.last, at)
	if !n.contracts[c] {
		n.contracts[c] = true
	}
}

// keyless reports whether some source's rows carry no key: then every row is asked for its references first.
func keyless(readers []sources.Reader) bool {
	return slices.ContainsFunc(readers, func(rd sources.Reader) bool { return !slices.Contains(rd.Facts().Components, "key") })
}

func (r *run) countPresent(rec *reconcile.Record, n *tally) {
	for i := range r.events {
		ev := &r.events[i]
		at := rec.Time()
		to := ev.To.Or(ev.ResumedAt)
		if ev.Store == rec.Source && at.Known() && (!ev.From.Known() || at.After(ev.From)) && (!to.Known() || at.Before(to)) { // its ends are what stands
			n.present[i]++
		}
	}
}

// know completes the world: from here on everything is known that judging needs.
func (r *run) know() {
	r.world = reconcile.World{Now: r.now, Taken: r.taken, Events: r.events, Decided: r.opt.Decided, Unsure: r.opt.Unsure}
	for _, rd := range r.readers {
		r.world.Sources = append(r.world.Sources, rd.Facts())
	}
}

// decidedKeys are the hashes of the keys of decided cases, under every contract: a config may have renamed or moved one since.
func (r *run) decidedKeys() map[uint64]bool {
	keys := make(map[uint64]bool)
	for _, earlier := range r.opt.Decided {
		for i := range earlier {
			rec := &reconcile.Record{Components: earlier[i].Identity}
			for _, c := range r.cfg.Contracts {
				tr := tracer{index: r.index, seed: r.seed}
				if k := tr.key(c, rec); k != 0 {
					keys[k] = true
				}
			}
		}
	}
	return keys
}

// places sums up the sources for the sieve. Where contracts differ in which sources concern them, the sieve leaves every absence to the rules.
func (r *run) places() places {
	p := places{covers: true, loose: r.loose}
	narrow := false
	for i := range r.world.Sources {
		f := &r.world.Sources[i]
		p.shows, p.sentOnly = append(p.shows, 0), append(p.sentOnly, f.Role == reconcile.RoleProvider && !f.SentKeys)
		if f.Serves || f.Role == reconcile.RoleProvider {
			p.shows[i] = 1 << f.Role
		}
		narrow = narrow || f.Operation.Known() && (len(r.cfg.Contracts) > 1 || reconcile.Book(r.cfg.Contracts).Claim(&reconcile.Record{Role: f.Role, Claimed: true, Components: []reconcile.Component{{Name: "operation", Value: f.Operation}}}) == nil)
		broken := !f.Coverage.Complete
		switch f.Role {
		case reconcile.RoleReceipt:
			p.receipts = true
			p.noReceipts = p.noReceipts || broken && f.Serves
			if !f.Serves || broken || !f.Coverage.Proves || f.Coverage.From.Known() || f.Retained.Valid || len(f.Coverage.Partitions) > 0 || f.Coverage.To.Before(r.now) {
				p.covers = false
			}
		case reconcile.RoleEffect:
			p.noEffects = p.noEffects || broken && f.Serves
		case reconcile.RoleProvider:
			p.provider = true
			p.noProvider = p.noProvider || broken
		case reconcile.RoleIntent, reconcile.RoleOutbox:
		}
	}
	p.covers = p.covers && p.receipts && !slices.ContainsFunc(r.world.Sources, func(f reconcile.SourceFacts) bool { return !f.Coverage.Complete })
	if p.narrow = narrow; narrow {
		p.noReceipts, p.noEffects, p.noProvider, p.covers = false, false, false, false
	}
	for _, c := range r.cfg.Contracts {
		p.sentKeys = append(p.sentKeys, c.OtherKeys())
		p.knows = append(p.knows, uint32(min(c.KeyKnown()/time.Second, 1<<31)))
		p.severalRows = p.severalRows || len(c.Expects) > 0
	}
	return p
}

func (r *run) records() int64 {
	var n int64
	for _, rd := range r.readers {
		n += rd.Stats().Records
	}
	return n
}

// judge judges the suspects. Where a source can no longer be read as it was, it is incomplete, and judging starts again without its rows.
func (r *run) judge(ctx context.Context, s *sieve, budget int64) (res *Result, err error) {
	cl, err := s.clusters(ctx, r.dir, budget/4)
	if cl != nil {
		defer func() { err = errors.Join(err, cl.close()) }()
	}
	if err != nil {
		return nil, err
	}
	k, err := newKeeper(r.dir, r.opt.Out)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, k.discard())
		}
	}()
	r.world.Stop = func() bool { return ctx.Err() != nil }
	healthy := r.counts
	gone := make(map[int]bool)
	for {
		r.counts = healthy
		r.counts.Findings, r.counts.NotJudged = maps.Clone(healthy.Findings), maps.Clone(healthy.NotJudged)
		j := &judge{
			book: r.cfg.Contracts, world: &r.world, readers: r.readers, gone: gone, counts: &r.counts, keep: k,
			gaps:    &retentionGaps{by: make(map[*reconcile.Contract]*ContractFinding)},
			renames: &renames{lives: r.operations, by: make(map[[2]operationOf]*ContractFinding)},
			dues:    make(dues),
			missing: make(map[string]int64), judged: &r.opt.Progress.judged, crowds: crowdSize(budget), block: r.opt.block,
			marks: &tracer{book: r.cfg.Contracts, index: r.index, seed: r.seed}, met: s.strange.met,
		}
		err := j.run(ctx, cl, s.strays > 0)
		var changed *sourceChanged
		if errors.As(err, &changed) && !gone[changed.src] {
			gone[changed.src] = true
			cov := &r.world.Sources[changed.src].Coverage
			cov.Complete = false
			cov.Reason = "it changed while it was read: " + text.SafeString(changed.err.Error())
			cov.Hint = "scan again while nothing rewrites it"
			if err := k.clear(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		return r.finish(ctx, k, j)
	}
}

func (r *run) finish(ctx context.Context, k *keeper, j *judge) (*Result, error) {
	if sum := r.counts.Matched + r.counts.InFlight + r.counts.Explained + r.counts.Inconclusive + r.counts.Unclaimed + r.counts.Cases; sum != r.counts.Subjects {
		return nil, fmt.Errorf("internal error: classes sum to %d, subjects are %d", sum, r.counts.Subjects)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := r.manifest(j)
	if err := k.finish(m); err != nil {
		return nil, err
	}
	if r.opt.Out != "" {
		return OpenSaved(context.WithoutCancel(ctx), r.opt.Out) // the file stands: a cancel comes too late to undo it
	}
	return &Result{manifest: *m, db: k.db}, nil
}

func (r *run) manifest(j *judge) *Manifest {
	m := &Manifest{
		Tool: r.opt.Tool, Name: r.cfg.Name, Now: r.now, Pinned: r.pinned, ConfigDigest: r.cfg.Digest, Trail: r.opt.Trail, Complete: true,
		Counts: r.counts, Contracts: slices.Concat(j.gaps.list(r.cfg.Contracts), j.renames.list(r.cfg.Contracts), r.common.findings(&r.world, r.contracts, r.cfg.Contracts)), Notes: slices.Clone(r.notes),
		Watermarks: j.dues.list(r.cfg.Contracts, &r.world), States: r.states(),
	}
	for i, rd := range r.readers {
		f, st := r.world.Sources[i], rd.Stats()
		m.Complete = m.Complete && f.Coverage.Complete
		s := Source{Name: f.Name, Role: f.Role, Records: st.Records, Unreadable: st.Unreadable, Skipped: st.Skipped, Excluded: st.Excluded, Problems: st.Problems, Coverage: f.Coverage}
		if of, ok := rd.(interface{ Columns() []rows.Column }); ok {
			s.Columns = of.Columns()
		}
		m.Sources = append(m.Sources, s)
		if note := st.EmptyKeyNote(f.Role); note != "" {
			m.Notes = append(m.Notes, f.Name+": "+note)
		}
	}
	m.Complete = m.Complete && len(r.world.Broken) == 0
	m.Gaps = slices.Clone(r.gaps)
	for i := range r.events {
		m.Gaps[i].Missing, m.Gaps[i].Present = j.missing[m.Gaps[i].Name()], r.present[i]
	}
	return m
}
