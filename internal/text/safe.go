package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks one letter may carry before the rest are escaped: a taller stack paints over its neighbours.
const maxMarks = 4

// Safe returns b in the notation of this package: one line of printable text from which Parse gets b back.
//
// A space that begins or ends the text is escaped too, as nobody sees it there.
func Safe(b []byte) string {
	if plain(b) {
		return string(b)
	}
	return escape(b)
}

// SafeString is Safe for a string.
func SafeString(s string) string { return Safe([]byte(s)) }

// Once is SafeString for words that may be safe already, such as a reason that quotes data: they are not escaped a second time. It is not for data itself,
// which may spell what looks escaped.
func Once(s string) string {
	if b, err := Parse(s); err == nil && Safe(b) == s {
		return s
	}
	return SafeString(s)
}

// Key returns a key as it is shown: its safe text and, where it is more than plain ASCII, its fingerprint. Keys that only look alike are told apart by it.
func Key(b []byte) string {
	if plain(b) && len(b) > 0 {
		return string(b)
	}
	return escape(b) + " #" + Fingerprint(b)
}

// plain reports whether b is its own safe form at a glance: printable ASCII without a backslash and without a space at an end.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return len(b) == 0 || b[0] != ' ' && b[len(b)-1] != ' '
}

func escape(b []byte) string {
	var out strings.Builder
	out.Grow(len(b) + 16)
	var prev cluster
	for at := 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		edge := r == ' ' && (at == 0 || at+n == len(b))
		at += n
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, b[at-1])
			prev = cluster{}
		case r == '\\':
			out.WriteString(`\\`)
			prev = cluster{}
		case edge || obeyed(r) || !prev.takes(r):
			fmt.Fprintf(&out, `\u{%x}`, r)
			prev = cluster{}
		default:
			out.WriteRune(r)
			prev = prev.then(r)
		}
	}
	return out.String()
}

// obeyed reports whether r, printed as it is, could be obeyed, hide or go unseen: all but letters, marks, numbers, punctuation, symbols and the space,
// and of those the ones without a shape or with a width that terminals disagree on.
func obeyed(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, shapeless)
}

// shapeless are printable code points that show nothing or change the one before them.
var shapeless = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // blank Braille pattern
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth Hangul filler
	},
	R32: []unicode.Range32{
		{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, // musical null notehead
		{Lo: 0x1f3fb, Hi: 0x1f3ff, Stride: 1}, // emoji skin tones
	},
}

// cluster is what stands before a rune: whether a mark or a joining jamo may lean on it.
type cluster struct {
	base   bool
	hangul bool
	marks  int
}

func (c cluster) takes(r rune) bool {
	switch {
	case joining(r):
		return c.hangul && c.marks < maxMarks
	case unicode.Is(unicode.M, r):
		return c.base && c.marks < maxMarks
	}
	return true
}

func (c cluster) then(r rune) cluster {
	switch {
	case joining(r):
		return cluster{base: true, hangul: true, marks: c.marks + 1}
	case unicode.Is(unicode.M, r):
		return cluster{base: true, marks: c.marks + 1}
	}
	return cluster{base: r != ' ', hangul: unicode.Is(unicode.Hangul, r)}
}

// joining reports whether r is a Hangul vowel or final consonant, which takes no cell of its own after another jamo.
func joining(r rune) bool { return r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff }

// Parse returns the bytes of which s is the safe text. It fails on a backslash that begins no escape.
func Parse(s string) ([]byte, error) {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		if s[0] != '\\' {
			out, s = append(out, s[0]), s[1:]
			continue
		}
		n := escapeLen(s)
		if n < 2 {
			return nil, fmt.Errorf("parsing safe text: stray backslash before %s", Safe([]byte(Truncate(s[1:], 12))))
		}
		out, s = unescape(out, s[:n]), s[n:]
	}
	return out, nil
}

// escapeLen returns the length of the escape that s begins with, 1 when its backslash begins none.
func escapeLen(s string) int {
	switch {
	case strings.HasPrefix(s, `\\`):
		return 2
	case strings.HasPrefix(s, `\x`) && len(s) >= 4:
		if v, err := strconv.ParseUint(s[2:4], 16, 8); err == nil && v >= utf8.RuneSelf {
			return 4
		}
	case strings.HasPrefix(s, `\u{`):
		end := strings.IndexByte(s, '}')
		if end < 0 || end > len(`\u{10ffff`) {
			return 1
		}
		if _, ok := codePoint(s[3:end]); ok {
			return end + 1
		}
	}
	return 1
}

// unescape appends what the whole escape esc stands for.
func unescape(out []byte, esc string) []byte {
	switch esc[1] {
	case 'x':
		v, _ := strconv.ParseUint(esc[2:], 16, 8) // escapeLen has read it
		return append(out, byte(v))
	case 'u':
		r, _ := codePoint(esc[3 : len(esc)-1])
		return utf8.AppendRune(out, r)
	}
	return append(out, '\\')
}

func codePoint(hex string) (rune, bool) {
	v, err := strconv.ParseInt(hex, 16, 32)
	return rune(v), err == nil && hex[0] != '+' && utf8.ValidRune(rune(v))
}
