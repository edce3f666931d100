package reconcile

import (
	"strings"
	"testing"
)

func TestFindingsAreComplete(t *testing.T) {
	t.Parallel()
	ruled := make(map[Kind]bool)
	for _, r := range rules {
		ruled[r.kind] = true
	}
	seen := make(map[string]bool)
	for i, f := range Findings {
		k := Kind(i)
		if f.Word == "" || f.Means == "" || seen[f.Word] {
			t.Errorf("%d %q: every kind has its own word and meaning", i, f.Word)
		}
		seen[f.Word] = true
		if f.Judged != ruled[k] {
			t.Errorf("%s: Judged is %v, yet a rule for it stands: %v", f.Word, f.Judged, ruled[k])
		}
		if f.Judged && f.Why == "" {
			t.Errorf("%s is judged and has no sentence", f.Word)
		}
		back, err := ParseKind(f.Word)
		if err != nil || back != k {
			t.Errorf("ParseKind(%q) = %v, %v", f.Word, back, err)
		}
	}
}

func TestGuardsAnswerEveryDecision(t *testing.T) {
	t.Parallel()
	last := make(map[string]Answer)
	sentences := make(map[string]string)
	for _, g := range Guards {
		name := g.Decision.String() + " " + g.As.String()
		if prev, ok := last[name]; ok && prev.applies == nil {
			t.Errorf("%s: %s can never be reached", name, g.Code)
		}
		last[name] = g
		if g.Sentence == "" || !strings.HasSuffix(g.Sentence, ".") {
			t.Errorf("%s %s: no sentence", name, g.Code)
		}
		if s, ok := sentences[name+g.Code]; ok && s != g.Sentence {
			t.Errorf("%s: the code %s has two sentences: %q", name, g.Code, s)
		}
		sentences[name+g.Code] = g.Sentence
	}
	for name, g := range last {
		if g.applies != nil {
			t.Errorf("%s has no answer when nothing else applies", name)
		}
	}
	if want := 4 + 10; len(last) != want {
		t.Errorf("%d decisions are answered, want %d", len(last), want)
	}
}

func TestClosedWords(t *testing.T) {
	t.Parallel()
	if _, err := ParseState("done"); err == nil || !strings.Contains(err.Error(), `"done"`) {
		t.Errorf("an unknown word must be named: %v", err)
	}
	for s := StateInProgress; s <= StateUnknown; s++ {
		if back, err := ParseState(s.String()); err != nil || back != s {
			t.Errorf("state %d does not read back: %v", s, err)
		}
	}
	for r := RoleIntent; r <= RoleProvider; r++ {
		if back, err := ParseRole(r.String()); err != nil || back != r {
			t.Errorf("role %d does not read back: %v", r, err)
		}
	}
	for r := BackfillReceipt; r <= Accept; r++ {
		if back, err := ParseResolution(r.String()); err != nil || back != r {
			t.Errorf("resolution %d does not read back: %v", r, err)
		}
	}
}

func TestAmountText(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]Amount{
		"89.90 EUR": {Minor: 8990, Exponent: 2, Currency: "EUR", Valid: true},
		"-0.05 EUR": {Minor: -5, Exponent: 2, Currency: "EUR", Valid: true},
		"500 JPY":   {Minor: 500, Currency: "JPY", Valid: true},
		"1.234":     {Minor: 1234, Exponent: 3, Valid: true},
		"":          {Minor: 7},
	} {
		if got := a.String(); got != want {
			t.Errorf("%+v is shown as %q, want %q", a, got, want)
		}
	}
}

func TestAmountsCompareAcrossExponents(t *testing.T) {
	t.Parallel()
	eur := func(minor int64, exp uint8) Amount {
		return Amount{Minor: minor, Exponent: exp, Currency: "EUR", Valid: true}
	}
	if amountsDiffer(eur(100, 2), eur(1000, 3)) || !amountsDiffer(eur(100, 2), eur(1001, 3)) {
		t.Error("1.00 equals 1.000 and differs from 1.001")
	}
	if !amountsDiffer(eur(1<<62, 0), eur(1, 3)) {
		t.Error("an amount that cannot be scaled without overflow differs")
	}
	if !amountsDiffer(eur(1, 0), Amount{Minor: 1, Currency: "USD", Valid: true}) {
		t.Error("other currencies differ")
	}
}
