package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/idemctl/internal/text/hostile"
)

// attacks are the script commands that break what idemctl reads, and look at what it makes of it.
func attacks() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"json":         jsonCommand,
		"inconclusive": inconclusiveCommand,
		"remember":     rememberCommand,
		"untouched":    untouchedCommand,
		"writer":       writerCommand,
		"crash":        crashCommand,
	}
}

// jsonCommand is "json (stdout|FILE) [PATH=VALUE…]": the file is one JSON value, and what stands at each path is the value. A path is member names and
// indices with dots between; length is how many elements there are.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: json (stdout|FILE) [PATH=VALUE…]")
	}
	doc, err := decode(ts.ReadFile(args[0]))
	ts.Check(err)
	for _, arg := range args[1:] {
		path, want, ok := strings.Cut(arg, "=")
		if !ok {
			ts.Fatalf("%s: no PATH=VALUE", arg)
		}
		if have := at(doc, path); have != want {
			ts.Fatalf("%s: %s, want %s", path, have, want)
		}
	}
}

func decode(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF { // Token returns it bare
		return nil, fmt.Errorf("more than one JSON value")
	}
	return doc, nil
}

// at is the value at a path: a text as it is, anything else as JSON.
func at(doc any, path string) string {
	for _, step := range strings.Split(path, ".") {
		switch in := doc.(type) {
		case map[string]any:
			member, ok := in[step]
			if !ok && step != "length" {
				return "nothing"
			}
			if doc = member; step == "length" {
				doc = json.Number(strconv.Itoa(len(in)))
			}
		case []any:
			if step == "length" {
				doc = json.Number(strconv.Itoa(len(in)))
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return "nothing"
			}
			doc = in[i]
		default:
			return "nothing"
		}
	}
	if s, ok := doc.(string); ok {
		return s
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// inconclusiveCommand is "inconclusive SOURCE REASON [N|some]": a scan of ./idemctl.yaml ends with 5, in every shape that it is printed in, concludes nothing
// from what it did not find, leaves all (or so many) subjects inconclusive, and says of the source why and what to do.
func inconclusiveCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: inconclusive SOURCE REASON [N|some]")
	}
	shapes := map[string]string{}
	kept := filepath.Join(ts.Getenv("TMPDIR"), "kept.scan")
	for _, shape := range []struct {
		name string
		line []string
	}{
		{"json", []string{"scan", "--json", "--out", kept, ts.Getenv("WORK")}},
		{"jsonl", []string{"scan", "--jsonl", kept}},
		{"csv", []string{"scan", "--csv", kept}},
		{"table", []string{"scan", kept}},
		{"check", []string{"check", ts.Getenv("WORK")}},
		{"check json", []string{"check", "--json", ts.Getenv("WORK")}},
	} {
		var out, errOut bytes.Buffer
		code := Main(context.Background(), &Env{Args: shape.line, Out: &out, Err: &errOut, Now: time.Now, Getenv: ts.Getenv})
		if code != exitIncomplete {
			ts.Fatalf("%s: exit code %d\n%s%s", shape.name, code, out.String(), errOut.String())
		}
		for _, stream := range []*bytes.Buffer{&out, &errOut} {
			if err := hostile.Check(stream.Bytes()); err != nil {
				ts.Fatalf("%s: %v", shape.name, err)
			}
		}
		shapes[shape.name] = out.String()
	}
	ts.Check(os.Remove(kept))
	var seen struct {
		Complete bool
		Sources  []struct {
			Name     string
			Coverage struct {
				Complete     bool
				Reason, Hint string
			}
		}
		Counts struct{ Subjects, Inconclusive, Cases int }
		Cases  []any
	}
	ts.Check(json.Unmarshal([]byte(shapes["json"]), &seen))
	want := seen.Counts.Subjects
	if len(args) == 3 && args[2] == "some" {
		want = min(max(seen.Counts.Inconclusive, 1), want-1)
	} else if len(args) == 3 {
		want, _ = strconv.Atoi(args[2])
	}
	if c := seen.Counts; seen.Complete || c.Cases != 0 || len(seen.Cases) != 0 || c.Inconclusive != want || c.Subjects == 0 {
		ts.Fatalf("complete %v, %+v", seen.Complete, c)
	}
	for _, s := range seen.Sources {
		if c := s.Coverage; (s.Name == args[0]) == c.Complete || s.Name == args[0] && (!regexp.MustCompile(args[1]).MatchString(c.Reason) || c.Hint == "") {
			ts.Fatalf("%s: complete %v, reason %q, hint %q", s.Name, c.Complete, c.Reason, c.Hint)
		}
	}
	if table := shapes["table"]; !strings.Contains(table, "INCOMPLETE: ") || !regexp.MustCompile(args[1]).MatchString(table) {
		ts.Fatalf("the table does not say why:\n%s", table)
	}
	if check := shapes["check"]; !regexp.MustCompile(args[1]).MatchString(check) || !strings.Contains(check, "hint  ") {
		ts.Fatalf("check does not say why and what to do:\n%s", check)
	}
	_, err := decode(shapes["check json"])
	ts.Check(err)
}

type (
	remembered  struct{ files map[string]string }
	remembering struct{}
)

// rememberedKey is the key of what a script remembers.
var rememberedKey = remembering{}

// rememberCommand is "remember": notes every file, its mode and its content.
func rememberCommand(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Value(rememberedKey).(*remembered).files = contents(ts)
}

// untouchedCommand is "untouched [FILE…]": every file is as it was remembered, and none but these has come.
func untouchedCommand(ts *testscript.TestScript, _ bool, args []string) {
	was, is := ts.Value(rememberedKey).(*remembered).files, contents(ts)
	for _, name := range args {
		if _, ok := is[name]; !ok {
			ts.Fatalf("%s is not there", name)
		}
		delete(is, name)
	}
	for name, have := range is {
		if was[name] != have {
			ts.Fatalf("%s: %q, was %q", name, have, was[name])
		}
	}
	for name := range was {
		if _, ok := is[name]; !ok {
			ts.Fatalf("%s is gone", name)
		}
	}
}

func contents(ts *testscript.TestScript) map[string]string {
	work, out := ts.Getenv("WORK"), map[string]string{}
	for _, name := range strings.Split(strings.TrimSuffix(listing(work), "\n"), "\n") {
		path := filepath.Join(work, name)
		info, err := os.Lstat(path)
		ts.Check(err)
		out[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			ts.Check(err)
			out[name] += fmt.Sprintf(" %d bytes %x", len(data), sha256.Sum256(data))
		}
	}
	return out
}

// holder is another program that has a database open.
type holder struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

type (
	holders struct{ open []*holder }
	holding struct{}
)

// holdersKey is the key of the writers that a script has started.
var holdersKey = holding{}

// writerCommand is "writer DATABASE STATEMENT…": another program executes the statements and keeps its connection, until "crash" or the script's end.
func writerCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: writer DATABASE STATEMENT…")
	}
	cmd := exec.Command("sqlite3", "-bail", ts.MkAbs(args[0]))
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	all := ts.Value(holdersKey).(*holders)
	all.open = append(all.open, &holder{cmd, in})
	ts.Defer(func() { _ = in.Close(); _ = cmd.Wait() }) // after a crash both fail, and nothing is open
	_, err = io.WriteString(in, strings.Join(args[1:], ";\n")+";\n.print written\n")
	ts.Check(err)
	for lines := bufio.NewScanner(out); ; {
		if !lines.Scan() {
			_ = cmd.Wait()
			ts.Fatalf("sqlite3: %s", errOut.String())
		}
		if lines.Text() == "written" {
			return
		}
	}
}

// crashCommand is "crash": the writers die where they stand.
func crashCommand(ts *testscript.TestScript, _ bool, _ []string) {
	for _, h := range ts.Value(holdersKey).(*holders).open {
		ts.Check(h.cmd.Process.Kill())
		_ = h.cmd.Wait() // it was killed: that is no news
	}
	ts.Value(holdersKey).(*holders).open = nil
}
