package mapping

import (
	"bytes"
	"fmt"
	"slices"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// TestMode is the reason under which rows of test mode are left out: what was tried out there is not what was done.
const TestMode = "test-mode"

var (
	liveWords = []string{"live", "production", "prod", "true"}
	testWords = []string{"test", "sandbox", "false"}
)

// mode reads the mode that the row was just found to have: one of test mode is left out, unless such rows are asked for. A word that says neither is no guess.
func (m *Mapper) mode() {
	m.add(func([]rows.Cell) *Unreadable {
		v := m.rec.Mode
		says := func(words []string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return bytes.EqualFold(v.Bytes(), []byte(w)) })
		}
		switch {
		case !v.Known() || says(liveWords):
			return nil
		case says(testWords):
			m.isTest = !m.testMode
			return nil
		}
		return &Unreadable{
			Reason: fmt.Sprintf("mode: %q says neither live nor test", text.SafeString(v.String())),
			Hint:   "say what it means: mode: {from: COLUMN, words: {WORD: live, WORD: test}}",
		}
	})
}
