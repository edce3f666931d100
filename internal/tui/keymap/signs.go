package keymap

// Sign is a word or a sign that a screen shows where there is no room to say what it means.
type Sign struct {
	Scope Scope
	Word  string
	Means string
}

// The words of the queue's last column on a narrow terminal.
const (
	WordLive    = "made"
	WordPast    = "past"
	WordChanged = "chg!"
	WordAwaited = "wait"
)

// Signs is the one table of them, for help and documentation.
var Signs = []Sign{
	{Queue, "EXPOSED", "how long a retry can still do it a second time"},
	{Queue, "open", "under EXPOSED: no end of that is known"},
	{Queue, "?", "under EXPOSED: not known"},
	{Queue, "-", "under EXPOSED: no retry can; elsewhere: nothing there"},
	{Queue, "DEC", "the decision, where the window is narrow:"},
	{Queue, WordLive, "one is made and stands"},
	{Queue, WordAwaited, "a replay or completion stands; its outcome is not known"},
	{Queue, WordPast, "decided, but it stands no more: withdrawn, expired, done"},
	{Queue, WordChanged, "a decision stands, but the evidence has changed since"},
	{Case, "legs", "the parts of the action: its row here, its charge there"},
	{Case, "lost", "of a leg: it was there, and is gone"},
	{Case, "•••", "a payload, masked: its length, and part of its digest"},
	{Audit, "REFUSED", "the guard refused what was asked; that is recorded too"},
}
