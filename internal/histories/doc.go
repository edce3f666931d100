// Package histories invents stores whose truth is known: small histories of one service, with faults, and large files of mostly healthy rows.
//
// # What it is
//
// Generate runs a service with clients, receipts, business rows, a provider and an outbox, breaks it in the ways that the model knows of, and returns the
// records that would be left together with what really happened. Replay lets the same service handle an action once more, from where the history ended:
// so a test need not argue whether a retry doubles an effect, it looks. WriteBulk writes a million healthy rows a source with a few planted anomalies.
//
// # When a fault is determinable
//
// History.Faults lists what is wrong, by what happened. A fault is determinable, and its Hidden empty, where the stores show it:
//
//   - It still stands: what was undone, or is about to change by itself, is none any more, or not yet one. What a row says counts where its source was read to
//     after what speaks against it, by clocks that may be wrong: else it may have been changed by then, in a transaction that the source does not show yet.
//   - Every record that makes it is among those which a scan reads, and says whose it is: by the whole key, or by an id which a record with that key names, no
//     record of another action carries, no second row bears nor, before a restore, can have borne, and no amount or request of the action speaks against.
//   - Where something is missing: the source that lacks it carries keys, keeps nothing as old as the action back, and reaches from before the first send to
//     after whatever the last can have been: every send stands in a client's book that no restore touched, and the time of skew, settle, lag, lease and
//     dead_after after the last act is over. Where it is to be proved that something never happened, no restore of that source lies between.
//   - No other store says the contrary.
//
// A replay is safe where nothing was executed and will be, every place shows that, the key of every send is known, and no other key of the tenant asks for the
// same. Both are read from the simulation and the bare facts of the records; no rule is asked.
//
// # What it never does
//
// It judges nothing and knows no rule: the truth comes from the simulation alone. It reads no clock, and nothing but the tests of this module uses it.
//
// # Invariants
//
//   - The same seed makes the same history, to the last byte.
//   - A service keeps what its contract promises (settle, lease, dead_after, lag, the provider's retention), and nothing more.
//   - A restore is declared, from the beginning of the oldest transaction that its backup does not hold; a row that is deleted by hand is no longer counted as
//     executed.
//   - A region that takes over has receipts of its own. The provider's memory is one for both, or each of its regions has its own; a switch without new receipts
//     shows in the clients' book.
//   - A service that declares a unique rule gives up where the database refuses its row; it does not look for the row of an earlier worker.
//   - A key is used for a second request, and a provider charges another amount, only where the stores could tell: where a client's book is read and kept, and
//     where the log and the rows carry keys.
package histories
