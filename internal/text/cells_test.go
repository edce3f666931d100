package text_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/text/hostile"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    string
		cells int
		want  []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"界界界", 5, []string{"界界", "界"}},
		{`ab\u{202e}cd`, 9, []string{"ab", `\u{202e}c`, "d"}},
		{`\u{202e}`, 4, []string{"…", ""}},
	} {
		if diff := cmp.Diff(tt.want, text.Wrap(tt.in, tt.cells)); diff != "" {
			t.Errorf("Wrap(%q, %d) (-want +got):\n%s", tt.in, tt.cells, diff)
		}
	}
}

func TestWrapFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		safe := text.Safe(bytesOrText().Draw(t, "text"))
		cells := rapid.IntRange(1, 40).Draw(t, "cells")
		lines := text.Wrap(safe, cells)
		for _, l := range lines {
			if text.Width(l) > cells {
				t.Fatalf("%q is wider than %d", l, cells)
			}
		}
		if cells < 12 {
			return // a narrow line may show no whole escape
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := strings.Join(lines, ""); squeeze(got) != squeeze(safe) {
			t.Fatalf("%q became %q", safe, got)
		}
	})
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in         string
		cells      int
		head, rest string
	}{
		{"abc", 2, "ab", "c"},
		{"a界", 2, "a", "界"},
		{`a\xffb`, 4, "a", `\xffb`},
		{`a\xffb`, 5, `a\xff`, "b"},
		{"e\u0301x", 1, "e\u0301", "x"},
		{"abc", 0, "", "abc"},
	} {
		if head, rest := text.Cut(tt.in, tt.cells); head != tt.head || rest != tt.rest {
			t.Errorf("Cut(%q, %d) = %q, %q", tt.in, tt.cells, head, rest)
		}
	}
}

func TestTypedHoldsNothingForeign(t *testing.T) {
	t.Parallel()
	for _, h := range hostile.Corpus() {
		kept, _ := text.Typed(string(h.Bytes))
		if err := hostile.Check([]byte(kept)); err != nil {
			t.Errorf("%s: %v", h.Name, err)
		}
	}
	if kept, left := text.Typed("Zürich\n\u202e東京\x1b[2J"); kept != "Zürich 東京[2J" || left != 2 {
		t.Errorf("Typed = %q, %d left out", kept, left)
	}
	if kept, _ := text.Typed("one\rtwo\r\nthree\tfour\nfive"); kept != "one two three four five" {
		t.Errorf("the ends of lines join words: %q", kept)
	}
}
