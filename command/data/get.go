package data

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/internal/layout"
)

func newDataGet(std term.Streams) *cobra.Command {
	var o dataOptions
	var from dataset.FetchOptions
	c := &cobra.Command{
		Use:   "get NAME",
		Short: "Download a data set from its public home",
		Long: `Download the files of a data set over HTTPS and keep those whose SHA-256 is
right. A file appears whole and verified or not at all; files that are there and
right are left alone. You accept the licence of the set, which "sotto data list"
shows. Where a set has no address from which it can be had directly, the command
says where to ask.

--mirror takes the files from your own server instead, under the paths that
"sotto data list --json" shows, uncompressed. It must speak HTTPS, unless it is
this machine.`,
		Example: `  sotto data get adult --dir ./data
  sotto data get celeba --mirror https://data.example.org/sotto`,
		ValidArgsFunction: Complete,
		Args:              term.One("data set", "; see sotto data list"),
		RunE: func(c *cobra.Command, args []string) error {
			from.Dir = o.folder()
			return runDataGet(c.Context(), from, args[0], o.json, std)
		},
	}
	o.addFlags(c.Flags())
	c.Flags().StringVar(&from.Mirror, "mirror", "", "address of a server that holds the files of sets under their paths")
	c.Flags().DurationVar(&from.Timeout, "timeout", 10*time.Minute, "longest time for one file")
	return c
}

func runDataGet(ctx context.Context, from dataset.FetchOptions, name string, asJSON bool, std term.Streams) error {
	bar := term.NewProgress(std.Err, name)
	from.Progress = func(path string, done, total int64) {
		bar.Describe(path)
		bar.Set(done, total)
	}
	got, err := dataset.Fetch(ctx, name, from)
	bar.Finish()
	if err != nil {
		return err
	}
	return term.Show(std.Out, asJSON, got, printGot)
}

func printGot(out io.Writer, got *dataset.Fetched) error {
	b := layout.NewBuffer(out)
	for _, f := range got.Files {
		what := "fetched and verified"
		if !f.Fetched {
			what = "was there and is right"
		}
		fmt.Fprintf(b, "%s: %s\n", f.Path, what)
	}
	if len(got.Files) == 0 {
		fmt.Fprintf(b, "%s is built in: there is nothing to get\n", got.Name)
	} else {
		fmt.Fprintf(b, "%s is complete in %s; its licence: %s\n", got.Name, got.Dir, got.Licence)
	}
	return b.Flush()
}
