package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/idemctl/internal/sources/rows"
)

const (
	smallest   = 512 // bytes; no database is smaller than one page of the smallest size
	headerSize = 100
	magic      = "SQLite format 3\x00"
)

// source is a database file as it looked before the library saw it.
type source struct {
	path     string // absolute, without symbolic links
	size     int64
	pageSize int64
	wal      bool // the header says WAL mode
	face     face
}

// face is what changes when a file is written or replaced.
type face struct {
	size     int64
	modified int64
	wal      int64  // the size of the -wal file: a checkpoint that restored size and time would still have needed one
	file     string // its device and inode
}

// examine looks at the file through the operating system only; shown is what it is called in errors.
func examine(named, shown string) (source, error) {
	path, err := filepath.EvalSymlinks(named)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return source{}, unreachable(shown, err)
	}
	s := source{path: path}
	info, err := os.Lstat(path)
	if err != nil {
		return source{}, unreachable(shown, err)
	}
	if !info.Mode().IsRegular() {
		return source{}, hinted("name the database file itself", "%s: %w (%s)", shown, rows.ErrUnusable, kindOf(info.Mode()))
	}
	s.size = info.Size()
	if s.size < smallest {
		return source{}, hinted("check the path: the service writes its database elsewhere, or not yet", "%s: %w", shown, rows.ErrEmpty)
	}
	header, err := readHeader(path, info)
	if err != nil {
		return source{}, unreachable(shown, err)
	}
	if err := s.parse(header); err != nil {
		return source{}, fmt.Errorf("%s: %w", shown, err)
	}
	s.face, err = s.again()
	return s, err
}

// parse takes what matters from the first 100 bytes of the file.
func (s *source) parse(header []byte) error {
	size := int64(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		size = 1 << 16
	}
	if !bytes.HasPrefix(header, []byte(magic)) || size < smallest || size&(size-1) != 0 {
		return hinted("check the path, or whether the file is encrypted or compressed", "%w", rows.ErrNotADB)
	}
	s.pageSize = size
	s.wal = header[19] == 2
	if rest := s.size % size; rest != 0 {
		// The library reads the missing bytes of the last page as zeros and may find nothing wrong with them.
		return hinted(hintDamaged, "%w: cut inside its last page (%d of %d bytes)", rows.ErrDamaged, rest, size)
	}
	return nil
}

// again looks at the file and its -wal once more.
func (s *source) again() (face, error) {
	info, err := os.Lstat(s.path)
	if err != nil {
		return face{}, fmt.Errorf("looking at the file again: %w", err)
	}
	wal, err := sizeOf(s.path + "-wal")
	if err != nil {
		return face{}, err
	}
	f := face{size: info.Size(), modified: info.ModTime().UnixNano(), wal: max(wal, 0)}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.file = fmt.Sprint(st.Dev, " ", st.Ino) // of a width that differs by system
	}
	return f, nil
}

// readHeader opens without waiting, so that a pipe which took the file's place cannot hang it, and reads only the file that info describes.
func readHeader(path string, info fs.FileInfo) (header []byte, err error) {
	f, err := openSame(path, info)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	header = make([]byte, headerSize)
	_, err = io.ReadFull(f, header)
	return header, err
}

func openSame(path string, info fs.FileInfo) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = rows.ErrChanged
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// sizeOf is the size of a file beside the database, -1 when there is none.
func sizeOf(path string) (int64, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("looking beside the database: %w", err)
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: %w (%s)", filepath.Base(path), rows.ErrUnusable, kindOf(info.Mode()))
	}
	return info.Size(), nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	default:
		return "a special file"
	}
}

// fileURI writes an absolute path so that nothing in it is syntax.
func fileURI(path, parameters string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.WriteString("file://")
	for i := range len(path) {
		c := path[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	b.WriteString("?" + parameters)
	return b.String()
}
