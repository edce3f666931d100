package csv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/rows"
)

// steps reads at most n bytes at once.
type steps struct {
	r io.Reader
	n int
}

func (s *steps) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

// account is all that a reader reports, in order.
type account struct {
	records [][]string
	lines   []string
	clean   bool // nothing was refused or cut
}

// told reads data, step bytes at once; careful reads every record strictly.
func told(data []byte, shape Shape, step int, careful bool) *account {
	a := &account{clean: true}
	w := files.NewWindow()
	w.Reset(&steps{bytes.NewReader(data), step}, files.Place{Line: 1, Column: 1}, step)
	r := newReader(w, shape, &record{})
	r.careful = careful
	l, err := r.header()
	a.lines = append(a.lines, fmt.Sprintf("%q", l.names))
	for err == nil {
		var ok bool
		ok, err = r.next()
		var f *fault
		switch {
		case errors.As(err, &f) && !f.stops:
			a.clean = false
			a.lines = append(a.lines, fmt.Sprintf("refused %d %s %s", r.began.Offset, r.began, f))
			err = nil
		case err != nil:
		case !ok:
			return a
		default:
			a.row(r)
		}
	}
	a.clean = false
	a.lines = append(a.lines, err.Error())
	return a
}

func (a *account) row(r *reader) {
	var texts []string
	line := fmt.Sprintf("row %d %s", r.began.Offset, r.began)
	for i := range r.rec.cells {
		c := r.rec.cell(i)
		texts = append(texts, string(c.Text))
		line += fmt.Sprintf(" %q", c.Text)
		if c.Kind == rows.Null {
			line += "null"
		}
	}
	a.records, a.lines = append(a.records, texts), append(a.lines, line)
}

// FuzzRecords holds the fast path against the strict reader, whatever the sizes of the reads, and both against encoding/csv: what is reported as whole
// and undoubted is what it reads there, but for the line breaks that it changes.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{
		"k,n\na,1\n\nb,2\r\n", "k,n\n\"a,\"\"\n\",1\n,\"\"\n", "\xef\xbb\xbf\"k\",n\nx,\ny\n", "k\n\"a\"b\n", "k\na\"b\nc\n", "k,n\n\"a\r\n\",\r\n", "k\na\rb\nc\xff\n", "k,n\n\"a\n", "k,n\na,b", "k;n\na;b\n",
		"k,n\n\"a\\\"\nx,9\n\",1\n", "\n\nk\n\n", "k,n\nc\xc3,\xa9\n\"\xc3\",\"\xa9\"\n", "k\r\na\r\r\n\r",
	} {
		f.Add([]byte(seed), byte(0), 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, delimiter byte, step int) {
		shape := Shape{Delimiter: ",;\t|"[delimiter%4], Header: delimiter < 128, Skip: int(delimiter) / 4 % 3}
		compare(t, data, shape, 1+(step&0x7fffffff)%17)
	})
}

// fataler is what a fuzz target and a property have in common.
type fataler interface {
	Fatalf(format string, args ...any)
}

func compare(t fataler, data []byte, shape Shape, step int) {
	fast := told(data, shape, 1<<20, false)
	for name, other := range map[string]*account{
		"strictly": told(data, shape, 1<<20, true), "in small steps": told(data, shape, step, false), "strictly, in small steps": told(data, shape, step, true),
	} {
		if !slices.Equal(fast.lines, other.lines) {
			t.Fatalf("%s:\n%s\nat once:\n%s", name, strings.Join(other.lines, "\n"), strings.Join(fast.lines, "\n"))
		}
	}
	if !fast.clean || bytes.ContainsRune(data, '\r') {
		return
	}
	rest := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for range shape.Skip {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	r := csv.NewReader(bytes.NewReader(rest))
	r.Comma = rune(shape.Delimiter)
	want, err := r.ReadAll()
	if err == nil && shape.Header && len(want) > 0 {
		want = want[1:]
	}
	if err != nil || !slices.EqualFunc(want, fast.records, slices.Equal) {
		t.Fatalf("encoding/csv reads %q, %v, and not %q", want, err, fast.records)
	}
}

// TestFastPathIsStrict writes records whose cells are quoted at random, damages some, and reads them in every way.
func TestFastPathIsStrict(t *testing.T) {
	t.Parallel()
	cell := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "7", "é", "a b", "\xff", "x\ry", "\x00", "order-1"}), rapid.StringOfN(rapid.RuneFrom([]rune("ab\",\n\r;|é ")), 0, 6, -1))
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 4).Draw(t, "width")
		var b bytes.Buffer
		for range rapid.IntRange(1, 12).Draw(t, "records") {
			n := width
			if rapid.IntRange(0, 9).Draw(t, "ragged") == 0 {
				n = rapid.IntRange(1, 5).Draw(t, "cells")
			}
			for i := range n {
				if i > 0 {
					b.WriteByte(',')
				}
				text := cell.Draw(t, "cell")
				if strings.ContainsAny(text, ",\"\n\r") || rapid.Bool().Draw(t, "quoted") {
					text = quote([]byte(text))
				}
				b.WriteString(text)
			}
			b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\n\n"}).Draw(t, "end"))
		}
		data := b.Bytes()
		if rapid.IntRange(0, 3).Draw(t, "damage") == 0 {
			data[rapid.IntRange(0, len(data)-1).Draw(t, "where")] = rapid.SampledFrom([]byte("\",\n\rx\xff")).Draw(t, "byte")
		}
		compare(t, data, Shape{Delimiter: ',', Header: rapid.Bool().Draw(t, "header")}, rapid.IntRange(1, 20).Draw(t, "step"))
	})
}
