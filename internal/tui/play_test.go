package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/backstory"
	"example.com/idemctl/internal/config"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/scenario"
)

// TestScenariosCanBePlayed plays every scenario through the console with the real engine, guard and trail: once to its best end, every harmful decision looked
// at on the way, which is refused and costs nothing; and once for each harmful decision that the guard cannot refuse, which the debrief must count as harm.
func TestScenariosCanBePlayed(t *testing.T) {
	t.Parallel()
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, s)
			for i := range s.Cases {
				a := &s.Cases[i]
				p.open(a)
				if a.Leave {
					p.press("d").shows("AUDIT TRAIL IN TROUBLE", "nothing is recorded until it is understood")
					continue
				}
				for _, c := range a.Harmful {
					if !c.Allowed {
						p.isRefused(c)
					}
				}
				p.decide(a.Right[0])
			}
			p.look()
			p.press("5").shows("Debrief", "No harm was done.").hides("The guard")
			d := p.play.Debrief(p.r.opt.Now())
			if d.Score() != 100 || d.Stopped() != 0 || !d.Finished || d.Given != 0 {
				t.Errorf("score %d, finished %v, %d steps given up, %d decisions counted as stopped that were only looked at", d.Score(), d.Finished, d.Given, d.Stopped())
			}
		})
		for i := range s.Cases {
			for _, c := range s.Cases[i].Harmful {
				if !c.Allowed {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", s.Name, s.Cases[i].Name(), c), func(t *testing.T) {
					t.Parallel()
					p := newPlayer(t, s)
					p.open(&s.Cases[i])
					p.decide(c)
					d := p.play.Debrief(p.r.opt.Now())
					if f := d.Findings[i]; f.Mark != scenario.Harmful || f.Harm == nil || d.Score() != 0 {
						t.Errorf("it is marked %s, score %d", f.Mark, d.Score())
					}
				})
			}
		}
	}
}

// player drives the console through a scenario, with keys alone.
type player struct {
	*console
	play *scenario.Play
}

func newPlayer(t *testing.T, s scenario.Named) *player {
	t.Helper()
	cfg, err := config.Load("@"+s.Name, config.Options{Fixtures: fixtures.FS, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	play := scenario.Begin(s.Scenario, cfg.Now.Time())
	c := start(t, realDeps(t, cfg), 140, 48, func(o *Options) {
		o.Fixture, o.Play = true, play
		running, late := o.Now, cfg.Now.Time().Sub(night)
		o.Now = func() time.Time { return running().Add(late) }
	})
	return &player{c, play}
}

// realDeps asks the real engine, guard and trail, as the program does.
func realDeps(t *testing.T, cfg *config.Config) Deps {
	t.Helper()
	dir := t.TempDir()
	now := func() time.Time { return cfg.Now.Time() }
	place := audit.Place{Path: filepath.Join(dir, "audit.db"), State: filepath.Join(dir, "state")}
	env := audit.Env{Now: now, NewID: func() string { return uuid.Must(uuid.NewV7()).String() }, Tool: "idemctl test", Operator: audit.Operator{Name: "kim"}}
	s, err := scenario.Parse(cfg.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backstory.Make(t.Context(), cfg, s, place, env); err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(t.Context(), place, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close() })
	run := func(ctx context.Context, decided map[string][]reconcile.Decided) (*scan.Result, error) {
		return scan.Run(ctx, cfg, scan.Options{TempDir: dir, Decided: decided, Unsure: trail.Trouble() != nil})
	}
	desk := &audit.Desk{Trail: trail, Now: now, Fixture: true, Read: func(ctx context.Context, decided map[string][]reconcile.Decided) (audit.Reading, error) {
		res, err := run(ctx, decided)
		if err != nil {
			return audit.Reading{}, err
		}
		m := res.Manifest()
		return audit.Reading{
			Now: m.Now, Pinned: m.Pinned, Incomplete: !m.Complete, Config: m.Name, ConfigDigest: m.ConfigDigest, Close: res.Close,
			Case: func(ctx context.Context, id string) (*audit.Seen, error) {
				c, err := res.Case(ctx, id)
				if err != nil {
					return nil, fmt.Errorf("%w: %w", audit.ErrNoCase, err)
				}
				return &audit.Seen{Judgement: &c.Judgement, Contract: c.Contract, Identity: c.Identity, Twins: c.Twins, Others: c.Candidates, Evidence: []byte("{}")}, nil
			},
		}, nil
	}}
	return Deps{
		Load:   func(ctx context.Context, _ *scan.Progress) (Result, error) { return run(ctx, standing(ctx, trail)) },
		Decide: desk.Decide, Withdraw: trail.Withdraw, Outcome: trail.Outcome, Verify: trail.Verify, Evidence: trail.Evidence,
		Standing: func(ctx context.Context) (Standing, error) {
			out := Standing{Decisions: make(map[string][]audit.Decision), Trouble: trail.Trouble()}
			for d, err := range trail.Decisions(ctx, audit.Query{}) {
				if err != nil {
					return out, err
				}
				out.Decisions[d.Case] = append(out.Decisions[d.Case], d)
			}
			return out, nil
		},
		Log: func(ctx context.Context, from int64, limit int) ([]audit.Entry, error) {
			var out []audit.Entry
			for e, err := range trail.Log(ctx, audit.LogQuery{From: max(from, 0), Limit: limit, Reverse: true}) {
				if err != nil {
					return out, err
				}
				out = append(out, e)
			}
			return out, nil
		},
	}
}

func standing(ctx context.Context, trail *audit.Trail) map[string][]reconcile.Decided {
	out := make(map[string][]reconcile.Decided)
	for d, err := range trail.Decisions(ctx, audit.Query{}) {
		if err == nil {
			out[d.Case] = append(out[d.Case], d.Decided())
		}
	}
	return out
}

// open goes to a case by its place in the list, and opens it.
func (p *player) open(a *scenario.Answer) {
	p.t.Helper()
	p.press("1", "g")
	s := &scenario.Scenario{Cases: []scenario.Answer{*a}}
	for place := range p.r.queue.view.Len() {
		if s.Of(p.r.rows.Row(p.r.queue.view.At(place)).Identity) != nil {
			for range place {
				p.press("j")
			}
			p.press("enter")
			return
		}
	}
	p.t.Fatalf("no case %s is listed:\n%s", a.Name(), p.screen())
}

// isRefused looks at a decision in the dialog, reads that it is refused, and leaves.
func (p *player) isRefused(c scenario.Choice) {
	p.t.Helper()
	p.choose(c)
	p.shows("is refused")
	if d := p.dialog(); d.chosen >= 0 {
		p.t.Errorf("%s can be chosen:\n%s", c, p.screen())
	}
	p.press("esc")
}

// decide records a decision with all that it asks for.
func (p *player) decide(c scenario.Choice) {
	p.t.Helper()
	p.choose(c)
	d := p.dialog()
	if d.chosen < 0 {
		p.t.Fatalf("%s cannot be chosen:\n%s", c, p.screen())
	}
	for _, b := range d.visible() {
		p.press("tab")
		switch b {
		case d.when:
			p.typeText(p.when(c, d))
		case d.ref:
			p.typeText(p.reference(d))
		default:
			p.typeText("as the evidence says")
		}
	}
	p.press("tab", "enter").shows("recorded: ").hides("Not recorded")
}

// when is a time that the decision can have: a fact of the past, or a later look.
func (p *player) when(c scenario.Choice, d *decide) string {
	if c.Decision == reconcile.DecideRecheck.String() {
		return "1h"
	}
	return d.now().Time().Add(-time.Minute).UTC().Format(time.RFC3339)
}

// reference names the other case where one is known: a twin or a candidate.
func (p *player) reference(d *decide) string {
	c := d.cases[0]
	if len(c.Twins) > 0 {
		return c.Twins[0].Case
	}
	return "ticket 9"
}

// choose opens the dialog and presses space on a decision.
func (p *player) choose(c scenario.Choice) {
	p.t.Helper()
	p.press("d").wait(time.Second)
	d := p.dialog()
	at := slices.IndexFunc(d.options, func(o reconcile.Option) bool { return o.Decision.String() == c.Decision && o.As.String() == c.As })
	if at < 0 {
		p.t.Fatalf("%s is not offered:\n%s", c, p.screen())
	}
	p.press("tab", "home")
	for range at {
		p.press("down")
	}
	p.press(" ")
}

func (p *player) dialog() *decide {
	p.t.Helper()
	if n := len(p.r.dialogs); n > 0 {
		if d, ok := p.r.dialogs[n-1].dialog.(*decide); ok {
			return d
		}
	}
	p.t.Fatalf("no dialog about a decision is open:\n%s", p.screen())
	return nil
}

// look does what steps wait for that is no decision.
func (p *player) look() {
	p.t.Helper()
	for step := p.play.Now(); step != nil; step = p.play.Now() {
		switch step.Until.Sight {
		case scenario.Scanned:
			p.press("1", "down")
		case scenario.Trail:
			p.press("2")
		case scenario.Sources:
			p.press("3")
		case scenario.Filtered:
			p.press("1", "/").typeText("severity>=low").press("enter", "esc")
		default:
			p.t.Fatalf("the step %q is not behind, though every case is decided", step.Do)
		}
	}
}
