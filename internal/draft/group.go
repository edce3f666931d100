package draft

import (
	"os"
	slash "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"example.com/idemctl/internal/sources"
)

// set is the files below one folder that one preset reads in one way.
type set struct {
	root   string   // the folder that was asked for
	scheme string   // of the first
	files  []string // slash-separated, relative to root
	found  string   // the pattern that names them
	mixed  bool     // some were taken for lines, others for documents
	met    bool     // its source was made
}

// group makes one source of the files of one folder that one preset reads: the days of a log, its rotated and its compressed siblings. What one of them
// repeats of another is then seen as repeated. The source names these files and, as far as the folder shows it, no other; where no pattern does that, each
// file stays a source of its own.
func (f *Found) group() {
	sets := map[string]*set{}
	for i := range f.Sources {
		s := &f.Sources[i]
		file, err := filepath.Rel(s.root, s.path)
		if s.path == "" || err != nil {
			continue
		}
		id := s.kind()
		if sets[id] == nil {
			sets[id] = &set{root: s.root, scheme: s.scheme()}
		}
		sets[id].mixed = sets[id].mixed || sets[id].scheme != s.scheme()
		if file = filepath.ToSlash(file); !slices.Contains(sets[id].files, file) {
			sets[id].files = append(sets[id].files, file)
		}
	}
	var out []Source
	for i := range f.Sources {
		s := f.Sources[i]
		one := sets[s.kind()]
		if s.path == "" || one == nil || one.pattern() == "" {
			out = append(out, s)
			continue
		}
		if one.met {
			continue
		}
		one.met = true
		file, _ := filepath.Rel(s.root, s.path)
		s.Open = strings.TrimSuffix(s.Open, filepath.ToSlash(file)) + one.pattern()
		if one.mixed {
			s.Open = string(sources.JSON) + strings.TrimPrefix(s.Open, s.scheme())
		}
		s.Name, s.Files = s.Preset.Name, len(one.files)
		out = append(out, s)
	}
	f.Sources = out
}

// kind tells files that are of one source from others. A file of one line may be a document as well as lines, and lines can be read as documents.
func (s *Source) kind() string {
	if s.Preset == nil {
		return ""
	}
	scheme := s.scheme()
	if scheme == string(sources.JSONL) && len(fileSigns(s.Preset, sources.JSON)) > 0 {
		scheme = string(sources.JSON)
	}
	return strings.Join([]string{s.root, scheme, s.Preset.Name}, "\x00")
}

func (s *Source) scheme() string {
	scheme, _, _ := strings.Cut(s.Open, ":")
	return scheme
}

// pattern is what names the files: what their names begin and end with where that names no other file there, else each of them. "" is none.
func (s *set) pattern() string {
	if len(s.files) == 1 || slices.ContainsFunc(s.files, func(f string) bool { return strings.ContainsAny(f, `*?[]{}\,`) }) {
		return ""
	}
	if s.found != "" {
		return s.found
	}
	folder := slash.Dir(s.files[0])
	names := make([]string, len(s.files))
	for i, f := range s.files {
		names[i] = slash.Base(f)
		if slash.Dir(f) != folder {
			folder = "**"
		}
	}
	start, end := commonStart(names), commonEnd(names)
	wide, short := slash.Join(folder, undated(start)+"*"+end), slash.Join(folder, start+"*"+end)
	each := "{" + strings.Join(s.files, ",") + "}"
	for _, p := range []string{wide, short, each} {
		if s.found == "" && s.means(p) {
			s.found = p
		}
	}
	return s.found
}

// means reports whether a pattern names exactly the files. A compressed file of nothing, as exports write for an empty part, may be among them.
func (s *set) means(pattern string) bool {
	names, err := doublestar.Glob(os.DirFS(s.root), pattern, doublestar.WithFilesOnly())
	if err != nil {
		return false
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return !slices.Contains(s.files, n) && nothingPacked(filepath.Join(s.root, filepath.FromSlash(n)))
	})
	slices.Sort(names)
	return slices.Equal(names, slices.Sorted(slices.Values(s.files)))
}

func nothingPacked(file string) bool {
	info, err := os.Stat(file)
	if err != nil || info.Size() == 0 {
		return false
	}
	head, err := beginning(file)
	return err == nil && len(head) == 0
}

// commonStart is what all names begin with, up to the number in which they part.
func commonStart(names []string) string {
	start := names[0]
	for _, n := range names {
		for !strings.HasPrefix(n, start) {
			start = start[:len(start)-1]
		}
	}
	return strings.TrimRight(start, "0123456789")
}

// undated cuts off what dates and times begin with that all names share, so that tomorrow's file is named too.
func undated(start string) string {
	for {
		at := strings.LastIndexAny(strings.TrimRight(start, "-_. "), "-_. ") + 1
		const shortest = 3 // two digits and what stands behind them: a shorter number is no part of a date
		if date := start[at:]; len(date) < shortest || !strings.ContainsAny(date, "0123456789") || strings.Trim(date, "0123456789TZ-_. ") != "" {
			return start
		}
		start = start[:at]
	}
}

// commonEnd is what all names end with, from a dot on: half a word is no ending. Compressed ones end as their siblings do, and more.
func commonEnd(names []string) string {
	bare := make([]string, len(names))
	compressed := 0
	for i, n := range names {
		name, gz := strings.CutSuffix(n, ".gz")
		if bare[i] = name; gz {
			compressed++
		}
	}
	if end := sharedEnd(bare); compressed > 0 && compressed < len(names) && end != "" {
		return end + "*"
	}
	return sharedEnd(names)
}

func sharedEnd(names []string) string {
	end := names[0]
	for _, n := range names {
		for !strings.HasSuffix(n, end) {
			end = end[1:]
		}
	}
	if at := strings.Index(end, "."); at >= 0 {
		return end[at:]
	}
	return ""
}
