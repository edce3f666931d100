package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/spelling"
)

// value is one YAML value with its place.
type value struct {
	d    *decoder
	node ast.Node
	name string // the field that it is the value of, for errors
}

// entry is one member of a mapping.
type entry struct {
	key string
	at  pos
	val value
}

func (v value) at() pos { return posOf(v.node) }

func (v value) fail(hint, format string, args ...any) { v.d.fail(v.at(), hint, format, args...) }

func (v value) null() bool {
	_, ok := v.node.(*ast.NullNode)
	return ok || v.node == nil
}

func (v value) mapping() bool {
	switch v.node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// entries returns the members of a mapping in the file's order; a repeated key is an error.
func (v value) entries() []entry {
	var pairs []*ast.MappingValueNode
	switch m := v.node.(type) {
	case *ast.MappingNode:
		pairs = m.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{m}
	default:
		v.fail("write it as: {name: value}", "%s must hold named values", v.name)
		return nil
	}
	seen := make(map[string]int, len(pairs))
	out := make([]entry, 0, len(pairs))
	for _, p := range pairs {
		key, ok := scalar(p.Key)
		e := entry{key: key, at: posOf(p.Key), val: value{d: v.d, node: p.Value, name: quote(key)}}
		if !ok {
			v.d.fail(e.at, "write it as: name: value", "a key must be plain text")
			return nil
		}
		if line, twice := seen[key]; twice {
			v.d.fail(e.at, "keep one of them", "repeated field %s, first on line %d", quote(key), line)
			return nil
		}
		seen[key] = e.at.line
		out = append(out, e)
	}
	return out
}

// has reports whether a mapping has a member of that name.
func (v value) has(name string) bool {
	return slices.ContainsFunc(v.entries(), func(e entry) bool { return e.key == name })
}

// fields hands each member of a mapping to its reader; a member without one is an error that names the nearest.
func (v value) fields(readers map[string]func(value)) {
	for _, e := range v.entries() {
		read, ok := readers[e.key]
		if !ok {
			known := slices.Sorted(maps.Keys(readers))
			v.d.fail(e.at, suggest(e.key, known), "unknown field %s", quote(e.key))
			return
		}
		read(e.val)
	}
}

// scalar returns the source text of a scalar node.
func scalar(n ast.Node) (string, bool) {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value, true
	case *ast.LiteralNode:
		return s.Value.Value, true
	case *ast.NullNode:
		return "null", true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return s.GetToken().Value, true
	}
	return "", false
}

// text returns a scalar's text: a number or boolean is what stands in the file.
func (v value) text() string {
	s, ok := scalar(v.node)
	switch {
	case v.null():
		v.fail("give it one, or take the field out", "%s has no value", v.name)
	case !ok:
		v.fail("write one text", "%s must be one text", v.name)
	case s == "":
		v.fail("give it one, or take the field out", "%s is empty", v.name)
	}
	return s
}

// list returns the members of a sequence; one value may stand alone.
func (v value) list() []value {
	seq, ok := v.node.(*ast.SequenceNode)
	if !ok {
		if v.null() {
			v.text()
			return nil
		}
		return []value{v}
	}
	if len(seq.Values) == 0 {
		v.fail("give it a member, or take the field out", "%s is empty", v.name)
	}
	out := make([]value, len(seq.Values))
	for i, n := range seq.Values {
		out[i] = value{d: v.d, node: n, name: v.name}
	}
	return out
}

// texts returns the texts of a list, each once.
func (v value) texts() []string {
	items := v.list()
	out := make([]string, 0, len(items))
	for _, item := range items {
		s := item.text()
		if slices.Contains(out, s) {
			item.fail("keep one of them", "%s names %s twice", v.name, quote(s))
		}
		out = append(out, s)
	}
	return out
}

// pairs returns a mapping of texts.
func (v value) pairs() map[string]string {
	out := map[string]string{}
	for _, e := range v.entries() {
		out[e.key] = e.val.text()
	}
	return out
}

// lists returns a mapping of lists.
func (v value) lists() map[string][]string {
	out := map[string][]string{}
	for _, e := range v.entries() {
		out[e.key] = e.val.texts()
	}
	return out
}

func (v value) flag() bool {
	b, ok := v.node.(*ast.BoolNode)
	if !ok {
		v.fail("write true or false", "%s must be true or false", v.name)
		return false
	}
	return b.Value
}

// number returns a whole number that is written as plain decimal digits.
func (v value) number(least, most int64) int64 {
	s, _ := scalar(v.node)
	n, err := strconv.ParseInt(s, 10, 64)
	_, integer := v.node.(*ast.IntegerNode)
	if !integer || err != nil || strconv.FormatInt(n, 10) != s || n < least || n > most {
		v.fail("write plain digits", "%s must be a whole number from %d to %d", v.name, least, most)
		return 0
	}
	return n
}

// word returns the member of a closed set; known lists the set.
func (v value) word(known ...string) string {
	s := v.text()
	if !slices.Contains(known, s) {
		hint := "write one of these"
		if spelling.Meant(s, known) != "" {
			hint = suggest(s, known)
		}
		v.fail(hint, "%s cannot be %s: it is %s", v.name, quote(s), strings.Join(known, ", "))
		return ""
	}
	return s
}

// span returns a length of time, zero included.
func (v value) span() time.Duration {
	s := v.text()
	d, ok := parseSpan(s)
	switch _, bare := v.node.(*ast.IntegerNode); {
	case bare:
		v.fail("say the unit: "+quote(s+"s")+" for seconds", "%s has no unit", v.name)
	case !ok:
		v.fail("write it like 90s, 15m, 24h or 7d", "%s is no length of time: %s", v.name, quote(s))
	}
	return d
}

// lasting returns a length of time above zero.
func (v value) lasting() reconcile.Span {
	d := v.span()
	if d == 0 {
		v.fail("take the field out where nothing is declared", "%s must be longer than zero", v.name)
	}
	return reconcile.For(d)
}

// parseSpan reads Go's durations and whole days before them.
func parseSpan(s string) (time.Duration, bool) {
	var days time.Duration
	rest := s
	if n, tail, ok := strings.Cut(s, "d"); ok {
		count, err := strconv.ParseUint(n, 10, 32)
		if err != nil || count > 100*366 {
			return 0, false
		}
		if days, rest = time.Duration(count)*24*time.Hour, tail; rest == "" {
			return days, true
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || strings.ContainsAny(rest[:1], "+-") || days+d < 0 {
		return 0, false
	}
	return days + d, true
}

// instant returns a point in time: RFC 3339, or unix seconds.
func (v value) instant() reconcile.Instant {
	s := v.text()
	if _, ok := v.node.(*ast.IntegerNode); ok {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n > maxSeconds || n < -maxSeconds {
			v.fail("a number is unix seconds; milliseconds need three digits less", "%s lies outside the years 1678 to 2261", v.name)
			return reconcile.Instant{}
		}
		return reconcile.At(time.Unix(n, 0))
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		v.fail("write it with its zone, like 2026-11-29T06:00:00Z, or as unix seconds", "%s is no point in time: %s", v.name, quote(s))
		return reconcile.Instant{}
	}
	if t.Year() < 1678 || t.Year() > 2261 {
		v.fail("write the year in full", "%s lies outside the years 1678 to 2261", v.name)
		return reconcile.Instant{}
	}
	return reconcile.At(t)
}

// maxSeconds is the last whole second that a nanosecond count can hold.
const maxSeconds = 1<<63/1_000_000_000 - 1
