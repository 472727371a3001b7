// Package errors holds the command errors, which says where a classifier fails and for whom.
package errors

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/internal/atomicfile"
	"sotto/promise/dp"
	failing "sotto/study/errors"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newErrors(std)}
}

// errorsOptions are the flags of "sotto errors".
type errorsOptions struct {
	inputFlags
	failing.Options
	tree            failing.TreeOptions
	heat            []string
	rules           string
	cohortsOut, out string
	rulesOut        string
	epsilon         float64
	rowsPerPerson   int
	natural         bool
	workers         int
	json            bool
}

func newErrors(std term.Streams) *cobra.Command {
	var o errorsOptions
	c := &cobra.Command{
		Use:   "errors",
		Short: "Say where a classifier fails, and for whom: rankings of errors, cohorts, what privacy costs",
		Long: `Read texts, labels and the answers of any model, learn from features that people can
read where the answers are wrong, and say which kinds of texts suffer.

Rankers order texts by how likely their answer is wrong: a forest of the features, what
the model itself doubts (--confidence, or --probabilities, a column a class), and both
together. Each is judged on --splits test parts, with as many right as wrong answers, as
published, or on rows as they are (--natural).

Cohorts are the leaves of a shallow tree. Its rules are found on one half of the rows, and
their intervals come from the other. With --private-predicted, the answers of a private
release to the same texts, a second tree says which cohorts lose by privacy. With --model,
a model of sotto train answers, before its release and after it; what receivers answer is
weighed over all that the release may draw. How sure it is before and after, and how far the
release moves a text, are then features of the forest, and of rules with --posteriors.

Features are those of English texts, and columns that --features names; without --text,
these alone. --lexicon says which words carry which emotion, in place of what is built in. A row without a label is left out and counted; one without an answer counts
as wrong.

With --epsilon, nothing is printed but the counts of --rules, with noise: how many rows are
right and wrong where each rule is the first that holds. Rules must have been written down
before anybody looked at these rows; those that this command finds are not. The file is then
read as its name and the flags say, and nothing is found out by looking at its rows.`,
		Example: `  sotto errors --in answers.csv --text text --label label --predicted answer --confidence p
  sotto errors --in answers.csv --text text --label label --predicted answer --probabilities p_no,p_yes --splits 50 --json
  sotto errors --in answers.csv --label y --predicted answer --private-predicted private --features age,city --cohorts-out cohorts.csv
  sotto errors --in reviews.csv --text text --label rating --model reviews --json
  sotto errors --in new.csv --text text --label label --predicted answer --rules rules.json --epsilon 1`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.model == "" {
				if err := term.RefuseFlags(c.Flags(), "without --model", o.names()...); err != nil {
					return err
				}
			} else if err := term.RefuseFlags(c.Flags(), "with --model", "confidence", "probabilities", "private-predicted", "private-epsilon"); err != nil {
				return err
			}
			if o.epsilon == 0 {
				if err := term.RefuseFlags(c.Flags(), "without --epsilon", "person", "person-exact", "rows-per-person"); err != nil {
					return err
				}
			} else if err := term.RefuseFlags(c.Flags(), "with --epsilon, which lets counts alone out", "out", "cohorts-out", "rules-out", "heat", "confidence", "probabilities", "private-predicted", "private-epsilon", "splits", "seed", "posteriors"); err != nil {
				return err
			}
			return runErrors(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	o.addFlags(fs)
	fs.IntVar(&o.Splits, "splits", 20, "number of random splits on which rankers are judged")
	fs.BoolVar(&o.natural, "natural", false, "judge rankers on rows as they are, in place of as many right as wrong ones")
	fs.IntVar(&o.MinRows, "min-rows", 5, "leave out features that fewer rows have")
	fs.IntVar(&o.Top, "top", 40, "number of features to name")
	fs.IntVar(&o.tree.Depth, "depth", 3, "depth of the tree of cohorts")
	fs.IntVar(&o.tree.Least, "leaf", 20, "fewest rows of a cohort, in the half on which it is found")
	fs.IntVar(&o.tree.Leaves, "leaves", 31, "most cohorts")
	fs.StringSliceVar(&o.heat, "heat", nil, "two features whose heat map is shown (default: the two that matter most)")
	fs.StringVar(&o.rules, "rules", "", "file of rules that make the cohorts, in place of a tree")
	fs.StringVar(&o.rulesOut, "rules-out", "", "file to write the rules of the cohorts to, for other rows")
	fs.StringVar(&o.cohortsOut, "cohorts-out", "", "CSV file to write, with the id of each row and its cohort; it holds your data")
	fs.StringVar(&o.out, "out", "", "folder to keep what was learnt in, for sotto errors rank, and the result; it holds no text")
	fs.StringVar(&o.privateEpsilon, "private-epsilon", "", "true ε of the private answers, to be stored with the result, or a column of them, of which rules of who loses may then speak; it is not checked (default: not known)")
	fs.Float64Var(&o.epsilon, "epsilon", 0, "print nothing but the counts of --rules, released with this ε (default: none are released)")
	fs.IntVar(&o.rowsPerPerson, "rows-per-person", 1, "most rows of a person that are counted, with --epsilon and --person")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of splits, forests and halves (default 0)")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	sameNames(fs)
	c.AddCommand(newRank(std))
	return c
}

// sameNames makes --prediction another name of --predicted, and keeps what else has
// two.
func sameNames(fs *pflag.FlagSet) {
	before := fs.GetNormalizeFunc()
	fs.SetNormalizeFunc(func(fs *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "prediction" {
			name = "predicted"
		}
		return before(fs, name)
	})
}

func runErrors(ctx context.Context, o errorsOptions, std term.Streams) error {
	if err := o.check(); err != nil {
		return err
	}
	var err error
	if o.Workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	var rules []failing.Rule
	if o.rules != "" {
		if rules, err = term.ReadFile(o.rules, failing.ReadRules); err != nil {
			return err
		}
	}
	in, err := o.read(std.In, o.epsilon != 0)
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "reading texts")
	defer bar.Finish()
	o.Progress = func(done, total int) { bar.Set(int64(done), int64(total)) }
	if o.epsilon != 0 {
		in.rules = rules
	}
	if o.model != "" {
		bar.Describe("asking the model")
		if err = o.ask(ctx, in, o.Seed, o.Work); err != nil {
			return err
		}
		bar.Describe("reading texts")
	}
	x, err := in.features(ctx, o.Work)
	if err != nil {
		return err
	}
	if o.epsilon != 0 {
		return o.release(std, in, x, rules)
	}
	t, err := o.widen(in, x)
	if err != nil {
		return err
	}
	bar.Describe("learning where answers are wrong")
	r, err := o.judge(ctx, in, t, rules)
	if err != nil {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	if o.out != "" {
		bar.Describe("keeping what was learnt")
		if err := o.keep(ctx, in, t.all, r); err != nil {
			return err
		}
	}
	bar.Finish()
	if err := o.write(std, in, r); err != nil {
		return err
	}
	return term.Show(std.Out, o.json, r, printErrors)
}

// check refuses flags that do not fit together, before anything is read.
func (o *errorsOptions) check() error {
	if err := o.inputFlags.check(); err != nil {
		return err
	}
	if len(o.heat) != 0 && len(o.heat) != 2 {
		return fmt.Errorf("--heat names %d features, must name two", len(o.heat))
	}
	if o.epsilon != 0 && o.rules == "" {
		return errors.New("--epsilon needs --rules: what a tree finds depends on the rows in ways that no noise on counts covers, so that only counts of rules that were written down before are released")
	}
	files := []term.NamedPath{term.Named("--in", o.in), term.Named("--rules", o.rules), term.Named("--cohorts-out", o.cohortsOut), term.Named("--rules-out", o.rulesOut)}
	if o.out != "" {
		if err := atomicfile.Probe(o.out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err := term.RefuseSame(files...); err != nil {
		return err
	}
	for _, f := range files[2:] {
		if f.Path != "" && f.Path != "-" {
			if err := atomicfile.ProbeFile(f.Path); err != nil {
				return fmt.Errorf("%s: %w", f.Flag, err)
			}
		}
	}
	return nil
}

// judge measures everything but what is released.
func (o *errorsOptions) judge(ctx context.Context, in *input, t *tables, rules []failing.Rule) (*failing.Result, error) {
	o.Natural, o.tree.Seed = o.natural, o.Seed
	often := t.rules.Frequent(o.MinRows)
	if o.heat != nil { // a wrong name is told before the long work
		if _, err := failing.NewHeatMap(t.all.Frequent(o.MinRows), in.wrong, o.heat[0], o.heat[1]); err != nil {
			return nil, err
		}
	}
	j, err := failing.Judge(ctx, failing.Answers{Wrong: in.wrong, Features: t.all, Confidence: in.confidence, Probabilities: in.probabilities}, o.Options)
	if errors.Is(err, failing.ErrFew) && in.privately() { // who loses can be told all the same
		few := failing.Unjudged("too few answers are wrong to learn from")
		j, err = &few, nil
	}
	if err != nil {
		return nil, err
	}
	r := &failing.Result{
		Format: failing.Format, Source: in.name, Rows: len(in.wrong), LeftOut: in.leftOut, Seed: o.Seed,
		Balance: !o.natural, Splits: o.Splits, Judged: *j, NoFeatures: t.absent, Tree: o.tree,
	}
	r.Count(in.wrong)
	if rules != nil {
		r.Cohorts, err = failing.CohortsOf(rules, t.all, in.wrong)
	} else {
		r.Cohorts, err = failing.Cohorts(often, in.wrong, o.tree)
	}
	if err != nil {
		return nil, err
	}
	if r.HeatMap, err = o.heatMap(r, t, in.wrong); err != nil {
		return nil, err
	}
	if err = o.losses(in, often, r); err != nil {
		return nil, err
	}
	return r, nil
}

// losses says what privacy costs, if there are private answers.
func (o *errorsOptions) losses(in *input, x *failing.Features, r *failing.Result) (err error) {
	switch {
	case in.private != nil:
		several := in.epsilons != nil && slices.Min(in.epsilons) < slices.Max(in.epsilons)
		if several { // of unprotected answers it says nothing
			if x, err = failing.Join(x, failing.FromEpsilon(in.epsilons)); err != nil {
				return err
			}
		}
		if r.Privacy, err = failing.Losses(x, in.wrong, in.private, o.tree); err != nil {
			return err
		}
		if in.epsilons != nil && !several {
			e := dp.Epsilon(in.epsilons[0])
			r.Privacy.Epsilon = &e
			r.NoFeatures = append(r.NoFeatures, failing.Absent{Name: failing.ReleaseEpsilon, Why: fmt.Sprintf("it is %v for every text, and tells none from another", e)})
		}
	case in.model != nil && in.model.right != nil:
		if r.Privacy, err = failing.ExpectedLosses(x, in.wrong, in.model.right, o.tree); err != nil {
			return err
		}
		r.Privacy.Guarantee = in.model.guarantee
	}
	return nil
}

// heatMap counts errors by the two features that were named, or by those of which rules
// may speak that matter most.
func (o *errorsOptions) heatMap(r *failing.Result, t *tables, wrong []bool) (*failing.HeatMap, error) {
	two := o.heat
	if two == nil {
		for _, f := range r.Features { // two values of one column say the same
			if !slices.Contains(t.rules.Names, f.Name) {
				continue
			}
			if len(two) == 0 || len(two) == 1 && !failing.SameColumn(two[0], f.Name) {
				two = append(two, f.Name)
			}
		}
		if len(two) < 2 {
			return nil, nil
		}
	}
	return failing.NewHeatMap(t.all.Frequent(o.MinRows), wrong, two[0], two[1])
}

// features makes the table of features: of the texts, and of columns.
func (in *input) features(ctx context.Context, w failing.Work) (*failing.Features, error) {
	tables := make([]*failing.Features, 0, 1+len(in.columns))
	if in.texts != nil {
		t, err := in.reader.Make(ctx, in.texts, w)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	for k, values := range in.columns {
		if in.rules != nil {
			tables = append(tables, failing.ForRules(in.rules, in.columnNames[k], values))
			continue
		}
		t, err := failing.FromColumn(in.columnNames[k], values)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return failing.Join(tables...)
}

// base returns the name of a file for results, which hold no folders.
func base(path string) string {
	if path == "-" {
		return "stdin"
	}
	return filepath.Base(path)
}
