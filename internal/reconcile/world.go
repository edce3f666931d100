package reconcile

import "time"

// Coverage is what one source could show: everything of its partitions in [From, To], or nothing and why.
type Coverage struct {
	Complete   bool    // read as far as it was declared to reach
	Proves     bool    // false: nothing may be concluded from an absence in it (a log without times, an undeclared query)
	From       Instant // unknown = from the beginning
	To         Instant // unknown only when Proves is false
	Lag        time.Duration
	Partitions map[string][]string // component → values it can show; a component not named is shown whole
	Reason     string              // why it is incomplete or proves nothing, "" otherwise; safe to show
	Hint       string              // what to do about it
}

// SourceFacts is what the rules must know of a source besides its records.
type SourceFacts struct {
	Name        string
	Role        Role
	Serves      bool      // the store that the service consults now
	Table       bool      // its locators are primary keys
	Operation   Value     // the one operation its map declares, unknown where rows name theirs
	Components  []string  // identity components it maps: those it can testify by
	MapsRef     bool      // it maps effect_id, provider_ref, object_id or request_id
	NoOwnRef    bool      // its rows do not carry the reference by which others point at them: an effect's id, also in a receipt; a provider's object
	MapsAlias   bool      // it maps alias_id: a line may be known by two references
	RefKinds    []string  // the kinds of provider object that its rows name, see RefKind; empty = not known
	SentKeys    bool      // it maps provider_key: a key that a log's rows carry besides is the client's
	SentGone    bool      // outbox: its rows tell of nothing that was sent, so that whatever was is gone
	Unnamed     []Unnamed // outbox: its unsent messages that tell no key
	Undeclared  bool      // log: nothing but its own records tells what it covers
	Regions     []string  // log: the regions of which it shows a record, where nothing declares what it covers; none = not known
	MapsTime    bool
	Skew        time.Duration
	Retained    Span // effects: older rows are archived, their absence says nothing
	Fingerprint *FingerprintSpec
	Turn        int // the snapshots' order: sources of one turn were read in one consistent snapshot, before those of the next
	Coverage    Coverage
}

// World is what holds for a whole scan: the clock, the sources with what each covers, the declared restores. Judging starts when it is
// complete, so one clock reading and one coverage per source serve every subject.
type World struct {
	Now     Instant
	Taken   Instant // when the last snapshot had been taken: what a reaper removed between Now and then is missing, too. Unknown = at Now
	Sources []SourceFacts
	Events  []Event
	Gaps    []Gap                   // proposed, and confirmed by nobody yet: they name where a case lies, and change no conclusion
	Broken  map[[2]string][]Stretch // pairs of sources that were never comparable, or not for some time (join-broken): no absence between them
	Decided map[string][]Decided    // what was decided earlier, by case id, oldest first
	Unsure  bool                    // the trail cannot be trusted: more may have been decided, and sent, than Decided tells
	Stop    func() bool             // asked now and then while many records are joined; once it says true, what comes out is of no use. nil = never
}

func (w *World) stopped() bool { return w.Stop != nil && w.Stop() }

// Source returns the facts of a source by name, nil when there is none of that name.
func (w *World) Source(name string) *SourceFacts {
	for i := range w.Sources {
		if w.Sources[i].Name == name {
			return &w.Sources[i]
		}
	}
	return nil
}
