package report

import (
	"encoding/json"
	"io"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/text"
)

// shown is a string that may hold text from data.
type shown string

// MarshalJSON keeps the value exact and spells it so that a terminal obeys nothing.
func (s shown) MarshalJSON() ([]byte, error) { return text.JSONString(string(s)), nil }

// instant is a time, null when unknown.
type instant reconcile.Instant

// MarshalJSON writes RFC 3339 in UTC with as many decimals as the instant has.
func (i instant) MarshalJSON() ([]byte, error) {
	at := reconcile.Instant(i)
	if !at.Known() {
		return []byte("null"), nil
	}
	return []byte(`"` + instantText(at) + `"`), nil
}

const instantLayout = "2006-01-02T15:04:05.999999999Z"

func instantText(i reconcile.Instant) string {
	if !i.Known() {
		return "unknown"
	}
	return i.Time().Format(instantLayout)
}

// momentText writes an instant for a person: to the second. Programs get it exact, see instantText.
func momentText(i reconcile.Instant) string {
	if !i.Known() {
		return "unknown"
	}
	return i.Time().Truncate(time.Second).Format(instantLayout)
}

// endText is momentText of the end of a danger: rounded up, as it is not over before.
func endText(i reconcile.Instant) string {
	if !i.Known() {
		return "unknown"
	}
	if whole := i.Time().Truncate(time.Second); !whole.Equal(i.Time()) {
		return whole.Add(time.Second).Format(instantLayout)
	}
	return momentText(i)
}

// member is one member of an object whose members keep their order.
type member struct {
	name  string
	value json.RawMessage
}

type object []member

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, text.JSONString(m.name)...)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}'), nil
}

func bytesValue(v reconcile.Value) json.RawMessage {
	if !v.Known() {
		return json.RawMessage("null")
	}
	return text.JSONBytes(v.Bytes())
}

// write encodes v on one line; before and after stand around it.
func write(w io.Writer, before string, v any, after string) error {
	doc, err := encode(v)
	if err != nil {
		return err
	}
	line := append([]byte(before), text.EscapeJSON(doc)...)
	_, err = w.Write(append(line, after...))
	return err
}

// encode is json.Marshal without the escapes meant for HTML.
func encode(v any) ([]byte, error) {
	var out sink
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return out[:len(out)-1], nil
}

type sink []byte

func (s *sink) Write(p []byte) (int, error) { *s = append(*s, p...); return len(p), nil }
