package paint

// Style is what a piece of text is, not how it looks: a palette says that. No meaning is carried by a style alone; a word or a glyph stands beside it.
type Style uint8

// The styles.
const (
	Text      Style = iota
	Faint           // of little weight: units, remarks, what is off
	Strong          // what the eye should find first
	Title           // names of screens, panes and groups
	Hint            // a key that may be pressed
	Border          // lines between parts
	Focus           // the border of the part that keys go to
	Critical        // severities
	High            //
	Medium          //
	Low             //
	Good            // known, present, allowed
	Warn            // unknown, waiting
	Bad             // refused, damaged, failed
	Absent          // a record that is not there
	Differs         // a value that differs from another record's
	Marked          // the mark of a row
	Match           // the part of a text that was searched
	Money           // amounts
	Time            // clocks and ages
	Input           // what the operator types
	Caret           // where the next letter goes
	Button          // a button
	ButtonOn        // the button that Enter presses
	ButtonOff       // a button that cannot be pressed yet
	Danger          // a banner that must be seen
	Caution         // a banner that should be seen
	Training        // nothing here touches real systems
	styles
)
