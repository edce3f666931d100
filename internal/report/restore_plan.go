package report

import (
	"context"
	"fmt"
	"io"

	"example.com/idemctl/internal/restore"
)

type unbuildableJSON struct {
	Case   shown `json:"case"`
	Reason shown `json:"reason"`
}

// writePlanJSON says what can be put back; null of a saved scan, which does not hold how its stores are mapped. What cannot is written one by one: only then is
// it known how many can.
func writePlanJSON(ctx context.Context, w io.Writer, plan restore.Plan) error {
	if plan == nil {
		return write(w, ` "plan": `, nil, ",\n")
	}
	before := ` "plan": {"unbuildable": [`
	n, err := plan(ctx, func(u restore.Unbuildable) error {
		defer func() { before = ",\n  " }()
		return write(w, before, unbuildableJSON{shown(u.Case), shown(u.Reason)}, "")
	})
	if err != nil {
		return err
	}
	if before[0] != ',' {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "], \"insertable\": %d},\n", n)
	return err
}
