package language

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/language"
	"sotto/study/language/conllu"
)

// evaluateOptions are the flags of "sotto language evaluate".
type evaluateOptions struct {
	in     string
	system string
	model  string
	names  string
	json   bool
}

func newEvaluate(std term.Streams) *cobra.Command {
	var o evaluateOptions
	c := &cobra.Command{
		Use:   "evaluate",
		Short: "Judge tokens, sentences, tags, lemmas and trees on a treebank",
		Long: `Judge a model on a treebank in CoNLL-U by the measures of the CoNLL 2018 shared
task, twice: with the words and sentences that the treebank has, and on its plain
text, where tokens and sentences must be found first. LAS counts heads and
relations without subtypes; all measures are F1, which with given words is plain
accuracy.

With --system, a file of CoNLL-U with the same text is judged instead of a model,
whoever made it.

With --names, a model of names is judged instead, on the test parts of the corpora
of a folder of data sets; and names and personal data together on synthetic texts
of presidio-research, of templates that no model was trained on. Words are counted
as Presidio's own evaluation does, where an address is a place; whole spans must be
right at both ends.`,
		Example: `  sotto language evaluate --in en_ewt-ud-test.conllu.gz
  sotto tag --format conllu --gold-tokens <test.conllu >system.conllu
  sotto language evaluate --in test.conllu --system system.conllu --json
  sotto language evaluate --names "$SOTTO_DATA"`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.system != "" && o.model != "" {
				return errors.New("give --system or --model, not both")
			}
			if o.names != "" {
				return evaluateNames(o, std)
			}
			return runEvaluate(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "-", "treebank in CoNLL-U, - for standard input")
	fs.StringVar(&o.system, "system", "", "file of CoNLL-U to judge instead of a model (default: none)")
	fs.StringVar(&o.model, "model", "", modelHelp)
	fs.StringVar(&o.names, "names", "", fmt.Sprintf(namesHelp, "judge"))
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// measured is a measure as it is printed.
type measured struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// syntax is what is measured of one run.
type syntax struct {
	Tokens       measured `json:"tokens"`
	Sentences    measured `json:"sentences"`
	Words        measured `json:"words"`
	UPOS         measured `json:"upos"`
	XPOS         measured `json:"xpos"`
	Lemmas       measured `json:"lemmas"`
	UAS          measured `json:"uas"`
	LAS          measured `json:"las"`
	Subtypes     measured `json:"las_with_subtypes"`
	WordsASecond float64  `json:"words_a_second,omitempty"` // on one core
}

// evaluated is what "sotto language evaluate --json" prints.
type evaluated struct {
	Sentences  int     `json:"sentences"`
	Words      int     `json:"words"`
	GoldTokens *syntax `json:"gold_tokens,omitempty"`
	Raw        *syntax `json:"raw,omitempty"`
	System     *syntax `json:"system,omitempty"`
}

func runEvaluate(_ context.Context, o evaluateOptions, std term.Streams) error {
	gold, err := treebank(o.in, std.In)
	if err != nil {
		return err
	}
	result := evaluated{Sentences: gold.Sentences(), Words: len(gold.Tokens)}
	if o.system != "" {
		err = result.judge(gold, o.system)
	} else {
		err = result.run(gold, o.model)
	}
	if err != nil {
		return err
	}
	return term.Show(std.Out, o.json, result, printEvaluated)
}

// judge judges a file.
func (e *evaluated) judge(gold *language.Document, system string) error {
	d, err := treebank(system, nil)
	if err != nil {
		return err
	}
	s, err := conllu.Trees(gold, d)
	if err != nil {
		return fmt.Errorf("%s: %w", system, err)
	}
	e.System = syntaxOf(s, 0, 0)
	return nil
}

// run judges a model, on given words and on plain text.
func (e *evaluated) run(gold *language.Document, path string) error {
	m, err := open(path)
	if err != nil {
		return err
	}
	begin := time.Now()
	s, err := filled(gold, m.Trees())
	if err != nil {
		return err
	}
	e.GoldTokens = syntaxOf(s, e.Words, time.Since(begin))
	begin = time.Now()
	d, err := language.Pipeline{m}.Document(gold.Text)
	if err != nil {
		return err
	}
	took := time.Since(begin)
	if s, err = conllu.Trees(gold, d); err != nil {
		return err
	}
	e.Raw = syntaxOf(s, len(d.Tokens), took)
	return nil
}

// syntaxOf returns counts as measures, of words for which so long was needed.
func syntaxOf(s conllu.Syntax, words int, took time.Duration) *syntax {
	of := func(f conllu.F1) measured { return measured{f.Precision(), f.Recall(), f.Score()} }
	r := &syntax{
		Tokens: of(s.Tokens), Sentences: of(s.Sentences), Words: of(s.Words), UPOS: of(s.UPOS), XPOS: of(s.XPOS),
		Lemmas: of(s.Lemmas), UAS: of(s.UAS), LAS: of(s.LAS), Subtypes: of(s.Full),
	}
	if took > 0 {
		r.WordsASecond = float64(words) / took.Seconds()
	}
	return r
}

// printEvaluated prints measures for a person.
func printEvaluated(w io.Writer, e evaluated) error {
	t := term.NewTable(w, "F1 in percent", "tokens", "sentences", "words", "UPOS", "XPOS", "lemmas", "UAS", "LAS", "words a second")
	row := func(name string, s *syntax) {
		if s == nil {
			return
		}
		cells := []any{name}
		for _, m := range []measured{s.Tokens, s.Sentences, s.Words, s.UPOS, s.XPOS, s.Lemmas, s.UAS, s.LAS} {
			cells = append(cells, fmt.Sprintf("%.2f", 100*m.F1))
		}
		speed := "-"
		if s.WordsASecond > 0 {
			speed = fmt.Sprintf("%.0f", s.WordsASecond)
		}
		t.Row(append(cells, speed)...)
	}
	row("given words", e.GoldTokens)
	row("plain text", e.Raw)
	row("file", e.System)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d sentences of %d words\n", e.Sentences, e.Words)
	return err
}
