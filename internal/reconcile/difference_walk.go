package reconcile

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// paramDoc is one record's parameters, read so that their spelling is still known.
type paramDoc struct {
	doc       []byte
	root      jsonValue
	transport map[int]bool // where the members begin that the contract leaves out
}

// spelled is a value as the record spells it.
func (d *paramDoc) spelled(v *jsonValue) []byte { return d.doc[v.from:v.to] }

// paramPath is a place in the parameters.
type paramPath struct {
	text, masked string
	hidden       bool   // masked differs from text
	name         string // of the last member
	depth        int    // of objects; 1 is a member of the whole
	listed       bool   // it leads through an array: exclude cannot name it
}

func (p paramPath) shown() string {
	if p.hidden {
		return p.masked
	}
	return p.text
}

// member is the path of a member. A name that has not the shape of a name may be data, as where an object is keyed by e-mail address.
func (p paramPath) member(name string) paramPath {
	step, masked := "."+name, "."+name
	if !plainName(name) {
		step = "[" + string(appendQuoted(nil, name)) + "]"
		masked = `["…" ` + strconv.Itoa(len(name)) + " B]"
	}
	q := p
	q.text, q.masked, q.hidden = p.text+step, p.shown()+masked, p.hidden || step != masked
	q.name, q.depth = name, p.depth+1
	return q
}

func (p paramPath) item(i int) paramPath {
	step := "[" + strconv.Itoa(i) + "]"
	q := p
	q.text, q.masked, q.listed = p.text+step, p.shown()+step, true
	return q
}

// The name of a member that is shown as it is may be so long, and have so many digits: one with more may be an id, a card, a token.
const (
	maxPlainName   = 40
	maxPlainDigits = 4
)

func plainName(name string) bool {
	if name == "" || len(name) > maxPlainName {
		return false
	}
	digits := 0
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '_', c == '-' && i > 0:
		case '0' <= c && c <= '9' && i > 0:
			digits++
		default:
			return false
		}
	}
	return digits <= maxPlainDigits
}

// paramDiff walks two documents side by side.
type paramDiff struct {
	spec       *ParamSpec
	one, other paramDoc
	parts      []ParamDifference // those that count
	rest       []ParamDifference // those that do not
	more       int
}

func (d *paramDiff) add(p paramPath, cause Cause, a, b *jsonValue) {
	list := &d.parts
	if !cause.Counts() {
		list = &d.rest
	}
	if len(*list) == MaxParamDifferences {
		d.more++
		return
	}
	part := ParamDifference{Path: p.text, Cause: cause, Hint: hintFor(p, cause)}
	if p.hidden {
		part.Masked = p.masked
	}
	if a != nil {
		part.One = Bytes(d.one.spelled(a))
	}
	if b != nil {
		part.Other = Bytes(d.other.spelled(b))
	}
	*list = append(*list, part)
}

// values compares two values that stand at one place.
func (d *paramDiff) values(p paramPath, a, b *jsonValue) {
	switch {
	case a.kind == '{' && b.kind == '{':
		d.objects(p, a, b)
	case a.kind == '[' && b.kind == '[':
		d.arrays(p, a, b)
	case typeOf(a) != typeOf(b) && typeOf(a) != 'n' && typeOf(b) != 'n':
		d.add(p, TypeDiffers, a, b)
	case !bytes.Equal(a.appendTo(nil), b.appendTo(nil)):
		d.add(p, ValueDiffers, a, b)
	case bytes.Equal(d.one.spelled(a), d.other.spelled(b)):
	case a.kind == '"':
		d.add(p, TextSpelling, a, b)
	default:
		d.add(p, NumberSpelling, a, b)
	}
}

// typeOf is a value's type: its kind, and of what has none t for true and false, n for null, 0 for a number.
func typeOf(v *jsonValue) byte {
	if v.kind != 0 {
		return v.kind
	}
	switch string(v.text) {
	case "true", "false":
		return 't'
	case "null":
		return 'n'
	}
	return 0
}

// objects compares two objects by the names of their members, which are sorted.
func (d *paramDiff) objects(p paramPath, a, b *jsonValue) {
	var common [][2]int
	i, k := 0, 0
	for i < len(a.members) || k < len(b.members) {
		switch which := besides(a.members[i:], b.members[k:]); {
		case which < 0:
			d.member(p.member(a.members[i].name), &a.members[i].value, nil)
			i++
		case which > 0:
			d.member(p.member(b.members[k].name), nil, &b.members[k].value)
			k++
		default:
			common = append(common, [2]int{a.members[i].value.from, b.members[k].value.from})
			d.member(p.member(a.members[i].name), &a.members[i].value, &b.members[k].value)
			i, k = i+1, k+1
		}
	}
	slices.SortFunc(common, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
	if !slices.IsSortedFunc(common, func(x, y [2]int) int { return cmp.Compare(x[1], y[1]) }) {
		d.add(p, KeyOrder, a, b)
	}
}

// besides tells which of two sorted lists has the next name; 0 where both have it.
func besides(a, b []jsonMember) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return 1
	}
	return compareUTF16(a[0].name, b[0].name)
}

// member compares a member that both have, or that one leaves out.
func (d *paramDiff) member(p paramPath, a, b *jsonValue) {
	out := (a != nil && d.one.transport[a.from]) || (b != nil && d.other.transport[b.from])
	switch {
	case a != nil && b != nil && !out:
		d.values(p, a, b)
	case a != nil && b != nil:
		if !bytes.Equal(a.appendTo(nil), b.appendTo(nil)) {
			d.add(p, Transport, a, b)
		}
	case out:
		d.add(p, Transport, a, b)
	default:
		d.add(p, d.causeOfLack(p, cmp.Or(a, b)), a, b)
	}
}

// causeOfLack says what it means that one gives the value and the other leaves it out.
func (d *paramDiff) causeOfLack(p paramPath, given *jsonValue) Cause {
	text, declared := "", false
	if d.spec != nil && p.depth == 1 && !p.listed {
		text, declared = d.spec.Defaults[p.name]
	}
	if declared {
		def, err := parseJSON([]byte(text))
		if err == nil && bytes.Equal(def.appendTo(nil), given.appendTo(nil)) {
			return DefaultGiven
		}
		return DefaultDiffers
	}
	if typeOf(given) == 'n' {
		return NullOrMissing
	}
	return MemberMissing
}

func (d *paramDiff) arrays(p paramPath, a, b *jsonValue) {
	for i := range max(len(a.items), len(b.items)) {
		switch q := p.item(i); {
		case i >= len(b.items):
			d.add(q, MemberMissing, &a.items[i], nil)
		case i >= len(a.items):
			d.add(q, MemberMissing, nil, &b.items[i])
		default:
			d.values(q, &a.items[i], &b.items[i])
		}
	}
}

// transportNames are names that a sender gives to what belongs to one send, not to the action: the hint to exclude a member is for these alone, since
// leaving out anything else could hide a real difference.
var transportNames = []string{
	"attempt", "attempt_id", "client_version", "correlation_id", "nonce", "request_id", "retries", "retry", "retry_count", "sdk_version", "sent_at", "session_id",
	"signature", "span_id", "timestamp", "trace", "trace_id", "traceparent", "tracestate", "user_agent", "x_request_id",
}

// hintFor says what in the contract would make a difference none, where it may be none.
func hintFor(p paramPath, cause Cause) string {
	switch name := strings.ToLower(strings.ReplaceAll(p.name, "-", "_")); {
	case !cause.Counts():
		return ""
	case slices.Contains(transportNames, name) && !p.listed:
		return "if it belongs to the send and not to the action, name it in `params.exclude`"
	case cause == NullOrMissing && p.depth == 1 && !p.listed:
		return "if null means the same as leaving it out, say `null` for it in `params.defaults`"
	case cause == MemberMissing && p.depth == 1 && !p.listed:
		return "if leaving it out means this value, name it in `params.defaults`"
	}
	return ""
}
