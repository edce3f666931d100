package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/paint"
)

// TestHandOverStandsFirst: where a case is to be handed over, its page and its dialog say so, and escalate is seen without scrolling, however small the screen is.
func TestHandOverStandsFirst(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		for name, key := range map[string]string{"revoked": "lg-7", "two-points-restore": "sk-35", "accepted-later": "kw-3"} {
			c, _ := training(t, name, size[0], size[1])
			c.press("/").typeText(key).press("enter", "enter").shows("advised: escalate")
			c.press("d").wait(time.Second)
			c.press("tab").shows("( ) escalate", "escalate it to")
		}
	}
}

// TestFooterOffersWhatIsPossible: no key stands in the footer that would do nothing here, and what leads away is seen in its room.
func TestFooterOffersWhatIsPossible(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}, {200, 50}} {
		footer := func(c *console) string {
			lines := strings.Split(strings.TrimRight(c.screen(), "\n"), "\n")
			return lines[len(lines)-1]
		}
		c, _ := training(t, "clean", size[0], size[1])
		if f := footer(c); strings.Contains(f, "open") || strings.Contains(f, "decide") || !strings.Contains(f, "3 sources") {
			t.Errorf("%v, nothing is listed: %s", size, f)
		}
		c, _ = training(t, "revoked", size[0], size[1])
		if f := footer(c); !strings.Contains(f, "enter open") || !strings.Contains(f, "d decide…") {
			t.Errorf("%v, cases are listed: %s", size, f)
		}
	}
}

// TestNextUndecidedTellsTheWay: where none is left in one direction it is said which key goes to those in the other.
func TestNextUndecidedTellsTheWay(t *testing.T) {
	t.Parallel()
	c, _ := training(t, "key-window", 80, 24)
	c.press("n", "n", "n", "n").shows("no undecided case below; N goes to one above").press("N", "N", "N").selected("sp-2").press("N").shows("no undecided case above; n goes to one below")
	c, _ = training(t, "seed-scope", 80, 24)
	c.press("n").shows("no other undecided case")
}

// TestCoachOffersWhatItHas: a hint is offered where there is one that was not told, and how many cases are decided is said on every width that has the room.
func TestCoachOffersWhatItHas(t *testing.T) {
	t.Parallel()
	for size, of := range map[[2]int]string{{80, 24}: "0/4 done", {120, 36}: "0 of 4 cases decided", {200, 50}: "0 of 4 cases decided"} {
		c, _ := training(t, "seed-scope", size[0], size[1])
		c.hides("i hint")
		c, _ = training(t, "key-window", size[0], size[1])
		c.press("up").shows("i hint", of).press("i").shows("Hint: ").hides("i hint")
	}
}

// TestRevokedIsSeen: that whoever asked may no longer ask, and since when, is on the first page of a case, and so is the end of the lease that lapsed.
func TestRevokedIsSeen(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
		c, _ := training(t, "revoked", size[0], size[1])
		c.press("/").typeText("lg-7").press("enter", "enter").shows("Whoever asked may no longer ask.", "revoked_at 2026-11-29T02:00:00Z").hides("receipt revoked")
		if size[0] >= 120 { // the timeline stands beside the records
			c.shows("rights revoked")
		}
		c.press("shift+tab", "shift+tab").shows("2026-11-29T01:35:20Z")
	}
}

// TestQueueSaysWhatIsAwaited: a case that became graver since something was sent says in the list that this is why.
func TestQueueSaysWhatIsAwaited(t *testing.T) {
	t.Parallel()
	for size, want := range map[[2]int]string{{80, 24}: "wait", {120, 36}: "replay, not seen yet"} {
		c, _ := training(t, "revoked", size[0], size[1])
		c.press("/").typeText("lg-2").press("enter", "d").wait(time.Second)
		c.press("tab", " ", "tab").typeText("mara still wants the paper").press("tab").shows("Until that is seen").press("enter").shows("recorded: replay").press("1", "esc").shows(want)
		c.press("I", "I").shows("stays in doubt until it is seen", "graver until then")
	}
}

// TestUnopenedIsSaid: a dialog says of which cases nobody looked at the evidence, and in a training what that costs.
func TestUnopenedIsSaid(t *testing.T) {
	t.Parallel()
	c, _ := training(t, "seats-restore", 120, 36)
	c.press("enter", "esc", "g", " ", " ", " ", "d").wait(time.Second)
	c.shows("2 of 3 not opened: a list shows no evidence. Unseen counts half.", "not opened").press("esc")
	d := &desk{res: fixture(t, "seats-restore")}
	c = start(t, d.deps(), 120, 36)
	c.press("d").wait(time.Second)
	c.shows("It was not opened: a list shows no evidence.").hides("counts half").press("esc", "enter", "d").wait(time.Second)
	c.hides("not opened")
}

// TestPlaceholders: what is to be typed is never written as if it had been, where nothing is coloured either.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		c, _ := training(t, "seats-restore", size[0], size[1])
		c.press(" ", " ", "d").wait(time.Second)
		c.press("tab", "down", " ").shows("Type       [(type  escalate 2  here)", "[(who takes it over)").hides("[escalate", "[type", "[who")
	}
}

// TestDebriefIsLeft: the debrief's footer is true. q leaves, and nothing leads on at the end of the text; in the list behind it the coach ends nothing twice.
func TestDebriefIsLeft(t *testing.T) {
	t.Parallel()
	play := func(h int) *console {
		c, _ := training(t, "seats-restore", 80, h)
		return c.press("I", "I", "I", "I", "m", "d").wait(time.Second)
	}
	end := func(c *console) *console {
		c.press("tab", "down", " ", "tab").typeText("ask whether they still want it").press("tab").typeText("the shift lead").press("tab").typeText("escalate 6").press("tab", "enter")
		return c.shows("recorded: escalate for 6 cases").press("5").shows("Debrief", "q quit")
	}
	c := end(play(24))
	c.shows("↓ down")
	for range 20 {
		c.press("pgdown")
	}
	c.shows("What this teaches").hides("↓ down", "pgdn page down")
	if c.press("1").shows("The play has ended. 5 shows the debrief again, q leaves.").hides("5 ends the play").press("5"); c.quit {
		t.Error("it left by itself")
	}
	if c.press("q"); !c.quit {
		t.Error("q does not quit, and the footer says so")
	}
}

// TestFindingsAreWholeBesideTheCoach: no word of a finding is cut in a list of 120 columns, with the coach or without.
func TestFindingsAreWholeBesideTheCoach(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"two-points-restore", "receipts-cleared", "seats-restore", "bought-twice", "payments-restore"} {
		c, p := training(t, name, 120, 36)
		for _, a := range p.Cases {
			if kind := a.Kinds[0]; !strings.Contains(c.screen(), kind+" ") {
				t.Errorf("%s: %s is cut\n%s", name, kind, c.screen())
			}
		}
	}
}

// A hold says, whole and at every size, that nobody but the service's owner keeps a retry back.
func TestHoldSaysWhoKeepsRetriesBack(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}} {
		c := start(t, (&desk{res: fixture(t, "payments-restore")}).deps(), size[0], size[1]).press("enter", "d").wait(time.Second)
		c.press("tab", "down", " ", "tab").shows("(x) hold", "idemctl tells", "its owner", "by the trail.", "asserts nothing.")
	}
}

// TestTimelineTellsWhatTheProviderKnows: the end of the time in which a provider surely knows a key stands among the events of a case whose call was made or may
// have been, where the profile tells that time, and nowhere else.
func TestTimelineTellsWhatTheProviderKnows(t *testing.T) {
	t.Parallel()
	const event = "provider surely knows the key until here"
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for key, told := range map[string]bool{"sp-2": true, "sp-3": true} {
			c, _ := training(t, "key-window", size[0], size[1])
			c.press("/").typeText(key).press("enter", "enter", "z", "shift+tab", "shift+tab", "shift+tab", "end")
			if got := strings.Contains(strings.Join(strings.Fields(c.screen()), " "), event); got != told {
				t.Errorf("%v, %s: told %v\n%s", size, key, got, c.screen())
			}
		}
		c, _ := training(t, "bought-twice", size[0], size[1])
		c.press("enter", "z", "shift+tab", "shift+tab", "shift+tab", "end").shows("Timeline").hides("surely knows")
	}
}

// TestTheWayOutIsNamed: the footer of every screen that esc leaves says so, however narrow it is, and whatever else may be done there.
func TestTheWayOutIsNamed(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}} {
		for _, keys := range [][]string{{"enter"}, {"3"}, {"4"}, {"2"}, {"T"}, {"2", "enter"}} {
			c, _ := training(t, "seats-restore", size[0], size[1])
			c.press("d").wait(time.Second)
			c.press("tab", "down").wait(time.Second)
			d := c.r.dialogs[0].dialog.(*decide)
			for d.options[d.at].Decision != reconcile.DecideRecheck {
				c.press("down")
			}
			c.press(" ", "tab").typeText("look again in a while").press("tab").typeText("1h").press("tab", "enter").shows("recorded: recheck")
			c.press("down", "up").press(keys...).shows("esc back")
		}
	}
}

// TestNarrowListTellsWhoAsked: two actions that differ in who asked for them differ in the list too, at any width.
func TestNarrowListTellsWhoAsked(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}} {
		c, _ := training(t, "revoked", size[0], size[1])
		c.shows("jonas", "mara", "lg-7", "lg-2")
	}
	long := []reconcile.Component{{Name: "tenant", Value: reconcile.Text(strings.Repeat("t", 1<<20))}, {Name: "principal", Value: reconcile.Text("jonas")}, {Name: "operation", Value: reconcile.Text("send")}, {Name: "key", Value: reconcile.Text("k-7")}}
	for room := range 40 {
		if got := tenantKey(long, room, "·"); text.Width(got) > room || room >= 21 && (!strings.Contains(got, "jonas") || !strings.HasSuffix(got, "k-7")) {
			t.Errorf("in %d cells: %q", room, got)
		}
	}
}

// TestAdvisesToLookAgain: a case that time may settle is advised to be looked at again, also once a recheck of it has run out.
func TestAdvisesToLookAgain(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		c, _ := training(t, "log-ends-early", size[0], size[1])
		seen := 0
		for range 3 {
			c.press("enter")
			one := c.r.top().(*caseView).c
			if one.Due.At.Known() && report.Advised(one) != "" {
				seen++
				c.shows("none is recorded; advised: recheck")
				past := func(ago time.Duration) reconcile.Instant { return reconcile.At(c.r.opt.Now().Add(-ago)) }
				over := audit.Proposal{Case: one.CaseID, Decision: reconcile.DecideRecheck, ValidUntil: past(time.Minute)}
				c.r.decisions[one.CaseID] = []audit.Decision{{Proposal: over, ID: "d", State: reconcile.DecisionDecided, Recorded: past(time.Hour)}}
				c.press("z", "z").shows("no longer valid", "advised: recheck")
			}
			c.press("esc", "down")
		}
		if seen == 0 {
			t.Error("no case is due")
		}
	}
}

// TestOneRecordHasNoHoles: where one record is seen at a time no line is left free for what another says; side by side they are, so that facts stand abreast.
func TestOneRecordHasNoHoles(t *testing.T) {
	t.Parallel()
	for size, holes := range map[[2]int]bool{{60, 15}: false, {80, 24}: false, {120, 36}: true} {
		c, _ := training(t, "outbox-repeats", size[0], size[1])
		c.press("enter")
		v := c.r.top().(*caseView)
		for i := range v.columns() {
			s := newSheet(40)
			v.facts(v.columns()[i].at, s)
			free := slices.ContainsFunc(s.lines, func(l []paint.Piece) bool { return len(l) == 0 })
			if i == 0 && free != holes {
				t.Errorf("%v: lines left free: %v\n%s", size, free, c.screen())
			}
		}
	}
}

// TestTimelineTellsASendOnce: an attempt whose time stands in its row twice is one event, not two.
func TestTimelineTellsASendOnce(t *testing.T) {
	t.Parallel()
	c, _ := training(t, "region-failover", 120, 36)
	c.press("enter")
	v, sends := c.r.top().(*caseView), 0
	for i, e := range v.events() {
		if e.what == "sent" {
			sends++
		}
		for _, o := range v.events()[:i] {
			if e.column == o.column && e.what == o.what && e.at.Equal(o.at) {
				t.Errorf("%s %s at %v is told twice", e.who, e.what, e.at)
			}
		}
	}
	if sends != 2 {
		t.Errorf("%d sends of two attempts", sends)
	}
}

// TestTheOtherIsNamedWhereItIsAskedFor: whoever calls two actions distinct is told the other one's id, and whose it is, in the box that asks for it.
func TestTheOtherIsNamedWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}} {
		c, _ := training(t, "bought-twice", size[0], size[1])
		c.press("enter", "d").wait(time.Second)
		c.press("tab")
		d := c.r.dialogs[0].dialog.(*decide)
		for d.options[d.at].As != reconcile.Distinct {
			c.press("down")
		}
		c.press(" ").shows("such as " + d.cases[0].Twins[0].Case)
		c.press("tab").typeText("the customer says so").press("tab").typeText(d.cases[0].Twins[0].Case).press("tab", "enter").shows("recorded: distinct")
	}
}
