// Command sotto makes vectors of text differentially private, checks what is
// claimed of such methods, and attacks them.
//
//	sotto epsilon ome --dim 50 --bits 10 --lambda 100 --epsilon 1
//	sotto audit laplace-l1 --dim 300 --epsilon 8
//	sotto privatize laplace-l1 --epsilon 8 --in vectors.npy --out private.npy
//
// Exit codes, the same for every command: 0 done; 1 a check said no; 2 wrong
// use or bad input; 3 a gate failed; 4 an internal fault.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitDone     = 0
	exitNo       = 1
	exitUse      = 2
	exitGate     = 3
	exitInternal = 4
)

// errNo is returned by a command whose check said no, after it has printed
// why. It is not printed again.
var errNo = errors.New("a check said no")

// streams are the standard streams of a command, so that a test can pass its
// own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// run executes one command and returns its exit code.
func run(ctx context.Context, args []string, std streams) (code int) {
	defer func() {
		if p := recover(); p != nil {
			// The value of a panic, or an argument on the stack, could quote an
			// input: only the places are shown.
			complain(std.err, "internal fault; nothing was released; please report these places:"+places())
			code = exitInternal
		}
	}()
	root := newRoot(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNo):
		return exitNo
	case errors.Is(err, context.Canceled):
		complain(std.err, "interrupted; nothing was released")
		return exitUse
	}
	complain(std.err, err.Error())
	return exitUse
}

// places lists the functions and lines that led to a panic.
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

// complain writes to standard error. That this fails can be told to nobody.
func complain(w io.Writer, text string) {
	fmt.Fprintln(w, "sotto:", text) //nolint:errcheck // see above
}

func newRoot(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "sotto",
		Short: "Private vectors of text, with an ε that is true",
		Long: `sotto makes vectors of text differentially private, checks what is claimed of
such methods, and attacks them.

Exit codes: 0 done; 1 a check said no (refuted, over budget); 2 wrong use or
bad input; 3 a gate failed; 4 an internal fault.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.AddCommand(newEpsilon(std), newAudit(std), newPrivatize(std), newData(std))
	return root
}

// version returns the module's version and commit as the build recorded them.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v += " " + s.Value[:12]
		}
	}
	return v
}
