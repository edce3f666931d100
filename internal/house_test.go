// Package internal_test holds the house rules that no linter knows.
package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	ceiling = 500             // lines of a file
	spawner = "scan/spawn.go" // the one helper that starts a goroutine, and recovers in it
)

func TestHouse(t *testing.T) {
	t.Parallel()
	files := 0
	for _, root := range []string{".", "../cmd"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			files++
			return checkFile(t, path)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 10 {
		t.Errorf("only %d files found", files)
	}
}

func checkFile(t *testing.T, path string) error {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if lines := strings.Count(string(text), "\n"); lines > ceiling {
		t.Errorf("%s has %d lines: more than %d", path, lines, ceiling)
	}
	if strings.HasSuffix(path, "_test.go") || filepath.ToSlash(path) == spawner {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if g, ok := n.(*ast.GoStmt); ok {
			t.Errorf("%s: a goroutine starts here; all start in %s, where a panic is recovered", fset.Position(g.Pos()), spawner)
		}
		return true
	})
	return nil
}
