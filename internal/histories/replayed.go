package histories

import (
	"time"

	"example.com/idemctl/internal/reconcile"
)

// Replayed is an earlier replay of a history: decided and handed out, then sent by the service's own worker, who may have reported what came of it.
type Replayed struct {
	ID        Identity
	HandedOut reconcile.Instant
	Outcome   reconcile.DecisionOutcome // as the worker saw it; nothing for one that died, or is still at it
	Reported  reconcile.Instant
}

// GenerateReplayed makes the history of a seed in which operators let the service send some actions again, rightly or not, some time before the scan.
func GenerateReplayed(seed uint64) *History {
	h := &History{replays: true}
	h.from(drawing(seed, 11))
	return h
}

// SameWish reports whether two identities are one wish of one client, under two keys.
func (h *History) SameWish(a, b Identity) bool { return h.wishes[a] == h.wishes[b] }

// planReplays lets one or two of the intents that stand by then be sent again.
func (s *sim) planReplays() {
	for range 1 + s.draw(2) {
		s.after(time.Duration(100+s.draw(260))*time.Minute, func() {
			if len(s.intents) > 0 {
				s.handOut(s.intents[s.draw(len(s.intents))])
			}
		})
	}
}

// handOut gives an action to the service's replay worker, who sends it at once or a little later.
func (s *sim) handOut(in *intent) {
	done := &replayed{id: in.id, at: s.now}
	s.replayed = append(s.replayed, done)
	wish := s.ids[in.id]
	s.after(pick(s, 0, time.Minute, 20*time.Minute), func() {
		sent := s.now
		outcome := reconcile.ReportedUnknown
		s.arrive(&request{id: in.id, wish: wish, region: s.target(in.id), answer: func(o reconcile.AttemptOutcome) {
			switch {
			case s.now-sent >= patience:
			case o == reconcile.AttemptConfirmed:
				outcome = reconcile.ReportedDone
			default:
				outcome = reconcile.ReportedFailed
			}
		}})
		if s.one(4) {
			return // it dies, and reports nothing
		}
		s.after(patience, func() { done.outcome, done.reported = outcome, s.now })
	})
}

// replayed is an earlier replay as it goes.
type replayed struct {
	id       Identity
	at       time.Duration
	outcome  reconcile.DecisionOutcome
	reported time.Duration
}

// toldReplays lists the earlier replays as they are known by now.
func (s *sim) toldReplays() []Replayed {
	var out []Replayed
	for _, r := range s.replayed {
		told := Replayed{ID: r.id, HandedOut: at(r.at)}
		if r.outcome != reconcile.ReportedNone {
			told.Outcome, told.Reported = r.outcome, at(r.reported)
		}
		out = append(out, told)
	}
	return out
}
