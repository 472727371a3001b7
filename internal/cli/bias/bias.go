package bias

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/bias"
	"sotto/dataset"
	"sotto/dp"
	"sotto/encode"
	"sotto/encode/catalogue"
	"sotto/internal/cli/term"
	"sotto/measure"
	"sotto/mech"
)

func newBias(std term.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "bias",
		Short: "Measure the bias that word vectors carry, raw and private",
		Long: `Measure the bias that word vectors carry: association tests, the direction of
gender, and what erasers leave of it. With --mechanism and --epsilon each measure
is taken on the raw vectors and on private ones. None of them is a privacy
guarantee.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBiasWeat(std), newBiasDirection(std), newBiasErase(std))
	return c
}

// biasFlags are what the commands of "sotto bias" share.
type biasFlags struct {
	term.MechanismFlags
	vectors   []string // files of word vectors
	encoders  []string // instead of or beside them
	format    string
	mechanism string
	draws     int
	json      bool
	stderr    io.Writer // where reading shows how far it is; nil for nowhere
}

// addFlags adds the flags; draws is how often a mechanism is drawn from where
// the user does not say.
func (o *biasFlags) addFlags(fs *pflag.FlagSet, draws int) {
	o.MechanismFlags.AddFlags(fs)
	fs.Lookup("dim").Usage += " (default: as the vectors have)"
	fs.Lookup("seed").Usage = "seed of what is drawn: noise, samples, public codewords or projection"
	fs.StringSliceVar(&o.vectors, "vectors", nil, "file of word vectors: text, word2vec binary, .svec, .json or .csv, or .gz of them")
	fs.StringArrayVar(&o.encoders, "encoder", nil, "take the vector that this encoder makes of each single word (see sotto encoder list)")
	fs.StringVar(&o.format, "format", "", "text, glove, word2vec, fasttext, word2vec-bin, svec, json or csv, where the file's name does not tell (default text)")
	fs.StringVar(&o.mechanism, "mechanism", "", "measure also what is left when each word's vector is released through this mechanism")
	fs.IntVar(&o.draws, "draws", draws, "how often it is drawn from")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// check refuses flags that have no meaning together; zeros may be 0.
func (o *biasFlags) check(fs *pflag.FlagSet, zeros ...string) error {
	if o.mechanism == "" {
		// The seed has other uses.
		names := slices.DeleteFunc(o.Names(), func(n string) bool { return n == "seed" })
		for _, n := range append(names, "draws") {
			if fs.Changed(n) {
				return fmt.Errorf("--%s has no meaning without --mechanism", n)
			}
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

// biasModel is a table and where it is from.
type biasModel struct {
	name   string
	table  *bias.Table
	counts *bias.Counts // nil if an encoder made it
}

// models opens every file and encoder, for the given words; nil means every
// word, which no encoder has.
func (o *biasFlags) models(ctx context.Context, words []string) ([]biasModel, error) {
	var all []biasModel
	for _, path := range o.vectors {
		t, counts, err := o.read(path, words)
		if err != nil {
			return nil, err
		}
		all = append(all, biasModel{path, t, &counts})
	}
	for _, name := range o.encoders {
		t, err := encodeWords(ctx, name, words)
		if err != nil {
			return nil, err
		}
		all = append(all, biasModel{name, t, nil})
	}
	return all, nil
}

// read reads a file of word vectors, for the given words or all.
func (o *biasFlags) read(path string, words []string) (*bias.Table, bias.Counts, error) {
	bar := term.NewProgress(o.stderr, "reading")
	defer bar.Finish()
	options := bias.Options{Words: words, Progress: func(rows int) { bar.Set(int64(rows), -1) }}
	if o.format != "" {
		f, err := bias.ParseFormat(o.format)
		if err != nil {
			return nil, bias.Counts{}, err
		}
		options.Format = f
	}
	return bias.Read(path, options)
}

// encodeWords makes a table of single words, each the whole text that an
// encoder is given. A word of which it knows nothing is left out.
func encodeWords(ctx context.Context, name string, words []string) (*bias.Table, error) {
	if words == nil {
		return nil, errors.New("an encoder has no list of words; give --vectors, a file of word vectors")
	}
	e, err := catalogue.Open(ctx, name, dataset.Dir())
	if err != nil {
		return nil, err
	}
	closeEncoder := term.CloserOf(e)
	defer closeEncoder() //nolint:errcheck // its error counts below
	words = slices.Compact(slices.Sorted(slices.Values(words)))
	x, err := encode.Texts(ctx, e, words, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	if err = closeEncoder(); err != nil {
		return nil, err
	}
	var known []string
	var rows []float64
	for i, w := range words {
		if !slices.ContainsFunc(x.Row(i), func(v float32) bool { return v != 0 }) {
			continue
		}
		known = append(known, w)
		for _, v := range x.Row(i) {
			rows = append(rows, float64(v))
		}
	}
	return bias.NewTable(e.Dim(), known, rows)
}

// release makes the mechanism for vectors of that many numbers and states what
// it promises for one of them; nil without --mechanism. One that promises
// nothing is no error: nothing leaves.
func (o *biasFlags) release(dim int) (mech.Mechanism, *mech.Statement, error) {
	if o.mechanism == "" {
		return nil, nil, nil
	}
	p, err := o.Resolve(o.mechanism)
	if err != nil {
		return nil, nil, err
	}
	if mech.Uses(o.mechanism, "classes") {
		return nil, nil, fmt.Errorf("%s releases a class and takes no vectors; choose another mechanism", o.mechanism)
	}
	if mech.Uses(o.mechanism, "dim") && p.Dim == 0 {
		p.Dim = dim
	}
	if mech.Uses(o.mechanism, "input_dim") && p.InputDim == 0 {
		p.InputDim = dim
	}
	if !mech.Uses(o.mechanism, "seed") {
		p.Seed = 0 // it is that of the noise alone
	}
	m, err := mech.New(p)
	if err != nil {
		return nil, nil, err
	}
	if in, _ := m.Shape(); in != dim {
		return nil, nil, fmt.Errorf("%s takes rows of %d numbers, but the vectors have %d; leave --dim and --input-dim out, or choose another mechanism", o.mechanism, in, dim)
	}
	s, err := mech.Describe(p, 0)
	return m, &s, err
}

// simulated goes with every number that was drawn.
const simulated = "the noise comes from the seed: it measures, and protects nobody"

// key derives the key of noise for a purpose from the seed.
func (o *biasFlags) key(purpose string) []byte {
	key := sha256.Sum256(fmt.Appendf(nil, "sotto bias %d%s", o.Seed, purpose))
	return key[:]
}

// overDraws calls f with the private table of each draw, on several goroutines:
// f must keep what it finds by the number of the draw. Noise follows from the
// seed, which measures and protects nobody.
func (o *biasFlags) overDraws(ctx context.Context, t *bias.Table, m mech.Mechanism, stderr io.Writer, f func(draw int, private *bias.Table) error) error {
	key := o.key("")
	bar := term.NewProgress(stderr, "draws")
	defer bar.Finish()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wait sync.WaitGroup
	var done int64
	var mu sync.Mutex
	for range min(runtime.GOMAXPROCS(0), o.draws) {
		wait.Go(func() {
			for draw := range next {
				private, err := t.Privatize(m, key, draw)
				if err == nil {
					err = f(draw, private)
				} else if errors.Is(err, dp.ErrDomain) {
					err = fmt.Errorf("%w; give vectors of finite numbers, or choose another mechanism", err)
				}
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				done++
				bar.Set(done, int64(o.draws))
				mu.Unlock()
			}
		})
	}
	for draw := 0; draw < o.draws && ctx.Err() == nil; draw++ {
		select {
		case next <- draw:
		case <-ctx.Done():
		}
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

// drawn describes the values that a measure took over the draws of a mechanism.
type drawn struct {
	Mean measure.Number `json:"mean"`
	// Low and High are the 2.5th and the 97.5th percentile of the draws, undefined
	// for one.
	Low     measure.Number `json:"low"`
	High    measure.Number `json:"high"`
	Draws   int            `json:"draws"`
	Refused int            `json:"refused,omitempty"` // draws without a value, which count nowhere
}

// describeDraws describes values, of which NaN stands for a draw without one.
func describeDraws(values []float64) drawn {
	kept := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	d := drawn{Mean: measure.Number(math.NaN()), Draws: len(values), Refused: len(values) - len(kept)}
	d.Low, d.High = d.Mean, d.Mean
	if len(kept) == 0 {
		return d
	}
	slices.Sort(kept)
	sum := 0.0
	for _, v := range kept {
		sum += v / float64(len(kept))
	}
	d.Mean = measure.Number(sum)
	if len(kept) > 1 {
		d.Low, d.High = percentile(kept, 0.025), percentile(kept, 0.975)
	}
	return d
}

// percentile interpolates between the values of a sorted list.
func percentile(sorted []float64, share float64) measure.Number {
	at := share * float64(len(sorted)-1)
	i := int(at)
	j := min(i+1, len(sorted)-1)
	return measure.Number(sorted[i] + (at-float64(i))*(sorted[j]-sorted[i]))
}

func (d drawn) text(format string) string {
	text := term.Number(d.Mean, format)
	if d.Draws-d.Refused > 1 {
		text += fmt.Sprintf(" [%s, %s]", term.Number(d.Low, format), term.Number(d.High, format))
	}
	if d.Refused > 0 {
		text += fmt.Sprintf(" in %d of %d draws", d.Draws-d.Refused, d.Draws)
	}
	return text
}

// promiseText says in a line what a release of one word's vector promises.
func promiseText(s *mech.Statement) string { return promiseOf(s, "one word's vector") }

// promiseOf says in a line what the release of a thing promises.
func promiseOf(s *mech.Statement, thing string) string {
	text := fmt.Sprintf("%s %s: one release is %s; claimed %s, true %s", s.Mechanism, s.Variant, thing,
		dp.Guarantee{Unit: s.Unit, Epsilon: s.Claimed, Delta: s.Delta}, dp.Guarantee{Unit: s.Unit, Epsilon: s.True, Delta: s.Delta})
	if !s.Honest() {
		text += "; the claim is false: " + s.Reason
	}
	return text
}
