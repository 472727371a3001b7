package language

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/study/language"
	"sotto/study/language/conllu"
	"sotto/study/language/lexicon"
)

// The formats of what is printed.
const (
	asTable  = "table"
	asJSON   = "json"
	asCoNLLU = "conllu"
)

// tagOptions are the flags of "sotto tag".
type tagOptions struct {
	term.TextFlags
	in      string
	format  string
	json    bool
	gold    bool
	model   string
	lexicon []string
	workers int
}

func newTag(std term.Streams) *cobra.Command {
	var o tagOptions
	c := &cobra.Command{
		Use:   "tag",
		Short: "Take texts apart into tokens, sentences, tags, lemmas, trees and entities",
		Long: `Read texts, one a line or a column of a file, and print what they are made of:
tokens with their place in bytes, sentences, parts of speech (universal and Penn
tags), lemmas and dependency trees after the English Web Treebank, and entities:
names, and personal data such as e-mail addresses and numbers of cards.

--json prints an object a text: "tokens" and "entities". The head of a token is
the number of a token of its sentence, counted from 1, and 0 for the root, as in
CoNLL-U. --format conllu prints CoNLL-U, with entities in its last column.

With --gold-tokens, what is read is CoNLL-U: its words and sentences stay as they
are, lemmas, tags, heads and relations are filled in, and the other columns, fused
words, empty nodes and comments stay. Use that to be judged by other tools.

With --lexicon, a token of the JSON has under "categories" what it belongs to in each
lexicon, and a text under "lexicons" how many of its words do. With vader among them,
"sentiment" is how positive the text is by VADER's rules.

A text that is not in English, by a guess, has a "language" in its JSON.

What is printed holds the texts: it is as private as they are.`,
		Example: `  echo "Ann didn't write to bob@example.com." | sotto tag
  sotto tag --json <texts.txt >tags.jsonl
  sotto tag --json --lexicon vader,empath,emolex.txt <texts.txt
  sotto tag --in reviews.csv --text review --format conllu
  sotto tag --format conllu --gold-tokens <test.conllu >system.conllu`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			return runTag(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "-", "file or folder of texts, - for standard input")
	o.AddFlags(fs)
	fs.StringVar(&o.format, "format", asTable, "what to print: table, json (an object a text) or conllu")
	fs.BoolVar(&o.json, "json", false, "print JSON, as --format json does")
	fs.BoolVar(&o.gold, "gold-tokens", false, "read CoNLL-U, and keep the words and sentences that it has")
	fs.StringVar(&o.model, "model", "", modelHelp)
	fs.StringSliceVar(&o.lexicon, "lexicon", nil, "lexicons, separated by commas, in which words are looked up for --json (see sotto language lexicons), or files such as NRC's EmoLex (default: none)")
	fs.IntVar(&o.workers, "workers", 0, "number of texts that are worked on at once (default: as many as there are processors)")
	return c
}

// check refuses flags that have no meaning together.
func (o *tagOptions) check(fs *pflag.FlagSet) error {
	if o.json {
		if fs.Changed("format") && o.format != asJSON {
			return fmt.Errorf("--format is %s beside --json, must be json", o.format)
		}
		o.format = asJSON
	}
	switch o.format {
	case asTable, asJSON, asCoNLLU:
	default:
		return fmt.Errorf("--format is %s, must be one of table, json, conllu", o.format)
	}
	if len(o.lexicon) > 0 && o.format != asJSON {
		return fmt.Errorf("--format is %s beside --lexicon, must be json", o.format)
	}
	if !o.gold {
		return nil
	}
	if o.format != asCoNLLU {
		return fmt.Errorf("--format is %s beside --gold-tokens, must be conllu", o.format)
	}
	return term.Refuse(fs, "with --gold-tokens", "text", "in-format", "delimiter", "encoding", "no-header", "workers")
}

func runTag(ctx context.Context, o tagOptions, std term.Streams) (err error) {
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	out := bufio.NewWriterSize(std.Out, 1<<16)
	if o.gold {
		err = o.fill(ctx, std, out)
	} else {
		err = o.tag(ctx, std, out)
	}
	return errors.Join(err, out.Flush())
}

// tag prints what the texts are made of.
func (o *tagOptions) tag(ctx context.Context, std term.Streams, out *bufio.Writer) error {
	p, err := pipeline(o.model)
	if err != nil {
		return err
	}
	in, err := o.Open(o.in, std.In, false)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	opened, err := lexicon.OpenAll(o.lexicon)
	if err != nil {
		return fmt.Errorf("--lexicon: %w", err)
	}
	look := lexicons(opened)
	write := map[string]func(*bufio.Writer, *language.Document) error{asTable: writeTable, asJSON: look.writeJSON, asCoNLLU: writeCoNLLU}[o.format]
	return term.Batches(in.Next, o.workers, std.Err, "tags, trees and names of these mean little", func(texts []string, _ int64) error {
		documents, err := annotate(ctx, p, texts, o.workers)
		if err != nil {
			return err
		}
		for _, d := range documents {
			if err := write(out, d); err != nil {
				return err
			}
		}
		return out.Flush()
	})
}

// annotate returns the documents of texts, in their order.
func annotate(ctx context.Context, p language.Pipeline, texts []string, workers int) ([]*language.Document, error) {
	documents, faults := make([]*language.Document, len(texts)), make([]error, len(texts))
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(workers, len(texts)) {
		wait.Go(func() {
			for i := range next {
				documents[i], faults[i] = p.Document(texts[i])
			}
		})
	}
	for i := range texts {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return documents, errors.Join(faults...)
}

// sentencesAtOnce is how many sentences of a treebank are filled in one go.
const sentencesAtOnce = 64

// fill fills the columns of a treebank.
func (o *tagOptions) fill(ctx context.Context, std term.Streams, out *bufio.Writer) error {
	m, err := open(o.model)
	if err != nil {
		return err
	}
	in, err := term.Open(o.in, std.In)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	r := conllu.NewReader(in)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		sentences, end := some(r)
		d := conllu.Document(sentences...)
		if err := m.Trees().Annotate(d); err != nil {
			return err
		}
		at := 0
		for _, s := range sentences {
			_, behind := d.Sentence(at)
			s.Fill(d.Tokens[at:behind], at)
			at = behind
			if err := s.Write(out); err != nil {
				return err
			}
		}
		if errors.Is(end, io.EOF) {
			return nil
		} else if end != nil {
			return end
		}
	}
}

// some returns the next sentences, and the error behind them.
func some(r *conllu.Reader) (all []*conllu.Sentence, end error) {
	for len(all) < sentencesAtOnce {
		s, err := r.Next()
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
	return all, nil
}
