package text

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONBytes returns the JSON value of b: a string where b is UTF-8, else {"base64": "…"}. The value is exact; the text that spells it is safe to print.
func JSONBytes(b []byte) json.RawMessage {
	if !utf8.Valid(b) {
		return json.RawMessage(`{"base64":"` + base64.StdEncoding.EncodeToString(b) + `"}`)
	}
	return quote(b)
}

// JSONString returns s as a JSON string for a member that must be one. Where s is not UTF-8 its safe text stands in.
func JSONString(s string) json.RawMessage {
	if !utf8.ValidString(s) {
		s = SafeString(s)
	}
	return quote([]byte(s))
}

func quote(b []byte) json.RawMessage {
	out := append(make([]byte, 0, len(b)+2), '"')
	for _, r := range string(b) {
		switch {
		case r == '"':
			out = append(out, '\\', '"')
		case r == '\\':
			out = append(out, '\\', '\\')
		case obeyed(r):
			out = appendUnicode(out, r)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}

// EscapeJSON returns the JSON document doc spelt so that a terminal showing it obeys nothing. Its value is unchanged: in a valid document such characters
// stand only inside strings. Every encoder's output passes through it, as encoding/json leaves DEL, C1 and format characters as they are.
func EscapeJSON(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for at := 0; at < len(doc); {
		r, n := utf8.DecodeRune(doc[at:])
		switch {
		case r < ' ':
			out = append(out, doc[at]) // white space between tokens: a string cannot hold it
		case obeyed(r) || r == utf8.RuneError && n == 1:
			out = appendUnicode(out, r)
		default:
			out = append(out, doc[at:at+n]...)
		}
		at += n
	}
	return out
}

func appendUnicode(out []byte, r rune) []byte {
	if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
		return fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
