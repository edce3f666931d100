package scenario

import "slices"

// Text is one of the texts that the model comes from.
type Text uint8

// The texts.
const (
	Scope    Text = iota // a key names one action within a scope and a retention window
	Protocol             // how a service keeps that promise: transactions, leases, outbox, external services
	Intent               // what a client owes: one key for one intended action
)

var textNames = [...]string{"Scope", "Protocol", "Intent"}

func (t Text) String() string { return textNames[t] }

// Principle is one statement about what must happen.
type Principle struct {
	ID   string
	From Text
	Says string
	// Not tells why no scenario can show it, "" where one must.
	Not string
}

// Principles are the statements, in the order of their texts. Scenarios name them by id, and the debrief explains decisions by them.
var Principles = []Principle{
	{ID: "scope-is-identity", From: Scope, Says: "The same key under another tenant, principal or operation is another action. Such actions are never merged, and neither gets the other's result."},
	{ID: "region-is-scope", From: Scope, Says: "Where a provider scopes its keys by region or zone, a retry in another region may execute again although its key is the same."},
	{ID: "components-stay-apart", From: Scope, Says: "The parts of an identity stay apart. Joined into one text, two different actions can read alike."},
	{ID: "changed-parameters-conflict", From: Scope, Says: "The same key with other parameters is a conflict: it makes nothing new and leaves the stored result as it is."},
	{ID: "effect-with-receipt", From: Scope, Says: "An effect and its receipt belong into one transaction. Competing attempts then make one effect, one receipt, and replays of one result."},
	{ID: "unique-receipt-comes-late", From: Scope, Says: "A unique key on the receipts does not take back a second effect that was made before its receipt was refused."},
	{ID: "transaction-ends-at-database", From: Scope, Says: "A local rollback takes nothing back that was charged, mailed or published elsewhere."},
	{ID: "expired-key-executes-again", From: Scope, Says: "A key whose receipt has expired, or was pruned, is a new request: what returns late executes again."},
	{ID: "expiry-undoes-nothing", From: Scope, Says: "A receipt that is gone does not take its order back. What must never happen twice needs a rule that outlives the receipt."},
	{ID: "restore-forgets", From: Scope, Says: "An older copy of the receipts, cleared receipts, or another store in their place forget work that was completed."},
	{ID: "lost-response-is-recorded", From: Scope, Says: "A response lost after the commit leaves the client in doubt and the receipt in place: a retry replays it."},
	{ID: "rollback-leaves-nothing", From: Scope, Says: "A failure before the commit leaves neither effect nor receipt: a retry then executes once."},
	{ID: "unreadable-is-not-empty", From: Scope, Says: "A store that is locked, out of reach or cut short has not answered \"there is none\"."},
	{ID: "in-progress-permits-nothing", From: Scope, Says: "An attempt under way does not permit a second one. A duplicate waits, is told so, or takes another documented way."},

	{ID: "canonical-request", From: Protocol, Says: "The order of properties, transport fields and filled-in defaults make no other request; target, amount and currency do."},
	{ID: "authorise-again", From: Protocol, Says: "A replay is checked against the rights of now: a principal that was revoked gets nothing sent."},
	{ID: "in-progress-never-commits", From: Protocol, Says: "Where receipt and effect commit together, a committed receipt in progress should not exist: it is investigated, not repeated."},
	{ID: "business-uniqueness", From: Protocol, Says: "Two keys can ask for one business operation. Only a rule about the business itself, such as a unique order number, tells them apart."},
	{ID: "take-over", From: Protocol, Says: "When a worker dies holding its lease, somebody must take over, and must first find out what it had done."},
	{ID: "generation-fences", From: Protocol, Says: "A worker that wakes after it was taken over must not write any more: its generation is old, and what it made may be a second effect."},
	{ID: "accepted-is-not-done", From: Protocol, Says: "A service that accepts work and does it later tells apart what is under way, done, failed and unknown, and until when. Its acceptance is no result."},
	{ID: "timeout-is-unknown", From: Protocol, Says: "A call without an answer is neither done nor not done. The provider's key or its log tells; where neither can, it stays unknown and a person reconciles."},
	{ID: "outbox-repeats", From: Protocol, Says: "A message that was sent and not marked is sent again. Only a receiver that deduplicates makes that harmless."},
	{ID: "retention-covers-retries", From: Protocol, Says: "Receipts must outlive the retries: offline clients, orders redone by hand and waiting queues come back late."},
	{ID: "count-effects", From: Protocol, Says: "Whether something was done once is counted in rows and side effects. An answer of success is one observation among others."},
	{ID: "failures-are-classified", From: Protocol, Says: "Which failures occupy the key is declared: a rejected input frees it, a stored refusal is replayed, a passing fault may be tried again."},

	{ID: "one-intent-one-key", From: Intent, Says: "A key names the action, not the attempt: it is made once, kept with the request, and sent again unchanged."},
	{ID: "new-key-is-new-action", From: Intent, Says: "A retry under a new key is, to the service, another action: it makes a second effect."},
	{ID: "same-parameters-may-be-two", From: Intent, Says: "Buying the same thing twice is two actions with two keys. Equal parameters prove no duplicate."},
	{ID: "no-secrets-in-keys", From: Intent, Says: "A key is no credential and carries none: no token, address or card number stands in it."},
	{
		ID: "receiver-must-promise", From: Intent, Says: "A header with a key promises nothing: what is deduplicated, for how long and by which comparison is the receiver's contract.",
	},
	{ID: "stored-errors-replay", From: Intent, Says: "A provider may store and replay an error, a 500 too. The stored error says what was answered, not that nothing was done."},
	{ID: "result-may-move-on", From: Intent, Says: "A retry may bring a failed action further and answer something newer. Another answer is not another action."},
	{ID: "error-is-not-erased", From: Intent, Says: "A new key to get round a stored error starts more work while the first action's outcome is still open."},
	{ID: "provider-key-is-stable", From: Protocol, Says: "What a provider is sent as its key is made from the action and lasts as long. A key made from a row dies with the row, and may be given to another action."},
	{ID: "provider-retention", From: Intent, Says: "A provider knows a key for its own time. When a minimum has passed, whether it still knows the key is unknown."},
}

// PrincipleOf finds a principle by its id, nil where there is none.
func PrincipleOf(id string) *Principle {
	at := slices.IndexFunc(Principles, func(p Principle) bool { return p.ID == id })
	if at < 0 {
		return nil
	}
	return &Principles[at]
}
