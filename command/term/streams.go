// Package term is what commands share at a terminal, from files that appear whole
// to the flags that several commands take.
package term

import (
	"errors"
	"fmt"
	"io"
)

// Streams are the standard streams of a command, so that a test can pass its
// own.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// ErrNo is returned by a command whose check said no, after it has printed
// why. It is not printed again.
var ErrNo = errors.New("a check said no")

// ErrGate is returned by a gate that stays closed, after it has printed why. It
// is not printed again.
var ErrGate = errors.New("the gate is closed")

// Complain writes to standard error. That this fails can be told to nobody.
func Complain(w io.Writer, text string) {
	fmt.Fprintln(w, "sotto:", text) //nolint:errcheck // see above
}
