package json

import (
	"strings"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
)

// outerMark begins a path that leads from the outermost object of a value, beside the list in which a record stands: ^live, ^header.batch_id.
const outerMark = "^"

// outer is what the records of one value share: members that stand beside their list.
type outer struct {
	walker *jsonwalk.Walker
	at     []int       // which of the caller's cells each of them is
	cells  []rows.Cell // of the value that is read
	inner  []rows.Cell // of the record, and which of the caller's cells each of them is
	of     []int
	all    []rows.Cell
	begins func(files.Place) // takes where a value begins
	within bool
}

// bindOuter parts paths into those of a record and those of what stands beside the list; nil where there are none of these.
func bindOuter(paths []rows.Path) (o *outer, inner []rows.Path) {
	o = &outer{all: make([]rows.Cell, len(paths))}
	var beside [][]string
	for i, p := range paths {
		if name, ok := strings.CutPrefix(p.Column, outerMark); ok {
			beside, o.at = append(beside, append([]string{name}, p.Members...)), append(o.at, i)
			continue
		}
		inner, o.of = append(inner, p), append(o.of, i)
	}
	if len(beside) == 0 {
		return nil, paths
	}
	o.walker, o.cells, o.inner = jsonwalk.Compile(beside), make([]rows.Cell, len(beside)), make([]rows.Cell, len(inner))
	return o, inner
}

const tooLongBeside = "the document is longer than a record may be, so nobody knows what stands beside the list"

// load reads what stands beside the list of the value that begins here.
func (o *outer) load(w *files.Window) {
	n, err := prefix(w, o.walker, o.cells)
	for i := range o.cells {
		switch {
		case err != nil && cutOff(err, len(w.Bytes())) || n > files.MaxRecord:
			o.cells[i] = rows.Cell{Kind: rows.Bad, Text: []byte(tooLongBeside)}
		case err != nil:
			o.cells[i] = rows.Cell{Kind: rows.Bad, Text: []byte("not strict JSON beside the list: " + err.Error())}
		default:
			o.cells[i].Text = append([]byte(nil), o.cells[i].Text...) // the window moves on
		}
	}
}

// enter loads what stands beside the list of the outermost object, which begins here; leave is called behind it.
func (r *reader) enter() (leave func()) {
	if r.outer == nil || r.outer.within {
		return func() {}
	}
	r.outer.within = true
	if r.outer.begins != nil {
		r.outer.begins(r.Place())
	}
	r.outer.load(r.Window)
	return func() { r.outer.within = false }
}

// merged are the caller's cells: those of the record, and those of what stands beside its list.
func (o *outer) merged() []rows.Cell {
	for i, at := range o.of {
		o.all[at] = o.inner[i]
	}
	for i, at := range o.at {
		o.all[at] = o.cells[i]
	}
	return o.all
}
