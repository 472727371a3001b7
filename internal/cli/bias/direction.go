package bias

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/bias/direction"
	"sotto/internal/cli/term"
	"sotto/mech"
	"sotto/report/page"
)

// biasDirectionOptions are the flags of "sotto bias direction".
type biasDirectionOptions struct {
	biasFlags
	languages  []string
	folder     string
	words      string
	pairs      string
	counts     []string
	zipf       bool
	strictness float64
	confidence float64
	raw        bool
	parts      bool
	force      bool
	html       string
}

// The pairs that --pairs names.
const (
	pairsSeven     = "seven"
	pairsBolukbasi = "bolukbasi"
)

func (o *biasDirectionOptions) addFlags(fs *pflag.FlagSet) {
	o.biasFlags.addFlags(fs, 100)
	fs.Lookup("vectors").Usage += "; LANGUAGE=FILE for several languages"
	fs.StringSliceVar(&o.languages, "language", []string{"en"}, "language of the vectors, or several with --folder (default there: all that have words)")
	fs.StringVar(&o.folder, "folder", "", "folder of CSV files keyed by English words, wiki.LANGUAGE_calculated_occupation.csv or wiki.LANGUAGE_raw.csv")
	fs.StringVar(&o.words, "words", "", "JSON file of word sets instead of the built-in ones")
	fs.StringVar(&o.pairs, "pairs", pairsSeven, "defining pairs: seven, or bolukbasi, ten in English")
	fs.StringSliceVar(&o.counts, "counts", nil, "file of counts by which the forms of a profession are weighted, word TAB count or CSV; LANGUAGE=FILE for several languages")
	fs.BoolVar(&o.zipf, "zipf", false, "assume that the r-th word of the file occurs 1/r times as often as the first")
	fs.Float64Var(&o.strictness, "strictness", 1, "c of DirectBias, the mean of |score|^c")
	fs.Float64Var(&o.confidence, "min-confidence", direction.DefaultConfidence, "least difference between the shares of the first two components")
	fs.BoolVar(&o.raw, "raw", false, "take vectors as they are, not at length 1")
	fs.BoolVar(&o.parts, "parts", false, "take the mean of its parts for a word of several parts that is not in the vectors")
	fs.BoolVar(&o.force, "force", false, "give scores where the direction is refused; they are marked")
	fs.StringVar(&o.html, "html", "", "also write a page with plots to this file, - for standard output")
}

func newBiasDirection(std term.Streams) *cobra.Command {
	var o biasDirectionOptions
	c := &cobra.Command{
		Use:   "direction",
		Short: "Find the direction of gender and how far professions lie along it",
		Long: `Find the direction of gender in word vectors: the first principal component of
defining pairs such as woman and man. Professions are scored by their cosine with
it (female positive, male negative), DirectBias is the mean of |score|^c, and the
forms of a profession are weighted by counts where --counts gives them.

It is refused to call the component a direction of gender (exit code 1, with the
reason) where fewer than two pairs are found or it explains hardly more than the
second. Beside DirectBias stands what a random direction would have, and beside
that of private vectors what random vectors have that are released alike.

Words are built in for en, zh, es, ar, de, fr, fa, ur and wo. The translations of
the professions are ours; --words takes others. With several languages their
scores are correlated and clustered.

` + term.MechanismList(),
		Example: `  sotto bias direction --vectors glove.txt.gz --language en
  sotto bias direction --vectors de=vectors.de.txt,fr=vectors.fr.txt --counts de=counts.de.tsv --html page.html
  sotto bias direction --vectors glove.txt.gz --mechanism laplace-l1 --epsilon 100`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.prepare(c.Flags()); err != nil {
				return err
			}
			return runBiasDirection(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

// prepare checks the flags.
func (o *biasDirectionOptions) prepare(fs *pflag.FlagSet) error {
	if o.folder != "" {
		if len(o.vectors)+len(o.encoders) > 0 {
			return errors.New("--folder has no meaning with --vectors or --encoder")
		}
		for _, n := range []string{"words", "format"} {
			if fs.Changed(n) {
				return fmt.Errorf("--%s has no meaning with --folder, whose files bring their own words", n)
			}
		}
		o.vectors = []string{o.folder}
		if !fs.Changed("language") {
			o.languages = nil // all
		}
	}
	if err := o.check(fs); err != nil {
		return err
	}
	switch {
	case o.pairs != pairsSeven && o.pairs != pairsBolukbasi:
		return fmt.Errorf("--pairs is %.20q, must be %s or %s", o.pairs, pairsSeven, pairsBolukbasi)
	case o.words != "" && fs.Changed("pairs"):
		return errors.New("--pairs has no meaning with --words, which holds its own")
	case o.zipf && len(o.counts) > 0:
		return errors.New("--zipf has no meaning with --counts")
	case o.zipf && (o.folder != "" || len(o.encoders) > 0):
		return errors.New("--zipf needs --vectors, a file in which frequent words stand first")
	}
	if err := refuseBoth(o.json, term.Named("--html", o.html)); err != nil {
		return err
	}
	return o.refuseOverwriting()
}

// refuseOverwriting refuses to write the page over a file that is read.
func (o *biasDirectionOptions) refuseOverwriting() error {
	inputs := []term.NamedPath{term.Named("--words", o.words)}
	for _, v := range o.vectors {
		_, file := languageOf(v, "")
		inputs = append(inputs, term.Named("--vectors", file))
	}
	for _, v := range o.counts {
		_, file := languageOf(v, "")
		inputs = append(inputs, term.Named("--counts", file))
	}
	if o.folder != "" {
		for _, path := range keyedFiles(o.folder, "*") {
			inputs = append(inputs, term.Named("--folder", path))
		}
	}
	for _, in := range inputs { // two of them may be the same file
		if err := term.RefuseSame(in, term.Named("--html", o.html)); err != nil {
			return err
		}
	}
	return nil
}

// languageResult is what was found for one language.
type languageResult struct {
	*direction.Result
	Name    string          `json:"name,omitempty"`
	Vectors []string        `json:"vectors"`
	After   *directionAfter `json:"after,omitempty"`
}

// directionResult is what was found for all, as --json prints several.
type directionResult struct {
	Languages   []languageResult       `json:"languages"`
	Correlation *direction.Correlation `json:"correlation,omitempty"`
	Release     *mech.Statement        `json:"release,omitempty"`
	// Simulated: there is a mechanism, whose noise comes from the seed.
	Simulated     bool   `json:"simulated,omitempty"`
	SimulatedNote string `json:"simulated_note,omitempty"`
}

func runBiasDirection(ctx context.Context, o biasDirectionOptions, std term.Streams) error {
	var files biasFiles
	defer files.abort()
	html, err := files.begin(o.html)
	if err != nil {
		return err
	}
	subjects, err := o.subjects(ctx)
	if err != nil {
		return err
	}
	var all directionResult
	var results []*direction.Result
	for _, s := range subjects {
		r, err := o.measure(ctx, s, &all, std)
		if err != nil {
			return fmt.Errorf("%s: %w", s.words.Language, err)
		}
		all.Languages = append(all.Languages, r)
		results = append(results, r.Result)
	}
	if len(results) > 1 {
		all.Correlation = direction.Correlate(results)
	}
	if err := html.Fill(func(w io.Writer) error { return page.HTML(w, directionPage(all)) }); err != nil {
		return err
	}
	if err := files.commit(std.Out); err != nil {
		return err
	}
	if err := o.print(all, std); err != nil {
		return err
	}
	if !slices.ContainsFunc(results, func(r *direction.Result) bool { return r.Refused == "" }) {
		return term.ErrNo
	}
	return nil
}

// measure analyses one language, raw and, with a mechanism, private.
func (o *biasDirectionOptions) measure(ctx context.Context, s subject, all *directionResult, std term.Streams) (languageResult, error) {
	l := languageResult{Name: s.words.Name, Vectors: s.files}
	if s.table == nil {
		l.Result = direction.Absent(s.words, s.missing)
		return l, nil
	}
	options := direction.Options{
		Strictness: o.strictness, MinConfidence: o.confidence, Raw: o.raw, Parts: o.parts, Force: o.force,
		Counts: s.counts, Weighting: s.weighting,
	}
	var err error
	if l.Result, err = direction.Measure(s.table, s.words, options); err != nil {
		return l, err
	}
	m, statement, err := o.release(s.table.Dim())
	if err != nil || m == nil {
		return l, err
	}
	options.Force = true // so that draws are not chosen by what they show
	if l.After, err = o.after(ctx, s, options, l.Result, m, std.Err); l.After != nil {
		all.Release, all.Simulated, all.SimulatedNote = statement, true, simulated
	}
	return l, err
}

// print writes to standard output, unless the page went there.
func (o *biasDirectionOptions) print(all directionResult, std term.Streams) error {
	if o.html == "-" {
		return nil
	}
	if !o.json {
		return printDirection(std.Out, all)
	}
	if len(all.Languages) == 1 {
		return term.PrintJSON(std.Out, struct {
			languageResult
			Release       *mech.Statement `json:"release,omitempty"`
			Simulated     bool            `json:"simulated,omitempty"`
			SimulatedNote string          `json:"simulated_note,omitempty"`
		}{all.Languages[0], all.Release, all.Simulated, all.SimulatedNote})
	}
	return term.PrintJSON(std.Out, all)
}
