//go:build unix

package audit

import (
	"io/fs"
	"syscall"
)

// names counts the hard links to a file.
func names(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink) //nolint:unconvert // narrower on some systems
	}
	return 1
}
