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

// About says in a line what a text is about.
func (t Text) About() string {
	return [...]string{
		Scope:    "A key names one action, within a scope and for a time",
		Protocol: "How a service keeps that promise",
		Intent:   "What a client owes",
	}[t]
}

// Principle is one statement about what must happen.
type Principle struct {
	ID   string
	From Text
	Says string
	// Not tells why no scenario can show it, "" where one must.
	Not string
	// Rules are the files of internal/reconcile/testdata/scenarios that hold the core to it.
	Rules []string
}

// Principles are the statements, in the order of their texts. Scenarios name them by id, and the debrief explains decisions by them.
var Principles = []Principle{
	{ID: "scope-is-identity", From: Scope, Says: "The same key under another tenant, principal or operation is another action. Such actions are never merged, and neither gets the other's result.", Rules: []string{"seed", "scope-breach"}},
	{
		ID: "scope-is-verified", From: Scope, Says: "Tenant and principal of a key are those who were authenticated, not those whom a header names; the operation has a stable name; and whether several callers of one principal share an action is agreed.",
		Not: "no record tells how its scope was found out; where an operation was renamed while its keys were open, that is noticed and replay is refused", Rules: []string{"twins", "scope-breach"},
	},
	{ID: "region-is-scope", From: Scope, Says: "Where a provider scopes its keys by region or zone, a retry in another region may execute again although its key is the same.", Rules: []string{"scope-moved"}},
	{ID: "components-stay-apart", From: Scope, Says: "The parts of an identity stay apart. Joined into one text, two different actions can read alike.", Rules: []string{"provider-key-collision"}},
	{ID: "changed-parameters-conflict", From: Scope, Says: "The same key with other parameters is a conflict: it makes nothing new and leaves the stored result as it is.", Rules: []string{"receipts", "differences"}},
	{ID: "effect-with-receipt", From: Scope, Says: "An effect and its receipt belong into one transaction. Competing attempts then make one effect, one receipt, and replays of one result.", Rules: []string{"acceptance", "seed"}},
	{ID: "unique-receipt-comes-late", From: Scope, Says: "A unique key on the receipts does not take back a second effect that was made before its receipt was refused.", Rules: []string{"acceptance", "expects"}},
	{ID: "transaction-ends-at-database", From: Scope, Says: "A local rollback takes nothing back that was charged, mailed or published elsewhere.", Rules: []string{"legs"}},
	{ID: "expired-key-executes-again", From: Scope, Says: "A key whose receipt has expired, at the very instant too, or was pruned, is a new request: what returns late executes again.", Rules: []string{"seed", "receipts"}},
	{ID: "expiry-undoes-nothing", From: Scope, Says: "A receipt that is gone does not take its order back. What must never happen twice needs a rule that outlives the receipt.", Rules: []string{"receipts", "unique"}},
	{ID: "restore-forgets", From: Scope, Says: "An older copy of the receipts, cleared receipts, or another store in their place forget work that was completed. What a recovery must keep is how receipts and business data belong together.", Rules: []string{"restore"}},
	{ID: "lost-response-is-recorded", From: Scope, Says: "A response lost after the commit leaves the client in doubt and the receipt in place: a retry replays it.", Rules: []string{"seed", "acceptance"}},
	{ID: "rollback-leaves-nothing", From: Scope, Says: "A failure before the commit leaves neither effect nor receipt: a retry then executes once.", Rules: []string{"acceptance", "replay"}},
	{ID: "unreadable-is-not-empty", From: Scope, Says: "A store that is locked, out of reach or cut short has not answered \"there is none\".", Rules: []string{"unknown"}},
	{ID: "in-progress-permits-nothing", From: Scope, Says: "An attempt under way does not permit a second one. A duplicate waits, is told so, or takes another documented way.", Rules: []string{"situations", "receipts"}},

	{ID: "canonical-request", From: Protocol, Says: "The order of properties, the spelling of a number, transport fields and filled-in defaults make no other request; target, amount and currency do. The comparison knows the version of the interface.", Rules: []string{"differences"}},
	{ID: "authorise-again", From: Protocol, Says: "Before a receipt is looked up, and before anything is replayed, the rights of now are checked: a principal that was revoked gets nothing sent.", Rules: []string{"replay"}},
	{ID: "in-progress-never-commits", From: Protocol, Says: "Where receipt and effect commit together, a committed receipt in progress should not exist: it is investigated, not repeated.", Rules: []string{"unknown", "situations"}},
	{
		ID: "loser-reads-anew", From: Protocol, Says: "Who loses the race for a key reads the winner's result in a statement of its own: the view of the first does not show it.",
		Not: "how a database lets the loser read leaves no record behind; what goes wrong without it is lookup-race",
	},
	{ID: "business-uniqueness", From: Protocol, Says: "Two keys can ask for one business operation. Only a rule about the business itself, such as a unique order number, tells them apart.", Rules: []string{"unique"}},
	{ID: "take-over", From: Protocol, Says: "When a worker dies holding its lease, somebody must take over, and must first find out what it had done.", Rules: []string{"legs", "stale-generation"}},
	{ID: "generation-fences", From: Protocol, Says: "A worker that wakes after it was taken over must not write any more: its generation is old, and what it made may be a second effect.", Rules: []string{"stale-generation"}},
	{ID: "accepted-is-not-done", From: Protocol, Says: "A service that accepts work and does it later tells apart what is under way, done, failed and unknown, and until when. Its acceptance is no result.", Rules: []string{"situations"}},
	{ID: "timeout-is-unknown", From: Protocol, Says: "A call without an answer is neither done nor not done. The provider's key or its log tells; where neither can, it stays unknown and a person reconciles.", Rules: []string{"acceptance", "unknown", "hazards"}},
	{ID: "provider-key-is-stable", From: Protocol, Says: "What a provider is sent as its key is made from the action and lasts as long. A key made from a row dies with the row, and may be given to another action.", Rules: []string{"provider-key-collision", "hazards"}},
	{ID: "outbox-with-effect", From: Protocol, Says: "What must be sent after an action is written down in the action's own transaction: no order stands whose message nobody will send, and nothing is sent for one that was rolled back.", Rules: []string{"situations"}},
	{ID: "outbox-repeats", From: Protocol, Says: "A message that was sent and not marked is sent again. Only a receiver that deduplicates makes that harmless.", Rules: []string{"situations", "silent"}},
	{ID: "retention-covers-retries", From: Protocol, Says: "Receipts must outlive the retries: offline clients, orders redone by hand and waiting queues come back late.", Rules: []string{"receipts"}},
	{ID: "count-effects", From: Protocol, Says: "Whether something was done once is counted in rows and side effects. An answer of success is one observation among others.", Rules: []string{"expects", "legs"}},
	{
		ID: "stored-answers-are-limited", From: Protocol, Says: "Length and form of keys and the size of stored answers are limited, and what is sensitive is kept as a reference that is authorised again when it is read.",
		Not: "it is kept at the door of the service, where idemctl does not stand; payloads are masked on every screen for the same reason",
	},
	{ID: "failures-are-classified", From: Protocol, Says: "Which failures occupy the key is declared: a rejected input frees it, a stored refusal is replayed, a passing fault may be tried again. Only what was never begun may be corrected under its key.", Rules: []string{"acceptance", "failures", "differences"}},
	{
		ID: "every-fault-has-a-way", From: Protocol, Says: "Each point at which an action can break off has its state, its behaviour of retries and its way for a person.",
		Not: "no single night shows it: all of them together do",
	},

	{ID: "one-intent-one-key", From: Intent, Says: "A key names the action, not the attempt: it is made once, kept with the request and its target before the first send, and sent again unchanged. A recovery guesses no other.", Rules: []string{"acceptance"}},
	{ID: "new-key-is-new-action", From: Intent, Says: "A retry under a new key is, to the service, another action: it makes a second effect.", Rules: []string{"suspected-duplicates"}},
	{ID: "same-parameters-may-be-two", From: Intent, Says: "Buying the same thing twice is two actions with two keys. Equal parameters prove no duplicate, and a hash of them is no key.", Rules: []string{"suspected-duplicates"}},
	{ID: "no-secrets-in-keys", From: Intent, Says: "A key is no credential and carries none: no token, address or card number stands in it, and to own one is no right to the stored answer.", Rules: []string{"sensitive-key"}},
	{ID: "receiver-must-promise", From: Intent, Says: "A header with a key promises nothing: what is deduplicated, for how long, by which comparison and what a duplicate is told meanwhile is the receiver's contract. Calling the whole exactly-once supplies none.", Rules: []string{"replay"}},
	{ID: "stored-errors-replay", From: Intent, Says: "A provider may store and replay an error, a 500 too. The stored error says what was answered, not that nothing was done.", Rules: []string{"situations", "failures"}},
	{ID: "result-may-move-on", From: Intent, Says: "A retry may bring a failed action further and answer something newer. Another answer is not another action.", Rules: []string{"legs"}},
	{ID: "error-is-not-erased", From: Intent, Says: "A new key to get round a stored error starts more work while the first action's outcome is still open. The first is settled first, in the way that its service documents.", Rules: []string{"suspected-duplicates"}},
	{ID: "provider-retention", From: Intent, Says: "A provider knows a key for its own time. When a minimum has passed, whether it still knows the key is unknown.", Rules: []string{"hazards", "replay"}},
}

// PrincipleOf finds a principle by its id, nil where there is none.
func PrincipleOf(id string) *Principle {
	at := slices.IndexFunc(Principles, func(p Principle) bool { return p.ID == id })
	if at < 0 {
		return nil
	}
	return &Principles[at]
}
