package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/tui/paint"
)

var update = flag.Bool("update", false, "write the screens of docs/screens and testdata/screens anew")

// shot is a screen as documentation shows it.
type shot struct {
	name string
	make func(t *testing.T, w, h int) *console
}

func fixtureOption(o *Options) { o.Fixture, o.Config = true, "@payments-restore" }

// at plays keys on the restore fixture.
func at(keys ...string) func(t *testing.T, w, h int) *console {
	return func(t *testing.T, w, h int) *console {
		d := &desk{res: fixture(t, "payments-restore")}
		return start(t, d.deps(), w, h, fixtureOption).press(keys...).wait(time.Second)
	}
}

// after plays keys where two decisions are recorded: one stands, one was withdrawn.
func after2(keys ...string) func(t *testing.T, w, h int) *console {
	return func(t *testing.T, w, h int) *console {
		d := &desk{res: fixture(t, "payments-restore")}
		c := start(t, d.deps(), w, h, fixtureOption)
		for i, r := range []audit.Request{
			{Decision: reconcile.DecideResolve, As: reconcile.BackfillReceipt, Reason: "order 4112 stands and so does charge ch_4112; ticket INC-81"},
			{Decision: reconcile.DecideHold, Reason: "until the shop answers"},
			{Decision: reconcile.DecideReplay, Reason: "the customer says it never arrived"},
		} {
			r.Cases = []string{d.res.cases[i].CaseID}
			if _, err := d.decide(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.withdraw(t.Context(), d.decisions[1].ID, "the shop has answered"); err != nil {
			t.Fatal(err)
		}
		c.press("ctrl+r")
		return c.press(keys...).wait(time.Second)
	}
}

func typed(s string, keys ...string) func(t *testing.T, w, h int) *console {
	return func(t *testing.T, w, h int) *console { return at(keys...)(t, w, h).typeText(s) }
}

var shots = []shot{
	{"queue", after2(" ", "j", " ", "j")},
	{"queue-filter", typed("exposure:until amount>5", "/")},
	{"queue-filter-wrong", typed("severety:high", "/")},
	{"case", at("enter")},
	{"case-decided", after2("enter", "right", "right")},
	{"case-as-stored", at("enter", "tab", "r")},
	{"case-options", at("enter", "shift+tab", "z")},
	{"case-duplicate", at("G", "enter", "right")},
	{"case-conflict", func(t *testing.T, w, h int) *console {
		d := &desk{res: scanned(t, conflicts)}
		return start(t, d.deps(), w, h).press("enter", "x")
	}},
	{"decide-refused", at("enter", "d", "tab", " ")},
	{"decide", func(t *testing.T, w, h int) *console {
		return at("enter", "d", "tab", "down", "down", " ", "tab")(t, w, h).typeText("order 4112 stands and so does charge ch_4112").press("tab")
	}},
	{"decide-several", func(t *testing.T, w, h int) *console {
		return at(" ", " ", "G", " ", "d", "tab", "down", "down", " ", "tab")(t, w, h).typeText("the shop confirms both orders").press("tab").typeText("backfill-receipt 1")
	}},
	{"withdraw", after2("enter", "w", "tab")},
	{"help", at("?")},
	{"commands", typed("mark", "space", ":")},
	{"copy", at("y")},
	{"audit", after2("2", "v")},
	{"audit-record", after2("2", "G", "enter")},
	{"as-it-was", after2("2", "G", "enter", "enter")},
	{"sources", at("3")},
	{"restore", func(t *testing.T, w, h int) *console {
		_, deps := restored(t)
		return start(t, deps, w, h, fixtureOption).press("4", "j", "j", "j").wait(time.Second)
	}},
	{"training", func(t *testing.T, w, h int) *console {
		c, _ := training(t, "payments-restore", w, h)
		return c.press("i").wait(time.Second)
	}},
	{"loading", loadingShot},
	{"incomplete", incompleteShot},
	{"trail-in-trouble", func(t *testing.T, w, h int) *console {
		d := &desk{res: fixture(t, "payments-restore"), trouble: errors.New("rolled back: the file ends at record 40, and this machine remembers record 57")}
		return start(t, d.deps(), w, h, fixtureOption).press("d")
	}},
	{"nothing-to-decide", func(t *testing.T, w, h int) *console {
		d := &desk{res: fixture(t, "clean")}
		return start(t, d.deps(), w, h, fixtureOption)
	}},
}

func loadingShot(t *testing.T, w, h int) *console {
	d := &desk{res: fixture(t, "payments-restore")}
	deps := d.deps()
	deps.Load = func(context.Context, *scan.Progress) (Result, error) { return nil, context.Canceled }
	c := hold(t, deps, w, h, fixtureOption)
	c.queue = nil // the sources never answer
	return c.press("d")
}

func incompleteShot(t *testing.T, w, h int) *console {
	res := fixture(t, "payments-restore")
	res.manifest.Complete, res.manifest.Pinned = false, false
	src := &res.manifest.Sources[2]
	src.Coverage = reconcile.Coverage{Reason: "charges.jsonl: cut short in line 21", Hint: "copy the log again, it was still being written"}
	src.Unreadable = 1
	res.manifest.Contracts = []scan.ContractFinding{{Kind: "retention-gap", Contract: "checkout", Count: 1200, Text: "Receipts live 24h and clients retry for 72h: for 48h a retry runs the action again."}}
	d := &desk{res: res}
	return start(t, d.deps(), w, h, func(o *Options) { o.Config = "prod.yaml" })
}

// TestScreens fails while a screen shows something else than docs/screens, which people read, or testdata/screens at the smallest and a large size.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, s := range shots {
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 15}, {200, 50}} {
			dir := filepath.Join("..", "..", "docs", "screens")
			if size[0] == 60 || size[0] == 200 {
				dir = filepath.Join("testdata", "screens")
			}
			path := filepath.Join(dir, fmt.Sprintf("%s-%dx%d.txt", s.name, size[0], size[1]))
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				c := s.make(t, size[0], size[1])
				c.lawful(s.name)
				got := c.screen()
				if *update {
					if err := os.MkdirAll(dir, 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s is stale, run make screens (-page +screen)\n%s", path, diff)
				}
			})
		}
	}
}

// TestStyles keeps one screen as each theme sets it, escapes spelled out.
func TestStyles(t *testing.T) {
	t.Parallel()
	for _, theme := range paint.Palettes() {
		d := &desk{res: fixture(t, "payments-restore")}
		c := start(t, d.deps(), 120, 36, fixtureOption, func(o *Options) { o.Theme = theme })
		c.press(" ", "d", "tab").wait(time.Second).lawful(theme)
		got := strings.ReplaceAll(c.r.View(), "\x1b", `\e`) + "\n"
		path := filepath.Join("testdata", "styles", theme+".txt")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s is stale, run make screens (-kept +drawn)\n%s", path, diff)
		}
	}
}
