package tui

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/sources/rows"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/text/hostile"
)

// styling is the only escape that a frame may hold.
var styling = regexp.MustCompile("\x1b\\[[0-9;]*m")

// lawful fails unless the frame is exactly as high and wide as the terminal, and nothing in it could be obeyed.
func (c *console) lawful(where string) {
	c.t.Helper()
	lines := strings.Split(c.r.View(), "\n")
	if len(lines) != c.r.h {
		c.t.Fatalf("%s at %dx%d: %d lines", where, c.r.w, c.r.h, len(lines))
	}
	for i, l := range lines {
		bare := styling.ReplaceAllString(l, "")
		if err := hostile.Check([]byte(bare)); err != nil {
			c.t.Fatalf("%s at %dx%d, line %d: %v", where, c.r.w, c.r.h, i, err)
		}
		if w := text.Width(bare); w != c.r.w {
			c.t.Fatalf("%s at %dx%d: line %d is %d cells wide: %q", where, c.r.w, c.r.h, i, w, bare)
		}
		if open := strings.LastIndex(l, "\x1b["); open >= 0 && !strings.HasPrefix(l[open:], "\x1b[0m") {
			c.t.Fatalf("%s at %dx%d: line %d leaves a style in force", where, c.r.w, c.r.h, i)
		}
	}
}

// place is a way to a screen or a dialog.
type place struct {
	name string
	keys []string
	text string
}

var places = []place{
	{"queue", nil, ""},
	{"queue without preview", []string{"p"}, ""},
	{"queue marked", []string{" ", " ", "G"}, ""},
	{"queue filtering", []string{"/"}, "sev"},
	{"queue filter wrong", []string{"/"}, "kind:nothing (("},
	{"queue nothing matches", []string{"/"}, "zzzzzz"},
	{"case", []string{"enter"}, ""},
	{"case timeline", []string{"enter", "right", "right"}, ""},
	{"case options", []string{"enter", "shift+tab", "j", "j"}, ""},
	{"case why zoomed", []string{"enter", "shift+tab", "shift+tab", "z"}, ""},
	{"case as stored", []string{"enter", "tab", "r"}, ""},
	{"case differences", []string{"enter", "x"}, ""},
	{"decide", []string{"d"}, ""},
	{"decide chosen", []string{"d", "tab", "down", " ", "down", " ", "down", " ", "tab"}, "because 界 é it is"},
	{"decide several", []string{" ", " ", " ", "d", "tab", "down", " "}, ""},
	{"help", []string{"?"}, ""},
	{"help searched", []string{"?"}, "mark"},
	{"commands over a case", []string{"enter", ":"}, ""},
	{"audit", []string{"2"}, ""},
	{"audit verified", []string{"2", "v"}, ""},
	{"entry", []string{"2", "enter"}, ""},
	{"sources", []string{"3"}, ""},
	{"copy", []string{"y", "down"}, ""},
	{"copy of a case", []string{"enter", "y"}, ""},
	{"copy of a record", []string{"2", "enter", "y", "down"}, ""},
}

// go leads a console to a place.
func (c *console) visit(p place) {
	c.t.Helper()
	c.press(p.keys...)
	if p.text != "" {
		c.typeText(p.text)
	}
	c.wait(2 * time.Second)
}

// sizes are the edges of the breakpoints and what lies between.
var sizes = [][2]int{{1, 1}, {20, 5}, {59, 15}, {60, 14}, {60, 15}, {71, 24}, {72, 24}, {80, 24}, {99, 30}, {100, 24}, {101, 16}, {112, 40}, {120, 36}, {130, 20}, {139, 50}, {140, 36}, {141, 15}, {200, 50}, {220, 5}, {220, 70}, {60, 70}}

// everySize resizes through every third size, which places share among them, and through those where hands change.
func (c *console) everySize(where string, n int) {
	c.t.Helper()
	for i, size := range sizes {
		if (i+n)%3 == 0 || size == [2]int{60, 15} || size == [2]int{80, 24} || size == [2]int{120, 36} {
			c.resize(size[0], size[1]).lawful(where)
		}
	}
}

func TestFrameLaws(t *testing.T) {
	t.Parallel()
	worlds := map[string]func(*testing.T) *desk{
		"restore": func(t *testing.T) *desk { return &desk{res: fixture(t, "payments-restore")} },
		"timeout": func(t *testing.T) *desk { return &desk{res: fixture(t, "provider-timeout")} },
		"hostile": hostileDesk,
		"clean":   func(t *testing.T) *desk { return &desk{res: fixture(t, "clean")} },
	}
	for name, world := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := world(t)
			drawn := rand.New(rand.NewPCG(20, 220))
			for i, p := range places {
				c := start(t, d.deps(), 120, 36, func(o *Options) {
					o.Glyphs, o.Theme, o.Fixture = []string{"unicode", "ascii"}[i%2], []string{"ansi", "mono", "cvd"}[i%3], name != "hostile"
				})
				c.visit(p)
				c.everySize(name+", "+p.name, i)
				for range 2 {
					c.resize(20+drawn.IntN(201), 5+drawn.IntN(66)).lawful(name + ", " + p.name)
				}
			}
		})
	}
}

// TestFrameLawsDecided: the dialogs about a decision, and the trail that tells of it, whatever was typed into it.
func TestFrameLawsDecided(t *testing.T) {
	t.Parallel()
	decided := []place{
		{"case decided", []string{"enter"}, ""},
		{"withdraw", []string{"enter", "w"}, ""},
		{"withdraw with a reason", []string{"enter", "w", "tab"}, "it is 界 clear é now, and has been for some time, as far as anybody at the desk can tell"},
		{"outcome", []string{"enter", "o"}, ""},
		{"outcome chosen", []string{"enter", "o", "tab", "down", " ", "tab"}, "run 界 7"},
		{"trail", []string{"2"}, ""},
		{"record", []string{"2", "enter"}, ""},
		{"as it was", []string{"2", "G", "enter", "enter"}, ""},
	}
	const step = 9 // of the corpus: its kinds stand side by side
	for i, corpus := 0, hostile.Corpus(); i*step < len(corpus); i++ {
		bad := string(corpus[i*step].Bytes)
		d := &desk{res: fixture(t, "payments-restore")}
		if _, err := d.decide(t.Context(), audit.Request{Cases: []string{d.res.cases[0].CaseID}, Decision: reconcile.DecideHold, Reason: "until it is clear"}); err != nil {
			t.Fatal(err)
		}
		d.decisions[0].Reason, d.decisions[0].Ref, d.entries[len(d.entries)-1].Reason = bad, bad, bad // whatever another program wrote there
		p := decided[i%len(decided)]
		c := start(t, d.deps(), 120, 36, fixtureOption).press("ctrl+r")
		c.visit(p)
		c.everySize(fmt.Sprintf("%s, %q", p.name, bad), i)
	}
}

// hostileDesk is a world in which every text is hostile.
func hostileDesk(t *testing.T) *desk {
	t.Helper()
	corpus := hostile.Corpus()
	at := 0
	next := func() string { at++; return string(corpus[at*7%len(corpus)].Bytes) }
	value := func() reconcile.Value { return reconcile.Text(next()) }
	m := &memory{manifest: scan.Manifest{Name: next(), Now: reconcile.At(night), ConfigDigest: next(), Notes: []string{next()}}}
	for _, role := range []reconcile.Role{reconcile.RoleReceipt, reconcile.RoleEffect, reconcile.RoleProvider} {
		m.manifest.Sources = append(m.manifest.Sources, scan.Source{
			Name: next(), Role: role, Unreadable: 3, Problems: []rows.Problem{{Place: next(), Text: next(), Hint: next()}}, Coverage: reconcile.Coverage{Reason: next(), Hint: next()},
		})
	}
	m.manifest.Contracts = []scan.ContractFinding{{Kind: next(), Contract: next(), Text: next(), Count: 1 << 40}}
	m.manifest.Gaps = []reconcile.Gap{{Store: next(), From: reconcile.At(night.Add(-time.Hour))}}
	for range 40 {
		m.cases = append(m.cases, hostileCase(next, value))
	}
	d := &desk{res: m, evidence: []byte("{\x1b")}
	for i, c := range m.cases[:20] {
		d.decisions = append(d.decisions, audit.Decision{
			Proposal: audit.Proposal{Case: c.CaseID, Decision: reconcile.DecideReplay, Reason: next(), Digest: c.Digest},
			ID:       next(), Operator: next(), State: reconcile.DecisionDecided, Recorded: reconcile.At(night),
		})
		if i%2 == 0 {
			d.decisions[i].Digest = "other"
		}
		d.entries = append(d.entries, audit.Entry{
			Seq: int64(i), Type: audit.EventType(next()), At: reconcile.At(night), Operator: next(), Case: next(), Decision: next(), Action: next(), As: next(), Code: next(),
			Answer: next(), Outcome: next(), Reason: next(), Ref: next(), To: next(), Tool: next(), HasEvidence: true, Body: []byte(next()),
		})
	}
	d.report = audit.Report{Faults: []audit.Fault{{Where: next(), What: next()}}}
	return d
}

func hostileCase(next func() string, value func() reconcile.Value) *scan.Case {
	c := &scan.Case{Contract: next(), Identity: []reconcile.Component{{Name: next(), Value: value()}, {Name: "operation"}, {Name: "key", Value: value()}}}
	c.CaseID = next() + fmt.Sprint(len(next()))
	c.Kinds = []reconcile.Kind{reconcile.OrphanedEffect, reconcile.SensitiveKey}
	c.Digest, c.NotJudged, c.InGap, c.AlsoInGap = next(), []string{next()}, next(), next()
	c.Amount = reconcile.Amount{Minor: -1 << 62, Exponent: 2, Currency: next(), Valid: true}
	c.Exposure = reconcile.Exposure{State: reconcile.ExposureUntil, Until: reconcile.At(night.Add(time.Hour))}
	c.Legs = []reconcile.Leg{{Name: reconcile.LegLocal, State: reconcile.LegLost, Code: next()}}
	c.Pending = []reconcile.Pending{{What: next(), Ref: next(), Till: reconcile.At(night)}}
	c.Reasons = []reconcile.Reason{{Rule: next(), Text: next(), Refs: []string{next(), next()}}}
	c.Options = []reconcile.Option{{Decision: reconcile.DecideReplay, Code: next(), Reason: next()}, {Decision: reconcile.DecideHold, Allowed: true, Code: next(), Reason: next()}}
	c.Candidates = []reconcile.Candidate{{Case: next(), Locator: next(), Why: next()}}
	c.More, c.MoreCands = 7, 7
	for _, role := range []reconcile.Role{reconcile.RoleReceipt, reconcile.RoleEffect, reconcile.RoleEffect, reconcile.RoleProvider} {
		c.Evidence = append(c.Evidence, scan.Evidence{
			Role: role, Source: next(), Locator: next(), History: role == reconcile.RoleReceipt,
			Facts: []reconcile.Fact{{Name: "key", Value: value()}, {Name: next(), Value: value()}, {Name: "params", Value: value()}, {Name: "created_at", Value: reconcile.Text("2026-11-29T05:00:00.5Z")}},
			Raw:   []reconcile.Column{{Name: next(), Kind: "text", Text: []byte(next())}, {Name: next(), Kind: "null"}, {Name: "n", Kind: "integer", Text: []byte("12")}},
		})
	}
	return c
}

// Banners and failures are frames too.
func TestFrameLawsInTrouble(t *testing.T) {
	t.Parallel()
	d := hostileDesk(t)
	d.trouble = errors.New(string(hostile.Corpus()[3].Bytes))
	broken := d.deps()
	broken.Load = func(context.Context, *scan.Progress) (Result, error) { return nil, errors.New("a\x1b[2Jb") }
	broken.Standing = func(context.Context) (Standing, error) { return Standing{}, errors.New("c\x9b2J") }
	for name, deps := range map[string]Deps{"trouble": d.deps(), "nothing read": broken, "no desk": {Load: d.deps().Load, DeskOff: "x\x1b[1m", TrailOff: "y\r\n"}} {
		for i, p := range places {
			c := start(t, deps, 120, 36)
			c.visit(p)
			c.everySize(name+", "+p.name, i)
		}
	}
}
