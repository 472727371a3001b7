package explain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/evidence/page"
	"sotto/internal/layout"
	"sotto/study/explain/decoy"
	"sotto/study/explain/predictor"
	"sotto/text/encode/bert/tune"
)

// benchmarkOptions are the flags of "sotto explain benchmark".
type benchmarkOptions struct {
	rowsFlags
	modelFlags
	decoy.Options
	decoys, methods []string
	model, clean    string
	view            string
	samples         int
	json            bool
}

func newBenchmark(std term.Streams) *cobra.Command {
	var o benchmarkOptions
	c := &cobra.Command{
		Use:   "benchmark",
		Short: "Plant a shortcut in training data and see which explainers reveal it",
		Long: `Plant decoys in the training rows, fit a model to the rows as they came and one to the
planted rows, and check that the second adopted the decoy: its accuracy falls on the
slice of texts where the decoy misleads. Then let explainers explain it, and print how
often the planted word is the strongest of a text, how many explanations are read until
the first and the third that shows it (at random, by LIME's SP pick, by clusters), how
often who reads ten texts tells the clean model from the other, and how much accuracy
comes back when what was found is removed or penalised.

Decoys (--decoy, several times for several):
  deletion:WORD:CLASS           delete the training rows of a class that have a word
  insert:WORD=CLASS,WORD=CLASS  put a word into the training rows of a class
  swap:WORD=WORD:CLASS          replace a word by another in a class, and back elsewhere
  flip:SHARE                    change a share of the labels; finders of rows are judged
  pseudonym:TYPE:CLASS          give names (person, organisation, place) one pseudonym in a
                                class and another elsewhere

The model is logistic regression over words and pairs of words, C = 1, solved to the end,
or over the vectors of --encoder. --clean-model and --model take two folders of "sotto
train" in its place, private ones too: "sotto explain plant" writes the rows to train them
on, and nothing is repaired. Explanations are read by a program that knows what was
planted: a person may overlook it. The same seed gives the same result.`,
		Example: `  sotto explain benchmark --data sst2 --decoy deletion:movie:negative
  sotto explain benchmark --decoy insert:text=positive,video=negative --encoder default --json
  sotto explain benchmark --in reviews.csv --text review --label rating --decoy flip:0.05`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE:    func(c *cobra.Command, _ []string) error { return runBenchmark(c.Context(), o, c.Flags(), std) },
	}
	fs := c.Flags()
	o.rowsFlags.add(fs)
	fs.StringArrayVar(&o.decoys, "decoy", nil, "what to plant, such as deletion:movie:negative; may be given several times")
	fs.StringSliceVar(&o.methods, "method", nil, "explainers to compare, separated by commas (default: all that fit the model)")
	o.modelFlags.add(fs)
	fs.StringVar(&o.clean, "clean-model", "", "folder of a model that sotto train made of the rows as they came")
	fs.StringVar(&o.model, "model", "", "folder of a model that sotto train made of the planted rows")
	fs.StringVar(&o.view, "view", string(predictor.Before), "answers of --model to explain: before or expected, over what a release may draw")
	fs.IntVar(&o.samples, "samples", 0, "texts that LIME and SHAP ask about (default: their own; 500 with --encoder)")
	fs.IntVar(&o.Seeds, "seeds", 5, "number of seeds over which explainers are compared")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of what is planted and drawn (default 0)")
	fs.IntVar(&o.Pool, "pool", 100, "number of test rows whose explanations there are to read")
	fs.IntVar(&o.Instances, "instances", 50, "number of test rows with a planted word that are explained")
	fs.IntVar(&o.Top, "top", 1, "number of strongest words of an explanation that its reader looks at")
	fs.IntVar(&o.Budget, "budget", 10, "number of texts that are read to choose between two models")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBenchmark(ctx context.Context, o benchmarkOptions, fs *pflag.FlagSet, std term.Streams) (err error) {
	if len(o.decoys) == 0 {
		return fmt.Errorf("want --decoy, what to plant: one of %s", strings.Join(decoy.Grammar(), ", "))
	}
	decoys, err := decoy.ParseAll(o.decoys)
	if err != nil {
		return err
	}
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	if err = o.refuse(fs); err != nil {
		return err
	}
	if o.Explainers, err = o.explainers(); err != nil {
		return err
	}
	which := usual
	if o.model != "" && o.in != "" {
		which = merged // as "sotto explain plant" marked them
	}
	data, err := o.load(ctx, fs, which)
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "planting and fitting")
	defer bar.Finish()
	if o.model == "" {
		learn, done, failed := o.open(ctx, len(data.Classes), o.Workers, showTuning(bar))
		if failed != nil {
			return failed
		}
		defer done() //nolint:errcheck // what it computed is complete
		o.Features, o.Fit, o.Each = learn, o.fit, o.tune > 0
	} else if o.Models, err = o.trained(ctx); err != nil {
		return err
	}
	o.Progress = func(done, total int) {
		bar.Describe("explaining")
		bar.Set(int64(done), int64(total))
	}
	r, err := decoy.Run(ctx, data, decoys, o.Options)
	if err != nil {
		return err
	}
	bar.Finish()
	return term.Show(std.Out, o.json, r, printBenchmark)
}

// showTuning shows how far the tuning of an encoder is.
func showTuning(bar *term.Progress) func(tune.Progress) {
	return func(p tune.Progress) {
		bar.Describe("tuning the encoder")
		bar.Set(int64(p.Step), int64(p.Steps))
	}
}

// refuse refuses flags that have no meaning beside others.
func (o *benchmarkOptions) refuse(fs *pflag.FlagSet) error {
	if (o.model == "") != (o.clean == "") {
		return errors.New("want --model and --clean-model, both or none")
	}
	if o.model == "" {
		return term.Refuse(fs, "without --model", "view")
	}
	return term.Refuse(fs, "with --model", "tune", "c")
}

// trained opens the two models that were trained elsewhere.
func (o *benchmarkOptions) trained(ctx context.Context) (*decoy.Models, error) {
	ask := func(dir string) (*predictor.Model, error) {
		return predictor.Load(ctx, dir, predictor.Options{View: predictor.View(o.view), Seed: o.Seed, Workers: o.Workers})
	}
	clean, err := ask(o.clean)
	if err != nil {
		return nil, err
	}
	planted, err := ask(o.model)
	if err != nil {
		return nil, err
	}
	return &decoy.Models{Name: fmt.Sprintf("two models of sotto train, asked %s what is drawn", map[string]string{string(predictor.Before): "before", string(predictor.Expected): "over"}[o.view]), Clean: clean, Decoy: planted}, nil
}

// explainers returns those that were asked for.
func (o *benchmarkOptions) explainers() ([]decoy.Method, error) {
	words := o.encoder == wordsModel && o.model == ""
	if !words && o.samples == 0 {
		o.samples = 500
	}
	if len(o.methods) == 0 {
		return decoy.Methods(o.samples, words), nil
	}
	all := decoy.Methods(o.samples, words || o.model != "") // some encoders have gradients
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Name
	}
	var some []decoy.Method
	for _, name := range o.methods {
		at := slices.Index(names, name)
		if at < 0 {
			return nil, fmt.Errorf("--method has %q, must be of %s%s", name, strings.Join(names, ", "), layout.Hint(name, names))
		}
		some = append(some, all[at])
	}
	return some, nil
}

// printBenchmark prints a result for a person.
func printBenchmark(out io.Writer, r *decoy.Result) error {
	if _, err := fmt.Fprintf(out, "%s: %d training rows, %d after planting, %d test rows; %s\n\n",
		term.Plain(r.Data), r.Rows, r.Planted, r.Tested, r.Model); err != nil {
		return err
	}
	t := term.NewTable(out, "DECOY", "APPLICABILITY", "PRODUCTIVITY", "COVERAGE %", "SLICE", "CLEAN %", "DECOY %", "P")
	for _, p := range r.Plantings {
		t.Row(term.Plain(p.Decoy), p.Applicability, fmt.Sprintf("%.3f", p.Productivity), term.Percent(measure.Number(p.Coverage)),
			fmt.Sprintf("%d rows", p.SliceRows), term.Percent(p.CleanSlice), term.Percent(p.DecoySlice), p.P.Text("%.2g"))
	}
	t.Row("all test rows", "", "", "", fmt.Sprintf("%d rows", r.Tested), term.Percent(measure.Number(r.Clean)), term.Percent(measure.Number(r.Decoy)), "")
	if err := t.Flush(); err != nil {
		return err
	}
	before := "\n"
	for _, p := range r.Plantings {
		for _, c := range p.Cues {
			rank := ""
			if c.WeightRank != nil {
				rank = fmt.Sprintf("; weight %s, number %d of all by size", c.Weight.Text("%+.2f"), *c.WeightRank)
			}
			if _, err := fmt.Fprintf(out, "%s%q stands for %s in %.1f %% of its %d training rows%s\n", before, c.Word, term.Plain(c.Class), 100*c.Productivity, c.Applicability, rank); err != nil {
				return err
			}
			before = ""
		}
	}
	if err := printExplained(out, r); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\nMeans over %s; 95 %% intervals and the other measures are in --json.\n", r.Sentence(), page.Plural(r.Seeds, "seed", "seeds"))
	return err
}

// printExplained prints the tables of explainers and of finders of rows.
func printExplained(out io.Writer, r *decoy.Result) error {
	var words, rows *term.Table
	for _, e := range r.Explainers {
		if f := e.Find; f != nil {
			if rows == nil {
				rows = begin(out, "FINDER", "PLACE", "FIRST ROW", "THIRD", "PRECISION %", "RELABELLED TEST")
			}
			rows.Row(e.Name, span(e.Place, 1, 1), span(f.First, 1, 1), span(f.Third, 1, 1), span(f.Precision, 100, 1), span(f.Relabel.All, 100, 1))
			continue
		}
		if words == nil {
			words = begin(out, "EXPLAINER", "PLACE", "TOP-1 %", "FIRST HIT", "SP PICK", "CLUSTERS", "THIRD HIT", "CHOOSES %", "REMOVED", "PENALISED")
		}
		words.Row(e.Name, span(e.Place, 1, 1), span(e.Identify.Top1, 100, 0), span(e.Reading[0].First, 1, 1), e.Reading[1].First.Mean.Text("%.1f"),
			e.Reading[2].First.Mean.Text("%.1f"), e.Reading[0].Third.Mean.Text("%.1f"), span(*e.Choose, 100, 0), gain(e.Removed), gain(e.Held))
	}
	for _, t := range []*term.Table{words, rows} {
		if t != nil {
			if err := t.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin begins a table below what stands there.
func begin(out io.Writer, heads ...any) *term.Table {
	fmt.Fprintln(out) //nolint:errcheck // the table fails, too
	return term.NewTable(out, heads...)
}

// span is a mean with half of its interval.
func span(s measure.Summary, scale float64, decimals int) string {
	text := fmt.Sprintf("%.*f", decimals, scale*float64(s.Mean))
	if s.N > 1 {
		text += fmt.Sprintf(" ±%.*f", decimals, scale*float64(s.High-s.Mean))
	}
	return text
}

// gain is what a repair brings back on the slice, in points; a dash where nothing was
// repaired.
func gain(g *decoy.Gain) string {
	if g == nil {
		return "–"
	}
	return fmt.Sprintf("%+.1f", 100*float64(g.Slice.Mean))
}
