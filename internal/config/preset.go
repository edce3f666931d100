package config

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/presets"
)

// Preset is one shipped mapping: what the rows of a table or the records of a format mean, and where that is known from.
type Preset struct {
	Name     string
	Title    string
	Store    string // the product or provider that writes it
	Versions string // those in which it was seen so
	Formats  []string
	Origins  []Origin
	Notes    []string
	Like     Likeness
	Choices  []string      // what is the service's own, as lines of a source that init writes as comments
	Source   *sources.Spec // its role, table, where, claim, map, row, id, rows and retained; no name, no open

	Contract *reconcile.Contract // what it suggests; only what Suggests names was given
	Suggests []string            // sorted
	Text     []string            // the lines of its contract, as the file has them
}

// Origin is where a fact of a preset was read, and when.
type Origin struct {
	From string
	Read time.Time
}

// Likeness is how a table or a file is recognised. All that it names must be there.
type Likeness struct {
	Tables  []string // names, of which one fits; * stands for any text
	Columns []Sign   // of a table: its columns, each with what it holds
	Fields  []Sign   // of a file: the members of a record, as a map spells them, each with what stands there
}

// Sign is one column or member by which a preset is recognised. Of a column Is names a kind of type, of a member what its text is like: * stands for any text.
type Sign struct{ Name, Is string }

// Paths are the members of which one must be there: a | b is either.
func (s Sign) Paths() []string { return strings.Split(s.Name, " | ") }

// The kinds of types that a preset may demand of a column.
var columnKinds = []string{"any", "text", "integer", "number", "time", "json", "blob", "bool", "uuid"}

// Where a preset's records may stand.
var presetFormats = []string{"table", string(sources.JSONL), string(sources.JSON), string(sources.CSV), string(sources.Text)}

// ReadPresets reads every shipped preset, sorted by name. An error is a defect of the data, at its place in the file.
func ReadPresets() ([]*Preset, error) {
	var out []*Preset
	for _, name := range presets.Names() {
		p, err := ReadPreset(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// ReadPreset reads one shipped preset. Its errors are *Error.
func ReadPreset(name string) (*Preset, error) {
	data, ok := presets.Text(name)
	if !ok {
		return nil, &Error{File: "preset " + quote(name), Msg: "no such preset", Hint: suggest(name, presets.Names()) + "; idemctl presets lists them"}
	}
	return parsePreset(name, data)
}

func parsePreset(name string, data []byte) (*Preset, error) {
	d := &decoder{file: "presets/data/" + name + ".yaml", getenv: func(string) string { return "" }}
	if err := readable(d.file, data); err != nil {
		return nil, err
	}
	root, err := d.parseYAML(data)
	if err != nil {
		return nil, err
	}
	root.name = "the preset"
	p := d.preset(root)
	p.Name, p.Source.Preset = name, name
	p.Text = block(data, "contract")
	d.presetFits(root, p)
	if d.err != nil {
		return nil, d.err
	}
	return p, nil
}

// preset reads a preset's file.
func (d *decoder) preset(root value) *Preset {
	p := &Preset{Source: &sources.Spec{}, Contract: &reconcile.Contract{}}
	s := p.Source
	root.fields(map[string]func(value){
		"title":    func(v value) { p.Title = v.text() },
		"store":    func(v value) { p.Store = v.text() },
		"versions": func(v value) { p.Versions = v.text() },
		"formats": func(v value) {
			p.Formats = v.texts()
			for _, item := range v.list() {
				item.word(presetFormats...)
			}
		},
		"facts": func(v value) {
			for _, item := range v.list() {
				p.Origins = append(p.Origins, item.origin())
			}
		},
		"notes":    func(v value) { p.Notes = v.texts() },
		"choices":  func(v value) { p.Choices = v.texts() },
		"like":     func(v value) { p.Like = v.likeness() },
		"role":     func(v value) { s.Role = v.role() },
		"table":    func(v value) { s.Table = v.text() },
		"where":    func(v value) { s.Where = v.pairs() },
		"claim":    func(v value) { s.Claim = v.pairs() },
		"exclude":  func(v value) { s.Exclude, _ = d.exclusions(v) },
		"map":      func(v value) { s.Map = d.fieldMap(v) },
		"row":      func(v value) { s.Row = v.word("attempt") },
		"id":       func(v value) { s.ID = v.texts() },
		"rows":     func(v value) { v.rows(s) },
		"pattern":  func(v value) { s.Pattern = v.text() },
		"csv":      func(v value) { s.CSV = v.csvShape() },
		"retained": func(v value) { s.Retained = v.lasting() },
		"contract": func(v value) { d.suggestion(v, p) },
	})
	return p
}

// suggestion reads what a preset suggests for a contract: the fields of one, none of them demanded.
func (d *decoder) suggestion(v value, p *Preset) {
	readers := map[string]func(value){}
	for _, group := range []map[string]func(value){identityFields(p.Contract), legFields(p.Contract), spanFields(p.Contract), businessFields(p.Contract), decisionFields(p.Contract), d.providerFields(p.Contract)} {
		maps.Copy(readers, group)
	}
	for _, own := range []string{"name", "operation", "aliases", "since"} { // the service's alone
		delete(readers, own)
	}
	v.fields(readers)
	for _, e := range v.entries() {
		p.Suggests = append(p.Suggests, e.key)
	}
	slices.Sort(p.Suggests)
}

func (v value) origin() Origin {
	var o Origin
	v.name = "a fact"
	v.fields(map[string]func(value){
		"from": func(v value) { o.From = v.text() },
		"read": func(v value) {
			var err error
			if o.Read, err = time.Parse(time.DateOnly, v.text()); err != nil {
				v.fail("write it like 2026-11-30", "%s is no date", v.name)
			}
		},
	})
	if o.From == "" || o.Read.IsZero() {
		v.fail("write {from: REPOSITORY:PATH or a page, read: 2026-11-30}", "a fact without where or when it was read")
	}
	return o
}

func (v value) likeness() Likeness {
	var l Likeness
	v.fields(map[string]func(value){
		"table": func(v value) { l.Tables = v.texts() },
		"columns": func(v value) {
			for _, e := range v.entries() {
				l.Columns = append(l.Columns, Sign{e.key, e.val.word(columnKinds...)})
			}
		},
		"fields": func(v value) {
			for _, e := range v.entries() {
				for _, path := range (Sign{Name: e.key}).Paths() {
					if _, err := mapping.ParsePath(path); err != nil {
						v.d.fail(e.at, "write member, member.member, or '\"a name with dots\".member'; a | b where either will do", "%s leads nowhere", quote(path))
					}
				}
				l.Fields = append(l.Fields, Sign{e.key, e.val.text()})
			}
		},
	})
	return l
}

// presetFits demands what every preset must say, and that its map can be compiled.
func (d *decoder) presetFits(v value, p *Preset) {
	table := slices.Contains(p.Formats, "table")
	file := slices.ContainsFunc(p.Formats, func(f string) bool { return f != "table" })
	for _, need := range []struct {
		missing    bool
		what, hint string
	}{
		{p.Title == "", "title", "say in a few words what it reads"},
		{p.Store == "", "store", "name the product or the provider"},
		{p.Versions == "", "versions", "say in which versions it was seen so"},
		{len(p.Origins) == 0, "facts", "say where it was read, and when"},
		{len(p.Formats) == 0, "formats", "say where its records may stand: " + strings.Join(presetFormats, ", ")},
		{p.Source.Role == 0, "role", "say what its rows are"},
		{len(p.Source.Map) == 0, "map", "say what its columns mean"},
		{table && (p.Source.Table == "" && len(p.Like.Tables) == 0 || len(p.Like.Columns) == 0), "table or like.columns", "name the table, and the columns by which it is recognised"},
		{file && len(p.Like.Fields) == 0, "like.fields", "name the members by which a record is recognised"},
	} {
		if need.missing {
			v.fail(need.hint, "%s is missing", need.what)
		}
	}
	names := map[string]bool{}
	add(names, p.Contract.Scope...)
	extra := append(slices.Clone(p.Contract.Actor), p.Contract.ProviderKey.Column)
	_, err := mapping.Compile(mapping.Input{
		Source: p.Name, Role: p.Source.Role, Fields: p.Source.Map, Row: p.Source.Row, Where: p.Source.Where, Exclude: p.Source.Exclude, Claim: p.Source.Claim,
		Components: slices.Sorted(maps.Keys(names)), Extra: extra, Line: v.at().line, Col: v.at().col,
	})
	var bad *mapping.Error
	if errors.As(err, &bad) {
		d.fail(pos{bad.Line, bad.Col}, bad.Hint, "%s", bad.Msg)
	}
}

// block returns the lines of a top-level field of a file, less their common indentation, with the comments among them.
func block(data []byte, field string) []string {
	var out []string
	inside := false
	for line := range bytes.Lines(data) {
		s := strings.TrimRight(string(line), "\r\n")
		switch {
		case strings.HasPrefix(s, field+":"):
			inside = true
		case inside && strings.HasPrefix(s, "  "):
			out = append(out, s[2:])
		default:
			inside = false
		}
	}
	return out
}

// takePreset fills in what a source leaves to its preset. What the source itself says wins, field by field; a fact that its map sets to null is not read.
func (d *decoder) takePreset(at value, s *sources.Spec, places map[string]value, cleared, counted []string) {
	name := at.text()
	p, err := ReadPreset(name)
	if err != nil {
		var bad *Error
		if errors.As(err, &bad) && bad.Line == 0 {
			at.fail(bad.Hint, "there is no preset %s", quote(name))
		} else if d.err == nil {
			d.err = err
		}
		return
	}
	from := p.Source
	s.Preset = p.Name
	if role, given := places["role"]; given && s.Role != from.Role {
		role.fail("leave role out, or write the map without the preset", "preset %s reads %s", p.Name, from.Role)
	}
	s.Role = from.Role
	for _, name := range cleared {
		if !slices.ContainsFunc(from.Map, func(f sources.Field) bool { return f.Name == name }) {
			places["map"].fail("take it out", "%s is null, and preset %s does not read it", quote(name), p.Name)
		}
	}
	s.Map = overlay(from.Map, s.Map, cleared, at.at())
	s.Exclude = over(from.Exclude, s.Exclude, counted, at.at())
	s.Where, s.Claim = under(s.Where, from.Where), under(s.Claim, from.Claim)
	if database := s.Scheme == sources.SQLite || s.Scheme == sources.Postgres; database && s.Table == "" && s.Query == "" && from.Table != "" {
		s.Table, places["table"] = from.Table, at
	}
	if s.Row == "" {
		s.Row = from.Row
	}
	if len(s.ID) == 0 && s.Query == "" {
		s.ID = from.ID
	}
	if !s.Retained.Valid {
		s.Retained = from.Retained
	}
	if _, given := places["rows"]; !given {
		switch s.Scheme {
		case sources.JSON:
			s.Rows = from.Rows
		case sources.CSV:
			s.CSV = from.CSV
		case sources.Text:
			s.Pattern = from.Pattern
		case sources.SQLite, sources.Postgres, sources.JSONL:
		}
	}
}

// overlay puts a source's own fields over those of its preset, in the preset's order, and what is only the source's behind them. Fields of the preset stand, for
// errors, where the config names it.
func overlay(preset, own []sources.Field, cleared []string, at pos) []sources.Field {
	named := func(fields []sources.Field, name string) int {
		return slices.IndexFunc(fields, func(f sources.Field) bool { return f.Name == name })
	}
	var out []sources.Field
	for _, f := range preset {
		f.Line, f.Col, f.Shipped = at.line, at.col, true
		switch i := named(own, f.Name); {
		case i >= 0:
			out = append(out, own[i])
		case !slices.Contains(cleared, f.Name):
			out = append(out, f)
		}
	}
	for _, f := range own {
		if named(preset, f.Name) < 0 {
			out = append(out, f)
		}
	}
	return out
}

// under fills up conditions with those of a preset.
func under(own, preset map[string]string) map[string]string {
	if len(preset) == 0 {
		return own
	}
	out := maps.Clone(preset)
	maps.Copy(out, own)
	return out
}

// TableName is the table that a preset reads, or the pattern of its name; "" when it reads no table.
func (p *Preset) TableName() string {
	switch {
	case !slices.Contains(p.Formats, "table"):
		return ""
	case p.Source.Table == "":
		return p.Like.Tables[0]
	}
	return p.Source.Table
}

// Site is where a fact was read, without what stands there.
func (o Origin) Site() string {
	site, _, _ := strings.Cut(o.From, ": ")
	site, _, _ = strings.Cut(site, ", ")
	return strings.TrimPrefix(site, "github.com/")
}
