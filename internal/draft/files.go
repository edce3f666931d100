package draft

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
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
	var fits []fit
	for _, p := range presets {
		if !slices.Contains(p.Formats, string(t.Spec.Scheme)) {
			continue
		}
		spec := t.Spec
		if spec.Scheme == sources.JSON {
			spec.Rows = p.Source.Rows
		}
		if spec.Scheme == sources.CSV {
			spec.CSV = p.Source.CSV
		}
		if spec.Scheme == sources.Text {
			spec.Pattern = p.Source.Pattern
		}
		score, err := fileScore(ctx, place, &spec, p)
		if err != nil {
			return err
		}
		if score > 0 {
			fits = append(fits, fit{p, score})
		}
	}
	found := bestOf(fits)
	if len(found) == 0 {
		f.Aside = append(f.Aside, t.Name)
	}
	for _, s := range found {
		s.Open, s.Note, s.store = t.Open, t.Note, t.Open
		base, _, _ := strings.Cut(filepath.Base(t.Spec.Path), ".")
		s.Name = plainName(base)
		s.path, s.root = t.Spec.Path, cmp.Or(t.Root, filepath.Dir(t.Spec.Path))
		f.Sources = append(f.Sources, s)
	}
	return nil
}

// fileScore is how well a preset fits a file: 0 is not at all. Half of the records that are looked at must have all its members, each as the preset says; what it
// demands to the letter tells it from others.
func fileScore(ctx context.Context, place sources.Place, spec *sources.Spec, p *config.Preset) (int, error) {
	paths := make([]rows.Path, 0, len(p.Like.Fields))
	letters := 0
	for _, sign := range p.Like.Fields {
		path, err := mapping.ParsePath(sign.Name)
		if err != nil {
			return 0, err
		}
		paths = append(paths, path)
		letters += len(strings.ReplaceAll(sign.Is, "*", ""))
	}
	read, fit := 0, 0
	_, err := sources.Peek(ctx, place, spec, paths, looked, func(cells []rows.Cell) {
		read++
		for i, c := range cells {
			if c.Kind == rows.Missing || p.Like.Fields[i].Is != "*" && !like(p.Like.Fields[i].Is, cellText(c)) {
				return
			}
		}
		fit++
	})
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil, read == 0, 2*fit < read: // an error: the records do not stand where this preset looks for them
		return 0, nil
	}
	const perField = 100
	return perField*len(paths) + letters, nil
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
	case has(".csv", ".tsv"):
		return sources.CSV, nil
	case has(".jsonl", ".ndjson"):
		return sources.JSONL, nil
	case len(first) > 0 && first[0] == '{' && lines(first):
		return sources.JSONL, nil
	case len(first) > 0 && (first[0] == '{' || first[0] == '['), has(".json"):
		return sources.JSON, nil
	case bytes.ContainsRune(head, 0) || len(first) == 0:
		return "", errors.New("it is no SQLite database, SQL text, JSON, CSV or log")
	case has(".log"), bytes.Contains(head, []byte("] \"")): // as access logs have it between the time and the request
		return sources.Text, nil
	}
	return sources.CSV, nil
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

// beginning returns the first bytes of a regular file, unpacked.
func beginning(path string) (_ []byte, err error) {
	const most = 64 << 10
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
	head := make([]byte, most)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}
