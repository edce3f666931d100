//go:build !unix

package audit

import "io/fs"

// names counts the hard links to a file that has several: nobody says here.
func names(fs.FileInfo) string { return "" }
