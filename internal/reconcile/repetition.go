package reconcile

// saidTwice returns two lines of one log and one event id that contradict each other, nil when there are none. A repetition says the same once more; lines that
// say different things are no repetition, and nothing tells which of them holds.
func (j *judging) saidTwice() (a, b *Record, words map[string]string) {
	first := make(map[string][]*Record)
	for _, o := range j.objects {
		for _, r := range o.lines {
			if !r.EventID.known {
				continue
			}
			name := r.Source + "\x00" + string(r.EventID.text)
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

// contradiction says in what two lines of one event differ that no repetition may change, "" where in nothing.
func contradiction(a, b *Record) (one, other string) {
	final := func(o Outcome) bool { return o == OutcomeSucceeded || o == OutcomeFailed || o == OutcomeReversed }
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
