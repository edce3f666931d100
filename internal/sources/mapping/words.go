package mapping

import (
	"regexp"
	"slices"
	"strings"
)

const notMapped = "is no word that the map knows"

// words translates source texts. null stands for null and missing, star for any other value that neither exact nor a pattern names.
type words[T any] struct {
	exact      map[string]T
	patterns   []patternWord[T]
	null, star *T
}

// patternWord is a word for every text that a regular expression matches as a whole.
type patternWord[T any] struct {
	source string
	re     *regexp.Regexp
	to     T
}

// compileWords reads every target word by parse; an unknown one is a mistake in the map.
func compileWords[T any](f *Field, parse func(string) (T, error), allowed []string) (*words[T], error) {
	if len(f.Words) == 0 {
		return nil, nil // no words declared is an answer
	}
	w := &words[T]{exact: make(map[string]T, len(f.Words))}
	for from, to := range f.Words {
		v, err := parse(to)
		if err != nil {
			return nil, f.at(wordsHint(allowed), "%s: %v", f.Name, err)
		}
		re, err := pattern(f, from)
		switch {
		case err != nil:
			return nil, err
		case re != nil:
			w.patterns = append(w.patterns, patternWord[T]{from, re, v})
		case from == "null":
			w.null = &v
		case from == "*":
			w.star = &v
		default:
			w.exact[from] = v
		}
	}
	// A text that several patterns match has the word of the longest: the one that says most of it.
	slices.SortFunc(w.patterns, func(a, b patternWord[T]) int {
		if d := len(b.source) - len(a.source); d != 0 {
			return d
		}
		return strings.Compare(a.source, b.source)
	})
	return w, nil
}

// find translates a text; ok is false when no word fits.
func (w *words[T]) find(b []byte, known bool) (v T, ok bool) {
	if !known {
		if w.null != nil {
			return *w.null, true
		}
		return v, false
	}
	if v, ok = w.exact[string(b)]; ok {
		return v, true
	}
	for i := range w.patterns {
		if w.patterns[i].re.Match(b) {
			return w.patterns[i].to, true
		}
	}
	if w.star != nil {
		return *w.star, true
	}
	return v, false
}
func textWord(s string) ([]byte, error) { return []byte(s), nil }

// The closed words, as maps may use them.
var (
	stateWords   = []string{"in-progress", "completed", "failed-final", "failed-retryable", "unknown"}
	statusWords  = []string{"effective", "pending", "void", "reversed"}
	outcomeWords = []string{"succeeded", "pending", "failed", "reversed", "unknown"}
	attemptWords = []string{"confirmed", "rejected", "failed", "uncertain", "not-sent"}
	sentWords    = []string{"unsent", "sent", "confirmed"}
	phaseWords   = []string{"received", "local-done", "provider-sent", "finished"}
)

func wordsHint(allowed []string) string {
	if len(allowed) == 0 {
		return ""
	}
	return "the words are " + strings.Join(allowed, ", ")
}
