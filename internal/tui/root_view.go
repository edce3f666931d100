package tui

import (
	"fmt"
	"slices"

	"example.com/idemctl/internal/text"
	"example.com/idemctl/internal/tui/keymap"
	"example.com/idemctl/internal/tui/paint"
)

// draw paints one frame: header, banners, the screen with its dialogs, footer.
func (r *root) draw(a paint.Area) {
	if r.small() {
		r.drawSmall(a)
		return
	}
	top, rest := a.Top(1)
	r.header(top)
	for _, b := range r.banners() {
		if rest.H() < minHeight-4 {
			break
		}
		top, rest = rest.Top(1)
		top.Clear(b.style)
		top.Put(0, 0, b.style, " "+b.text)
	}
	body, foot := rest.Bottom(r.footLines())
	seen, beside := body, paint.Area{}
	if _, telling := r.top().(*telling); !telling {
		seen, beside = r.coach.split(body)
	}
	r.top().Draw(seen)
	r.coach.draw(beside)
	for _, d := range r.dialogs {
		d.Draw(body)
	}
	r.footer(foot)
}

func (r *root) drawSmall(a paint.Area) {
	y := a.Wrapped(0, 0, paint.Strong, fmt.Sprintf("idemctl needs %d x %d cells, now %d x %d.", minWidth, minHeight, r.w, r.h))
	what := "Nothing is lost: make the window larger. q quits."
	if len(r.dialogs) > 0 {
		what = "Nothing is lost, and nothing is decided: make the window larger."
	}
	a.Wrapped(0, y, paint.Text, what)
}

// header says where one is, who acts on what, and what the clock is.
func (r *root) header(a paint.Area) {
	right := r.headerRight(a.W() >= 100)
	used := 1
	for _, p := range right {
		used += text.Width(p.Text)
	}
	x := 1
	if room := a.W() - used - 11; a.W() >= 100 || text.Width(r.top().Title(far)) <= room { // where one is comes before what this is
		x = a.Puts(x, 0, paint.Piece{Style: paint.Title, Text: "idemctl"}, paint.Piece{Text: "  "})
	}
	a.PutIn(x, 0, a.W()-x-used-1, paint.Strong, r.where(a.W()-x-used-1))
	a.Puts(max(x, a.W()-used), 0, right...)
}

// where names the way to the screen on top: as much of its end as fits.
func (r *root) where(room int) string {
	title := r.top().Title(room)
	for i := len(r.stack) - 2; i >= 0; i-- {
		longer := r.stack[i].Title(room)
		for _, s := range r.stack[i+1:] {
			longer += " " + r.glyphs.Into + " " + s.Title(far)
		}
		if text.Width(longer) > room {
			break
		}
		title = longer
	}
	return title
}

// trainingMark is striped by its own letters, so that it looks like nothing real where there is no colour either.
const trainingMark = "//TRAINING//"

func (r *root) headerRight(wide bool) []paint.Piece {
	var out []paint.Piece
	add := func(st paint.Style, s string) {
		if s != "" {
			out = append(out, paint.Piece{Text: "  "}, paint.Piece{Style: st, Text: s})
		}
	}
	if r.opt.Fixture {
		add(paint.Training, trainingMark)
	}
	if wide && r.opt.Actor != "" {
		add(paint.Text, "acting as "+text.Truncate(text.SafeString(r.opt.Actor), 32))
	}
	switch {
	case wide:
		add(paint.Strong, text.Truncate(text.SafeString(r.name()), 28))
	case r.w >= 72: // below, the clock is what must be seen
		add(paint.Strong, text.Truncate(text.SafeString(r.name()), 16))
	}
	now := r.now().Time()
	clock := now.Format("15:04 UTC")
	switch {
	case r.manifest == nil:
	case r.manifest.Pinned:
		clock = now.Format("2006-01-02 15:04") + " PINNED"
	case r.deps.SourceOff != "":
		clock = now.Format("2006-01-02 15:04") + " SAVED"
	}
	add(paint.Time, clock)
	return out
}

// name is what is open: the config's own name, or what the operator wrote.
func (a *app) name() string {
	if a.manifest != nil && a.manifest.Name != "" {
		return a.manifest.Name
	}
	return a.opt.Config
}

// banner is a line that must be seen wherever one is.
type banner struct {
	style paint.Style
	text  string
}

func (r *root) banners() []banner {
	var out []banner
	if r.trouble != "" {
		out = append(out, banner{paint.Danger, "AUDIT TRAIL IN TROUBLE, nothing can be decided: " + r.trouble})
	}
	if r.failed != "" {
		out = append(out, banner{paint.Danger, "NOT READ: " + r.failed})
	}
	m := r.manifest
	if m == nil {
		return out
	}
	if !m.Complete {
		out = append(out, banner{paint.Danger, r.incomplete()})
	}
	if n := int64(len(m.Contracts)); n > 0 {
		var subjects int64
		for i := range m.Contracts {
			subjects += m.Contracts[i].Count
		}
		what := fmt.Sprintf("%s about contracts, %s: %s · %s shows them", counted(n, "finding"), counted(subjects, "subject"), m.Contracts[0].Kind, r.keys.Short(keymap.GoSources))
		out = append(out, banner{paint.Caution, what})
	}
	if m.Pinned && !r.opt.Fixture {
		out = append(out, banner{paint.Caution, "PINNED CLOCK: ages and exposure are as of " + stamp(m.Now) + ", not of now"})
	}
	return out
}

// incomplete names the sources that were not read as far as declared.
func (r *root) incomplete() string {
	names, why := "", ""
	for i := range r.manifest.Sources {
		s := &r.manifest.Sources[i]
		if s.Coverage.Complete {
			continue
		}
		if names != "" {
			names += ", "
		} else {
			why = s.Coverage.Reason
		}
		names += text.SafeString(s.Name)
	}
	return "INCOMPLETE: " + names + " could not be read as declared, so nothing was concluded from an absence there: " + text.Once(why)
}

func (r *root) footLines() int {
	if r.h < 24 {
		return 1
	}
	return 2
}

// footer says once what just happened, and names the most useful keys.
func (r *root) footer(a paint.Area) {
	y := a.H() - 1
	if r.notice.text != "" {
		at := 0
		if a.H() == 1 {
			a.Put(1, 0, r.notice.style, r.notice.text)
			return
		}
		if a.H() > 1 && len(r.dialogs) == 0 && text.Width(r.notice.text) > a.W()-2 { // what just happened is told whole; the keys come back with the next one
			a.Sub(1, at, a.W()-2, a.H()).Wrapped(0, 0, r.notice.style, r.notice.text)
			return
		}
		a.Put(1, at, r.notice.style, r.notice.text)
	} else if a.H() > 1 {
		a.Put(1, 0, paint.Faint, r.doing())
	}
	if n := len(r.dialogs); n > 0 {
		a.Put(1, y, paint.Faint, r.dialogs[n-1].Hint())
		return
	}
	if r.queue.typing() && r.top() == screen(r.queue) {
		a.Put(1, y, paint.Faint, "type · tab completes · ↑↓ earlier filters · enter keeps it · esc gives back the one before")
		return
	}
	right := []paint.Piece{{Style: paint.Hint, Text: r.keys.Short(keymap.Help)}, {Text: " help  "}, {Style: paint.Hint, Text: r.keys.Short(keymap.Palette)}, {Text: " commands "}}
	room := a.W()
	for _, p := range right {
		room -= text.Width(p.Text)
	}
	x, state := 1, r.stateNow()
	hints, wide := r.top().Hints(), func(id keymap.ID) int { return text.Width(r.keys.Short(id)) + text.Width(keymap.Find(id).Title) + 3 }
	back := 0 // the room of the way out, which no other key takes
	if slices.Contains(hints, keymap.Back) {
		back = wide(keymap.Back)
	}
	for _, id := range hints {
		act := keymap.Find(id)
		if act.Off(state) != "" { // help lists it with the reason; here it would take the room of what can be done
			continue
		}
		if id == keymap.Back {
			back = 0
		}
		if x+wide(id)+back > room {
			if back > 0 {
				continue
			}
			break
		}
		label, title := r.keys.Short(id), act.Title
		x = a.Put(x, y, paint.Hint, label)
		x = a.Put(x+1, y, paint.Faint, title) + 2
	}
	a.Puts(room, y, right...)
}

// doing says what runs, as a moving count: nothing spins while nobody counts.
func (r *root) doing() string {
	switch {
	case r.busy != "":
		return r.busy
	case r.loading && r.manifest == nil:
		return r.loadingWords()
	case r.loading && r.rows.Len() > 0:
		return fmt.Sprintf("%d of %d cases listed; decisions open when all are in", r.rows.Len(), r.manifest.Counts.Cases)
	case r.loading:
		return r.loadingWords()
	}
	return ""
}
