package link

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/link/mention"
)

// mentionsOptions are the flags of "sotto link mentions".
type mentionsOptions struct {
	term.TextFlags
	in       string
	whole    bool
	names    bool
	why      bool
	model    string
	evaluate string
	part     string
	train    bool
	out      string
	json     bool
}

func newMentions(std term.Streams) *cobra.Command {
	var o mentionsOptions
	c := &cobra.Command{
		Use:   "mentions",
		Short: "Find who and what texts speak of, and which names, nouns and pronouns are one",
		Long: `Find the names, nouns and pronouns by which texts speak of persons, organisations and
places, and say which of them are one: Ann Lee, Mrs. Lee, the doctor and she.

Names are compared by words, initials, nicknames, spelling, titles and gender, nouns by
what they say; a small model that is built in makes probabilities of that, and the
division fits them best. A pronoun joins who fits best before it. Texts are read one a
line, or from a column of a file, or whole with --whole; each is looked at alone.

It is an estimate, for English. What is printed holds parts of the texts, so it is as
private as they are.

--evaluate measures the model on a public corpus of the folder that SOTTO_DATA names:
litbank and gum by MUC, B-cubed, CEAF and LEA, with mentions given and with mentions
found, all and names alone; gap by the F1 of pronouns and its ratio between the genders.
Each stands beside baselines.

--train makes a model from the training parts of the same corpora, and writes --out.`,
		Example: `  echo 'Ann Lee met Dr. Smith. She thanked him.' | sotto link mentions
  sotto link mentions --in novel.txt --whole --names
  sotto link mentions --in reviews.csv --text review --json
  sotto link mentions --evaluate litbank --out litbank.json`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			return runMentions(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "-", "file or folder of texts, - for standard input")
	o.AddFlags(fs)
	fs.BoolVar(&o.whole, "whole", false, "take the file as one text, with all its lines")
	fs.BoolVar(&o.names, "names", false, "link names alone, without nouns and pronouns")
	fs.BoolVar(&o.why, "why", false, "say why mentions are one, and which others nearly were")
	fs.StringVar(&o.model, "model", "", "file that --train made (default: the model that is built in)")
	fs.StringVar(&o.evaluate, "evaluate", "", "measure on a corpus of SOTTO_DATA in place of linking texts: litbank, gum or gap (default: none)")
	fs.StringVar(&o.part, "part", "test", "part of the corpus to measure on: dev or test")
	fs.BoolVar(&o.train, "train", false, "make a model from the corpora of SOTTO_DATA in place of linking texts, which takes a minute")
	fs.StringVar(&o.out, "out", "", "file to write: the result of --evaluate, or the model of --train")
	fs.BoolVar(&o.json, "json", false, "print JSON, an object a text")
	return c
}

// check refuses flags that have no meaning together.
func (o *mentionsOptions) check(fs *pflag.FlagSet) error {
	reads := []string{"in", "text", "in-format", "delimiter", "encoding", "no-header", "whole", "names", "why"}
	switch {
	case o.train && o.evaluate != "":
		return errors.New("--train and --evaluate are both given, must be one of them")
	case o.train:
		if o.out == "" {
			return errors.New("give --out, the file to write the model to")
		}
		return term.RefuseFlags(fs, "with --train", append(reads, "model", "part")...)
	case o.evaluate != "":
		return term.RefuseFlags(fs, "with --evaluate", reads...)
	case o.whole:
		if err := term.RefuseFlags(fs, "with --whole", "text", "in-format", "delimiter", "no-header"); err != nil {
			return err
		}
	}
	return term.RefuseFlags(fs, "without --evaluate or --train", "part", "out")
}

func runMentions(ctx context.Context, o mentionsOptions, std term.Streams) error {
	if o.train || o.evaluate != "" {
		folder := os.Getenv("SOTTO_DATA")
		if folder == "" {
			return errors.New("SOTTO_DATA is empty, must name the folder of data sets")
		}
		if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
			return err
		}
		if o.train {
			return o.teach(ctx, folder, std)
		}
		return o.measure(ctx, folder, std)
	}
	m, err := o.load()
	if err != nil {
		return err
	}
	p, err := english.Load()
	if o.names {
		p, err = english.Entities()
	}
	if err != nil {
		return err
	}
	next, done, err := o.texts(std)
	if err != nil {
		return err
	}
	defer done() //nolint:errcheck // it was only read
	bar := term.NewProgress(std.Err, "texts")
	defer bar.Finish()
	out := bufio.NewWriterSize(std.Out, 1<<16)
	var languages term.Languages
	for n := int64(1); ; n++ {
		t, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(err, out.Flush())
		}
		languages.Add(t)
		r, err := o.one(ctx, m, p, t)
		if err != nil {
			return errors.Join(fmt.Errorf("text %d: %w", n, err), out.Flush())
		}
		r.Text = n
		if o.json {
			err = json.NewEncoder(out).Encode(r)
		} else {
			err = o.print(out, r)
		}
		if err != nil {
			return err
		}
		bar.Set(n, 0)
	}
	if note := languages.Note("who is one in these means little"); note != "" {
		term.Complain(std.Err, note)
	}
	return out.Flush()
}

// load returns the model of a file, or the one that is built in.
func (o *mentionsOptions) load() (*mention.Model, error) {
	if o.model == "" {
		return mention.Load()
	}
	return term.ReadFile(o.model, mention.Read)
}

// texts returns what reads the texts.
func (o *mentionsOptions) texts(std term.Streams) (next func() (string, error), done func() error, err error) {
	if !o.whole {
		in, fault := o.Open(o.in, std.In, false)
		if fault != nil {
			return nil, nil, fault
		}
		return in.Next, in.Close, nil
	}
	in, err := term.Open(o.in, std.In)
	if err != nil {
		return nil, nil, err
	}
	read := false
	return func() (string, error) {
		if read {
			return "", io.EOF
		}
		read = true
		all, err := io.ReadAll(io.LimitReader(in, language.MaxText+1))
		if len(all) > language.MaxText {
			return "", language.ErrSize
		}
		return string(all), err
	}, in.Close, nil
}

// one links the mentions of a text.
func (o *mentionsOptions) one(ctx context.Context, m *mention.Model, p language.Pipeline, t string) (mentionsResult, error) {
	d, err := p.Document(t)
	if err != nil {
		return mentionsResult{}, err
	}
	found := m.Find(d)
	if o.names {
		found = named(found)
	}
	r, err := m.Link(ctx, d, found, mention.Options{Found: true})
	if err != nil {
		return mentionsResult{}, err
	}
	return newMentionsResult(d, r), nil
}

// measure judges the model on a corpus.
func (o *mentionsOptions) measure(ctx context.Context, folder string, std term.Streams) error {
	m, err := o.load()
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "texts")
	defer bar.Finish()
	r, err := mention.Judge(ctx, folder, mention.JudgeOptions{
		Corpus: o.evaluate, Part: o.part, Model: m,
		Progress: func(done, total int) { bar.Set(int64(done), int64(total)) },
	})
	if err != nil {
		return err
	}
	bar.Finish()
	if o.out != "" {
		if err := term.WriteJSON(o.out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, printJudged)
}

// teach makes a model.
func (o *mentionsOptions) teach(ctx context.Context, folder string, std term.Streams) error {
	bar := term.NewProgress(std.Err, "reading corpora")
	defer bar.Finish()
	lessons, trained, err := mention.Lessons(ctx, folder)
	if err != nil {
		return err
	}
	bar.Describe("learning")
	m, err := mention.Train(ctx, lessons, trained)
	if err != nil {
		return err
	}
	bar.Finish()
	if err := term.WriteWhole(o.out, std.Out, m.Write); err != nil {
		return err
	}
	return term.Show(std.Out, o.json, taught{o.out, len(lessons)}, func(w io.Writer, t taught) error {
		_, err := fmt.Fprintf(w, "%s: taught by %d documents\n", t.Out, t.Documents)
		return err
	})
}

// taught is what --train prints.
type taught struct {
	Out       string `json:"out"`
	Documents int    `json:"documents"`
}
