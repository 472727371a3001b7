package explain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/promise/dp"
	"sotto/study/explain"
	"sotto/study/explain/predictor"
	"sotto/study/relation/folder"
)

// explainOptions are the flags of "sotto explain".
type explainOptions struct {
	source
	term.TextFlags
	in, html, out string
	summary       string
	method, class string
	samples       int
	features      int
	exact, steps  int
	student       string
	seed          uint64
	notPrivate    bool
	json          bool
	releaseFlags
}

func newExplain(std term.Streams) *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use:   "explain",
		Short: "Say which words of a text an answer hangs on",
		Long: `Give each word of a text a weight: how much it speaks for the class that a model
answers. The model is one of "sotto train" (--model), a program (--exec), or a
service (--url). The text is standard input, whole; --in names a file of several.
A model of "sotto relations train" is explained by its rules: each relation that it
tells has the rule, where that is from, and the part of the text that it matched.

The methods are:

` + methodHelp() + `
Each explanation is checked: integrated gradients are complete to within 0.001 and
Shapley values add up to within 0.000001, or nothing is printed. Of a model that
releases through a mechanism, --view before explains what it would answer if nothing
were drawn, and --view expected how often receivers answer what, over everything
that can be drawn; the share of answers that noise alone flips stands beside.

A program reads a JSON string from each line, the text, and writes for each a line
like [0.1,0.9], the probability of each class. To a service {"texts":["…"]} is posted,
and it answers {"probabilities":[[0.1,0.9]]}. Both read the texts: one beyond this
machine is asked only with --i-trust-this-address-with-texts.

AN EXPLANATION IS A RELEASE: it names words of the text, and no ε covers that. It is
for your eyes. A file of it is only written of a model that promises nothing anyway,
or with --i-know-this-is-not-private. What may leave is made with --release: the
strongest words among those of a public list, by chance, paid for from a ledger.`,
		Example: `  echo 'A wonderful film, never dull' | sotto explain --model model
  sotto explain --model model --method shap --json < text
  sotto explain --model model --in reviews.csv --text review --html words.html
  sotto explain --exec 'python3 theirs.py' --classes bad,good --method lime < text
  sotto explain --model model --release --epsilon 2 --class good --words public.txt --ledger ledger.db --user alice < text`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.model != "" && folder.Is(o.model) {
				if err := refuseOfRelations(c.Flags()); err != nil {
					return err
				}
				return runRelations(c.Context(), o, std)
			}
			if err := o.refuse(c.Flags()); err != nil {
				return err
			}
			if o.release {
				return runRelease(c.Context(), o, std)
			}
			return runExplain(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	c.AddCommand(newBenchmark(std), newPlant(std), newRows(std))
	return c
}

func (o *explainOptions) addFlags(fs *pflag.FlagSet) {
	o.source.addFlags(fs)
	fs.StringVar(&o.method, "method", "lime", "way to explain: "+methodNames())
	fs.StringVar(&o.class, "class", "", "class whose probability is explained (default: the one that is answered)")
	fs.IntVar(&o.samples, "samples", 0, "texts that are asked about (default 5000 for lime, 2048 and two for each word for shap)")
	fs.IntVar(&o.features, "features", 0, "most words that lime gives a weight (default 10)")
	fs.IntVar(&o.exact, "exact", 0, "most words of which shap asks about all choices, at most 16 (default 12)")
	fs.StringVar(&o.student, "student", "", "folder of the student of --method influence (default: beside the model, in a folder of its name and \".student\", or where \"sotto influence train\" writes)")
	fs.IntVar(&o.steps, "steps", 0, "even steps of an integral, of which those that are off are halved until it is complete (default 50)")
	fs.Uint64Var(&o.seed, "seed", 0, "seed of what is drawn (default 0)")
	fs.StringVar(&o.in, "in", "", "file of texts to explain, one after the other (default: standard input is one text)")
	o.AddFlags(fs)
	fs.StringVar(&o.html, "html", "", "file for a page on which the words stand out")
	fs.StringVar(&o.out, "out", "", "file for the explanations as JSON, one a line")
	fs.StringVar(&o.summary, "summary", "", "file for how far the explanations can be trusted, without a word of a text, for sotto report and sotto gate")
	fs.BoolVar(&o.notPrivate, "i-know-this-is-not-private", false, "write explanations of a private model to a file")
	o.releaseFlags.addFlags(fs)
	fs.BoolVar(&o.json, "json", false, "print JSON, one line for each text of a file")
}

// refuse refuses flags that have no meaning beside others.
func (o *explainOptions) refuse(fs *pflag.FlagSet) error {
	m, err := findMethod(o.method)
	if err != nil {
		return err
	}
	for _, other := range methods() {
		for _, flag := range other.flags {
			if slices.Contains(m.flags, flag) || flag == "seed" {
				continue
			}
			if err = term.Refuse(fs, "with --method "+o.method, flag); err != nil {
				return err
			}
		}
	}
	if o.in == "" {
		if err = term.Refuse(fs, "without --in: standard input is one text", "text", "in-format", "delimiter", "encoding", "no-header"); err != nil {
			return err
		}
	}
	if err = o.source.refuse(fs); err != nil {
		return err
	}
	if err = o.refuseRelease(fs); err != nil {
		return err
	}
	return term.RefuseZeros(fs, "seed")
}

// texts reads what is to be explained.
func (o *explainOptions) texts(stdin io.Reader) ([]string, error) {
	if o.in != "" {
		read := o.All
		if o.release {
			read = o.AllDeclared
		}
		texts, err := read(o.in, stdin)
		if err == nil && len(texts) == 0 {
			err = fmt.Errorf("%s holds no text, must hold one", o.in)
		}
		return texts, err
	}
	s, err := readText(stdin)
	return []string{s}, err
}

// readText reads standard input as one text.
func readText(stdin io.Reader) (string, error) {
	const most = 1 << 20
	content, err := io.ReadAll(io.LimitReader(stdin, most+1))
	if err != nil {
		return "", err
	}
	if len(content) > most {
		return "", fmt.Errorf("standard input has more than %d bytes, must be one text; --in takes a file of several", most)
	}
	if !utf8.Valid(content) {
		return "", errors.New("standard input is not UTF-8, must be")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), nil
}

// result is what is printed of one text.
type result struct {
	*explain.Explanation
	View  predictor.View   `json:"view,omitempty"`
	Noise *predictor.Noise `json:"noise,omitempty"`
	// Private says that this may leave the trusted side, which is never so.
	Private bool   `json:"private"`
	text    string // that is explained
}

func runExplain(ctx context.Context, o explainOptions, std term.Streams) error {
	texts, err := o.texts(std.In)
	if err != nil {
		return err
	}
	if err = term.CanWrite(o.files()...); err != nil {
		return err
	}
	if err = term.RefuseSame(append(o.files(), term.Named("--in", o.in))...); err != nil {
		return err
	}
	p, err := o.open(ctx, o.seed)
	if err != nil {
		return err
	}
	defer p.close() //nolint:errcheck // it is closed below, where it matters
	if err = o.consent(p); err != nil {
		return err
	}
	all, err := o.explain(ctx, p, texts, std.Err)
	if err != nil {
		return err
	}
	if err = p.close(); err != nil { // answers that may belong to other texts
		return err
	}
	if err = o.write(all, std.Out); err != nil {
		return err
	}
	switch {
	case o.json && o.in != "":
		return writeLines(std.Out, all)
	case o.json:
		return term.PrintJSON(std.Out, all[0])
	}
	return printAll(std.Out, all, p.promise())
}

// files are those that are written.
func (o *explainOptions) files() []term.NamedPath {
	return []term.NamedPath{term.Named("--html", o.html), term.Named("--out", o.out), term.Named("--summary", o.summary)}
}

// write writes the files that were asked for, each whole or not at all.
func (o *explainOptions) write(all []result, stdout io.Writer) error {
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{o.out, func(w io.Writer) error { return writeLines(w, all) }},
		{o.html, func(w io.Writer) error { return writePage(w, all, o.method) }},
		{o.summary, func(w io.Writer) error {
			var a SummaryAdder
			for _, r := range all {
				a.Add(r.Explanation, r.Noise)
			}
			return term.PrintJSON(w, a.Result(o.method, all[0].View))
		}},
	} {
		if f.path == "" {
			continue
		}
		if err := term.WriteWhole(f.path, stdout, f.write); err != nil {
			return err
		}
	}
	return nil
}

// consent refuses to write what a private model's texts are, unless the user knows.
func (o *explainOptions) consent(p *asked) error {
	g, promised := p.guarantee()
	if o.html == "" && o.out == "" || o.notPrivate || !promised {
		return nil
	}
	return fmt.Errorf("the model promises %v of what is released, and an explanation names words of the text, which no ε covers: a file of it must not leave the trusted side; say --i-know-this-is-not-private to write one, or --release for what may leave", g)
}

// explain explains texts one after the other.
func (o *explainOptions) explain(ctx context.Context, p *asked, texts []string, to io.Writer) ([]result, error) {
	m, err := findMethod(o.method)
	if err != nil {
		return nil, err
	}
	e, err := m.make(ctx, o, p)
	if err != nil {
		return nil, err
	}
	class, err := p.class(o.class)
	if err != nil {
		return nil, err
	}
	bar := term.NewProgress(to, "explaining")
	defer bar.Finish()
	all := make([]result, len(texts))
	for i, s := range texts {
		bar.Set(int64(i), int64(len(texts)))
		r := result{View: p.view(), text: s}
		if r.Explanation, err = e.Explain(ctx, p.Predictor, s, class); err == nil && p.model != nil {
			r.Noise, err = p.model.Noise(ctx, s)
		}
		if err != nil {
			if len(texts) > 1 {
				return nil, fmt.Errorf("text %d of %s: %w", i+1, o.in, err)
			}
			return nil, err
		}
		all[i] = r
	}
	return all, nil
}

func writeLines(w io.Writer, all []result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, r := range all {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// promised is a guarantee that promises anything.
func promised(g dp.Guarantee) bool { return g.Epsilon < dp.Infinite }
