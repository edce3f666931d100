package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"example.com/idemctl/internal/text"
)

// maxNesting keeps the parser's recursion shallow, whatever the file holds.
const maxNesting = 64

// pos is a place in the file, from 1.
type pos struct{ line, col int }

// decoder turns YAML into values. Its first error stands; reading goes on after it with zero values, so that callers need not look.
type decoder struct {
	file   string
	getenv func(string) string
	err    error
	later  []func(*Config) // checks that need the whole file, in its order
}

func (d *decoder) fail(at pos, hint, format string, args ...any) {
	if d.err == nil {
		d.err = &Error{File: d.file, Line: at.line, Col: at.col, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
}

// readable refuses what is no YAML text, and names what it is instead.
func readable(shown string, data []byte) error {
	whole := func(msg, hint string) error { return &Error{File: shown, Msg: msg, Hint: hint} }
	switch {
	case bytes.HasPrefix(data, []byte("SQLite format 3\x00")):
		return whole("a SQLite database, not a config", "a store is named in a config: open: sqlite:PATH")
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return whole("gzip data, not a config", "unpack it first")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return whole("UTF-16, not UTF-8", "save it as UTF-8")
	}
	line, col := 1, 1
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		switch {
		case r == utf8.RuneError && n == 1:
			return &Error{File: shown, Line: line, Col: col, Msg: fmt.Sprintf("byte %#02x is not UTF-8", data[at]), Hint: "save it as UTF-8"}
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f, r >= 0x80 && r < 0xa0:
			return &Error{File: shown, Line: line, Col: col, Msg: fmt.Sprintf("control character %U", r), Hint: "a config is plain text: take it out"}
		}
		at += n
		if col++; r == '\n' {
			line, col = line+1, 1
		}
	}
	return nil
}

// parseYAML returns the one mapping that a config is.
func (d *decoder) parseYAML(data []byte) (root value, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser's own bug must not end the program
			err = &Error{File: d.file, Msg: "not readable as YAML", Hint: "check quotes and indentation"}
		}
	}()
	tokens := lexer.Tokenize(strings.ReplaceAll(string(data), "\r\n", "\n"))
	if d.plainYAML(tokens); d.err != nil {
		return value{}, d.err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return value{}, d.syntaxError(data, err)
	}
	if len(file.Docs) > 1 {
		d.fail(posOf(file.Docs[1].Body), "keep one config in one file", "a second YAML document")
		return value{}, d.err
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return value{}, &Error{File: d.file, Msg: "empty", Hint: "a config begins with: version: 1"}
	}
	return value{d: d, node: file.Docs[0].Body}, nil
}

// plainYAML refuses what makes a text mean something that does not stand there, and nesting that no config has.
func (d *decoder) plainYAML(tokens token.Tokens) {
	depth, entries, line := 0, 0, 0
	for _, t := range tokens {
		at := pos{t.Position.Line, t.Position.Column}
		if at.line != line {
			entries, line = 0, at.line
		}
		switch t.Type {
		case token.AnchorType, token.AliasType:
			d.fail(at, `write the value out; a text that begins with * or & stands in quotes: "*"`, "anchors and aliases are not allowed")
		case token.MergeKeyType:
			d.fail(at, "write the fields out", "merge keys are not allowed")
		case token.TagType:
			d.fail(at, `write the value alone; a text that begins with ! stands in quotes`, "tags are not allowed")
		case token.DirectiveType:
			d.fail(at, "take the line out", "directives are not allowed")
		case token.MappingKeyType:
			d.fail(at, "write it as: name: value", "a key must be plain text")
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType:
			entries++
		default:
		}
		if depth > maxNesting || entries > maxNesting {
			d.fail(at, "a config is never this deep: look for brackets that are not closed", "nested more than %d deep", maxNesting)
		}
		if d.err != nil {
			return
		}
	}
}

func (d *decoder) syntaxError(data []byte, err error) error {
	var syntax yaml.Error
	if !errors.As(err, &syntax) || syntax.GetToken() == nil {
		return &Error{File: d.file, Msg: "not readable as YAML", Hint: "check quotes and indentation"}
	}
	p := syntax.GetToken().Position
	e := &Error{File: d.file, Line: p.Line, Col: p.Column, Msg: "YAML: " + text.Truncate(text.SafeString(syntax.GetMessage()), 200), Hint: "check quotes and indentation"}
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 && len(bytes.TrimSpace(line)) > 0 && i+1 <= p.Line+1 {
			return &Error{File: d.file, Line: i + 1, Col: tab + 1, Msg: "a tab in the indentation", Hint: "YAML is indented with spaces"}
		}
	}
	return e
}

// posOf is where an error about n points: at its first character.
func posOf(n ast.Node) pos {
	switch m := n.(type) {
	case nil:
		return pos{}
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return posOf(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return posOf(m.Key)
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return pos{}
	}
	return pos{t.Position.Line, t.Position.Column}
}
