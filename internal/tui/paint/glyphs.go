package paint

// Glyphs are the signs of the console. Each is one cell wide; every state that a glyph marks has a word too.
type Glyphs struct {
	Cursor, Mark, Bar, Track                                              string
	Critical, High, Medium, Low                                           string
	Differs, Absent, Present, Unknown                                     string
	Across, Down, TopLeft, TopRight, BottomLeft, BottomRight              string
	Descending, Ascending, Event, Now, Line, Full, Empty, Separator, Into string
}

// Unicode is for terminals with a UTF-8 locale; it holds no emoji and nothing whose width terminals dispute.
var Unicode = Glyphs{
	Cursor: "▌", Mark: "✓", Bar: "█", Track: "│",
	Critical: "■", High: "▲", Medium: "●", Low: "·",
	Differs: "≠", Absent: "×", Present: "✓", Unknown: "?",
	Across: "─", Down: "│", TopLeft: "┌", TopRight: "┐", BottomLeft: "└", BottomRight: "┘",
	Descending: "▾", Ascending: "▴", Event: "●", Now: "▲", Line: "·", Full: "█", Empty: "░", Separator: "·", Into: "›",
}

// ASCII is for every other terminal.
var ASCII = Glyphs{
	Cursor: ">", Mark: "*", Bar: "#", Track: "|",
	Critical: "!", High: "^", Medium: "o", Low: ".",
	Differs: "#", Absent: "x", Present: "+", Unknown: "?",
	Across: "-", Down: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
	Descending: "v", Ascending: "^", Event: "o", Now: "^", Line: ".", Full: "#", Empty: ".", Separator: "-", Into: ">",
}
