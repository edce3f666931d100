package tui

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
)

// What is kept with a decision opens as the case that was seen, payloads masked like any other's.
// A record whose evidence has not been read yet, or that has none, says so, and opens nothing.
func TestEntryWithoutEvidence(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter")
	c.press("2")
	c.held = true
	c.press("enter", "enter").shows("the evidence is still being read").hides("AS IT WAS")
	c.release()
	c.press("enter").shows("AS IT WAS").press("esc", "esc")
	d.entries[0].HasEvidence = false
	c.press("1", "2", "enter", "enter").shows("no evidence is kept with this record").hides("AS IT WAS")
}

func TestPastCaseReadsBack(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"payments-restore", "provider-timeout"} {
		for i, want := range fixture(t, name).cases {
			if i == 0 {
				want.Differences = []reconcile.Difference{{
					Kind: reconcile.FingerprintConflict, One: "a:1", Other: "b:2", By: reconcile.ByFingerprint, Params: reconcile.ParamsDiffer, Text: "They differ.", More: 3,
					Parts: []reconcile.ParamDifference{
						{Path: "$.qty", Cause: reconcile.ValueDiffers, One: reconcile.Text("1"), Other: reconcile.Text(`"2"`)},
						{Path: `$["a@b.c"]`, Masked: `$["…" 5 B]`, Cause: reconcile.NullOrMissing, One: reconcile.Text("null"), Hint: "say so"},
					},
				}}
				want.ProviderTo = reconcile.At(night)
				want.Due = reconcile.Due{At: reconcile.At(night), Source: "charges", Text: "charges must cover more"}
			}
			var b bytes.Buffer
			if err := report.ShowJSON(&b, want, report.Options{Reveal: true}); err != nil {
				t.Fatal(err)
			}
			got, err := pastCase(b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			var again, plain bytes.Buffer
			if err := report.ShowJSON(&again, got, report.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := report.ShowJSON(&plain, want, report.Options{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plain.String(), again.String()); diff != "" {
				t.Errorf("%s (-seen +as it was):\n%s", want.CaseID, diff)
			}
		}
	}
}

func TestPastCaseRefusesHalfAPicture(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{}", "[]", "null", `{"id":"x","kinds":["no-such-kind"]}`, `{"id":"x","kinds":["orphaned-effect"],"severity":"grim"}`, `{"id":"x","identity":[1]}`} {
		if c, err := pastCase([]byte(body)); err == nil {
			t.Errorf("%s became %+v", body, c)
		}
	}
	d := &desk{res: fixture(t, "payments-restore"), evidence: []byte("{}")}
	c := start(t, d.deps(), 120, 36)
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter").press("2", "enter").shows("reading the evidence as it was", "it is no case").press("enter").shows("it is no case").hides("AS IT WAS", `\u{a}`)
}

func FuzzPastCase(f *testing.F) {
	f.Add([]byte(`{"id":"a","kinds":["orphaned-effect"],"severity":"high","executed":"yes","retry_now":"replays","exposure":{"state":"until","until":"2026-11-29T06:00:00Z"},"identity":{"tenant":"a","key":{"base64":"/w=="},"operation":null},"evidence":[{"role":"effects","link":"key","facts":{"created_at":"2026-11-29T05:00:00Z"},"raw":{"n":1}}]}`))
	f.Add([]byte(`{"id":`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := pastCase(body)
		if err == nil && (c.CaseID == "" || len(c.Kinds) == 0) {
			t.Fatalf("%q became no case", body)
		}
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Fatal("an error without words")
		}
	})
}

// Exposure is told by the clock that the decision was made by, which a pinned clock parts from the time of the record.
func TestPastCaseKeepsItsClock(t *testing.T) {
	t.Parallel()
	d := &desk{res: fixture(t, "payments-restore")}
	c := start(t, d.deps(), 120, 36)
	c.press("d", "tab", "down", " ", "tab").typeText("until it is clear").press("tab", "enter").shows("recorded: hold")
	d.entries[0].At = reconcile.At(night.Add(72 * time.Hour))
	d.entries[0].Body = []byte("{\"v\":1}\n{\"scan_now\":\"2026-11-29T06:00:00.000000000Z\"}\nnone\n")
	c.press("2", "1", "2", "enter", "enter").shows("AS IT WAS on 2026-12-02", "exposed 20h 10m")
}
