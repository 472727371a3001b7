package ledger

import (
	"fmt"
	"time"

	"sotto/internal/fault"
)

// Within runs f, and waits for it no longer than a time. What f does then, it
// does alone.
func Within(limit time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer fault.Catch(&err)
		err = f()
	}()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return fmt.Errorf("no answer within %v", limit)
	}
}
