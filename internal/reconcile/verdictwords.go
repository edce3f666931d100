package reconcile

// The words of a judgement, as output and saved scans spell them.
var (
	classWords    = map[Class]string{ClassMatched: "matched", ClassInFlight: "in_flight", ClassExplained: "explained", ClassInconclusive: "inconclusive", ClassUnclaimed: "unclaimed", ClassCase: "case"}
	executedWords = map[Executed]string{ExecutedUndetermined: "undetermined", ExecutedYes: "yes", ExecutedNo: "no", ExecutedPartly: "partly"}
	legStateWords = map[LegState]string{LegUndetermined: "undetermined", LegYes: "yes", LegLost: "lost", LegNo: "no"}
	legNameWords  = map[LegName]string{LegLocal: "local", LegProvider: "provider", LegOutbox: "outbox"}
	retryWords    = map[RetryVerdict]string{RetryUnknown: "unknown", RetryReplays: "replays", RetryConflicts: "conflicts", RetryWaits: "waits", RetryTakenOver: "taken-over", RetryExecutes: "executes", RetryExecutesAgain: "executes-again", RetryMightExecuteAgain: "might-execute-again", RetryRefusedByRule: "refused-by-rule"}
	exposureWords = map[ExposureState]string{ExposureNone: "none", ExposureUntil: "until", ExposureOpen: "open", ExposureUnknown: "unknown"}
	severityWords = map[Severity]string{SeverityCritical: "critical", SeverityHigh: "high", SeverityMedium: "medium", SeverityLow: "low"}
	eventWords    = map[EventKind]string{EventRestored: "restored", EventCleared: "cleared", EventSwitched: "switched", EventPromoted: "promoted", EventPartial: "partial"}
)

func (c Class) String() string         { return classWords[c] }
func (e Executed) String() string      { return executedWords[e] }
func (l LegState) String() string      { return legStateWords[l] }
func (l LegName) String() string       { return legNameWords[l] }
func (r RetryVerdict) String() string  { return retryWords[r] }
func (e ExposureState) String() string { return exposureWords[e] }
func (s Severity) String() string      { return severityWords[s] }
func (k EventKind) String() string     { return eventWords[k] }

// ParseClass reads a class's word.
func ParseClass(w string) (Class, error) { return parseWord(classWords, "class", w) }

// ParseExecuted reads the word of an executed verdict.
func ParseExecuted(w string) (Executed, error) {
	return parseWord(executedWords, "executed verdict", w)
}

// ParseLegState reads a leg state's word.
func ParseLegState(w string) (LegState, error) { return parseWord(legStateWords, "leg state", w) }

// ParseLegName reads a leg's name.
func ParseLegName(w string) (LegName, error) { return parseWord(legNameWords, "leg", w) }

// ParseRetryVerdict reads a retry verdict's word.
func ParseRetryVerdict(w string) (RetryVerdict, error) {
	return parseWord(retryWords, "retry verdict", w)
}

// ParseExposureState reads an exposure state's word.
func ParseExposureState(w string) (ExposureState, error) {
	return parseWord(exposureWords, "exposure state", w)
}

// ParseSeverity reads a severity's word.
func ParseSeverity(w string) (Severity, error) { return parseWord(severityWords, "severity", w) }

// ParseEventKind reads the word of a restore event's kind.
func ParseEventKind(w string) (EventKind, error) {
	return parseWord(eventWords, "kind of restore event", w)
}
