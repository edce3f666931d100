package paint

import (
	"fmt"
	"slices"
	"strings"
)

const reset = "\x1b[0m"

// Palette says how styles look.
type Palette struct {
	name string
	sgrs [2][styles]string // by selected
}

// Name returns the palette's name.
func (p *Palette) Name() string { return p.name }

func (p *Palette) sgr(st Style, selected bool) string {
	if selected {
		return p.sgrs[1][st]
	}
	return p.sgrs[0][st]
}

// look is how each style is set: parameters of a graphic rendition. selected is added on the cursor's row.
type look struct {
	name     string
	set      map[Style]string
	selected string
}

// looks are the palettes. They use the terminal's own sixteen colours and no background, so that they suit its theme, dark or light; mono uses attributes
// alone. cvd keeps to blue and yellow, which nearly everybody tells apart.
var looks = []look{
	{"ansi", map[Style]string{
		Faint: "2", Strong: "1", Title: "1", Hint: "1;36", Border: "2", Focus: "1;36",
		Critical: "1;31", High: "33", Medium: "36", Low: "2", Good: "32", Warn: "33", Bad: "1;31", Absent: "1;35", Differs: "1;33",
		Marked: "1;32", Match: "4", Money: "1", Time: "36", Input: "4", Caret: "7", Button: "", ButtonOn: "1;7", ButtonOff: "2",
		Danger: "1;7;31", Caution: "1;33", Training: "1;7;35",
	}, "1"},
	{"cvd", map[Style]string{
		Faint: "2", Strong: "1", Title: "1", Hint: "1;34", Border: "2", Focus: "1;34",
		Critical: "1;33", High: "33", Medium: "34", Low: "2", Good: "34", Warn: "33", Bad: "1;33", Absent: "1;4;33", Differs: "1;33",
		Marked: "1;34", Match: "4", Money: "1", Time: "34", Input: "4", Caret: "7", Button: "", ButtonOn: "1;7", ButtonOff: "2",
		Danger: "1;7;33", Caution: "1;33", Training: "1;7;34",
	}, "1"},
	{"mono", map[Style]string{
		Faint: "2", Strong: "1", Title: "1", Hint: "1", Border: "2", Focus: "1",
		Critical: "1", High: "1", Absent: "1", Differs: "1;4", Marked: "1", Match: "4", Money: "1", Input: "4", Caret: "7", ButtonOn: "1;7", ButtonOff: "2",
		Warn: "1", Bad: "1", Danger: "1;7", Caution: "1", Training: "1;7",
	}, "1"},
	{"plain", nil, ""}, // for terminals that know no attributes
}

// Palettes lists the names of the palettes.
func Palettes() []string {
	var names []string
	for _, l := range looks {
		names = append(names, l.name)
	}
	return names
}

// NewPalette returns the palette of a name.
func NewPalette(name string) (*Palette, error) {
	at := slices.IndexFunc(looks, func(l look) bool { return l.name == name })
	if at < 0 {
		return nil, fmt.Errorf("no theme is called %q; there are %s", name, strings.Join(Palettes(), ", "))
	}
	l := looks[at]
	p := &Palette{name: name}
	for st := range styles {
		set := l.set[st]
		p.sgrs[0][st] = sgr(set)
		p.sgrs[1][st] = sgr(strings.Trim(set+";"+l.selected, ";"))
	}
	return p, nil
}

func sgr(set string) string {
	if set == "" {
		return ""
	}
	return "\x1b[" + set + "m"
}
