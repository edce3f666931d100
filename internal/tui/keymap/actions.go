package keymap

// Scope is where an action can be meant.
type Scope uint8

// The scopes. Everywhere and Lists hold on every screen, Training too while a scenario is played; Lists are the movements.
const (
	Everywhere Scope = iota
	Lists
	Queue
	Case
	Audit
	Sources
	Restore
	Training
)

var scopeWords = [...]string{"everywhere", "moving", "queue", "case", "audit", "sources", "restore", "training"}

func (s Scope) String() string { return scopeWords[s] }

// Level is how much harm an action could do. Above zero it opens a dialog, which asks for what the level needs.
type Level uint8

// The levels.
const (
	Look   Level = iota // changes nothing that is kept
	Record              // a reason, and a press on the named button
	Assert              // as Record, with a longer reason: it states a fact or lets something run
	Many                // as Assert, for several cases at once: a frozen plan, and a phrase to type
)

// ID names an action, in configs and in code.
type ID string

// The actions.
const (
	Up        ID = "move.up"
	Down      ID = "move.down"
	PageUp    ID = "move.page-up"
	PageDown  ID = "move.page-down"
	HalfUp    ID = "move.half-up"
	HalfDown  ID = "move.half-down"
	First     ID = "move.first"
	Last      ID = "move.last"
	NextPane  ID = "move.next-pane"
	PriorPane ID = "move.prior-pane"

	Help       ID = "help"
	Palette    ID = "palette"
	Back       ID = "back"
	Quit       ID = "quit"
	Redraw     ID = "redraw"
	Copy       ID = "copy"
	Suspend    ID = "suspend"
	GoQueue    ID = "go.queue"
	GoAudit    ID = "go.audit"
	GoSources  ID = "go.sources"
	GoRestore  ID = "go.restore"
	OpenSlice  ID = "restore.open"
	NextGap    ID = "restore.next-gap"
	ConfirmGap ID = "restore.confirm"
	RetractGap ID = "restore.withdraw"
	GoDebrief  ID = "go.debrief"
	Hint       ID = "training.hint"
	GiveUp     ID = "training.give-up"
	Story      ID = "training.story"
	Rescan     ID = "rescan"
	Interrupt  ID = "interrupt"
	OpenCase   ID = "queue.open"
	Filter     ID = "queue.filter"
	Sort       ID = "queue.sort"
	Reverse    ID = "queue.reverse"
	NextOpen   ID = "queue.next-undecided"
	PriorOpen  ID = "queue.prior-undecided"
	Mark       ID = "queue.mark"
	MarkRange  ID = "queue.mark-range"
	MarkAll    ID = "queue.mark-all"
	Unmark     ID = "queue.unmark"
	Preview    ID = "queue.preview"
	Decide     ID = "queue.decide"
	NextCase   ID = "case.next"
	PriorCase  ID = "case.prior"
	Later      ID = "case.later"
	Earlier    ID = "case.earlier"
	Only       ID = "case.differences"
	Zoom       ID = "case.zoom"
	Raw        ID = "case.as-stored"
	DecideCase ID = "case.decide"
	Withdraw   ID = "case.withdraw"
	Outcome    ID = "case.outcome"
	OpenEntry  ID = "audit.open"
	Verify     ID = "audit.verify"
)

// State is what decides whether an action is on.
type State struct {
	Loading   bool   // the sources are still read
	Filtering bool   // the rows shown are of an older filter or order
	Rows      int    // rows listed
	Gaps      int    // restore gaps listed
	Confirmed bool   // an operator confirmed the gap that is chosen
	Marked    int    // cases marked
	Case      bool   // the cursor's case has been read
	Live      bool   // a live decision stands on the case
	Stands    bool   // and rests on what the records still say
	Source    string // why the sources cannot be read anew, "" when they can
	Desk      string // why nothing can be decided, "" when it can
	Trail     string // why the trail cannot be shown, "" when it can
	Busy      string // what runs that must end first
	Steps     bool   // a step of the scenario is still to come
	Undecided int    // cases of the scenario on which no decision stands
}

// Action is one row of the table.
type Action struct {
	ID    ID
	Scope Scope
	Level Level
	Keys  []string // by default, in bubbletea's spelling
	Title string   // a few words, for the footer and the palette
	Help  string   // one line: what it does
	off   func(State) string
}

// Off says why the action is off; "" when it is on.
func (a *Action) Off(s State) string {
	if a.off == nil {
		return ""
	}
	return a.off(s)
}

// Actions is the one table. Its order is the order of help.
var Actions = []Action{
	{Up, Lists, Look, keys("up", "k"), "up", "one line up", nil},
	{Down, Lists, Look, keys("down", "j"), "down", "one line down", nil},
	{PageUp, Lists, Look, keys("pgup", "ctrl+b"), "page up", "one page up", nil},
	{PageDown, Lists, Look, keys("pgdown", "ctrl+f"), "page down", "one page down", nil},
	{HalfUp, Lists, Look, keys("ctrl+u"), "half up", "half a page up", nil},
	{HalfDown, Lists, Look, keys("ctrl+d"), "half down", "half a page down", nil},
	{First, Lists, Look, keys("home", "g"), "first", "to the first line", nil},
	{Last, Lists, Look, keys("end", "G"), "last", "to the last line", nil},
	{NextPane, Lists, Look, keys("tab"), "next pane", "to the next pane or field", nil},
	{PriorPane, Lists, Look, keys("shift+tab"), "prior pane", "to the pane or field before", nil},

	{OpenCase, Queue, Look, keys("enter", "l", "right"), "open", "open the case: all its evidence, the reasons, what may be decided", offNoRow},
	{Mark, Queue, Look, keys(" ", "ins"), "mark", "mark the case, or take its mark away, and move down", offNoRow},
	{Decide, Queue, Many, keys("d"), "decide…", "decide the marked cases, or the one under the cursor", offDecide},
	{Filter, Queue, Look, keys("/", "f3"), "filter", "show only the cases that match, as you type", nil},
	{Sort, Queue, Look, keys("s"), "sort", "order by the next column", offNoRow},
	{Reverse, Queue, Look, keys("S"), "turn order", "turn the order around", offNoRow},
	{NextOpen, Queue, Look, keys("n"), "next undecided", "to the next case without a live decision", offNoRow},
	{PriorOpen, Queue, Look, keys("N"), "prior undecided", "to the case without a live decision before this one", offNoRow},
	{MarkRange, Queue, Look, keys("v"), "mark to here", "mark all cases from the last mark to the cursor", offNoMark},
	{MarkAll, Queue, Look, keys("m"), "mark all", "mark all cases that are listed", offStale},
	{Unmark, Queue, Look, keys("u"), "unmark all", "take all marks away, also of cases that are not listed", offNoMark},
	{Preview, Queue, Look, keys("p"), "preview", "show or hide what is known of the case under the cursor", nil},

	{DecideCase, Case, Assert, keys("d"), "decide…", "decide this case: replay, hold, resolve, recheck, escalate", offDecideCase},
	{NextCase, Case, Look, keys("J"), "next case", "to the next case of the queue", nil},
	{PriorCase, Case, Look, keys("K"), "prior case", "to the case of the queue before this one", nil},
	{Later, Case, Look, keys("right", "l"), "next event", "to the next event of the timeline", nil},
	{Earlier, Case, Look, keys("left", "h"), "prior event", "to the event of the timeline before", nil},
	{Only, Case, Look, keys("x"), "differences", "show only values that differ between records, or all of them", nil},
	{Zoom, Case, Look, keys("z"), "zoom", "give the pane the whole width, or take it back", nil},
	{Raw, Case, Look, keys("r"), "as stored", "show the columns as they are stored, payloads masked, or the mapped facts", nil},
	{Withdraw, Case, Record, keys("w"), "withdraw…", "take this case's live decision back", offNoLive},
	{Outcome, Case, Record, keys("o"), "outcome…", "record what came of the live decision: done, failed, unknown", offNoLive},

	{OpenEntry, Audit, Look, keys("enter", "l", "right"), "open", "open the entry, with the evidence as it was", offNoRow},
	{Verify, Audit, Look, keys("v"), "verify", "check the whole trail: chain, tree, projections, file", offTrail},
	{Interrupt, Sources, Look, keys("ctrl+x"), "stop reading", "stop reading the sources", offNotLoading},

	{OpenSlice, Restore, Look, keys("enter", "l", "right"), "its cases", "list the cases of the slice of time under the cursor", offNoRow},
	{ConfirmGap, Restore, Assert, keys("c"), "confirm…", "confirm the window of the gap, or correct it", offNoGap},
	{RetractGap, Restore, Record, keys("w"), "withdraw…", "take back what was confirmed of the gap", offNotConfirmed},
	{NextGap, Restore, Look, keys("n"), "next gap", "to the next restore gap", offOneGap},

	{GoQueue, Everywhere, Look, keys("1", "f5"), "queue", "the cases to decide", nil},
	{GoAudit, Everywhere, Look, keys("2", "f6"), "audit", "the trail of decisions", offTrailView},
	{GoSources, Everywhere, Look, keys("3", "f7"), "sources", "the sources: what was read, how far each reaches; findings about contracts, restore gaps", nil},
	{GoRestore, Everywhere, Look, keys("4", "f8"), "restore", "what a restore has left behind: gaps by time, what would run again, what a plan puts back", nil},
	{Rescan, Everywhere, Look, keys("ctrl+r"), "read anew", "read all sources again", offRescan},
	{Help, Everywhere, Look, keys("?", "f1"), "help", "this list; type to search, Enter runs", nil},
	{Palette, Everywhere, Look, keys(":", "ctrl+p", "f2"), "commands", "search all commands and run one", nil},
	{Back, Everywhere, Look, keys("esc"), "back", "back, close, cancel", nil},
	{Quit, Everywhere, Look, keys("q", "ctrl+c"), "quit", "q: back, on the queue quit · ctrl+c: quit, from anywhere", nil},
	{Copy, Everywhere, Look, keys("y"), "copy…", "copy the key, an id, the row, the evidence or a command", nil},
	{Redraw, Everywhere, Look, keys("ctrl+l"), "redraw", "draw the screen anew", nil},
	{Suspend, Everywhere, Look, keys("ctrl+z"), "suspend", "give the terminal to the shell; fg comes back", offBusy},

	{Hint, Training, Look, keys("i"), "hint", "a hint for the step that comes next; it is counted", offNoStep},
	{GiveUp, Training, Look, keys("I"), "give up step", "leave the step that comes next behind; it is counted", offNoStep},
	{Story, Training, Look, keys("T"), "story", "what happened, and what is asked for", nil},
	{GoDebrief, Training, Look, keys("5", "f9"), "debrief", "end the play: what each decision is worth, and what it would have caused", offUndone},
}

func keys(k ...string) []string { return k }

// Find returns the action of an id, nil when there is none.
func Find(id ID) *Action {
	for i := range Actions {
		if Actions[i].ID == id {
			return &Actions[i]
		}
	}
	return nil
}
