package report

import (
	"testing"
	"time"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
)

func TestDecimalText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		minor    int64
		exponent uint8
		want     string
	}{
		{8990, 2, "89.90"},
		{5, 2, "0.05"},
		{0, 2, "0.00"},
		{-5, 2, "-0.05"},
		{-8990, 2, "-89.90"},
		{120, 0, "120"},
		{1, 3, "0.001"},
		{-1 << 63, 2, "-92233720368547758.08"},
		{1<<63 - 1, 0, "9223372036854775807"},
	} {
		if got := decimalText(reconcile.Amount{Minor: tt.minor, Exponent: tt.exponent, Valid: true}); got != tt.want {
			t.Errorf("%d of exponent %d: %s, want %s", tt.minor, tt.exponent, got, tt.want)
		}
	}
}

func TestLasts(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]string{
		0: "0s", 999 * time.Millisecond: "0s", 40 * time.Second: "40s", 15 * time.Minute: "15m", 61 * time.Second: "1m 1s",
		26 * time.Hour: "1d 2h", 72 * time.Hour: "3d", 25*time.Hour + 59*time.Second: "1d 1h",
	} {
		if got := lasts(in); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}

func TestEveryVerdictHasItsSentence(t *testing.T) {
	t.Parallel()
	for e := reconcile.ExecutedUndetermined; e.String() != ""; e++ {
		if executedSentences[e] == "" {
			t.Errorf("no sentence for executed %s", e)
		}
	}
	for r := reconcile.RetryUnknown; r.String() != ""; r++ {
		if retrySentences[r] == "" {
			t.Errorf("no sentence for a retry that %s", r)
		}
	}
}

func TestValuesCannotImitate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, alone, beside string }{
		{"north", "north", "north"},
		{"", `""`, `""`},
		{"4800 JPY", "4800 JPY", `"4800 JPY"`},
		{"(unknown)", `"(unknown)"`, `"(unknown)"`},
		{`""`, `"\"\""`, `"\"\""`},
		{`a"b`, `a"b`, `"a\"b"`},
		{"a · b", "a · b #47fb7d38", `"a · b #47fb7d38"`},
	} {
		if got := valueText(reconcile.Text(tt.in)); got != tt.alone {
			t.Errorf("%q alone is shown as %s, want %s", tt.in, got, tt.alone)
		}
		if got := cellText(reconcile.Text(tt.in)); got != tt.beside {
			t.Errorf("%q beside others is shown as %s, want %s", tt.in, got, tt.beside)
		}
	}
	if got := cellText(reconcile.Value{}); got != "(unknown)" {
		t.Errorf("an unknown value is shown as %s", got)
	}
}

// What is known of an action tells once from more than once, and of an end that has passed no time is left.
func TestSentencesTellMoreThanOnceAndPassed(t *testing.T) {
	t.Parallel()
	for kind, want := range map[reconcile.Kind]string{
		reconcile.DuplicateEffect: "The action was executed more than once.", reconcile.ReexecutedAfterExpiry: "The action was executed more than once.",
		reconcile.OrphanedEffect: "The action was executed.",
	} {
		c := &scan.Case{}
		c.Executed, c.Kinds = reconcile.ExecutedYes, []reconcile.Kind{kind}
		if got := Known(c); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	gone := &scan.Case{}
	gone.Executed, gone.Kinds = reconcile.ExecutedYes, []reconcile.Kind{reconcile.ReceiptWithoutEffect}
	gone.Legs = []reconcile.Leg{{Name: reconcile.LegLocal, State: reconcile.LegLost}}
	if got, want := Known(gone), "The action is recorded as executed, and what it made is not there now."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	now := reconcile.At(time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC))
	ended := &scan.Case{}
	ended.Exposure = reconcile.Exposure{State: reconcile.ExposureUntil, Until: now}
	if got, want := UntilWhen(ended, now), "It could be executed again until 2026-11-29T06:00:00Z, which has passed."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnexposed: that a case is not exposed is said with its reason, and never as if no retry could run where one may.
func TestUnexposed(t *testing.T) {
	t.Parallel()
	no, yes := []reconcile.Leg{{State: reconcile.LegNo}}, []reconcile.Leg{{State: reconcile.LegYes}}
	for _, at := range []struct {
		retry reconcile.RetryVerdict
		legs  []reconcile.Leg
		want  string
	}{
		{reconcile.RetryReplays, yes, "A retry now runs nothing."},
		{reconcile.RetryWaits, no, "A retry now runs nothing."},
		{reconcile.RetryRefusedByRule, yes, "A retry now runs nothing."},
		{reconcile.RetryTakenOver, no, "Nothing stands that a retry would double."},
		{reconcile.RetryExecutes, no, "Nothing stands that a retry would double."},
		{reconcile.RetryUnknown, no, "Nothing stands that a retry would double."},
		{reconcile.RetryMightExecuteAgain, no, "No retry is expected any more: the contract's retry window has ended."},
		{reconcile.RetryExecutesAgain, yes, "No retry is expected any more: the contract's retry window has ended."},
		{reconcile.RetryUnknown, yes, "No retry is expected any more: the contract's retry window has ended."},
	} {
		c := &scan.Case{}
		c.RetryNow, c.Legs = at.retry, at.legs
		if got := UntilWhen(c, reconcile.Instant{}); got != at.want {
			t.Errorf("%s: %q, want %q", at.retry, got, at.want)
		}
	}
}
