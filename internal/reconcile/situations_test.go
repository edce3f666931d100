package reconcile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// situation is something that has happened to services, or misled those who looked after them: the scenarios that hold it, each as its file and the first words
// of its comment; or why no scenario can.
type situation struct {
	what   string
	held   []string
	beyond string
}

func held(what string, by ...string) situation { return situation{what: what, held: by} }
func beyond(what, why string) situation        { return situation{what: what, beyond: why} }

func both(what, why string, by ...string) situation {
	return situation{what: what, held: by, beyond: why}
}

// situations is everything that the model has to say something right about, as far as it is known. Nothing is taken out; what is met anew is added.
var situations = []situation{
	// What any service with receipts must stand up to, and what the simplest ones print of themselves.
	held("interrupted before the commit", "acceptance: Interrupted before the commit"),
	held("the answer lost after the commit", "acceptance: Committed, and the answer was lost"),
	held("one key arrives several times at once", "acceptance: Eight at once", "acceptance: The same at once"),
	held("one key with other parameters", "acceptance: Other parameters under a used key"),
	held("the connection times out after the provider finished", "acceptance: The provider had finished", "acceptance: The same where the log shows nothing yet"),
	held("a failure takes row and receipt back together", "acceptance: A failure took row and receipt back"),
	held("another tenant, operation or key is another action", "acceptance: Another tenant, another operation, another key", "seed: The same key under two tenants"),
	held("at the end of its life a key makes a new effect", "acceptance: At the sixtieth second"),
	held("seven effects and six receipts", "seed: The final state of a service with one database"),
	held("one saved intent and three attempts make one order", "acceptance: One saved intent"),
	held("members in another order are the same request", "acceptance: One saved intent", "differences: Fingerprints of one request, spelled twice"),
	held("a new key for an uncertain retry makes a second order", "acceptance: A new key for an uncertain retry"),
	held("a refused request does not occupy its key", "acceptance: Refused before anything was done"),

	// Unsafe conclusions: a wrong "not executed", a replay that doubles.
	held("the wish went through under another key", "replay: The same, but half a minute later"),
	held("no link is not no effect", "unknown: The effect is keyless", "hazards: The receipts hold digests of the keys"),
	held("the log ends before the last possible send", "unknown: A provider that was called and never answered"),
	held("a transaction is still open", "hazards: The effects' snapshot ends where"),
	both("a prepared transaction survived a restore", "the model sees it as coverage; the PostgreSQL reader ends that at prepared ones too", "hazards: The effects' snapshot ends where"),
	both("a standby or replica lags", "the model sees it as coverage; the PostgreSQL reader ends that at the replayed time", "hazards: The effects' snapshot ends where"),
	held("the reader may not see every row", "situations: The reader sees some rows only"),
	held("a backup or another region remembers the action", "hazards: Every sane operator adds the disk"),
	held("the key that the provider was sent died with the receipt's row", "hazards: The key sent to the provider was made from", "provider-key-collision: A column"),
	held("an id was handed out again", "references: Effect 8 was deleted", "references: The older row stands in a backup"),
	held("one leg of two was executed", "legs: The order row stands, the charge was never made", "legs: The charge stands, the service knows nothing"),
	held("a void, reversed or cancelled row stands", "legs: A void row never took effect"),
	held("a worker holds its lease", "hazards: A worker holds its lease"),
	held("a worker wakes after its lease", "hazards: The lease lapsed at 02:05", "lived: A second worker took over"),
	held("a restored outbox sends again", "hazards: The outbox was restored"),
	held("a worker restarts what a restore brought back unfinished", "legs: A worker made the effect and died", "restore: The receipt was rolled back"),
	held("a recurring job runs again after a restore", "situations: A recurring job was put back", "lived: A job will send it again"),
	held("a receipt was rolled back, not lost", "restore: The receipt was rolled back"),
	held("the provider's retention counts from the first send, and is a minimum", "replay: The provider's retention counts"),
	held("the keys of two sources were never comparable", "hazards: The receipts hold hashes"),
	held("the keys of a source were changed from some time on, or for some time", "stretches: The keys of the orders were hashed from 04:00"),
	held("the provider's log shows keys that nobody else knows", "sent-keys: Minted for each send", "sent-keys: Kept in a column"),
	held("a retry moved to another region or account", "scope-moved: The first attempt timed out", "scope-moved: One key and request under two regions"),
	held("a business rule protects only what comes after it", "hazards: A unique order number protects", "unique: The provider is called first"),
	held("compensated while the key is still open", "hazards: Undone once does not mean"),
	held("a receipt put back could answer with another's order", "hazards: Two customers, one amount", "hazards: An effect that carries the key without the tenant"),
	held("receipt and effect vanished together", "restore: Receipt and order share one database"),
	held("the edge of a receipt's life", "receipts: Within margin of the end", "lived: A store that knows no expiry"),
	held("numbers that one double holds alike", "situations: Two numbers that one double"),
	held("an operator's word turns unknown into known", "decisions: The provider's log is not read that far", "decisions: The records say that nothing was executed"),
	held("records of one action contradict each other", "receipts: One key, two requests", "legs: Amounts differ"),

	// False alarms.
	held("retention shorter than the retry window", "receipts: Effects before the contract began"),
	held("completed is not succeeded", "receipts: The receipt says done"),
	held("accepted, to be done later", "situations: Accepted with 202"),
	held("effects that never had a receipt", "receipts: Effects before the contract began", "suspected-duplicates: The key is optional"),
	held("one action makes several rows", "expects: An action makes two postings", "expects: Three stand where two"),
	held("void and retried", "legs: Two objects for one key"),
	held("fingerprints of different making", "situations: Two fingerprints that nobody declared"),
	held("a row carries part of the identity", "references: An effect that carries the key without the tenant"),
	held("a shared provider account", "receipts: Nobody claims these"),
	held("status and amount compared like with like", "legs: Amounts differ", "lived: The row stands by its own key"),
	held("popular goods", "suspected-duplicates: Not: another customer buys", "suspected-duplicates: Not: no actor is mapped"),
	held("an unknown outcome that is known", "replay: Nothing was executed", "acceptance: Interrupted before the commit"),
	held("a business number used again after a void", "unique: Not: the first was voided", "unique: Not: another number"),
	held("archived rows", "receipts: The receipt says done", "lived: Rows older than four hours"),
	beyond("holes in ids", "no rule looks at them: they are no evidence"),
	held("digits that only look like a card", "sensitive-key: Not: sixteen digits"),
	held("a log that always trails", "watermarks: A log that trails behind"),
	held("rows without a time", "seed: The final state", "unknown: Neither store tells its rows' times"),
	both("a stretch of orphans looks like a restore", "what is inferred over a whole store is proposed by the scan, and its own tests hold it; undeclared, the plain kinds stay", "restore: Receipts restored to 02:10"),
	held("a long job renews its lease", "situations: A job of hours"),

	// Restores.
	held("restored, cleared, switched, promoted, in part", "restore: Receipts restored", "simulated: The receipts were cleared", "situations: Only one tenant", "situations: A machine took over"),
	beyond("signs of a restore in the data", "they are of a whole store: the scan and the restore command look for them"),
	both("some receipts vanish all along", "a finding of the contract, which the scan makes from counts", "receipts: Effects before the contract began"),
	held("both sides of a parted network wrote", "situations: Both sides of a parted network"),
	held("an inbox or cursor store went back", "lived: The book of the clients went back", "hazards: The outbox was restored"),
	beyond("receipts are put back by a plan", "the restore command writes it, and its tests run it against a database"),
	held("the audit trail itself went back", "decisions: The audit trail was rolled back"),

	// Failures that happened: leases and generations.
	held("stuck in progress for good", "situations: A receipt in progress without any lease", "unknown: A worker that lost its lease may wake"),
	beyond("seconds taken for milliseconds", "a bare number is refused with its likely unit when it is read"),
	held("the effect was made, and its receipt not finished or removed", "legs: A worker made the effect and died", "seed: The same key under two tenants"),
	held("two makers disagree when a lease may be taken", "lived: By one clock the lease lives"),
	held("a stalled worker overwrites its successor", "stale-generation: A worker of generation 1", "stale-generation: Both made one"),

	// Failures that happened: scopes and fingerprints.
	held("one key space for all", "provider-key-collision: Two tenants use one key", "scope-breach: A receipt of one tenant"),
	held("one operation answers with another's receipt", "scope-breach: Another operation's row", "situations: Two sources of one contract"),
	beyond("a fingerprint that leaves out what matters", "what is in no record cannot be compared; where parameters are mapped they are"),
	held("null against nothing, a number against a text", "differences: Null against nothing", "situations: A number and the same digits"),
	held("a key made from the payload changes with a retry", "suspected-duplicates: The client's first send was lost", "suspected-duplicates: Both executed"),
	held("a corrected request under the same key", "receipts: One key, two requests"),
	held("a failure of the server is remembered", "situations: A failure of the server", "receipts: One key, two requests"),

	// Failures that happened: providers, outboxes, encodings.
	held("two calls with one key both applied", "legs: Two objects for one key"),
	held("a provider without keys", "replay: A key that the library mints anew", "hazards: The lease lapsed at 02:05"),
	held("charged several times under new keys", "suspected-duplicates: Both executed", "acceptance: A new key for an uncertain retry"),
	held("an order without its second step", "legs: The order row stands, the charge was never made"),
	held("a charge without an order", "legs: The charge stands, the service knows nothing"),
	held("charged, and the order waits for ever", "situations: The customer was charged"),
	held("the loser of a race runs its side effects", "acceptance: The same at once"),
	held("delivered twice by inbox and outbox, or after a failed mark", "hazards: The outbox was restored"),
	held("a message that no relay matches", "situations: A message that no relay matches", "lived: The message waits to be sent"),
	beyond("bytes that a store refuses or alters", "keys are bytes here; the readers' own tests hold what each store does to them"),
	beyond("a collation or normal form merges keys", "declared by compare, and held by the tests of identities; undeclared, bytes decide"),
	beyond("amounts that are fractions of fractions", "amounts are whole minor units; a number that is none makes its row unreadable"),
	beyond("times without a zone", "they make the row unreadable unless a zone is declared"),
	beyond("weak likeness scored", "there is no score: likeness names candidates and joins nothing"),
	held("a restored system looks well until its first write", "restore: Receipts restored to 02:10"),
}

// TestSituationsAreHeld looks for each situation's scenarios.
func TestSituationsAreHeld(t *testing.T) {
	t.Parallel()
	comments := make(map[string][]string)
	seen := make(map[string]bool)
	for _, s := range situations {
		if seen[s.what] {
			t.Errorf("%s: named twice", s.what)
		}
		seen[s.what] = true
		if len(s.held) == 0 && s.beyond == "" {
			t.Errorf("%s: neither held nor beyond", s.what)
		}
		for _, where := range s.held {
			file, words, _ := strings.Cut(where, ": ")
			if comments[file] == nil {
				comments[file] = commentsOf(t, file)
			}
			found := 0
			for _, c := range comments[file] {
				if strings.HasPrefix(c, words) {
					found++
				}
			}
			if found != 1 {
				t.Errorf("%s: %d scenarios of %s begin with %q", s.what, found, file, words)
			}
		}
	}
}

// commentsOf lists the first lines of the comments of a scenario file that are followed by a scenario.
func commentsOf(t *testing.T, file string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "scenarios", file))
	if err != nil {
		t.Fatal(err)
	}
	first := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		comment, is := strings.CutPrefix(line, "# ")
		switch {
		case is && first == "":
			first = comment
		case line == "judge" || strings.HasPrefix(line, "judge "):
			out = append(out, first)
			first = ""
		case !is:
			first = ""
		}
	}
	return out
}
