package mapping

import "testing"

// TestBareWords: a closed word without words of its own has the set's own, each of which the core knows.
func TestBareWords(t *testing.T) {
	t.Parallel()
	for fact, roles := range wordFacts {
		for _, role := range roles {
			if _, err := Compile(Input{Role: role, Fields: []Field{{Name: fact, From: "a"}}}); err != nil {
				t.Errorf("%s of %s: %v", fact, role, err)
			}
		}
	}
}
