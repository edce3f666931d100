package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// memory is the folder in which this machine remembers trails: a pin and a journal for each, and which trail stood at which path.
type memory struct{ dir string }

func (m memory) of(origin string) string  { return filepath.Join(m.dir, short(origin)) }
func (m memory) pinFile(o string) string  { return filepath.Join(m.of(o), "pin") }
func (m memory) journal(o string) string  { return filepath.Join(m.of(o), "journal") }
func (m memory) pathFile(p string) string { return filepath.Join(m.dir, "by-path", short(p)) }

func short(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:10])
}

// pin reads the pin of a trail; nil where there is none.
func (m memory) pin(origin string) (*pin, error) {
	b, err := readSmall(m.pinFile(origin))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no pin is an answer
	}
	if err != nil {
		return nil, err
	}
	p, err := parsePin(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.pinFile(origin), err)
	}
	if p.origin != origin {
		return nil, fmt.Errorf("%s: a pin of %s", m.pinFile(origin), p.origin)
	}
	return p, nil
}

// at returns the origin of the trail that stood at a path; "" where none is remembered.
func (m memory) at(path string) (origin string, err error) {
	b, err := readSmall(m.pathFile(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	line := strings.SplitN(string(b), "\n", 2)
	if len(line) != 2 || !validOrigin(line[0]) || line[1] != path+"\n" {
		return "", fmt.Errorf("%s: not the note of a trail's path", m.pathFile(path))
	}
	return line[0], nil
}

// keep makes p the pin of the trail at path. The journal is on the disk already.
func (m memory) keep(path string, p *pin) error {
	if err := writeWhole(m.pinFile(p.origin), p.bytes()); err != nil {
		return err
	}
	if origin, err := m.at(path); err != nil || origin == p.origin {
		return err
	}
	return writeWhole(m.pathFile(path), []byte(p.origin+"\n"+path+"\n"))
}

// ready makes the folders for a trail.
func (m memory) ready(origin string) error {
	for _, dir := range []string{m.dir, filepath.Join(m.dir, "by-path"), m.of(origin)} {
		if err := ensureDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether the journal is at least as long as the pin says. It opens nothing.
func (m memory) whole(p *pin) error {
	info, err := os.Lstat(m.journal(p.origin))
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() < p.journal:
		return fmt.Errorf("%s has %d bytes, the pin says %d", m.journal(p.origin), info.Size(), p.journal)
	}
	return nil
}
