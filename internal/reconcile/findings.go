package reconcile

// Finding describes a kind: its word, what it means, and when it does not hold. Documentation, console and training read this table; rules.go holds
// the condition of each kind that is judged.
type Finding struct {
	Word     string
	Means    string   // the condition, in one sentence
	NotWhen  string   // what looks like it and is not
	Why      string   // the sentence shown for a case; {words} are filled in from its records
	Severity Severity // of a case with this kind as headline, before exposure raises it
	Absence  bool     // rests on an absence: needs coverage, and age above settle
	Judged   bool     // has a rule in this version
}

// Findings is the one table of kinds, in the order of gravity.
var Findings = [...]Finding{
	DuplicateEffect: {
		Word:     "duplicate-effect",
		Means:    "one identity has more effective records of one source than the contract expects, or two provider objects, or two standing rows share the columns of a unique rule",
		NotWhen:  "a void row and its retry, several lines of one object",
		Why:      "{what} The action was executed more than once.",
		Severity: SeverityCritical, Judged: true,
	},
	ReexecutedAfterExpiry: {
		Word:     "re-executed-after-expiry",
		Means:    "a second effect was made after the first receipt's life had ended",
		Why:      "{count} effective records stand in {source}; the later was made after the receipt's life of {retention} had ended. A retry came back after the service had forgotten the key.",
		Severity: SeverityCritical, Judged: true,
	},
	ReferenceReused: {
		Word:     "reference-reused",
		Means:    "one effect, object or id is claimed by two identities, or a linked row is younger than the receipt that names it or differs from it",
		NotWhen:  "the contract shares effects; the keys agree; every tenant numbers its rows anew, and the action's own row stands",
		Why:      "{field} {value} {claimed}. Ids are handed out again after deletes and restores: the row may be somebody else's.",
		Severity: SeverityCritical, Judged: true,
	},
	ProviderKeyCollision: {
		Word:     "provider-key-collision",
		Means:    "two identities map to one key in the provider's scope",
		NotWhen:  "the provider does not deduplicate, or its key is minted anew for each send; it made an object for each while it promised to know the key: it keeps them apart",
		Why:      "The provider is sent one key for this action and for {other}: whichever comes second gets the other's answer, or is refused. It may never have been executed, or the answer that was recorded may be the other's.",
		Severity: SeverityCritical, Judged: true,
	},
	ScopeMoved: {
		Word:     "scope-moved",
		Means:    "attempts of one intent, or one key and request, stand under different regions, accounts or targets inside the retry window",
		NotWhen:  "the component is declared free; an attempt that was never sent",
		Why:      "{what} Neither place recognises what was sent to the other: it may have been executed in both.",
		Severity: SeverityHigh, Judged: true,
	},
	ResendPending: {
		Word:     "resend-pending",
		Means:    "an unsent message, due job or unfinished receipt whose lease has lapsed, and whose effect already stands",
		NotWhen:  "the receiver recognises the key beyond now and margin; the lease lives",
		Why:      "{stands}, but what would perform it again is not marked as done: a worker, relay or scheduler may start it by itself at any time.",
		Severity: SeverityCritical, Judged: true,
	},
	ProviderOnlyEffect: {
		Word:     "provider-only-effect",
		Means:    "the provider executed, whether or not it was reversed since, yet there is no row and no completed receipt",
		NotWhen:  "no contract claims the line: it is counted as unclaimed; it was reversed, and the receipt records the failure",
		Why:      "The provider executed {object} ({amount}){taken}, but the service has no row and no completed receipt for it. {harm}",
		Severity: SeverityHigh, Absence: true, Judged: true,
	},
	PartlyExecuted: {
		Word:     "partly-executed",
		Means:    "one leg stands, another is covered-absent; or fewer records of a source stand than the contract expects",
		NotWhen:  "whatever was made was taken back, and the receipt records the failure or no retry can come any more",
		Why:      "{what}",
		Severity: SeverityHigh, Absence: true, Judged: true,
	},
	ScopeBreach: {
		Word:     "scope-breach",
		Means:    "a receipt points at an effect that differs in a scope component both carry",
		NotWhen:  "every scope numbers its rows anew: several have a row of that id, or the receipt's own scope has one",
		Why:      "The receipt points at effect {effect}, which is of {component} {other}; the receipt is of {component} {own}. A retry would be answered with somebody else's effect.",
		Severity: SeverityCritical, Judged: true,
	},
	FailureContradicted: {
		Word:     "failure-contradicted",
		Means:    "a stored failure, yet an effective leg by a strong link",
		Why:      "The receipt records a failure, but the {standing} leg stands. The client is told that nothing happened.",
		Severity: SeverityHigh, Judged: true,
	},
	FingerprintConflict: {
		Word:     "fingerprint-conflict",
		Means:    "one identity, differing parameters among intent, receipt, effect and provider",
		NotWhen:  "the key was not occupied; the fingerprints are not comparable",
		Why:      "One key was used for two different requests: {one} and {other} differ.",
		Severity: SeverityHigh, Judged: true,
	},
	LostAfterRestore: {
		Word:     "lost-after-restore",
		Means:    "the client or another store confirms the action, or inside a restore of both stores the provider, and receipt and effect are gone from the serving store, or the receipt says only that it is under way",
		Why:      "The action was confirmed, but {what}",
		Severity: SeverityHigh, Absence: true, Judged: true,
	},
	EffectMissingAfterRestore: {
		Word:     "effect-missing-after-restore",
		Means:    "a completed receipt whose effect is covered-absent, inside a restore gap of the business store",
		NotWhen:  "the effect is archived or deleted; the response had no effect",
		Why:      "The receipt says that the action was done, but its effect is gone: it falls into what the restore of {store} lost.",
		Severity: SeverityHigh, Absence: true, Judged: true,
	},
	ReceiptWithoutEffect: {
		Word:     "receipt-without-effect",
		Means:    "a completed receipt whose effect is covered-absent, outside a restore gap of the business store",
		NotWhen:  "the effect is archived or deleted; the response had no effect",
		Why:      "The receipt says that the action was done, but {store} covers its time and has no effect for it. Retries are told of something that is not there.",
		Severity: SeverityHigh, Absence: true, Judged: true,
	},
	ProviderMissing: {
		Word:     "provider-missing",
		Means:    "recorded as done, and a provider log that covers its time lacks it",
		Why:      "The service recorded the action as done, but {store} covers its time and does not show it.",
		Severity: SeverityHigh, Absence: true, Judged: true,
	},
	ProviderMismatch: {
		Word:     "provider-mismatch",
		Means:    "like amounts, currency or status differ between the service and the provider, or the log says two things under one event id",
		NotWhen:  "a partial capture; a refund attached to its original; a row that was taken back, whose refund may stand elsewhere",
		Why:      "{what}",
		Severity: SeverityMedium, Judged: true,
	},
	UnknownOutcome: {
		Word:     "unknown-outcome",
		Means:    "nobody can tell whether the action was executed: a lapsed lease, a committed in-progress receipt, a provider call without answer, an unconfirmed message, one that its relay should have sent long ago, an overdue job, an uncertain attempt, or one that was confirmed and that no receipt remembers",
		Why:      "Nobody knows whether {what} executed: {sign}. What would settle it: {settles}.",
		Severity: SeverityHigh, Judged: true,
	},
	ReceiptMissingAfterRestore: {
		Word:     "receipt-missing-after-restore",
		Means:    "an effective row, or one that was reversed or deleted since, without a receipt, inside a restore gap of the receipt store",
		NotWhen:  "retention would have removed the receipt; before the contract began; the key is optional",
		Why:      "{stands}, but its receipt is gone: it was written at {at}, which the restore of {store} lost. A retry finds nothing that recognises it.",
		Severity: SeverityHigh, Absence: true, Judged: true,
	},
	OrphanedEffect: {
		Word:     "orphaned-effect",
		Means:    "an effective row, or one that was reversed or deleted since, without a receipt, outside any restore gap of the receipt store",
		NotWhen:  "retention would have removed the receipt; before the contract began; the key is optional",
		Why:      "{stands}, but no receipt in {store} remembers it. {age}",
		Severity: SeverityMedium, Absence: true, Judged: true,
	},
	SuspectedDuplicateEffect: {
		Word:     "suspected-duplicate-effect",
		Means:    "an effect without receipt has scope, actor and request of a receipted one, and was made within twin_window of it: candidates, never a verdict",
		NotWhen:  "no actor is mapped; retention would have removed the receipt; before the contract began",
		Why:      "This effect has no receipt, and the same actor's action {other} asked for the same: its effect was made {away}. One of the two may be a retry that was not recognised, or the customer wanted it twice.",
		Severity: SeverityMedium, Absence: true, Judged: true,
	},
	SuspectedDuplicateIntent: {
		Word:     "suspected-duplicate-intent",
		Means:    "another key of the same scope, actor and request was begun within twin_window of an attempt that was neither confirmed nor rejected",
		NotWhen:  "no actor is mapped: not judged, counted",
		Why:      "The attempt of {attempt} got no answer that settles it{confirmed}, and the same actor's action {other} asked for the same under another key: it began {away}. It may be the retry of this one.",
		Severity: SeverityMedium, Judged: true,
	},
	StaleGeneration: {
		Word:     "stale-generation",
		Means:    "an effective record was written under an older generation after the take-over, or effective records of two generations stand where the contract expects one",
		NotWhen:  "a good take-over: the newer generation went on from what the older one had made",
		Why:      "Generation {newer} had taken the action over from generation {older}, and {what}. A worker that had lost its lease was not stopped.",
		Severity: SeverityMedium, Judged: true,
	},
	NotExecuted: {
		Word:     "not-executed",
		Means:    "an uncertain attempt or a lapsed in-progress receipt that is provably not executed, and was not confirmed later",
		Why:      "{sign}, and every place that would show the action covers its time and shows no effect of it: it was not executed.",
		Severity: SeverityLow, Absence: true, Judged: true,
	},
	SensitiveKey: {
		Word:     "sensitive-key",
		Means:    "the key's text has the shape of a credential, an e-mail address or a card number (issuer's range, length and check digit)",
		NotWhen:  "nothing else is found of the action: that its keys look so is a finding of the contract, never a case for each key",
		Why:      "The key's text has the shape of {shape}. Keys stand in logs, headers and dashboards of others: treat it as disclosed. Its text proves nothing of the action.",
		Severity: SeverityLow, Judged: true,
	},
}

// ContractFinding describes a kind of finding about a contract as a whole, which is never a case.
type ContractFinding struct {
	Word       string
	Means      string
	NotWhen    string
	Incomplete bool // it makes the scan incomplete
}

// The kinds of finding about a contract.
const (
	RetentionGap  = "retention-gap"
	EarlyLoss     = "early-loss"
	JoinBroken    = "join-broken"
	SensitiveKeys = "sensitive-key"
	ScopeChanged  = "scope-changed"
)

// ContractFindings is the one table of them.
var ContractFindings = []ContractFinding{
	{
		Word:    RetentionGap,
		Means:   "receipts live shorter than the window in which a retry may come, and actions stand whose receipt's life has ended",
		NotWhen: "an attempt is unconfirmed, something is pending or a second execution was seen: that is a case",
	},
	{
		Word:    EarlyLoss,
		Means:   "receipts vanish younger than the declared retention all along: a store that evicts, or a reaper that is too eager",
		NotWhen: "a stretch of time is missing and older receipts stand: that is a restore gap; fewer than a hundred actions could show it",
	},
	{
		Word:       JoinBroken,
		Means:      "two sources of one contract have rows at one time and join almost nowhere, over all times or in a stretch that the finding names: their keys are not comparable there, and nothing is concluded from what either lacks",
		NotWhen:    "either side has fewer than a hundred keys in that time, of a stretch fewer than fifty; each joins another source of the other's role",
		Incomplete: true,
	},
	{
		Word:    SensitiveKeys,
		Means:   "keys have the shape of a credential, an e-mail address or a card number; one finding for each shape, in which no key is shown",
		NotWhen: "digits without an issuer's range, its length and a right check digit; a name without a host",
	},
	{
		Word:    ScopeChanged,
		Means:   "an operation was renamed while keys were open: keys came back under a name whose rows begin where those of the first end, with the same request and inside the retry window",
		NotWhen: "both names are in use at one time: they are two operations; an alias leads from the one to the other",
	},
}
