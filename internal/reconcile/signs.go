package reconcile

import (
	"fmt"
	"time"
)

// StoreState is what a scan saw of a store as a whole: what is compared with an earlier scan, and with what others know of its ids.
type StoreState struct {
	Name        string
	Role        Role
	Archives    bool // older rows are taken out: their number falls in health
	Taken       Instant
	Records     int64
	First, Last Instant // times of its rows, as far as they tell
	MaxID       Number  // the greatest of its rows' own ids, where they are whole numbers
	NamedID     Number  // the greatest of them that other sources name, of an action that the store covers
	System      string  // the server's identity, that a copy of its files keeps and a new server has not; "" = not known
	Timeline    string  // the server's timeline, that a restore to a point in time changes; "" = not known
}

// SignKind says what in the data speaks of a restore.
type SignKind uint8

// The signs. Each is a reason to ask, none a proof; holes in ids alone are no sign.
const (
	SignIDsAhead    SignKind = iota + 1 // others name ids above the store's greatest
	SignIDsFell                         // the greatest id is below that of an earlier scan
	SignEndsEarlier                     // the youngest row is older than that of an earlier scan
	SignFewerRows                       // a store that archives nothing has fewer rows
	SignCameBack                        // rows older than all that an earlier scan saw
	SignTimeline                        // the server's timeline is another
	SignSystem                          // the server is another
)

var signWords = map[SignKind]string{
	SignIDsAhead: "ids-ahead", SignIDsFell: "ids-fell", SignEndsEarlier: "ends-earlier", SignFewerRows: "fewer-rows", SignCameBack: "came-back",
	SignTimeline: "timeline-changed", SignSystem: "system-changed",
}

// String spells the kind of a sign.
func (k SignKind) String() string { return signWords[k] }

// ParseSignKind reads the word of a sign's kind.
func ParseSignKind(w string) (SignKind, error) { return parseWord(signWords, "kind of sign", w) }

// Sign is one thing in the data that speaks of a restore of a store.
type Sign struct {
	Store string
	Kind  SignKind
	Text  string
}

// Reusable are the ids that the store will hand out although others know them already: from one after its greatest to the greatest that others name.
func (s *StoreState) Reusable() (from, to int64, ok bool) {
	if !s.MaxID.Valid || !s.NamedID.Valid || s.NamedID.N <= s.MaxID.N {
		return 0, 0, false
	}
	return s.MaxID.N + 1, s.NamedID.N, true
}

// Signs lists what speaks of a restore: in the store as it is, and against an earlier scan of it, nil where there is none.
func (s *StoreState) Signs(last *StoreState) []Sign {
	var out []Sign
	say := func(k SignKind, format string, a ...any) {
		out = append(out, Sign{Store: s.Name, Kind: k, Text: fmt.Sprintf(format, a...)})
	}
	if from, to, ok := s.Reusable(); ok {
		say(SignIDsAhead, "other sources name ids up to %d, the store's greatest is %d: it will hand out %d to %d again unless its sequence stands higher", to, s.MaxID.N, from, to)
	}
	if last == nil || !s.Taken.After(last.Taken) {
		return out
	}
	if s.MaxID.Valid && last.MaxID.Valid && s.MaxID.N < last.MaxID.N {
		say(SignIDsFell, "its greatest id was %d at %s and is %d", last.MaxID.N, stamp(last.Taken), s.MaxID.N)
	}
	if s.Last.Before(last.Last) {
		say(SignEndsEarlier, "its youngest row was of %s and is of %s", stamp(last.Last), stamp(s.Last))
	}
	if s.Role == RoleEffect && !s.Archives && s.Records < last.Records {
		say(SignFewerRows, "it had %d rows at %s and has %d", last.Records, stamp(last.Taken), s.Records)
	}
	if s.First.Before(last.First) {
		say(SignCameBack, "rows of %s are there, %s older than all that it had at %s: what was purged came back", stamp(s.First), last.First.since(s.First).Truncate(time.Second), stamp(last.Taken))
	}
	if s.Timeline != "" && last.Timeline != "" && s.Timeline != last.Timeline {
		say(SignTimeline, "the server's timeline was %s and is %s: it was restored to a point in time, or a standby was promoted", last.Timeline, s.Timeline)
	}
	if s.System != "" && last.System != "" && s.System != last.System {
		say(SignSystem, "the server's system identifier was %s and is %s: it is another server", last.System, s.System)
	}
	return out
}
