package tui

import (
	"os"

	"golang.org/x/sys/unix"
)

// forgetTyped throws away what was typed before the console had the terminal: it was meant for something else.
func forgetTyped(in *os.File) {
	_ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH) // a terminal that cannot forget shows the keys; none of them records anything
}
