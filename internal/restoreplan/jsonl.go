package restoreplan

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// JSONL writes the plan as one object a line: what it rests on, the ids to skip, the receipts with what has to hold for each, and those that cannot be rebuilt.
func (p *Plan) JSONL(w io.Writer) error {
	if err := p.Count(nil); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	line := func(o object) error {
		if err := lines.Encode(o); err != nil {
			return fmt.Errorf("writing the plan: %w", err)
		}
		return nil
	}
	if err := line(p.about()); err != nil {
		return err
	}
	for _, r := range p.sequences() {
		if err := line(object{{"record", "skip-ids"}, {"source", text.JSONString(r.Source)}, {"from", r.From}, {"to", r.To}}); err != nil {
			return err
		}
	}
	if err := p.each(func(in *insert) error { return line(p.line(in)) }, nil); err != nil {
		return err
	}
	if err := p.each(nil, func(u Unbuildable) error {
		return line(object{{"record", "unbuildable"}, {"case", u.Case}, {"identity", identityObject(u.Identity)}, {"reason", text.JSONString(u.Reason)}})
	}); err != nil {
		return err
	}
	return out.Flush()
}

// about is what a plan rests on.
func (p *Plan) about() object {
	m := p.in.Manifest
	gaps := make([]json.RawMessage, len(m.Gaps))
	for i := range m.Gaps {
		gaps[i] = text.JSONString(gapText(&m.Gaps[i]))
	}
	return object{
		{"record", "plan"},
		{"version", 1},
		{"name", text.JSONString(m.Name)},
		{"scan", shownTime(m.Now)},
		{"config_digest", m.ConfigDigest},
		{"gaps", gaps},
		{"insertable", p.Insertable},
		{"unbuildable", p.Unbuildable},
	}
}

// line is one receipt. unless: no row may stand that holds all of it. requires: rows that have to stand.
func (p *Plan) line(in *insert) object {
	s := p.stores[in.store]
	columns := make(object, len(in.columns))
	for i, c := range in.columns {
		columns[i] = pair{c.name, jsonOf(c)}
	}
	requires := make([]object, 0, len(in.requires))
	for _, r := range in.requires {
		requires = append(requires, object{{"source", text.JSONString(r.source)}, {"where", conditionsOf(r.where)}})
	}
	line := object{{"record", "insert"}, {"case", in.caseID}, {"identity", identityObject(in.identity)}, {"source", text.JSONString(in.store)}}
	if s.spec.Table != "" {
		line = append(line, pair{"table", text.JSONString(s.spec.Table)})
	}
	return append(line, pair{"columns", columns}, pair{"unless", conditionsOf(in.unless)}, pair{"requires", requires})
}

func conditionsOf(cs []condition) []object {
	out := make([]object, len(cs))
	for i, c := range cs {
		path := spell(append([]string{c.column}, c.members...))
		list := func(of []column) []any {
			vs := make([]any, len(of))
			for i := range of {
				vs[i] = jsonOf(of[i])
			}
			return vs
		}
		switch {
		case len(c.any) > 0:
			out[i] = object{{"column", text.JSONString(path)}, {"is", list(c.any)}}
		default:
			out[i] = object{{"column", text.JSONString(path)}, {"is_not", list(append([]column{{null: true}}, c.not...))}}
		}
	}
	return out
}

// spell writes a path as a map would.
func spell(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		if out[i] = n; strings.ContainsAny(n, `."`) {
			out[i] = identifier(n)
		}
	}
	return strings.Join(out, ".")
}

// jsonOf spells a value: numbers exactly, documents as they are, bytes that are no text in base64.
func jsonOf(c column) any {
	switch {
	case c.null:
		return nil
	case c.number, c.kind == integer && whole(c.text):
		return json.RawMessage(c.text)
	case c.made:
		return json.RawMessage(text.EscapeJSON(c.text))
	}
	return text.JSONBytes(c.text)
}

func identityObject(id []reconcile.Component) object {
	out := make(object, len(id))
	for i, c := range id {
		out[i] = pair{c.Name, nil}
		if c.Value.Known() {
			out[i].value = text.JSONBytes(c.Value.Bytes())
		}
	}
	return out
}

// object is a JSON object whose members keep their order.
type object []pair

type pair struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, p := range o {
		if i > 0 {
			out = append(out, ',')
		}
		v, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, text.JSONString(p.name)...), ':'), v...)
	}
	return append(out, '}'), nil
}
