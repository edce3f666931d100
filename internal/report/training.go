package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"example.com/idemctl/internal/scenario"
	"example.com/idemctl/internal/text"
)

// TrainingRow is a scenario in the list.
type TrainingRow struct {
	Name  string           `json:"name"`
	Title string           `json:"title"`
	Cases int              `json:"cases"`
	Best  *scenario.Result `json:"best"` // of the person who asks; nil where it was not played
}

// TrainingList writes the scenarios for a person.
func TrainingList(w io.Writer, rows []TrainingRow, opt Options) error {
	p := newPage(w, opt)
	wide := 0
	for _, r := range rows {
		wide = max(wide, text.Width(r.Name))
	}
	played := 0
	for _, r := range rows {
		how := "-"
		if r.Best != nil {
			played++
			how = fmt.Sprintf("%3d/100", r.Best.Score)
			if !r.Best.Finished {
				how = "not ended"
			}
		}
		p.flow(wide+16, "  %s  %s  %s", text.Pad(r.Name, wide), text.PadLeft(how, 9), text.SafeString(r.Title))
	}
	p.printf("\n")
	p.flow(2, "%d of %s played. idemctl train NAME opens one: nothing in it touches a real system.", played, counted(int64(len(rows)), "scenario"))
	return p.flush()
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
