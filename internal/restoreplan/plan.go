package restoreplan

import (
	"cmp"
	"iter"
	"path/filepath"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources"
	pg "example.com/idemctl/internal/sources/postgres"
	"example.com/idemctl/internal/sources/rows"
)

// Input is what a plan is made from.
type Input struct {
	Manifest  *scan.Manifest
	Contracts []*reconcile.Contract
	Sources   []sources.Spec
	Dir       string                       // the config's folder, absolute: where the other SQLite files lie; "" for an embedded fixture
	Reuse     []Reuse                      // ids that a restored store would hand out again
	Cases     iter.Seq2[*scan.Case, error] // in one order, however often they are asked for
}

// Reuse is a run of ids that witnesses know and that a restored store has not handed out again yet.
type Reuse struct {
	Source   string
	From, To int64
}

// Unbuildable is a receipt that cannot be put back, and why.
type Unbuildable struct {
	Case     string
	Identity []reconcile.Component
	Reason   string // safe to show
}

// Plan is the receipts to put back into one store, or into several of files. It keeps none of them: it goes through the cases to know what it is about, and again
// as it is written.
type Plan struct {
	Insertable  int64 // receipts to put back, as last counted
	Unbuildable int64 // those that cannot be
	in          Input
	stores      map[string]*store
	attached    []attached // SQLite files beside the receipts' own, in the order of their names idemctl_1, idemctl_2, …
	into        []string   // the sources that receive receipts
	elsewhere   []string   // those whose rows cannot be looked at from the receipts' database
}

// insert is one receipt to put back.
type insert struct {
	caseID    string
	identity  []reconcile.Component
	store     string // the source's name
	sql       string
	columns   []column    // in the order of the table
	unless    []condition // a receipt for which all hold stands already
	requires  []required  // what has to stand still
	elsewhere []string    // as of the plan
}

// column is one value of a receipt.
type column struct {
	name string
	null bool
	text []byte
	kind kind

	number, made bool // in JSON: a number, a document of its own
}

// condition says that a column, or a member in it, has a value. null: it has none.
type condition struct {
	column  string
	members []string
	fold    reconcile.Comparison
	any     []column // one of them
	not     []column // none of them, where any is empty
}

// required is a row that has to stand.
type required struct {
	source string
	schema string // under which a SQLite file is attached
	table  string
	where  []condition
}

// store is a source with what its map says.
type store struct {
	spec    *sources.Spec
	dialect dialect
	columns []rows.Column
	serves  bool
}

// attached is another SQLite file of the script.
type attached struct {
	file    string
	written bool // a sequence in it is set; else it is looked at only
}

// New begins a plan.
func New(in Input) *Plan {
	p := &Plan{in: in, stores: map[string]*store{}}
	alone := map[reconcile.Role]int{}
	for i := range in.Sources {
		alone[in.Sources[i].Role]++
	}
	for i := range in.Sources {
		spec := &in.Sources[i]
		s := &store{spec: spec, dialect: dialectOf(spec.Scheme), serves: alone[spec.Role] == 1}
		if spec.Serves != nil {
			s.serves = *spec.Serves
		}
		for _, m := range in.Manifest.Sources {
			if m.Name == spec.Name {
				s.columns = m.Columns
			}
		}
		p.stores[spec.Name] = s
	}
	return p
}

// lost are the kinds of a case whose receipt is gone while something of its action stands.
var lost = []reconcile.Kind{reconcile.ReceiptMissingAfterRestore, reconcile.OrphanedEffect, reconcile.LostAfterRestore, reconcile.ProviderOnlyEffect, reconcile.PartlyExecuted}

// Count goes through the cases, counts what can and what cannot be put back, and hands over the latter where it is asked for.
func (p *Plan) Count(cannot func(Unbuildable) error) error {
	p.Insertable, p.Unbuildable, p.into, p.elsewhere = 0, 0, nil, nil
	return p.each(func(in *insert) error {
		p.Insertable++
		p.into, p.elsewhere = union(p.into, in.store), union(p.elsewhere, in.elsewhere...)
		return nil
	}, func(u Unbuildable) error {
		p.Unbuildable++
		if cannot == nil {
			return nil
		}
		return cannot(u)
	})
}

func union(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// each makes of each case what is to be put back, or why that cannot be rebuilt, and hands over what is asked for. A case that lacks no receipt, and one whose
// key no retry can execute again, is neither.
func (p *Plan) each(can func(*insert) error, cannot func(Unbuildable) error) error {
	for c, err := range p.in.Cases {
		if err != nil {
			return err
		}
		in, why := p.try(c)
		switch {
		case in != nil && can != nil:
			err = can(in)
		case why != "" && cannot != nil:
			err = cannot(Unbuildable{Case: c.CaseID, Identity: c.Identity, Reason: why})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) try(c *scan.Case) (in *insert, cannot string) {
	if !slices.ContainsFunc(lost, func(k reconcile.Kind) bool { return slices.Contains(c.Kinds, k) }) || c.Exposure.State == reconcile.ExposureNone {
		return nil, ""
	}
	at := slices.IndexFunc(c.Options, func(o reconcile.Option) bool {
		return o.Decision == reconcile.DecideResolve && o.As == reconcile.BackfillReceipt
	})
	if at < 0 || c.Options[at].Code == "receipt-present" {
		return nil, ""
	}
	if o := c.Options[at]; !o.Allowed {
		return nil, o.Reason
	}
	in, err := p.build(c)
	if err != nil {
		return nil, err.Error()
	}
	return in, ""
}

func (p *Plan) contract(name string) *reconcile.Contract {
	for _, c := range p.in.Contracts {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// database names the database of a store, so that two in one are known to be however they are spelled.
func (s *store) database() string {
	where := s.spec.Path
	switch s.dialect {
	case postgres:
		where = pg.Key(where)
	case sqlite:
		where = filepath.Clean(where)
	case noSQL:
	}
	return string(s.spec.Scheme) + ":" + where
}

// sequences are the runs of ids to be skipped, by source and first id.
func (p *Plan) sequences() []Reuse {
	out := slices.Clone(p.in.Reuse)
	slices.SortFunc(out, func(a, b Reuse) int { return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.From, b.From)) })
	return out
}
