package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
)

// TrainingRow is a scenario in the list.
type TrainingRow struct {
	Name  string           `json:"name"`
	Title string           `json:"title"`
	Level scenario.Level   `json:"level"`
	Cases int              `json:"cases"`
	Best  *scenario.Result `json:"best"` // of the person who asks; nil where it was not played
}

// levelHeads are the headings of the list.
var levelHeads = map[scenario.Level]string{
	scenario.First: "To begin with", scenario.Everyday: "One thing went wrong", scenario.Hard: "Hard nights",
}

// TrainingList writes the scenarios for a person: by level, those with the fewest cases first and those with none last, since a first
// play must have something to decide; and at the end the one to play next. Where a terminal has fewer lines than that takes, the list stops before its
// beginning would be lost, and says how the rest is seen.
func TrainingList(w io.Writer, rows []TrainingRow, opt Options) error {
	rows = slices.Clone(rows)
	none := map[bool]int{true: 1}
	slices.SortStableFunc(rows, func(a, b TrainingRow) int {
		return cmp.Or(cmp.Compare(slices.Index(scenario.Levels, a.Level), slices.Index(scenario.Levels, b.Level)), cmp.Compare(none[a.Cases == 0], none[b.Cases == 0]), cmp.Compare(a.Cases, b.Cases))
	})
	var whole bytes.Buffer
	for shown := len(rows); ; shown-- {
		whole.Reset()
		p := newPage(&whole, opt)
		p.trainingRows(rows[:shown], rows)
		if err := p.flush(); err != nil {
			return err
		}
		if opt.Height == 0 || shown == 1 || bytes.Count(whole.Bytes(), []byte("\n")) <= opt.Height-linesBeside {
			break
		}
	}
	_, err := w.Write(whole.Bytes())
	return err
}

// linesBeside is how many lines of a terminal a list leaves to the command that asked for it and to the prompt behind it.
const linesBeside = 2

// trainingRows writes the first rows of a list.
func (p *page) trainingRows(rows, all []TrainingRow) {
	wide, played, next := 0, 0, ""
	for _, r := range all {
		wide = max(wide, text.Width(r.Name))
		if r.Best != nil {
			played++
		}
		if next == "" && (r.Best == nil || !r.Best.Finished) {
			next = r.Name
		}
	}
	level := scenario.Level("")
	p.printf("  %s  %s  %s  TELLS OF\n", text.Pad("SCENARIO", wide), text.PadLeft("BEST", 7), "CASES")
	for _, r := range rows {
		if r.Level != level {
			level = r.Level
			p.printf("\n%s\n", p.in(bold, levelHeads[level]))
		}
		how := "-"
		switch {
		case r.Best != nil && !r.Best.Finished:
			how = "left"
		case r.Best != nil:
			how = fmt.Sprintf("%3d/100", r.Best.Score)
		}
		p.flow(wide+20, "  %s  %s  %5d  %s", text.Pad(r.Name, wide), text.PadLeft(how, 7), r.Cases, text.SafeString(r.Title))
	}
	if more := len(all) - len(rows); more > 0 {
		p.flow(2, "  and %d more: idemctl train | less", more)
	}
	p.printf("\n")
	p.flow(2, "%d of %s played. Nothing in one touches a real system.", played, counted(int64(len(all)), "scenario"))
	if next != "" {
		p.flow(2, "Next: idemctl train %s", next)
	}
}

// TrainingListJSON writes the scenarios as one array.
func TrainingListJSON(w io.Writer, rows []TrainingRow) error {
	return write(w, "", rows, "\n")
}

// TrainingJSON writes results as one array.
func TrainingJSON(w io.Writer, results []scenario.Result) error {
	if results == nil {
		results = []scenario.Result{}
	}
	return write(w, "", results, "\n")
}

// TrainingCSV writes results as CSV.
func TrainingCSV(w io.Writer, results []scenario.Result) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{
		"person", "scenario", "began", "seconds", "finished", "score", "cases", "right", "not_best", "needless_escalations", "harmful", "undecided", "opened_first",
		"stopped", "twice", "steps", "steps_of", "hints", "given_up",
	})
	for i := range results {
		r := &results[i]
		_ = out.Write([]string{
			text.CSVCell([]byte(r.Person)), text.CSVCell([]byte(r.Scenario)), r.Began.UTC().Format(time.RFC3339), strconv.FormatInt(r.Seconds, 10), strconv.FormatBool(r.Finished),
			strconv.Itoa(r.Score), strconv.Itoa(r.Cases), strconv.Itoa(r.Right), strconv.Itoa(r.NotBest), strconv.Itoa(r.Needless), strconv.Itoa(r.Harmful), strconv.Itoa(r.Missed),
			strconv.Itoa(r.Looked), strconv.Itoa(r.Stopped), text.CSVCell([]byte(moneyOf(r.Twice))), strconv.Itoa(r.Steps), strconv.Itoa(r.Of), strconv.Itoa(r.Hints), strconv.Itoa(r.Given),
		})
	}
	out.Flush()
	return out.Error()
}

// TrainingTable writes results for a person, the oldest first.
func TrainingTable(w io.Writer, results []scenario.Result, opt Options) error {
	p := newPage(w, opt)
	if len(results) == 0 {
		p.flow(2, "Nothing has been played here yet. idemctl train lists the scenarios.")
		return p.flush()
	}
	for i := range results {
		r := &results[i]
		harm := p.in(green, "no harm")
		switch {
		case len(r.Twice) > 0:
			harm = p.in(red, "harm: "+moneyOf(r.Twice)+" a second time")
		case r.Harmful > 0:
			harm = p.in(red, "harm")
		}
		ended := ""
		if !r.Finished {
			ended = ", left before its end"
		}
		p.flow(6, "%s  %s  %s  %d of 100, %s%s", r.Began.UTC().Format("2006-01-02 15:04"), text.SafeString(r.Person), text.SafeString(r.Scenario), r.Score, harm, ended)
		p.flow(6, "      %s: %d right, %d not best, %d handed over without need, %d harmful, %d undecided; %d opened first; %d stopped by the guard; %s, %s, %s",
			counted(int64(r.Cases), "case"), r.Right, r.NotBest, r.Needless, r.Harmful, r.Missed, r.Looked, r.Stopped, lasts(time.Duration(r.Seconds)*time.Second),
			counted(int64(r.Hints), "hint"), counted(int64(r.Given), "step")+" given up")
	}
	return p.flush()
}
