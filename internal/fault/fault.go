// Package fault turns a panic into an error that says where it happened and
// never what it was about: the value of a panic, or an argument on the stack,
// could quote a private input.
//
// It is for the tops of goroutines and of the program, not for control flow.
//
// It is small and imports nothing of ours, since whatever starts a goroutine needs it.
package fault

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
)

// ErrFault is wrapped by every error that [Catch] makes.
var ErrFault = errors.New("internal fault; nothing was released; please report these places")

// Catch sets *err if the deferring function panics. It is used as
//
//	defer fault.Catch(&err)
func Catch(err *error) {
	if recover() != nil {
		*err = fmt.Errorf("%w:%s", ErrFault, places())
	}
}

// places lists the functions and lines that led to the panic.
func places() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	text := ""
	for {
		f, more := frames.Next()
		text += fmt.Sprintf("\n  %s (%s:%d)", f.Function, filepath.Base(f.File), f.Line)
		if !more {
			return text
		}
	}
}
