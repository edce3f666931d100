package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/csv"
	"example.com/idemctl/internal/sources/json"
	"example.com/idemctl/internal/sources/jsonl"
	"example.com/idemctl/internal/sources/lines"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/postgres"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sqlite"
	"example.com/idemctl/internal/text"
)

// SpecError is a mistake in a source's declaration, at its place in the config.
type SpecError = mapping.Error

// maxScript is how large a SQL text may be.
const maxScript = 64 << 20

// Set is the opened sources of one config.
type Set struct {
	sources []*Source
	stores  map[string]*store
}

// store is one database, file or SQL text that several sources may share, or why it could not be opened.
type store struct {
	db  database
	err error
}

// database opens tables in one snapshot.
type database interface {
	Table(ctx context.Context, name string, id ...string) (rows.Table, error)
	Query(ctx context.Context, sql string, id []string) (rows.Table, error)
	Tables(ctx context.Context) ([]rows.Relation, error)
	Notes() []string
	Detach() error
	Close() error
}

// file is a SQLite database, which opens a table without waiting for anybody.
type file struct{ *sqlite.Store }

func (f file) Table(_ context.Context, name string, id ...string) (rows.Table, error) {
	return f.Store.Table(name, id...)
}

func (f file) Tables(context.Context) ([]rows.Relation, error) { return f.Store.Tables() }

func (f file) Query(_ context.Context, sql string, id []string) (rows.Table, error) {
	return f.Store.Query(sql, id)
}

// Open opens every source. A mistake in a declaration is a *SpecError; a source that cannot be opened is no error: its Reader yields nothing and
// says why in its Facts. now is the scan's one clock reading, to which whole tables are covered. The Set must be closed, also after an error.
func Open(ctx context.Context, place Place, specs []Spec, now reconcile.Instant) (*Set, error) {
	set := &Set{stores: map[string]*store{}}
	for i := range specs {
		s, err := newSource(&specs[i], specs, place, now)
		if err != nil {
			return set, err
		}
		set.sources = append(set.sources, s)
	}
	turns := map[string]int{} // of stores that several sources share
	for turn, i := range set.order(place) {
		if err := ctx.Err(); err != nil {
			return set, err
		}
		s := set.sources[i]
		s.facts.Turn = turn + 1
		if key := place.storeOf(&specs[i]); key != "" {
			if _, ok := turns[key]; !ok {
				turns[key] = s.facts.Turn
			}
			s.facts.Turn = turns[key]
		}
		if err := set.open(ctx, place, s); err != nil {
			if ctxErr := ctx.Err(); ctxErr != nil {
				return set, ctxErr
			}
			s.fail(err)
		}
	}
	for _, st := range set.stores {
		if st.db != nil {
			if err := st.db.Detach(); err != nil {
				return set, err
			}
		}
	}
	return set, nil
}

// order lists the sources in the order in which their snapshots are taken: what the absence of a record is looked for in comes after what tells of the
// action, so that the record would be seen. Stores that do not serve and witnesses first, then what was done, receipts last; sources of one store go together,
// in the place of the latest of them.
func (set *Set) order(place Place) []int {
	latest := map[string]int{} // of a store
	for _, s := range set.sources {
		key := place.storeOf(s.spec)
		latest[key] = max(latest[key], s.rank())
	}
	out := make([]int, len(set.sources))
	for i := range out {
		out[i] = i
	}
	turn := func(i int) int {
		if key := place.storeOf(set.sources[i].spec); key != "" {
			return latest[key]
		}
		return set.sources[i].rank()
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(turn(a), turn(b)) })
	return out
}

// rank is the earlier the less the absence of a record in the source is asked for.
func (s *Source) rank() int {
	switch s.spec.Role {
	case reconcile.RoleIntent:
		return 1
	case reconcile.RoleOutbox:
		return 2
	case reconcile.RoleProvider:
		return 3
	case reconcile.RoleEffect:
		if s.facts.Serves {
			return 4
		}
	case reconcile.RoleReceipt:
		if s.facts.Serves {
			return 5
		}
	}
	return 0
}

// newSource compiles a source's map; nothing is opened.
func newSource(spec *Spec, all []Spec, place Place, now reconcile.Instant) (*Source, error) {
	switch spec.Scheme {
	case SQLite, Postgres, JSONL, JSON, CSV, Text:
	default:
		return nil, &SpecError{Line: spec.Line, Col: spec.Col, Msg: fmt.Sprintf("%q is not a kind of source", string(spec.Scheme)), Hint: "write sqlite:PATH, postgres://…, jsonl:GLOB, json:GLOB, csv:GLOB or text:GLOB"}
	}
	records, err := spec.recordPath()
	if err != nil {
		return nil, err
	}
	pattern, err := spec.linePattern()
	if err != nil {
		return nil, err
	}
	m, err := mapping.Compile(mapping.Input{
		Source: spec.Name, Role: spec.Role, Fields: spec.Map, Row: spec.Row, Where: spec.Where, Exclude: spec.Exclude, Claim: spec.Claim, TestMode: spec.TestMode,
		Components: spec.Components, Extra: spec.Extra, Line: spec.Line, Col: spec.Col,
	})
	if err != nil {
		return nil, err
	}
	alone := 0
	for i := range all {
		if all[i].Role == spec.Role {
			alone++
		}
	}
	serves := alone == 1
	if spec.Serves != nil {
		serves = *spec.Serves
	}
	s := &Source{spec: spec, place: place, records: records, pattern: pattern, m: m, now: now, seen: make([]bool, len(m.Components()))}
	s.facts = reconcile.SourceFacts{
		Name: spec.Name, Role: spec.Role, Serves: serves, Components: m.Components(), MapsRef: m.MapsRef(), NoOwnRef: !m.MapsOwnRef(), MapsTime: m.MapsTime(), SentKeys: m.MapsSentKey(), MapsAlias: m.MapsAlias(),
		Skew: spec.Skew, Retained: spec.Retained, Fingerprint: spec.Fingerprint,
		Coverage: reconcile.Coverage{Reason: "not read yet"},
	}
	return s, nil
}

// open opens one source's table and binds its columns.
func (set *Set) open(ctx context.Context, place Place, s *Source) error {
	table, err := set.unbound(ctx, place, s)
	if err != nil {
		return err
	}
	if err := table.Bind(s.m.Paths()); err != nil {
		return errors.Join(err, table.Close())
	}
	s.table = table
	return nil
}

// unbound opens one source's table. It has no name for a scheme that newSource refuses.
func (set *Set) unbound(ctx context.Context, place Place, s *Source) (rows.Table, error) {
	switch s.spec.Scheme {
	case JSONL:
		return jsonl.OpenNamed(ctx, place.FS, place.Dir, s.spec.Path, s.spec.named)
	case JSON:
		return json.OpenWays(ctx, place.FS, place.Dir, s.spec.Path, s.records, s.spec.named)
	case CSV:
		return s.openCSV(ctx)
	case Text:
		return lines.Open(ctx, place.FS, place.Dir, s.spec.Path, s.pattern, s.spec.named)
	case SQLite, Postgres:
	}
	return set.database(ctx, place, s)
}

// openCSV opens a CSV source in the shape that the config declares: commas and a header where it is silent.
func (s *Source) openCSV(ctx context.Context) (rows.Table, error) {
	shape := csv.Shape{Delimiter: ',', Header: true}
	if declared := s.spec.CSV; declared != nil {
		shape = csv.Shape{Delimiter: byte(declared.Delimiter), Header: declared.Header, Skip: declared.Skip, Find: declared.Find}
		if declared.Encoding != "" {
			var err error
			if shape.Encoding, err = csv.EncodingNamed(declared.Encoding); err != nil {
				return nil, err
			}
		}
	}
	return csv.Open(ctx, s.place.FS, s.place.Dir, s.spec.Path, shape, s.spec.named)
}

// linePattern is what the lines of a text log look like; nil for other sources.
func (s *Spec) linePattern() (*regexp.Regexp, error) {
	if s.Scheme != Text {
		return nil, nil
	}
	re, err := lines.Compile(s.Pattern)
	if err != nil {
		return nil, &SpecError{Line: s.Line, Col: s.Col, Msg: "the pattern of rows cannot be used: " + text.SafeString(err.Error()), Hint: `write rows: {pattern: '(?P<host>\S+) (?P<path>\S+)'}; the syntax is RE2's`}
	}
	return re, nil
}

// recordPath is where the records of a JSON document stand.
func (s *Spec) recordPath() ([]json.Way, error) {
	var out []json.Way
	for _, spelled := range s.Rows {
		way, err := mapping.ParseWay(spelled)
		if err != nil {
			return nil, &SpecError{Line: s.Line, Col: s.Col, Msg: fmt.Sprintf("rows: %q leads nowhere", spelled), Hint: `write rows: NAME, rows: OUTER.NAME, rows: [NAME[], "."], or rows: '"a name with dots".NAME'`}
		}
		steps := make(json.Way, len(way))
		for i, step := range way {
			steps[i] = json.Step{Name: step.Name, Any: step.Any, List: step.List}
		}
		out = append(out, steps)
	}
	return out, nil
}

// database opens a source's table in its store, which the first source that names it opens for all.
func (set *Set) database(ctx context.Context, place Place, s *Source) (rows.Table, error) {
	key := place.storeOf(s.spec)
	st, ok := set.stores[key]
	if !ok {
		st = &store{}
		st.db, st.err = place.openStore(ctx, s.spec)
		set.stores[key] = st
	}
	if st.err != nil {
		return nil, st.err
	}
	s.remark(place, st.db.Notes()...)
	var table rows.Table
	var err error
	if s.spec.Query != "" {
		table, err = st.db.Query(ctx, s.spec.Query, s.spec.ID)
	} else {
		table, err = st.db.Table(ctx, s.spec.Table, s.spec.ID...)
	}
	if own, ok := table.(interface{ Notes() []string }); ok && err == nil {
		s.remark(place, own.Notes()...)
	}
	return table, err
}

func (s *Source) remark(place Place, notes ...string) {
	for _, note := range notes {
		s.notes = append(s.notes, s.spec.hide(place, note))
	}
}

// storeOf names the database that a source's store is, so that sources which name it differently share it; "" for what is no database.
func (p Place) storeOf(spec *Spec) string {
	switch spec.Scheme {
	case SQLite:
	case Postgres:
		return string(Postgres) + ":" + postgres.Key(spec.Path)
	default:
		return ""
	}
	full := p.join(spec.Path)
	if p.FS == nil {
		if target, err := filepath.EvalSymlinks(full); err == nil {
			return target
		}
	}
	return full
}

func (p Place) join(name string) string {
	switch {
	case p.FS != nil:
		return path.Join(p.Dir, name)
	case filepath.IsAbs(name):
		return filepath.Clean(name)
	}
	return filepath.Join(p.Dir, name)
}

func (p Place) openStore(ctx context.Context, spec *Spec) (database, error) {
	if spec.Scheme == Postgres {
		db, err := postgres.OpenStore(ctx, spec.Path, spec.Shown)
		if err != nil {
			return nil, err
		}
		return db, nil
	}
	db, err := p.openFile(ctx, spec)
	if err != nil {
		return nil, err
	}
	return file{db}, nil
}

func (p Place) openFile(ctx context.Context, spec *Spec) (*sqlite.Store, error) {
	full := p.join(spec.Path)
	if strings.HasSuffix(spec.Path, ".sql") {
		script, err := p.script(spec.called(spec.Path), full)
		if err != nil {
			return nil, err
		}
		return sqlite.OpenSQL(ctx, spec.called(spec.Path), script, p.TempDir)
	}
	if p.FS != nil {
		return nil, &rows.HintedError{Err: fmt.Errorf("%s is embedded", spec.Path), Hint: "a fixture keeps its data as readable SQL text: sqlite:NAME.sql"}
	}
	return sqlite.OpenNamed(ctx, full, spec.called(full), p.TempDir)
}

// script reads a SQL text whole.
func (p Place) script(shown, full string) (script []byte, err error) {
	hint := "check the path in open; a relative path starts at the config's folder"
	stat, open := os.Stat, func(name string) (fs.File, error) { return os.Open(name) }
	if p.FS != nil {
		stat, open = func(name string) (fs.FileInfo, error) { return fs.Stat(p.FS, name) }, p.FS.Open
	}
	info, err := stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &rows.HintedError{Err: fmt.Errorf("%s: %w", shown, rows.ErrMissing), Hint: hint}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", shown, err)
	case !info.Mode().IsRegular():
		return nil, &rows.HintedError{Err: fmt.Errorf("%s: %w", shown, rows.ErrUnusable), Hint: hint}
	case info.Size() == 0:
		return nil, &rows.HintedError{Err: fmt.Errorf("%s: %w", shown, rows.ErrEmpty), Hint: hint}
	case info.Size() > maxScript:
		return nil, &rows.HintedError{Err: fmt.Errorf("%s is longer than %d MiB", shown, maxScript>>20), Hint: "load it with sqlite3 and open the database"}
	}
	f, err := open(full)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxScript))
}

// Readers returns the sources in the config's order.
func (set *Set) Readers() []Reader {
	out := make([]Reader, len(set.sources))
	for i, s := range set.sources {
		out[i] = s
	}
	return out
}

// Close releases every source and removes every private copy.
func (set *Set) Close() error {
	var errs []error
	for _, s := range set.sources {
		errs = append(errs, s.Close())
	}
	for _, key := range slices.Sorted(maps.Keys(set.stores)) {
		if db := set.stores[key].db; db != nil {
			errs = append(errs, db.Close())
			set.stores[key].db = nil
		}
	}
	return errors.Join(errs...)
}
