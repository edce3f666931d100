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

// unmistakable is from how many bytes on what a variable held is looked for in running text, where a shorter one would be found in numbers and words.
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
		for _, held := range []string{v.Held, filepath.Clean(v.Held), folderOf(v.Held)} {
			if len(held) >= least && strings.Trim(held, "./") != "" {
				pairs = append(pairs, [2]string{held, "${" + v.Name + "}"})
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
	return s.hiding(unmistakable, place.join(s.Path), s.Path).Replace(words)
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
