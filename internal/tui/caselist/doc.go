// Package caselist keeps the rows of the queue: a million cases in small structs, filtered and ordered off the event loop.
//
// # What it never does
//
// It judges nothing and reads no source; a row is a shadow of a case, for listing alone. Whoever decides reads the case itself.
//
// # Invariants
//
//   - Rows are only ever appended, and a row never changes once a Snapshot holds it: a Snapshot may be read while more arrive.
//   - A row's index and its case id belong together as long as the List lives.
//   - What is decided about cases is a slice of its own that is replaced, not changed.
package caselist
