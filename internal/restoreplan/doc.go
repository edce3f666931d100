// Package restoreplan writes the receipts that a restore lost as guarded inserts in the store's own columns.
//
// It has a package of its own because it turns conclusions back into rows, which neither the readers of stores nor the rules may do.
//
// # What it is
//
// New takes what a scan knew, with its cases; SQL and JSONL write the plan as they go through these, and keep none. A receipt is built by reading the map of its source backwards
// (words, times, members, constants, prefixes), and is then read again through that map: only a row that says what it was built to say is planned.
//
// # What it never does
//
// It does no I/O and runs nothing. It plans no receipt that the guard would not put back. It invents no fingerprint, answer or request: what no record tells
// and no contract rebuilds is listed as unbuildable, with the reason.
//
// # Invariants
//
//   - A value from data is one literal, whatever it holds: it never ends a string, a line or a comment.
//   - Every insert is guarded by itself: no receipt of the key stands, and the effect still does where it lies in the same database.
//   - A receipt put back lives at least to the end of the retry window.
package restoreplan
