package query

import "strings"

// Completion is what could stand where the cursor is.
type Completion struct {
	Text string // the whole word, to put in place of the one begun
	Help string
}

// Complete lists what the word before the cursor could become, and where that word begins. It offers fields, and the words of a field's closed set.
func Complete(s string, cursor int, components []string) (from int, list []Completion) {
	cursor = min(max(cursor, 0), len(s))
	from = strings.LastIndexAny(s[:cursor], " (") + 1
	word := s[from:cursor]
	if strings.HasPrefix(word, "-") {
		from, word = from+1, word[1:]
	}
	if strings.Contains(word, `"`) {
		return from, nil
	}
	if at := strings.IndexAny(word, ":<>="); at > 0 {
		return values(word, at, from, components)
	}
	for _, f := range fields() {
		if strings.HasPrefix(f.name, word) {
			list = append(list, Completion{f.name + f.op(), f.help})
		}
	}
	for _, c := range components {
		if strings.HasPrefix(c, word) {
			list = append(list, Completion{c + ":", "a component of the identity"})
		}
	}
	return from, list
}

// op is the comparison that a field is completed with.
func (f *field) op() string {
	switch f.sort {
	case ranked:
		return ">="
	case spans, money:
		return ">"
	case moments:
		return ">="
	case words, texts:
	}
	return ":"
}

func values(word string, at, from int, components []string) (int, []Completion) {
	f := find(word[:at], components)
	if f == nil || f.words == nil {
		return from, nil
	}
	begun := strings.TrimLeft(word[at:], ":<>=")
	if comma := strings.LastIndexByte(begun, ','); comma >= 0 {
		begun = begun[comma+1:]
	}
	var list []Completion
	for _, w := range f.words() {
		if strings.HasPrefix(w, begun) {
			list = append(list, Completion{Text: w})
		}
	}
	return from + len(word) - len(begun), list
}
