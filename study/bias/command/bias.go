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
	"sotto/data/dataset"
	"sotto/internal/layout"
	"sotto/promise/mech"
	"sotto/study/bias"
	"sotto/text/encode/catalogue"
)

func newBias(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{
		Use:   "bias",
		Short: "Measure the bias that word vectors carry, raw and private",
		Long: `Measure the bias that word vectors carry: association tests, the direction of
gender, and what erasers leave of it. With --mechanism and --epsilon each measure
is taken on the raw vectors and on private ones. None of them is a privacy
guarantee.`,
	}, newBiasWeat(std), newBiasDirection(std), newBiasErase(std))
}

// flags are what the commands of "sotto bias" share.
type flags struct {
	term.MechanismFlags
	vectors   []string // files of word vectors
	encoders  []string // instead of or beside them
	format    string
	mechanism string
	draws     int
	json      bool
	tell      bias.Progress // shows how far the work is
}

// addFlags adds the flags; draws is how often a mechanism is drawn from where
// the user does not say.
func (o *flags) addFlags(fs *pflag.FlagSet, draws int) {
	o.AddFlags(fs)
	o.Seeded = true
	term.Widths(fs, "as the vectors have")
	fs.Lookup("seed").Usage = "seed of noise, samples, public codewords and projection (default 0)"
	fs.StringSliceVar(&o.vectors, "vectors", nil, "file of word vectors: text, word2vec binary, .svec, .json or .csv, or .gz of them")
	fs.StringArrayVar(&o.encoders, "encoder", nil, "encoder whose vector of each single word is taken (see sotto encoder list)")
	fs.StringVar(&o.format, "format", "", "format of the vectors if the file's name does not tell: text, glove, word2vec, fasttext, word2vec-bin, svec, json or csv (default text)")
	fs.StringVar(&o.mechanism, "mechanism", "", "mechanism through which each word's vector is released, to measure also what is left")
	fs.IntVar(&o.draws, "draws", draws, "number of releases that --mechanism draws of each vector")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// check refuses flags that have no meaning together; zeros may be 0.
func (o *flags) check(fs *pflag.FlagSet, zeros ...string) error {
	if o.mechanism == "" {
		// The seed has other uses.
		names := slices.DeleteFunc(o.Names(), func(n string) bool { return n == "seed" })
		if err := term.Refuse(fs, "without --mechanism", append(names, "draws")...); err != nil {
			return err
		}
	} else if o.Epsilon == 0 {
		return errors.New("want --epsilon, the ε of the release of one word's vector")
	}
	if o.draws < 1 {
		return fmt.Errorf("--draws is %d, must be at least 1", o.draws)
	}
	if err := refuseEmpty(fs); err != nil {
		return err
	}
	if len(o.vectors)+len(o.encoders) == 0 {
		return errors.New("want --vectors, a file of word vectors, or --encoder")
	}
	if o.format != "" && len(o.vectors) == 0 {
		return errors.New("--format has no meaning without --vectors")
	}
	return term.RefuseZeros(fs, append(zeros, "seed")...)
}

// refuseEmpty refuses lists that were given and hold nothing.
func refuseEmpty(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok && len(list.GetSlice()) == 0 && err == nil {
			err = fmt.Errorf("--%s is empty, must name something", f.Name)
		}
	})
	return err
}

// show makes a bar for each step of the work, until the function that it returns
// is called.
func (o *flags) show(stderr io.Writer) (finish func()) {
	var bar *term.Progress
	last := ""
	end := func() {
		if bar != nil {
			bar.Finish()
		}
	}
	o.tell = func(step string, done, total int64) {
		if bar == nil || step != last {
			end()
			bar, last = term.NewProgress(stderr, step), step
		}
		bar.Set(done, total)
	}
	return end
}

// sources opens every file and encoder, for the given words; nil means every
// word, which no encoder has.
func (o *flags) sources(ctx context.Context, words []string) ([]bias.Source, error) {
	var all []bias.Source
	for _, path := range o.vectors {
		read, err := o.reading(words)
		if err != nil {
			return nil, err
		}
		t, counts, err := bias.Read(path, read)
		if err != nil {
			return nil, err
		}
		all = append(all, bias.Source{Name: path, Table: t, Counts: &counts})
	}
	for _, name := range o.encoders {
		t, err := encodeWords(ctx, name, words)
		if err != nil {
			return nil, err
		}
		all = append(all, bias.Source{Name: name, Table: t})
	}
	return all, nil
}

// reading says how files of word vectors are read, for the given words or all.
func (o *flags) reading(words []string) (bias.Options, error) {
	options := bias.Options{Words: words, Progress: func(rows int) { o.tell.Tell("reading", int64(rows), -1) }}
	var err error
	if o.format != "" {
		options.Format, err = bias.ParseFormat(o.format)
	}
	return options, err
}

// encodeWords makes a table of single words by an encoder.
func encodeWords(ctx context.Context, name string, words []string) (*bias.Table, error) {
	e, err := catalogue.Open(ctx, catalogue.Said(name), dataset.Dir())
	if err != nil {
		return nil, err
	}
	t, err := bias.Encode(ctx, e, words)
	return t, errors.Join(err, term.CloserOf(e)())
}

// release returns what makes the mechanism for vectors of that many numbers, nil
// without --mechanism. A mechanism that promises nothing is no error: nothing
// leaves.
func (o *flags) release() func(dim int) (*bias.Release, error) {
	if o.mechanism == "" {
		return nil
	}
	return func(dim int) (*bias.Release, error) {
		p, err := o.Resolve(o.mechanism)
		if err != nil {
			return nil, err
		}
		if mech.VariantOf(p).Labels() {
			return nil, fmt.Errorf("%s releases a class and takes no vectors; choose another mechanism", o.mechanism)
		}
		p = p.Fit(dim)
		m, err := mech.New(p)
		if err != nil {
			return nil, err
		}
		if in, _ := m.Shape(); in != dim {
			return nil, fmt.Errorf("%s takes rows of %d numbers, but the vectors have %d; leave --dim and --input-dim out, or choose another mechanism", o.mechanism, in, dim)
		}
		s, err := mech.Describe(p, 0)
		return &bias.Release{Mechanism: m, Statement: &s, Draws: o.draws, Seed: o.Seed()}, err
	}
}

// columns prints lines whose cells are divided by tabs.
func columns(b *layout.Buffer, lines ...string) {
	t := layout.NewTable(b).Headed()
	for _, l := range lines {
		t.Cells(strings.Split(l, "\t")...)
	}
	t.Flush() //nolint:errcheck // b is a buffer
}
