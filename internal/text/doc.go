// Package text makes bytes from data safe and measures them, for every place they are shown: screen, table, CSV cell, JSON, error.
//
// # What it is
//
// One notation. Whatever could move a cursor, hide, reorder or imitate is shown as an escape: a code point as \u{202e}, a byte that is not UTF-8 as \xff,
// a backslash as \\. Printable letters of every script stay as they are.
//
// # What it never does
//
// It drops nothing and decides nothing by what is shown: two texts are compared by their bytes, never by their safe forms.
//
// # Invariants
//
//   - Parse undoes Safe, so different bytes give different safe text.
//   - Safe text without a backslash is its own safe form.
//   - No output holds a control, a format character, a line or paragraph separator, or invalid UTF-8.
package text
