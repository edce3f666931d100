package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

var update = flag.Bool("update", false, "write docs/licences.md anew")

// floors are the versions below which a module is not used, and why.
var floors = []struct{ module, least, why string }{
	{"golang.org/x/mod", "v0.40.0", "older: CVE-2026-56865"},
	{"github.com/jackc/pgx/v5", "v5.13.0", "older ones have holes in authentication and batches"},
	{"modernc.org/sqlite", "v1.62.0", "tried with this one's way of opening files"},
	{"github.com/charmbracelet/bubbletea", "v1.3.10", "the console's traps are tried with it"},
	{"github.com/charmbracelet/lipgloss", "v1.1.0", ""},
	{"github.com/charmbracelet/bubbles", "v1.0.0", ""},
	{"github.com/spf13/cobra", "v1.10.2", ""},
	{"github.com/goccy/go-yaml", "v1.19.2", ""},
	{"github.com/rogpeppe/go-internal", "v1.16.0", ""},
	{"github.com/cockroachdb/datadriven", "v1.0.3", ""},
	{"github.com/charmbracelet/x/vt", "v0.1.0", ""},
	{"pgregory.net/rapid", "v1.3.0", ""},
}

// licences are told by a sentence that each has and no other, and that stands in every copy.
var licences = []struct{ name, sentence string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"BSD-3-Clause", "endorse or promote products derived from this software"},
	{"BSD-2-Clause", "redistributions in binary form must reproduce the above copyright notice"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"},
}

// module is one module whose code is in the program or in its tests.
type module struct {
	Path, Version, Dir string
	licence            string
	linked             bool
}

// TestLicences: each module whose code is used has a licence that can be told and asks for no more than its own text, and is no older than its floor.
// docs/licences.md is the list.
func TestLicences(t *testing.T) {
	t.Parallel()
	all := modules(t)
	for i := range all {
		m := &all[i]
		if m.licence = licenceOf(t, m.Dir); m.licence == "" {
			t.Errorf("%s %s: its licence cannot be told", m.Path, m.Version)
		}
		t.Logf("%-12s %s %s", m.licence, m.Path, m.Version)
	}
	for _, f := range floors {
		i := slices.IndexFunc(all, func(m module) bool { return m.Path == f.module })
		if i < 0 {
			t.Errorf("%s is not used any more: take its floor out", f.module)
		} else if semver.Compare(all[i].Version, f.least) < 0 {
			t.Errorf("%s %s is below %s: %s", f.module, all[i].Version, f.least, f.why)
		}
	}
	pinned(t, all)
	path := filepath.Join("..", "docs", "licences.md")
	page := licencePage(all)
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != page {
		t.Errorf("docs/licences.md is stale, run make docs (%v)", err)
	}
}

// modules lists what the program and its tests are made of.
func modules(t *testing.T) []module {
	t.Helper()
	read := func(args ...string) map[string]module {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-mod=readonly", "-deps", "-json=Module"}, args...)...)
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		var wrong bytes.Buffer
		cmd.Stderr = &wrong
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v: %s", err, wrong.String())
		}
		found := map[string]module{}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct{ Module *module }
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				return found
			} else if err != nil {
				t.Fatal(err)
			}
			if p.Module != nil && p.Module.Version != "" {
				found[p.Module.Path] = *p.Module
			}
		}
	}
	linked := read("./cmd/idemctl")
	var all []module
	for path, m := range read("-test", "./...") {
		_, m.linked = linked[path]
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	if len(all) < 10 {
		t.Fatalf("only %d modules are found", len(all))
	}
	return all
}

func licenceOf(t *testing.T, dir string) string {
	t.Helper()
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING", "License", "LICENSE-GO"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		words := strings.ToLower(strings.Join(strings.Fields(string(data)), " "))
		for _, l := range licences {
			if strings.Contains(words, l.sentence) {
				return l.name
			}
		}
	}
	return ""
}

// pinned holds the C library of the database at the version that the database itself asks for: any other was never tried with it.
func pinned(t *testing.T, all []module) {
	t.Helper()
	at := func(path string) *module {
		i := slices.IndexFunc(all, func(m module) bool { return m.Path == path })
		if i < 0 {
			t.Fatalf("%s is not used any more", path)
		}
		return &all[i]
	}
	data, err := os.ReadFile(filepath.Join(at("modernc.org/sqlite").Dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	libc := at("modernc.org/libc")
	for _, r := range mod.Require {
		if r.Mod.Path == libc.Path && r.Mod.Version != libc.Version {
			t.Errorf("%s is %s, and modernc.org/sqlite asks for %s", libc.Path, libc.Version, r.Mod.Version)
		}
	}
}

func licencePage(all []module) string {
	var b strings.Builder
	b.WriteString("# Licences of what is used\n\n<!-- made by `make docs` from the modules themselves; edit no line here -->\n\n" +
		"Of each module whose code is in the program (linked) or runs in its tests. `make licences` checks them, and that none is below its floor.\n\n| module | version | licence | |\n|---|---|---|---|\n")
	for _, m := range all {
		where := "tests"
		if m.linked {
			where = "linked"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.Path, m.Version, m.licence, where)
	}
	b.WriteString("\n## Floors\n\n| module | at least | because |\n|---|---|---|\n")
	for _, f := range floors {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f.module, f.least, f.why)
	}
	b.WriteString("| modernc.org/libc | what modernc.org/sqlite's own go.mod names | no other was tried with it |\n")
	return b.String()
}
