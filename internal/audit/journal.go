package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// The journal holds the exact bytes of every record, in order, outside the trail's file: a line with the sequence number and the length, then the record.
// The pin says how far it is known to be whole; what stands beyond is an append that was cut short, and is written anew by the next one.

// appendFrame appends one record to a buffer of frames.
func appendFrame(dst []byte, seq int64, body []byte) []byte {
	return append(fmt.Appendf(dst, "%d %d\n", seq, len(body)), body...)
}

// writeJournal puts frames behind the first size bytes of the journal, and returns its new length once it is on the disk.
func writeJournal(path string, size int64, frames []byte) (length int64, err error) {
	f, err := openOurs(path, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() < size {
		return 0, fmt.Errorf("%s has %d bytes, the pin says %d", path, info.Size(), size)
	}
	if err := f.Truncate(size); err != nil {
		return 0, err
	}
	if _, err := f.WriteAt(frames, size); err != nil {
		return 0, err
	}
	return size + int64(len(frames)), f.Sync()
}

// readJournal calls visit with every record of the first size bytes of the journal.
func readJournal(path string, size int64, visit func(seq int64, body []byte) error) (err error) {
	f, err := openOurs(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := bufio.NewReader(io.LimitReader(f, size))
	for next := int64(0); ; next++ {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("journal: before record %d: %w", next, err)
		}
		number, length, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		n, err := strconv.Atoi(length)
		if !ok || err != nil || number != strconv.FormatInt(next, 10) || n < 0 || n > maxRecord {
			return fmt.Errorf("journal: no record %d where one should begin", next)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return fmt.Errorf("journal: record %d: %w", next, err)
		}
		if err := visit(next, body); err != nil {
			return err
		}
	}
}
