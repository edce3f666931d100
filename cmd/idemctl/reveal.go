package main

import (
	"context"
	"errors"
	"os"

	"example.com/idemctl/internal/audit"
	"example.com/idemctl/internal/scan"
)

// reveal records that an operator looks at payloads, before they are shown: of one case, or of all. Where no trail stands and none can be made it says that
// nothing was recorded; where one stands that takes no records, nothing is revealed.
func (e *Env) reveal(ctx context.Context, t target, k *known, m *scan.Manifest, caseID string) error {
	if k.unsure {
		return &trailError{errors.New("payloads are revealed only where that is recorded, and the audit trail takes no records")}
	}
	_, gone := os.Lstat(k.place.Path)
	if k.place.Path == "" || (t.saved && gone != nil) {
		e.talk("idemctl: not recorded that payloads are shown: there is no audit trail here")
		return nil
	}
	trail, err := e.openTrail(ctx, k.place)
	var nowhere *audit.PlaceError
	if errors.As(err, &nowhere) && gone != nil {
		e.talk("idemctl: not recorded that payloads are shown: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = trail.Close() }()
	return trail.Note(ctx, audit.Event{
		Type: audit.EventRevealed, Case: caseID, Config: m.Name, ConfigDigest: m.ConfigDigest, ScanNow: m.Now, Pinned: m.Pinned,
	})
}
