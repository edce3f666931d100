package mapping

import "strings"

const notMapped = "is no word that the map knows"

// words translates source texts. null stands for null and missing, star for any other value that exact does not name.
type words[T any] struct {
	exact      map[string]T
	null, star *T
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
		switch from {
		case "null":
			w.null = &v
		case "*":
			w.star = &v
		default:
			w.exact[from] = v
		}
	}
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
	if w.star != nil {
		return *w.star, true
	}
	return v, false
}

func textWord(s string) ([]byte, error) { return []byte(s), nil }

// The closed words, as maps may use them.
var (
	stateWords   = []string{"in-progress", "completed", "failed-final", "failed-retryable", "unknown"}
	statusWords  = []string{"effective", "pending", "void", "reversed", "unknown"}
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
