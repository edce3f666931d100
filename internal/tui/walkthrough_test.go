package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/reconcile"
)

// step is one press of the walkthrough: what somebody does, and why.
type step struct {
	title string
	say   string
	keys  []string
	typed string
	then  []string // keys behind the text
	show  bool
}

var walk = []step{
	{title: "Open", say: "`idemctl open @payments-restore` opens the console on a restore that comes with idemctl. The queue shows the actions that somebody must decide, those first that a retry can still execute a second time: `EXPOSED` says for how long. The lower part says of the case under the cursor what is known.", show: true},
	{title: "Filter", say: "`/` filters as you type; Enter keeps the filter, Esc gives it up. Any word of a row will do; `exposure:until amount>5` and the like are completed with Tab.", keys: []string{"/"}, typed: "kyoto", then: []string{"enter"}, show: true},
	{title: "Read the case", say: "Enter opens the case: its records side by side, what is missing, when what happened, why it is a case, and what may be decided. The receipt is gone, and the restore says why; the order and the charge stand. So a retry would be executed a second time.", keys: []string{"enter"}, show: true},
	{title: "Ask for a replay", say: "`d` asks what may be decided. The dialog begins on Cancel, and takes keys only after a short pause, so that nothing is decided by a key in flight. Tab goes to the choices; what is refused says why. Space on a replay only says it again.", keys: []string{"d", "tab", " "}, show: true},
	{title: "Choose", say: "Down to `resolve: backfill-receipt`, Space chooses it. The dialog says what will be written, and what idemctl does not do. Tab goes to the reason, Tab again to the button.", keys: []string{"down", "down", " ", "tab"}, typed: "order 4112 and charge ch_4112 stand", then: []string{"tab"}, show: true},
	{title: "Record", say: "Enter records it. The sources are read anew and the guard is asked again before anything is written; the screen says \"recorded\" only once it is on the disk.", keys: []string{"enter"}, show: true},
	{title: "Find it in the trail", say: "`2` shows the trail, and `v` verifies it: the chain, the tree, the tables beside it, and what this machine remembers of it.", keys: []string{"2", "v"}, show: true},
	{title: "The proof", say: "Enter opens the record, and Enter once more the evidence as it was when it was decided. This is the proof: it stands, and a change to it would be noticed.", keys: []string{"enter", "enter"}, show: true},
	{title: "Leave", say: "Esc goes back, screen by screen, and `q` leaves on the queue. `?` lists the keys of a screen at any time, and runs them. What `idemctl audit log` and `idemctl audit verify` print is the same trail.", keys: []string{"esc", "esc", "esc"}, show: false},
}

var spoken = map[string]string{"enter": "Enter", "tab": "Tab", " ": "Space", "down": "↓", "esc": "Esc"}

// pressed spells the keys of a step.
func (s *step) pressed() string {
	var out []string
	for _, k := range s.keys {
		if name, ok := spoken[k]; ok {
			k = name
		}
		out = append(out, "`"+k+"`")
	}
	if s.typed != "" {
		out = append(out, "*"+s.typed+"*")
	}
	for _, k := range s.then {
		out = append(out, "`"+spoken[k]+"`")
	}
	return strings.Join(out, " ")
}

// TestWalkthrough plays docs/walkthrough.md from the first key to the proof, and fails while the page shows something else.
func TestWalkthrough(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	d.entries = []audit.Entry{{Type: audit.EventCreated, At: reconcile.At(night), Operator: "ada"}}
	c := start(t, d.deps(), 80, 24, fixtureOption)
	var page strings.Builder
	page.WriteString("# From the first key to the proof\n\n<!-- made by `make screens` from internal/tui/walkthrough_test.go; edit that, not this page -->\n\n" +
		"A decision, from opening the console to the proof that it was recorded, on a terminal of 80 by 24. Nothing here touches a real system.\n")
	for i, s := range walk {
		c.press(s.keys...)
		if s.typed != "" {
			c.typeText(s.typed)
		}
		c.press(s.then...).wait(time.Second)
		fmt.Fprintf(&page, "\n## %d. %s\n\n%s\n", i+1, s.title, s.say)
		if keys := s.pressed(); keys != "" {
			fmt.Fprintf(&page, "\nKeys: %s\n", keys)
		}
		if s.show {
			fmt.Fprintf(&page, "\n```text\n%s```\n", c.screen())
		}
	}
	c.selected("made").press("esc", "q")
	if len(d.decisions) != 1 || !c.quit {
		t.Fatalf("%d decisions are recorded, and it ended: %v", len(d.decisions), c.quit)
	}
	path := filepath.Join("..", "..", "docs", "walkthrough.md")
	if *update {
		if err := os.WriteFile(path, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("%s is stale, run make screens (-page +walk)\n%s", path, diff)
	}
}
