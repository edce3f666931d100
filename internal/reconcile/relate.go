package reconcile

// Assemble joins records to subjects (model.md 1): by whole identity, then by partial identity, then by unique reference. Every record is in exactly
// one subject. The records must be closed under the key text and the references they carry: whatever shares a key or a reference with one of
// them is among them. Order and repetition of records change nothing. The result is ordered by case id.
func Assemble(records []*Record, b Book, w *World) []*Subject { panic("under construction") }

// Relate fills Candidates and Twins of each subject from the others: what a scan that holds everything in memory would see.
func Relate(subjects []*Subject, w *World) { panic("under construction") }

// Want describes the unlinked rows of one source that would make an absence of a subject undetermined: the source's rows carry neither the identity
// nor a reference that the action is known to have.
type Want struct {
	Subject  *Subject
	Source   string
	From, To Instant // when such a row may have been written; unknown = open
}

// Wants lists what a subject's absences rest on, nil when none rests on an unlinked row.
func Wants(s *Subject, w *World) []Want { panic("under construction") }

// Fits reports whether a stray, an unlinked keyless subject, may be the missing counterpart: same contract, no differing component, compatible parameters and amount, a fitting time.
func (want *Want) Fits(stray *Subject) bool { panic("under construction") }

// Stray reports whether a subject is an unlinked row that may be another's missing counterpart.
func (s *Subject) Stray() bool { panic("under construction") }

// AddCandidate names other as a candidate of s; the nearest MaxCandidates in time stay named, the rest are counted.
func (s *Subject) AddCandidate(other *Subject) { panic("under construction") }

// TwinText returns the bytes that two twins share: contract, scope without key, actor, and fingerprint or canonical parameters. ok is false where they are
// not mapped: then twins are not judged. The sieve hashes it record by record, appending to buf.
func TwinText(buf []byte, c *Contract, r *Record, f *SourceFacts) (text []byte, ok bool) {
	panic("under construction")
}

// AreTwins reports whether o is a twin of s: another action of one twin text, begun inside the retry window of the other.
func AreTwins(s, o *Subject, w *World) bool { panic("under construction") }

// AddTwin names o as a twin of s.
func (s *Subject) AddTwin(o *Subject) { panic("under construction") }

// Judge concludes all that can be concluded of one subject.
func Judge(s *Subject, w *World) *Judgement { panic("under construction") }
