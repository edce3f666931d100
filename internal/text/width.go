package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const ellipsis = "…"

// Width returns the terminal cells of safe text: two for East Asian wide, none for marks, one for the rest.
func Width(s string) int {
	cells := 0
	for _, r := range s {
		cells += runeWidth(r)
	}
	return cells
}

func runeWidth(r rune) int {
	if r < utf8.RuneSelf {
		if r < ' ' || r == 0x7f {
			return 0
		}
		return 1
	}
	if joining(r) || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// Truncate returns safe text that fits into cells, its cut end marked by an ellipsis. It never cuts through an escape or takes a mark from its letter.
func Truncate(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	if Width(s) <= cells {
		return s
	}
	end, used := 0, 0
	for end < len(s) {
		n, w := unit(s[end:])
		if used+w > cells-1 {
			break
		}
		end, used = end+n, used+w
	}
	return s[:end] + ellipsis
}

// Shorten is Truncate that takes from the middle: of a third of the cells it keeps the beginning, of the rest the end, where names that go together differ.
func Shorten(s string, cells int) string {
	if cells <= 0 || Width(s) <= cells {
		return Truncate(s, cells)
	}
	var ends, widths []int
	for at := 0; at < len(s); {
		n, w := unit(s[at:])
		at += n
		ends, widths = append(ends, at), append(widths, w)
	}
	room, head, first, tail := cells-1, 0, 0, len(s)
	for ; widths[first] <= room && head+widths[first] <= cells/3; first++ {
		head += widths[first]
	}
	room -= head
	for last := len(ends) - 1; last > first && widths[last] <= room; last-- {
		room -= widths[last]
		tail = ends[last-1]
	}
	begin := 0
	if first > 0 {
		begin = ends[first-1]
	}
	return s[:begin] + ellipsis + s[tail:]
}

// unit returns length and width of what must stay together at the start of s: an escape, or a rune with the marks on it.
func unit(s string) (n, cells int) {
	if s[0] == '\\' {
		n = escapeLen(s)
		return n, n
	}
	r, n := utf8.DecodeRuneInString(s)
	cells = runeWidth(r)
	for n < len(s) {
		r, m := utf8.DecodeRuneInString(s[n:])
		if r < utf8.RuneSelf || runeWidth(r) != 0 {
			break
		}
		n += m
	}
	return n, cells
}

// Pad returns safe text cut or filled with spaces on the right to exactly cells.
func Pad(s string, cells int) string {
	s = Truncate(s, cells)
	return s + strings.Repeat(" ", max(0, cells-Width(s)))
}

// PadLeft returns safe text cut or filled with spaces on the left to exactly cells, for numbers.
func PadLeft(s string, cells int) string {
	s = Truncate(s, cells)
	return strings.Repeat(" ", max(0, cells-Width(s))) + s
}
