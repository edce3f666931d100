package scan

import (
	"fmt"
	"runtime/debug"
)

// panicked is a panic of a goroutine, turned into an error so that the scan ends as a failure and not as a crash.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("internal error: %v", p.value) }

// spawn starts f in the one place where a goroutine starts, and sends what it returns to done. A panic in f is recovered and sent as an error.
func spawn(done chan<- error, f func() error) {
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- &panicked{value: v, stack: debug.Stack()}
			}
		}()
		done <- f()
	}()
}
