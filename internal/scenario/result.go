package scenario

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Result is what is kept of a play.
type Result struct {
	Version  int       `json:"version"`
	Person   string    `json:"person"`
	Scenario string    `json:"scenario"`
	Began    time.Time `json:"began"`
	Seconds  int64     `json:"seconds"`
	Finished bool      `json:"finished"`
	Score    int       `json:"score"` // of 100
	Cases    int       `json:"cases"`
	Right    int       `json:"right"`
	NotBest  int       `json:"not_best"`
	Needless int       `json:"needless_escalations"`
	Harmful  int       `json:"harmful"`
	Missed   int       `json:"undecided"`
	Looked   int       `json:"opened_first"` // cases opened before they were decided
	Stopped  int       `json:"stopped"`      // harmful decisions that the guard refused
	Twice    []Money   `json:"twice"`        // the money that would have moved a second time
	Steps    int       `json:"steps"`        // behind, without those given up
	Of       int       `json:"steps_of"`
	Hints    int       `json:"hints"`
	Given    int       `json:"given_up"`
}

// resultVersion is raised when a field changes its meaning.
const resultVersion = 1

// NewResult is what is kept of a debrief.
func NewResult(person, name string, p *Play, d *Debrief) Result {
	twice := d.Twice()
	if twice == nil {
		twice = []Money{}
	}
	return Result{
		Version: resultVersion, Person: person, Scenario: name, Began: p.Began.UTC(), Seconds: int64(d.Took / time.Second), Finished: d.Finished, Score: d.Score(),
		Cases: len(d.Findings), Right: d.Count(Right), NotBest: d.Count(NotBest), Needless: d.Count(NeedlessHelp), Harmful: d.Count(Harmful), Missed: d.Count(Missed),
		Looked: d.Looked(), Stopped: d.Stopped(), Twice: twice, Steps: d.Steps, Of: d.Of, Hints: d.Hints, Given: d.Given,
	}
}

// ErrResults is a file of results that cannot be read to its end.
var ErrResults = errors.New("not all results can be read")

// Results reads one result a line. What stands before a line that cannot be read is returned with the error.
func Results(r io.Reader) ([]Result, error) {
	var out []Result
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var one Result
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return out, fmt.Errorf("%w: line %d: %w", ErrResults, n, err)
		}
		if one.Version != resultVersion {
			return out, fmt.Errorf("%w: line %d is of version %d, this program knows %d", ErrResults, n, one.Version, resultVersion)
		}
		out = append(out, one)
	}
	if err := lines.Err(); err != nil {
		return out, fmt.Errorf("%w: %w", ErrResults, err)
	}
	return out, nil
}

// Best is a person's best result of a scenario, nil where there is none.
func Best(all []Result, person, name string) *Result {
	var best *Result
	for i := range all {
		if r := &all[i]; r.Person == person && r.Scenario == name && (best == nil || r.Score > best.Score || r.Score == best.Score && r.Finished && !best.Finished) {
			best = r
		}
	}
	return best
}
