package draft

import (
	"slices"
	"strings"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/sources/rows"
)

// fit is a preset that fits, and how well.
type fit struct {
	preset *config.Preset
	score  int
	named  bool // by its table's own name
}

// recognise names the presets that fit a table, the best of each role.
func recognise(table *rows.Relation, presets []*config.Preset) []Source {
	var fits []fit
	for _, p := range presets {
		if score := tableScore(table, p); score > 0 {
			fits = append(fits, fit{p, score, score > named})
		}
	}
	return bestOf(fits)
}

// bestOf makes a source of the best preset of each role that fits as well as the best of all; the others are named beside it.
func bestOf(fits []fit) []Source {
	slices.SortStableFunc(fits, func(a, b fit) int { return b.score - a.score })
	var out []Source
	for _, f := range fits {
		i := slices.IndexFunc(out, func(s Source) bool { return s.Role == f.preset.Source.Role })
		switch {
		case fits[0].named && !f.named: // its columns are others' as well; its name is not
		case i >= 0:
			out[i].Also = append(out[i].Also, f.preset.Name)
		case f.score == fits[0].score:
			out = append(out, Source{Role: f.preset.Source.Role, Preset: f.preset})
		}
	}
	return out
}

// named is worth more than any number of columns: a table that has the preset's own name and its columns is that table.
const named = 1000

// enough is how many columns no other table has by chance.
const enough = 5

// tableScore is how well a preset fits a table: 0 is not at all. All its columns must be there, with types that can hold what it says. A table that is called
// otherwise fits where the columns alone tell it.
func tableScore(table *rows.Relation, p *config.Preset) int {
	if !slices.Contains(p.Formats, "table") {
		return 0
	}
	for _, sign := range p.Like.Columns {
		i := slices.IndexFunc(table.Columns, func(c rows.Column) bool { return strings.EqualFold(c.Name, sign.Name) })
		if i < 0 || !holds(table.Columns[i].Type, sign.Is) {
			return 0
		}
	}
	score := len(p.Like.Columns)
	bare := lastName(table.Name)
	if slices.ContainsFunc(p.Like.Tables, func(pattern string) bool { return like(strings.ToLower(pattern), strings.ToLower(bare)) }) {
		return named + score
	}
	if score < enough {
		return 0
	}
	return score
}

// lastName takes a table's own name from one with its schema.
func lastName(name string) string {
	if i := strings.LastIndex(name, "."); i >= 0 && !strings.HasSuffix(name, `"`) {
		return name[i+1:]
	}
	return strings.Trim(name, `"`)
}

// like reports whether a text fits a pattern, in which * stands for any text.
func like(pattern, s string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	if !strings.HasPrefix(s, head) {
		return false
	}
	for s = s[len(head):]; ; s = s[1:] {
		if like(tail, s) {
			return true
		}
		if s == "" {
			return false
		}
	}
}

// holds reports whether a column of a declared type can hold values of a kind. SQLite keeps times, JSON and uuids as text, booleans as numbers, and says nothing
// where nothing is declared.
func holds(declared, kind string) bool {
	t := strings.ToLower(declared)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(t, part) })
	}
	textual := has("char", "text", "clob", "citext", "string") || t == "name"
	switch kind {
	case "text":
		return t == "" || textual || has("uuid", "enum", "cidr", "user-defined") || !builtin(t)
	case "integer":
		return t == "" || has("int", "serial") || t == "number" || strings.HasPrefix(t, "numeric")
	case "number":
		return t == "" || has("int", "serial", "numeric", "decimal", "real", "double", "float", "number", "money")
	case "time":
		return t == "" || has("time", "date") || textual
	case "json":
		return t == "" || has("json", "blob") || textual
	case "blob":
		return t == "" || has("blob", "bytea", "binary")
	case "bool":
		return t == "" || has("bool", "int", "bit", "numeric")
	case "uuid":
		return t == "" || has("uuid", "uniqueidentifier", "blob") || textual
	}
	return true
}

// builtin reports whether a type is one of the common ones, and no enumeration of the service's own.
func builtin(t string) bool {
	for _, part := range []string{"int", "serial", "numeric", "decimal", "real", "double", "float", "time", "date", "json", "blob", "bytea", "bool", "bit", "money"} {
		if strings.Contains(t, part) {
			return true
		}
	}
	return false
}
