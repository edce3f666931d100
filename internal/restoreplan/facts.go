package restoreplan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

// known is what the records of a case tell of its lost receipt.
type known struct {
	c        *scan.Case
	contract *reconcile.Contract
	copies   []*scan.Evidence // the receipt as a store keeps it that does not serve
	effects  []*scan.Evidence
	others   []*scan.Evidence // intents first, then provider lines
	plan     *Plan
}

func (p *Plan) knownOf(c *scan.Case) (*known, error) {
	k := &known{c: c, contract: p.contract(c.Contract), plan: p}
	if k.contract == nil {
		return nil, fmt.Errorf("no contract claims it")
	}
	if c.More > 0 {
		return nil, fmt.Errorf("it has more records than a scan keeps of one case")
	}
	for i := range c.Evidence {
		e := &c.Evidence[i]
		s := p.stores[e.Source]
		if s == nil || e.History {
			continue
		}
		switch e.Role {
		case reconcile.RoleReceipt:
			if factOf(e, "state").String() == reconcile.StateCompleted.String() { // what had not answered yet has no answer to give again
				k.copies = append(k.copies, e)
			}
		case reconcile.RoleEffect:
			if s.serves && k.effective(e) {
				k.effects = append(k.effects, e)
			}
		case reconcile.RoleIntent, reconcile.RoleProvider:
			k.others = append(k.others, e)
		case reconcile.RoleOutbox:
		}
	}
	slices.SortStableFunc(k.others, func(a, b *scan.Evidence) int { return int(a.Role) - int(b.Role) })
	return k, nil
}

func (k *known) effective(e *scan.Evidence) bool {
	status := factOf(e, "status")
	return (!status.Known() || status.String() == reconcile.StatusEffective.String()) && !factOf(e, "deleted_at").Known()
}

func factOf(e *scan.Evidence, name string) reconcile.Value {
	for _, f := range e.Facts {
		if f.Name == name {
			return f.Value
		}
	}
	return reconcile.Value{}
}

var errDiffer = errors.New("its records differ in it")

// agreed is the one value that the records in a list give a fact: unknown where none does, an error where two differ.
func agreed(es []*scan.Evidence, name string) (reconcile.Value, error) {
	var found reconcile.Value
	for _, e := range es {
		v := factOf(e, name)
		if found.Differs(v) {
			return v, errDiffer
		}
		if v.Known() {
			found = v
		}
	}
	return found, nil
}

// first is the value of a fact in the first list that has it.
func first(name string, lists ...[]*scan.Evidence) (reconcile.Value, error) {
	for _, es := range lists {
		if v, err := agreed(es, name); err != nil || v.Known() {
			return v, err
		}
	}
	return reconcile.Value{}, nil
}

// component is a part of the identity, or another component that the records carry.
func (k *known) component(name string) (reconcile.Value, error) {
	for _, c := range k.c.Identity {
		if c.Name == name {
			return c.Value, nil
		}
	}
	return first(name, k.copies, k.effects, k.others)
}

// text is a fact of the receipt that is a text, a number or a word.
func (k *known) text(name string, to *store) (reconcile.Value, error) {
	switch name {
	case "state":
		return reconcile.Text(reconcile.StateCompleted.String()), nil
	case "phase":
		return reconcile.Text(reconcile.PhaseFinished.String()), nil
	case "response_status":
		return k.status()
	case "response_body":
		return k.body()
	case "fingerprint":
		return k.fingerprint(to)
	case "params":
		return k.params()
	case "effect_id":
		return first(name, k.copies, k.effects)
	case "provider_ref":
		v, err := first(name, k.copies, k.effects)
		if err != nil || v.Known() {
			return v, err
		}
		return agreed(k.providers(), "object_id")
	case "error_code":
		return reconcile.Value{}, nil
	case "generation", "message_id", "event_id":
		return agreed(k.copies, name)
	}
	return first(name, k.copies, k.effects, k.others)
}

func (k *known) providers() []*scan.Evidence {
	return slices.DeleteFunc(slices.Clone(k.others), func(e *scan.Evidence) bool {
		return e.Role != reconcile.RoleProvider || factOf(e, "outcome").String() != reconcile.OutcomeSucceeded.String()
	})
}

func (k *known) status() (reconcile.Value, error) {
	if v, err := agreed(k.copies, "response_status"); err != nil || v.Known() {
		return v, err
	}
	if k.contract.Rebuild == nil {
		return reconcile.Value{}, nil
	}
	return reconcile.Text(strconv.FormatInt(k.contract.Rebuild.ResponseStatus, 10)), nil
}

func (k *known) body() (reconcile.Value, error) {
	if v, err := agreed(k.copies, "response_body"); err != nil || v.Known() {
		return v, err
	}
	if k.contract.Rebuild == nil || k.contract.Rebuild.ResponseBody == "" {
		return reconcile.Value{}, nil
	}
	return k.rebuilt(k.contract.Rebuild.ResponseBody)
}

// fingerprint is one that is declared to be made as the store's own are.
func (k *known) fingerprint(to *store) (reconcile.Value, error) {
	spec := k.specOf(to)
	for _, es := range [][]*scan.Evidence{k.copies, k.effects, k.others} {
		alike := slices.DeleteFunc(slices.Clone(es), func(e *scan.Evidence) bool { return !spec.Comparable(k.specOf(k.plan.stores[e.Source])) })
		if v, err := agreed(alike, "fingerprint"); err != nil || v.Known() {
			return v, err
		}
	}
	return reconcile.Value{}, nil
}

func (k *known) specOf(s *store) *reconcile.FingerprintSpec {
	if s.spec.Fingerprint != nil {
		return s.spec.Fingerprint
	}
	return k.contract.Fingerprint
}

// params are the request as the first record tells it: what the client sent before what the row says.
func (k *known) params() (reconcile.Value, error) {
	var intents []*scan.Evidence
	for _, e := range k.others {
		if e.Role == reconcile.RoleIntent {
			intents = append(intents, e)
		}
	}
	var found reconcile.Value
	for _, es := range [][]*scan.Evidence{k.copies, k.effects, intents} {
		for _, e := range es {
			v := factOf(e, "params")
			switch {
			case !v.Known():
			case !found.Known():
				found = v
			case !sameRequest(found.Bytes(), v.Bytes(), k.contract.Params):
				return v, errDiffer
			}
		}
	}
	return found, nil
}

func sameRequest(a, b []byte, spec *reconcile.ParamSpec) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := reconcile.Canonical(a, spec)
	y, errY := reconcile.Canonical(b, spec)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

var placeholder = regexp.MustCompile(`\{[a-z][a-z0-9_]*\}`)

// rebuilt fills the contract's template of a response. In JSON a value that stands by itself is written as a number where it is one, as a string else.
func (k *known) rebuilt(template string) (reconcile.Value, error) {
	asJSON := strings.HasPrefix(strings.TrimSpace(template), "{") || strings.HasPrefix(strings.TrimSpace(template), "[")
	var out strings.Builder
	at, inString := 0, false
	for _, m := range placeholder.FindAllStringIndex(template, -1) {
		before := template[at:m[0]]
		out.WriteString(before)
		inString = inString != (quotes(before)%2 == 1)
		name := template[m[0]+1 : m[1]-1]
		v, err := k.named(name)
		switch {
		case err != nil:
			return v, fmt.Errorf("%s: %w", name, err)
		case !v.Known():
			return v, fmt.Errorf("rebuild needs %s, which no record tells", name)
		case !asJSON:
			out.Write(v.Bytes())
		case !utf8.Valid(v.Bytes()):
			return v, fmt.Errorf("rebuild needs %s, which is not UTF-8", name)
		case inString:
			quoted, err := json.Marshal(v.String())
			if err != nil {
				return v, err
			}
			out.Write(quoted[1 : len(quoted)-1])
		case number(v.Bytes()):
			out.Write(v.Bytes())
		default:
			quoted, err := json.Marshal(v.String())
			if err != nil {
				return v, err
			}
			out.Write(quoted)
		}
		at = m[1]
	}
	out.WriteString(template[at:])
	if asJSON && !json.Valid([]byte(out.String())) {
		return reconcile.Value{}, fmt.Errorf("the response that rebuild makes is no JSON")
	}
	return reconcile.Text(out.String()), nil
}

// quotes counts the quotation marks of a piece of JSON that begin or end a string.
func quotes(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			n++
		}
	}
	return n
}

func number(b []byte) bool {
	return len(b) > 0 && (b[0] == '-' || '0' <= b[0] && b[0] <= '9') && json.Valid(b)
}

// named is a fact by the name that a template gives it.
func (k *known) named(name string) (reconcile.Value, error) {
	switch name {
	case "response_body":
		return reconcile.Value{}, nil
	case "response_status":
		return k.status()
	case "params":
		return k.params()
	}
	for _, c := range k.c.Identity {
		if c.Name == name {
			return c.Value, nil
		}
	}
	return first(name, k.effects, k.others)
}

// instant is a time of the receipt. The time of what it did stands in for when it was made and completed: nothing else is known of either.
func (k *known) instant(name string) (reconcile.Instant, error) {
	if name == "expires_at" {
		return k.expiry()
	}
	v, err := agreed(k.copies, name)
	if err != nil {
		return reconcile.Instant{}, err
	}
	if v.Known() {
		return parsed(v), nil
	}
	switch name {
	case "created_at", "updated_at", "completed_at", "locked_at", "lease_until":
		return k.done(), nil
	}
	return reconcile.Instant{}, nil
}

func parsed(v reconcile.Value) reconcile.Instant {
	t, err := time.Parse(time.RFC3339Nano, v.String())
	if err != nil {
		return reconcile.Instant{}
	}
	return reconcile.At(t)
}

// done is when the latest of what the action did was made.
func (k *known) done() reconcile.Instant {
	var at reconcile.Instant
	for _, e := range k.effects {
		at = reconcile.Latest(at, parsed(factOf(e, "created_at")))
	}
	if at.Known() {
		return at
	}
	for _, e := range k.providers() {
		at = reconcile.Latest(at, parsed(factOf(e, "created_at")))
	}
	return at
}

// window is the end of the time in which the action may be sent again.
func (k *known) window() (reconcile.Instant, error) {
	if k.c.Exposure.State != reconcile.ExposureUntil {
		return reconcile.Instant{}, fmt.Errorf("nothing says until when it may be sent again, so no life of a receipt is known to be long enough")
	}
	return k.c.Exposure.Until, nil
}

// expiry is the end of a life that reaches the end of the retry window at least.
func (k *known) expiry() (reconcile.Instant, error) {
	end, err := k.window()
	if err != nil {
		return end, err
	}
	v, err := agreed(k.copies, "expires_at")
	if err != nil {
		return end, err
	}
	if v.Known() {
		end = reconcile.Latest(end, parsed(v))
	}
	if k.contract.Retention.Valid {
		end = reconcile.Latest(end, k.done().Add(k.contract.Retention.D))
	}
	return end, nil
}
