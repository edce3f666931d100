package report

import (
	"context"
	"io"
	"strconv"
	"strings"

	"example.com/idemctl/internal/reconcile"
	"example.com/idemctl/internal/scan"
	"example.com/idemctl/internal/text"
)

// csvHeader names the columns. The last one is a remark: a spreadsheet's reader must know that the cells are no exact copy.
var csvHeader = []string{
	"case", "contract", "severity", "headline", "kinds", "identity", "key", "executed", "legs", "retry_now", "exposure", "exposure_until",
	"amount", "amount_minor", "currency", "why", "evidence", "decision", "decision_state", "cells are neutralised for spreadsheets; exact data: scan --jsonl",
}

// CSV writes one case a line for a spreadsheet: every cell is quoted and none can be run as a formula.
func CSV(ctx context.Context, w io.Writer, r Result, opt Options) error {
	if _, err := w.Write(text.AppendCSV(nil, csvHeader...)); err != nil {
		return err
	}
	var line []byte
	for c, err := range r.Cases(ctx, opt.filter()) {
		if err != nil {
			return err
		}
		cells, err := csvCells(c, opt.decisions(c))
		if err != nil {
			return err
		}
		line = text.AppendCSV(line[:0], cells...)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func csvCells(c *scan.Case, decisions []Decision) ([]string, error) {
	cell := func(s string) string { return text.CSVCell([]byte(s)) }
	var key string
	for _, comp := range c.Identity {
		if comp.Name == "key" && comp.Value.Known() {
			key = text.CSVCell(comp.Value.Bytes())
		}
	}
	legs := make([]string, 0, len(c.Legs))
	for _, l := range c.Legs {
		legs = append(legs, l.Name.String()+"="+l.State.String())
	}
	why := ""
	if len(c.Reasons) > 0 {
		why = c.Reasons[0].Text
	}
	places := make([]string, 0, len(c.Evidence))
	for _, e := range c.Evidence {
		places = append(places, e.Source+":"+e.Locator)
	}
	until := ""
	if c.Exposure.Until.Known() {
		until = instantText(c.Exposure.Until)
	}
	decimal, minor, currency := "", "", ""
	if c.Amount.Valid {
		decimal, minor, currency = decimalText(c.Amount), strconv.FormatInt(c.Amount.Minor, 10), c.Amount.Currency
	}
	decision, state := "", ""
	if d := lastOf(decisions); d != nil {
		decision, state = d.name(), d.State.String()
		if d.Live && d.Changed {
			state = "changed since"
		}
	}
	identity, err := encode(identityObject(c.Identity)) // JSON: no value can imitate a separator, and no cell that begins with a brace is a formula
	if err != nil {
		return nil, err
	}
	return []string{
		cell(c.CaseID), cell(c.Contract), c.Severity.String(), c.Headline().String(), kindsText(c.Kinds), string(text.EscapeJSON(identity)), key,
		c.Executed.String(), strings.Join(legs, " "), c.RetryNow.String(), c.Exposure.State.String(), until,
		decimal, minor, cell(currency), cell(why), cell(strings.Join(places, " ")), decision, state, "",
	}, nil
}

func kindsText(kinds []reconcile.Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = k.String()
	}
	return strings.Join(words, " ")
}
