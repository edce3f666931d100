package scan

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/idemctl/internal/reconcile"
)

func sampleRow() Row {
	return Row{
		ID: "dbfidmg7vmqdhzrd", Contract: "checkout", Headline: reconcile.OrphanedEffect, Kinds: 1 << reconcile.OrphanedEffect, Severity: reconcile.SeverityHigh,
		Exposure: reconcile.Exposure{State: reconcile.ExposureUntil, Until: reconcile.AtUnix(-5)}, Executed: reconcile.ExecutedYes, RetryNow: reconcile.RetryExecutesAgain,
		Amount: reconcile.Amount{Minor: -8990, Exponent: 2, Currency: "EUR", Valid: true}, Since: reconcile.AtUnix(1 << 60),
		Identity: []reconcile.Component{{Name: "tenant", Value: reconcile.Text("")}, {Name: "operation"}, {Name: "key", Value: reconcile.Text("a\x00\xff")}},
	}
}

func TestRowReadsBack(t *testing.T) {
	t.Parallel()
	for _, want := range []Row{sampleRow(), {ID: "x"}, {}} {
		var got Row
		b := want.bytes()
		if err := got.parse(b, map[string]string{}); err != nil {
			t.Fatal(err)
		}
		if again := got.bytes(); !bytes.Equal(again, b) {
			t.Errorf("%q became %q", b, again)
		}
		if diff := cmp.Diff(want.ID+want.Contract, got.ID+got.Contract); diff != "" {
			t.Error(diff)
		}
	}
}

// Whatever byte of a row is changed, and wherever it is cut, it is no row any more.
func TestRowIsChecked(t *testing.T) {
	t.Parallel()
	row := sampleRow()
	b := row.bytes()
	for i := range b {
		broken := bytes.Clone(b)
		broken[i] ^= 0x40
		var got Row
		if got.parse(broken, map[string]string{}) == nil {
			t.Errorf("byte %d may be changed unseen", i)
		}
		if got.parse(b[:i], map[string]string{}) == nil {
			t.Errorf("a row cut to %d bytes is a row", i)
		}
	}
}

func FuzzRow(f *testing.F) {
	row := sampleRow()
	f.Add(row.bytes())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var got Row
		if got.parse(b, map[string]string{}) == nil && !bytes.Equal(got.bytes(), b) {
			t.Fatalf("%q reads back as %q", b, got.bytes())
		}
		p := rowParser{b: b} // without the checksum, which no fuzzer finds
		for range 8 {
			p.uvarint()
			p.text()
			p.instant()
		}
	})
}
