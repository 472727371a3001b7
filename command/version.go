package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/internal/version"
)

func newVersion(std term.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Say which sotto this is",
		Long: `Say which sotto this is: its version, the commit that it was built from, and the
compiler and system that it was built by and for.`,
		Example: `  sotto version
  sotto version --json`,
		Args: term.None,
		RunE: func(*cobra.Command, []string) error {
			return term.Show(std.Out, asJSON, version.Get(), func(out io.Writer, b version.Build) error {
				_, err := fmt.Fprintln(out, "sotto version", b)
				return err
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
