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

	"sotto/bias/weat"
	"sotto/internal/cli/term"
	"sotto/report/page"
)

// weatOptions are the flags of "sotto bias weat".
type weatOptions struct {
	flags
	words      string
	tests      []string
	measures   []string
	statistics []string
	covariance string
	population bool
	twoSided   bool
	pooled     bool
	samples    int
	table      bool
	csv, html  string
}

func (o *weatOptions) addFlags(fs *pflag.FlagSet) {
	o.flags.addFlags(fs, 100)
	fs.StringVar(&o.words, "words", "", "JSON file of your own tests, instead of the ten built in")
	fs.StringSliceVar(&o.tests, "tests", nil, "tests to make, by place or name, such as 1,6-9 (default: all)")
	fs.StringSliceVar(&o.measures, "measure", []string{string(weat.Cosine)}, "measures of association, separated by commas: cosine, euclidean, manhattan, mahalanobis, or all")
	fs.StringSliceVar(&o.statistics, "statistic", []string{string(weat.Mean)}, "statistics, separated by commas: mean, median, min, max, optimum, or all")
	fs.StringVar(&o.covariance, "covariance", string(weat.LedoitWolf), "covariance for mahalanobis: ledoit-wolf, or glasso, which takes minutes")
	fs.BoolVar(&o.pooled, "pooled", false, "take for mahalanobis one covariance within both attribute sets, not one for each")
	fs.BoolVar(&o.population, "population", false, "divide by N in the deviation, not by N−1")
	fs.BoolVar(&o.twoSided, "two-sided", false, "test for an association of either direction")
	fs.IntVar(&o.samples, "samples", 100_000, "number of partitions to draw if there are more than that, and more than 200,000")
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
		Args: cobra.NoArgs,
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
	paths := append([]term.NamedPath{term.Named("--words", o.words)}, outputs...)
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
	return refuse(fs, "without --measure mahalanobis", "covariance", "pooled")
}

func runWeat(ctx context.Context, o weatOptions, std term.Streams) error {
	defer o.show(std.Err)()
	var files outputs
	defer files.abort()
	table, err := files.begin(o.csv)
	if err != nil {
		return err
	}
	html, err := files.begin(o.html)
	if err != nil {
		return err
	}
	study, err := o.study(std.In)
	if err != nil {
		return err
	}
	var tests []weat.Test
	for _, t := range study.Tests {
		tests = append(tests, t.Test)
	}
	sources, err := o.sources(ctx, weat.Words(tests...))
	if err != nil {
		return err
	}
	report, err := study.Run(ctx, sources)
	if err != nil {
		return err
	}
	if err := table.Fill(report.WriteCSV); err != nil {
		return err
	}
	made := "Made by sotto bias weat, version " + term.Version() + "."
	if err := html.Fill(func(w io.Writer) error { return page.HTML(w, report.Page(made)) }); err != nil {
		return err
	}
	if err := files.commit(std.Out); err != nil {
		return err
	}
	if err := o.print(report, std); err != nil {
		return err
	}
	if report.Refused() {
		return term.ErrNo
	}
	return nil
}

// study turns flags into what is to be done.
func (o *weatOptions) study(stdin io.Reader) (s weat.Study, err error) {
	if o.samples < 1 {
		return s, fmt.Errorf("--samples is %d, must be at least 1", o.samples)
	}
	s.Population, s.TwoSided, s.Samples, s.Seed, s.Pooled = o.population, o.twoSided, o.samples, o.Seed, o.pooled
	s.Words, s.Release, s.Progress = o.words, o.release(), o.tell
	if s.Measures, err = weat.ParseMeasures(o.measures); err != nil {
		return s, err
	}
	if s.Statistics, err = weat.ParseStatistics(o.statistics); err != nil {
		return s, err
	}
	if s.Covariance, err = weat.ParseCovariance(o.covariance); err != nil {
		return s, err
	}
	list := weat.Builtin()
	switch {
	case o.words == "-":
		list, err = weat.Parse(stdin)
	case o.words != "":
		list, err = term.ReadFile(o.words, weat.Parse)
	}
	if err != nil {
		return s, fmt.Errorf("the tests cannot be read: %w", err)
	}
	s.Tests, err = weat.Choose(list, o.tests)
	return s, err
}
