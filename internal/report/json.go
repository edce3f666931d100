package report

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// Options says what is written and how.
type Options struct {
	Kind   *reconcile.Kind // only cases with this kind; nil = all
	Reveal bool            // payloads as stored
	Colour bool
	Width  int    // cells of the terminal that text is fitted to; 0 = as wide as it is
	Height int    // lines of the terminal that a list stops at, where it says how the rest is seen; 0 = as long as it is
	Config string // as the operator named it, for the commands that are proposed; "" = the default

	// Decisions are what was decided of a case, oldest first; nil where no trail is read.
	Decisions func(*scan.Case) []Decision
	// Loose are replays that a worker has, without an outcome, of actions that are no case any more.
	Loose []Decision
}

func (o Options) filter() scan.Filter {
	if o.Kind == nil {
		return scan.Filter{}
	}
	return scan.Filter{Kinds: []reconcile.Kind{*o.Kind}}
}

type (
	sourceJSON struct {
		Name       shown            `json:"name"`
		Role       string           `json:"role"`
		Records    int64            `json:"records"`
		Unreadable int64            `json:"unreadable"`
		Excluded   map[string]int64 `json:"excluded,omitempty"`
		Coverage   coverageJSON     `json:"coverage"`
	}
	coverageJSON struct {
		Complete bool    `json:"complete"`
		From     instant `json:"from"`
		To       instant `json:"to"`
		Reason   shown   `json:"reason"`
		Hint     shown   `json:"hint,omitempty"`
	}
	gapJSON struct {
		Store    shown   `json:"store"`
		Kind     string  `json:"kind"`
		From     instant `json:"from"`
		To       instant `json:"to"`
		Declared bool    `json:"declared"`
		Missing  int64   `json:"missing"`
		Present  int64   `json:"present"`

		Partition object `json:"partition,omitempty"` // absent where the whole store is meant
	}
	countsJSON struct {
		Subjects     int64            `json:"subjects"`
		Matched      int64            `json:"matched"`
		InFlight     int64            `json:"in_flight"`
		Explained    int64            `json:"explained"`
		Inconclusive int64            `json:"inconclusive"`
		Unclaimed    int64            `json:"unclaimed"`
		Cases        int64            `json:"cases"`
		Findings     map[string]int64 `json:"findings"`
		NotJudged    map[string]int64 `json:"not_judged"`
	}
	contractJSON struct {
		Kind     string       `json:"kind"`
		Contract shown        `json:"contract"`
		Count    int64        `json:"count"`
		Text     shown        `json:"text"`
		From     instant      `json:"from"`
		To       instant      `json:"to"`
		Money    []amountJSON `json:"money"`
		Example  object       `json:"example"`
	}
)

// JSON writes the whole result as one object, a case a line.
func JSON(ctx context.Context, w io.Writer, r Result, opt Options) error {
	m := r.Manifest()
	parts := []struct {
		name  string
		value any
	}{
		{"version", 1},
		{"tool", shown(m.Tool)},
		{"name", shown(m.Name)},
		{"now", instant(m.Now)},
		{"pinned", m.Pinned},
		{"config_digest", shown(m.ConfigDigest)},
		{"complete", m.Complete},
		{"notes", allShown(m.Notes)},
		{"sources", sourcesJSON(m.Sources)},
		{"restore_gaps", gapsJSON(m.Gaps)},
		{"counts", newCountsJSON(m.Counts)},
		{"contract_findings", contractsJSON(m.Contracts)},
		{"watermarks", watermarksJSON(m.Watermarks)},
	}
	before := "{"
	for _, p := range parts {
		if err := write(w, before+`"`+p.name+`": `, p.value, ",\n"); err != nil {
			return err
		}
		before = " "
	}
	before = ` "cases": [` + "\n  "
	some := false
	for c, err := range r.Cases(ctx, opt.filter()) {
		if err != nil {
			return err
		}
		if err := write(w, before, newCaseJSON(c, opt), ""); err != nil {
			return err
		}
		before, some = ",\n  ", true
	}
	after := "\n ]}\n"
	if !some {
		after = ` "cases": []}` + "\n"
	}
	_, err := io.WriteString(w, after)
	return err
}

// JSONLines writes one case a line, each as it stands in JSON.
func JSONLines(ctx context.Context, w io.Writer, r Result, opt Options) error {
	for c, err := range r.Cases(ctx, opt.filter()) {
		if err != nil {
			return err
		}
		if err := write(w, "", newCaseJSON(c, opt), "\n"); err != nil {
			return err
		}
	}
	return nil
}

func sourcesJSON(in []scan.Source) []sourceJSON {
	out := make([]sourceJSON, 0, len(in))
	for _, s := range in {
		out = append(out, sourceJSON{
			Name: shown(s.Name), Role: s.Role.String(), Records: s.Records, Unreadable: s.Unreadable, Excluded: excludedJSON(s.Excluded),
			Coverage: newCoverageJSON(s.Coverage),
		})
	}
	return out
}

func newCoverageJSON(c reconcile.Coverage) coverageJSON {
	return coverageJSON{Complete: c.Complete, From: instant(c.From), To: instant(c.To), Reason: shown(c.Reason), Hint: shown(c.Hint)}
}

func gapsJSON(in []reconcile.Gap) []gapJSON {
	out := make([]gapJSON, 0, len(in))
	for i := range in {
		out = append(out, newGapJSON(&in[i]))
	}
	return out
}

func newGapJSON(g *reconcile.Gap) gapJSON {
	out := gapJSON{
		Store: shown(g.Store), Kind: g.Kind.String(), From: instant(g.From), To: instant(g.To),
		Declared: g.Declared, Missing: g.Missing, Present: g.Present,
	}
	for _, name := range slices.Sorted(maps.Keys(g.Only)) {
		values := make([]json.RawMessage, 0, len(g.Only[name]))
		for _, v := range g.Only[name] {
			values = append(values, text.JSONBytes([]byte(v)))
		}
		one := values[0]
		if len(values) > 1 {
			one, _ = json.Marshal(values) // raw messages that are JSON already
		}
		out.Partition = append(out.Partition, member{name, one})
	}
	return out
}

func newCountsJSON(c scan.Counts) countsJSON {
	out := countsJSON{
		Subjects: c.Subjects, Matched: c.Matched, InFlight: c.InFlight, Explained: c.Explained,
		Inconclusive: c.Inconclusive, Unclaimed: c.Unclaimed, Cases: c.Cases,
		Findings: make(map[string]int64, len(c.Findings)), NotJudged: c.NotJudged,
	}
	for k, n := range c.Findings {
		out.Findings[k.String()] = n
	}
	if out.NotJudged == nil {
		out.NotJudged = map[string]int64{}
	}
	return out
}

func contractsJSON(in []scan.ContractFinding) []contractJSON {
	out := make([]contractJSON, 0, len(in))
	for _, f := range in {
		one := contractJSON{
			Kind: f.Kind, Contract: shown(f.Contract), Count: f.Count, Text: shown(f.Text), From: instant(f.From), To: instant(f.To),
			Money: make([]amountJSON, 0, len(f.Money)), Example: identityObject(f.Example),
		}
		for _, a := range f.Money {
			one.Money = append(one.Money, newAmountJSON(a))
		}
		out = append(out, one)
	}
	return out
}

func rawValue(b []byte) json.RawMessage { return bytesValue(reconcile.Bytes(b)) }
