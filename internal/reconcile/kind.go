package reconcile

// Kind is a kind of finding. The constants stand in the order of gravity: the first that holds is a case's headline.
type Kind uint8

// The kinds of model.md 5, gravest first. Findings is the table of what each means.
const (
	DuplicateEffect Kind = iota
	ReexecutedAfterExpiry
	ReferenceReused
	ProviderKeyCollision
	ScopeMoved
	ResendPending
	ProviderOnlyEffect
	PartlyExecuted
	ScopeBreach
	FailureContradicted
	FingerprintConflict
	LostAfterRestore
	EffectMissingAfterRestore
	ReceiptWithoutEffect
	ProviderMissing
	ProviderMismatch
	UnknownOutcome
	ReceiptMissingAfterRestore
	OrphanedEffect
	SuspectedDuplicateEffect
	SuspectedDuplicateIntent
	StaleGeneration
	NotExecuted
	SensitiveKey
)

func (k Kind) String() string { return Findings[k].Word }

// ParseKind reads a kind's word.
func ParseKind(w string) (Kind, error) {
	words := make(map[Kind]string, len(Findings))
	for i := range Findings {
		words[Kind(i)] = Findings[i].Word
	}
	return parseWord(words, "kind of finding", w)
}
