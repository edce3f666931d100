package sources

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/sources/rows"
)

const (
	// bombEnv names the bomb that a re-run of this test binary reads, so that the memory it takes can be measured.
	bombEnv = "SOURCES_TEST_BOMB"
	// mostMemory is what reading may take at its peak, of the test binary as a whole.
	mostMemory = 256 << 20
	// large is more than that.
	large = 300 << 20
)

func TestMain(m *testing.M) {
	if name := os.Getenv(bombEnv); name != "" {
		if err := readBomb(name); err != nil {
			panic(err)
		}
		return
	}
	m.Run()
	if served.Load() {
		if c, err := server(); err == nil {
			_ = c.Stop()
		}
	}
}

// part is a text that is repeated.
type part struct {
	text  string
	times int
}

// bomb is a file that is made while it is read.
type bomb struct {
	scheme Scheme
	rows   string
	parts  []part
	packed bool // each part is a gzip member of its own
	keys   string
	reason string
}

func once(s string) part { return part{s, 1} }

var bombs = map[string]bomb{
	"csv line":         {scheme: CSV, parts: []part{once("k,n\na,1\n"), {"x", large}, once(",1\nb,2\n")}, keys: "a b", reason: "log:3:1: the record is longer than 1048576 bytes"},
	"csv cell":         {scheme: CSV, parts: []part{once("k,n\na,1\n\""), {"x", large}, {"\"\"\n", 4 << 20}, once("\",1\nb,2\n")}, keys: "a b", reason: "log:3:1: the record is longer"},
	"csv open quote":   {scheme: CSV, parts: []part{once("k,n\na,1\n\""), {"x", large}}, keys: "a", reason: "log:3:1: the file ends inside a quoted cell, which began at 3:1"},
	"csv columns":      {scheme: CSV, parts: []part{once("k"), {",c", 100_000}, once("\na\n")}, reason: "log:1:1: more than 16384 columns"},
	"csv cells":        {scheme: CSV, parts: []part{once("k,n\na,1\n"), {",", 1 << 20}, once("\nb,2\n")}, keys: "a b", reason: "log:3:1: the record has 1048577 cells, the header has 2"},
	"csv blank lines":  {scheme: CSV, parts: []part{once("k,n\na,1\n"), {"\n", 10 << 20}, once("b,2\n")}, keys: "a b"},
	"csv zeros":        {scheme: CSV, packed: true, parts: []part{{"\x00", 1 << 30}}, reason: "the compressed file expands more than 400 times"},
	"json string":      {scheme: JSON, parts: []part{once(`[{"k":"a"},{"k":"`), {"é", 8 << 20}, once(`"},{"k":"b"}]`)}, keys: "a b", reason: "log:1:12: the record is longer than 1048576 bytes"},
	"json beside":      {scheme: JSON, rows: "data", parts: []part{once(`{"x":["`), {"x", 100 << 20}, once(`"],"data":[{"k":"a"}]}`)}, keys: "a"},
	"json open quote":  {scheme: JSON, parts: []part{once(`[{"k":"a"},{"k":"`), {"x", 100 << 20}}, keys: "a", reason: "log:1:104857618: the file ends here, in the middle of a value"},
	"json deep":        {scheme: JSON, parts: []part{once(`[{"k":"a"},{"k":`), {"[", 1_000_000}, {"]", 1_000_000}, once(`},{"k":"b"}]`)}, keys: "a b", reason: "log:1:528: not strict JSON: nested too deep"},
	"json deeper":      {scheme: JSON, parts: []part{once(`[{"k":"a"},`), {`{"k":[`, 4 << 20}}, keys: "a", reason: "the JSON breaks here, and nothing after it was read: nested too deep"},
	"json on the way":  {scheme: JSON, rows: "k", parts: []part{{`{"k":[`, 1_000_000}}, reason: "the JSON breaks here, and nothing after it was read: nested too deep"},
	"json members":     {scheme: JSON, parts: []part{once(`[{"k":"a"},{"k":"c"`), {`,"":1`, 100_000}, once(`},{"k":"b"}]`)}, keys: "a b", reason: "a member name is given twice"},
	"json beside many": {scheme: JSON, rows: "data", parts: []part{once(`{`), {`"data ":{},`, 1}, {`"` + strings.Repeat("x", 1<<19) + `":1,"` + strings.Repeat("y", 1<<19) + `":1,`, 300}}, reason: "too many members beside the records"},
	"json space":       {scheme: JSON, parts: []part{once(`[{"k":"a"}`), {" \n", 10 << 20}, once(`,{"k":"b"}]`)}, keys: "a b"},
	"json number":      {scheme: JSON, parts: []part{once(`[{"k":"a"},{"k":`), {"7", 16 << 20}, once(`},{"k":"b"}]`)}, keys: "a b", reason: "log:1:12: the record is longer"},
	"json zeros":       {scheme: JSON, packed: true, parts: []part{{" ", 1 << 30}}, reason: "the compressed file expands more than 400 times"},
	"jsonl line":       {scheme: JSONL, parts: []part{once("{\"k\":\"a\"}\n{\"k\":\""), {"x", large}, once("\"}\n{\"k\":\"b\"}\n")}, keys: "a b", reason: "log:2: the line is longer than 1048576 bytes"},
	"jsonl deep":       {scheme: JSONL, parts: []part{once("{\"k\":\"a\"}\n{\"k\":"), {"[", 1_000_000}, {"]", 1_000_000}, once("}\n{\"k\":\"b\"}\n")}, keys: "a b", reason: "log:2: the line is longer"},
	"jsonl zeros":      {scheme: JSONL, packed: true, parts: []part{{"\x00", 1 << 30}}, reason: "the compressed file expands more than 400 times"},
}

// TestBombsAreHarmless reads files that would fill a memory, each in a process of its own: they are refused at their place, what stands around them is read,
// and memory stays small.
func TestBombsAreHarmless(t *testing.T) {
	t.Parallel()
	for name, b := range bombs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), bombEnv+"="+name)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			lines := strings.SplitN(string(out), "\n", 3)
			if len(lines) < 3 || lines[0] != b.keys || !strings.Contains(lines[1], b.reason) || b.reason == "" && lines[1] != "" {
				t.Errorf("found %q, want %q and %q", lines, b.keys, b.reason)
			}
			peak, err := strconv.ParseInt(strings.TrimSpace(lines[2]), 10, 64)
			t.Logf("at most %d KiB", peak)
			if err != nil || peak > mostMemory>>10 {
				t.Errorf("at most %d KiB were held, %d are allowed; %v", peak, mostMemory>>10, err)
			}
		})
	}
}

// readBomb prints a bomb's keys, why its source is incomplete, and the most memory that this process has held, in KiB.
func readBomb(name string) error {
	b := bombs[name]
	spec := Spec{Name: "s", Role: reconcile.RoleEffect, Scheme: b.scheme, Rows: strings.Fields(b.rows), Path: "log", Map: []Field{{Name: "key", From: "k"}}}
	set, err := Open(context.Background(), Place{FS: b, Dir: "."}, []Spec{spec}, now)
	if err != nil {
		return err
	}
	var keys []string
	r := set.Readers()[0]
	if err := r.Scan(context.Background(), func(_ rows.Pos, rec *reconcile.Record) error {
		keys = append(keys, string(rec.Key().Bytes()))
		return nil
	}); err != nil {
		return err
	}
	set.Check(context.Background())
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, peak, _ := bytes.Cut(status, []byte("VmHWM:"))
	peak, _, _ = bytes.Cut(peak, []byte("kB"))
	c := r.Facts().Coverage
	if c.Complete {
		c.Reason = ""
	}
	_, err = fmt.Fprintf(os.Stdout, "%s\n%s\n%s\n", strings.Join(keys, " "), c.Reason, bytes.TrimSpace(peak))
	return errors.Join(err, set.Close())
}

// Open implements fs.FS: every name is the bomb's one file.
func (b bomb) Open(string) (fs.File, error) {
	if !b.packed {
		return &bombFile{bomb: b}, nil
	}
	one, err := member(b.parts[0].text)
	if err != nil {
		return nil, err
	}
	return &bombFile{bomb: bomb{parts: []part{{one, b.parts[0].times / memberSize}}}}, nil
}

// memberSize is how much one gzip member of a bomb expands to.
const memberSize = 4 << 20

// member compresses a repeated byte.
func member(text string) (string, error) {
	var one bytes.Buffer
	w := gzip.NewWriter(&one)
	if _, err := io.WriteString(w, strings.Repeat(text, memberSize)); err != nil {
		return "", err
	}
	err := w.Close()
	return one.String(), err
}

// bombFile makes a bomb's bytes.
type bombFile struct {
	bomb
	at int64
}

func (f *bombFile) size() (n int64) {
	for _, p := range f.parts {
		n += int64(len(p.text)) * int64(p.times)
	}
	return n
}

func (f *bombFile) Read(b []byte) (int, error) {
	begin := int64(0)
	for _, p := range f.parts {
		length := int64(len(p.text)) * int64(p.times)
		if f.at >= begin+length {
			begin += length
			continue
		}
		in := (f.at - begin) % int64(len(p.text))
		n := copy(b[:min(int64(len(b)), begin+length-f.at)], p.text[in:])
		for in == 0 && n > 0 && n < len(b) && int64(n) < begin+length-f.at {
			n += copy(b[n:min(int64(len(b)), begin+length-f.at)], b[:n])
		}
		f.at += int64(n)
		return n, nil
	}
	return 0, io.EOF
}

func (f *bombFile) Close() error               { return nil }
func (f *bombFile) Stat() (fs.FileInfo, error) { return bombInfo{f.size()}, nil }

type bombInfo struct{ size int64 }

func (i bombInfo) Name() string       { return "log" }
func (i bombInfo) Size() int64        { return i.size }
func (i bombInfo) Mode() fs.FileMode  { return 0o444 }
func (i bombInfo) ModTime() time.Time { return time.Unix(1, 0) }
func (i bombInfo) IsDir() bool        { return false }
func (i bombInfo) Sys() any           { return nil }
