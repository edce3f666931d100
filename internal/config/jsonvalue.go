package config

import (
	"encoding/json"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// json returns the value as JSON text: a number keeps its digits.
func (v value) json() string {
	switch n := v.node.(type) {
	case *ast.NullNode, nil:
		return "null"
	case *ast.SequenceNode:
		parts := make([]string, len(n.Values))
		for i := range n.Values {
			parts[i] = value{d: v.d, node: n.Values[i], name: v.name}.json()
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *ast.MappingNode, *ast.MappingValueNode:
		var parts []string
		for _, e := range v.entries() {
			parts = append(parts, jsonText(e.key)+":"+e.val.json())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		s, _ := scalar(n)
		s = strings.ToLower(s)
		if !json.Valid([]byte(s)) {
			v.fail("write it in decimal digits, or in quotes as a text", "%s is no JSON number: %s", v.name, quote(s))
		}
		return s
	}
	return jsonText(v.textOrEmpty())
}

func (v value) textOrEmpty() string {
	s, ok := scalar(v.node)
	if !ok {
		v.fail("write one text", "%s must be one text", v.name)
	}
	return s
}

func jsonText(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
