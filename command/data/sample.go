package data

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/data/dataset"
)

// sampleOptions are the flags of "sotto data sample".
type sampleOptions struct{ out, inbox string }

func newDataSample(std term.Streams) *cobra.Command {
	var o sampleOptions
	c := &cobra.Command{
		Use:   "sample",
		Short: "Write two files of invented messages to try commands on",
		Long: `Write 500 invented messages to a shop as a CSV file to learn from, and 200 more, of
other customers, that came later, as one to release: what a model was trained on is not
covered by its ε. Both have the columns id, customer, received, message, topic and age.
The topic is there to be learnt. The age of the writer shows in the words and is there
to be protected. Nobody wrote them.`,
		Example: `  sotto data sample
  sotto data sample --out - | head -n 3`,
		Args: term.None,
		RunE: func(*cobra.Command, []string) error { return runSample(o, std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.out, "out", dataset.SampleName, "file to learn from, or - for standard output")
	fs.StringVar(&o.inbox, "inbox", "", "file to release (default "+dataset.SampleNewName+" beside --out, and none with standard output)")
	return c
}

func runSample(o sampleOptions, std term.Streams) error {
	if o.inbox == "" && o.out != "-" {
		o.inbox = filepath.Join(filepath.Dir(o.out), dataset.SampleNewName)
	}
	if o.inbox == "-" {
		return errors.New("--inbox is standard output, must be a file")
	}
	if err := term.RefuseSame(term.Named("--out", o.out), term.Named("--inbox", o.inbox)); err != nil {
		return err
	}
	for _, f := range [][2]string{{o.inbox, dataset.SampleNewMessages()}, {o.out, dataset.SampleMessages()}} {
		if f[0] == "" {
			continue
		}
		if err := term.WriteWhole(f[0], std.Out, func(w io.Writer) error {
			_, err := io.WriteString(w, f[1])
			return err
		}); err != nil {
			return err
		}
	}
	if o.out == "-" {
		return nil
	}
	_, err := fmt.Fprintf(std.Err, "%s: 500 messages to learn from\n%s: 200 later ones of other customers, to release\n", o.out, o.inbox)
	return err
}
