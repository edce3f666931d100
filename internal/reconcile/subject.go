package reconcile

import "slices"

// Link says what joins a record to its subject, strongest first.
type Link uint8

// The links. Weak likeness (amount, time, text) is no link: it names candidates only.
const (
	LinkNone     Link = iota // the record stands alone
	LinkKey                  // it carries the whole identity
	LinkEffectID             // a unique reference, own or pointed to
	LinkObjectID
	LinkRequestID
	LinkPartial // it carries the key and agrees with exactly one identity
	LinkSentKey // a line under the key that the provider was sent for the action
)

var linkWords = map[Link]string{LinkNone: "none", LinkKey: "key", LinkEffectID: "effect-id", LinkObjectID: "object-id", LinkRequestID: "request-id", LinkPartial: "partial", LinkSentKey: "provider-key"}

func (l Link) String() string { return linkWords[l] }

// Evidence is a record with the link that joins it to its subject.
type Evidence struct {
	Record *Record
	Link   Link
	// History marks a receipt line, a provider event or an attempt line that a later one of the same identity or object supersedes.
	History bool
	// Shared marks a record that a contract with shared effects counts to another subject too; it is counted there.
	Shared bool
}

// Clash is a reference that this subject shares with another: a chain that would merge two identities merges nothing.
type Clash struct {
	Field string // effect_id, object_id, request_id, provider_key
	Value Value
	Other []Component // the other claimant's identity
	Open  bool        // the row fits several claimants alike: it may be this subject's
	by    *unit
}

// Candidate is an unlinked subject that may be this one's missing counterpart, or its twin: it never joins and never proves anything.
type Candidate struct {
	places  uint8  // roles whose missing record it may be, a bit each
	away    int64  // nanoseconds between the two, for keeping the nearest
	Case    string // its case id
	Locator string // source:locator of its first record
	Why     string // "same scope, compatible parameters, fitting time"

	Identity []Component // whose action it is, and under which key: an id alone tells nobody
	Began    Instant     // when it began, unknown where no record of it tells
}

// candidate names another subject by one of its records.
func candidate(o *Subject, r *Record, why string, away int64) Candidate {
	return Candidate{Case: o.ID, Locator: ref(r), Why: why, Identity: o.Identity, Began: beganOf(o), away: away}
}

// Subject is one identity with the records that join it by strong links, or one keyless record that joins none.
type Subject struct {
	ID         string    // the case id
	Contract   *Contract // nil: claimed by no contract
	Identity   []Component
	Evidence   []Evidence
	Ambiguous  bool        // it carries the key, but several identities agree with it: it joined none
	Clashes    []Clash     // a few of each reference
	Breach     *Breach     // a row of another scope that a receipt here points at
	Candidates []Candidate // unlinked rows that may be the counterpart
	MoreCands  int         // how many candidates are not named
	MoreTwins  int
	Unsure     []Candidate // other actions inside the retry window of which nothing tells whether they are twins
	MoreUnsure int
	Strangers  []string    // logs in which a line that is not ours carries its key or its object
	Ties       []Tied      // other actions that share a unique tuple, a provider's key, or key and request under another scope
	LikeIntent *Like       // an action of the same actor that began near an attempt that nobody answered
	LikeEffect *Like       // a received action of the same actor whose effect was made near a row here that has no receipt
	Twins      []Candidate // other actions with the same scope without key, fingerprint and actor inside the retry window
}

// Likened lists the actions that likeness or a tie has named, and that no list of candidates or twins names: nearest first, each once.
func (s *Subject) Likened() []Candidate {
	var out []Candidate
	add := func(c Candidate) {
		for _, list := range [][]Candidate{s.Candidates, s.Twins, s.Unsure, out} {
			if slices.ContainsFunc(list, func(have Candidate) bool { return have.Case == c.Case }) {
				return
			}
		}
		out = append(out, c)
	}
	for _, like := range []*Like{s.LikeIntent, s.LikeEffect} {
		if like != nil {
			add(like.Candidate)
		}
	}
	for i := range s.Ties {
		add(s.Ties[i].Candidate)
	}
	return out
}

// hasCandidates reports whether an unlinked counterpart may stand, named or only counted.
func (s *Subject) hasCandidates() bool { return len(s.Candidates)+s.MoreCands > 0 }
