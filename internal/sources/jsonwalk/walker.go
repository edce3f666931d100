// Package jsonwalk reads wanted members out of one JSON text: strictly, in one pass, without allocating.
//
// # What it is
//
// Compile turns paths into a Walker; Walk checks a whole JSON text and fills one cell for each path. Members and Elements list what one
// object or array holds, for showing a row and for lists of attempts.
//
// # What it never does
//
// It never repairs, guesses or converts: no number becomes a float, no bad byte becomes U+FFFD, no name matches in another case. It never
// prints what it read: an error names a reason and a byte offset.
//
// # Invariants
//
//   - What Walk accepts, encoding/json accepts, with equal values. Walk refuses more: invalid UTF-8, lone surrogates, nesting deeper than
//     MaxDepth, and a member name given twice in the outermost object, in any object along a wanted path, or anywhere inside a wanted value.
//   - An Int cell's digits are its source text: -0, fractions, exponents and integers beyond int64 are Number cells with that text.
//   - A cell's Text lies in the document, or in the Walker's own memory until its next Walk.
package jsonwalk

import (
	"fmt"

	"example.com/idemctl/internal/sources/rows"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 512

// SyntaxError says why a text is not strict JSON, and at which byte.
type SyntaxError struct {
	Offset int
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// Walker extracts the members of one set of paths. It reuses its memory, so one Walker serves one goroutine.
type Walker struct {
	root  node
	width int
	p     parser
}

// node is one member name on some wanted path: the cells it fills, and the names that may follow.
type node struct {
	name string
	next []*node
	outs []int
}

// Compile prepares a Walker; the i-th path fills the i-th cell. A path lists member names from the outermost object on; an empty path means
// the whole text. A path may be asked for twice, and may lead into another.
func Compile(paths [][]string) *Walker {
	w := &Walker{width: len(paths)}
	for i, path := range paths {
		n := &w.root
		for _, name := range path {
			n = n.child(name)
		}
		n.outs = append(n.outs, i)
	}
	return w
}

func (n *node) child(name string) *node {
	for _, c := range n.next {
		if c.name == name {
			return c
		}
	}
	c := &node{name: name}
	n.next = append(n.next, c)
	return c
}

// find returns the node of a member, nil when it lies on no wanted path.
func (n *node) find(name []byte) *node {
	for _, c := range n.next {
		if len(c.name) == len(name) && c.name == string(name) {
			return c
		}
	}
	return nil
}

// Walk reads doc, which must be one strict JSON text, and sets out[i] for every path: Missing where a member is not there or its parent is no
// object. out must have one cell for each path. After an error, which is a *SyntaxError, out holds nothing of use.
func (w *Walker) Walk(doc []byte, out []rows.Cell) error {
	out = out[:w.width]
	clear(out)
	if err := w.p.begin(doc); err != nil {
		return err
	}
	w.p.out = out
	if err := w.p.value(&w.root, false); err != nil {
		return err
	}
	return w.p.end()
}

// Prefix is Walk of the one value with which doc begins, whatever follows it; n is how many bytes it takes. After an error more of the text may
// give another answer, as doc may end within the value.
func (w *Walker) Prefix(doc []byte, out []rows.Cell) (n int, err error) {
	out = out[:w.width]
	clear(out)
	w.p.start(doc)
	w.p.out = out
	if err := w.p.value(&w.root, false); err != nil {
		return 0, err
	}
	n = w.p.at
	return n, w.p.valid(doc[:n])
}

// Members reads doc, which must be one strict JSON object, and hands over every member in order. Name and cell are valid during the call.
func (w *Walker) Members(doc []byte, yield func(name []byte, c rows.Cell) error) error {
	p, one := &w.p, [1]rows.Cell{}
	if err := p.begin(doc); err != nil {
		return err
	}
	if p.peek() != '{' {
		return p.fail("not a JSON object")
	}
	p.out, p.depth = one[:], 1
	var seen uint64
	for first := true; ; first = false {
		more, err := p.more('}', first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		name, err := p.name(0, &seen, true)
		if err != nil {
			return err
		}
		if err := p.value(&anyValue, true); err != nil {
			return err
		}
		if err := yield(name, one[0]); err != nil {
			return err
		}
	}
	if p.repeatedAmongMany(0) {
		return p.fail(reasonRepeated)
	}
	return p.end()
}

// Elements reads doc, which must be one strict JSON array, and hands over the source text of every element in order.
func (w *Walker) Elements(doc []byte, yield func(element []byte) error) error {
	p := &w.p
	if err := p.begin(doc); err != nil {
		return err
	}
	if p.peek() != '[' {
		return p.fail("not a JSON array")
	}
	p.depth = 1
	for first := true; ; first = false {
		more, err := p.more(']', first)
		if err != nil {
			return err
		}
		if !more {
			return p.end()
		}
		p.space()
		start := p.at
		if err := p.value(nil, true); err != nil {
			return err
		}
		if err := yield(p.doc[start:p.at]); err != nil {
			return err
		}
	}
}

// anyValue is the node of a value that fills the first cell, whatever it is.
var anyValue = node{outs: []int{0}}
