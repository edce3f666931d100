package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"example.com/idemctl/internal/text"
)

// clipboard is where a copied text goes besides the terminal's own clipboard: tmux keeps what a program asks its terminal to copy from everybody, unless it is
// told otherwise, and takes a text that is given to itself.
func clipboard(getenv func(string) string) func(context.Context, string) (string, error) {
	if getenv("TMUX") == "" {
		return nil
	}
	return func(ctx context.Context, s string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
		cmd.Stdin = bytes.NewReader([]byte(s))
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("tmux took no copy: %w: %s", err, text.Once(string(out)))
		}
		return "tmux's buffer, and through it to the terminal's clipboard", nil
	}
}

// suspension stops the process as a shell's ctrl+z does. It is nil where no shell would wake it again.
func suspension() func() error {
	parent := os.Getppid()
	session, err := unix.Getsid(0)
	theirs, err2 := unix.Getsid(parent)
	group, err3 := unix.Getpgid(parent)
	if err != nil || err2 != nil || err3 != nil || session != theirs || group == unix.Getpgrp() {
		return nil // stopping would be for good, or not happen at all
	}
	return func() error {
		awake := make(chan os.Signal, 1)
		signal.Notify(awake, syscall.SIGCONT)
		defer signal.Stop(awake)
		if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
			return fmt.Errorf("stopping: %w", err)
		}
		select {
		case <-awake:
		case <-time.After(time.Second): // no longer stopped, or never: the time of a process that is stopped passes too
		}
		return nil
	}
}
