package text_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/text"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want int
	}{
		{"", 0}, {"abc", 3}, {"é", 1}, {"e\u0301", 1}, {"界", 2}, {"ｶ", 1}, {"Ａ", 2}, {"👍", 2}, {"€…•", 3}, {"\u1112\u1161\u11ab", 2}, {"한", 2}, {`\u{202e}`, 8},
	} {
		if got := text.Width(tt.in); got != tt.want {
			t.Errorf("Width(%q) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		cells int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"界界界", 4, "界…"},
		{"界界", 4, "界界"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{`ab\u{202e}cd`, 8, "ab…"},
		{`ab\u{202e}cd`, 11, `ab\u{202e}…`},
		{`a\\\\b`, 4, `a\\…`},
		{`\xff\xff`, 5, `\xff…`},
	} {
		if got := text.Truncate(tt.in, tt.cells); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.cells, got, tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		cells int
		want  string
	}{
		{"abcdefghi", 9, "abcdefghi"},
		{"abcdefghi", 7, "ab…fghi"},
		{"abcdefghi", 2, "…i"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"界界界界界", 8, "界…界界"},
		{"e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301…e\u0301"},
		{`ab\u{202e}cd`, 9, "ab…cd"},
		{`ab\u{202e}\u{202e}cd`, 16, `ab…\u{202e}cd`},
	} {
		if got := text.Shorten(tt.in, tt.cells); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.cells, got, tt.want)
		}
	}
}

func TestPad(t *testing.T) {
	t.Parallel()
	if got := text.Pad("界", 4) + "|" + text.PadLeft("12", 4) + "|" + text.Pad("abcdef", 4); got != "界  |  12|abc…" {
		t.Errorf("got %q", got)
	}
}

func TestWidthProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		safe := text.Safe(bytesOrText().Draw(t, "text"))
		cells := rapid.IntRange(0, 40).Draw(t, "cells")
		cut := text.Truncate(safe, cells)
		if text.Width(cut) > cells {
			t.Fatalf("Truncate(%q, %d) = %q takes %d cells", safe, cells, cut, text.Width(cut))
		}
		if _, err := text.Parse(cut); err != nil {
			t.Fatalf("Truncate(%q, %d) = %q cuts through an escape: %v", safe, cells, cut, err)
		}
		short := text.Shorten(safe, cells)
		if _, err := text.Parse(short); err != nil || text.Width(short) > cells {
			t.Fatalf("Shorten(%q, %d) = %q takes %d cells, %v", safe, cells, short, text.Width(short), err)
		}
		head, tail, cutShort := strings.Cut(short, "…")
		if cutShort && text.Width(safe) > cells && !strings.Contains(safe, "…") && (!strings.HasPrefix(safe, head) || !strings.HasSuffix(safe, tail)) {
			t.Fatalf("Shorten(%q, %d) = %q is no beginning and end of it", safe, cells, short)
		}
		if got := text.Width(text.Pad(safe, cells)); got != cells {
			t.Fatalf("Pad(%q, %d) takes %d cells", safe, cells, got)
		}
		if head, ok := strings.CutSuffix(cut, "…"); ok && !strings.HasPrefix(safe, head) {
			t.Fatalf("Truncate(%q, %d) = %q is no beginning of it", safe, cells, cut)
		}
	})
}
