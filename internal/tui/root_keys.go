package tui

import (
	"fmt"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// Below this size nothing is shown but the size, and no key but those that leave does anything: nothing may be decided unseen.
const (
	minWidth  = 60
	minHeight = 15
)

// input takes one key message of bubbletea and makes single keys of it.
func (r *root) input(m tea.KeyMsg) tea.Cmd {
	in := keymap.Input{Key: m.String()}
	if m.Type == tea.KeyRunes && !m.Alt || m.Paste {
		in = keymap.Input{Runes: string(m.Runes), Paste: m.Paste}
	}
	events, wait := r.router.Route(in, r.opt.Now())
	cmd := r.events(events)
	if wait {
		return tea.Batch(cmd, r.after(keymap.EscapeWait, escape{}))
	}
	return cmd
}

func (r *root) events(events []keymap.Event) tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range events {
		if e.Key == "" {
			cmds = append(cmds, r.paste(e.Paste))
		} else {
			cmds = append(cmds, r.key(e.Key))
		}
	}
	return tea.Batch(cmds...)
}

func (r *root) small() bool { return r.w < minWidth || r.h < minHeight }

// paste gives pasted text to a text box; anywhere else it does nothing but say so.
func (r *root) paste(s string) tea.Cmd {
	if n := len(r.dialogs); n > 0 && !r.small() {
		return r.dialogs[n-1].Paste(s)
	}
	if r.queue.typing() && r.top() == screen(r.queue) && !r.small() {
		return r.queue.typed(s)
	}
	r.say(paint.Warn, fmt.Sprintf("pasted text does nothing here (%d characters)", utf8.RuneCountInString(s)))
	return nil
}

func (r *root) key(k string) tea.Cmd {
	switch {
	case k == "ctrl+c":
		return r.quit()
	case r.suspends(k):
		return r.perform(keymap.Suspend)
	case r.small():
		if k == "q" && len(r.dialogs) == 0 {
			return r.quit()
		}
		return nil
	case r.router.Locked():
		if k == "esc" {
			r.router.Unlock()
			r.notice = notice{}
		}
		return nil
	}
	r.notice = notice{}
	r.queue.planGen++ // a plan that is still being read was for what was there before this key
	if n := len(r.dialogs); n > 0 {
		return r.dialogKey(r.dialogs[n-1], k)
	}
	if r.queue.typing() && r.top() == screen(r.queue) {
		return r.queue.key(k)
	}
	if v, ok := r.top().(*telling); ok && (k == "enter" || k == " ") {
		r.router.Meant()
		return v.enter()
	}
	a := r.keys.Action(r.top().Scope(), k)
	if a == nil || a.Scope == keymap.Training && r.coach == nil {
		r.stray(k)
		return nil
	}
	r.router.Meant()
	r.coach.stays(a.ID)
	if r.top() == screen(r.queue) && !r.loading {
		r.coach.looksThrough(a)
	}
	return r.perform(a.ID)
}

// dialogKey keeps keys that were meant for what was there before away from a dialog that leads to a record.
func (r *root) dialogKey(d raised, k string) tea.Cmd {
	takes, presses := d.grace.Take(k, r.opt.Now())
	if d.Wary() && !takes {
		r.say(paint.Faint, "this dialog has just opened: it takes keys after a short pause")
		return nil
	}
	return d.Key(k, presses || !d.Wary())
}

// stray notes a key that means nothing. Several in a row are somebody typing into the wrong window.
func (r *root) stray(k string) {
	if r.router.Stray(r.opt.Now()) {
		r.say(paint.Caution, "you are typing into idemctl: keys are locked until you press esc")
		return
	}
	r.say(paint.Faint, fmt.Sprintf("%s does nothing here · %s lists the keys (F1 on every keyboard)", keymap.Spell(k), r.keys.Short(keymap.Help)))
}

// perform runs an action, or says why it is off.
func (r *root) perform(id keymap.ID) tea.Cmd {
	a := keymap.Find(id)
	if why := a.Off(r.stateNow()); why != "" {
		r.say(paint.Warn, a.Title+" is off: "+why)
		return nil
	}
	switch id {
	case keymap.Help:
		r.ask(newMenu(r.app, r.top().Scope(), r.stateNow(), true))
	case keymap.Palette:
		r.ask(newMenu(r.app, r.top().Scope(), r.stateNow(), false))
	case keymap.Back:
		return r.back()
	case keymap.Quit:
		if v, ok := r.top().(*telling); ok && !v.story { // the play is over: nothing is left behind
			return r.quit()
		}
		if len(r.stack) > 1 || r.top() != screen(r.queue) {
			return r.back()
		}
		if r.coach.asks() {
			return nil
		}
		return r.quit()
	case keymap.Redraw:
		r.stale = true
	case keymap.Copy:
		r.startCopy()
	case keymap.Suspend:
		r.suspend()
	case keymap.Rescan:
		r.say(paint.Faint, "all sources are read again; the list stays as it is until then")
		return r.read()
	case keymap.Interrupt:
		r.cancel()
		r.say(paint.Warn, "reading is being stopped")
	case keymap.GoQueue:
		r.stack = []screen{r.queue}
	case keymap.GoAudit:
		r.stack = []screen{r.trail}
		r.coach.see(scenario.Event{Sight: scenario.Trail})
		return r.trail.enter()
	case keymap.GoSources:
		r.stack = []screen{r.sources}
		r.coach.see(scenario.Event{Sight: scenario.Sources})
	case keymap.GoRestore:
		r.stack = []screen{r.restore}
		r.coach.see(scenario.Event{Sight: scenario.Restore})
		return r.restore.enter()
	case keymap.Hint:
		r.coach.ask()
	case keymap.GiveUp:
		r.coach.giveUp()
	case keymap.Story:
		r.push(newStory(r.app, r.coach.play.Scenario))
	case keymap.GoDebrief:
		r.stack = []screen{newDebrief(r.app, r.coach.play)}
	default:
		return r.top().Do(id)
	}
	return nil
}

// listBy shows the queue, filtered. The filter can be given up there like one that was typed.
func (r *root) listBy(filter string) tea.Cmd {
	r.stack = []screen{r.queue}
	r.queue.remember(filter)
	return r.queue.apply(filter)
}

// suspends reports whether a key gives the terminal away: as in every program, it does so from anywhere.
func (r *root) suspends(k string) bool {
	a := r.keys.Action(keymap.Everywhere, k)
	return a != nil && a.ID == keymap.Suspend && len([]rune(k)) > 1 // a letter is typed where there is a text box
}

// suspend asks for the terminal to be given to the shell. Nothing is lost: it is as if nobody pressed a key for a while.
func (r *root) suspend() {
	if r.opt.Suspend == nil {
		r.say(paint.Warn, "there is no shell here that could take the terminal")
		return
	}
	r.away = true
}

func (r *root) stateNow() keymap.State {
	s := r.state()
	r.top().State(&s)
	return s
}

func (r *root) back() tea.Cmd {
	switch {
	case len(r.stack) > 1:
		r.stack = r.stack[:len(r.stack)-1]
	case r.top() != screen(r.queue):
		r.stack = []screen{r.queue}
	case r.queue.filtered():
		return r.queue.clear()
	default:
		r.say(paint.Faint, r.keys.Short(keymap.Quit)+" quits")
	}
	return nil
}

// quit ends the program, unless something is being recorded: what became of it must be seen.
func (r *root) quit() tea.Cmd {
	if r.busy != "" {
		r.say(paint.Caution, r.busy+": wait for the answer; what is recorded by then stays recorded")
		return nil
	}
	if r.cancel != nil {
		r.cancel()
	}
	return tea.Quit
}
