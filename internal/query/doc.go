// Package query is the language in which cases are filtered.
//
//	severity>=high kind:orphaned-effect,unknown-outcome tenant:north-* age>2h -decision:live
//
// A query is words side by side, all of which must hold; "or", parentheses and a leading minus combine them. A word is a field with a comparison, or text to
// be found in the case's id, identity and kinds. A text without capitals finds capitals too; quotes keep spaces together; "*" in a value stands for anything.
//
// # What it never does
//
// It reads nothing and changes nothing, and an unknown fact matches no comparison: "age>2h" does not find a case whose age is not known, and neither does
// "age<=2h". "age:unknown" does.
//
// # Invariants
//
//   - Parse never panics, and accepts what String writes.
//   - An error says where it is and what could stand there.
package query
