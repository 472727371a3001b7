package term

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"sotto/internal/layout"
	"sotto/internal/regular"
)

// Group makes a command that only holds others.
func Group(c *cobra.Command, others ...*cobra.Command) *cobra.Command {
	c.Args = below
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(others...)
	return c
}

// below refuses arguments, and says which commands there are.
func below(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, each := range c.Commands() {
		if each.IsAvailableCommand() {
			names = append(names, each.Name())
		}
	}
	return fmt.Errorf("unknown command %q for %q, must be one of %s%s", args[0], c.CommandPath(), strings.Join(names, ", "), layout.Hint(args[0], names))
}

// None refuses arguments, and says how a file is given where one is taken.
func None(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if c.Flags().Lookup("in") != nil {
		hint = "; a file is given with --in"
	}
	return fmt.Errorf("%.40q is a word too many for %q%s", args[0], c.CommandPath(), hint)
}

// One refuses anything but one argument, and says what it must be and, unless hint
// is empty, who knows more.
func One(what, hint string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("want one %s, got %d arguments%s", what, len(args), hint)
		}
		return nil
	}
}

// NoZeros is [RefuseZeros], before a command runs.
func NoZeros(may ...string) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error { return RefuseZeros(c.Flags(), may...) }
}

// Workers returns how many cores --workers means: all for 0.
func Workers(n int) (int, error) {
	if n < 0 {
		return 0, fmt.Errorf("--workers is %d, must be at least 1", n)
	}
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return n, nil
}

// Show prints v as JSON for a script, or renders it for a person.
func Show[T any](out io.Writer, asJSON bool, v T, render func(io.Writer, T) error) error {
	if asJSON {
		return PrintJSON(out, v)
	}
	return render(ForPeople(out), v)
}

// Verdict returns [ErrNo] for a check that said no, unless there is another error.
func Verdict(err error, no bool) error {
	if err == nil && no {
		return ErrNo
	}
	return err
}

// Open opens a file to read, or standard input for -.
func Open(path string, stdin io.Reader) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(stdin), nil
	}
	f, _, err := regular.Open(path, regular.Most)
	return f, err
}
