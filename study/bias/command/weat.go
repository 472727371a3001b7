package bias

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
	"sotto/evidence/page"
	"sotto/internal/layout"
	"sotto/internal/version"
	"sotto/study/bias/weat"
)

// weatOptions are the flags of "sotto bias weat".
type weatOptions struct {
	flags
	study      weat.Study
	tests      []string
	measures   []string
	statistics []string
	table      bool
	csv, html  string
}

func (o *weatOptions) addFlags(fs *pflag.FlagSet) {
	o.flags.addFlags(fs, 100)
	fs.StringVar(&o.study.Words, "words", "", "JSON file of your own tests, instead of the ten built in")
	fs.StringSliceVar(&o.tests, "tests", nil, "tests to make, by place or name, such as 1,6-9 (default: all)")
	fs.StringSliceVar(&o.measures, "measure", []string{string(weat.Cosine)}, "measures of association, separated by commas: cosine, euclidean, manhattan, mahalanobis, or all")
	fs.StringSliceVar(&o.statistics, "statistic", []string{string(weat.Mean)}, "statistics, separated by commas: mean, median, min, max, optimum, or all")
	fs.StringVar((*string)(&o.study.Covariance), "covariance", string(weat.LedoitWolf), "covariance for mahalanobis: ledoit-wolf, or glasso, which takes minutes")
	fs.BoolVar(&o.study.Pooled, "pooled", false, "take for mahalanobis one covariance within both attribute sets, not one for each")
	fs.BoolVar(&o.study.Population, "population", false, "divide by N in the deviation, not by N−1")
	fs.BoolVar(&o.study.TwoSided, "two-sided", false, "test for an association of either direction")
	fs.IntVar(&o.study.Samples, "samples", 100_000, "number of partitions to draw if there are more than that, and more than 200,000")
	fs.BoolVar(&o.table, "table", false, "print effects by test, measure and statistic, and their summary, as in the literature")
	fs.StringVar(&o.csv, "csv", "", "write every result to this CSV file, - for standard output")
	fs.StringVar(&o.html, "html", "", "write a page to this HTML file")
}

func newBiasWeat(std term.Streams) *cobra.Command {
	var o weatOptions
	c := &cobra.Command{
		Use:   "weat",
		Short: "Association tests: which words are nearer to which, and could it be chance",
		Long: `Make word embedding association tests: are the words of X nearer to A, and those
of Y to B, than the other way round? The ten tests of Caliskan and others are
built in. EFFECT is the difference of mean associations in deviations, with its
sign: a stereotype is positive by cosine and negative by a distance. P is the
share of partitions of the target words with a greater difference, in the
direction of the stereotype; every partition is looked at where there are at
most 200,000. Stars and counts of significant tests are by the p that counts
partitions as great as the observed one too, p_inclusive in JSON and CSV.

Words without a vector are left out and listed. A test that loses more than a
fifth of a set is refused; exit code 1 if all are.

Your own tests are a JSON list; more_A and more_B serve the covariance alone:

  [{"name": "careers", "X": ["engineer", "driver"], "Y": ["nurse", "aide"],
    "A": ["he", "him"], "B": ["she", "her"], "more_A": [], "more_B": []}]

With --mechanism each test is also made on private vectors, and the mean and the
2.5th and 97.5th percentile of the effect over the draws are shown.

` + term.MechanismList(),
		Example: `  sotto bias weat --vectors glove.6B.100d.txt.gz
  sotto bias weat --vectors a.vec,b.bin --measure all --statistic all --table --html weat.html
  sotto bias weat --vectors glove.txt --tests 1,6-9 --mechanism laplace-l1 --epsilon 50 --json`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			if err := o.checkFiles(c.Flags()); err != nil {
				return err
			}
			return runWeat(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

// checkFiles refuses to overwrite what is read, and flags that have no meaning
// together.
func (o *weatOptions) checkFiles(fs *pflag.FlagSet) error {
	outputs := []term.NamedPath{term.Named("--csv", o.csv), term.Named("--html", o.html)}
	paths := append([]term.NamedPath{term.Named("--words", o.study.Words)}, outputs...)
	for _, v := range o.vectors {
		paths = append(paths, term.Named("--vectors", v))
	}
	if err := term.RefuseSame(paths...); err != nil {
		return err
	}
	if err := refuseBoth(o.json, outputs...); err != nil {
		return err
	}
	if o.table && (o.json || o.csv == "-" || o.html == "-") {
		return errors.New("--table has no meaning where --json, --csv or --html goes to standard output")
	}
	if slices.ContainsFunc(o.measures, func(m string) bool { return strings.EqualFold(m, string(weat.Mahalanobis)) || m == "all" }) {
		return nil
	}
	return term.Refuse(fs, "without --measure mahalanobis", "covariance", "pooled")
}

func runWeat(ctx context.Context, o weatOptions, std term.Streams) error {
	defer o.show(std.Err)()
	var r *weat.Report
	var files outputs
	defer files.abort()
	if err := files.begin(o.csv, func(w io.WriteSeeker) error { return r.WriteCSV(w) }); err != nil {
		return err
	}
	err := files.begin(o.html, func(w io.WriteSeeker) error {
		return page.HTML(w, r.Page("Made by sotto bias weat, version "+version.Short()+"."))
	})
	if err != nil {
		return err
	}
	if err = o.prepare(std.In); err != nil {
		return err
	}
	sources, err := o.sources(ctx, weat.Words(o.study.Tests...))
	if err != nil {
		return err
	}
	if r, err = o.study.Run(ctx, sources); err != nil {
		return err
	}
	if err = files.finish(std, nil, o.json, r, func(b *layout.Buffer) { printWeat(b, r, o.table) }); err == nil && r.Refused() {
		err = term.ErrNo
	}
	return err
}

// prepare completes what is to be done.
func (o *weatOptions) prepare(stdin io.Reader) (err error) {
	s := &o.study
	if s.Samples < 1 {
		return fmt.Errorf("--samples is %d, must be at least 1", s.Samples)
	}
	s.Seed, s.Release, s.Progress = o.Seed(), o.release(), o.tell
	if s.Measures, err = weat.ParseMeasures(o.measures); err != nil {
		return err
	}
	if s.Statistics, err = weat.ParseStatistics(o.statistics); err != nil {
		return err
	}
	if s.Covariance, err = weat.ParseCovariance(string(s.Covariance)); err != nil {
		return err
	}
	list := weat.Builtin()
	switch {
	case s.Words == "-":
		list, err = weat.Parse(stdin)
	case s.Words != "":
		list, err = term.ReadFile(s.Words, weat.Parse)
	}
	if err != nil {
		return fmt.Errorf("the tests cannot be read: %w", err)
	}
	s.Tests, err = weat.Choose(list, o.tests)
	return err
}
