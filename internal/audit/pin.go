package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// pinHistory is how many checkpoints a pin keeps.
const pinHistory = 50

const pinMagic = "idemctl-pin v1"

// pin is what this machine remembers of a trail, outside its file.
type pin struct {
	checkpoint          // the last one
	key        string   // the verifier key of the trail's checkpoints
	journal    int64    // how long the journal was, in bytes
	notes      [][]byte // signed checkpoints, newest first
}

// next is the pin after a further checkpoint; p may be nil.
func (p *pin) next(c checkpoint, signed []byte, key string, journal int64) (*pin, error) {
	n := &pin{checkpoint: c, key: key, journal: journal, notes: [][]byte{signed}}
	if p == nil {
		return n, nil
	}
	if c.size < p.size || c.origin != p.origin || key != p.key || journal < p.journal {
		return nil, errors.New("a pin only goes forward")
	}
	if c == p.checkpoint {
		n.notes = nil
	}
	n.notes = append(n.notes, p.notes...)
	n.notes = n.notes[:min(len(n.notes), pinHistory)]
	return n, nil
}

func (p *pin) bytes() []byte {
	b := fmt.Appendf(nil, "%s\nkey %s\njournal %d\n", pinMagic, p.key, p.journal)
	for _, n := range p.notes {
		b = base64.StdEncoding.AppendEncode(append(b, "checkpoint "...), n)
		b = append(b, '\n')
	}
	return append(b, "end\n"...)
}

// parsePin reads a pin; nothing is returned unless all is well formed and the newest checkpoint's signature is good. See also history.
func parsePin(b []byte) (*pin, error) {
	line := strings.Split(string(b), "\n")
	last := len(line) - 2 // of "end"
	if last < 4 || line[0] != pinMagic || line[last] != "end" || line[last+1] != "" || last-3 > pinHistory {
		return nil, errors.New("not a whole pin")
	}
	key, hasKey := strings.CutPrefix(line[1], "key ")
	length, hasLength := strings.CutPrefix(line[2], "journal ")
	p := &pin{key: key}
	var err error
	if p.journal, err = strconv.ParseInt(length, 10, 64); err != nil || p.journal < 0 || !hasLength || !hasKey {
		return nil, errors.New("a pin's key or journal is not well formed")
	}
	for _, l := range line[3:last] {
		text, ok := strings.CutPrefix(l, "checkpoint ")
		msg, err := unbase64(text)
		if err != nil || !ok {
			return nil, errors.New("a pin's checkpoint is not base64")
		}
		p.notes = append(p.notes, msg)
	}
	v, err := note.NewVerifier(p.key)
	if err != nil {
		return nil, fmt.Errorf("a pin's key: %w", err)
	}
	if p.checkpoint, err = openCheckpoint(p.notes[0], v); err != nil {
		return nil, fmt.Errorf("a pin's checkpoint: %w", err)
	}
	if !bytes.Equal(p.bytes(), b) {
		return nil, errors.New("a pin is spelled in one way only")
	}
	return p, nil
}

// history opens every checkpoint of the pin, newest first. All are signed by its key, of one trail, and each is smaller than the one before it.
func (p *pin) history() ([]checkpoint, error) {
	v, err := note.NewVerifier(p.key)
	if err != nil {
		return nil, err
	}
	var out []checkpoint
	for i, msg := range p.notes {
		c, err := openCheckpoint(msg, v)
		if err != nil {
			return nil, fmt.Errorf("checkpoint %d of the pin: %w", i, err)
		}
		if c.origin != p.origin || i > 0 && c.size >= out[i-1].size {
			return nil, fmt.Errorf("checkpoint %d of the pin does not stand before the one above it", i)
		}
		out = append(out, c)
	}
	return out, nil
}
