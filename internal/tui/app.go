package tui

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/caselist"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// app is what root, screens and dialogs share. Only the root changes it.
type app struct {
	deps   Deps
	opt    Options
	ctx    context.Context // the program's own; commands derive theirs from it
	keys   *keymap.Map
	pal    *paint.Palette
	glyphs *paint.Glyphs

	load      int    // generation of the reading; rows, cases and marks belong to one
	loading   bool   // the sources, or the rows of a result, are still read
	cancel    func() // stops the reading
	progress  *scan.Progress
	began     time.Time
	lasted    time.Duration // how long the last whole reading took
	failed    string        // why nothing could be read
	result    Result
	manifest  *scan.Manifest
	list      *caselist.List
	rows      *caselist.Snapshot
	decisions map[string][]audit.Decision
	restores  []audit.Restore   // that operators confirmed, and that stand
	wakes     reconcile.Instant // when the next case that rests is to be looked at again
	changed   map[string]bool   // cases that rest on other evidence than their live decision
	decided   bool              // decisions have been read
	touched   map[string]bool   // cases of which something was recorded since they were judged
	trouble   string
	busy      string // what runs that must end before anything else is recorded

	cases  map[string]*scan.Case // read lately
	recent []string
	drafts map[string]string // reasons that were begun
	opened map[string]string // the evidence with which cases were looked at: digests by case
	coach  *coach            // nil outside training

	inflight  int
	recording bool        // a record has been asked for, and its answer has not been seen
	told      chan string // what became of it, for an end from outside
	notice    notice
	clip      string // what the terminal is asked to put into its clipboard, behind the next frame
	away      bool   // the terminal is to be given to the shell, behind the next frame

	after func(time.Duration, tea.Msg) tea.Cmd // a message, when that time has passed

	// what the root does for screens and dialogs
	push  func(screen)
	ask   func(dialog)
	close func() // the dialog on top
	act   func(keymap.ID) tea.Cmd
	// listBy shows the queue, filtered
	listBy func(filter string) tea.Cmd
}

// notice is what the footer says once.
type notice struct {
	text  string
	style paint.Style
}

func (a *app) say(st paint.Style, s string) { a.notice = notice{text.Once(s), st} }

// now is the clock that exposure and age are measured by: the scan's own where it is pinned or saved, else the running one.
func (a *app) now() reconcile.Instant {
	if a.manifest != nil && (a.manifest.Pinned || a.deps.SourceOff != "") {
		return a.manifest.Now
	}
	return reconcile.At(a.opt.Now())
}

// real is the running clock: a decision lives by it, whatever the scan's clock says.
func (a *app) real() reconcile.Instant { return reconcile.At(a.opt.Now()) }

// moving reports whether now moves while nobody presses a key.
func (a *app) moving() bool {
	return a.manifest != nil && !a.manifest.Pinned && a.deps.SourceOff == ""
}

// keepCases is how many cases are kept once they were read.
const keepCases = 64

// keep remembers a case, and forgets the one that was read longest ago.
func (a *app) keep(c *scan.Case) {
	if _, ok := a.cases[c.CaseID]; !ok {
		a.recent = append(a.recent, c.CaseID)
		if len(a.recent) > keepCases {
			delete(a.cases, a.recent[0])
			a.recent = slices.Delete(a.recent, 0, 1)
		}
	}
	a.cases[c.CaseID] = c
}

// wasOpened reports whether the evidence of a case, as it is, was on the screen.
func (a *app) wasOpened(c *scan.Case) bool {
	digest, ok := a.opened[c.CaseID]
	return ok && digest == c.Digest
}

// live returns the live decision of a case, nil when there is none.
func (a *app) live(id string) *audit.Decision {
	ds := a.decisions[id]
	for i := len(ds) - 1; i >= 0; i-- {
		if ds[i].Live(a.real()) {
			return &ds[i]
		}
	}
	return nil
}

// standsOn reports whether a case cannot be decided again: a decision stands on the evidence as it is. Who only meant to look again may decide sooner.
func (a *app) standsOn(id string) bool {
	d := a.live(id)
	return d != nil && d.Decision != reconcile.DecideRecheck && !a.changed[id]
}

// latest returns the latest decision of a case, nil when there is none.
func (a *app) latest(id string) *audit.Decision {
	if ds := a.decisions[id]; len(ds) > 0 {
		return &ds[len(ds)-1]
	}
	return nil
}

// state is what holds on every screen.
func (a *app) state() keymap.State {
	s := keymap.State{
		Loading: a.loading || !a.decided && a.deps.Standing != nil, Source: a.deps.SourceOff, Busy: a.busy,
		Desk: a.deskOff(), Trail: a.deps.TrailOff,
	}
	if a.coach != nil {
		s.Steps, s.Undecided = a.coach.play.Now() != nil, len(a.coach.play.Open())
	}
	return s
}

func (a *app) deskOff() string {
	switch {
	case a.failed != "":
		return "nothing could be read"
	case a.deps.DeskOff != "":
		return a.deps.DeskOff
	case a.deps.Decide == nil:
		return "there is no trail to record in"
	case a.trouble != "":
		return "the audit trail is in trouble: nothing is recorded until it is understood"
	}
	return ""
}
