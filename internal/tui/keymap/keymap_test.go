package keymap_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/idemctl/internal/tui/keymap"
)

func TestTable(t *testing.T) {
	t.Parallel()
	if _, err := keymap.New(nil); err != nil {
		t.Fatal(err)
	}
	seen := make(map[keymap.ID]bool)
	for i := range keymap.Actions {
		a := &keymap.Actions[i]
		switch {
		case seen[a.ID]:
			t.Errorf("%s stands twice", a.ID)
		case a.Title == "" || a.Help == "" || len(a.Keys) == 0:
			t.Errorf("%s lacks a title, help or a key", a.ID)
		case a.Level > keymap.Look && !strings.HasSuffix(a.Title, "…"):
			t.Errorf("%s leads to a record, and its title %q does not say that a dialog opens", a.ID, a.Title)
		case a.Level > keymap.Look && a.Off(keymap.State{Loading: true, Rows: 1, Case: true, Live: true}) == "":
			t.Errorf("%s is on while sources are read", a.ID)
		case a.Level > keymap.Look && a.Off(keymap.State{Filtering: true, Rows: 1, Case: true, Live: true}) == "":
			t.Errorf("%s is on while the list is of an older filter", a.ID)
		case a.Level > keymap.Look && a.Off(keymap.State{Desk: "no", Rows: 1, Case: true, Live: true}) == "":
			t.Errorf("%s is on where nothing can be decided", a.ID)
		}
		seen[a.ID] = true
		for _, k := range a.Keys {
			if keymap.Broken(k) {
				t.Errorf("%s is bound to %q, which a broken escape sequence leaves behind", a.ID, k)
			}
			if strings.ContainsAny(k, "[]{}\\`~^@|") {
				t.Errorf("%s is bound to %q, which many keyboards have no key for", a.ID, k)
			}
		}
	}
}

// Every action can be reached without a letter that another alphabet lacks.
func TestEveryKeyboard(t *testing.T) {
	t.Parallel()
	for _, id := range []keymap.ID{keymap.Help, keymap.Palette, keymap.Filter, keymap.GoQueue, keymap.GoAudit, keymap.GoSources} {
		if !strings.Contains(strings.Join(keymap.Find(id).Keys, " "), "f") {
			t.Errorf("%s has no function key", id)
		}
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	m, err := keymap.New(map[keymap.ID][]string{keymap.Mark: {"ins", "t"}})
	if err != nil {
		t.Fatal(err)
	}
	if a := m.Action(keymap.Queue, "t"); a == nil || a.ID != keymap.Mark {
		t.Errorf("t means %v", a)
	}
	if a := m.Action(keymap.Queue, " "); a != nil {
		t.Errorf("the old key still means %s", a.ID)
	}
	for _, tt := range []struct {
		id   keymap.ID
		keys []string
		want string
	}{
		{"queue.marc", []string{"t"}, `no action is called "queue.marc"`},
		{keymap.Mark, []string{"j"}, `key "j" stands for move.down and for queue.mark`},
		{keymap.Mark, []string{"q"}, `key "q" stands for quit and for queue.mark`},
		{keymap.Up, []string{"d"}, `key "d" stands for queue.decide and for move.up`},
		{keymap.Mark, []string{"["}, `key "[" cannot stand for queue.mark: a broken escape sequence leaves it behind`},
		{keymap.Mark, []string{"O"}, `key "O" cannot stand for queue.mark: a broken escape sequence leaves it behind`},
		{keymap.Mark, []string{"esc"}, `key "esc" cannot stand for queue.mark: it has one meaning everywhere`},
		{keymap.Withdraw, []string{"t"}, `key "t" cannot stand for case.withdraw: a single letter is too easily hit for what leads to a record`},
	} {
		_, err := keymap.New(map[keymap.ID][]string{tt.id: tt.keys})
		var clash *keymap.ClashError
		if !errors.As(err, &clash) || err.Error() != tt.want || clash.ID != tt.id {
			t.Errorf("%s on %q: %v, want %s", tt.id, tt.keys, err, tt.want)
		}
	}
}

var began = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

func route(r *keymap.Router, at time.Duration, in keymap.Input) []string {
	events, _ := r.Route(in, began.Add(at))
	return names(events)
}

func names(events []keymap.Event) []string {
	var out []string
	for _, e := range events {
		if e.Key == "" {
			out = append(out, "paste "+e.Paste)
		} else {
			out = append(out, e.Key)
		}
	}
	return out
}

func TestRoute(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type step struct {
		at   time.Duration
		in   keymap.Input
		want []string
	}
	esc := keymap.Input{Key: "esc"}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"a burst is so many keys", []step{{0, keymap.Input{Runes: "jjjjj"}, []string{"j", "j", "j", "j", "j"}}}},
		{"a paste is no key", []step{{0, keymap.Input{Runes: "dd\nq", Paste: true}, []string{"paste dd\nq"}}}},
		{"an arrow in two reads is the arrow", []step{{0, esc, nil}, {10 * ms, keymap.Input{Runes: "[A"}, []string{"up"}}}},
		{"an application arrow in two reads", []step{{0, esc, nil}, {10 * ms, keymap.Input{Runes: "OB"}, []string{"down"}}}},
		{"any other broken sequence is dropped", []step{{0, esc, nil}, {10 * ms, keymap.Input{Runes: "[200~rm"}, nil}}},
		{"a broken mouse report is dropped", []step{{0, esc, nil}, {10 * ms, keymap.Input{Runes: "[<0;1;1M"}, nil}}},
		{"a late bracket is a key behind an esc", []step{{0, esc, nil}, {60 * ms, keymap.Input{Runes: "[A"}, []string{"esc", "[", "A"}}}},
		{"another key lets the esc go", []step{{0, esc, nil}, {10 * ms, keymap.Input{Runes: "j"}, []string{"esc", "j"}}}},
		{"esc and enter", []step{{0, esc, nil}, {10 * ms, keymap.Input{Key: "enter"}, []string{"esc", "enter"}}}},
		{"two escs", []step{{0, esc, nil}, {10 * ms, esc, []string{"esc"}}}},
		{"a paste behind an esc", []step{{0, esc, nil}, {10 * ms, keymap.Input{Runes: "[A", Paste: true}, []string{"esc", "paste [A"}}}},
	} {
		r := &keymap.Router{}
		for i, s := range tt.steps {
			if diff := cmp.Diff(s.want, route(r, s.at, s.in)); diff != "" {
				t.Errorf("%s, step %d (-want +got):\n%s", tt.name, i, diff)
			}
		}
	}
}

func TestEscapeIsReleased(t *testing.T) {
	t.Parallel()
	r := &keymap.Router{}
	if _, wait := r.Route(keymap.Input{Key: "esc"}, began); !wait {
		t.Fatal("an esc asks for no wait")
	}
	if got := r.Expire(began.Add(10 * time.Millisecond)); got != nil {
		t.Errorf("too early: %v", got)
	}
	if diff := cmp.Diff([]string{"esc"}, names(r.Expire(began.Add(keymap.EscapeWait)))); diff != "" {
		t.Error(diff)
	}
	if got := r.Expire(began.Add(time.Second)); got != nil {
		t.Errorf("twice: %v", got)
	}
}

// However input is cut, no key is made of a broken escape sequence, and none is lost that was typed.
func TestBurstsAreWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.RuneFrom([]rune("jkd q?:/éß界")), 1, 40, -1).Draw(t, "typed")
		var got strings.Builder
		r, at := &keymap.Router{}, time.Duration(0)
		for rest := []rune(s); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "read")
			for _, k := range route(r, at, keymap.Input{Runes: string(rest[:n])}) {
				got.WriteString(k)
			}
			rest, at = rest[n:], at+time.Millisecond
		}
		if got.String() != s {
			t.Fatalf("%q became %q", s, got.String())
		}
	})
}

func TestStrays(t *testing.T) {
	t.Parallel()
	r := &keymap.Router{}
	for i := range 3 {
		if locked := r.Stray(began.Add(time.Duration(i) * 100 * time.Millisecond)); locked != (i == 2) {
			t.Errorf("key %d: locked %v", i, locked)
		}
	}
	if !r.Locked() {
		t.Error("not locked")
	}
	r.Unlock()
	for i := range 9 {
		if r.Stray(began.Add(time.Duration(i) * time.Second)) {
			t.Error("slow keys lock")
		}
	}
	r = &keymap.Router{}
	r.Stray(began)
	r.Stray(began.Add(time.Millisecond))
	r.Meant()
	if r.Stray(began.Add(2 * time.Millisecond)) {
		t.Error("a key that meant something did not count")
	}
}

func TestGrace(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type step struct {
		at             time.Duration
		key            string
		takes, presses bool
	}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"the key that opened it is in flight", []step{{20 * ms, "enter", false, false}, {50 * ms, "enter", false, false}}},
		{"a pause opens it", []step{{400 * ms, "tab", true, true}}},
		{"each key begins the pause anew", []step{{300 * ms, "x", false, false}, {600 * ms, "x", false, false}, {960 * ms, "x", true, false}}},
		{"the waiting has an end", []step{{1400 * ms, "x", true, true}}},
		{"the waiting has an end for a key held down", []step{{300 * ms, "x", false, false}, {600 * ms, "x", false, false}, {900 * ms, "x", false, false}, {1200 * ms, "x", false, false}, {1510 * ms, "x", true, false}}},
		{"a repeating key presses nothing", []step{{400 * ms, "enter", true, true}, {430 * ms, "enter", true, false}, {460 * ms, "enter", true, false}, {960 * ms, "enter", true, true}}},
		{"another key between", []step{{400 * ms, "enter", true, true}, {430 * ms, "tab", true, true}, {460 * ms, "enter", true, true}}},
	} {
		g := keymap.NewGrace(began)
		for i, s := range tt.steps {
			takes, presses := g.Take(s.key, began.Add(s.at))
			if takes != s.takes || presses != s.presses {
				t.Errorf("%s, step %d: takes %v presses %v", tt.name, i, takes, presses)
			}
		}
	}
}

// What a sign means is shown on one line of the help, whole, on the narrowest terminal that has all columns.
func TestSigns(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, s := range keymap.Signs {
		if at := s.Scope.String() + s.Word; seen[at] {
			t.Errorf("%s stands twice", at)
		} else {
			seen[at] = true
		}
		if len([]rune(s.Word)) > 10 || s.Means == "" || len([]rune(s.Means)) > 57 {
			t.Errorf("%s does not fit on a line: %s", s.Word, s.Means)
		}
	}
}
