package files_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/sources/sourcetest"
)

// TestForeignFormats names what is no text instead of reading it as text.
func TestForeignFormats(t *testing.T) {
	t.Parallel()
	tests := []struct{ first, is string }{
		{"SQLite format 3\x00\x10\x00", "a SQLite database"},
		{"PK\x03\x04\x14\x00", "a ZIP archive"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old spreadsheet"},
		{"\x28\xb5\x2f\xfd\x04", "zstd"},
		{"BZh91AY&SY\x00", "bzip2"},
		{"\xfd7zXZ\x00\x00", "xz"},
		{"SQLite format 3\n", ""},
		{"PK,n\n", ""},
		{"BZh9,n\n", ""},
		{"\x1f", ""},
		{"\x1f\x8b", ""},
		{"", ""},
		{"k", ""},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		sourcetest.WriteFile(t, dir, "log", []byte(tt.first))
		set, err := files.Open(context.Background(), nil, dir, "*", func(name string) string { return name })
		switch {
		case tt.is == "" && (err != nil || set.Files[0].Gzip != strings.HasPrefix(tt.first, "\x1f\x8b")):
			t.Errorf("%q: %v", tt.first, err)
		case tt.is != "" && (!errors.Is(err, rows.ErrNotText) || !strings.Contains(err.Error(), tt.is) || rows.HintOf(err) == ""):
			t.Errorf("%q: %v, want %s", tt.first, err, tt.is)
		}
	}
}
