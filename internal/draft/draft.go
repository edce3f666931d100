// Package draft looks at stores and drafts a config for them.
//
// # What it is
//
// Look opens databases and files, recognises their tables by the shipped presets and, where none fits, by the spellings that receipts, keyed rows and outboxes have
// in many services. Write makes a config of what was found: what is known as fields, what is not as comments.
//
// # What it never does
//
// It decides nothing that only the service's owner knows, and says so beside it. It writes no password, and shows no value but the words of a state.
//
// # Invariants
//
//   - The config that Write makes is read by the config's own parser before it is handed out, so it is one that `check` takes.
//   - The same store gives the same config.
package draft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// Target is a store to look at.
type Target struct {
	Spec sources.Spec // scheme and path; no scheme: a file that is neither, to be named as passed over
	Open string       // what the config's open says
	Root string       // of a file: the folder that was asked for, to which files of one kind are put together; "" = its own
	Note string       // what must be set for it, "" = nothing
	Name string       // what it is called in errors
}

// Source is one source of the config that is drafted.
type Source struct {
	Name   string
	Role   reconcile.Role
	Open   string
	Note   string
	Table  string
	Preset *config.Preset // nil: guessed
	Also   []string       // presets that fit as well
	Map    []Line         // guessed
	Unsure []string       // comments
	Scope  []string       // of the unique index, as components; empty = not known
	Files  int            // how many files it names, 0 = one, or a database
	store  string

	path, root string // of a file
}

// Line is one entry of a guessed map, From as YAML, and what is to be said of it.
type Line struct{ Fact, From, Note string }

// Found is what stores hold.
type Found struct {
	Sources []Source
	Passed  []string // tables in which nothing was recognised
	Aside   []string // files in which nothing was
	Notes   []string

	siblings siblings
}

// Look opens every target and recognises what it holds. A target that cannot be opened is an error.
func Look(ctx context.Context, place sources.Place, targets []Target, presets []*config.Preset) (*Found, error) {
	out := &Found{}
	for i := range targets {
		t := &targets[i]
		var err error
		switch {
		case t.Spec.Scheme == "":
			out.Aside = append(out.Aside, t.Name)
		case t.Spec.Scheme.InFiles():
			err = out.file(ctx, place, t, presets)
		default:
			err = out.database(ctx, place, t, presets)
		}
		if err != nil {
			return nil, fmt.Errorf("looking at %s: %w", text.SafeString(t.Name), err)
		}
	}
	out.group()
	out.name()
	return out, nil
}

// database recognises the tables of one database.
func (f *Found) database(ctx context.Context, place sources.Place, t *Target, presets []*config.Preset) error {
	tables, notes, err := sources.Survey(ctx, place, &t.Spec)
	if err != nil {
		return err
	}
	f.Notes = append(f.Notes, notes...)
	for i := range tables {
		table := &tables[i]
		found := recognise(table, presets)
		if len(found) == 0 {
			s, ok, err := guess(ctx, place, t, table)
			if err != nil {
				return err
			}
			if ok {
				found = []Source{s}
			}
		}
		if len(found) == 0 {
			f.Passed = append(f.Passed, table.Name)
			continue
		}
		for _, s := range found {
			s.Open, s.Note, s.Table, s.store = t.Open, t.Note, table.Name, t.Open
			s.Scope = scopeOf(&s, table.Indexes)
			f.Sources = append(f.Sources, s)
		}
	}
	return nil
}

// scopeOf reads the scope of a key from the unique index that holds it: each of its columns is a component, or nothing is known.
func scopeOf(s *Source, indexes []rows.Index) []string {
	component := map[string]string{}
	for _, l := range s.Map {
		if slices.Contains(components, l.Fact) {
			component[strings.ToLower(l.From)] = l.Fact
		}
	}
	if s.Preset != nil {
		return nil // its contract says it
	}
	var best []string
	for _, index := range indexes {
		var scope []string
		for _, c := range index.Columns {
			name, ok := component[strings.ToLower(c)]
			if !ok {
				scope = nil
				break
			}
			scope = append(scope, name)
		}
		if index.Unique && slices.Contains(scope, "key") && (best == nil || len(scope) < len(best)) {
			best = scope
		}
	}
	if at := slices.Index(best, "key"); at >= 0 {
		best = append(slices.Delete(best, at, at+1), "key")
	}
	return best
}

var components = []string{"tenant", "principal", "account", "region", "zone", "operation", "key"}

// name gives each source a name of its own: its table's, or its file's.
func (f *Found) name() {
	taken := map[string]bool{}
	for i := range f.Sources {
		s := &f.Sources[i]
		base := s.Name
		if base == "" {
			base = plainName(s.Table)
		}
		if base == "" {
			base = s.Role.String()
		}
		s.Name = base
		for n := 2; taken[s.Name]; n++ {
			s.Name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[s.Name] = true
	}
}

// plainName makes a name of letters, digits, - and _ of a table's or a file's.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r
		case r == '.':
			return '-'
		}
		return -1
	}, s)
	const longest = 60
	return strings.Trim(s[:min(len(s), longest)], "-_")
}

// ErrNothing says that no table and no file was recognised.
var ErrNothing = errors.New("nothing was recognised")
