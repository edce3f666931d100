package hostile_test

import (
	"testing"

	"example.com/idemctl/internal/text/hostile"
)

func TestCheckCatches(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"\x00", "a\tb", "a\r\n", "\x1b[m", "\x7f", "\u009b", "\x9b", "\u00ad", "\u202e", "\u200b", "\u2028", "\ufeff", "\U000e0041", "\ufe0f", "\ue000", "\u0378", "\u3164", "\xed\xa0\x80", "\xff"} {
		if hostile.Check([]byte("fine "+bad)) == nil {
			t.Errorf("Check lets %q through", bad)
		}
	}
	if err := hostile.Check([]byte("fine\nZürich 東京 👍 … •••\n")); err != nil {
		t.Error(err)
	}
	if err := hostile.CheckTabs([]byte("a\tb\n")); err != nil {
		t.Error(err)
	}
	if hostile.CheckTabs([]byte("a\rb")) == nil {
		t.Error("CheckTabs lets CR through")
	}
}
