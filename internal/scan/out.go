package scan

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/idemctl/internal/text"
)

// Where SQLite keeps an application's mark, and how much of a file is read to find it.
const (
	markOffset = 68
	markEnd    = 72
)

// vacant makes sure, before anything is read, that a saved scan may be put at out: nothing stands there, or an older saved scan. Putting it in place
// replaces what has the name, and that may be a store, a config or a device.
func vacant(out string) error {
	if out == "" {
		return nil
	}
	shown := text.SafeString(out)
	if dir, err := os.Stat(filepath.Dir(out)); err != nil || !dir.IsDir() {
		return &Error{Msg: shown + ": there is no such folder", Hint: "make the folder first, or name another --out"}
	}
	info, err := os.Lstat(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &Error{Msg: shown + ": " + text.SafeString(err.Error()), Hint: otherOut}
	case !info.Mode().IsRegular():
		return &Error{Msg: shown + ": not a regular file; nothing is put in its place", Hint: otherOut}
	case !bearsMark(out):
		return &Error{Msg: shown + ": there already, and not a saved scan; it is not overwritten", Hint: otherOut}
	}
	return nil
}

const otherOut = "name a new file with --out, or remove this one"

func bearsMark(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	var head [markEnd]byte
	_, err = io.ReadFull(f, head[:])
	return errors.Join(err, f.Close()) == nil && binary.BigEndian.Uint32(head[markOffset:]) == savedMark
}
