package query

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"example.com/idemctl/internal/reconcile"
)

// parseWord reads a value of a closed set.
func parseWord[T any](v value, f *field, parse func(string) (T, error)) (T, *Error) {
	got, err := parse(strings.ToLower(v.text))
	if err != nil {
		return got, wrong(v.at, "one of "+strings.Join(f.words(), ", "), "%s has no value %q", f.name, v.text)
	}
	return got, nil
}

// anyOf makes a test that holds where the case's value is one of the token's.
func anyOf[T comparable](t *token, f *field, parse func(string) (T, error), get func(*Case) T) (test, *Error) {
	if t.op != ":" && t.op != "=" {
		return nil, wrong(t.at, f.name+":"+f.words()[0], "%s cannot be compared by %s", f.name, t.op)
	}
	var want []T
	for _, v := range t.values {
		one, err := parseWord(v, f, parse)
		if err != nil {
			return nil, err
		}
		want = append(want, one)
	}
	return func(c *Case, _ reconcile.Instant) bool { return slices.Contains(want, get(c)) }, nil
}

func exposure(t *token, f *field) (test, *Error) {
	return anyOf(t, f, reconcile.ParseExposureState, func(c *Case) reconcile.ExposureState { return c.Exposure.State })
}

func executed(t *token, f *field) (test, *Error) {
	return anyOf(t, f, reconcile.ParseExecuted, func(c *Case) reconcile.Executed { return c.Executed })
}

func retry(t *token, f *field) (test, *Error) {
	return anyOf(t, f, reconcile.ParseRetryVerdict, func(c *Case) reconcile.RetryVerdict { return c.RetryNow })
}

func headline(t *token, f *field) (test, *Error) {
	return anyOf(t, f, reconcile.ParseKind, func(c *Case) reconcile.Kind { return c.Headline })
}

func kinds(t *token, f *field) (test, *Error) {
	var mask uint32
	for _, v := range t.values {
		k, err := parseWord(v, f, reconcile.ParseKind)
		if err != nil {
			return nil, err
		}
		mask |= 1 << k
	}
	if t.op != ":" && t.op != "=" {
		return nil, wrong(t.at, "kind:orphaned-effect", "kind cannot be compared by %s", t.op)
	}
	return func(c *Case, _ reconcile.Instant) bool { return c.Kinds&mask != 0 }, nil
}

// severity knows an order: at least high is high and critical.
func severity(t *token, f *field) (test, *Error) {
	if t.op == ":" || t.op == "=" {
		return anyOf(t, f, reconcile.ParseSeverity, func(c *Case) reconcile.Severity { return c.Severity })
	}
	if t.op == "~" || len(t.values) != 1 {
		return nil, wrong(t.at, "severity>=high", "severity is compared with one word")
	}
	want, err := parseWord(t.values[0], f, reconcile.ParseSeverity)
	if err != nil {
		return nil, err
	}
	op := t.op
	return func(c *Case, _ reconcile.Instant) bool { return holds(op, int64(want), int64(c.Severity)) }, nil // the gravest is the least
}

func decision(t *token, f *field) (test, *Error) {
	if t.op != ":" && t.op != "=" {
		return nil, wrong(t.at, "decision:live", "decision cannot be compared by %s", t.op)
	}
	var some []func(c *Case) bool
	for _, v := range t.values {
		one := decisionTest(strings.ToLower(v.text))
		if one == nil {
			return nil, wrong(v.at, "one of "+strings.Join(f.words(), ", "), "decision has no value %q", v.text)
		}
		some = append(some, one)
	}
	return func(c *Case, _ reconcile.Instant) bool {
		return slices.ContainsFunc(some, func(one func(*Case) bool) bool { return one(c) })
	}, nil
}

func decisionTest(word string) func(c *Case) bool {
	switch word {
	case "none":
		return func(c *Case) bool { return !c.Decided }
	case "live":
		return func(c *Case) bool { return c.Decided && c.Live }
	case "changed":
		return func(c *Case) bool { return c.Decided && c.Changed }
	}
	if s, err := reconcile.ParseDecisionState(word); err == nil {
		return func(c *Case) bool { return c.Decided && c.State == s }
	}
	if d, err := reconcile.ParseDecision(word); err == nil {
		return func(c *Case) bool { return c.Decided && c.Decision == d }
	}
	if r, err := reconcile.ParseResolution(word); err == nil && r != reconcile.ResolutionNone {
		return func(c *Case) bool { return c.Decided && c.As == r }
	}
	return nil
}

// holds compares got with want as the operator says.
func holds(op string, got, want int64) bool {
	switch op {
	case ">":
		return got > want
	case ">=":
		return got >= want
	case "<":
		return got < want
	case "<=":
		return got <= want
	}
	return got == want
}

// text makes tests of the texts that get returns.
func text(get func(*Case) []reconcile.Component) func(t *token, f *field) (test, *Error) {
	return func(t *token, f *field) (test, *Error) {
		match, unknown, err := textMatch(t, f)
		if err != nil {
			return nil, err
		}
		return func(c *Case, _ reconcile.Instant) bool {
			found := get(c)
			for i := range found {
				if found[i].Value.Known() && match(found[i].Value.Bytes()) || unknown && !found[i].Value.Known() {
					return true
				}
			}
			return false
		}, nil
	}
}

func textMatch(t *token, f *field) (match func([]byte) bool, unknown bool, err *Error) {
	switch t.op {
	case "~":
		re, bad := regexp.Compile(t.values[0].text)
		if bad != nil {
			return nil, false, wrong(t.values[0].at, "", "not a regular expression: %s", t.values[0].text)
		}
		return re.Match, false, nil
	case ":", "=":
	default:
		return nil, false, wrong(t.at, f.name+":text, or "+f.name+"~expression", "%s is text and cannot be compared by %s", f.name, t.op)
	}
	var all []func([]byte) bool
	for _, v := range t.values {
		if v.open && v.text == "unknown" {
			unknown = true
			continue
		}
		all = append(all, pattern(v))
	}
	return func(b []byte) bool {
		return slices.ContainsFunc(all, func(one func([]byte) bool) bool { return one(b) })
	}, unknown, nil
}

// pattern matches a whole text; an open "*" stands for anything.
func pattern(v value) func([]byte) bool {
	if !v.open || !strings.Contains(v.text, "*") {
		want := []byte(v.text)
		return func(b []byte) bool { return bytes.Equal(b, want) }
	}
	parts := strings.Split(v.text, "*")
	return func(b []byte) bool {
		if !bytes.HasPrefix(b, []byte(parts[0])) {
			return false
		}
		b = b[len(parts[0]):]
		for _, p := range parts[1 : len(parts)-1] {
			i := bytes.Index(b, []byte(p))
			if i < 0 {
				return false
			}
			b = b[i+len(p):]
		}
		return bytes.HasSuffix(b, []byte(parts[len(parts)-1]))
	}
}

func caseID(t *token, _ *field) (test, *Error) {
	if t.op != ":" && t.op != "=" {
		return nil, wrong(t.at, "case:beginning", "case cannot be compared by %s", t.op)
	}
	return func(c *Case, _ reconcile.Instant) bool {
		return slices.ContainsFunc(t.values, func(v value) bool { return v.text != "" && bytes.HasPrefix(c.ID, []byte(v.text)) })
	}, nil
}

func currency(t *token, _ *field) (test, *Error) {
	if t.op != ":" && t.op != "=" {
		return nil, wrong(t.at, "currency:EUR", "currency cannot be compared by %s", t.op)
	}
	return func(c *Case, _ reconcile.Instant) bool {
		return slices.ContainsFunc(t.values, func(v value) bool {
			return c.Amount.Valid && strings.EqualFold(v.text, c.Amount.Currency) || !c.Amount.Valid && v.text == "unknown"
		})
	}, nil
}

// anywhere finds a text in the case's id, identity and kinds. Without capitals it finds capitals too.
func anywhere(needle string) test {
	fold := strings.ToLower(needle) == needle
	want := []byte(needle)
	var mask uint32
	for i := range reconcile.Findings {
		if strings.Contains(reconcile.Findings[i].Word, needle) {
			mask |= 1 << i
		}
	}
	return func(c *Case, _ reconcile.Instant) bool {
		if c.Kinds&mask != 0 || contains(c.ID, want, fold) || contains([]byte(c.Contract), want, fold) {
			return true
		}
		for i := range c.Identity {
			if c.Identity[i].Value.Known() && contains(c.Identity[i].Value.Bytes(), want, fold) {
				return true
			}
		}
		return false
	}
}

// contains searches b. Only ASCII capitals are folded, in place, so that a million texts are searched without making one.
func contains(b, want []byte, fold bool) bool {
	if bytes.Contains(b, want) {
		return true
	}
	if !fold || len(want) == 0 || len(b) < len(want) || !slices.ContainsFunc(b, func(c byte) bool { return c >= 'A' && c <= 'Z' }) {
		return false
	}
	for i := 0; i+len(want) <= len(b); i++ {
		if equalFold(b[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func equalFold(b, lower []byte) bool {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
