package report_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/report"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// crowded is a night with everything that is wide: the longest headline, an identity in wide letters and with an escape, a long reason.
func crowded() *fake {
	r := night()
	lost, escaped := orphan(), unknown()
	lost.Kinds = []reconcile.Kind{reconcile.ReceiptMissingAfterRestore, reconcile.SensitiveKey}
	lost.Identity = []reconcile.Component{
		{Name: "tenant", Value: reconcile.Text("京都のお茶屋")}, {Name: "operation", Value: reconcile.Text("create-order")}, {Name: "key", Value: reconcile.Text("注文-2026-11-29-0000417")},
	}
	lost.Amount = reconcile.Amount{Minor: 123456789, Exponent: 2, Currency: "EUR", Valid: true}
	lost.Reasons = append(lost.Reasons, reconcile.Reason{
		Rule: "receipt-missing-after-restore",
		Text: "The effect stands, but its receipt is gone: it was written at 2026-11-29T02:10:48Z, which the restore of receipts lost. A retry finds nothing that recognises it.",
		Refs: []string{"orders:orders/4112"},
	})
	escaped.Identity[2].Value = reconcile.Text("\u202ekey\x1b[2J" + strings.Repeat("-0123456789", 6))
	r.cases = []*scan.Case{lost, orphan(), escaped}
	return r
}

// TestWidths looks at what a person sees in terminals of three widths. The golden files are read by eye; what no eye must check is checked here.
func TestWidths(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		for _, o := range outputs() {
			if o.name != "table" && o.name != "show" {
				continue
			}
			name := fmt.Sprintf("%s-%d", o.name, width)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got := render(t, o, crowded(), report.Options{Config: "prod.yaml", Width: width})
				compare(t, name, got)
				for line := range strings.Lines(string(got)) {
					line = strings.TrimSuffix(line, "\n")
					if text.Width(line) > width && strings.Contains(strings.TrimLeft(line, " "), " ") {
						t.Errorf("%d cells: %s", text.Width(line), line)
					}
					if line != strings.TrimRight(line, " ") {
						t.Errorf("ends in spaces: %q", line)
					}
				}
				coloured := render(t, o, crowded(), report.Options{Config: "prod.yaml", Width: width, Colour: true})
				if uncoloured(string(coloured)) != string(got) {
					t.Errorf("colour moves words:\n%s", coloured)
				}
			})
		}
	}
}

// TestEveryWidth loses no case and no word, however narrow the terminal.
func TestEveryWidth(t *testing.T) {
	t.Parallel()
	words := func(width int) string {
		return strings.Join(strings.Fields(string(render(t, outputs()[4], crowded(), report.Options{Width: width}))), " ")
	}
	whole := words(0)
	for width := 1; width < 140; width++ {
		if got := words(width); got != whole {
			t.Fatalf("at %d cells other words:\n%s", width, got)
		}
		table := string(render(t, outputs()[0], crowded(), report.Options{Width: width}))
		for _, c := range crowded().cases {
			for _, must := range []string{c.CaseID[:12], c.Severity.String(), c.Headline().String()} {
				if !strings.Contains(table, must) {
					t.Fatalf("at %d cells the table lacks %s:\n%s", width, must, table)
				}
			}
		}
	}
}
