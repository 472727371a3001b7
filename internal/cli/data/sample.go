package data

import (
	"io"

	"github.com/spf13/cobra"

	"sotto/dataset/sample"
	"sotto/internal/cli/term"
)

func newDataSample(std term.Streams) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "sample",
		Short: "Write a file of 500 invented messages to try commands on",
		Long: `Write 500 invented messages to a shop as a CSV file with the columns id, customer,
received, message, topic and age. The topic is there to be learnt. The age of the
writer shows in the words and is there to be protected. Nobody wrote them.`,
		Example: `  sotto data sample
  sotto data sample --out - | head -n 3`,
		Args: term.None,
		RunE: func(*cobra.Command, []string) error {
			return term.WriteWhole(out, std.Out, func(w io.Writer) error {
				_, err := io.WriteString(w, sample.Messages())
				return err
			})
		},
	}
	c.Flags().StringVar(&out, "out", sample.Name, "file to write, or - for standard output")
	return c
}
