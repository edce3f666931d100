package config

import (
	"errors"
	"os"
	"strings"
	"testing"

	"example.com/idemctl/internal/text/hostile"
)

func FuzzParse(f *testing.F) {
	full, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte(small))
	for _, s := range []string{"a: *x", "? a", "- - - a", "a: |\n  x", "{a: {b: [c", "a: \"\\ud800\"", "!!map {}", "%YAML 1.2\n---\n", "a: 'x", "a: &b [*b]", "\t", "a:\r\n  b", "open: ${S}", ".inf: 1"} {
		f.Add([]byte(s))
		f.Add([]byte(strings.Replace(small, "pay", s, 1)))
	}
	for _, h := range hostile.Corpus() {
		f.Add([]byte("name: " + string(h.Bytes)))
	}
	const canary = "c4n4ry-held-by-a-variable"
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := parse("c.yaml", data, func(string) string { return canary })
		if err == nil {
			if cfg.Name == "" || len(cfg.Contracts) == 0 || len(cfg.Sources) == 0 {
				t.Fatalf("accepted without what it must have: %+v", cfg)
			}
			return
		}
		var bad *Error
		if !errors.As(err, &bad) {
			t.Fatalf("error of another kind: %v", err)
		}
		out := bad.Error() + bad.Hint
		if strings.Contains(out, canary) {
			t.Fatalf("shows what a variable held: %s", out)
		}
		if err := hostile.Check([]byte(out)); err != nil {
			t.Fatalf("%v in %q", err, out)
		}
	})
}

func TestDeepAndLongFilesAreRefusedSoon(t *testing.T) {
	t.Parallel()
	for name, piece := range map[string]string{"brackets": "[", "braces": "{a: ", "entries": "- ", "questions": "? ", "quotes": "'", "colons": "a: ", "pipes": "|", "commas": "[,", "anchors": "&a ", "lines": "a:\n ", "empty": "\n"} {
		data := []byte("audit: " + strings.Repeat(piece, 20_000/len(piece)))
		if _, err := parse("c.yaml", data, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
