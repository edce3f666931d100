package csv

import (
	"errors"
	"testing"
)

func TestEncodingNamed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"windows-1252", "Latin1", "ISO-8859-15", "cp1252", "utf-16", "UTF-16LE", "shift_jis", "gb18030", "macintosh", "koi8-r"} {
		if e, err := EncodingNamed(name); err != nil || e == nil {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
	for _, name := range []string{"utf-8", "UTF8", "us-ascii", "unicode-1-1-utf-8"} {
		if e, err := EncodingNamed(name); err != nil || e != nil {
			t.Errorf("%s: %v, %v, want no decoder", name, e, err)
		}
	}
	for _, name := range []string{"", "utf-7", "ebcdic", "replacement", "hz-gb-2313", "iso-2022-kr", "windows"} {
		if _, err := EncodingNamed(name); !errors.Is(err, ErrEncoding) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
