// Command sotto makes vectors of text differentially private, checks what is
// claimed of such methods, attacks them, and trains models on them.
//
//	sotto epsilon ome --dim 50 --bits 10 --lambda 100 --epsilon 1
//	sotto audit laplace-l1 --dim 300 --epsilon 8
//	sotto privatize laplace-l1 --epsilon 8 --in vectors.npy --out private.npy
//	sotto train --data reviews --method federate --epsilon 8 --out model
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
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"sotto/internal/fault"
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
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run executes one command and returns its exit code.
func run(ctx context.Context, args []string, std streams) int {
	err := execute(ctx, args, std)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNo):
		return exitNo
	case errors.Is(err, errGate):
		return exitGate
	case errors.Is(err, context.Canceled):
		complain(std.err, "interrupted; nothing was released")
		return exitUse
	}
	complain(std.err, err.Error())
	if errors.Is(err, fault.ErrFault) {
		return exitInternal
	}
	return exitUse
}

func execute(ctx context.Context, args []string, std streams) (err error) {
	defer fault.Catch(&err)
	root := newRoot(std)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
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
such methods, attacks them, and trains models on them.

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
	root.AddCommand(newEpsilon(std), newAudit(std), newPrivatize(std), newData(std), newTrain(std), newEvaluate(std), newReproduce(std), newEncode(std), newEncoder(std), newTokens(std), newMeasure(std), newAttack(std), newReport(std), newGate(std), newDemo(std), newGateway(std), newServe(std), newBudget(std), newBias(std))
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
