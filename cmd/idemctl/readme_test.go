package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReadme runs the sessions of the README whose output is always the same: every line must be printed, in that order. A line "…" stands for lines left out.
func TestReadme(t *testing.T) {
	t.Parallel()
	for _, title := range []string{"A session", "After a restore"} {
		commands := strings.Split(readmeSection(t, title), "\n$ idemctl ")[1:]
		if len(commands) == 0 {
			t.Fatalf("the README has no session under %q", title)
		}
		for _, c := range commands {
			args, want, _ := strings.Cut(c, "\n")
			want, _, _ = strings.Cut(want, "\n```")
			printsInOrder(t, args, want)
		}
	}
}

// readmeSection is what stands in the README under a heading.
func readmeSection(t *testing.T, title string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## "+title+"\n")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatalf("the README has no section %q", title)
	}
	return section
}

func printsInOrder(t *testing.T, args, want string) {
	t.Helper()
	printed := strings.Split(quietly(t, strings.Fields(args)...), "\n")
	for _, line := range strings.Split(want, "\n") {
		if line == "…" || line == "" {
			continue
		}
		at := 0
		for at < len(printed) && strings.TrimRight(printed[at], " ") != line {
			at++
		}
		if at == len(printed) {
			t.Errorf("idemctl %s does not print, after what stands before it in the README:\n%s", args, line)
			continue
		}
		printed = printed[at+1:]
	}
}

// The README's first command opens the console.
func TestReadmeConsole(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(string(text), "```\ngo run ./cmd/idemctl ")
	command, _, _ = strings.Cut(command, "#")
	s := onTerminal(t, nil, strings.Fields(command)...)
	s.shows("13 cases")
	s.press("q")
	if code := s.ends(); code != exitClean {
		t.Errorf("exit code %d", code)
	}
}

// The small config that the page of the config begins with can be meant: only its database is missing here.
func TestSmallConfig(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, config, _ := strings.Cut(string(text), "```yaml\n")
	config, _, _ = strings.Cut(config, "```")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "idemctl.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errOut strings.Builder
	env := &Env{Args: []string{"check", dir}, Out: &out, Err: &errOut, Now: time.Now, Getenv: os.Getenv}
	if code := Main(t.Context(), env); code != exitIncomplete {
		t.Errorf("exit code %d: %s", code, errOut.String())
	}
}
