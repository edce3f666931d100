package audit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// originPrefix begins the origin of every trail; the trail's own UUID and its epoch follow.
const originPrefix = "idemctl/"

// checkpoint is the state of a log: three lines, signed as a note.
type checkpoint struct {
	origin string
	size   int64
	root   tlog.Hash
}

func (c checkpoint) String() string { return fmt.Sprintf("%d records, root %s", c.size, c.root) }

func (c checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.origin, c.size, c.root)
}

// sign returns the signed note.
func (c checkpoint) sign(s note.Signer) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.text()}, s)
}

// parseCheckpoint reads the text of a checkpoint.
func parseCheckpoint(text string) (checkpoint, error) {
	line := strings.Split(text, "\n")
	if len(line) != 4 || line[3] != "" {
		return checkpoint{}, errors.New("a checkpoint has three lines")
	}
	size, err := strconv.ParseInt(line[1], 10, 64)
	if err != nil || size < 1 || size > maxInteger || strconv.FormatInt(size, 10) != line[1] {
		return checkpoint{}, errors.New("a checkpoint's second line is its size")
	}
	root, err := tlog.ParseHash(line[2])
	if err != nil || root.String() != line[2] {
		return checkpoint{}, errors.New("a checkpoint's third line is its root")
	}
	if !validOrigin(line[0]) {
		return checkpoint{}, errors.New("a checkpoint's first line is its origin")
	}
	return checkpoint{line[0], size, root}, nil
}

func validOrigin(s string) bool {
	rest, ok := strings.CutPrefix(s, originPrefix)
	for _, r := range rest {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return ok && rest != "" && len(s) < 200
}

// openCheckpoint reads a signed checkpoint. It has exactly one signature, v's: anything else in the note would be bytes that nobody vouches for.
func openCheckpoint(msg []byte, v note.Verifier) (checkpoint, error) {
	n, err := note.Open(msg, note.VerifierList(v))
	if err != nil {
		return checkpoint{}, err
	}
	if len(n.Sigs) != 1 || len(n.UnverifiedSigs) != 0 {
		return checkpoint{}, errors.New("a checkpoint has one signature")
	}
	if _, err := unbase64(n.Sigs[0].Base64); err != nil { // base64 has bits to spare, and no bit may change unseen
		return checkpoint{}, fmt.Errorf("a checkpoint's signature: %w", err)
	}
	return parseCheckpoint(n.Text)
}
