package config

import (
	"maps"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/csv"
	"example.com/idemctl/internal/sources/lines"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/text"
)

// source reads one source.
func (d *decoder) source(v value) sources.Spec {
	v.name = "a source"
	at := v.at()
	s := sources.Spec{Line: at.line, Col: at.col}
	places := map[string]value{}
	var cleared, counted []string
	note := func(name string, read func(value)) func(value) {
		return func(v value) { places[name] = v; read(v) }
	}
	v.fields(map[string]func(value){
		"name":    note("name", func(v value) { s.Name = v.label() }),
		"role":    note("role", func(v value) { s.Role = v.role() }),
		"open":    note("open", func(v value) { v.open(&s) }),
		"serves":  note("serves", func(v value) { b := v.flag(); s.Serves = &b }),
		"preset":  note("preset", func(value) {}),
		"table":   note("table", func(v value) { s.Table = v.text() }),
		"query":   note("query", func(v value) { s.Query = v.text() }),
		"where":   func(v value) { s.Where = v.pairs() },
		"exclude": func(v value) { s.Exclude, counted = d.exclusions(v) },
		"claim":   note("claim", func(v value) { s.Claim = v.pairs() }),
		"skew":    func(v value) { s.Skew = v.span() },
		"map": note("map", func(m value) {
			if v.has("preset") {
				s.Map, cleared = d.fieldsOver(m)
				return
			}
			s.Map = d.fieldMap(m)
		}),
		"row":         note("row", func(v value) { s.Row = v.word("attempt") }),
		"id":          func(v value) { s.ID = v.texts() },
		"rows":        note("rows", func(v value) { v.rows(&s) }),
		"coverage":    func(v value) { s.Coverage = v.coverage() },
		"retained":    note("retained", func(v value) { s.Retained = v.lasting() }),
		"fingerprint": func(v value) { s.Fingerprint = v.fingerprint() },
	})
	if preset, given := places["preset"]; given {
		d.takePreset(preset, &s, places, cleared, counted)
	}
	s.TestMode = slices.Contains(counted, mapping.TestMode)
	if slices.ContainsFunc(s.Map, func(f sources.Field) bool { return f.Name == "mode" }) {
		counted = slices.DeleteFunc(counted, func(reason string) bool { return reason == mapping.TestMode })
	}
	if _, given := places["preset"]; len(counted) > 0 && !given {
		v.fail("give its conditions, or take it out", "the exclusion %s is null, and there is no preset that has it", quote(counted[0]))
	}
	d.sourceComplete(v, &s, places)
	d.sourceFits(v, &s, places)
	return s
}

func (v value) role() reconcile.Role {
	r, err := reconcile.ParseRole(v.word("receipts", "effects", "provider", "intents", "outbox"))
	if err != nil {
		return 0 // word has said it
	}
	return r
}

// sourceComplete demands what every source must say.
func (d *decoder) sourceComplete(v value, s *sources.Spec, places map[string]value) {
	for _, need := range []struct{ name, hint string }{
		{"name", "name it: findings point to it by name"},
		{"role", "say what its rows are: receipts, effects, provider, intents or outbox"},
		{"open", "say where it is, like open: sqlite:orders.sqlite"},
		{"map", "say what its columns mean, like map: {key: id, state: status}"},
	} {
		_, ok := places[need.name]
		if _, byPreset := places["preset"]; byPreset && (need.name == "role" || need.name == "map") {
			continue
		}
		if !ok {
			v.fail(need.hint, "%s is missing", need.name)
		}
	}
	d.later = append(d.later, func(cfg *Config) {
		for i := range cfg.Sources {
			o := &cfg.Sources[i]
			if o.Name == s.Name && (o.Line != s.Line || o.Col != s.Col) && (o.Line < s.Line || o.Line == s.Line && o.Col < s.Col) {
				places["name"].fail("give it another name", "two sources are named %s", quote(s.Name))
			}
		}
	})
}

// sourceFits refuses settings that its kind of store or its role does not have.
func (d *decoder) sourceFits(v value, s *sources.Spec, places map[string]value) {
	_, table := places["table"]
	query, asked := places["query"]
	database := s.Scheme == sources.SQLite || s.Scheme == sources.Postgres
	switch {
	case database && !table && !asked:
		v.fail("add table: NAME, or query: SELECT … with coverage", "a database needs a table")
	case table && asked:
		query.fail("keep one of them", "both a table and a query")
	case asked && s.Coverage == nil:
		query.fail("add coverage: {from: …, to: …}: nobody knows what a query leaves out", "a query without coverage proves no absence")
	case !database && (table || asked) && s.Scheme != "":
		places[map[bool]string{true: "table", false: "query"}[table]].fail("take it out: a file holds one list of records", "%s files have no tables", s.Scheme)
	}
	only := func(field, why string, ok bool) {
		if at, given := places[field]; given && !ok {
			at.fail("take it out", "%s means nothing here: %s", field, why)
		}
	}
	serving := s.Role == reconcile.RoleReceipt || s.Role == reconcile.RoleEffect
	only("serves", "only receipts and effects are consulted by the service", serving)
	only("claim", "only provider lines are claimed", s.Role == reconcile.RoleProvider)
	only("retained", "only effects are archived", s.Role == reconcile.RoleEffect)
	only("row", "only intents and provider logs hold a line per attempt", s.Role == reconcile.RoleIntent || s.Role == reconcile.RoleProvider)
	if at, given := places["rows"]; given {
		switch {
		case len(s.Rows) > 0 && s.Scheme != sources.JSON:
			at.fail("take it out", "rows names where the array stands in a json source")
		case s.CSV != nil && s.Scheme != sources.CSV:
			at.fail("take it out", "delimiter, header, skip and encoding belong to a csv source")
		case s.Pattern != "" && s.Scheme != sources.Text:
			at.fail("take it out", "pattern describes the lines of a text source")
		}
	}
	if s.Scheme == sources.Text && s.Pattern == "" {
		v.fail("add rows: {pattern: …}, a regular expression whose named groups are the columns", "nothing says what a line of the text looks like")
	}
}

// rows reads where the records stand in a file: the ways to them in JSON, the shape of a CSV, the lines of a text.
func (v value) rows(s *sources.Spec) {
	if !v.mapping() {
		for _, way := range v.texts() {
			if _, err := mapping.ParseWay(way); err != nil {
				v.fail(`write NAME, OUTER.NAME, NAME[] where it must be a list, * for every member, "." for the value itself`, "rows leads nowhere: %s", quote(way))
			}
			s.Rows = append(s.Rows, way)
		}
		return
	}
	if v.has("pattern") {
		v.fields(map[string]func(value){"pattern": func(v value) {
			s.Pattern = v.text()
			if _, err := lines.Compile(s.Pattern); err != nil {
				v.fail("the syntax is RE2's; columns are named groups: (?P<NAME>…)", "the pattern cannot be used: %s", text.SafeString(err.Error()))
			}
		}})
		return
	}
	s.CSV = v.csvShape()
}

func (v value) csvShape() *sources.CSVShape {
	shape := &sources.CSVShape{Delimiter: ',', Header: true}
	v.fields(map[string]func(value){
		"delimiter": func(v value) {
			s := v.text()
			if s == "tab" {
				s = "\t"
			}
			if s == "any" {
				shape.Delimiter = 0
				return
			}
			if len(s) != 1 || !strings.Contains(",;\t|", s) {
				v.fail("write \",\", \";\", \"|\", tab, or any to find out", "%s cannot separate cells: %s", v.name, quote(s))
				return
			}
			shape.Delimiter = rune(s[0])
		},
		"header": func(v value) {
			if s := v.text(); s == "find" {
				shape.Header, shape.Find = true, true
				return
			}
			shape.Header = v.flag()
		},
		"skip": func(v value) { shape.Skip = int(v.number(0, maxCount)) },
		"encoding": func(v value) {
			shape.Encoding = v.text()
			if _, err := csv.EncodingNamed(shape.Encoding); err != nil {
				v.fail("write utf-8, utf-16, windows-1252, iso-8859-1 or another IANA name, or convert a copy of the file", "%s is no encoding that can be read: %s", v.name, quote(shape.Encoding))
			}
		},
	})
	return shape
}

func (v value) coverage() *sources.DeclaredCoverage {
	c := &sources.DeclaredCoverage{}
	v.fields(map[string]func(value){
		"from":       func(v value) { c.From = v.instant() },
		"to":         func(v value) { c.To = v.instant() },
		"lag":        func(v value) { c.Lag = v.span() },
		"partitions": func(v value) { c.Partitions = v.partitions() },
	})
	if c.From.After(c.To) {
		v.fail("exchange from and to", "the coverage ends before it begins")
	}
	return c
}

// serve settles which sources the service consults now: the only one of its role; effects of one store, which cannot be copies of each other.
func (d *decoder) serve(cfg *Config) {
	for _, role := range []reconcile.Role{reconcile.RoleReceipt, reconcile.RoleEffect} {
		var group []*sources.Spec
		serving := map[string]bool{}
		for i := range cfg.Sources {
			if s := &cfg.Sources[i]; s.Role == role {
				group = append(group, s)
				if s.Serves != nil && *s.Serves {
					serving[storeOf(s)] = true
				}
			}
		}
		for i, s := range group {
			if s.Serves != nil {
				continue
			}
			alone := len(group) == 1 || role == reconcile.RoleEffect && oneStore(group)
			yes := alone || role == reconcile.RoleEffect && serving[storeOf(s)]
			if !yes && len(serving) == 0 && i > 0 {
				d.fail(pos{s.Line, s.Col}, "say serves: true in the one that the service consults now, serves: false in a copy, a backup, an old primary", "several sources have the role %s, and none says that it serves", role)
				return
			}
			s.Serves = &yes
		}
		d.oneServes(role, group)
	}
}

// storeOf tells stores apart. What may be printed of two servers may be the same.
func storeOf(s *sources.Spec) string {
	if s.Scheme == sources.Postgres {
		return s.Path
	}
	return s.Shown
}

func oneStore(group []*sources.Spec) bool {
	return !slices.ContainsFunc(group, func(s *sources.Spec) bool {
		return storeOf(s) != storeOf(group[0]) || s.Table == group[0].Table && s != group[0]
	})
}

// oneServes refuses two serving receipt stores for one action: nothing would tell which of them a retry meets.
func (d *decoder) oneServes(role reconcile.Role, group []*sources.Spec) {
	if role != reconcile.RoleReceipt {
		return
	}
	for i, s := range group {
		for _, o := range group[:i] {
			if s.Serves != nil && o.Serves != nil && *s.Serves && *o.Serves && !apart(s, o) {
				d.fail(pos{s.Line, s.Col}, "let one serve, or keep them apart by a constant component or by coverage.partitions", "%s and %s both serve the same actions", quote(o.Name), quote(s.Name))
			}
		}
	}
}

// apart reports whether no action can be in both: a constant component or a declared partition differs.
func apart(a, b *sources.Spec) bool {
	values := func(s *sources.Spec) map[string][]string {
		out := map[string][]string{}
		for _, f := range s.Map {
			if f.Const != nil {
				out[f.Name] = []string{*f.Const}
			}
		}
		if s.Coverage != nil {
			maps.Copy(out, s.Coverage.Partitions)
		}
		return out
	}
	of := values(b)
	for name, mine := range values(a) {
		theirs, ok := of[name]
		if ok && !slices.ContainsFunc(mine, func(m string) bool { return slices.Contains(theirs, m) }) {
			return true
		}
	}
	return false
}
