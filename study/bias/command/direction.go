package bias

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/evidence/page"
	"sotto/internal/layout"
	"sotto/study/bias"
	"sotto/study/bias/direction"
)

// directionOptions are the flags of "sotto bias direction".
type directionOptions struct {
	flags
	study  direction.Study
	from   direction.Sources
	words  string
	pairs  string
	counts []string
	html   string
}

// The pairs that --pairs names.
const (
	pairsSeven     = "seven"
	pairsBolukbasi = "bolukbasi"
)

func (o *directionOptions) addFlags(fs *pflag.FlagSet) {
	o.flags.addFlags(fs, 100)
	fs.Lookup("vectors").Usage += "; LANGUAGE=FILE for several languages"
	fs.StringSliceVar(&o.from.Languages, "language", []string{"en"}, "language of the vectors, or several, separated by commas, with --folder (default with --folder: all that have words)")
	fs.StringVar(&o.from.Folder, "folder", "", "folder of CSV files keyed by English words, wiki.LANGUAGE_calculated_occupation.csv or wiki.LANGUAGE_raw.csv")
	fs.StringVar(&o.words, "words", "", "JSON file of word sets instead of the built-in ones")
	fs.StringVar(&o.pairs, "pairs", pairsSeven, "defining pairs: seven, or bolukbasi for his ten in English")
	fs.StringSliceVar(&o.counts, "counts", nil, "file of counts by which the forms of a profession are weighted, word TAB count or CSV; LANGUAGE=FILE for several languages")
	fs.BoolVar(&o.from.Zipf, "zipf", false, "assume that the r-th word of the file occurs 1/r times as often as the first")
	fs.Float64Var(&o.study.Strictness, "strictness", 1, "strictness c of DirectBias, the mean of |score|^c")
	fs.Float64Var(&o.study.MinConfidence, "min-confidence", direction.DefaultConfidence, "least difference between the shares of the first two components")
	fs.BoolVar(&o.study.Raw, "raw", false, "take vectors as they are, not at length 1")
	fs.BoolVar(&o.study.Parts, "parts", false, "take for a missing word of several parts the mean of the parts' vectors")
	fs.BoolVar(&o.study.Force, "force", false, "give scores where the direction is refused; they are marked")
	fs.StringVar(&o.html, "html", "", "also write a page with plots to this file, - for standard output")
}

func newBiasDirection(std term.Streams) *cobra.Command {
	var o directionOptions
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
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.prepare(c.Flags()); err != nil {
				return err
			}
			return runDirection(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

// prepare checks the flags.
func (o *directionOptions) prepare(fs *pflag.FlagSet) error {
	if o.from.Folder != "" {
		if len(o.vectors)+len(o.encoders) > 0 {
			return errors.New("--folder has no meaning with --vectors or --encoder")
		}
		if err := term.Refuse(fs, "with --folder, whose files bring their own words", "words", "format"); err != nil {
			return err
		}
		o.vectors = []string{o.from.Folder}
		if !fs.Changed("language") {
			o.from.Languages = nil // all
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
	case o.from.Zipf && len(o.counts) > 0:
		return errors.New("--zipf has no meaning with --counts")
	case o.from.Folder == "" && len(o.from.Languages) != 1:
		return fmt.Errorf("--language names %d languages, must name one; for several say --vectors LANGUAGE=FILE", len(o.from.Languages))
	case o.from.Folder == "" && len(o.encoders) > 0 && len(o.vectors)+len(o.encoders) > 1:
		return errors.New("want --vectors or one --encoder, not several")
	case o.from.Zipf && (o.from.Folder != "" || len(o.encoders) > 0):
		return errors.New("--zipf needs --vectors, a file in which frequent words stand first")
	}
	if err := refuseBoth(o.json, term.Named("--html", o.html)); err != nil {
		return err
	}
	return o.refuseOverwriting()
}

// refuseOverwriting refuses to write the page over a file that is read.
func (o *directionOptions) refuseOverwriting() error {
	inputs := []term.NamedPath{term.Named("--words", o.words)}
	for _, v := range o.vectors {
		inputs = append(inputs, term.Named("--vectors", languageOf(v, "").Path))
	}
	for _, v := range o.counts {
		inputs = append(inputs, term.Named("--counts", languageOf(v, "").Path))
	}
	if o.from.Folder != "" {
		for _, path := range direction.KeyedFiles(o.from.Folder, "*") {
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

// languageOf divides LANGUAGE=FILE, where what comes first looks like a code.
func languageOf(value, otherwise string) direction.File {
	code, rest, ok := strings.Cut(value, "=")
	if !ok || code == "" || len(code) > 8 || strings.ContainsAny(code, "/\\.") {
		return direction.File{Language: otherwise, Path: value}
	}
	return direction.File{Language: code, Path: rest}
}

// complete fills in where vectors, words and counts are, and what is done.
func (o *directionOptions) complete() (err error) {
	o.study.Release, o.study.Progress = o.release(), o.tell
	s := &o.from
	s.Bolukbasi = o.pairs == pairsBolukbasi
	if s.Read, err = o.reading(nil); err != nil {
		return err
	}
	if o.words != "" {
		if s.Words, err = term.ReadFile(o.words, direction.ReadWords); err != nil {
			return err
		}
	}
	for _, v := range o.counts {
		s.Counts = append(s.Counts, languageOf(v, ""))
	}
	if s.Folder != "" {
		return nil
	}
	for _, v := range o.vectors {
		s.Vectors = append(s.Vectors, languageOf(v, s.Languages[0]))
	}
	for _, s.Encoder = range o.encoders {
		s.Encode = func(ctx context.Context, words []string) (*bias.Table, error) {
			return encodeWords(ctx, s.Encoder, words)
		}
	}
	return nil
}

func runDirection(ctx context.Context, o directionOptions, std term.Streams) error {
	defer o.show(std.Err)()
	var r *direction.Report
	var files outputs
	defer files.abort()
	err := files.begin(o.html, func(w io.WriteSeeker) error { return page.HTML(w, r.Page("Written by sotto bias direction.")) })
	if err != nil {
		return err
	}
	if err = o.complete(); err != nil {
		return err
	}
	subjects, err := o.from.Open(ctx)
	if err != nil {
		return err
	}
	if r, err = o.study.Run(ctx, subjects); err != nil {
		return err
	}
	if err = files.finish(std, nil, o.json, r, func(b *layout.Buffer) { printDirection(b, r) }); err == nil && r.Refused() {
		err = term.ErrNo
	}
	return err
}
