package reconcile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
)

// TestEveryKindHasScenarios holds that each kind of the table is judged, that scenarios show it, and that beside them, in the same file, stand some that look
// like it and are not.
func TestEveryKindHasScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenarios/*")
	if err != nil {
		t.Fatal(err)
	}
	for i := range reconcile.Findings {
		f, with, without := &reconcile.Findings[i], 0, 0
		if !f.Judged {
			t.Errorf("%s is not judged", f.Word)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			here, others := 0, 0
			for block := range strings.SplitSeq(string(text), "\njudge") {
				if _, result, ok := strings.Cut(block, "\n----\n"); ok && finds(result, f.Word) {
					here++
				} else if ok {
					others++
				}
			}
			if with += here; here > 0 {
				without += others
			}
		}
		if with < 2 || without < 1 {
			t.Errorf("%s: %d scenarios show it, %d beside them do not", f.Word, with, without)
		}
	}
}

// finds reports whether a result has a case of a kind.
func finds(result, kind string) bool {
	for line := range strings.Lines(result) {
		if _, kinds, ok := strings.Cut(line, ": case "); ok && strings.Contains(" "+kinds, " "+kind+" ") {
			return true
		}
	}
	return false
}
