package audit

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// machineKey signs the checkpoints that this machine makes.
type machineKey struct {
	signer note.Signer
	public string // the verifier key
}

const keyFile = "checkpoint.key"

// loadKey reads the machine's key; fs.ErrNotExist where there is none.
func loadKey(dir string) (*machineKey, error) {
	b, err := readSmall(filepath.Join(dir, keyFile))
	if err != nil {
		return nil, err
	}
	line := strings.Split(string(b), "\n")
	if len(line) != 3 || line[2] != "" {
		return nil, fmt.Errorf("%s: not a key file", filepath.Join(dir, keyFile))
	}
	k := &machineKey{public: line[1]}
	v, err := note.NewVerifier(k.public)
	if err == nil {
		k.signer, err = note.NewSigner(line[0])
	}
	if err == nil { // the two lines must be one pair
		var sig []byte
		if sig, err = k.signer.Sign([]byte("pair")); err == nil && !v.Verify([]byte("pair"), sig) {
			err = errors.New("its halves are no pair")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, keyFile), err)
	}
	return k, nil
}

// makeKey makes the machine's key where there is none yet, and loads it.
func makeKey(dir string) (*machineKey, error) {
	k, err := loadKey(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	if err := ensureDir(dir); err != nil {
		return nil, err
	}
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	private, public, err := note.GenerateKey(rand.Reader, "idemctl-"+hex.EncodeToString(id[:]))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(private + "\n" + public + "\n")
	if err := writeOnce(filepath.Join(dir, keyFile), b.Bytes()); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return loadKey(dir) // another process may have been first
}
