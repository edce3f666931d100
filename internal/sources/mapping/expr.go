package mapping

import (
	"bytes"
	"crypto/md5" //nolint:gosec // reproduces keys that services store as md5; protects nothing
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"unicode"
	"unicode/utf8"

	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

// expr is where a fact's text comes from and what is done to it. Exactly one of at, first, parts, constant is used.
type expr struct {
	name   string // the fact, for reasons
	column string // its column as the config spells it

	at       int // cell, -1 when there is none
	first    []alternative
	picked   string     // which alternative gave the value of the row read last: its columns
	took     *expr      // and that alternative itself
	absent   *condition // the texts that stand for no value, nil where all are one
	parts    []part
	join     []byte
	json     string
	constant []byte
	plain    bool // one cell, nothing done to it
	changed  bool // something is done to the text

	exact     bool // an identity or a reference: floating point is refused
	composite bool // a payload: objects and arrays are taken as their source text
	mixed     *mixed

	strip    []byte
	split    []byte
	index    int
	lower    bool
	hash     string
	prefix   []byte
	truncate int
	words    *words[[]byte]
}

// part is one value of several: a cell, or a constant where at is -1.
type part struct {
	at       int
	constant []byte
}

// expr compiles the source and the transforms of a field; text words are for evalWords only.
func (m *Mapper) expr(f *Field) (*expr, error) {
	e := &expr{name: f.Name, at: -1, join: []byte(f.Join), json: f.JSON, strip: []byte(f.StripPrefix), split: []byte(f.Split), index: f.SplitIndex, lower: f.Lower, hash: f.Hash, prefix: []byte(f.Prefix), truncate: f.Truncate}
	if len(f.Absent) > 0 {
		e.absent = &condition{}
		if err := e.absent.want(f, f.Absent); err != nil {
			return nil, err
		}
	}
	given := 0
	if len(f.First) > 0 {
		given++
		if err := m.alternatives(e, f); err != nil {
			return nil, err
		}
	}
	if f.Const != nil {
		given++
		e.constant = []byte(*f.Const)
	}
	if f.From != "" {
		given++
		c, err := m.column(f, f.From)
		if err != nil {
			return nil, err
		}
		e.at, e.column = c.at, c.column
	}
	if len(f.Parts) > 0 {
		given++
		for _, p := range f.Parts {
			if p.Const != nil {
				e.parts = append(e.parts, part{-1, []byte(*p.Const)})
				continue
			}
			c, err := m.column(f, p.Column)
			if err != nil {
				return nil, err
			}
			e.parts = append(e.parts, part{at: c.at})
			e.column = p.Column
		}
	}
	if given != 1 || len(f.Presence) > 0 {
		return nil, f.at("give a column, {from: …}, {parts: […]} or {value: …}", "%s must come from exactly one place", text.SafeString(f.Name))
	}
	switch f.Hash {
	case "", "md5-hex", "sha256-hex", "sha256-base64":
	default:
		return nil, f.at("use md5-hex, sha256-hex or sha256-base64", "%q is not a hash", f.Hash)
	}
	if why, hint := f.misfit(); why != "" {
		return nil, f.at(hint, "%s %s", text.SafeString(f.Name), why)
	}
	if f.Truncate < 0 || f.SplitIndex < 0 {
		return nil, f.at("count from 0", "%s has a negative length or index", text.SafeString(f.Name))
	}
	transformed := f.JSON != "" || f.StripPrefix != "" || f.Split != "" || f.Lower || f.Hash != "" || f.Prefix != "" || f.Truncate > 0
	e.changed = transformed || len(f.Words) > 0
	e.plain = e.at >= 0 && !e.changed && len(f.Absent) == 0
	return e, nil
}

// column returns the expr of one bare column, and asks the source for it.
func (m *Mapper) column(f *Field, path string) (*expr, error) {
	at, err := m.cell(path)
	if err != nil {
		return nil, f.at("", "%q is %v", path, err)
	}
	return &expr{name: f.Name, column: path, at: at, plain: true}, nil
}

// unreadable says what is wrong with this fact's value. A nil value is not shown.
func (e *expr) unreadable(value []byte, why string) *Unreadable {
	reason := text.SafeString(e.name)
	if e.column != "" {
		reason += ": column " + text.SafeString(e.column)
	}
	if value != nil {
		reason += ": " + quoted(value)
	}
	return &Unreadable{Reason: reason + " " + why}
}

func hinted(bad *Unreadable, hint string) *Unreadable {
	bad.Hint = hint
	return bad
}

// maxQuoted is how much of a value a reason shows.
const maxQuoted = 48

// quoted shows the beginning of a value, safely.
func quoted(b []byte) string {
	if len(b) <= maxQuoted {
		return `"` + text.Safe(b) + `"`
	}
	cut := maxQuoted
	for cut > maxQuoted-utf8.UTFMax && !utf8.RuneStart(b[cut]) {
		cut--
	}
	return `"` + text.Safe(b[:cut]) + `…"`
}

// eval returns the text after all transforms, before words. It lies in a cell or in the Mapper's arena.
func (m *Mapper) eval(e *expr, cells []rows.Cell) (b []byte, known bool, _ *Unreadable) {
	var bad *Unreadable
	switch {
	case e.json != "":
		if b, known, bad = m.jsonText(e, cells); bad != nil || !known {
			return nil, false, bad
		}
	case e.at >= 0:
		if b, known, bad = m.cellText(e, &cells[e.at]); bad != nil || !known || e.plain {
			return b, known, bad
		}
	case len(e.first) > 0:
		if b, known, bad = m.firstOf(e, cells); bad != nil || !known {
			return nil, false, bad
		}
	case len(e.parts) > 0:
		if b, known, bad = m.joined(e, cells); bad != nil || !known {
			return nil, false, bad
		}
	default:
		b = e.constant
	}
	if e.absent != nil && e.absent.met(b, true) {
		return nil, false, nil
	}
	return m.transform(e, b)
}

// joined puts the parts behind each other.
func (m *Mapper) joined(e *expr, cells []rows.Cell) (b []byte, known bool, _ *Unreadable) {
	from := len(m.arena)
	for i, p := range e.parts {
		if i > 0 {
			m.arena = append(m.arena, e.join...)
		}
		if p.at < 0 {
			m.arena = append(m.arena, p.constant...)
			continue
		}
		part, known, bad := m.cellText(e, &cells[p.at])
		if bad != nil || !known {
			return nil, false, bad
		}
		if inArena := cells[p.at].Kind == rows.Int; !inArena {
			m.arena = append(m.arena, part...)
		}
	}
	return m.arena[from:], true, nil
}

// transform applies strip_prefix, split, lower, hash, prefix, truncate.
func (m *Mapper) transform(e *expr, b []byte) ([]byte, bool, *Unreadable) {
	if len(e.strip) > 0 {
		rest, ok := bytes.CutPrefix(b, e.strip)
		if !ok {
			return nil, false, e.unreadable(b, "does not start with the prefix to strip")
		}
		b = rest
	}
	if len(e.split) > 0 {
		for range e.index {
			_, rest, ok := bytes.Cut(b, e.split)
			if !ok {
				return nil, false, e.unreadable(b, "has too few parts to split")
			}
			b = rest
		}
		b, _, _ = bytes.Cut(b, e.split)
	}
	if e.lower {
		b = m.lower(b)
	}
	if e.hash != "" {
		b = m.digest(e.hash, b)
	}
	if len(e.prefix) > 0 {
		from := len(m.arena)
		m.arena = append(append(m.arena, e.prefix...), b...)
		b = m.arena[from:]
	}
	if e.truncate > 0 {
		b = truncate(b, e.truncate)
	}
	return b[:len(b):len(b)], true, nil
}

// evalWords is eval, then the text words of the field.
func (m *Mapper) evalWords(e *expr, cells []rows.Cell) (b []byte, known bool, bad *Unreadable) {
	b, known, bad = m.eval(e, cells)
	if bad != nil || e.words == nil {
		return b, known, bad
	}
	w, ok := e.words.find(b, known)
	if !ok {
		if !known {
			return nil, false, nil
		}
		return nil, false, hinted(e.unreadable(b, notMapped), `name it in words; "*" stands for every word that is not named`)
	}
	return w, true, nil
}

// cellText returns a cell's bytes as identities have them.
func (m *Mapper) cellText(e *expr, c *rows.Cell) (b []byte, known bool, _ *Unreadable) {
	if e.mixed != nil {
		e.mixed.see(c)
	}
	switch c.Kind {
	case rows.Missing, rows.Null:
		return nil, false, nil
	case rows.Text, rows.Blob, rows.Number:
		return c.Text, true, nil
	case rows.Int:
		from := len(m.arena)
		m.arena = strconv.AppendInt(m.arena, c.Num, 10)
		return m.arena[from:len(m.arena):len(m.arena)], true, nil
	case rows.Bool:
		if c.Num != 0 {
			return wordTrue, true, nil
		}
		return wordFalse, true, nil
	case rows.Real:
		if e.exact {
			return nil, false, e.unreadable(c.Text, "is stored as floating point, which may have changed its digits")
		}
		return c.Text, true, nil
	case rows.JSON:
		if !e.composite {
			return nil, false, e.unreadable(c.Text, "is a JSON object or array, not one value")
		}
		return c.Text, true, nil
	case rows.Bad:
	}
	return nil, false, e.unreadable(nil, "cannot be read: "+text.Safe(c.Text))
}

var wordTrue, wordFalse = []byte("true"), []byte("false")

func (m *Mapper) lower(b []byte) []byte {
	from := len(m.arena)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			m.arena = append(m.arena, b[0])
		} else {
			m.arena = utf8.AppendRune(m.arena, unicode.ToLower(r))
		}
		b = b[n:]
	}
	return m.arena[from:]
}

func (m *Mapper) digest(hash string, b []byte) []byte {
	from := len(m.arena)
	switch hash {
	case "md5-hex":
		sum := md5.Sum(b) //nolint:gosec // see the import
		m.arena = hex.AppendEncode(m.arena, sum[:])
	case "sha256-hex":
		sum := sha256.Sum256(b)
		m.arena = hex.AppendEncode(m.arena, sum[:])
	case "sha256-base64":
		sum := sha256.Sum256(b)
		m.arena = base64.StdEncoding.AppendEncode(m.arena, sum[:])
	}
	return m.arena[from:]
}

// truncate keeps n characters, or n bytes of what is not UTF-8.
func truncate(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	if !utf8.Valid(b) {
		return b[:n]
	}
	at := 0
	for range n {
		if at >= len(b) {
			break
		}
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return b[:at]
}
