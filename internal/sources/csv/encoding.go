package csv

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
)

// ErrEncoding says that an encoding is not known by this name.
var ErrEncoding = errors.New("not an encoding that can be read")

// EncodingNamed returns an encoding by its IANA name or one of its common other names; nil is UTF-8.
func EncodingNamed(name string) (encoding.Encoding, error) {
	folded := strings.ToLower(name)
	if folded == "utf-8" || folded == "utf8" || folded == "us-ascii" {
		return nil, nil // UTF-8 needs no decoder
	}
	e, err := ianaindex.IANA.Encoding(folded)
	if err != nil || e == nil {
		e, err = htmlindex.Get(folded)
	}
	if err != nil || e == encoding.Replacement {
		return nil, fmt.Errorf("%q: %w", name, ErrEncoding)
	}
	if e == unicode.UTF8 {
		return nil, nil // as above
	}
	return e, nil
}
