package reconcile

import "time"

// Due is when a later scan can conclude what this one could not. It is unknown where no time settles that by itself: what is missing is something else than
// a source's reach.
type Due struct {
	At     Instant // the earliest, in whole seconds: if the source keeps trailing behind the clock as it does now
	Source string  // that must cover more, "" where it is not a source that is waited for
	Text   string  // for a person
}

// past is the first whole second behind an instant: what ends there is over by then.
func past(i Instant) Instant {
	if !i.known {
		return i
	}
	whole := i.Time().Truncate(time.Second)
	return At(whole.Add(time.Second))
}

// dueIn is when a source will cover an instant, and more.
func (w *World) dueIn(f *SourceFacts, need Instant) Due {
	d := Due{At: past(need), Source: f.Name, Text: f.Name + " must cover past " + stamp(need)}
	if trails := w.Now.since(f.Coverage.To); trails > 0 {
		d.At = past(need.Add(trails))
		d.Text += ", and covers to " + stamp(f.Coverage.To)
	}
	return d
}

// tooYoung notes that something is too young to be judged, and until when.
func (j *judging) tooYoung(d Due) {
	j.young = true
	if !j.youth.At.known || d.At.After(j.youth.At) {
		j.youth = d
	}
}

// dueOf says when the subject is to be judged again: one that is in flight when it no longer is, any other when its sources cover what they do not yet.
func (j *judging) dueOf() Due {
	switch j.out.Class {
	case ClassInFlight:
		return j.flightEnd()
	case ClassInconclusive:
		if j.blocked == nil || j.blocked.broken || !j.blocked.due.At.known {
			return Due{}
		}
		if j.youth.At.After(j.blocked.due.At) {
			return j.youth
		}
		return j.blocked.due
	case ClassCase:
		return j.coverageDue()
	case ClassMatched, ClassExplained, ClassUnclaimed:
	}
	return Due{}
}

func (j *judging) flightEnd() Due {
	for _, p := range j.pending {
		if p.What == "receipt-lease" {
			return Due{At: past(p.Till), Text: "its worker holds the lease until " + stamp(p.Till)}
		}
	}
	if till := j.justTaken(); till.known && !j.youth.At.After(past(till)) {
		return Due{At: past(till), Text: "its receipt was taken less than settle ago, until " + stamp(till)}
	}
	return j.youth
}

// coverageDue is when time alone will have settled what is open in a case: unknown where something open waits for anything else, such as a message without an
// answer.
func (j *judging) coverageDue() Due {
	for _, p := range j.pending {
		if !p.Till.known {
			return Due{}
		}
	}
	var last Due
	wait := func(a absence) bool {
		if a.broken || !a.due.At.known || (a.state != absenceYoung && a.state != absenceUncovered) {
			return false
		}
		if a.due.At.After(last.At) || !last.At.known {
			last = a.due
		}
		return true
	}
	for _, l := range j.legs {
		gone := j.localGone
		if l.Name == LegProvider {
			gone = j.remoteGone
		}
		if l.State == LegUndetermined && (l.Name == LegOutbox || !wait(gone)) {
			return Due{}
		}
	}
	if len(j.receipts) == 0 && (j.receiptGone.state == absenceYoung || j.receiptGone.state == absenceUncovered) && !wait(j.receiptGone) {
		return Due{}
	}
	return last
}

// Watermark is how far all sources of a contract reach: what happened later is not judged across them. Clients' own books do not count, since nothing is
// concluded from what they lack.
func (w *World) Watermark(c *Contract) (source string, to Instant) {
	for i := range w.Sources {
		f := &w.Sources[i]
		if f.Role == RoleIntent || !f.Coverage.Complete || !f.Coverage.Proves || !f.Coverage.To.known || !c.concerns(f) {
			continue
		}
		if !to.known || f.Coverage.To.Before(to) {
			source, to = f.Name, f.Coverage.To
		}
	}
	return source, to
}
