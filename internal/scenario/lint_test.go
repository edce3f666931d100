package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// TestLintFindsEveryLack breaks a whole scenario in one place after the other.
func TestLintFindsEveryLack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, new, want string }{
		{"title: Two bookings", "title: ''", "title: missing"},
		{"story: Something happened.", "story: ''", "story: missing"},
		{"teaches: [to look]", "teaches: []", "teaches: missing"},
		{"principles: [timeout-is-unknown]", "principles: []", "principles: missing"},
		{"principles: [timeout-is-unknown]", "principles: [hope]", `"hope" is no principle`},
		{"principles: [timeout-is-unknown]", "principles: [timeout-is-unknown, take-over]", "case a: names no principle"},
		{"    because: nobody knows\n", "", "case b: does not say why"},
		{"    because: nobody knows\n", "    because: nobody knows\n    principle: hope\n", `case b: "hope" is no principle`},
		{"{do: scan, until: scan}", "{do: '', until: scan}", "steps[0]: says not what to do"},
		{"{show: {key: b}}", "{show: {key: z}}", "steps[1]: waits for a case that the key does not have"},
		{"kinds: [not-executed]", "kinds: []", "case a: has no kind"},
		{"kinds: [not-executed]", "kinds: [not-excuted]", "case a: "},
		{"executed: undetermined", "executed: maybe", "case b: "},
		{"[{decision: replay}]", "[]", "case a: cannot be solved"},
		{"[{decision: replay}]", "[{decision: relay}]", "case a: "},
		{"[{decision: replay}]", "[{decision: replay, would: harm}]", "case a: replay is right, and harm is told of it"},
		{"[{decision: replay}]", "[{decision: replay, as: accept}]", "a resolution goes with resolve"},
		{"[{decision: replay}]", "[{decision: resolve}]", "a resolution goes with resolve"},
		{"[{decision: replay}]", "[{decision: resolve, as: confirm-executed}]", "case a: resolve as confirm-executed is both right and harmful"},
		{"[{decision: resolve, as: confirm-executed, would: lie}]", "[]", "case a: no decision is harmful"},
		{"as: confirm-executed, would: lie", "as: confirm-executed", "it is not said what it would do"},
		{"cases: 2}", "cases: 3}", "counts: 3 cases are counted, the key has 2"},
		{"in_flight: 0, ", "", "counts: in_flight is not counted"},
		{"[{decision: replay}]", "[{decision: replay}]\n    leave: true", "case a: is to be left, and a decision is right"},
		{"contract_findings: []", before(2, "{at: 2026-11-29T05:00:00Z, by: mira, reason: seen, identity: {key: a}, decision: hold}"), "trail: put_back: 2 of 1"},
		{"contract_findings: []", before(0, "{by: mira, reason: seen, identity: {key: a}, decision: hold}"), "trail.decided[0]: at, by, reason"},
		{"contract_findings: []", before(0, "{at: 2026-11-29T05:00:00Z, by: mira, reason: seen, identity: {tenant: t}, decision: hold}"), "trail.decided[0]: at, by, reason"},
		{"contract_findings: []", before(0, "{at: 2026-11-29T05:00:00Z, by: mira, reason: seen, identity: {key: a}, decision: wait}"), "trail.decided[0]: "},
		{
			"contract_findings: []", before(0, "{at: 2026-11-29T05:00:00Z, by: mira, reason: seen, identity: {key: a}, decision: hold}, {at: 2026-11-29T04:00:00Z, by: mira, reason: seen, identity: {key: b}, decision: hold}"),
			"trail.decided[1]: comes after what was decided later",
		},
	} {
		s, err := Parse([]byte(strings.Replace(story, tt.old, tt.new, 1)))
		if err != nil {
			t.Errorf("%s: %v", tt.new, err)
			continue
		}
		if len(Lint(s)) == 0 {
			t.Errorf("%s: nothing was found", tt.new)
		}
		found := false
		for _, p := range Lint(s) {
			found = found || strings.Contains(p.String(), tt.want)
		}
		if !found {
			t.Errorf("%s: want %q in %v", tt.new, tt.want, Lint(s))
		}
	}
}

// before gives the story a past.
func before(putBack int, decided string) string {
	return fmt.Sprintf("contract_findings: []\ntrail: {put_back: %d, decided: [%s]}", putBack, decided)
}

// TestParseRefuses requires that a misspelled field or a step that could never end is an error, not silence.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, new string }{
		{"teaches:", "teach:"},
		{"until: scan", "until: look"},
		{"until: scan", "until: {scan: {key: a}}"},
		{"until: scan", "until: {show: a}"},
		{"until: scan", "until: {show: {key: a}, decide: {key: a}}"},
		{"title: Two bookings", "title: Two bookings\ntitle: Three"},
	} {
		if _, err := Parse([]byte(strings.Replace(story, tt.old, tt.new, 1))); err == nil {
			t.Errorf("%s is accepted", tt.new)
		}
	}
}

// TestPrinciples requires ids that differ, and a statement behind each.
func TestPrinciples(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, p := range Principles {
		if p.ID == "" || p.Says == "" || seen[p.ID] || PrincipleOf(p.ID) == nil {
			t.Errorf("%q: %q", p.ID, p.Says)
		}
		seen[p.ID] = true
	}
	if PrincipleOf("hope") != nil {
		t.Error("a principle that nobody stated is found")
	}
}
