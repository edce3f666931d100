package reconcile

import "fmt"

// State is what a receipt says of its action. The zero State is unmapped; StateUnknown is the word "unknown".
type State uint8

// The closed words of a receipt's state.
const (
	StateInProgress State = iota + 1
	StateCompleted
	StateFailedFinal     // a stored failure, replayed to every retry
	StateFailedRetryable // a failure that frees the key
	StateUnknown         // the service itself wrote that it does not know
)

// Status is what a business row says of itself. The zero Status is unmapped and reads as effective.
type Status uint8

// The closed words of an effect's status.
const (
	StatusUnknown Status = iota
	StatusEffective
	StatusPending
	StatusVoid
	StatusReversed
)

// Outcome is what a provider's log says of an object.
type Outcome uint8

// The closed words of a provider entry's outcome. The zero Outcome is unmapped and reads as unknown.
const (
	OutcomeUnknown Outcome = iota
	OutcomeSucceeded
	OutcomePending // accepted, not final
	OutcomeFailed
	OutcomeReversed
)

// AttemptOutcome is how one send of an intent ended, as the client saw it.
type AttemptOutcome uint8

// The closed words of an attempt's outcome. The zero AttemptOutcome is unmapped and reads as uncertain.
const (
	AttemptUncertain AttemptOutcome = iota
	AttemptConfirmed
	AttemptRejected // refused before execution
	AttemptFailed
	AttemptNotSent
)

// Sent is how far an outbox message got. The zero Sent is unmapped and reads as unsent.
type Sent uint8

// The closed words of an outbox message. A sent mark alone does not confirm.
const (
	Unsent Sent = iota
	SentMarked
	SentConfirmed
)

// Phase is how far a receipt's work got, where the store says it.
type Phase uint8

// The closed words of a phase.
const (
	PhaseUnknown Phase = iota
	PhaseReceived
	PhaseLocalDone
	PhaseProviderSent
	PhaseFinished
)

var (
	roleWords    = map[Role]string{RoleIntent: "intents", RoleReceipt: "receipts", RoleEffect: "effects", RoleOutbox: "outbox", RoleProvider: "provider"}
	stateWords   = map[State]string{StateInProgress: "in-progress", StateCompleted: "completed", StateFailedFinal: "failed-final", StateFailedRetryable: "failed-retryable", StateUnknown: "unknown"}
	statusWords  = map[Status]string{StatusEffective: "effective", StatusPending: "pending", StatusVoid: "void", StatusReversed: "reversed"}
	outcomeWords = map[Outcome]string{OutcomeUnknown: "unknown", OutcomeSucceeded: "succeeded", OutcomePending: "pending", OutcomeFailed: "failed", OutcomeReversed: "reversed"}
	attemptWords = map[AttemptOutcome]string{AttemptUncertain: "uncertain", AttemptConfirmed: "confirmed", AttemptRejected: "rejected", AttemptFailed: "failed", AttemptNotSent: "not-sent"}
	sentWords    = map[Sent]string{Unsent: "unsent", SentMarked: "sent", SentConfirmed: "confirmed"}
	phaseWords   = map[Phase]string{PhaseReceived: "received", PhaseLocalDone: "local-done", PhaseProviderSent: "provider-sent", PhaseFinished: "finished"}
)

func (r Role) String() string           { return roleWords[r] }
func (s State) String() string          { return stateWords[s] }
func (s Status) String() string         { return statusWords[s] }
func (o Outcome) String() string        { return outcomeWords[o] }
func (o AttemptOutcome) String() string { return attemptWords[o] }
func (s Sent) String() string           { return sentWords[s] }
func (p Phase) String() string          { return phaseWords[p] }

// ParseRole reads a role's word.
func ParseRole(w string) (Role, error) { return parseWord(roleWords, "role", w) }

// ParseState reads a receipt state's word.
func ParseState(w string) (State, error) { return parseWord(stateWords, "state", w) }

// ParseStatus reads an effect status's word.
func ParseStatus(w string) (Status, error) { return parseWord(statusWords, "status", w) }

// ParseOutcome reads a provider outcome's word.
func ParseOutcome(w string) (Outcome, error) { return parseWord(outcomeWords, "outcome", w) }

// ParseAttemptOutcome reads an attempt outcome's word.
func ParseAttemptOutcome(w string) (AttemptOutcome, error) {
	return parseWord(attemptWords, "attempt outcome", w)
}

// ParseSent reads an outbox word.
func ParseSent(w string) (Sent, error) { return parseWord(sentWords, "outbox state", w) }

// ParsePhase reads a phase's word.
func ParsePhase(w string) (Phase, error) { return parseWord(phaseWords, "phase", w) }

func parseWord[T comparable](words map[T]string, kind, w string) (T, error) {
	for v, word := range words {
		if word == w {
			return v, nil
		}
	}
	var zero T
	return zero, fmt.Errorf("%q is not a %s", w, kind)
}
