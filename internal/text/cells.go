package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown reports whether Safe shows r as it is wherever it stands behind a letter: it is not obeyed, hides nothing and is seen.
func Shown(r rune) bool { return r != utf8.RuneError && r != '\\' && !obeyed(r) }

// Next returns how many bytes of s, which is not empty, make up its first unit and how many cells that takes. A unit stays together on a screen: an escape,
// or a rune with the marks on it.
func Next(s string) (bytes, cells int) { return unit(s) }

// Cut returns as much of safe text as fits into cells, without a mark of the cut, and the rest. It cuts through no escape.
func Cut(s string, cells int) (head, rest string) {
	end, used := 0, 0
	for end < len(s) {
		n, w := unit(s[end:])
		if used+w > cells {
			break
		}
		end, used = end+n, used+w
	}
	return s[:end], s[end:]
}

// Wrap breaks safe text into lines of at most cells, at spaces where there are any and never inside an escape that fits a line. It has at least one line.
func Wrap(s string, cells int) []string {
	cells = max(cells, 1)
	var lines []string
	for Width(s) > cells {
		head, rest := Cut(s, cells)
		if head == "" { // a unit wider than a line
			n, _ := unit(s)
			head, rest = s[:n], s[n:]
			if Width(head) > cells {
				head = Truncate("…", cells)
			}
		} else if !strings.HasPrefix(rest, " ") {
			if at := strings.LastIndexByte(head, ' '); at > 0 {
				head, rest = head[:at], s[at:]
			}
		}
		lines = append(lines, strings.TrimRight(head, " "))
		s = strings.TrimLeft(rest, " ")
	}
	return append(lines, s)
}

// Typed returns what of an operator's input may stand in a text box: what cannot be shown as it is is left out, ends of lines become spaces (most
// terminals paste them as carriage returns), and a letter keeps four marks. It reports how many characters it left out.
func Typed(s string) (kept string, left int) {
	var out strings.Builder
	marks := 0
	for i, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			continue
		case r == '\n' || r == '\t' || r == '\r':
			r, marks = ' ', 0
		case unicode.Is(unicode.M, r):
			marks++
		default:
			marks = 0
		}
		if marks > maxMarks || r != '\\' && !Shown(r) {
			left++
			continue
		}
		out.WriteRune(r)
	}
	return out.String(), left
}
