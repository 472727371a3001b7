package serve

import (
	"fmt"

	"github.com/spf13/cobra"

	"sotto/internal/cli/term"
	"sotto/train/model"
)

func newServeHead(std term.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "head MODEL OUT",
		Short: "Write what a server needs of a model, without its encoder",
		Long: `Write the classifier of one model, with the guarantee of the vectors that it
takes, as a folder of its own for "sotto serve --model". The encoder stays where
it is: it was trained on texts that no guarantee covers, and only the gateway
needs it. OUT must be absent, empty or such a folder.`,
		Example: `  sotto serve head reviews/seed-1 receiver/reviews
  sotto serve --model receiver`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return runServeHead(args[0], args[1], std) },
	}
}

// runServeHead writes the head of the model in one folder to another.
func runServeHead(dir, out string, std term.Streams) error {
	h, err := model.LoadHead(dir)
	if err != nil {
		return err
	}
	if err = h.Save(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "%s: takes vectors of %d numbers by %s, %v; it holds no encoder\n", out, h.Dim(), h.Manifest.Receives.Mechanism, h.Guarantee())
	return err
}
