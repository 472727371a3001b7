package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/learn/model"
	"sotto/learn/retrieval"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// retrievalOptions are the flags of "sotto measure retrieval".
type retrievalOptions struct {
	term.MechanismFlags
	retrieval.Options
	raw, private, metadata   string
	rawColumn, privateColumn string
	mechanism, metric        string
	workers                  int
	json                     bool
}

func newMeasureRetrieval(std term.Streams) *cobra.Command {
	var o retrievalOptions
	c := &cobra.Command{
		Use:   "retrieval",
		Short: "Count the neighbours that vectors keep when they are released: recall@k",
		Long: `Find the k nearest vectors of some rows among all others, before a release and
after it, and print how many of the first are among the second, beside what
chance would leave: what a search by private vectors can still find.

Give two files with the same rows in the same order, or one of raw vectors and a
mechanism that is tried on them, with noise from --seed that protects nobody.
What is recorded of a private file (FILE.privacy.json) is shown, and a record of
other vectors is refused. All rows are compared, block by block, so that memory
does not grow with the file.

` + term.MechanismList(),
		Example: `  sotto measure retrieval --raw raw.npy --private private.npy
  sotto measure retrieval --raw raw.npy --mechanism privunit --epsilon 8 --k 1,10 --json`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			refused := []string{"private", "private-column", "metadata"}
			why := "with --mechanism"
			if o.mechanism == "" {
				refused, why = o.NamesBesideSeed(), "without --mechanism"
			}
			if err := term.RefuseFlags(c.Flags(), why, refused...); err != nil {
				return err
			}
			return runRetrieval(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.raw, "raw", "", "file of raw vectors: jsonl, csv, npy or parquet")
	fs.StringVar(&o.private, "private", "", "file of private vectors, of the same rows")
	fs.StringVar(&o.rawColumn, "raw-column", "", "list column of the raw vectors, for a Parquet file with several")
	fs.StringVar(&o.privateColumn, "private-column", "", "list column of the private vectors, for a Parquet file with several")
	fs.StringVar(&o.metadata, "metadata", "", "file that says what is promised (default: PRIVATE.privacy.json, if there is one)")
	fs.StringVar(&o.mechanism, "mechanism", "", "mechanism to try on the raw vectors, in place of --private")
	fs.StringVar(&o.metric, "metric", string(retrieval.Cosine), "which vectors are near: cosine or dot")
	fs.IntSliceVar(&o.K, "k", nil, "numbers of neighbours, separated by commas (default 1,10,100, as far as there are rows)")
	fs.IntVar(&o.Queries, "queries", 1000, "number of rows whose neighbours are compared, drawn by the seed")
	fs.Uint64Var(&o.Options.Seed, "seed", 0, "seed of the rows drawn, and of the noise with --mechanism (default 0)")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	o.AddFlagsBesideSeed(fs)
	term.Widths(fs, "as in the file")
	return c
}

func runRetrieval(ctx context.Context, o retrievalOptions, std term.Streams) (err error) {
	if o.raw == "" || (o.private == "") == (o.mechanism == "") {
		return errors.New("want --raw, a file of raw vectors, and --private or --mechanism, one of them")
	}
	if err = term.RefuseSame(term.Named("--raw", o.raw), term.Named("--private", o.private)); err != nil {
		return err
	}
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "comparing")
	defer bar.Finish()
	rows := int64(0)
	counted := func(of retrieval.Blocks) retrieval.Blocks {
		return func(yield func(nn.Matrix) error) error {
			return of(func(block nn.Matrix) error {
				rows += int64(block.Rows)
				bar.Set(rows, -1)
				return yield(block)
			})
		}
	}
	var about retrieval.Result
	raw, private := fileBlocks(o.raw, o.rawColumn), fileBlocks(o.private, o.privateColumn)
	if o.mechanism != "" {
		private, err = o.simulated(raw, &about)
	} else {
		err = o.recorded(&about)
	}
	if err != nil {
		return err
	}
	o.Metric = retrieval.Metric(o.metric)
	r, err := retrieval.Measure(ctx, nn.NewPool(o.workers), counted(raw), counted(private), o.Options)
	if err != nil {
		return err
	}
	bar.Finish()
	r.Raw, r.Private, r.Mechanism, r.Variant, r.Claimed, r.Guarantee = filepath.Base(o.raw), about.Private, about.Mechanism, about.Variant, about.Claimed, about.Guarantee
	return term.Show(std.Out, o.json, r, printRetrieval)
}

// recorded enters what is stated of the private file.
func (o *retrievalOptions) recorded(r *retrieval.Result) error {
	r.Private = filepath.Base(o.private)
	said, err := evidence.ReadStated(o.private, o.metadata)
	if said == nil {
		return err
	}
	r.Mechanism, r.Variant, r.Claimed, r.Guarantee = said.Mechanism.Mechanism, said.Mechanism.Variant, &said.Claimed, said.Guarantee
	return nil
}

// simulated releases the raw vectors, each row with the same noise in each pass.
func (o *retrievalOptions) simulated(raw retrieval.Blocks, r *retrieval.Result) (retrieval.Blocks, error) {
	width := 0
	stop := errors.New("enough")
	if err := raw(func(block nn.Matrix) error { width = block.Cols; return stop }); err != nil && !errors.Is(err, stop) {
		return nil, err
	}
	o.Encoder = term.EncoderOf(o.raw)
	p, err := o.Resolve(o.mechanism)
	if err != nil {
		return nil, err
	}
	if p.Epsilon == 0 {
		return nil, errors.New("want --epsilon, the ε of each release")
	}
	m, err := mech.New(p.Fit(width))
	if err != nil {
		return nil, err
	}
	in, out := m.Shape()
	if in != width {
		return nil, fmt.Errorf("%s takes rows of %d numbers, but %s has %d", o.mechanism, in, filepath.Base(o.raw), width)
	}
	g, profile := m.Guarantee(), m.Profile()
	claimed := dp.Epsilon(p.Epsilon)
	r.Private, r.Mechanism, r.Variant, r.Claimed, r.Guarantee = o.mechanism+" "+profile.Variant, o.mechanism, profile.Variant, &claimed, &g
	key := model.SimulationKey(o.Options.Seed)
	return func(yield func(nn.Matrix) error) error {
		at := 0
		return raw(func(block nn.Matrix) error {
			released := nn.NewMatrix(block.Rows, out)
			x := make([]float64, in)
			for i := range block.Rows {
				for j, v := range block.Row(i) {
					x[j] = float64(v)
				}
				y, err := m.Privatize(x, noise.Derive(key, "retrieval", strconv.Itoa(at)))
				if err != nil {
					return fmt.Errorf("row %d: %w", at, err)
				}
				for j, v := range y {
					released.Row(i)[j] = float32(v)
				}
				at++
			}
			return yield(released)
		})
	}, nil
}

// blockRows is how many rows are in memory at a time.
const blockRows = 1024

// fileBlocks reads a file of vectors, from its beginning each time.
func fileBlocks(path, column string) retrieval.Blocks {
	return func(yield func(nn.Matrix) error) error {
		r, err := vecfile.Open(path, vecfile.Options{Column: column})
		if err != nil {
			return err
		}
		defer r.Close() //nolint:errcheck // it was only read
		if r.Width() == 0 {
			return fmt.Errorf("%s: no vector was found, must hold at least one", path)
		}
		numbers := make([]float64, blockRows*r.Width())
		block := nn.NewMatrix(blockRows, r.Width())
		for {
			n, err := r.ReadRows(numbers)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			some := block.Slice(0, n)
			for i, v := range numbers[:n*r.Width()] {
				some.Data[i] = float32(v)
			}
			if err := yield(some); err != nil {
				return err
			}
		}
	}
}

// printRetrieval prints a result for a person.
func printRetrieval(out io.Writer, r *retrieval.Result) error {
	stated := "nothing is stated of them"
	if r.Guarantee != nil {
		stated = "each release has " + r.Guarantee.String()
	}
	if _, err := fmt.Fprintf(out, "%s, %d rows of %d numbers, against %s, of %d: %s\n%d queries, each among all other rows, by %s\n\n",
		term.Plain(r.Raw), r.Rows, r.Dim, term.Plain(r.Private), r.PrivateDim, stated, r.Queries, r.Metric); err != nil {
		return err
	}
	t := term.NewTable(out, "K", "RECALL %", "95 % INTERVAL", "CHANCE %")
	for _, n := range r.Recalls {
		t.Row(n.K, term.Percent(n.Recall), term.Percent(n.Low)+" to "+term.Percent(n.High), term.Percent(n.Chance))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "\n"+r.Sentence())
	return err
}
