// Package sourcetest holds the one conformance suite that every adapter must pass: what rows.Table promises, tried on a store that the
// adapter's own test writes.
//
// It never looks into an adapter. It compares what was written with what is handed over, byte by byte, and makes sure that the store is the
// same afterwards.
package sourcetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"example.com/idemctl/internal/sources/rows"
)

// Row is one row of the store under test: the columns id (an integer), key and body (texts).
type Row struct {
	ID        int64
	Key, Body []byte
}

// Adapter says how to write and open a store of one kind.
type Adapter struct {
	// Write makes a store with these rows, in this order, in an empty folder.
	Write func(t *testing.T, dir string, rows []Row)
	// Open opens the store in dir; private copies go below temp.
	Open func(ctx context.Context, dir, temp string) (rows.Table, error)
	// Cut damages the store so that its last rows are lost; nil where the store cannot be cut.
	Cut func(t *testing.T, dir string)
	// Holds says whether the format can hold these bytes as a text.
	Holds func(b []byte) bool
	// Whole is what Extent.Whole must be.
	Whole bool
	// Texts says that the format has texts only: an id is its digits.
	Texts bool
	// Columned says that a column which no row has is refused by Bind.
	Columned bool
}

// Run runs the suite.
func Run(t *testing.T, a Adapter) {
	t.Helper()
	tests := map[string]func(*testing.T, Adapter){
		"order":   repeats,
		"fetch":   fetches,
		"bytes":   exactBytes,
		"cancel":  cancels,
		"stop":    stops,
		"cut":     cuts,
		"columns": columns,
		"missing": missing,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

// store is one written store with its folders.
type store struct {
	a         Adapter
	dir, temp string
	rows      []Row
}

// make writes a store, and checks when the test ends that nothing was changed or left behind.
func (a Adapter) make(t *testing.T, rs []Row) *store {
	t.Helper()
	s := &store{a: a, dir: t.TempDir(), temp: t.TempDir(), rows: rs}
	a.Write(t, s.dir, rs)
	return s
}

func (s *store) open(t *testing.T) rows.Table {
	t.Helper()
	before := digest(t, s.dir)
	table, err := s.a.Open(context.Background(), s.dir, s.temp)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if after := digest(t, s.dir); after != before {
			t.Errorf("the store changed:\n%s\nbefore:\n%s", after, before)
		}
		if left := digest(t, s.temp); left != "" {
			t.Errorf("left behind:\n%s", left)
		}
	})
	if err := table.Bind([]rows.Path{{Column: "key"}, {Column: "id"}, {Column: "body"}}); err != nil {
		t.Fatalf("bind: %v", err)
	}
	return table
}

// digest lists every file below a folder with its size, mode and content.
func digest(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	below := os.DirFS(dir)
	err := fs.WalkDir(below, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := fs.ReadFile(below, p)
		fmt.Fprintf(&b, "%s %d %s %s %x\n", p, info.Size(), info.Mode(), info.ModTime(), sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// seen is one row as it was handed over, copied.
type seen struct {
	pos       rows.Pos
	id        rows.Cell
	key, body rows.Cell
}

func (a Adapter) copied(pos rows.Pos, cells []rows.Cell) seen {
	c := make([]rows.Cell, len(cells))
	for i := range cells {
		c[i] = cells[i]
		c[i].Text = bytes.Clone(cells[i].Text)
	}
	return seen{pos: pos, key: c[0], id: a.number(c[1]), body: c[2]}
}

// number reads an id that the format can only hold as a text.
func (a Adapter) number(c rows.Cell) rows.Cell {
	if n, err := strconv.ParseInt(string(c.Text), 10, 64); a.Texts && c.Kind == rows.Text && err == nil {
		return rows.Cell{Kind: rows.Int, Num: n}
	}
	return c
}

func scan(t *testing.T, a Adapter, table rows.Table) ([]seen, rows.Extent) {
	t.Helper()
	var all []seen
	ext, err := table.Scan(context.Background(), func(pos rows.Pos, cells []rows.Cell) error {
		all = append(all, a.copied(pos, cells))
		return nil
	}, func(p rows.Problem) { t.Errorf("problem at %s: %s", p.Place, p.Text) })
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	return all, ext
}

// same compares what was handed over with what was written.
func same(t *testing.T, got seen, want Row) {
	t.Helper()
	if got.id.Kind != rows.Int || got.id.Num != want.ID {
		t.Errorf("id: got kind %d, %d, want %d", got.id.Kind, got.id.Num, want.ID)
	}
	if got.key.Kind != rows.Text || !bytes.Equal(got.key.Text, want.Key) {
		t.Errorf("row %d, key: got kind %d, %q, want %q", want.ID, got.key.Kind, got.key.Text, want.Key)
	}
	if got.body.Kind != rows.Text || !bytes.Equal(got.body.Text, want.Body) {
		t.Errorf("row %d, body: got kind %d, %q, want %q", want.ID, got.body.Kind, got.body.Text, want.Body)
	}
}

func plain(n int) []Row {
	rs := make([]Row, n)
	for i := range rs {
		rs[i] = Row{ID: int64(i) + 1, Key: fmt.Appendf(nil, "key-%05d", i), Body: bytes.Repeat([]byte{'a' + byte(i%26)}, i%300)}
	}
	return rs
}

func repeats(t *testing.T, a Adapter) {
	s := a.make(t, plain(3000))
	table := s.open(t)
	first, ext := scan(t, a, table)
	if !ext.Complete || ext.Reason != "" || ext.Whole != a.Whole {
		t.Errorf("extent %+v, want complete without reason, whole %t", ext, a.Whole)
	}
	if len(first) != len(s.rows) {
		t.Fatalf("%d rows, want %d", len(first), len(s.rows))
	}
	for i := range first {
		same(t, first[i], s.rows[i])
		if i > 0 && first[i].pos <= first[i-1].pos {
			t.Fatalf("position %d follows %d: they must ascend", first[i].pos, first[i-1].pos)
		}
	}
	second, _ := scan(t, a, table)
	if !slices.EqualFunc(first, second, func(a, b seen) bool {
		return a.pos == b.pos && bytes.Equal(a.key.Text, b.key.Text) && bytes.Equal(a.body.Text, b.body.Text)
	}) {
		t.Error("a second scan differs from the first")
	}
	var last rows.Progress
	_, err := table.Scan(context.Background(), func(rows.Pos, []rows.Cell) error {
		p := table.Progress()
		if p.Rows < last.Rows || p.Bytes < last.Bytes {
			return fmt.Errorf("progress went back from %+v to %+v", last, p)
		}
		last = p
		return nil
	}, func(rows.Problem) {})
	if err != nil {
		t.Error(err)
	}
	if p := table.Progress(); p.Rows != int64(len(s.rows)) || p.Unit == "" {
		t.Errorf("progress at the end is %+v, want %d rows and a unit", p, len(s.rows))
	}
}

func fetches(t *testing.T, a Adapter) {
	s := a.make(t, plain(2000))
	table := s.open(t)
	all, _ := scan(t, a, table)
	rng := rand.New(rand.NewPCG(1, 2)) // a test's choice of rows
	for _, share := range []int{1, 7, 500} {
		var at []rows.Pos
		var want []Row
		for i := range all {
			if rng.IntN(share) == 0 {
				at, want = append(at, all[i].pos), append(want, s.rows[i])
			}
		}
		n := 0
		locators := map[string]bool{}
		err := table.Fetch(context.Background(), at, func(pos rows.Pos, locator string, cells []rows.Cell, raw []rows.Named) error {
			if n >= len(at) || pos != at[n] {
				return fmt.Errorf("row %d: position %d was not asked for here", n, pos)
			}
			same(t, a.copied(pos, cells), want[n])
			a.named(t, raw, want[n])
			if locator == "" || locators[locator] || locator != table.Locator(pos) {
				t.Errorf("locator %q of %d is empty, repeated, or not %q", locator, pos, table.Locator(pos))
			}
			locators[locator] = true
			n++
			return nil
		})
		if err != nil || n != len(at) {
			t.Errorf("fetched %d of %d: %v", n, len(at), err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := table.Fetch(ctx, []rows.Pos{all[0].pos}, func(rows.Pos, string, []rows.Cell, []rows.Named) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("fetch under a cancelled context: %v", err)
	}
}

// named checks that a fetched row shows all its columns as stored.
func (a Adapter) named(t *testing.T, raw []rows.Named, want Row) {
	t.Helper()
	found := map[string]rows.Cell{}
	for _, n := range raw {
		found[n.Name] = n.Cell
	}
	if len(found) != 3 || a.number(found["id"]).Num != want.ID || !bytes.Equal(found["key"].Text, want.Key) || !bytes.Equal(found["body"].Text, want.Body) {
		t.Errorf("raw columns of row %d: %v", want.ID, raw)
	}
}

func exactBytes(t *testing.T, a Adapter) {
	hostile := []string{
		"", "key", "KEY", "Key", " key", "key ", "a\x00b", "\x00", "caf\u00e9", "cafe\u0301", "7", "007", "1e5", "-0", "null", "\xff\xfe", "a\xc0\xafb", "\xed\xa0\x80",
		"\u202eevil", "\x1b[31m", "line\nbreak", "tab\t", `quote"back\slash`, "\ufeffbom", "😀", "\u2028", "9223372036854775808", "'; DROP TABLE x; --",
	}
	var rs []Row
	for i, h := range hostile {
		if a.Holds([]byte(h)) {
			rs = append(rs, Row{ID: int64(i), Key: []byte(h), Body: []byte(h + h)})
		}
	}
	rs = append(rs, Row{ID: 1<<63 - 1, Key: []byte("largest")}, Row{ID: -1 << 62, Key: []byte("small")}, Row{ID: 9007199254740993, Key: []byte("odd")})
	s := a.make(t, rs)
	all, _ := scan(t, a, s.open(t))
	if len(all) != len(rs) {
		t.Fatalf("%d rows, want %d", len(all), len(rs))
	}
	byID := map[int64]Row{}
	for _, r := range rs {
		byID[r.ID] = r
	}
	for _, got := range all {
		same(t, got, byID[got.id.Num])
	}
}

func cancels(t *testing.T, a Adapter) {
	table := a.make(t, plain(5000)).open(t)
	for _, after := range []int{0, 1, 700} {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		if after == 0 {
			cancel()
		}
		ext, err := table.Scan(ctx, func(rows.Pos, []rows.Cell) error {
			if n++; n == after {
				cancel()
			}
			return nil
		}, func(rows.Problem) {})
		cancel()
		if !errors.Is(err, context.Canceled) || n > after+512 || ext.Complete {
			t.Errorf("cancelled after %d rows: stopped after %d with %v, extent %+v", after, n, err, ext)
		}
	}
	if all, ext := scan(t, a, table); len(all) != 5000 || !ext.Complete {
		t.Errorf("after a cancel a scan sees %d rows, extent %+v", len(all), ext)
	}
}

func stops(t *testing.T, a Adapter) {
	table := a.make(t, plain(10)).open(t)
	stop := errors.New("stop")
	n := 0
	_, err := table.Scan(context.Background(), func(rows.Pos, []rows.Cell) error {
		n++
		return stop
	}, func(rows.Problem) {})
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("stopped after %d rows with %v, want 1 and the callback's error", n, err)
	}
}

// cuts checks that a store which lost its end is never taken for a complete one.
func cuts(t *testing.T, a Adapter) {
	if a.Cut == nil {
		return
	}
	s := a.make(t, plain(3000))
	a.Cut(t, s.dir)
	table, err := a.Open(context.Background(), s.dir, s.temp)
	if err != nil {
		if rows.HintOf(err) == "" {
			t.Errorf("open: %v has no hint", err)
		}
		return
	}
	defer func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := table.Bind([]rows.Path{{Column: "key"}, {Column: "id"}, {Column: "body"}}); err != nil {
		return
	}
	n := 0
	ext, err := table.Scan(context.Background(), func(pos rows.Pos, cells []rows.Cell) error {
		same(t, a.copied(pos, cells), s.rows[n])
		n++
		return nil
	}, func(rows.Problem) {})
	if ext.Complete || ext.Reason == "" && err == nil {
		t.Errorf("a cut store was read as complete after %d rows: %+v, %v", n, ext, err)
	}
}

func columns(t *testing.T, a Adapter) {
	s := a.make(t, plain(3))
	table := s.open(t)
	var names []string
	for _, c := range table.Columns() {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"body", "id", "key"}) {
		t.Errorf("columns %q", names)
	}
	if !a.Columned {
		return
	}
	other, err := a.Open(context.Background(), s.dir, s.temp)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Bind([]rows.Path{{Column: "key"}, {Column: "Kez"}}); !errors.Is(err, rows.ErrNoColumn) {
		t.Errorf("binding a column that is not there: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

func missing(t *testing.T, a Adapter) {
	dir := t.TempDir()
	table, err := a.Open(context.Background(), dir, t.TempDir())
	if err == nil {
		_ = table.Close()
	}
	if !errors.Is(err, rows.ErrMissing) || rows.HintOf(err) == "" {
		t.Errorf("opening what is not there: %v, hint %q", err, rows.HintOf(err))
	}
	if left := digest(t, dir); left != "" {
		t.Errorf("left behind:\n%s", left)
	}
}
