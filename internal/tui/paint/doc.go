// Package paint draws styled text on a grid of cells and turns the grid into lines.
//
// # What it never does
//
// It reads no clock, no environment and no terminal, and passes no escape through: whatever is drawn and could be obeyed stands as U+FFFD, so that a caller
// who forgot to make text safe shows it and harms nobody.
//
// # Invariants
//
//   - Lines returns exactly as many lines as the canvas is high, each exactly as many cells as it is wide.
//   - The only escapes in a line are those of the palette, and every line ends without one in force.
//   - A letter that is two cells wide is never shown by half.
package paint
