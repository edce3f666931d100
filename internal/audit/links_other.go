//go:build !unix

package audit

import "io/fs"

// names counts the hard links to a file: nobody says here.
func names(fs.FileInfo) uint64 { return 1 }
