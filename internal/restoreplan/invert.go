package restoreplan

import (
	"bytes"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/mapping"
)

// written is what stands in a column so that a field of the map reads a value from it. null: nothing stands there.
type written struct {
	path string // as the map spells it; "" for a constant
	null bool
	text []byte
}

// invert undoes what a field does to its column: words, truncation, prefix, hash, case, split, the prefix that is stripped.
func invert(f *mapping.Field, value []byte) (written, error) {
	if f.Const != nil {
		return written{}, constantIs(f, value)
	}
	if len(f.First) > 0 {
		return written{}, fmt.Errorf("it is read from the first of several columns: which of them the service fills is not known")
	}
	if slices.Contains(f.Absent, string(value)) {
		return written{}, fmt.Errorf("the map reads %q as no value", value)
	}
	text, null, err := unword(f, value)
	if err != nil || null {
		return written{path: f.From, null: null}, err
	}
	switch {
	case f.Hash != "":
		return written{}, fmt.Errorf("only its hash is known")
	case f.JSON != "":
		return written{}, fmt.Errorf("only its spelling as JSON is known")
	case f.Split != "":
		return written{}, fmt.Errorf("only one part of its text is known")
	case f.Truncate > 0 && utf8.RuneCount(text) >= f.Truncate:
		return written{}, fmt.Errorf("only its first %d characters are known", f.Truncate)
	case f.Lower && cased(text):
		return written{}, fmt.Errorf("whether its letters were upper or lower case is not known")
	}
	rest, ok := bytes.CutPrefix(text, []byte(f.Prefix))
	if !ok {
		return written{}, fmt.Errorf("it does not begin with the prefix that the map puts before it")
	}
	if len(f.Parts) > 0 {
		return unjoin(f, rest)
	}
	return written{path: f.From, text: slices.Concat([]byte(f.StripPrefix), rest)}, nil
}

func cased(b []byte) bool {
	for _, r := range string(b) {
		if unicode.IsLetter(r) && (unicode.ToUpper(r) != r || unicode.ToLower(r) != r) {
			return true
		}
	}
	return false
}

// constantIs asks whether a constant of the map is the value: then nothing has to be written.
func constantIs(f *mapping.Field, value []byte) error {
	text := *f.Const
	if to, ok := f.Words[text]; ok {
		text = to
	}
	if f.Prefix+text != string(value) {
		return fmt.Errorf("the map of this store says that it is always %q", text)
	}
	return nil
}

// unword finds the one text that the map reads as a word.
func unword(f *mapping.Field, value []byte) (text []byte, null bool, err error) {
	if len(f.Words) == 0 {
		return value, false, nil
	}
	var from []string
	for word, to := range f.Words {
		if to == string(value) {
			from = append(from, word)
		}
	}
	slices.Sort(from)
	named := slices.DeleteFunc(slices.Clone(from), func(w string) bool { return w == "null" || w == "*" })
	switch {
	case len(named) == 1:
		return []byte(named[0]), false, nil
	case len(named) > 1:
		return nil, false, fmt.Errorf("%q and %q are both read as %q: which of them the service writes is not known", named[0], named[1], value)
	case slices.Contains(from, "null"):
		return nil, true, nil
	case slices.Contains(from, "*"):
		return nil, false, fmt.Errorf("any word is read as %q: which of them the service writes is not known", value)
	}
	return nil, false, fmt.Errorf("no word is read as %q", value)
}

// unjoin takes the constants off a text that is made of one column and constants.
func unjoin(f *mapping.Field, text []byte) (written, error) {
	at := -1
	for i, p := range f.Parts {
		if p.Const == nil && at >= 0 {
			return written{}, fmt.Errorf("where one part of it ends and the next begins is not known")
		}
		if p.Const == nil {
			at = i
		}
	}
	var before, after []byte
	for i, p := range f.Parts {
		switch {
		case i < at:
			before = append(append(before, *p.Const...), f.Join...)
		case i > at:
			after = append(append(after, f.Join...), *p.Const...)
		}
	}
	rest, ok := bytes.CutPrefix(text, before)
	if ok {
		rest, ok = bytes.CutSuffix(rest, after)
	}
	if !ok {
		return written{}, fmt.Errorf("it is not made of the parts that the map names")
	}
	return written{path: f.Parts[at].Column, text: rest}, nil
}
