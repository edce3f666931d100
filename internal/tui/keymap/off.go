package keymap

// The reasons for which actions are off, as the footer and the help say them.

func offNoRow(s State) string {
	if s.Rows == 0 {
		return "nothing is listed"
	}
	return ""
}

func offNoMark(s State) string {
	if s.Marked == 0 {
		return "nothing is marked"
	}
	return ""
}

func offStale(s State) string {
	switch {
	case s.Loading:
		return "sources are still being read"
	case s.Filtering:
		return "the list still shows an older filter"
	}
	return offNoRow(s)
}

// offDesk holds for every decision: what is decided must be what was seen, all of it read.
func offDesk(s State) string {
	switch {
	case s.Busy != "":
		return s.Busy
	case s.Loading:
		return "sources are still being read; decisions open when all are in"
	case s.Filtering:
		return "the list still shows an older filter"
	}
	return s.Desk
}

func offDecide(s State) string {
	if why := offDesk(s); why != "" {
		return why
	}
	if s.Stands && s.Marked == 0 {
		return stands
	}
	return offNoRow(s)
}

// stands is why a case cannot be decided twice.
const stands = "a decision stands and its evidence has not changed: withdraw it in the case first, or record its outcome"

func offDecideCase(s State) string {
	if why := offDesk(s); why != "" {
		return why
	}
	switch {
	case !s.Case:
		return "the case has not been read yet"
	case s.Stands:
		return stands
	}
	return ""
}

func offNoLive(s State) string {
	if why := offDesk(s); why != "" {
		return why
	}
	if !s.Live {
		return "no live decision stands on this case"
	}
	return ""
}

func offNoStep(s State) string {
	if !s.Steps {
		return "every step is behind: decide what is open, then read the debrief"
	}
	return ""
}

func offNoGap(s State) string {
	if why := offDesk(s); why != "" {
		return why
	}
	if s.Gaps == 0 {
		return "no restore gap is listed"
	}
	return ""
}

func offNotConfirmed(s State) string {
	if why := offNoGap(s); why != "" {
		return why
	}
	if !s.Confirmed {
		return "the trail holds no confirmation of this gap"
	}
	return ""
}

func offOneGap(s State) string {
	if s.Gaps < 2 {
		return "there is no other restore gap"
	}
	return ""
}

func offUndone(s State) string {
	if s.Steps || s.Undecided > 0 {
		return "steps or cases are still open, and it tells the answers; whoever quits before reads it on the way out"
	}
	return ""
}

func offBusy(s State) string { return s.Busy }

func offTrailView(s State) string { return s.Trail }

func offTrail(s State) string {
	if s.Busy != "" {
		return s.Busy
	}
	return s.Trail
}

func offRescan(s State) string {
	switch {
	case s.Busy != "":
		return s.Busy
	case s.Loading:
		return "sources are being read already"
	}
	return s.Source
}

func offNotLoading(s State) string {
	if !s.Loading {
		return "nothing is being read"
	}
	return ""
}
