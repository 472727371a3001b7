package vectors

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/learn/experiment"
	"sotto/text/encode"
	"sotto/text/encode/bert"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/distill"
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

	task     string
	in       experiment.Path
	parent   string
	student  string
	variants int
	json     bool
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
workers.

With --task DIR the transformer is one that "sotto train --tune --out DIR" made, and
what it says of the labels is taught too: a gateway with the table then answers in
microseconds and keeps a part of what tuning gained, which is measured on the test
part and printed. It is asked about the texts that it was trained on, about parts of
them, and the texts of --texts, which need no labels. The table remembers those texts: it
belongs on the trusted side, as the transformer does.`,
		Example: `  sotto encoder distill --texts sentences.txt --dim 64 --out mine.static
  sotto encoder distill --task news --texts more.txt --out news.static`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.task != "" {
				return runDistillTask(c, o, std)
			}
			return runDistill(c, o, std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.teacher, "teacher", "minilm", "transformer to learn from: minilm, or a folder with a transformer's files")
	fs.StringVar(&o.wordnet, "wordnet", "", "folder of WordNet's data files")
	fs.StringVar(&o.texts, "texts", "", "file of texts, one a line")
	fs.StringVar(&o.task, "task", "", "folder of a training with --tune, whose answers are taught")
	fs.Var(&o.in, "in", "file of your own that the training of --task had")
	fs.StringVar(&o.parent, "parent", "", "encoder that was tuned, to be measured too (default: the one that the tuned encoder names)")
	fs.StringVar(&o.student, "student", distill.Table, "what --task teaches: table (subwords), words (words and pairs of them, hashed) or chars (words and parts of them, hashed)")
	fs.IntVar(&o.variants, "variants", 8, "parts of each text that --task asks about besides, 20000 in all at most; negative for none")
	fs.BoolVar(&o.json, "json", false, "print what --task measured as JSON")
	fs.IntVar(&o.Dim, "dim", 128, "length of the vectors")
	fs.Float64Var(&o.Rate, "rate", 0, "step size of training (default 0.1, with --task 0.05)")
	fs.IntVar(&o.Epochs, "epochs", 0, "passes over the texts at most (default 30)")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the order of texts (default 0)")
	fs.StringVar(&o.Name, "name", "", "name of the encoder (default: the file's)")
	fs.StringVar(&o.notice, "notice", "", "file that says on whose work the encoder rests, to be kept with it")
	fs.StringVar(&o.out, "out", "", "file to write")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	return c
}

func runDistill(c *cobra.Command, o distillOptions, std term.Streams) error {
	ctx := c.Context()
	for _, name := range []string{"in", "parent", "student", "variants", "json"} {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s is given, must not be without --task", name)
		}
	}
	if (o.wordnet == "") == (o.texts == "") {
		return errors.New("give either --wordnet or --texts")
	}
	texts, release, err := o.begin()
	if err != nil {
		return err
	}
	defer release()
	source, err := catalogue.Open(ctx, catalogue.Said(o.teacher), "")
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
	e, err := distill.Run(ctx, o.Settings, teacher.WordPiece(), teach, texts, tellDistill(std.Err, bar, "held-out loss"))
	bar.Finish()
	if err != nil {
		return err
	}
	if err = e.Save(o.out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.ForPeople(std.Out), "%s: %d numbers a vector, from %d texts\n", o.out, e.Dim(), len(texts))
	return err
}

// begin returns the texts and keeps a place for the file until release is called: that
// there is none shows before the hours of work.
func (o *distillOptions) begin() (texts []string, release func(), err error) {
	if texts, err = o.read(); err != nil {
		return nil, nil, err
	}
	f, err := atomicfile.Create(o.out)
	if err != nil {
		return nil, nil, err
	}
	if o.workers, err = term.Workers(o.workers); err != nil {
		f.Abort()
		return nil, nil, err
	}
	return texts, f.Abort, nil
}

// tellDistill shows steps, and says after each epoch how far it is.
func tellDistill(w io.Writer, bar *term.Progress, loss string) func(distill.Report) {
	return func(r distill.Report) {
		bar.Describe(r.Stage)
		bar.Set(int64(r.Done), int64(r.Total))
		if r.Stage == "epoch" {
			fmt.Fprintf(w, "epoch %d: %s %.4f\n", r.Done, loss, r.Loss) //nolint:errcheck // words only
		}
	}
}

// read returns the texts, after the other flags were checked.
func (o *distillOptions) read() ([]string, error) {
	if o.out == "" {
		return nil, errors.New("no --out given, must name the file to write")
	}
	if o.Name == "" {
		o.Name = strings.TrimSuffix(filepath.Base(o.out), ".static")
	}
	if o.notice != "" {
		content, err := regular.Read(o.notice, 1<<30)
		if err != nil {
			return nil, err
		}
		o.Notice = string(content)
	}
	if o.wordnet != "" {
		return distill.WordNet(o.wordnet)
	}
	if o.texts == "" {
		return nil, nil
	}
	f, _, err := regular.Open(o.texts, regular.Most)
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
