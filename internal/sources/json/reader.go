package json

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"example.com/idemctl/internal/sources/files"
	"example.com/idemctl/internal/sources/jsonwalk"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
)

const (
	hintRows   = "say where the records stand: rows: NAME, or rows: OUTER.NAME"
	hintLong   = "if its records stand in a list inside it, say where: rows: NAME"
	hintBroken = "correct the file where it was written; nothing is concluded from what is absent"
	hintUTF8   = "convert a copy of it, like iconv -f UTF-16 -t UTF-8; JSON is UTF-8"
)

// errStop says that a file is not read any further, which Cut has been told.
var errStop = errors.New("not read any further")

// sink takes what a reader finds.
type sink interface {
	// Row takes a record; its error ends the reading.
	Row(at files.Place, cells []rows.Cell) error
	// Refuse takes a record that begins at a place and is doubtful from another one on.
	Refuse(at, from files.Place, reason, hint string)
	// Cut takes a place up to which the file was read, or where records should be and are not.
	Cut(at files.Place, reason, hint string)
}

// reader reads the records of one stream.
type reader struct {
	*files.Window
	ways  []Way
	row   *jsonwalk.Walker
	cells []rows.Cell
	to    sink
	outer *outer // nil where no path leads beside the list

	beside *jsonwalk.Walker // checks what is no record
	name   *jsonwalk.Walker
	text   [1]rows.Cell
	stack  []byte
}

func newReader(w *files.Window, ways []Way, row *jsonwalk.Walker, cells []rows.Cell, to sink) *reader {
	return &reader{Window: w, ways: ways, row: row, cells: cells, to: to, beside: jsonwalk.Compile(nil), name: jsonwalk.Compile([][]string{{}})}
}

// file reads the stream to its end.
func (r *reader) file() error {
	if why := r.prelude(); why != "" {
		r.to.Cut(r.Place(), why, hintUTF8)
		return nil
	}
	for empty := true; ; empty = false {
		c, ok := r.peek()
		if !ok {
			if empty && r.Failed() == nil {
				r.to.Cut(r.Place(), "holds no JSON value", files.HintCut)
			}
			return r.Failed()
		}
		if err := r.records(c, r.ways, false); err != nil {
			if errors.Is(err, errStop) {
				return nil
			}
			return err
		}
	}
}

// prelude passes over a byte order mark and recognises what is not UTF-8 by its first bytes.
func (r *reader) prelude() (why string) {
	const mark = "\xef\xbb\xbf"
	for len(r.Bytes()) < len(mark) && r.More() {
		continue
	}
	b := r.Bytes()
	switch {
	case bytes.HasPrefix(b, []byte(mark)):
		r.Advance(len(mark))
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")), len(b) > 1 && (b[0] == 0) != (b[1] == 0):
		return "the text is UTF-16, not UTF-8"
	}
	return ""
}

// peek skips white space and returns the byte that follows, which stays; false at the end of the stream.
func (r *reader) peek() (byte, bool) {
	for {
		b := r.Bytes()
		for i, c := range b {
			if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
				if i > 0 {
					r.Advance(i)
				}
				return c, true
			}
		}
		r.Advance(len(b))
		if !r.More() {
			return 0, false
		}
	}
}

// records reads the value that begins with c: a record or a list of them, or an object in which the ways lead there. An element of a list is no list.
func (r *reader) records(c byte, ways []Way, element bool) error {
	switch {
	case c == '[' && !element:
		return r.array(ways)
	case c == '{':
		defer r.enter()()
		if allHere(ways) {
			return r.record()
		}
		return r.object(ways)
	}
	at := r.Place()
	if _, err := r.skim(); err != nil {
		return err
	}
	if here(ways) {
		r.to.Refuse(at, at, "not a JSON object", hintRows)
	} else {
		r.to.Cut(at, "not a JSON object, so there is no "+named(ways)+" in it", hintRows)
	}
	return nil
}

func (r *reader) array(ways []Way) error {
	for first := true; ; first = false {
		more, err := r.more(']', first)
		if err != nil || !more {
			return err
		}
		c, ok := r.peek()
		if !ok {
			return r.ended()
		}
		if err := r.records(c, ways, true); err != nil {
			return err
		}
	}
}

// more steps to the next element or member, over the opening byte or a comma; false past the closing byte.
func (r *reader) more(end byte, first bool) (bool, error) {
	if first {
		r.Advance(1)
		c, ok := r.peek()
		if ok && c == end {
			r.Advance(1)
			return false, nil
		}
		return true, nil
	}
	c, ok := r.peek()
	switch {
	case !ok:
		return false, r.ended()
	case c == end:
		r.Advance(1)
		return false, nil
	case c != ',':
		return false, r.broken("expected a comma or the end of the list")
	}
	r.Advance(1)
	return true, nil
}

// object reads what stands below the members of an object to which a way leads, and checks the others. Where records may stand here as well, an object without
// any such member is one.
func (r *reader) object(ways []Way) error {
	if here(ways) {
		if leads, whole := r.leads(ways); whole && !leads {
			return r.record()
		}
	}
	at, found := r.Place(), false
	var seen names
	for first := true; ; first = false {
		more, err := r.more('}', first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		c, err := r.member(&seen)
		if err != nil {
			return err
		}
		if next := below(ways, seen.last(), c); len(next) > 0 {
			found = true
			err = r.records(c, next, false)
		} else {
			err = r.skip()
		}
		if err != nil {
			return err
		}
	}
	if !found {
		r.to.Cut(at, "the object has no member "+named(ways), "rows names where the records stand; here are "+seen.first())
	}
	return nil
}

// leads reports whether a way leads on from the object that begins here; whole is false where it is longer than a record may be, so that it must.
func (r *reader) leads(ways []Way) (leads, whole bool) {
	n, err := prefix(r.Window, r.beside, nil)
	if err != nil {
		return true, false // longer than a record, or doubtful somewhere: what can be read below it is read all the same
	}
	err = r.beside.Members(r.Bytes()[:n], func(name []byte, c rows.Cell) error {
		first := byte(0)
		if c.Kind == rows.JSON {
			first = c.Text[0]
		}
		if len(below(ways, string(name), first)) > 0 {
			return errStop
		}
		return nil
	})
	return err != nil, n <= files.MaxRecord // any other error: doubtful below
}

// member reads a name and its colon into seen, and returns the byte with which the value begins.
func (r *reader) member(seen *names) (byte, error) {
	if c, ok := r.peek(); !ok {
		return 0, r.ended()
	} else if c != '"' {
		return 0, r.broken("expected a member name")
	}
	n, err := prefix(r.Window, r.name, r.text[:])
	if err != nil {
		return 0, r.broken(reasonOf(err))
	}
	if why := seen.add(string(r.text[0].Text)); why != "" {
		return 0, r.broken(why)
	}
	r.Advance(n)
	c, ok := r.peek()
	if ok && c != ':' {
		return 0, r.broken("expected a colon")
	}
	if ok {
		r.Advance(1)
		c, ok = r.peek()
	}
	if !ok {
		return 0, r.ended()
	}
	return c, nil
}

// record reads one record.
func (r *reader) record() error {
	at := r.Place()
	n, err := prefix(r.Window, r.row, r.cells)
	if err == nil && n <= files.MaxRecord {
		if list := r.strange(n); list != "" && len(r.cells) > 0 {
			r.to.Refuse(at, at, "no record: it has none of the mapped members, but holds the list "+strconv.Quote(list), "rows: "+inConfig(list)+" reads that list")
			r.Advance(n)
			return nil
		}
		cells := r.cells
		if r.outer != nil {
			cells = r.outer.merged()
		}
		if err := r.to.Row(at, cells); err != nil {
			return err
		}
		r.Advance(n)
		return nil
	}
	from, reason, long, err := r.doubtful(err)
	if err != nil {
		return err
	}
	hint := ""
	if long && allHere(r.ways) {
		hint = hintLong
	}
	r.to.Refuse(at, from, reason, hint)
	return nil
}

// skip passes over a value that is no record. One that does not fit into the Window is checked for its structure and its UTF-8 only.
func (r *reader) skip() error {
	at := r.Place()
	n, err := prefix(r.Window, r.beside, nil)
	if err == nil {
		r.Advance(n)
		return nil
	}
	from, reason, long, err := r.doubtful(err)
	if err == nil && !long {
		r.to.Refuse(at, from, "beside the records: "+reason, "")
	}
	return err
}

// doubtful passes over a value that was refused or is too long, and says why and from where on it is doubtful. An error says that what follows
// is in doubt as well.
func (r *reader) doubtful(refused error) (from files.Place, reason string, long bool, err error) {
	from, tried := r.Place(), int64(len(r.Bytes()))
	var syntax *jsonwalk.SyntaxError
	if errors.As(refused, &syntax) {
		from, reason = r.At(min(syntax.Offset, len(r.Bytes()))), "not strict JSON: "+syntax.Reason
	}
	began := r.Place()
	doubt, err := r.skim()
	if err != nil {
		return from, "", false, err
	}
	size := r.Offset() - began.Offset
	switch {
	case refused != nil && (size <= tried || !cutOff(refused, int(tried))):
		return from, reason, false, nil
	case doubt != nil:
		return doubt.at, "not strict JSON: " + doubt.reason, false, nil
	}
	return began, fmt.Sprintf("the record is longer than %d bytes", files.MaxRecord), true, nil
}

// broken ends the reading of a file whose structure does not hold.
func (r *reader) broken(reason string) error {
	if err := r.Failed(); err != nil {
		return err
	}
	r.to.Cut(r.Place(), "the JSON breaks here, and nothing after it was read: "+reason, hintBroken)
	return errStop
}

// ended says that a stream ends within a value.
func (r *reader) ended() error {
	if err := r.Failed(); err != nil {
		return err
	}
	r.to.Cut(r.Place(), "the file ends here, in the middle of a value", files.HintCut)
	return errStop
}

// strange reports whether a record of n bytes has none of the wanted members, and names a list of objects that it holds. Such a record is a wrapper
// which nobody said to look into: taking it for one record would hide all that it holds.
func (r *reader) strange(n int) (list string) {
	for i := range r.cells {
		if r.cells[i].Kind != rows.Missing {
			return ""
		}
	}
	err := r.beside.Members(r.Bytes()[:n], func(name []byte, c rows.Cell) error {
		if c.Kind == rows.JSON && c.Text[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(c.Text[1:], " \t\r\n"), []byte("{")) {
			list = string(name)
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return ""
	}
	return list
}

// prefix reads the value with which the window begins, showing more of the stream where that may help.
func prefix(w *files.Window, walker *jsonwalk.Walker, cells []rows.Cell) (n int, err error) {
	for {
		n, err = walker.Prefix(w.Bytes(), cells)
		whole := err == nil && (n < len(w.Bytes()) || bytes.IndexByte([]byte(`}]"`), w.Bytes()[n-1]) >= 0) // a number may go on
		if whole || err != nil && !cutOff(err, len(w.Bytes())) || !w.More() {
			return n, err
		}
	}
}

// cutOff reports whether a text of so many bytes may have been refused because it ends there.
func cutOff(err error, size int) bool {
	const token = 8 // no token but a string or a number is longer, and those are refused at the very end
	var syntax *jsonwalk.SyntaxError
	return errors.As(err, &syntax) && syntax.Offset+token > size
}

// inConfig is a member's name as rows has it in the config.
func inConfig(name string) string {
	if strings.ContainsAny(name, `."`) {
		name = `'"` + strings.ReplaceAll(name, `"`, `""`) + `"'`
	}
	return text.SafeString(name)
}

func reasonOf(err error) string {
	var syntax *jsonwalk.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Reason
	}
	return err.Error()
}

const (
	// maxNames is how many bytes the names of one object's members may have, where the records stand below it.
	maxNames = 1 << 20
	// shownNames is how many of them a hint lists.
	shownNames = 8
)

// names are the member names of one object, in order.
type names struct {
	list  []string
	known map[string]bool // from few names on
	bytes int
}

// few is up to how many names are compared one by one.
const few = 16

func (n *names) last() string { return n.list[len(n.list)-1] }

func (n *names) add(name string) (why string) {
	if n.has(name) {
		return "a member name is given twice"
	}
	if n.bytes += len(name) + 1; n.bytes > maxNames {
		return "too many members beside the records"
	}
	n.list = append(n.list, name)
	if len(n.list) > few {
		if n.known == nil {
			n.known = make(map[string]bool, 2*few)
			for _, other := range n.list {
				n.known[other] = true
			}
		}
		n.known[name] = true
	}
	return ""
}

func (n *names) has(name string) bool {
	if n.known != nil {
		return n.known[name]
	}
	for _, other := range n.list {
		if other == name {
			return true
		}
	}
	return false
}

// first lists the first names, for a hint.
func (n *names) first() string {
	switch {
	case len(n.list) == 0:
		return "none"
	case len(n.list) > shownNames:
		return text.SafeString(strings.Join(n.list[:shownNames], ", ")) + " and more"
	}
	return text.SafeString(strings.Join(n.list, ", "))
}
