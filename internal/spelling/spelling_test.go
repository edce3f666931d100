package spelling

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	fields := []string{"retry_window", "name", "map"}
	words := []string{"scan", "show", "check", "version", "completion"}
	for _, tt := range []struct {
		typed string
		known []string
		want  string
		near  bool
	}{
		{"namme", fields, "name", true},
		{"Name", fields, "name", true},
		{"retry-window", fields, "retry_window", true},
		{"retryWindow", fields, "retry_window", true},
		{"x", fields, "map", false},
		{"", fields, "map", false},
		{strings.Repeat("z", 100_000), fields, "map", false},
		{"scna", words, "scan", true},
		{"shwo", words, "show", true},
		{"completions", words, "completion", true},
		{"frobnicate", words, "version", false},
		{"k", []string{"t"}, "t", false},
		{"orders", nil, "", false},
	} {
		name, near := Nearest(tt.typed, tt.known)
		if near != tt.near || near && name != tt.want || !near && len(tt.known) > 0 && name == "" {
			t.Errorf("Nearest(%.20q) = %q, %v; want %q, %v", tt.typed, name, near, tt.want, tt.near)
		}
		if meant := Meant(tt.typed, tt.known); (meant != "") != tt.near {
			t.Errorf("Meant(%.20q) = %q", tt.typed, meant)
		}
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abc", "cab", 2}} {
		if got := edits(tt.a, tt.b); got != tt.want || edits(tt.b, tt.a) != tt.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if n := edits(a, b); n != edits(b, a) || (n == 0) != (a == b) || n > max(len(a), len(b)) {
			t.Fatalf("edits(%q, %q) = %d", a, b, n)
		}
	})
}
