package sources

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"example.com/idemctl/internal/text"
)

// Variable is an environment variable that stood in a source's path. What it held is never printed.
type Variable struct{ Name, Held string }

// unmistakable is from how many bytes on what a variable held is looked for in running text, where a shorter one would be found in numbers and words: that
// is hidden where it is a whole part of a path or of an address.
const unmistakable = 6

// hiding returns a replacer of what the variables held, and of the paths that are given, longest first.
func (s *Spec) hiding(least int, paths ...string) *strings.Replacer {
	var pairs [][2]string
	for _, p := range paths {
		if len(p) >= least {
			pairs = append(pairs, [2]string{p, s.called(p)})
		}
	}
	for _, v := range s.Variables {
		for _, held := range v.spellings() {
			if len(held) >= least {
				pairs = append(pairs, [2]string{held, v.written()})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) })
	var flat []string
	for _, p := range pairs {
		flat = append(flat, p[0], p[1])
		if safe := text.SafeString(p[0]); safe != p[0] {
			flat = append(flat, safe, p[1])
		}
	}
	return strings.NewReplacer(flat...)
}

// written is the variable as a config writes it.
func (v Variable) written() string { return "${" + v.Name + "}" }

// spellings are what the variable held, as errors spell it; what every path holds is none of its own.
func (v Variable) spellings() []string {
	var out []string
	for _, held := range []string{v.Held, filepath.Clean(v.Held), folderOf(v.Held)} {
		if strings.Trim(held, "./") != "" && !slices.Contains(out, held) {
			out = append(out, held)
		}
	}
	return out
}

const (
	joints = "/@=" // stand only where a path or an address is meant
	edges  = joints + "'\"`:;,?&()[]" + " \t\n"
)

// replaceParts replaces part where it is whole: between two edges, one of which is a joint.
func replaceParts(words, part, by string) string {
	var out strings.Builder
	for from := 0; ; {
		at := strings.Index(words[from:], part)
		if at < 0 {
			out.WriteString(words[from:])
			return out.String()
		}
		at += from
		end := at + len(part)
		before, after := byte(' '), byte(' ')
		if at > 0 {
			before = words[at-1]
		}
		if end < len(words) {
			after = words[end]
		}
		whole := strings.IndexByte(edges, before) >= 0 && strings.IndexByte(edges, after) >= 0
		if whole && (strings.IndexByte(joints, before) >= 0 || strings.IndexByte(joints, after) >= 0) {
			out.WriteString(words[from:at] + by)
			from = end
			continue
		}
		out.WriteString(words[from : at+1])
		from = at + 1
	}
}

// folderOf is the folder that a pattern begins with: the names that it finds begin with it, too.
func folderOf(pattern string) string {
	meta := strings.IndexAny(pattern, "*?[{")
	if meta < 0 {
		return ""
	}
	return strings.TrimSuffix(pattern[:strings.LastIndexByte(pattern[:meta], '/')+1], "/")
}

// called is what the source's own path is called: itself, or as it is written where variables stand in it.
func (s *Spec) called(full string) string {
	if len(s.Variables) == 0 {
		return full
	}
	_, written, _ := strings.Cut(s.Shown, ":")
	return written
}

// named is what a file that the source's path found is called.
func (s *Spec) named(file string) string {
	if len(s.Variables) == 0 {
		return file
	}
	return s.hiding(1).Replace(file)
}

// hide takes out of a reason, hint or note what no output may show.
func (s *Spec) hide(place Place, words string) string {
	if len(s.Variables) == 0 {
		return words
	}
	words = s.hiding(unmistakable, place.join(s.Path), s.Path).Replace(words)
	for _, v := range s.Variables {
		for _, held := range v.spellings() {
			if len(held) >= unmistakable {
				continue
			}
			words = replaceParts(words, held, v.written())
			if safe := text.SafeString(held); safe != held {
				words = replaceParts(words, safe, v.written())
			}
		}
	}
	return words
}

// hiddenError is an error in words that may be shown.
type hiddenError struct {
	err   error
	words string
}

func (e *hiddenError) Error() string { return e.words }
func (e *hiddenError) Unwrap() error { return e.err }

func (s *Source) hideError(err error) error {
	if err == nil || len(s.spec.Variables) == 0 {
		return err
	}
	return &hiddenError{err: err, words: s.spec.hide(s.place, err.Error())}
}
