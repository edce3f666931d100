package restoreplan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// row is a receipt while it is built.
type row struct {
	k     *known
	to    *store
	cells map[string]*cell // by the column's name
	order []string
}

// cell is one column of the row, as far as it is settled.
type cell struct {
	set     bool
	null    bool
	text    []byte
	number  bool // a number, where the store declares no types
	made    bool // JSON made of its members
	members []member
}

// member is a value inside a JSON column.
type member struct {
	path []string
	fact string
	text []byte
	null bool
}

// needed are the facts without which a receipt would answer a retry wrongly. All that a map gives of them has to be known.
var needed = []string{"state", "phase", "fingerprint", "params", "response_status", "response_body", "effect_id"}

// build makes the receipt of a case, or says why it cannot be made.
func (p *Plan) build(c *scan.Case) (*insert, error) {
	k, err := p.knownOf(c)
	if err != nil {
		return nil, err
	}
	to, err := p.serving(c)
	if err != nil {
		return nil, err
	}
	r := &row{k: k, to: to, cells: map[string]*cell{}}
	if err := r.fill(); err != nil {
		return nil, err
	}
	end, err := k.window()
	if err != nil {
		return nil, err
	}
	if err := r.readBack(end); err != nil {
		return nil, err
	}
	in := &insert{caseID: c.CaseID, identity: c.Identity, store: to.spec.Name}
	if err := r.columns(in); err != nil {
		return nil, err
	}
	if in.unless, err = r.unless(); err != nil {
		return nil, err
	}
	if err := p.requires(k, to, in); err != nil || to.dialect == noSQL {
		return in, err
	}
	in.sql, err = to.insert(in)
	return in, err
}

// serving finds the one store of receipts into which a case's receipt goes.
func (p *Plan) serving(c *scan.Case) (*store, error) {
	var fit []*store
	for i := range p.in.Sources {
		s := p.stores[p.in.Sources[i].Name]
		if s.spec.Role == reconcile.RoleReceipt && s.serves && s.holds(c) {
			fit = append(fit, s)
		}
	}
	switch {
	case len(fit) == 0:
		return nil, errors.New("no store of receipts serves it")
	case len(fit) > 1:
		return nil, errors.New("several stores of receipts serve: into which of them it goes is not known")
	case fit[0].spec.Query != "":
		return nil, errors.New("the receipts are read by a query: into which table they go is not known")
	}
	return fit[0], nil
}

// holds reports whether no constant of a store's map says that the case is another's.
func (s *store) holds(c *scan.Case) bool {
	for i := range s.spec.Map {
		f := &s.spec.Map[i]
		for _, part := range c.Identity {
			if part.Name == f.Name && f.Const != nil && constantIs(f, part.Value.Bytes()) != nil {
				return false
			}
		}
	}
	return true
}

func (r *row) fill() error {
	for i := range r.to.spec.Map {
		f := &r.to.spec.Map[i]
		if len(f.Presence) > 0 {
			continue
		}
		if err := r.field(f); err != nil {
			return fmt.Errorf("%s: %w", text.SafeString(f.Name), err)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.to.spec.Where)) {
		if err := r.put("where", written{path: path, text: []byte(r.to.spec.Where[path])}); err != nil {
			return err
		}
	}
	for i := range r.to.spec.Map {
		if err := r.presence(&r.to.spec.Map[i]); err != nil {
			return err
		}
	}
	for _, name := range r.order {
		if err := r.document(name); err != nil {
			return fmt.Errorf("column %s: %w", text.SafeString(name), err)
		}
	}
	return nil
}

// field puts one fact into its column.
func (r *row) field(f *mapping.Field) error {
	switch {
	case times[f.Name]:
		return r.time(f)
	case f.Name == "amount":
		return r.amount(f)
	}
	component := slices.Contains(mapping.StandardComponents, f.Name) || slices.Contains(r.to.spec.Components, f.Name)
	var v reconcile.Value
	var err error
	if component {
		v, err = r.k.component(f.Name)
	} else {
		v, err = r.k.text(f.Name, r.to)
	}
	switch {
	case err != nil:
		return err
	case !v.Known() && (component || slices.Contains(needed, f.Name)):
		return errors.New("no record tells it, and no contract rebuilds it")
	case !v.Known():
		return nil // what fills the column, if anything must, is asked at the end
	}
	w, err := invert(f, v.Bytes())
	if err != nil {
		return err
	}
	return r.put(f.Name, w)
}

// time puts an instant into its column. A lease that is over is no part of a receipt that answers: it stays empty where the store allows it.
func (r *row) time(f *mapping.Field) error {
	switch {
	case f.Const != nil:
		return nil
	case f.ZoneFrom != "":
		return errors.New("its zone stands in another column")
	}
	lease := f.Name == "locked_at" || f.Name == "lease_until"
	path, err := mapping.ParsePath(f.From)
	if err != nil {
		return errors.New("it is not read from one column")
	}
	col := r.declared(path.Column)
	if lease && (col == nil || !col.NotNull) && len(path.Members) == 0 {
		return r.put(f.Name, written{path: f.From, null: true})
	}
	at, err := r.k.instant(f.Name)
	if err != nil || !at.Known() {
		return err
	}
	typ := ""
	if col != nil {
		typ = col.Type
	}
	spelled, err := clock(f, at, typ)
	if err != nil {
		return err
	}
	w, err := invert(f, spelled)
	if err != nil {
		return err
	}
	return r.put(f.Name, w)
}

// amount puts the effect's amount and its currency into their columns, exactly.
func (r *row) amount(f *mapping.Field) error {
	v, err := first("amount", r.k.copies, r.k.effects)
	if err != nil || !v.Known() {
		return err
	}
	digits, currency, _ := strings.Cut(v.String(), " ")
	switch {
	case f.Debit != "" || f.Point != "" || f.Thousands != "" || f.Decimals != "":
		return errors.New("how the service spells it is not known to the last sign")
	case f.Unit == "minor":
		digits = minor(digits)
	}
	w, err := invert(f, []byte(digits))
	if err != nil {
		return err
	}
	if err := r.put(f.Name, w); err != nil {
		return err
	}
	switch {
	case f.CurrencyIs != "" && f.CurrencyIs != currency:
		return fmt.Errorf("the map of this store says that it is always in %q", f.CurrencyIs)
	case len(f.Currencies) > 1:
		return errors.New("its currency is read from the first of several columns: which of them the service fills is not known")
	case len(f.Currencies) == 1 && currency != "":
		return r.put("currency", written{path: f.Currencies[0], text: []byte(currency)})
	}
	return nil
}

// minor takes the point out of an amount that has all decimals of its currency.
func minor(digits string) string {
	n := strings.Replace(digits, ".", "", 1)
	sign := ""
	if strings.HasPrefix(n, "-") {
		sign, n = "-", n[1:]
	}
	if n = strings.TrimLeft(n, "0"); n == "" {
		return "0"
	}
	return sign + n
}

// presence makes columns say by being set, or not, that the receipt is completed.
func (r *row) presence(f *mapping.Field) error {
	for _, p := range f.Presence {
		path, err := mapping.ParsePath(p.Column)
		if err != nil || len(path.Members) > 0 {
			return fmt.Errorf("state: %q is no column by itself", p.Column)
		}
		c := r.cells[r.name(path.Column)]
		if p.Word == reconcile.StateCompleted.String() {
			if c == nil || c.null {
				return fmt.Errorf("state: column %s says that it is completed, and what stands in it is not known", text.SafeString(p.Column))
			}
			continue
		}
		if c == nil {
			if err := r.put("state", written{path: p.Column, null: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// name is a column's name as the store declares it.
func (r *row) name(column string) string {
	if c := r.declared(column); c != nil {
		return c.Name
	}
	return column
}

func (r *row) declared(column string) *rows.Column {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for i := range r.to.columns {
			if same(r.to.columns[i].Name, column) {
				return &r.to.columns[i]
			}
		}
	}
	return nil
}

// put writes into a column, or a member of one. What two facts say of one place must be one thing.
func (r *row) put(fact string, w written) error {
	if w.path == "" {
		return nil
	}
	path, err := mapping.ParsePath(w.path)
	if err != nil {
		return err
	}
	if err := speakable(path.Column); err != nil {
		return err
	}
	name := r.name(path.Column)
	c := r.cells[name]
	if c == nil {
		c = &cell{}
		r.cells[name] = c
		r.order = append(r.order, name)
	}
	if len(path.Members) > 0 {
		c.members = append(c.members, member{path: path.Members, fact: fact, text: slices.Clone(w.text), null: w.null})
		return nil
	}
	if c.set && (c.null != w.null || !bytes.Equal(c.text, w.text)) {
		if !c.null && !w.null {
			return fmt.Errorf("column %s would have to hold two values", text.SafeString(name))
		}
		if w.null {
			return nil // one fact needs a value there, another does without
		}
	}
	c.set, c.null, c.text = true, w.null, slices.Clone(w.text)
	c.number = numbers(fact) && whole(w.text)
	return nil
}

// numbers reports whether a fact is kept as a number where nothing else is declared.
func numbers(fact string) bool {
	return times[fact] || fact == "response_status" || fact == "generation" || fact == "amount"
}

// document settles a column of which the map reads members: they have to stand in the JSON that is known of it. Where nothing is known of it but the members,
// and none of them is an answer to the client, it is made of them.
func (r *row) document(name string) error {
	c := r.cells[name]
	if len(c.members) == 0 {
		return nil
	}
	if c.set && !c.null {
		return c.agrees(c.text)
	}
	answers := slices.ContainsFunc(c.members, func(m member) bool {
		return slices.Contains([]string{"effect_id", "provider_ref", "object_id", "request_id", "business_ref", "params"}, m.fact)
	})
	if answers {
		body, err := r.k.body()
		if err != nil {
			return err
		}
		if !body.Known() || c.agrees(body.Bytes()) != nil {
			return errors.New("only members of it are known, not the rest of what it answers")
		}
		c.set, c.null, c.text = true, false, body.Bytes()
		return nil
	}
	doc, err := c.assemble()
	c.set, c.null, c.text, c.made = true, false, doc, true
	return err
}

// agrees reports whether a document holds every member as it is known.
func (c *cell) agrees(doc []byte) error {
	for _, m := range c.members {
		v, ok := at(doc, m.path)
		if !ok && m.null {
			continue
		}
		if !ok || string(v.Text) != string(m.text) {
			return fmt.Errorf("%s differs between the known answer and what its records say", text.SafeString(m.fact))
		}
	}
	return nil
}

// assemble makes a document of the members alone.
func (c *cell) assemble() ([]byte, error) {
	root := map[string]any{}
	for _, m := range c.members {
		into := root
		for _, name := range m.path[:len(m.path)-1] {
			next, ok := into[name].(map[string]any)
			if !ok {
				if into[name] != nil {
					return nil, errors.New("one of its members lies inside another")
				}
				next = map[string]any{}
				into[name] = next
			}
			into = next
		}
		last := m.path[len(m.path)-1]
		if into[last] != nil {
			return nil, errors.New("two facts stand in one member")
		}
		switch {
		case m.null:
			into[last] = json.RawMessage("null")
		case numbers(m.fact) && number(m.text):
			into[last] = json.RawMessage(m.text)
		case whole(m.text):
			return nil, fmt.Errorf("whether %s is a number or a text in it is not known", text.SafeString(m.fact))
		default:
			into[last] = string(m.text)
		}
	}
	doc, err := json.Marshal(root)
	if err != nil {
		return nil, errors.New("it cannot be written as JSON")
	}
	return doc, nil
}

// at reads a member of a document as a reader of stores would.
func at(doc []byte, path []string) (rows.Cell, bool) {
	var v json.RawMessage = doc
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(v, &object) != nil {
			return rows.Cell{Kind: rows.Missing}, false
		}
		var ok bool
		if v, ok = object[name]; !ok {
			return rows.Cell{Kind: rows.Missing}, false
		}
	}
	v = bytes.TrimSpace(v)
	switch {
	case len(v) == 0 || string(v) == "null":
		return rows.Cell{Kind: rows.Null}, false
	case v[0] == '"':
		var s string
		if json.Unmarshal(v, &s) != nil {
			return rows.Cell{Kind: rows.Missing}, false
		}
		return rows.Cell{Kind: rows.Text, Text: []byte(s)}, true
	case v[0] == '{', v[0] == '[':
		return rows.Cell{Kind: rows.JSON, Text: v}, true
	}
	return rows.Cell{Kind: rows.Number, Text: v}, true
}
