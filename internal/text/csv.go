package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CSVCell returns b for a cell of a CSV file that a spreadsheet may open: its safe text, behind an apostrophe where it could be taken for a formula.
// Data that begins with an apostrophe gets a second one, so that one can always be taken away again. Numbers of our own need no CSVCell.
func CSVCell(b []byte) string {
	if formula(b) {
		return "'" + Safe(b)
	}
	return Safe(b)
}

// formula looks through whatever a spreadsheet may skip before a formula: spaces, controls, and characters nobody sees.
func formula(b []byte) bool {
	for first := true; len(b) > 0; first = false {
		r, n := utf8.DecodeRune(b)
		switch {
		case strings.ContainsRune("=+-@＝＋－＠﹦﹢﹣﹫", r), first && strings.ContainsRune("'\t\r\n", r):
			return true
		case !obeyed(r) && !unicode.IsSpace(r) && (r != utf8.RuneError || n != 1):
			return false
		}
		b = b[n:]
	}
	return false
}

// AppendCSV appends one CSV record and its line feed. Every cell is quoted: a spreadsheet that splits at another separator finds none to split at.
func AppendCSV(dst []byte, cells ...string) []byte {
	for i, c := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, strings.ReplaceAll(c, `"`, `""`)...)
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}
