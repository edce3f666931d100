package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/idemctl/fixtures"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scenario"
)

// resultsPath is where the results of this account are kept.
func (e *Env) resultsPath() (string, error) {
	state, err := e.stateHome()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "idemctl", "training.jsonl"), nil
}

// keepResult adds one line to the results. Lines of plays that end at the same time do not mix: each is one write at the end of the file.
func (e *Env) keepResult(r scenario.Result) error {
	path, err := e.resultsPath()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keeping the result: %w", err)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keeping the result: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keeping the result: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keeping the result: %w", err)
	}
	return nil
}

// results reads every result that is kept here. Where there is none the list is empty.
func (e *Env) results() ([]scenario.Result, error) {
	path, err := e.resultsPath()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the results: %w", err)
	}
	defer func() { _ = f.Close() }()
	all, err := scenario.Results(f)
	if err != nil {
		return all, &failure{what: fmt.Sprintf("reading the results: %v", err), hint: "the file is " + shownPath(path) + "; mend or move it, its lines before that stand"}
	}
	return all, nil
}

// trainList lists the scenarios with the best result that this person has of each.
func (e *Env) trainList(asJSON bool) error {
	all, err := scenario.List(fixtures.FS)
	if err != nil {
		return err
	}
	kept, err := e.results()
	if err != nil {
		return err
	}
	who := person()
	rows := make([]report.TrainingRow, 0, len(all))
	for _, s := range all {
		rows = append(rows, report.TrainingRow{Name: s.Name, Title: s.Title, Level: s.Level, Cases: len(s.Cases), Best: scenario.Best(kept, who, s.Name)})
	}
	colour, err := e.colour()
	if err != nil {
		return err
	}
	return writeOut(e.Out, func(w io.Writer) error {
		if asJSON {
			return report.TrainingListJSON(w, rows)
		}
		return report.TrainingList(w, rows, report.Options{Colour: colour, Width: e.Width, Height: e.Height})
	})
}

// trainReport lists every result.
func (e *Env) trainReport(asJSON, asCSV bool) error {
	kept, err := e.results()
	if err != nil {
		return err
	}
	colour, err := e.colour()
	if err != nil {
		return err
	}
	return writeOut(e.Out, func(w io.Writer) error {
		switch {
		case asJSON:
			return report.TrainingJSON(w, kept)
		case asCSV:
			return report.TrainingCSV(w, kept)
		}
		return report.TrainingTable(w, kept, report.Options{Colour: colour, Width: e.Width})
	})
}
