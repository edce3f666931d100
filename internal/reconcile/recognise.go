package reconcile

import (
	"slices"
	"strings"
)

// recognised reports whether every leg that may have executed would recognise the key beyond now and margin, so that another send is not another
// effect. A live receipt recognises the whole action; otherwise each leg must do so by itself.
func (j *judging) recognised() bool { return j.recognisedOn(false) }

// recognisedOn is recognised; of every leg where even a covered absence is doubted.
func (j *judging) recognisedOn(every bool) bool {
	horizon := j.w.Now.Add(j.c.Margin)
	if live := j.live(); live != nil && !j.overtaken {
		switch j.c.StateOf(live) {
		case StateCompleted, StateFailedFinal:
			end := j.c.HeldTo(live).Add(-j.skewOf(live))
			return !j.conflictWith(live) && (!end.known || end.After(horizon))
		case StateInProgress, StateFailedRetryable, StateUnknown:
		}
	}
	return j.legsRecognise(horizon, every)
}

// recognisers says, behind a refusal for want of recognition, what would recognise a second send all the same, and until when.
func (j *judging) recognisers(a *Answer) string {
	if a.Decision != DecideReplay || !slices.Contains([]string{"confirmed-executed", "outcome-unknown", "already-executed"}, a.Code) {
		return ""
	}
	var by []string
	if live := j.live(); live != nil && (j.c.StateOf(live) == StateCompleted || j.c.StateOf(live) == StateFailedFinal) {
		by = append(by, "a receipt would recognise it"+untilText(j.c.HeldTo(live)))
	}
	for _, l := range j.legs {
		switch to, ever := j.providerKeeps(); {
		case l.Name == LegLocal && (j.refusedByRule() || len(j.c.Unique) > 0 && len(j.refusing()) > 0):
			by = append(by, "a rule of the store would, which refuses its row")
		case l.Name == LegProvider && l.State != LegNo && (ever || to.known && to.After(j.w.Now)):
			by = append(by, "the provider would recognise it"+untilText(to))
		}
	}
	if len(by) == 0 {
		return " Here nothing would recognise it."
	}
	return " Here only " + strings.Join(by, ", and ") + "."
}

func untilText(at Instant) string {
	if !at.known {
		return ""
	}
	return ", until " + stamp(at)
}

// legsRecognise reports whether every leg that may have executed would recognise the key at its receiver, or of every leg where even a covered absence is
// doubted. Whoever performs one leg only asks no receipt.
func (j *judging) legsRecognise(horizon Instant, every bool) bool {
	for _, l := range j.legs {
		if l.State == LegNo && !every {
			continue
		}
		switch l.Name {
		case LegLocal:
			if !j.refusedByRule() {
				return false
			}
		case LegProvider:
			if !j.providerRecognises(horizon) {
				return false
			}
		case LegOutbox:
			return false
		}
	}
	return len(j.legs) > 0
}

// providerRecognises reports whether the provider still deduplicates the key that the next send would carry. Its retention counts from the earliest
// possible first send: a later retry does not prolong it, and after a promised minimum it is unknown, not over.
func (j *judging) providerRecognises(horizon Instant) bool {
	to, ever := j.providerKeeps()
	return ever || to.known && to.After(horizon)
}

// providerKeeps is until when the provider surely knows the key that the next send would carry; unknown where nothing says that it does.
func (j *judging) providerKeeps() (to Instant, ever bool) {
	p := j.c.Provider
	if p == nil || !p.Dedup || providerKeyUnknown(j) || j.otherKeySent() || j.moved() != nil || j.mayMove() {
		return Instant{}, false
	}
	switch p.Retention {
	case RetentionForever:
		return Instant{}, true
	case RetentionExact, RetentionMinimum:
		if j.firstSend.known && !j.untimed.known {
			return j.firstSend.Add(p.For), false
		}
	case RetentionNone:
	}
	return Instant{}, false
}

// providerTo is until when the provider surely knows the key of a call that was made, or may have been; unknown where none was.
func (j *judging) providerTo() Instant {
	if !slices.ContainsFunc(j.legs, func(l Leg) bool { return l.Name == LegProvider && l.State != LegNo }) {
		return Instant{}
	}
	to, _ := j.providerKeeps()
	return to
}

// mayMove reports whether the next send may go to another region or zone of the provider's than the first did: keys are known in each alone, no record tells
// where it was sent, and since then the service was switched to another place.
func (j *judging) mayMove() bool {
	place := func(name string) bool {
		return (name == "region" || name == "zone") && !slices.Contains(j.c.Free, name) && !j.component(name).known
	}
	if !slices.ContainsFunc(j.c.Provider.Scope, place) || j.send().Target.known {
		return false
	}
	return slices.ContainsFunc(j.w.Events, func(ev Event) bool {
		_, to := j.edges(&ev)
		return ev.Kind == EventSwitched && j.eventConcerns(&ev) && !to.Or(j.w.Now).Before(j.firstSend)
	})
}

// providerKeyUnknown reports whether the key of the next send cannot be told: minted anew, or made from what is not known.
func providerKeyUnknown(j *judging) bool {
	if !j.c.Effect.external() {
		return false
	}
	return !j.nextKey().known
}

// providerKeyElse reports whether the provider is sent keys that cannot be told from the client's: a log that shows those only lacks the client's key whatever
// was done.
func providerKeyElse(j *judging) bool {
	return j.c.Effect.external() && (j.c.ProviderKey.Rule == ProviderKeyColumn || j.c.ProviderKey.Rule == ProviderKeyMinted)
}

// nextKey is the key that the next send to the provider would carry. A template over anything but the identity dies with the row it was made from.
func (j *judging) nextKey() Value {
	switch j.c.ProviderKey.Rule {
	case ProviderKeySame:
		return keyOf(j.s.Identity)
	case ProviderKeyTemplate:
		return fillTemplate(j.c.ProviderKey.Template, j.s.Identity)
	case ProviderKeyColumn:
		for _, e := range j.s.Evidence {
			if v := e.Record.Field(j.c.ProviderKey.Column); v.known && (e.Record.Role == RoleReceipt || e.Record.Role == RoleEffect) {
				return v
			}
		}
	case ProviderKeyMinted:
	}
	return Value{}
}

// fillTemplate fills the components of an identity into a template; unknown where one is, or where the template names what no identity has. What is filled in
// is not looked at again: a component's text may have braces of its own.
func fillTemplate(text string, id []Component) Value {
	var out strings.Builder
	for {
		before, rest, open := strings.Cut(text, "{")
		if strings.Contains(before, "}") {
			return Value{}
		}
		out.WriteString(before)
		if !open {
			return Text(out.String())
		}
		name, after, closed := strings.Cut(rest, "}")
		i := slices.IndexFunc(id, func(c Component) bool { return c.Name == name })
		if !closed || i < 0 || !id[i].Value.known {
			return Value{}
		}
		out.WriteString(id[i].Value.String())
		text = after
	}
}

// otherKeySent reports whether a record shows that the provider was sent another key than the next send would carry.
func (j *judging) otherKeySent() bool {
	next := j.nextKey()
	for _, e := range j.s.Evidence {
		if e.Record.ProviderKey.Differs(next) {
			return true
		}
		for _, a := range e.Record.Attempts {
			if j.c.ProviderKey.Rule == ProviderKeySame && a.KeySent.Differs(next) {
				return true
			}
		}
	}
	return false
}
