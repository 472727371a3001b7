package fault_test

import (
	"errors"
	"strings"
	"testing"

	"sotto/internal/fault"
)

func panics(value string) (err error) {
	defer fault.Catch(&err)
	panic(value)
}

func TestCatch(t *testing.T) {
	err := panics("a private value")
	if !errors.Is(err, fault.ErrFault) || !strings.Contains(err.Error(), "fault_test.go") || strings.Contains(err.Error(), "private") {
		t.Errorf("Catch made %v, want the place and not the value", err)
	}
	calm := func() (err error) {
		defer fault.Catch(&err)
		return nil
	}
	if err := calm(); err != nil {
		t.Errorf("Catch made %v of no panic", err)
	}
}
