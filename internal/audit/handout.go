package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/idemctl/internal/reconcile"
)

// Handed is a replay decision on its way to the service's worker: what to send, or why it no longer holds.
type Handed struct {
	Decision     Decision
	Contract     string
	Identity     []reconcile.Component
	Send         reconcile.Send
	ValidUntil   reconcile.Instant // until when it may be sent; unknown = no end
	Code, Reason string            // of a refusal; "" where it is handed out
}

// HandOut reads the evidence anew, asks the guard about every replay that was decided and not yet given away, and records of those that still hold that they
// are handed out. They are returned only when that is recorded: from then on they may have been sent. A decision is handed out once: whoever lost what was
// handed out cannot know that nobody sends it.
func (d *Desk) HandOut(ctx context.Context) (handed []Handed, err error) {
	if err := d.Trail.Trouble(); err != nil {
		return nil, err
	}
	decisions, err := d.earlier(ctx)
	if err != nil {
		return nil, err
	}
	wanted := replays(decisions)
	if len(wanted) == 0 {
		return nil, nil
	}
	r, err := d.Read(ctx, decided(without(decisions, wanted)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	taken, remembered, err := d.Trail.Taken(ctx)
	if err != nil {
		return nil, err
	}
	now := reconcile.At(d.Now())
	for i := range wanted {
		one, err := d.holds(ctx, &r, &wanted[i], now)
		if err != nil {
			return nil, err
		}
		if one.Code == "" && wanted[i].Seq < taken {
			one.Code, one.Reason = CodeTaken, takenOver
		}
		handed = append(handed, one)
	}
	if err := d.giveAway(ctx, handed); err != nil || remembered {
		return handed, err
	}
	return handed, d.takeOver(ctx, &r, handed)
}

const takenOver = "It was decided before this machine took the trail over as it found it: a later copy may say that it was handed out. Withdraw it, look whether it was sent, and decide again."

// takeOver records the refusals of a machine that does not remember the trail: with them it takes the trail over, and remembers it from now on.
func (d *Desk) takeOver(ctx context.Context, r *Reading, handed []Handed) error {
	for i := range handed {
		h := &handed[i]
		if h.Code != CodeTaken {
			continue
		}
		if err := d.Trail.Note(ctx, Event{
			Type: EventRefused, Case: h.Decision.Case, Decision: reconcile.DecideReplay, Code: h.Code, Answer: h.Reason,
			Config: r.Config, ConfigDigest: r.ConfigDigest, ScanNow: r.Now, Pinned: r.Pinned,
		}); err != nil {
			return fmt.Errorf("taking the trail over: %w", err)
		}
	}
	return nil
}

// replays lists the replays that wait for the worker, oldest first, and those that it has and has not reported of.
func replays(decisions map[string][]Decision) []Decision {
	var out []Decision
	for _, ds := range decisions {
		for i := range ds {
			if ds[i].Decision == reconcile.DecideReplay && ds[i].State == reconcile.DecisionDecided {
				out = append(out, ds[i])
			}
		}
	}
	slices.SortFunc(out, func(a, b Decision) int { return int(a.Seq - b.Seq) })
	return out
}

// without leaves out the replays that nobody has yet: they are what is asked about. One that the worker has stays.
func without(decisions map[string][]Decision, wanted []Decision) map[string][]Decision {
	out := make(map[string][]Decision, len(decisions))
	for id, ds := range decisions {
		out[id] = slices.DeleteFunc(slices.Clone(ds), func(d Decision) bool {
			return !d.HandedOut.Known() && slices.ContainsFunc(wanted, func(w Decision) bool { return w.ID == d.ID })
		})
	}
	return out
}

// holds asks the guard about one decision again.
func (d *Desk) holds(ctx context.Context, r *Reading, decision *Decision, now reconcile.Instant) (Handed, error) {
	out := Handed{Decision: *decision, Contract: decision.Contract, Identity: decision.Identity, ValidUntil: decision.ValidUntil}
	refuse := func(code, format string, a ...any) (Handed, error) {
		out.Code, out.Reason = code, fmt.Sprintf(format, a...)
		return out, nil
	}
	switch {
	case decision.HandedOut.Known():
		return refuse(CodeHandedOut, "It was handed out at %s, and nobody has recorded what came of it: idemctl outcome %s done|failed|unknown --ref REF.", stamp(decision.HandedOut), decision.ID)
	case decision.Recorded.After(now):
		return refuse(CodeClock, "It was decided at %s, and the clock stands at %s: it was set back. Whatever expires is judged by it.", stamp(decision.Recorded), stamp(now))
	case !decision.Live(now):
		return refuse(CodeExpired, "Its time was over at %s.", stamp(decision.ValidUntil))
	}
	if decision.ConfigDigest != r.ConfigDigest {
		return refuse(CodeConfig, "It was decided under the config %s as it was then (%s); this is %s (%s), which may read other sources by other rules. Withdraw it and decide again.",
			decision.Config, decision.ConfigDigest, r.Config, r.ConfigDigest)
	}
	if why := d.standsStill(r, reconcile.DecideReplay); why != "" {
		return refuse(CodePinned, "%s", why)
	}
	seen, err := r.Case(ctx, decision.Case)
	if errors.Is(err, ErrNoCase) && r.Incomplete {
		return refuse(CodeIncomplete, "The records show no such case; but "+notWholly)
	}
	if errors.Is(err, ErrNoCase) {
		return refuse(CodeNoCase, "The records show no such case any more: it needs no replay.")
	}
	if err != nil {
		return out, err
	}
	j := seen.Judgement
	was := decision.Decided()
	if was.Changed(j) {
		return refuse(CodeChanged, "The records changed since it was decided. Now: %s.", verdict(j))
	}
	option := optionOf(j, reconcile.DecideReplay, reconcile.ResolutionNone)
	if !option.Allowed || j.Send == nil {
		return refuse(option.Code, "%s", option.Reason)
	}
	if why := d.runsOut(r, option); why != "" {
		return refuse(CodePinned, "%s", why)
	}
	out.Send = *j.Send
	out.ValidUntil = reconcile.Earliest(out.ValidUntil, d.validUntil(r, reconcile.Instant{}, option))
	return out, nil
}

// giveAway records what is handed out. Where another process was faster, that one has it.
func (d *Desk) giveAway(ctx context.Context, handed []Handed) error {
	for i := range handed {
		h := &handed[i]
		if h.Code != "" {
			continue
		}
		done, err := d.Trail.HandOut(ctx, h.Decision.ID)
		var step *StepError
		switch {
		case errors.As(err, &step):
			h.Code, h.Reason = CodeHandedOut, fmt.Sprintf("It is no longer to be handed out: %v.", step)
		case err != nil:
			return err
		default:
			h.Decision = done[0]
		}
	}
	return nil
}
