// Package report writes a scan's result for people and for programs: table, one case, JSON, JSON lines, CSV.
//
// It never decides, counts anew or reads a source: whatever it says stands in the result. Every text that comes from data goes through package text.
//
// # Invariants
//
//   - A case is written as soon as it is read: memory does not grow with their number.
//   - Fields and cases come in one fixed order; the same result gives the same bytes.
//   - Money is never a float, a byte that is not UTF-8 is never replaced, and a payload is masked unless Options.Reveal.
package report
