package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// This is the one file of the package that opens files. It opens no database, no -wal and no -shm that SQLite may have open: closing any descriptor of those
// would drop the locks that SQLite holds in this process.

// maxSmall bounds the small files that are read whole: a key, a pin, a note of a path.
const maxSmall = 1 << 20

// createDatabase makes the empty file that SQLite will fill, so that it never exists with wider rights.
func createDatabase(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// openLock opens the file whose flock every append holds.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
}

// readSmall reads a regular file of ours; fs.ErrNotExist where there is none.
func readSmall(path string) ([]byte, error) {
	f, err := openOurs(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxSmall+1))
	if err == nil && len(b) > maxSmall {
		err = fmt.Errorf("%s: larger than %d bytes", path, maxSmall)
	}
	return b, err
}

// openOurs opens a regular file that is no link, is ours, and that nobody else can write.
func openOurs(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link", path)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = ours(path, info)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ours refuses what another account than root owns or can write.
func ours(path string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another account (uid %d)", path, st.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s can be written by others (mode %04o): type chmod go-w %s", path, info.Mode().Perm(), path)
	}
	return nil
}

// writeWhole puts a file in place of another, or nothing: whoever reads finds the old bytes or the new ones, also after power is lost.
func writeWhole(path string, b []byte) error {
	tmp, err := writeBeside(path, b)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncDir(filepath.Dir(path))
}

// writeOnce puts a file where there is none; fs.ErrExist where there is one.
func writeOnce(path string, b []byte) error {
	tmp, err := writeBeside(path, b)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Link(tmp, path), os.Remove(tmp)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func writeBeside(path string, b []byte) (tmp string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// ensureDir makes the folder for this account alone, or accepts one that nobody else can write.
func ensureDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return ours(path, info)
}
