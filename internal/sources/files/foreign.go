package files

import (
	"bytes"
	"fmt"

	"example.com/idemctl/internal/sources/rows"
)

// foreign are the formats that are told by their first bytes, which no text begins with, and what to do about them.
var foreign = []struct{ magic, is, hint string }{
	{"SQLite format 3\x00", "a SQLite database", "open it as sqlite:PATH, with its table"},
	{"PK\x03\x04", "a ZIP archive, as spreadsheets are", "export it as CSV, or unpack a copy"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old spreadsheet", "export it as CSV"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd", hintPacked},
	{"BZh91AY&SY", "compressed with bzip2", hintPacked},
	{"\xfd7zXZ\x00", "compressed with xz", hintPacked},
}

const (
	hintPacked = "decompress a copy, or compress it with gzip: no other compression is read"
	// longestMagic is how many first bytes tell the format.
	longestMagic = 16
)

var gzipMagic = []byte{0x1f, 0x8b}

// refuseForeign refuses what is no text and no gzip.
func refuseForeign(name string, first []byte) error {
	for _, f := range foreign {
		if bytes.HasPrefix(first, []byte(f.magic)) {
			return &rows.HintedError{Err: fmt.Errorf("%s: %w: it is %s", name, rows.ErrNotText, f.is), Hint: f.hint}
		}
	}
	return nil
}
