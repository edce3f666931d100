package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"example.com/idemctl/internal/reconcile"
)

// Told is what a scenario is made of: real cases, and how their sources were read.
type Told struct {
	Now       reconcile.Instant
	Contracts []byte // the contracts of the config, as YAML
	Sources   []ToldSource
	Cases     []ToldCase
}

// ToldSource is a source of the real config.
type ToldSource struct {
	Name     string
	Role     reconcile.Role
	Serves   *bool
	Fields   []string // what its map gives
	Attempts bool     // a row is one attempt
	Skew     time.Duration
	Retained time.Duration
	Coverage reconcile.Coverage
	Restores []reconcile.Event
	tabled   bool   // it is written as a table
	as       string // the name that it is written under
}

// ToldCase is a real case.
type ToldCase struct {
	Identity []reconcile.Component
	Records  []ToldRecord
}

// ToldRecord is a record of a case, by its mapped facts.
type ToldRecord struct {
	Source string
	Facts  []reconcile.Fact
}

// ErrNothingTold is that no case was named.
var ErrNothingTold = errors.New("no case is named")

// Retell makes the config and the data of a scenario out of real cases. Names, keys and ids are replaced by invented ones, amounts shuffled, times shifted,
// each the same wherever it stands; secret makes the replacement that nobody can undo, shift is what times are moved by. It returns the files by their names,
// and what the cases' identities have become.
func Retell(t *Told, secret []byte, shift time.Duration) (map[string][]byte, [][]reconcile.Component, error) {
	if len(t.Cases) == 0 {
		return nil, nil, ErrNothingTold
	}
	d := newDisguise(secret, shift)
	d.study(t)
	t.rename(d)
	files := make(map[string][]byte)
	for i := range t.Sources {
		s := &t.Sources[i]
		data, err := s.lines(t, d)
		if err != nil {
			return nil, nil, err
		}
		if s.whole(len(data) == 0) {
			if files[s.as+".sql"], err = s.table(data); err != nil {
				return nil, nil, err
			}
			continue
		}
		files[s.as+".jsonl"] = data
	}
	cfg, err := t.config(d)
	if err != nil {
		return nil, nil, err
	}
	files["idemctl.yaml"] = cfg
	return files, t.identities(d), nil
}

// rename gives sources the names of their roles: a source may be named after a customer, and its file with it. What the contracts speak of keeps its name.
func (t *Told) rename(d *disguise) {
	taken := make(map[string]bool)
	for i := range t.Sources {
		if s := &t.Sources[i]; d.plain[s.Name] {
			s.as, taken[s.Name] = s.Name, true
		}
	}
	for i := range t.Sources {
		s := &t.Sources[i]
		for n := 1; s.as == ""; n++ {
			name := s.Role.String()
			if n > 1 {
				name = fmt.Sprintf("%s-%d", name, n)
			}
			if !taken[name] {
				s.as, taken[name] = name, true
			}
		}
	}
}

// named is the name that a source is written under.
func (t *Told) named(source string) string {
	for i := range t.Sources {
		if t.Sources[i].Name == source {
			return t.Sources[i].as
		}
	}
	return source
}

// identities are those of the cases, disguised.
func (t *Told) identities(d *disguise) [][]reconcile.Component {
	var out [][]reconcile.Component
	for i := range t.Cases {
		var one []reconcile.Component
		for _, c := range t.Cases[i].Identity {
			if c.Value.Known() && c.Name != "operation" {
				c.Value = reconcile.Text(d.text(c.Name, c.Value.String()))
			}
			one = append(one, reconcile.Component{Name: c.Name, Value: c.Value.Clone()})
		}
		out = append(out, one)
	}
	return out
}

// whole reports whether the source is written as a table, which is covered whole: one that was, or one of which no record is of the cases, for a file without
// lines would be one that could not be read.
func (s *ToldSource) whole(empty bool) bool {
	s.tabled = empty || s.Coverage.Complete && s.Coverage.Proves && !s.Coverage.From.Known() && s.Coverage.Lag == 0
	return s.tabled
}

// table writes lines as a table of texts.
func (s *ToldSource) table(lines []byte) ([]byte, error) {
	var columns []string
	for _, name := range s.Fields {
		columns = append(columns, name)
		if name == "amount" {
			columns = append(columns, "currency")
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "CREATE TABLE records (\n  row INTEGER PRIMARY KEY,\n  \"%s\" TEXT\n);\n", strings.Join(columns, "\" TEXT,\n  \""))
	dec := json.NewDecoder(bytes.NewReader(lines))
	for dec.More() {
		var row map[string]any
		if err := dec.Decode(&row); err != nil {
			return nil, fmt.Errorf("writing %s: %w", s.Name, err)
		}
		var values []string
		for _, c := range columns {
			values = append(values, sqlText(row[c]))
		}
		fmt.Fprintf(&out, "INSERT INTO records (\"%s\") VALUES (%s);\n", strings.Join(columns, "\", \""), strings.Join(values, ", "))
	}
	return out.Bytes(), nil
}

// sqlText writes a value as SQL text; a list as the JSON that it is.
func sqlText(v any) string {
	s, isText := v.(string)
	switch {
	case v == nil:
		return "NULL"
	case !isText:
		b, err := json.Marshal(v)
		if err != nil {
			return "NULL"
		}
		s = string(b)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// kinds of invented names, by the fact that they stand in.
var nameKinds = map[string]string{
	"key": "key", "effect_id": "id", "object_id": "object", "provider_ref": "object", "request_id": "request", "event_id": "event", "message_id": "message",
	"business_ref": "ref", "original_id": "object", "parent": "id", "provider_key": "key", "fingerprint": "hash", "target": "target",
}

// study learns every name and amount before anything is written.
func (d *disguise) study(t *Told) {
	var amounts []int64
	identity := make(map[string]bool)
	for i := range t.Cases {
		for _, c := range t.Cases[i].Identity {
			identity[c.Name] = true
		}
	}
	for i := range t.Cases {
		for j := range t.Cases[i].Records {
			for _, f := range t.Cases[i].Records[j].Facts {
				switch kind, named := nameKinds[f.Name]; {
				case f.Name == "operation":
				case f.Name == "amount":
					if a, ok := amountOf(f.Value.String()); ok {
						amounts = append(amounts, a.Minor)
						d.plain[a.Currency] = true
					}
				case named:
					d.learn(kind, f.Value.String())
				case strings.HasSuffix(f.Name, ".key_sent"):
					d.learn("key", f.Value.String())
				case identity[f.Name]:
					d.learn(f.Name, f.Value.String())
				}
			}
		}
	}
	d.allow(string(t.Contracts))
	d.order(amounts)
	d.ready()
}

// amountOf reads an amount as a fact spells it: 89.90 EUR.
func amountOf(s string) (reconcile.Amount, bool) {
	number, currency, _ := strings.Cut(s, " ")
	whole, frac, _ := strings.Cut(number, ".")
	var a reconcile.Amount
	if _, err := fmt.Sscan(whole+frac, &a.Minor); err != nil || len(frac) > 8 {
		return a, false
	}
	a.Exponent, a.Currency, a.Valid = uint8(len(frac)), currency, true
	return a, true
}

// lines are the source's records, each once, in the order of the cases.
func (s *ToldSource) lines(t *Told, d *disguise) ([]byte, error) {
	var out bytes.Buffer
	seen := make(map[string]bool)
	for i := range t.Cases {
		for j := range t.Cases[i].Records {
			r := &t.Cases[i].Records[j]
			if r.Source != s.Name {
				continue
			}
			line, err := s.line(r, d)
			if err != nil {
				return nil, err
			}
			if !seen[string(line)] {
				seen[string(line)] = true
				out.Write(append(line, '\n'))
			}
		}
	}
	return out.Bytes(), nil
}

// line writes a record: its facts, disguised, by the names that a map gives them.
func (s *ToldSource) line(r *ToldRecord, d *disguise) ([]byte, error) {
	row := make(map[string]any)
	tries := make(map[string]map[string]any)
	for _, f := range r.Facts {
		v := f.Value.String()
		if rest, ok := strings.CutPrefix(f.Name, "attempts."); ok {
			n, member, _ := strings.Cut(rest, ".")
			if tries[n] == nil {
				tries[n] = make(map[string]any)
			}
			tries[n][attemptMembers[member]] = s.fact(member, v, d)
			continue
		}
		switch f.Name {
		case "amount":
			if a, ok := amountOf(v); ok {
				a = d.amount(a)
				number, currency, _ := strings.Cut(a.String(), " ")
				row["amount"], row["currency"] = number, currency
			}
		case "key_from":
		case "sent":
			row["state"] = v
		default:
			row[f.Name] = s.fact(f.Name, v, d)
		}
	}
	if one := tries["0"]; s.Attempts && one != nil {
		row["outcome"], row["attempt_at"], row["target"] = one["outcome"], one["at"], one["target"]
	} else if len(tries) > 0 {
		var list []map[string]any
		for n := range len(tries) {
			list = append(list, tries[fmt.Sprint(n)])
		}
		row["attempts"] = list
	}
	return json.Marshal(row)
}

// attemptMembers are the members of an attempt by the names that facts give them.
var attemptMembers = map[string]string{"at": "at", "outcome": "outcome", "target": "target", "key_sent": "key"}

// fact disguises one fact. Words of closed sets, operations and numbers of the protocol tell nothing of anybody.
func (s *ToldSource) fact(name, v string, d *disguise) any {
	switch name {
	case "operation", "state", "status", "outcome", "phase", "response_status", "generation":
		return v
	case "error_code", "mode":
		if plainMember.MatchString(v) || digits(v) {
			return v
		}
	case "params", "response_body":
		return d.payload([]byte(v))
	}
	if at, err := time.Parse(time.RFC3339Nano, v); err == nil && (strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "_until") || name == "at") {
		return d.time(reconcile.At(at)).Time().UTC().Format(time.RFC3339Nano)
	}
	return d.text("text", v)
}

// closed are the words of closed sets, by role and the name that a map gives them.
func closed(role reconcile.Role, name string) []string {
	switch {
	case name == "state" && role == reconcile.RoleOutbox:
		return []string{"unsent", "sent", "confirmed"}
	case name == "state":
		return []string{"in-progress", "completed", "failed-final", "failed-retryable", "unknown"}
	case name == "status":
		return []string{"effective", "pending", "void", "reversed"}
	case name == "outcome" && role == reconcile.RoleIntent:
		return []string{"confirmed", "rejected", "failed", "uncertain", "not-sent"}
	case name == "outcome":
		return []string{"succeeded", "pending", "failed", "reversed", "unknown"}
	case name == "phase":
		return []string{"received", "local-done", "provider-sent", "finished"}
	}
	return nil
}

// config is the scenario's idemctl.yaml.
func (t *Told) config(d *disguise) ([]byte, error) {
	out := yaml.MapSlice{{Key: "version", Value: 1}, {Key: "name", Value: "our-incident"}, {Key: "now", Value: stampOf(d.time(t.Now))}}
	var contracts any
	if err := yaml.UnmarshalWithOptions(t.Contracts, &contracts, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("reading the contracts: %w", err)
	}
	out = append(out, yaml.MapItem{Key: "contracts", Value: contracts})
	var events []yaml.MapSlice
	var list []yaml.MapSlice
	for i := range t.Sources {
		s := &t.Sources[i]
		list = append(list, s.config(t.Now, d))
		for _, ev := range s.Restores {
			ev.Store = t.named(ev.Store)
			events = append(events, eventConfig(&ev, d))
		}
	}
	if len(events) > 0 {
		out = append(out, yaml.MapItem{Key: "restore", Value: events})
	}
	out = append(out, yaml.MapItem{Key: "sources", Value: list})
	data, err := yaml.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("writing the config: %w", err)
	}
	return data, nil
}

func stampOf(i reconcile.Instant) string { return i.Time().UTC().Format(time.RFC3339Nano) }

func eventConfig(ev *reconcile.Event, d *disguise) yaml.MapSlice {
	out := yaml.MapSlice{{Key: "store", Value: ev.Store}, {Key: "kind", Value: ev.Kind.String()}}
	if ev.From.Known() {
		out = append(out, yaml.MapItem{Key: "restored_to", Value: stampOf(d.time(ev.From))})
	}
	if to := ev.To.Or(ev.ResumedAt); to.Known() {
		out = append(out, yaml.MapItem{Key: "resumed_at", Value: stampOf(d.time(to))})
	}
	if len(ev.Only) > 0 {
		only := make(map[string][]string)
		for name, values := range ev.Only {
			for _, v := range values {
				only[name] = append(only[name], d.text(name, v))
			}
		}
		out = append(out, yaml.MapItem{Key: "only", Value: only})
	}
	return out
}

// config is the source's block: its file, and how far it is known to reach.
func (s *ToldSource) config(now reconcile.Instant, d *disguise) yaml.MapSlice {
	out := yaml.MapSlice{{Key: "name", Value: s.as}, {Key: "role", Value: s.Role.String()}, {Key: "open", Value: "jsonl:" + s.as + ".jsonl"}}
	if s.tabled {
		out[2].Value = "sqlite:" + s.as + ".sql"
		out = append(out, yaml.MapItem{Key: "table", Value: "records"})
	}
	if s.Serves != nil {
		out = append(out, yaml.MapItem{Key: "serves", Value: *s.Serves})
	}
	if s.Attempts {
		out = append(out, yaml.MapItem{Key: "row", Value: "attempt"})
	}
	if s.Skew > 0 {
		out = append(out, yaml.MapItem{Key: "skew", Value: s.Skew.String()})
	}
	if s.Retained > 0 {
		out = append(out, yaml.MapItem{Key: "retained", Value: s.Retained.String()})
	}
	if c := s.Coverage; c.Complete && c.Proves && !s.tabled {
		from, to := c.From.Or(reconcile.At(now.Time().AddDate(-20, 0, 0))), c.To.Or(now)
		reach := yaml.MapSlice{{Key: "from", Value: stampOf(d.time(from))}, {Key: "to", Value: stampOf(d.time(to))}}
		if c.Lag > 0 {
			reach = append(reach, yaml.MapItem{Key: "lag", Value: c.Lag.String()})
		}
		out = append(out, yaml.MapItem{Key: "coverage", Value: reach})
	}
	return append(out, yaml.MapItem{Key: "map", Value: s.mapping()})
}

// mapping reads each fact from the member of its own name.
func (s *ToldSource) mapping() yaml.MapSlice {
	var out yaml.MapSlice
	for _, name := range s.Fields {
		switch words := closed(s.Role, name); {
		case name == "amount":
			out = append(out, yaml.MapItem{Key: name, Value: map[string]string{"from": "amount", "unit": "written", "currency": "currency"}})
		case words != nil:
			own := make(map[string]string)
			for _, w := range words {
				own[w] = w
			}
			out = append(out, yaml.MapItem{Key: name, Value: map[string]any{"from": name, "words": own}})
		case name == "attempts":
			own := make(map[string]string)
			for _, w := range closed(reconcile.RoleIntent, "outcome") {
				own[w] = w
			}
			out = append(out, yaml.MapItem{Key: name, Value: map[string]any{"from": name, "words": own}})
		default:
			out = append(out, yaml.MapItem{Key: name, Value: name})
		}
	}
	return out
}
