package vectors

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/encode"
	"sotto/encode/bert"
	"sotto/encode/catalogue"
	"sotto/encode/distill"
	"sotto/internal/atomicfile"
	"sotto/internal/cli/term"
	"sotto/nn"
)

// distillOptions are the flags of "sotto encoder distill".
type distillOptions struct {
	distill.Settings
	teacher string
	wordnet string
	texts   string
	notice  string
	out     string
	workers int
}

func newEncoderDistill(std term.Streams) *cobra.Command {
	var o distillOptions
	c := &cobra.Command{
		Use:   "distill",
		Short: "Make a static encoder from a transformer and plain texts",
		Long: `Encode texts and every subword by a transformer, and fit a table of subword
vectors whose sum points where the transformer's vector of a text points. The
built-in encoder was made so, from minilm and the glosses of WordNet 3.0:

  sotto encoder get minilm
  sotto encoder distill --wordnet /usr/share/wordnet --name default --notice NOTICE --out default.static

A text file has one text a line. The table has the same bytes for any number of
workers.`,
		Example: "  sotto encoder distill --texts sentences.txt --dim 64 --out mine.static",
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE:    func(c *cobra.Command, _ []string) error { return runDistill(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.teacher, "teacher", "minilm", "transformer to learn from: minilm, or a folder with a transformer's files")
	fs.StringVar(&o.wordnet, "wordnet", "", "folder of WordNet's data files")
	fs.StringVar(&o.texts, "texts", "", "file of texts, one a line")
	fs.IntVar(&o.Dim, "dim", 128, "length of the vectors")
	fs.Float64Var(&o.Rate, "rate", 0, "step size of training (default 0.1)")
	fs.IntVar(&o.Epochs, "epochs", 0, "passes over the texts at most (default 30)")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the order of texts (default 0)")
	fs.StringVar(&o.Name, "name", "", "name of the encoder (default: the file's)")
	fs.StringVar(&o.notice, "notice", "", "file that says on whose work the encoder rests, to be kept with it")
	fs.StringVar(&o.out, "out", "", "file to write")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	return c
}

func runDistill(ctx context.Context, o distillOptions, std term.Streams) error {
	texts, err := o.read()
	if err != nil {
		return err
	}
	// Whether there is a place for the table shows before the hours of work.
	f, err := atomicfile.Create(o.out)
	if err != nil {
		return err
	}
	defer f.Abort()
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	source, err := catalogue.Open(ctx, o.teacher, "")
	if err != nil {
		return err
	}
	teacher, ok := source.(*bert.Model)
	if !ok {
		return fmt.Errorf("teacher is %s, must be minilm or the folder of a transformer", o.teacher)
	}
	teach := func(ctx context.Context, texts []string) (nn.Matrix, error) {
		return encode.Texts(ctx, teacher, texts, o.workers)
	}
	bar := term.NewProgress(std.Err, "tokens")
	e, err := distill.Run(ctx, o.Settings, teacher.WordPiece(), teach, texts, func(r distill.Report) {
		bar.Describe(r.Stage)
		bar.Set(int64(r.Done), int64(r.Total))
		if r.Stage == "epoch" {
			fmt.Fprintf(std.Err, "epoch %d: held-out loss %.4f\n", r.Done, r.Loss) //nolint:errcheck // words only
		}
	})
	bar.Finish()
	if err != nil {
		return err
	}
	if err = e.Save(o.out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "%s: %d numbers a vector, from %d texts\n", o.out, e.Dim(), len(texts))
	return err
}

// read returns the texts, after the other flags were checked.
func (o *distillOptions) read() ([]string, error) {
	if o.out == "" {
		return nil, errors.New("no --out given, must name the file to write")
	}
	if (o.wordnet == "") == (o.texts == "") {
		return nil, errors.New("give either --wordnet or --texts")
	}
	if o.Name == "" {
		o.Name = strings.TrimSuffix(filepath.Base(o.out), ".static")
	}
	if o.notice != "" {
		content, err := os.ReadFile(o.notice)
		if err != nil {
			return nil, err
		}
		o.Notice = string(content)
	}
	if o.wordnet != "" {
		return distill.WordNet(o.wordnet)
	}
	f, err := os.Open(o.texts)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	var texts []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if t := strings.TrimSpace(lines.Text()); t != "" {
			texts = append(texts, t)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", o.texts, err)
	}
	return texts, nil
}
