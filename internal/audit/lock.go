package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"modernc.org/sqlite"
)

const engine = "sqlite"

// Locks of open file descriptions survive the closing of other descriptors of the same file. The switch works only before the first lock of the process, which
// a source may take before a trail is opened.
func init() {
	sqlite.StrictPragmas(true)
	_, _ = sqlite.OFDLocking(true) // where the system has none, the flock below still keeps writers apart
}

const (
	lockPatience = 5 * time.Second
	lockStep     = time.Millisecond
)

// lock takes the trail's flock. It is ours alone, so no library and no tool that opens the database can drop it. The returned function gives it back.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := openLock(path)
	if err != nil {
		return nil, fmt.Errorf("locking the audit trail: %w", err)
	}
	limit, cancel := context.WithTimeoutCause(ctx, lockPatience, ErrBusy)
	defer cancel()
	for i := 0; ; i++ {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			break
		}
		if pause(limit, jitter(i)); limit.Err() != nil {
			err = context.Cause(limit)
			break
		}
	}
	_ = f.Close()
	return nil, fmt.Errorf("locking %s: %w", path, err)
}

// jitter keeps processes that wait for one lock from asking in step.
func jitter(i int) time.Duration {
	return lockStep/2 + time.Duration((os.Getpid()*7919+i*104729)%1000)*lockStep/1000
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	c, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-c.Done()
}
