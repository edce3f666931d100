package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// The texts that a script's $EVIL and $BROKEN hold: one that a terminal would obey, and one that is no text.
const (
	evilText   = "\x1b]0;owned\a\x1b[2J\u202eevil\u202c\r\nsecond line \u200b =cmd|' /C calc'!A0"
	brokenText = "no\xfftext"
)

// decisionCommands are the script commands about the audit trail.
func decisionCommands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"decision": decisionCommand,
		"append":   appendCommand,
		"snapshot": snapshotCommand,
		"putback":  putbackCommand,
	}
}

// decisionCommand is "decision CASE FILE": $DECISION becomes the last decision of the case, or with "restore" the last restore that was confirmed, in what
// audit log --jsonl printed.
func decisionCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: decision CASE FILE")
	}
	found := ""
	for _, line := range strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n") {
		var e struct{ Type, ID, Case, Decision string }
		ts.Check(json.Unmarshal([]byte(line), &e))
		if e.Type == "decision.made" && e.Case == args[0] {
			found = e.Decision
		}
		if e.Type == "restore.confirmed" && args[0] == "restore" {
			found = e.ID
		}
	}
	if found == "" {
		ts.Fatalf("no decision of case %s", args[0])
	}
	ts.Setenv("DECISION", found)
}

// appendCommand is "append FILE FROM": the contents of FROM are added to FILE.
func appendCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE FROM")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteString(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(f.Close())
}

// snapshotCommand is "snapshot FOLDER NAME": the files of the folder are kept under the name.
func snapshotCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: snapshot FOLDER NAME")
	}
	ts.Check(copyFolder(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// putbackCommand is "putback NAME FOLDER": the folder holds again what it held then, and nothing else.
func putbackCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: putback NAME FOLDER")
	}
	ts.Check(os.RemoveAll(ts.MkAbs(args[1])))
	ts.Check(copyFolder(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

func copyFolder(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, f.Name()), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}
