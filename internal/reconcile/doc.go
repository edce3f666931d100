// Package reconcile is the model: what idemctl knows of a service's receipts, effects, provider entries, intents and outbox messages, and what it may conclude.
//
// # What it is
//
// Values and pure functions. Assemble joins records to subjects, Judge concludes what happened to one of them, Guard says which decisions are allowed.
// Findings is the table of the kinds, Guards the table of the guard's answers; docs, console and training are made from them.
//
// # What it never does
//
// It does no I/O, reads no clock, starts no goroutine, uses no float and imports nothing but the standard library.
//
// # Invariants
//
//   - The order and repetition of records change no case, id, kind or verdict.
//   - An absence is concluded only where a source covers it (World, Coverage); a failing source adds no finding.
//   - Unknown is a value of its own (Value, Instant, Number, Amount, Span) and never becomes "no".
//   - matched + in flight + explained + inconclusive + unclaimed + cases = subjects.
//   - Guard allows no replay of what might stand unless every such leg recognises the key beyond now + margin.
package reconcile
