//go:build unix

package audit

import (
	"fmt"
	"io/fs"
	"syscall"
)

// names counts the hard links to a file that has several; "" where it has one.
func names(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink > 1 {
		return fmt.Sprint(s.Nlink) // of a width that differs by system
	}
	return ""
}
