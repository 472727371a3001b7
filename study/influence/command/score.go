package influence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/explain"
	"sotto/study/influence"
	"sotto/text"
)

// scoreOptions are the flags of "sotto influence score".
type scoreOptions struct {
	askFlags
	published bool
	parts     []string
	phrases   bool
	errors    bool
	samples   int
}

func newScore(std term.Streams) *cobra.Command {
	var o scoreOptions
	c := &cobra.Command{
		Use:   "score",
		Short: "Say what each word of a text does to the answer",
		Long: `Read a text from standard input and print for each word:

  INFLUENCE   how much it speaks for the last class against the first, from -1 to 1
  UNLIKE      share of words of the same part of speech in whose place the answer
              would be another
  HYBRID      root of the product of UNLIKE and of how much the word speaks for the
              answer, from 0 to 1

Of phrases (--phrases), or of other words that stand together (--part), the influence
is printed, too: what they do together may be another than what each does by itself.

With --errors, no text is read: the words of the validation texts that the teacher
gets wrong are masked one after the other, those with the highest score first, until
the answer changes, and the scores are compared with LIME and with any order.`,
		Example: `  echo "a dull film with a brilliant cast" | sotto influence score
  echo "it is not good , it is great" | sotto influence score --phrases --part "not good"
  sotto influence score --errors --json`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.errors {
				if err := term.RefuseFlags(c.Flags(), "with --errors", "phrases", "part"); err != nil {
					return err
				}
				return runErrors(c.Context(), o, std)
			}
			if err := term.RefuseFlags(c.Flags(), "without --errors", "samples", "in"); err != nil {
				return err
			}
			return runScore(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	o.add(fs)
	o.addData(fs)
	fs.BoolVar(&o.published, "published", false, "compute UNLIKE from the whole text with the influence added, as one line of the publication has it")
	fs.BoolVar(&o.phrases, "phrases", false, "score phrases, too: each word with all that depends on it, as the parser finds them")
	fs.StringArrayVar(&o.parts, "part", nil, "words of the text, as they stand there, that are scored together, such as \"not good\"; may be given several times")
	fs.BoolVar(&o.errors, "errors", false, "test on the teacher's errors which scores name the words that they hang on")
	fs.IntVar(&o.samples, "samples", 1000, "number of texts that LIME asks about for each error, with --errors")
	return c
}

// readText reads one text.
func readText(in io.Reader) (string, error) {
	const most = 1 << 20
	content, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return "", err
	}
	if len(content) > most {
		return "", fmt.Errorf("the text has more than %d bytes, must have fewer", most)
	}
	s := strings.TrimSpace(string(content))
	if s == "" {
		return "", errors.New("the text is empty: give one on standard input")
	}
	return s, nil
}

func runScore(ctx context.Context, o scoreOptions, std term.Streams) error {
	s, sentence, err := o.about(ctx, std)
	if err != nil {
		return err
	}
	spans, err := o.spans(s, sentence)
	if err != nil {
		return err
	}
	scored, err := s.Scores(ctx, sentence, influence.ScoreOptions{Phrases: spans, Published: o.published})
	if err != nil {
		return err
	}
	return term.Show(std.Out, o.json, scored, printScores)
}

func printScores(w io.Writer, x *influence.Scored) error {
	t := term.NewTable(w, "WORD", "PART OF SPEECH", "INFLUENCE", "UNLIKE", "HYBRID")
	for _, word := range x.Words {
		t.Row(term.Plain(word.Text), word.POS, fmt.Sprintf("%+.3f", word.Influence), fmt.Sprintf("%.3f", word.Unlike), fmt.Sprintf("%.3f", word.Hybrid))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(x.Phrases) > 0 {
		fmt.Fprintln(w) //nolint:errcheck // what follows fails, too
		t = term.NewTable(w, "PHRASE", "INFLUENCE")
		for _, p := range x.Phrases {
			t.Row(term.Plain(p.Text), fmt.Sprintf("%+.3f", p.Influence))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nThe teacher says %s, with probability %.3f.\n", x.Prediction, x.Probabilities[x.Prediction])
	return err
}

// spans returns what is scored beside words: every place of the parts that are named,
// then the phrases.
func (o *scoreOptions) spans(s *influence.Student, sentence string) ([]text.Span, error) {
	var spans []text.Span
	for i, part := range o.parts {
		found := places(sentence, strings.TrimSpace(part))
		if len(found) == 0 {
			return nil, fmt.Errorf("--part number %d is not in the text, must be words of it as they stand there", i+1)
		}
		spans = append(spans, found...)
	}
	if !o.phrases {
		return spans, nil
	}
	found, err := s.Phrases(sentence)
	return append(spans, found...), err
}

// places returns where words stand in a text, cutting none of its words.
func places(s, part string) []text.Span {
	if part == "" {
		return nil
	}
	words := explain.Words(s)
	cuts := func(at int) bool {
		return slices.ContainsFunc(words, func(w text.Span) bool { return w.Start < at && at < w.End })
	}
	var found []text.Span
	for from := 0; ; {
		at := strings.Index(s[from:], part)
		if at < 0 {
			return found
		}
		at += from
		from = at + len(part)
		if !cuts(at) && !cuts(from) {
			found = append(found, text.Span{Start: at, End: from})
		}
	}
}

func runErrors(ctx context.Context, o scoreOptions, std term.Streams) error {
	report, err := o.examine(ctx, std, func(s *influence.Student, d *influence.Data, r *influence.Report, told influence.Options) (err error) {
		r.Importance, err = s.TestImportance(ctx, d, d.Validation, explain.LIME{Samples: o.samples}, told)
		return err
	})
	if err != nil {
		return err
	}
	return term.Show(std.Out, o.json, report, func(w io.Writer, r *influence.Report) error {
		head := []any{"SCORES"}
		for _, b := range r.Importance.Budgets {
			head = append(head, fmt.Sprintf("%d MASKED %%", b))
		}
		t := term.NewTable(w, append(head, "WORDS")...)
		for _, m := range r.Importance.Methods {
			cells := []any{m.Method}
			for _, v := range m.Covered {
				cells = append(cells, percent(v))
			}
			t.Row(append(cells, fmt.Sprintf("%.2f", m.Masked))...)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%d errors of the teacher among %d texts: the share that changes when so many words are masked, and how many it takes.\n", r.Importance.Errors, r.Importance.Texts)
		return err
	})
}
