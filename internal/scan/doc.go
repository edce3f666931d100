// Package scan is the pipeline: read, sieve, fetch, judge, keep.
//
// # The way of a row
//
// Every source is read at once, each in its natural order. A row becomes one 64-byte trace, which goes to the partition of its key text; nothing else of
// it is kept. In a partition the traces of one identity meet: where every rule would say nothing, the subject is counted and forgotten; everything else is a
// suspect. The exact rows of suspects are read again by position, joined and judged by package reconcile, and what is a case is kept.
//
//	source → map → trace → partition by key → healthy: counted
//	                                        → suspect: cluster → fetch → Assemble → Judge → case
//
// # What it never does
//
// It has no rule of its own: the sieve may only call healthy what reconcile would. It knows no screen, and writes nothing but what Options.Out names.
//
// # Invariants
//
//   - Memory is bounded by Options.MemBudget and by the number of suspects, never by the number of rows.
//   - Cases and counts are those of judging all records at once, whatever the order of rows.
//   - A cancelled or failed scan leaves no file.
//
// # Where it is bounded
//
// A suspect is judged beside the rows of other actions that ask, or may ask, for the same: of each thing that it asks for, the nearest eight on either side
// in time of its own first and last send, and eight that tell no time. What is asked for is told together by all rows that references join, as far as they
// may be one action's. Reconcile names five twins, the nearest in time; of an action that tells no time, the first. So both name the same, unless more than
// eight stand on one side within one second, or tell no time: then the verdict is the same, and which of them are named is not.
package scan
