package report_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"example.com/idemctl/internal/report"
)

// The shape that scripts rely on. A field that is renamed, or comes without standing here, fails TestSchema.
type (
	schemaScan struct {
		Version      int    `json:"version"`
		Tool         string `json:"tool"`
		Name         string `json:"name"`
		Now          string `json:"now"`
		Pinned       bool   `json:"pinned"`
		ConfigDigest string `json:"config_digest"`
		Complete     bool   `json:"complete"`
		Notes        []any  `json:"notes"`
		Sources      []struct {
			Name       string           `json:"name"`
			Role       string           `json:"role"`
			Records    int64            `json:"records"`
			Unreadable int64            `json:"unreadable"`
			Excluded   map[string]int64 `json:"excluded"`
			Coverage   struct {
				Complete bool    `json:"complete"`
				From     *string `json:"from"`
				To       *string `json:"to"`
				Reason   string  `json:"reason"`
				Hint     string  `json:"hint"`
			} `json:"coverage"`
		} `json:"sources"`
		Gaps []struct {
			Store    string  `json:"store"`
			Kind     string  `json:"kind"`
			From     *string `json:"from"`
			To       *string `json:"to"`
			Declared bool    `json:"declared"`
			Missing  int64   `json:"missing"`
			Present  int64   `json:"present"`
		} `json:"restore_gaps"`
		Counts struct {
			Subjects     int64            `json:"subjects"`
			Matched      int64            `json:"matched"`
			InFlight     int64            `json:"in_flight"`
			Explained    int64            `json:"explained"`
			Inconclusive int64            `json:"inconclusive"`
			Unclaimed    int64            `json:"unclaimed"`
			Cases        int64            `json:"cases"`
			Findings     map[string]int64 `json:"findings"`
			NotJudged    map[string]int64 `json:"not_judged"`
		} `json:"counts"`
		Contracts []struct {
			Kind     string         `json:"kind"`
			Contract string         `json:"contract"`
			Count    int64          `json:"count"`
			Text     string         `json:"text"`
			From     *string        `json:"from"`
			To       *string        `json:"to"`
			Money    []schemaAmount `json:"money"`
			Example  map[string]any `json:"example"`
		} `json:"contract_findings"`
		Watermarks []struct {
			Contract string  `json:"contract"`
			Source   string  `json:"source"`
			To       *string `json:"to"`
			NotDue   int64   `json:"not_due"`
			NextDue  *string `json:"next_due"`
			LastDue  *string `json:"last_due"`
		} `json:"watermarks"`
		Cases []schemaCase `json:"cases"`
	}
	schemaAmount struct {
		Minor    int64  `json:"minor"`
		Exponent int    `json:"exponent"`
		Currency string `json:"currency"`
	}
	schemaCase struct {
		ID       string            `json:"id"`
		Contract string            `json:"contract"`
		Headline string            `json:"headline"`
		Kinds    []string          `json:"kinds"`
		Severity string            `json:"severity"`
		Identity map[string]any    `json:"identity"`
		Executed string            `json:"executed"`
		Legs     map[string]string `json:"legs"`
		Pending  []struct {
			What string  `json:"what"`
			Ref  string  `json:"ref"`
			Till *string `json:"till"`
		} `json:"pending"`
		RetryNow string `json:"retry_now"`
		Exposure struct {
			State string  `json:"state"`
			Until *string `json:"until"`
		} `json:"exposure"`
		Amount *schemaAmount `json:"amount"`
		Due    *struct {
			At     string `json:"at"`
			Source string `json:"source"`
			Text   string `json:"text"`
		} `json:"due"`
		ProviderTo *string `json:"provider_knows_until"`
		Evidence   []struct {
			Role    string         `json:"role"`
			Source  string         `json:"source"`
			Locator string         `json:"locator"`
			Facts   map[string]any `json:"facts"`
			Link    string         `json:"link"`
			History bool           `json:"history"`
			Raw     map[string]any `json:"raw"`
		} `json:"evidence"`
		Candidates []schemaNeighbour `json:"candidates"`
		MoreCands  int               `json:"more_candidates"`
		Twins      []schemaNeighbour `json:"twins"`
		MoreTwins  int               `json:"more_twins"`
		Others     []schemaNeighbour `json:"others"`
		More       int64             `json:"more_evidence"`
		Why        []struct {
			Rule string   `json:"rule"`
			Text string   `json:"text"`
			Refs []string `json:"refs"`
		} `json:"why"`
		Differences []struct {
			Kind   string `json:"kind"`
			One    string `json:"one"`
			Other  string `json:"other"`
			By     string `json:"by"`
			Params string `json:"params"`
			Text   string `json:"text"`
			Paths  []struct {
				Path   string `json:"path"`
				Masked string `json:"masked_path"`
				Cause  string `json:"cause"`
				Counts bool   `json:"counts"`
				One    any    `json:"one"`
				Other  any    `json:"other"`
				Hint   string `json:"hint"`
			} `json:"paths"`
			More int `json:"more_paths"`
		} `json:"differences"`
		Options []struct {
			Decision string `json:"decision"`
			As       string `json:"as"`
			Allowed  bool   `json:"allowed"`
			Code     string `json:"code"`
			Reason   string `json:"reason"`
			Other    string `json:"other"`

			ValidUntil *string `json:"valid_until"`
		} `json:"options"`
		Decision *schemaDecision `json:"decision"`
	}
	schemaDecision struct {
		ID         string  `json:"id"`
		Seq        int64   `json:"seq"`
		Decision   string  `json:"decision"`
		As         string  `json:"as"`
		Operator   string  `json:"operator"`
		Recorded   *string `json:"recorded"`
		Reason     string  `json:"reason"`
		Ref        string  `json:"ref"`
		To         string  `json:"to"`
		At         *string `json:"at"`
		ValidUntil *string `json:"valid_until"`
		HandedOut  *string `json:"handed_out"`
		State      string  `json:"state"`
		StateAt    *string `json:"state_at"`
		Outcome    string  `json:"outcome"`
		OutcomeRef string  `json:"outcome_ref"`
		OutcomeAt  *string `json:"outcome_at"`
		Live       bool    `json:"live"`
		Changed    bool    `json:"changed"`
		Signed     bool    `json:"signed"`
	}
	schemaNeighbour struct {
		Case    string `json:"case"`
		Locator string `json:"locator"`
		Why     string `json:"why"`

		Identity map[string]any `json:"identity"`
		Began    *string        `json:"began"`
	}
)

func strictly(t *testing.T, doc []byte, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%v in\n%s", err, doc)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	var scan schemaScan
	strictly(t, render(t, outputs()[1], night(), report.Options{Reveal: true}), &scan)
	if len(scan.Cases) != 2 || len(scan.Sources) != 3 || scan.Version != 1 || scan.Counts.Findings["orphaned-effect"] != 1 {
		t.Errorf("read back %+v", scan)
	}
	if c := scan.Cases[0]; c.Amount == nil || c.Amount.Minor != 8990 || c.Identity["key"] != nil || c.Evidence[0].Raw["void_at"] != nil || c.Legs["local"] != "yes" {
		t.Errorf("read back %+v", c)
	}
	lines := bytes.Split(bytes.TrimSpace(render(t, outputs()[2], night(), report.Options{})), []byte("\n"))
	if len(lines) != 2 {
		t.Fatalf("%d lines for 2 cases", len(lines))
	}
	for i, line := range lines {
		var c schemaCase
		strictly(t, line, &c)
		if c.ID != scan.Cases[i].ID {
			t.Errorf("line %d is case %s, want %s", i+1, c.ID, scan.Cases[i].ID)
		}
	}
}

// Minor units at the ends of int64 come back exactly: no reader is handed a float.
func TestAmountsAreExact(t *testing.T) {
	t.Parallel()
	for _, minor := range []int64{0, -1, 9007199254740993, 1<<63 - 1, -1 << 63} {
		f := night()
		f.cases[0].Amount.Minor = minor
		var got schemaCase
		strictly(t, render(t, outputs()[5], f, report.Options{}), &got)
		if got.Amount.Minor != minor {
			t.Errorf("%d came back as %d", minor, got.Amount.Minor)
		}
	}
}
