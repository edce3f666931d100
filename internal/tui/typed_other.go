//go:build !linux

package tui

import "os"

// forgetTyped throws away what was typed before the console had the terminal, where the system can.
func forgetTyped(*os.File) {}
