// Package keymap says which key does what: one table of actions, the keys bound to them, and how raw input becomes keys.
//
// It is pure: it reads no terminal, no file and no clock. Help, palette, documentation and routing are made from the one table.
//
// # Invariants
//
//   - No key stands for two actions that can be meant at the same moment.
//   - Every action has an id, a title and a line of help, and says why it is off when it is.
//   - No key that a broken escape sequence could leave behind is bound to anything.
//   - An action that leads to a record opens a dialog; no single key records anything.
package keymap
