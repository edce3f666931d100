// Package tui is the console: it shows cases with their evidence, takes decisions from the person on call, and shows the trail of them.
//
// # How it is made
//
// One tea.Model, the root. Screens and dialogs are plain structs: they draw themselves, act on actions, and take results. Keys become actions in package
// keymap, rows live in package caselist, cells are painted by package paint. All I/O is in cmds.go, in commands that carry a context and a generation: what
// comes back from an older question is dropped.
//
// # What it never does
//
// It has no rule of its own, reads no store and no trail itself, sends nothing, and starts no goroutine. No single key records anything. It asks nothing of
// the terminal, so a silent one costs no time.
//
// # Invariants
//
//   - Cursor and marks belong to case ids, not to lines; a decision carries the ids and evidence digests that were on the screen when its dialog opened.
//   - Nothing is decided while sources are read, while the list is of an older filter, or while the trail is in trouble.
//   - Every text that comes from data passes package text before it is drawn, and paint refuses what did not.
//   - A screen at rest writes nothing and wakes nobody.
package tui
