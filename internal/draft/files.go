package draft

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/sources"
	"example.com/idemctl/internal/sources/mapping"
	"example.com/idemctl/internal/sources/rows"
)

// looked is how many records of a file are looked at.
const looked = 50

// file recognises the records of one file by the members that they have.
func (f *Found) file(ctx context.Context, place sources.Place, t *Target, presets []*config.Preset) error {
	fits, err := f.siblings.fits(ctx, place, t)
	if err == nil && len(fits) == 0 {
		fits, err = fitsOf(ctx, place, t, presets)
		f.siblings.note(t, fits)
	}
	if err != nil {
		return err
	}
	found := bestOf(fits)
	if len(found) == 0 {
		f.Aside = append(f.Aside, t.Name)
	}
	for _, s := range found {
		s.Open, s.Note, s.store = t.Open, t.Note, t.Open
		switch {
		case t.Spec.Scheme == sources.JSON && s.Preset.Formats[0] == string(sources.JSONL) && oneLine(t.Spec.Path):
			s.Open = string(sources.JSONL) + strings.TrimPrefix(s.Open, string(sources.JSON)) // a log of lines that has one
		case t.Spec.Scheme == sources.JSONL && schemeFor(s.Preset, t.Spec.Scheme) == sources.JSON:
			s.Open = string(sources.JSON) + strings.TrimPrefix(s.Open, string(sources.JSONL))
		}
		s.Name = plainName(bareName(t.Spec.Path))
		s.path, s.root = t.Spec.Path, cmp.Or(t.Root, filepath.Dir(t.Spec.Path))
		f.Sources = append(f.Sources, s)
	}
	return nil
}

// fitsOf tries every preset on a file.
func fitsOf(ctx context.Context, place sources.Place, t *Target, presets []*config.Preset) ([]fit, error) {
	var fits []fit
	for _, r := range readings(&t.Spec, presets) {
		if err := r.read(ctx, place); err != nil {
			return nil, err
		}
		for i, p := range r.presets {
			score := r.score(i)
			if !slices.Contains(p.Formats, string(schemeFor(p, t.Spec.Scheme))) { // an export of a table
				score = exportScore(score, t.Spec.Path, p)
			}
			if score > 0 {
				fits = append(fits, fit{p, score, score > named*perField})
			}
		}
	}
	return fits, nil
}

// siblings are the files of one folder and scheme that were alike so far: of a log of a thousand files not each is tried on every preset.
type siblings struct {
	of      string
	presets []*config.Preset // that fitted the last of them
	alike   int
}

// sure is how many files in a row must fit the same presets, before the next is tried on these first.
const sure = 10

func (s *siblings) fits(ctx context.Context, place sources.Place, t *Target) ([]fit, error) {
	if s.alike < sure || s.of != t.kin() {
		return nil, nil
	}
	return fitsOf(ctx, place, t, s.presets)
}

func (s *siblings) note(t *Target, fits []fit) {
	var presets []*config.Preset
	for _, f := range fits {
		presets = append(presets, f.preset)
	}
	if s.of == t.kin() && slices.Equal(s.presets, presets) {
		s.alike++
		return
	}
	*s = siblings{of: t.kin(), presets: presets, alike: 1}
}

// kin tells files that may be alike from others.
func (t *Target) kin() string {
	return cmp.Or(t.Root, filepath.Dir(t.Spec.Path)) + "\x00" + string(t.Spec.Scheme) + "\x00" + filepath.Ext(t.Spec.Path)
}

// schemeFor is how a preset reads a file: lines of JSON are a sequence of documents too, for a preset that looks for its records inside of them.
func schemeFor(p *config.Preset, scheme sources.Scheme) sources.Scheme {
	if scheme == sources.JSONL && !slices.Contains(p.Formats, string(sources.JSONL)) && slices.Contains(p.Formats, string(sources.JSON)) {
		return sources.JSON
	}
	return scheme
}

// fileSigns names the members by which a preset knows the records of a file: its own, or, of an export of its table, the columns.
func fileSigns(p *config.Preset, scheme sources.Scheme) []config.Sign {
	scheme = schemeFor(p, scheme)
	if slices.Contains(p.Formats, string(scheme)) {
		return p.Like.Fields
	}
	if !slices.Contains(p.Formats, "table") || scheme == sources.Text {
		return nil
	}
	signs := make([]config.Sign, len(p.Like.Columns))
	for i, c := range p.Like.Columns {
		signs[i] = config.Sign{Name: path(c.Name), Is: "*"}
	}
	return signs
}

// exportScore weighs a file that has a table's columns as a table is weighed: by its name, or by columns that no other has by chance.
func exportScore(score int, file string, p *config.Preset) int {
	name := strings.ToLower(bareName(file))
	switch bare := lastName(name); {
	case score == 0:
		return 0
	case slices.ContainsFunc(p.Like.Tables, func(pattern string) bool { return like(strings.ToLower(pattern), bare) }):
		return named*perField + score
	case len(p.Like.Columns) < enough:
		return 0
	}
	return score
}

// reading is one way to read a file, and the presets that read it so: it is read once for all of them.
type reading struct {
	spec    sources.Spec
	presets []*config.Preset
	signs   [][]config.Sign // of each preset
	at      [][][]int       // where the cells of each sign stand, of which one must be there
	paths   []rows.Path
	records int
	fit     []int // records that have all that a preset demands
}

// readings puts presets together that look for their records in one place.
func readings(file *sources.Spec, presets []*config.Preset) []*reading {
	var out []*reading
	met := map[string]*reading{}
	for _, p := range presets {
		signs := fileSigns(p, file.Scheme)
		if len(signs) == 0 {
			continue
		}
		spec := *file
		spec.Scheme = schemeFor(p, file.Scheme)
		switch {
		case !slices.Contains(p.Formats, string(spec.Scheme)): // a table's rows stand at the top
		case spec.Scheme == sources.JSON:
			spec.Rows = p.Source.Rows
		case spec.Scheme == sources.CSV:
			spec.CSV = p.Source.CSV
		case spec.Scheme == sources.Text:
			spec.Pattern = p.Source.Pattern
		}
		way := fmt.Sprintf("%s %q %+v %q", spec.Scheme, spec.Rows, spec.CSV, spec.Pattern)
		if spec.CSV != nil && spec.CSV.Find {
			way += p.Name // the header is the line that names what this one demands
		}
		r := met[way]
		if r == nil {
			r = &reading{spec: spec}
			met[way], out = r, append(out, r)
		}
		r.add(p, signs)
	}
	return out
}

// add notes what a preset demands of a record.
func (r *reading) add(p *config.Preset, signs []config.Sign) {
	at := make([][]int, len(signs))
	for i, sign := range signs {
		for _, spelled := range sign.Paths() {
			path, err := mapping.ParsePath(spelled)
			if err != nil {
				return // the presets' own reader refuses such a name
			}
			at[i] = append(at[i], r.cell(path))
		}
	}
	r.presets, r.signs, r.at, r.fit = append(r.presets, p), append(r.signs, signs), append(r.at, at), append(r.fit, 0)
}

// cell is where a path's cell stands.
func (r *reading) cell(path rows.Path) int {
	at := slices.IndexFunc(r.paths, func(q rows.Path) bool { return q.Column == path.Column && slices.Equal(q.Members, path.Members) })
	if at < 0 {
		at = len(r.paths)
		r.paths = append(r.paths, path)
	}
	return at
}

// read counts the records that have all that each preset demands. Records that do not stand where it looks for them count for nothing.
func (r *reading) read(ctx context.Context, place sources.Place) error {
	_, err := sources.Peek(ctx, place, &r.spec, r.paths, looked, func(cells []rows.Cell) {
		r.records++
		for p, signs := range r.signs {
			all := true
			for i, sign := range signs {
				all = all && slices.ContainsFunc(r.at[p][i], func(at int) bool {
					return cells[at].Kind != rows.Missing && (sign.Is == "*" || like(sign.Is, cellText(cells[at])))
				})
			}
			if all {
				r.fit[p]++
			}
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.records = 0
	}
	return nil
}

// bareName is what a file is called, without the endings that say how it is written.
func bareName(file string) string {
	name := filepath.Base(file)
	for end := filepath.Ext(name); slices.Contains([]string{".gz", ".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt", ".log"}, strings.ToLower(end)); end = filepath.Ext(name) {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// perField is what each member that a preset demands is worth; a letter of its text that it demands is worth one.
const perField = 100

// score is how well a preset fits: 0 is not at all. Half of the records that are looked at must have all its members, each as the preset says; what it demands to
// the letter tells it from others.
func (r *reading) score(preset int) int {
	if r.records == 0 || 2*r.fit[preset] < r.records {
		return 0
	}
	score := 0
	for _, sign := range r.signs[preset] {
		score += perField + len(strings.ReplaceAll(sign.Is, "*", ""))
	}
	return score
}

func cellText(c rows.Cell) string {
	switch c.Kind {
	case rows.Int, rows.Bool:
		return wordOf(c)
	case rows.Missing, rows.Null, rows.Bad:
		return ""
	case rows.Real, rows.Number, rows.Text, rows.Blob, rows.JSON:
	}
	return string(c.Text)
}

// SchemeOf tells how a file is read: by how it begins, then by its name.
func SchemeOf(path string) (sources.Scheme, error) {
	head, err := beginning(path)
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	has := func(endings ...string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) })
	}
	switch first := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n"); {
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")), has(".sql"):
		return sources.SQLite, nil
	case timeFirst(first):
		return sources.Text, nil
	case len(first) > 0 && first[0] == '{' && (lines(first) || has(".jsonl", ".ndjson")):
		return sources.JSONL, nil
	case len(first) > 0 && (first[0] == '{' || first[0] == '['):
		return sources.JSON, nil
	case has(".jsonl", ".ndjson"):
		return sources.JSONL, nil
	case has(".csv", ".tsv"):
		return sources.CSV, nil
	case has(".json"):
		return sources.JSON, nil
	case bytes.ContainsRune(head, 0) || len(first) == 0:
		return "", errors.New("it is no SQLite database, SQL text, JSON, CSV or log")
	case has(".log"), bytes.Contains(head, []byte("] \"")): // as access logs have it between the time and the request
		return sources.Text, nil
	}
	return sources.CSV, nil
}

// timeFirst reports whether a line begins with a time in brackets and goes on with a request in quotes, as no JSON does.
func timeFirst(text []byte) bool {
	if len(text) == 0 || text[0] != '[' {
		return false
	}
	inside, rest, ok := bytes.Cut(text[1:], []byte("]"))
	return ok && bytes.HasPrefix(rest, []byte(` "`)) && !bytes.ContainsAny(inside, "\"\n")
}

// lines reports whether the first line is a whole object and the next begins another, or there is none.
func lines(text []byte) bool {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if !json.Valid(bytes.TrimSpace(line)) {
		return false
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == '{'
}

// oneLine reports whether a file is one line that holds a whole object.
func oneLine(path string) bool {
	head, err := beginning(path)
	return err == nil && len(head) < mostRead && len(head) > 0 && head[0] == '{' && bytes.IndexByte(bytes.TrimRight(head, "\r\n"), '\n') < 0 && json.Valid(head)
}

// mostRead is how much of a file's beginning is looked at.
const mostRead = 64 << 10

// beginning returns the first bytes of a regular file, unpacked.
func beginning(path string) (_ []byte, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b := bufio.NewReader(f)
	var r io.Reader = b
	if magic, err := b.Peek(2); err == nil && bytes.Equal(magic, []byte("\x1f\x8b")) {
		if r, err = gzip.NewReader(b); err != nil {
			return nil, err
		}
	}
	head := make([]byte, mostRead)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}
