// Package command is the command sotto: its root, what its exit codes mean, and how
// studies bring theirs along. Each folder below holds a group of commands.
package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/attack"
	"sotto/command/claims"
	"sotto/command/data"
	"sotto/command/estimate"
	"sotto/command/learn"
	"sotto/command/measure"
	"sotto/command/report"
	"sotto/command/serve"
	"sotto/command/term"
	"sotto/command/vectors"
	"sotto/internal/fault"
	"sotto/internal/version"
)

// commands returns those of every group.
func commands(std term.Streams, studies Studies) []*cobra.Command {
	return slices.Concat(claims.Commands(std), vectors.Commands(std, studies.types()), data.Commands(std), learn.Commands(std),
		measure.Commands(std), estimate.Commands(std), attack.Commands(std), studies.commands(std), report.Commands(std, studies.kinds()), serve.Commands(std), keyCommands(std), studioCommands(std, studies.tabs(), studies.kinds()),
		[]*cobra.Command{newVersion(std), newManual()})
}

// Exit codes.
const (
	ExitDone     = 0
	ExitNo       = 1
	ExitUse      = 2
	ExitGate     = 3
	ExitInternal = 4
)

// Run executes one command, of the core or of a study, and returns its exit code.
func Run(ctx context.Context, args []string, std term.Streams, studies ...Study) int {
	words := term.NewScreen(std.Err).Words()
	std.Err = words
	err := execute(ctx, args, std, studies)
	words.Quiet()
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, term.ErrNo):
		return ExitNo
	case errors.Is(err, term.ErrGate):
		return ExitGate
	case errors.Is(err, context.Canceled):
		term.Complain(std.Err, "interrupted; nothing was released")
		return ExitUse
	}
	term.Complain(std.Err, err.Error())
	if errors.Is(err, fault.ErrFault) {
		return ExitInternal
	}
	return ExitUse
}

func execute(ctx context.Context, args []string, std term.Streams, studies Studies) (err error) {
	defer fault.Catch(&err)
	root := NewRoot(std, studies...)
	// Shells ask for completions by commands of their own. Nobody else needs them, and
	// cobra keeps what is completed for as long as the program runs.
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		complete(root, studies, Study{})
	}
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// NewRoot returns the command sotto with those studies.
func NewRoot(std term.Streams, studies ...Study) *cobra.Command {
	screen := term.NewScreen(std.Out)
	std.Out = screen
	root := term.Group(&cobra.Command{
		Use:   "sotto",
		Short: "Private vectors of text, with an ε that is true",
		Long: `sotto makes vectors of text differentially private, checks what is claimed of
such methods, attacks them, and trains models on them.

Exit codes: 0 done; 1 a check said no (refuted, over budget); 2 wrong use or
bad input; 3 a gate failed; 4 an internal fault.

Environment: SOTTO_DATA is the folder of data sets; SOTTO_MODELS is the folder of
fetched encoders; NO_COLOR, if it is not empty, turns colours off.`,
		Version: version.Get().String(),
		// Only what stands on the command line may name programs and addresses that texts
		// go to: files of settings are read later.
		PersistentPreRun: func(c *cobra.Command, _ []string) {
			c.SetContext(Studies(studies).within(term.Permit(c.Context(), c.Flags())))
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}, commands(std, studies)...)
	root.PersistentFlags().BoolVar(&screen.Wide, "wide", false, "show all columns of tables, however narrow the terminal is")
	root.PersistentFlags().Var(&screen.Paint, "color", "when to colour verdicts: auto (a terminal has colours and NO_COLOR is not set), always or never")
	root.SetFlagErrorFunc(term.FlagError)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	declared(root)
	return root
}

// declared keeps the flags of a command, and of those below it, in the order in
// which they are declared.
func declared(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.PersistentFlags().SortFlags = false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.DefValue == "[]" && f.Value.Type() == "float64Slice" {
			f.DefValue = "" // pflag knows of other lists, and not of these, that an empty one is no default
		}
	})
	for _, below := range c.Commands() {
		declared(below)
	}
}
