// Package termguard keeps bubbletea from asking the terminal for its background before main runs.
//
// bubbletea v1 asks in its init, and waits five seconds on a terminal that answers nothing, for every command of a binary that imports it. This package
// answers the question beforehand, without writing to the terminal. It works only while its import path sorts before bubbletea's, as Go initialises
// packages that are ready in the order of their paths; a test with a silent terminal notices when it no longer does.
//
// It is imported for that effect alone, and reads and decides nothing.
package termguard

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
