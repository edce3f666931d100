package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
)

// several reports whether a value is a list.
func (v value) several() bool {
	_, ok := v.node.(*ast.SequenceNode)
	return ok
}

// places reads where a fact stands: a column, or alternatives of which the first that has a value is taken.
func (d *decoder) places(v value, f *sources.Field) {
	if !v.several() {
		f.From = v.column()
		return
	}
	for _, item := range v.list() {
		a := sources.Field{Name: f.Name, Line: item.at().line, Col: item.at().col}
		if item.mapping() {
			d.fieldForms(item, &a)
		} else {
			a.From = item.column()
		}
		f.First = append(f.First, a)
	}
}

// conditions reads columns and the texts that they may have.
func (v value) conditions() []mapping.Condition {
	var out []mapping.Condition
	for _, e := range v.entries() {
		if err := mapping.CheckPath(e.key); err != nil {
			v.d.fail(e.at, hintPath, "%s names no column", quote(e.key))
		}
		c := mapping.Condition{Path: e.key}
		for _, item := range e.val.list() {
			if item.null() {
				c.Want = append(c.Want, "null")
				continue
			}
			c.Want = append(c.Want, item.text())
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		v.fail("name a column and what stands in it, like {livemode: false}", "%s has no condition", v.name)
	}
	return out
}

// exclusions reads which rows are left out, by the reasons under which they are counted. A reason that is null is a preset's that is not to be used.
func (d *decoder) exclusions(v value) (own []mapping.Exclusion, cleared []string) {
	for _, e := range v.entries() {
		if e.val.null() {
			cleared = append(cleared, e.key)
			continue
		}
		own = append(own, mapping.Exclusion{Reason: e.val.d.reason(e), When: e.val.conditions(), Line: e.at.line, Col: e.at.col})
	}
	return own, cleared
}

// reason is a short name by which rows are counted.
func (d *decoder) reason(e entry) string {
	const longest = 40
	if !slices.ContainsFunc([]rune(e.key), func(r rune) bool { return r < ' ' || r > '~' }) && e.key != "" && len(e.key) <= longest {
		return e.key
	}
	d.fail(e.at, "write a short reason, like test-mode", "%s is no reason", quote(e.key))
	return ""
}

// over puts a source's own exclusions over those of its preset.
func over(preset, own []mapping.Exclusion, cleared []string, at pos) []mapping.Exclusion {
	out := slices.Clone(own)
	for _, x := range preset {
		taken := slices.ContainsFunc(own, func(o mapping.Exclusion) bool { return o.Reason == x.Reason })
		if !taken && !slices.Contains(cleared, x.Reason) {
			x.Line, x.Col = at.line, at.col
			out = append(out, x)
		}
	}
	return out
}

// zone reads a zone's name, or the column that gives it, with what its words mean.
func (v value) zone(f *sources.Field) {
	if !v.mapping() {
		f.Zone = v.text()
		return
	}
	v.fields(map[string]func(value){
		"from":  func(v value) { f.ZoneFrom = v.column() },
		"words": func(v value) { f.ZoneWords = v.pairs() },
	})
	if f.ZoneFrom == "" {
		v.fail("write zone: UTC, or zone: {from: COLUMN}", "%s comes from nowhere", v.name)
	}
}

// spellings reads as: one spelling of a time, or several in the order in which they are tried.
func (v value) spellings() (first string, or []string) {
	all := v.texts()
	if len(all) < 2 {
		return strings.Join(all, ""), nil
	}
	return all[0], all[1:]
}

// currencies reads the columns of a currency, of which the first that has a value counts, or {value: EUR}.
func (v value) currencies() (columns []string, constant string) {
	if !v.mapping() {
		for _, item := range v.list() {
			columns = append(columns, item.column())
		}
		return columns, ""
	}
	v.fields(map[string]func(value){"value": func(v value) { constant = v.text() }})
	if constant == "" {
		v.fail("write currency: COLUMN or currency: {value: EUR}", "%s is empty", v.name)
	}
	return nil, constant
}

// textsOrEmpty returns the texts of a list, of which one may be empty.
func (v value) textsOrEmpty() []string {
	var out []string
	for _, item := range v.list() {
		out = append(out, item.textOrEmpty())
	}
	return out
}
