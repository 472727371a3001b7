package bias

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/bias"
	"sotto/bias/weat"
	"sotto/internal/cli/term"
	"sotto/measure"
	"sotto/mech"
	"sotto/report/page"
)

// weatOptions are the flags of "sotto bias weat".
type weatOptions struct {
	biasFlags
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
	o.biasFlags.addFlags(fs, 100)
	fs.StringVar(&o.words, "words", "", "JSON file of your own tests, instead of the ten built in")
	fs.StringSliceVar(&o.tests, "tests", nil, "tests to make, by place or name, such as 1,6-9 (default all)")
	fs.StringSliceVar(&o.measures, "measure", []string{string(weat.Cosine)}, "cosine, euclidean, manhattan or mahalanobis, several of them, or all")
	fs.StringSliceVar(&o.statistics, "statistic", []string{string(weat.Mean)}, "mean, median, min, max or optimum, several of them, or all")
	fs.StringVar(&o.covariance, "covariance", string(weat.LedoitWolf), "of mahalanobis: ledoit-wolf, or glasso, which takes minutes")
	fs.BoolVar(&o.pooled, "pooled", false, "of mahalanobis: one covariance within both attribute sets, not one for each")
	fs.BoolVar(&o.population, "population", false, "divide by N in the deviation, not by N−1")
	fs.BoolVar(&o.twoSided, "two-sided", false, "test for an association of either direction")
	fs.IntVar(&o.samples, "samples", 100_000, "partitions to draw where there are more, and more than 200,000")
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
	for _, n := range []string{"covariance", "pooled"} {
		if fs.Changed(n) && !slices.ContainsFunc(o.measures, func(m string) bool { return strings.EqualFold(m, string(weat.Mahalanobis)) || m == "all" }) {
			return fmt.Errorf("--%s has no meaning without --measure %s", n, weat.Mahalanobis)
		}
	}
	return nil
}

// weatReport is what "sotto bias weat --json" prints.
type weatReport struct {
	Settings  weatSettings  `json:"settings"`
	Models    []weatModel   `json:"models"`
	Tests     []weatRow     `json:"tests"`
	Summaries []weatSummary `json:"summaries"`
	// Simulated: there is a mechanism, whose noise comes from the seed.
	Simulated     bool   `json:"simulated,omitempty"`
	SimulatedNote string `json:"simulated_note,omitempty"`
}

// weatSettings say how the tests were made.
type weatSettings struct {
	Words      string `json:"words,omitempty"` // file of the tests; "" if they are built in
	Population bool   `json:"population"`
	TwoSided   bool   `json:"two_sided"`
	Samples    int    `json:"samples"`
	Seed       uint64 `json:"seed"`
	Covariance string `json:"covariance"`
	Pooled     bool   `json:"pooled"`
	// PrivateSamples is the number of partitions drawn for each draw of a
	// mechanism.
	PrivateSamples int `json:"private_samples,omitempty"`
}

// weatModel says what was measured.
type weatModel struct {
	Name      string          `json:"name"`
	Dim       int             `json:"dim"`
	Counts    *bias.Counts    `json:"counts,omitempty"` // nil of an encoder
	Guarantee *mech.Statement `json:"guarantee,omitempty"`
}

// weatRow is a test by one measure and statistic.
type weatRow struct {
	Model      string         `json:"model"`
	Test       int            `json:"test"` // its place in the list, as --tests names it
	Name       string         `json:"name"`
	About      string         `json:"about,omitempty"`
	Measure    weat.Measure   `json:"measure"`
	Statistic  weat.Statistic `json:"statistic"`
	Effect     measure.Number `json:"effect"`
	Sum        measure.Number `json:"sum"`
	P          measure.Number `json:"p"`
	Inclusive  measure.Number `json:"p_inclusive"` // by which significance is judged
	TwoSided   bool           `json:"two_sided"`
	Exact      bool           `json:"exact"`
	Partitions int            `json:"partitions"`
	Greater    int            `json:"greater"`
	Equal      int            `json:"equal"`
	Lost       []string       `json:"lost"`
	Sets       []weat.Found   `json:"sets"`
	Notes      []string       `json:"notes,omitempty"`
	Refused    string         `json:"refused,omitempty"`
	Private    *weatPrivate   `json:"private,omitempty"`
}

// weatPrivate is what is left of a row on private vectors.
type weatPrivate struct {
	Effect      drawn          `json:"effect"`
	Significant measure.Number `json:"significant"` // share of draws with an inclusive p below .01
}

// weatSummary is a row of the summary of tests.
type weatSummary struct {
	Model       string         `json:"model"`
	Measure     weat.Measure   `json:"measure"`
	Statistic   weat.Statistic `json:"statistic"`
	Tests       int            `json:"tests"`
	Significant int            `json:"significant"`
	Mean        measure.Number `json:"mean"`
	Deviation   measure.Number `json:"deviation"`
}

// significance is the level of the summary, as in the literature.
const significance = 0.01

// maxPrivateSamples bounds the partitions drawn for each draw of a mechanism:
// p is then compared with a level alone.
const maxPrivateSamples = 10_000

func runWeat(ctx context.Context, o weatOptions, std term.Streams) error {
	o.stderr = std.Err
	var files biasFiles
	defer files.abort()
	table, err := files.begin(o.csv)
	if err != nil {
		return err
	}
	html, err := files.begin(o.html)
	if err != nil {
		return err
	}
	settings, err := o.options()
	if err != nil {
		return err
	}
	tests, places, err := o.choose(std.In)
	if err != nil {
		return err
	}
	models, err := o.models(ctx, weat.Words(tests...))
	if err != nil {
		return err
	}
	report := weatReport{Settings: weatSettings{
		Words: o.words, Population: o.population, TwoSided: o.twoSided, Samples: o.samples, Seed: o.Seed, Covariance: o.covariance, Pooled: o.pooled,
	}}
	if o.mechanism != "" {
		report.Simulated, report.SimulatedNote = true, simulated
		report.Settings.PrivateSamples = min(o.samples, maxPrivateSamples)
	}
	for i, m := range models {
		if slices.ContainsFunc(models[:i], func(n biasModel) bool { return n.name == m.name }) {
			return fmt.Errorf("--vectors and --encoder name %q twice, must name each once", m.name)
		}
		if err := o.measure(ctx, m, tests, places, settings, &report); err != nil {
			return err
		}
	}
	if err := table.Fill(func(w io.Writer) error { return writeWeatCSV(w, &report) }); err != nil {
		return err
	}
	if err := html.Fill(func(w io.Writer) error { return page.HTML(w, weatPage(&report)) }); err != nil {
		return err
	}
	if err := files.commit(std.Out); err != nil {
		return err
	}
	if err := o.print(&report, std); err != nil {
		return err
	}
	if !slices.ContainsFunc(report.Tests, func(r weatRow) bool { return r.Refused == "" }) {
		return term.ErrNo
	}
	return nil
}

// options turns flags into options of the tests.
func (o *weatOptions) options() (weat.Options, error) {
	all := weat.Options{Population: o.population, TwoSided: o.twoSided, Samples: o.samples, Seed: o.Seed, Pooled: o.pooled}
	if o.samples < 1 {
		return all, fmt.Errorf("--samples is %d, must be at least 1", o.samples)
	}
	if slices.Equal(o.measures, []string{"all"}) {
		all.Measures = weat.Measures()
	} else {
		for _, name := range o.measures {
			m, err := weat.ParseMeasure(name)
			if err != nil {
				return all, err
			}
			if !slices.Contains(all.Measures, m) {
				all.Measures = append(all.Measures, m)
			}
		}
	}
	if slices.Equal(o.statistics, []string{"all"}) {
		all.Statistics = weat.Statistics()
	} else {
		for _, name := range o.statistics {
			s, err := weat.ParseStatistic(name)
			if err != nil {
				return all, err
			}
			if !slices.Contains(all.Statistics, s) {
				all.Statistics = append(all.Statistics, s)
			}
		}
	}
	var err error
	all.Covariance, err = weat.ParseCovariance(o.covariance)
	return all, err
}

// choose returns the tests to make and the place of each in the list.
func (o *weatOptions) choose(stdin io.Reader) (tests []weat.Test, places []int, err error) {
	all := weat.Builtin()
	if o.words != "" {
		if all, err = readTests(o.words, stdin); err != nil {
			return nil, nil, err
		}
	}
	chosen := make([]bool, len(all))
	for _, part := range o.tests {
		from, to, err := testRange(part, all)
		if err != nil {
			return nil, nil, err
		}
		for i := from; i <= to; i++ {
			chosen[i-1] = true
		}
	}
	for i, t := range all {
		if chosen[i] || len(o.tests) == 0 {
			tests, places = append(tests, t), append(places, i+1)
		}
	}
	return tests, places, nil
}

func readTests(path string, stdin io.Reader) ([]weat.Test, error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("the tests cannot be read: %w", err)
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	tests, err := weat.Parse(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tests, nil
}

// testRange reads a place, a range of places or a name.
func testRange(part string, all []weat.Test) (from, to int, err error) {
	if i := slices.IndexFunc(all, func(t weat.Test) bool { return t.Name == part }); i >= 0 {
		return i + 1, i + 1, nil
	}
	first, last, ranged := strings.Cut(part, "-")
	if !ranged {
		last = first
	}
	from, err = strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if errors.Join(err, err2) != nil || from < 1 || to < from || to > len(all) {
		return 0, 0, fmt.Errorf("--tests names %.40q, must name tests from 1 to %d, such as 1,6-9, or by their names", part, len(all))
	}
	return from, to, nil
}

// measure makes the tests on a model and on its private tables.
func (o *weatOptions) measure(ctx context.Context, m biasModel, tests []weat.Test, places []int, settings weat.Options, report *weatReport) error {
	mechanism, statement, err := o.release(m.table.Dim())
	if err != nil {
		return err
	}
	bar := term.NewProgress(o.stderr, "tests")
	results, err := weat.RunAll(ctx, m.table, tests, settings, func(done int) { bar.Set(int64(done), int64(len(tests))) })
	bar.Finish()
	if err != nil {
		return err
	}
	report.Models = append(report.Models, weatModel{m.name, m.table.Dim(), m.counts, statement})
	first := len(report.Tests)
	for i, r := range results {
		for _, v := range r.Variants {
			report.Tests = append(report.Tests, weatRow{
				Model: m.name, Test: places[i], Name: r.Test.Name, About: r.Test.About, Measure: v.Measure, Statistic: v.Statistic,
				Effect: measure.Number(v.Effect), Sum: measure.Number(v.Sum), P: measure.Number(v.P), Inclusive: measure.Number(v.Inclusive), TwoSided: v.TwoSided,
				Exact: v.Exact, Partitions: v.Partitions, Greater: v.Greater, Equal: v.Equal,
				Lost: r.Lost(), Sets: r.Sets, Notes: r.Notes, Refused: v.Refused,
			})
		}
	}
	for _, s := range weat.Summarise(results, significance) {
		report.Summaries = append(report.Summaries, weatSummary{m.name, s.Measure, s.Statistic, s.Tests, s.Significant, measure.Number(s.Mean), measure.Number(s.Deviation)})
	}
	if mechanism == nil {
		return nil
	}
	return o.redraw(ctx, m.table, mechanism, results, settings, report.Tests[first:])
}

// redraw fills in what is left of the rows on private vectors. The words are those
// that count in the raw tests, and no others are released: one whose vector is
// zero would count once there is noise on it.
func (o *weatOptions) redraw(ctx context.Context, t *bias.Table, m mech.Mechanism, raw []weat.Result, settings weat.Options, rows []weatRow) error {
	settings.Samples = min(settings.Samples, maxPrivateSamples)
	effects, chances := make([][]float64, len(rows)), make([][]float64, len(rows))
	for i := range rows {
		effects[i], chances[i] = slices.Repeat([]float64{math.NaN()}, o.draws), slices.Repeat([]float64{math.NaN()}, o.draws)
	}
	var used []int
	made := func(r weat.Result) bool {
		return slices.ContainsFunc(r.Variants, func(v weat.Variant) bool { return v.Refused == "" })
	}
	for _, r := range raw {
		if !made(r) {
			continue
		}
		for _, w := range weat.Words(r.Kept) {
			if i, ok := t.Index(w); ok {
				used = append(used, i)
			}
		}
	}
	err := o.overDraws(ctx, t.Only(used), m, o.stderr, func(draw int, private *bias.Table) error {
		row := 0
		for _, before := range raw {
			if !made(before) {
				row += len(before.Variants)
				continue
			}
			r, err := weat.Run(ctx, private, before.Kept, settings)
			if err != nil {
				return err
			}
			for k, v := range r.Variants {
				if before.Variants[k].Refused == "" {
					effects[row][draw], chances[row][draw] = v.Effect, v.Inclusive
				}
				row++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Private = &weatPrivate{Effect: describeDraws(effects[i]), Significant: shareBelow(chances[i], significance)}
	}
	return nil
}

// shareBelow is the share of values below a level, of those that are defined.
func shareBelow(values []float64, level float64) measure.Number {
	found, below := 0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			found++
		}
		if v < level {
			below++
		}
	}
	if found == 0 {
		return measure.Number(math.NaN())
	}
	return measure.Number(below) / measure.Number(found)
}
