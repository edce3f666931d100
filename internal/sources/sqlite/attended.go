package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// deadManSwitch is the byte of a -shm file that every connection holds a lock on while it lives; SQLite calls it DMS.
const deadManSwitch = 128

// attended reports that another process has the database open in WAL mode, so that there is somebody whose snapshots can be shared. After a crash the
// -wal and -shm files stand there all the same. It runs before the library opens anything, since closing the file drops this process's locks on it.
func attended(path string) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	f, err := openSame(path, info)
	if errors.Is(err, fs.ErrPermission) {
		return false, nil // nothing can be shared through a file that cannot be read
	}
	if err != nil {
		return false, fmt.Errorf("looking at the -shm: %w", err)
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: deadManSwitch, Len: 1}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock)
	return lock.Type != syscall.F_UNLCK, errors.Join(err, f.Close())
}
