package reconcile

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MarshalJSON spells a Value for a saved scan: null when unknown, a string when it is UTF-8, else {"base64": …}. Nothing is lost.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case !v.known:
		return []byte("null"), nil
	case utf8.Valid(v.text):
		return json.Marshal(string(v.text))
	}
	return json.Marshal(map[string][]byte{"base64": v.text})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = Value{}
	if len(b) > 0 && b[0] == '{' {
		var m map[string][]byte
		if err := json.Unmarshal(b, &m); err != nil {
			return fmt.Errorf("reading a value: %w", err)
		}
		*v = Bytes(m["base64"])
		return nil
	}
	var s *string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("reading a value: %w", err)
	}
	if s != nil {
		*v = Text(*s)
	}
	return nil
}

// MarshalJSON spells an Instant for a saved scan: null when unknown, else nanoseconds since 1970.
func (i Instant) MarshalJSON() ([]byte, error) {
	if !i.known {
		return []byte("null"), nil
	}
	return json.Marshal(i.ns)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (i *Instant) UnmarshalJSON(b []byte) error {
	var ns *int64
	if err := json.Unmarshal(b, &ns); err != nil {
		return fmt.Errorf("reading an instant: %w", err)
	}
	*i = Instant{}
	if ns != nil {
		*i = AtUnix(*ns)
	}
	return nil
}
