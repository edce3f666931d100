package reconcile

import (
	"fmt"
	"slices"
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
	NextID      Number  // the one that the store hands out next, where it says so
	System      string  // the server's identity, that a copy of its files keeps and a new server has not; "" = not known
	Fell        Fall    // where the ids that its rows name run backwards
	Tail        Tail    // of its messages or jobs
	Timeline    string  // the server's timeline, that a restore to a point in time changes; "" = not known
}

// Fall is where ids run backwards: the zero Fall is nowhere.
type Fall struct {
	At       Instant
	From, To int64 // the greatest of what was done by then, and the least of what began then
}

// Tail is a stretch of messages or jobs of which none was sent or done though they are due.
type Tail struct {
	Open     int64
	From, To Instant
}

// Task says when a message was written or a job due, and whether it is done. ok: it tells that, and is done or should be by now.
func (c *Contract) Task(r *Record, skew time.Duration, now Instant) (at Instant, done, ok bool) {
	wait := c.SettleTime().D
	switch {
	case r.Role == RoleOutbox:
		at, done = r.CreatedAt, !r.unsent()
		wait = max(wait, c.ResendAfter.D)
	case r.DueAt.known:
		at, done = r.DueAt, slices.ContainsFunc(r.Attempts, func(a Attempt) bool { return a.Outcome == AttemptConfirmed })
	}
	due := Latest(at, r.AttemptAt, r.UpdatedAt, r.DueAt).Add(wait + skew)
	return at, done, at.known && (done || due.Before(now))
}

// SignKind says what in the data speaks of a restore.
type SignKind uint8

// The signs. Each is a reason to ask, none a proof; holes in ids alone are no sign.
const (
	SignIDsAhead     SignKind = iota + 1 // others name ids above the store's greatest
	SignIDsFell                          // the greatest id is below that of an earlier scan
	SignEndsEarlier                      // the youngest row is older than that of an earlier scan
	SignFewerRows                        // a store that archives nothing has fewer rows
	SignCameBack                         // rows older than all that an earlier scan saw
	SignTimeline                         // the server's timeline is another
	SignSystem                           // the server is another
	SignSequence                         // the store hands out next an id that is known already
	SignIDsBackwards                     // ids that its rows name run backwards
	SignOldTail                          // due messages or jobs stand open, side by side
)

var signWords = map[SignKind]string{
	SignIDsAhead: "ids-ahead", SignIDsFell: "ids-fell", SignEndsEarlier: "ends-earlier", SignFewerRows: "fewer-rows", SignCameBack: "came-back",
	SignTimeline: "timeline-changed", SignSystem: "system-changed",
	SignSequence: "sequence-behind", SignIDsBackwards: "ids-backwards", SignOldTail: "old-tail",
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

// Reusable are the ids that the store will hand out although others know them already: from one after its greatest, or from the one that it says is next, to
// the greatest that others name.
func (s *StoreState) Reusable() (from, to int64, ok bool) {
	if !s.MaxID.Valid || !s.NamedID.Valid {
		return 0, 0, false
	}
	if from = s.MaxID.N + 1; s.NextID.Valid {
		from = max(from, s.NextID.N)
	}
	return from, s.NamedID.N, from <= s.NamedID.N
}

// ahead says what it means that others name ids above the store's greatest.
func (s *StoreState) ahead() string {
	switch from, to, ok := s.Reusable(); {
	case !ok:
		return fmt.Sprintf("it hands out %d next, so none of them twice; the rows are gone all the same", s.NextID.N)
	case s.NextID.Valid:
		return fmt.Sprintf("it will hand out %d to %d again", from, to)
	default:
		return fmt.Sprintf("it will hand out %d to %d again unless its sequence stands higher", from, to)
	}
}

// Signs lists what speaks of a restore: in the store as it is, and against an earlier scan of it, nil where there is none.
func (s *StoreState) Signs(last *StoreState) []Sign {
	var out []Sign
	say := func(k SignKind, format string, a ...any) {
		out = append(out, Sign{Store: s.Name, Kind: k, Text: fmt.Sprintf(format, a...)})
	}
	if s.MaxID.Valid && s.NamedID.Valid && s.NamedID.N > s.MaxID.N {
		say(SignIDsAhead, "other sources name ids up to %d, the store's greatest is %d: %s", s.NamedID.N, s.MaxID.N, s.ahead())
	}
	if known := max(s.MaxID.N, s.NamedID.N); s.MaxID.Valid && s.NextID.Valid && s.NextID.N <= known {
		say(SignSequence, "it hands out %d next, and ids up to %d are taken or known already: have it skip them before traffic is let in, or they are handed out twice", s.NextID.N, known)
	}
	if f := s.Fell; f.At.known {
		say(SignIDsBackwards, "the ids that it names run backwards: up to %d was done before %s, and actions that began then have %d and on: the store that hands them out was put back, or its sequence was", f.From, stamp(f.At), f.To)
	}
	if t := s.Tail; t.Open > 0 {
		say(SignOldTail, "%d of %s to %s stand open side by side though they are due, and what came before is done: where they were done before a restore, they will be done again", t.Open, stamp(t.From), stamp(t.To))
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
