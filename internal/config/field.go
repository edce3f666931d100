package config

import (
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
)

// fieldMap reads a source's map in the file's order. What the fields mean is checked when the whole file is known.
func (d *decoder) fieldMap(v value) []sources.Field {
	v.name = "map"
	entries := v.entries()
	if v.mapping() && len(entries) == 0 {
		v.fail("say what its columns mean, like map: {key: id, state: status}", "map is empty")
	}
	out := make([]sources.Field, len(entries))
	for i, e := range entries {
		out[i] = d.field(e)
	}
	return out
}

// fieldsOver reads a map that stands over a preset's: a fact that is null is one that the preset would read and that is not to be read.
func (d *decoder) fieldsOver(v value) (own []sources.Field, cleared []string) {
	v.name = "map"
	for _, e := range v.entries() {
		if e.val.null() {
			cleared = append(cleared, e.key)
			continue
		}
		own = append(own, d.field(e))
	}
	return own, cleared
}

// field reads one fact: a column, or a mapping of where it comes from and what is done to it.
func (d *decoder) field(e entry) sources.Field {
	f := sources.Field{Name: e.key, Line: e.at.line, Col: e.at.col}
	v := e.val
	switch {
	case !v.mapping():
		d.places(v, &f)
	case byPresence(v):
		f.Presence = v.presence()
	default:
		d.fieldForms(v, &f)
	}
	return f
}

// byPresence reports whether a state is given by columns: {in-progress: locked_at, completed: completed_at}.
func byPresence(v value) bool {
	return slices.ContainsFunc(v.entries(), func(e entry) bool {
		_, err := reconcile.ParseState(e.key)
		return err == nil
	})
}

func (v value) presence() []sources.Presence {
	var out []sources.Presence
	for _, e := range v.entries() {
		if _, err := reconcile.ParseState(e.key); err != nil {
			known := []string{"in-progress", "completed", "failed-final", "failed-retryable", "unknown"}
			v.d.fail(e.at, suggest(e.key, known), "%s is no state", quote(e.key))
		}
		out = append(out, sources.Presence{Word: e.key, Column: e.val.column()})
	}
	return out
}

const hintPath = `write column, column.member, column[0].member, or '"a name with dots".member'`

// column returns a column path.
func (v value) column() string {
	s := v.text()
	if err := mapping.CheckPath(s); err != nil && s != "" {
		v.fail(hintPath, "%s names no column: %s", v.name, quote(s))
	}
	return s
}

func (d *decoder) fieldForms(v value, f *sources.Field) {
	given := 0
	from := func(read func(value)) func(value) {
		return func(v value) { given++; read(v) }
	}
	v.fields(map[string]func(value){
		"value":        from(func(v value) { s := v.textOrEmpty(); f.Const = &s }),
		"from":         from(func(v value) { d.places(v, f) }),
		"parts":        from(func(v value) { f.Parts = v.parts() }),
		"join":         func(v value) { f.Join = v.text() },
		"json":         func(v value) { f.JSON = v.word("canonical", "python") },
		"strip_prefix": func(v value) { f.StripPrefix = v.text() },
		"prefix":       func(v value) { f.Prefix = v.text() },
		"hash":         func(v value) { f.Hash = v.word("md5-hex", "sha256-hex", "sha256-base64") },
		"truncate":     func(v value) { f.Truncate = int(v.number(1, maxCount)) },
		"lower":        func(v value) { f.Lower = v.flag() },
		"split":        func(v value) { f.Split, f.SplitIndex = v.split() },
		"words":        func(v value) { f.Words = v.pairs() },
		"when":         func(v value) { f.When = v.conditions() },
		"absent":       func(v value) { f.Absent = v.textsOrEmpty() },
		"as":           func(v value) { f.As, f.Or = v.spellings() },
		"zone":         func(v value) { v.zone(f) },
		"unit":         func(v value) { f.Unit = v.word("minor", "major", "written") },
		"currency":     func(v value) { f.Currencies, f.CurrencyIs = v.currencies() },
		"decimals":     func(v value) { f.Decimals = v.text() },
		"decimal":      func(v value) { f.Point = v.word(",", ".") },
		"thousands":    func(v value) { f.Thousands = v.word(",", ".", "'", " ") },
		"credit":       from(func(v value) { f.Credit = v.column() }),
		"debit":        func(v value) { f.Debit = v.column() },
		"each":         func(v value) { f.Each = d.fieldMap(v) },
	})
	moment := strings.HasSuffix(f.Name, "_at") || f.Name == "lease_until" || f.Name == "at"
	switch {
	case f.As+f.Zone+f.ZoneFrom != "" && !moment:
		v.fail("take as and zone out", "%s is no point in time", v.name)
	case f.Name != "amount" && (f.Unit+f.CurrencyIs+f.Decimals+f.Point+f.Thousands+f.Credit+f.Debit != "" || len(f.Currencies) > 0):
		v.fail("take unit, currency, credit and debit out", "%s is no amount", v.name)
	case given == 0:
		v.fail("give a column: {from: column}, or a constant: {value: text}", "%s comes from nowhere", v.name)
	case given > 1:
		v.fail("keep one of from, parts and value", "%s comes from two places", v.name)
	}
}

// parts reads a list of columns and constants, {value: text}.
func (v value) parts() []mapping.Part {
	var out []mapping.Part
	for _, item := range v.list() {
		if !item.mapping() {
			out = append(out, mapping.Part{Column: item.column()})
			continue
		}
		var p mapping.Part
		item.fields(map[string]func(value){"value": func(v value) { s := v.text(); p.Const = &s }})
		if p.Const == nil {
			item.fail("write a column, or {value: text}", "a part of %s comes from nowhere", v.name)
		}
		out = append(out, p)
	}
	return out
}

// split reads a separator, for the part before it, or {by: ":", part: 1}; parts count from 0.
func (v value) split() (by string, part int) {
	if !v.mapping() {
		return v.text(), 0
	}
	v.fields(map[string]func(value){
		"by":   func(v value) { by = v.text() },
		"part": func(v value) { part = int(v.number(0, maxCount)) },
	})
	if by == "" {
		v.fail(`write {by: ":", part: 1}; parts count from 0`, "%s has no separator", v.name)
	}
	return by, part
}
