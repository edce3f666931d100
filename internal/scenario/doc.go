// Package scenario is training: what a scenario asks for, what a person did, and what that was worth.
//
// A scenario is a fixture (a config, its data, and scenario.yaml) told as a story, with steps, and with the answer key that the tests hold the whole program to.
// A Play follows one person through it: it is told what was seen and decided, says which step comes next, and in the end what each decision would have
// caused.
//
// # What it never does
//
// It is no second engine: it reads no source, judges no case, and asks no guard. What a scan finds, what the guard refuses and what the trail records comes
// from the packages that do it for real systems. It knows no screen.
//
// # Invariants
//
//   - A step ends on something that was observed, never on a key pressed to go on.
//   - A decision that stands at the end counts; one that was taken back, or that the guard refused, did no harm and is told as such.
//   - Every case of the answer key is in the debrief, also those that nobody looked at.
package scenario
