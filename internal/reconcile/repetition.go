package reconcile

import "slices"

// saidTwice returns two lines of one log and one event id that contradict each other, nil when there are none. A repetition says the same once more; lines that
// say different things are no repetition, and nothing tells which of them holds.
func (j *judging) saidTwice() (a, b *Record, words map[string]string) {
	first := make(map[string][]*Record)
	for _, o := range j.objects {
		for _, r := range o.lines {
			if !r.EventID.known {
				continue
			}
			name := eventName(r)
			for _, other := range first[name] {
				if one, another := contradiction(other, r); one != "" {
					what := "The log " + r.Source + " says two things under event id " + r.EventID.String() + ": " + one + " and " + another + ". Which of them holds, nothing here tells."
					return other, r, map[string]string{"what": what}
				}
			}
			if len(first[name]) < fewRefs { // of more, those are repetitions of these
				first[name] = append(first[name], r)
			}
		}
	}
	return nil, nil, nil
}

// doubtOutcomes takes back what an object came to where nothing says so but an event of which the log tells the contrary too: it may have been made, or not.
func (j *judging) doubtOutcomes() {
	doubted := j.doubted()
	if len(doubted) == 0 {
		return
	}
	for _, o := range j.objects {
		sure := func(r *Record) bool { return r.Outcome == o.outcome && !doubted[eventName(r)] }
		if final(o.outcome) && !slices.ContainsFunc(o.lines, sure) {
			o.outcome, o.doubted = OutcomeUnknown, true
		}
	}
}

// doubted names the events of which a log says that they failed and that they did not.
func (j *judging) doubted() map[string]bool {
	if len(j.objects) == 0 || len(j.objects) == 1 && len(j.objects[0].lines) < 2 {
		return nil
	}
	var doubted map[string]bool
	failed := make(map[string]bool)
	for _, o := range j.objects {
		for _, r := range o.lines {
			if !r.EventID.known || !final(r.Outcome) {
				continue
			}
			name, fails := eventName(r), r.Outcome == OutcomeFailed
			if was, met := failed[name]; !met {
				failed[name] = fails
			} else if was != fails {
				if doubted == nil {
					doubted = make(map[string]bool)
				}
				doubted[name] = true
			}
		}
	}
	return doubted
}

// eventName tells an event from those of other logs; "" where the line names none.
func eventName(r *Record) string {
	if !r.EventID.known {
		return ""
	}
	return r.Source + "\x00" + string(r.EventID.text)
}

// final reports whether an outcome is an end, which no repetition may change.
func final(o Outcome) bool {
	return o == OutcomeSucceeded || o == OutcomeFailed || o == OutcomeReversed
}

// contradiction says in what two lines of one event differ that no repetition may change, "" where in nothing.
func contradiction(a, b *Record) (one, other string) {
	switch {
	case final(a.Outcome) && final(b.Outcome) && a.Outcome != b.Outcome:
		return a.Outcome.String(), b.Outcome.String()
	case a.Amount.Valid && b.Amount.Valid && amountsDiffer(a.Amount, b.Amount):
		return a.Amount.String(), b.Amount.String()
	case a.ObjectID.Differs(b.ObjectID):
		return "object " + a.ObjectID.String(), "object " + b.ObjectID.String()
	}
	return "", ""
}
