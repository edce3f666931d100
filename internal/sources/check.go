package sources

import (
	"context"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
)

// Checked is how one source was understood, for `idemctl check`.
type Checked struct {
	Spec    *Spec
	Opened  bool
	Fields  []CheckedField
	Columns []rows.Column     // all that the source has, mapped or not
	Clock   reconcile.Instant // the server's own, as it was asked just now; unknown where there is no server
	Notes   []string          // how the store is read, and what its column types may have done to values
}

// CheckedField is how one fact is read.
type CheckedField struct {
	mapping.Understood
	Type, Affinity string // of its column, where the store declares them
	Unseen         bool   // there are records, and none of them has it
}

// Check says how each source was understood, in the config's order. It is called between scans.
func (set *Set) Check(ctx context.Context) []Checked {
	out := make([]Checked, len(set.sources))
	for i, s := range set.sources {
		out[i] = s.check(ctx)
		if st := set.stores[s.place.storeOf(s.spec)]; st != nil && st.db != nil {
			if server, ok := st.db.(interface {
				Clock(context.Context) (reconcile.Instant, error)
			}); ok {
				if t, err := server.Clock(ctx); err == nil {
					out[i].Clock = t // a server that does not answer any more is told of by what was read
				}
			}
		}
	}
	return out
}

func (s *Source) check(ctx context.Context) Checked {
	c := Checked{Spec: s.spec, Opened: s.table != nil, Notes: append([]string(nil), s.notes...)}
	if s.table != nil {
		c.Columns = s.table.Columns()
		c.Notes = append(c.Notes, s.indexNotes(ctx)...)
	}
	c.Notes = slices.Concat(c.Notes, s.m.Blurred(), s.m.Spellings(), s.m.Tables())
	for _, u := range s.m.Understood() {
		f := CheckedField{Understood: u, Unseen: s.unseen.lacks(s.m, &u)}
		if p, err := mapping.ParsePath(u.Column); err == nil && len(p.Members) == 0 {
			if col := columnNamed(c.Columns, p.Column); col != nil {
				f.Type, f.Affinity = col.Type, col.Affinity
				if note := affinityNote(&f); note != "" {
					c.Notes = append(c.Notes, note)
				}
			}
		}
		c.Fields = append(c.Fields, f)
	}
	return c
}

// indexNotes warns where the store has no index on what names an action: then each lookup by its key reads the whole table, and nothing but the service's own
// care keeps a second receipt of the key out.
func (s *Source) indexNotes(ctx context.Context) []string {
	table, ok := s.table.(interface {
		Indexes(context.Context) ([]rows.Index, error)
	})
	columns := s.table.Columns()
	key := s.m.ColumnOf("key")
	if !ok || s.spec.Query != "" || columnNamed(columns, key) == nil || s.spec.Role != reconcile.RoleReceipt && s.spec.Role != reconcile.RoleEffect {
		return nil
	}
	all, err := table.Indexes(ctx)
	if err != nil {
		return []string{s.spec.hide(s.place, "the indexes could not be listed: "+err.Error())}
	}
	var named []string // the columns of the identity
	for _, name := range s.m.Components() {
		if column := s.m.ColumnOf(name); columnNamed(columns, column) != nil {
			named = append(named, column)
		}
	}
	found, unique := false, false
	for _, index := range all {
		at := slices.IndexFunc(index.Columns, func(c string) bool { return strings.EqualFold(c, key) })
		lead := at >= 0 && within(index.Columns[:at], named)
		found = found || lead
		unique = unique || lead && index.Unique && within(index.Columns, named)
	}
	var notes []string
	for _, index := range all {
		for i, c := range index.Columns {
			if strings.EqualFold(c, key) && index.Collations[i] != "" && len(notes) == 0 {
				notes = append(notes, "the index on "+key+" compares by "+index.Collations[i]+", where keys that differ in bytes may be one: declare it, like compare: {key: ci}")
			}
		}
	}
	where := " (" + strings.Join(named, ", ") + ")"
	const slow = "no index finds a row by its key"
	receipts := s.spec.Role == reconcile.RoleReceipt
	switch {
	case !found && receipts:
		return append(notes, slow+where+": each lookup reads the whole table, and nothing in the store keeps two receipts of one key apart")
	case !found:
		return append(notes, slow+where+": each lookup of a row by its key reads the whole table")
	case !unique && receipts:
		return append(notes, "no unique index on the key"+where+": nothing in the store keeps two receipts of one key apart")
	}
	return notes
}

// within reports whether every column is among the named ones, as stores compare names.
func within(columns, named []string) bool {
	for _, c := range columns {
		if !slices.ContainsFunc(named, func(n string) bool { return strings.EqualFold(n, c) }) {
			return false
		}
	}
	return true
}

func columnNamed(columns []rows.Column, name string) *rows.Column {
	for i := range columns {
		if strings.EqualFold(columns[i].Name, name) {
			return &columns[i]
		}
	}
	return nil
}

// affinityNote warns where a column's affinity may have changed what was written.
func affinityNote(f *CheckedField) string {
	how, _, _ := strings.Cut(f.How, ":")
	exact := how == "component" || how == "reference"
	switch {
	case exact && (f.Affinity == "INTEGER" || f.Affinity == "NUMERIC"):
		if f.Type == "INTEGER" {
			return "" // an id that was a number from the start
		}
		return f.Fact + ": column " + f.Column + " is declared " + f.Type + ", which stores the text 0123 as 123 and 1e5 as 100000"
	case exact && f.Affinity == "REAL":
		return f.Fact + ": column " + f.Column + " is declared " + f.Type + ", which stores digits as floating point"
	case strings.HasPrefix(f.How, "amount") && (f.Affinity == "REAL" || f.Affinity == "NUMERIC"):
		return f.Fact + ": column " + f.Column + " is declared " + f.Type + ", which stores decimals as floating point: more than 15 digits are unreadable"
	}
	return ""
}
