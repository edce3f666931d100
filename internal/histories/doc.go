// Package histories invents stores whose truth is known: small histories of one service, with faults, and large files of mostly healthy rows.
//
// # What it is
//
// Generate runs a service with clients, receipts, business rows, a provider and an outbox, breaks it in the ways that the model knows of, and returns the
// records that would be left together with what really happened. Replay lets the same service handle an action once more, from where the history ended:
// so a test need not argue whether a retry doubles an effect, it looks. WriteBulk writes a million healthy rows a source with a few planted anomalies.
//
// # What it never does
//
// It judges nothing and knows no rule: the truth comes from the simulation alone. It reads no clock, and nothing but the tests of this module uses it.
//
// # Invariants
//
//   - The same seed makes the same history, to the last byte.
//   - A service keeps what its contract promises (settle, lease, dead_after, lag, the provider's retention), and nothing more.
//   - A restore is declared; a row that is deleted by hand is no longer counted as executed.
package histories
