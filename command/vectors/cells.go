package vectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/internal/atomicfile"
	"sotto/internal/regular"
	"sotto/promise/mech"
	"sotto/promise/noise"
	"sotto/service/ledger"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/cells"
	"sotto/text/encode/distill"
)

func newCells(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{
		Use:   "cells",
		Short: "Make and show the public cells that the mechanism cells releases",
		Long: `The mechanism "cells" releases in which of several public cells a text lies, at
the ε that is asked for, whatever is to be told of the text later. Cells for the
built-in encoder and for minilm come with sotto; cells of texts like yours, if
some may be published, tell more.`,
	}, newCellsMake(std), newCellsShow(std))
}

// cellsOptions are the flags of "sotto cells make".
type cellsOptions struct {
	term.TextFlags
	cells.Settings
	labelledOptions
	encoder, out, wordnet string
	notice, public        string
	in                    []string
	limit                 int
	epsilons              []float64
	private               bool
	epsilonCells          float64
	payment               term.Payment
	examples, json        bool
}

func newCellsMake(std term.Streams) *cobra.Command {
	var o cellsOptions
	c := &cobra.Command{
		Use:   "make",
		Short: "Divide public texts into cells, as many as are best for ε",
		Long: `Encode public texts, divide their vectors into cells by k-means, and write a file
of the cells: of each the centre, the number of its texts, words that say what it
is about, and the text nearest to the centre, so that people can read what a
release says.

How many cells are best depends on ε: several numbers are tried on texts that were
held out, one in ten, and the fewest are taken whose releases tell 97 % of what
the best tell; half-whitened vectors are tried, too. Distortion is what is left of a vector's
variance to a receiver who knows the cells: 1 if releases tell nothing. With
several ε the file has a set of cells for each, and a release takes the set that
is best for its own ε. A linear program says how much any other way to release
these cells could gain.

Cells are public, and so is everything they are made of: centres are means of
texts, and words and examples come from them. Take texts that may be published,
and no others. Cells with fewer texts than --least are taken away, which guards
against mistakes and promises nothing.

What a text is about drowns what it says of it. With --labelled, public texts that
are labelled good and bad (or with any other two labels), cells keep these apart:
the direction along which the labels differ is found by least squares and counts
for more where the nearest centre is looked for. It is stored in the file, and
releases are vectors of the encoder as before. Any public map keeps ε.

For texts that may not be published there is --private: they are only counted in
public cells (--public), the counts are released with noise at --epsilon-cells,
and public cells are joined by these counts. The file then promises that ε to
whoever wrote the texts, and shows none of them: one text may be replaced by any
other, while their number is public. Files are then read as their names and the flags
say, and nothing is found out by looking at the texts. Another call on the same texts
spends anew: with --ledger and --user each is booked before anything is drawn, and
refused once the budget is spent.

Without --private the result is the same for any number of workers.`,
		Example: `  sotto cells make --in public.txt --epsilon 8 --out cells.jsonl
  sotto cells make --in forum.txt,news.csv --text body --encoder minilm --epsilon 4,8 --out cells.jsonl
  sotto cells make --in forum.txt --labelled reviews.csv --labelled-text review --label stars --epsilon 8 --out cells.jsonl
  sotto cells make --in mine.txt --private --epsilon-cells 1 --epsilon 8 --out cells.jsonl
  sotto encode --mechanism cells --cells cells.jsonl --epsilon 8 --in texts.txt --out private.jsonl`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE:    func(c *cobra.Command, _ []string) error { return runCellsMake(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringSliceVar(&o.in, "in", nil, "files or folders of texts, separated by commas, - for standard input, which is also the default")
	o.AddFlags(fs)
	o.addFlags(fs)
	fs.StringVar(&o.wordnet, "wordnet", "", "folder of WordNet's data files, whose example sentences of five words and more are taken, too")
	fs.IntVar(&o.limit, "limit", 0, "number of texts to take, evenly spread (default: all)")
	fs.StringVar(&o.encoder, "encoder", "default", "encoder that makes the vectors, the same as in releases (see sotto encoder list)")
	fs.Float64SliceVar(&o.epsilons, "epsilon", []float64{8}, "ε of the releases to come, or several separated by commas")
	fs.IntVar(&o.Count, "cells", 0, "number of cells (default: the best for ε)")
	fs.IntVar(&o.Least, "least", 10, "texts that every cell must have")
	fs.BoolVar(&o.examples, "examples", true, "write words and a public text for each cell")
	fs.StringVar(&o.notice, "notice", "", "file that says whose texts they are, to be kept with the cells")
	fs.BoolVar(&o.private, "private", false, "the texts may not be published: release nothing of them but counts with noise")
	fs.Float64Var(&o.epsilonCells, "epsilon-cells", 0, "ε that --private promises to whoever wrote a text, which is then required (default: none)")
	fs.StringVar(&o.public, "public", "", "public cells that --private counts texts in: a file, or the name of an encoder whose cells come with sotto (default: those of the encoder)")
	o.payment.AddFlags(fs, "--private before anything is drawn", "in whose name --ledger books the ε of --private once, for every text alike, such as the name of the set of texts")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the first centres (default 0)")
	fs.StringVar(&o.out, "out", "", "file to write, which is compressed unless its name ends in .jsonl")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print what was made as JSON")
	return c
}

func runCellsMake(ctx context.Context, o cellsOptions, std term.Streams) (err error) {
	if err = o.check(); err != nil {
		return err
	}
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	public, err := o.counted()
	if err != nil {
		return err
	}
	texts, err := o.texts(std)
	if err != nil {
		return err
	}
	f := &cells.File{Head: cells.Head{Format: cells.Format, Encoder: o.encoder, Texts: len(texts)}}
	if o.notice != "" {
		content, failed := regular.Read(o.notice, 1<<30)
		if failed != nil {
			return failed
		}
		f.Notice = string(content)
	}
	labelled, labels, about, err := o.read(o.TextFlags, std)
	if err != nil {
		return err
	}
	x, err := o.encode(ctx, slices.Concat(texts, labelled), f, std)
	if err != nil {
		return err
	}
	if err = o.direct(x.Slice(len(texts), x.Rows), labels, about, &f.Head); err != nil {
		return err
	}
	if x = x.Slice(0, len(texts)); public != nil {
		f.Labelled = public.Labelled
	}
	o.Direction = f.Direction()
	if public != nil {
		if err = o.pay(ctx, f); err != nil {
			return err
		}
	}
	bar := term.NewProgress(std.Err, "making cells")
	defer bar.Finish()
	for i, epsilon := range o.epsilons {
		bar.Set(int64(i), int64(len(o.epsilons)))
		o.Epsilon = epsilon
		if public != nil {
			err = o.makePrivate(ctx, x, finest(public), f)
		} else {
			err = o.make(ctx, x, texts, f)
		}
		if err != nil {
			return err
		}
	}
	bar.Finish()
	if err = f.Save(o.out); err != nil {
		return err
	}
	return term.Show(std.Out, o.json, f.Head, printMade(o.out))
}

// check refuses flags that cannot be met before texts are read.
func (o *cellsOptions) check() error {
	if len(o.in) == 0 && o.wordnet == "" {
		o.in = []string{"-"}
	}
	switch {
	case o.out == "":
		return errors.New("want --out, the file to write")
	case len(o.epsilons) == 0:
		return errors.New("want --epsilon, the ε of the releases to come")
	case o.private && !(o.epsilonCells > 0):
		return fmt.Errorf("--epsilon-cells is %v, must be positive with --private: it is the ε that whoever wrote a text is promised", o.epsilonCells)
	case !o.private && (o.epsilonCells != 0 || o.public != ""):
		return errors.New("--epsilon-cells and --public have no meaning without --private")
	case !o.private && o.payment != (term.Payment{}):
		return errors.New("--ledger, --user, --secret and --head have no meaning without --private: public texts cost nobody anything")
	case (o.payment.Ledger == "") != (o.payment.User == ""):
		return errors.New("--ledger and --user are given one without the other, must be both: the budgets, and in whose name ε is booked")
	case o.payment.Ledger == "" && o.payment != (term.Payment{}):
		return errors.New("--secret and --head have no meaning without --ledger")
	case o.limit < 0:
		return fmt.Errorf("--limit is %d, must be positive", o.limit)
	}
	files := []term.NamedPath{
		term.Named("--out", o.out), term.Named("--notice", o.notice), term.Named("--public", o.public),
		term.Named("--ledger", o.payment.Ledger), term.Named("--secret", o.payment.Secret), term.Named("--head", o.payment.Head),
	}
	for _, in := range o.in {
		files = append(files, term.Named("--in", in))
	}
	for i, e := range o.epsilons {
		if slices.Contains(o.epsilons[:i], e) {
			return fmt.Errorf("--epsilon has %v twice, must have it once", e)
		}
		s := o.Settings
		if s.Epsilon, s.Workers = e, 1; s.Validate() != nil {
			return s.Validate()
		}
	}
	return errors.Join(o.labelledOptions.check(o.private, o.out), term.RefuseSame(files...))
}

// counted returns the public cells that private texts are counted in; nil without
// --private.
func (o *cellsOptions) counted() (*cells.File, error) {
	if !o.private {
		return nil, nil //nolint:nilnil // there is nothing to count in then
	}
	f, err := cells.FindShipped(o.public, o.encoder)
	if err != nil {
		return nil, err
	}
	if f.Private != nil {
		return nil, fmt.Errorf("--public is %s, which was made of private texts, must be made of public ones", o.public)
	}
	return f, nil
}

// finest returns the largest set of cells.
func finest(f *cells.File) []cells.Cell {
	return slices.MaxFunc(f.Cells, func(a, b []cells.Cell) int { return len(a) - len(b) })
}

// leastWords is how many words an example of WordNet has that is taken: shorter ones
// say too little.
const leastWords = 5

// texts reads the texts of all sources, one after the other.
func (o *cellsOptions) texts(std term.Streams) ([]string, error) {
	var all []string
	read := o.All
	if o.private {
		read = o.AllDeclared
	}
	for _, in := range o.in {
		texts, err := read(in, std.In)
		if err != nil {
			return nil, err
		}
		all = append(all, texts...)
	}
	if o.wordnet != "" {
		texts, err := distill.WordNetExamples(o.wordnet, leastWords)
		if err != nil {
			return nil, err
		}
		all = append(all, texts...)
	}
	if o.limit == 0 || o.limit >= len(all) {
		return all, nil
	}
	some := make([]string, o.limit)
	for i := range some {
		some[i] = all[i*len(all)/o.limit]
	}
	return some, nil
}

// encode makes the vectors, and says in the file by what.
func (o *cellsOptions) encode(ctx context.Context, texts []string, f *cells.File, std term.Streams) (x nn.Matrix, err error) {
	if f.EncoderSHA256, err = catalogue.Digest(o.encoder); err != nil {
		return x, err
	}
	e, err := catalogue.Open(ctx, catalogue.Said(o.encoder), dataset.Dir())
	if err != nil {
		return x, err
	}
	closeEncoder := term.CloserOf(e)
	defer func() { err = errors.Join(err, closeEncoder()) }()
	f.Dim = e.Dim()
	bar := term.NewProgress(std.Err, "encoding")
	defer bar.Finish()
	const block = 4096
	x = nn.NewMatrix(len(texts), e.Dim())
	for at := 0; at < len(texts); at += block {
		bar.Set(int64(at), int64(len(texts)))
		some := texts[at:min(at+block, len(texts))]
		part, failed := encode.Texts(ctx, e, some, o.Workers)
		if failed != nil {
			return x, failed
		}
		copy(x.Data[at*x.Cols:], part.Data)
	}
	return x, nil
}

// make adds the cells for one ε.
func (o *cellsOptions) make(ctx context.Context, x nn.Matrix, texts []string, f *cells.File) error {
	set, err := cells.Make(ctx, x, o.Settings)
	if err != nil {
		return err
	}
	var about, example []string
	if o.examples {
		about, example = set.About(texts), set.Examples(texts)
	}
	f.Add(set, about, example)
	return usable(f)
}

// pay says in the file what private cells will promise, and books that in the ledger, if
// there is one: of all sets, since each ε counts anew.
func (o *cellsOptions) pay(ctx context.Context, f *cells.File) error {
	promise, err := cells.Promised(o.epsilonCells, len(o.epsilons))
	if err != nil {
		return err
	}
	f.Private = &cells.Private{Of: cmp.Or(o.public, o.encoder), Guarantee: promise, Neighbours: cells.Replacement}
	if o.payment.Ledger == "" {
		return nil
	}
	if err = atomicfile.ProbeFile(o.out); err != nil { // nothing is paid for what cannot be written
		return fmt.Errorf("--out: %w", err)
	}
	return o.payment.Pay(ctx, 1, ledger.Request{Guarantee: promise, Mechanism: map[string]any{"release": "cells", "neighbours": cells.Replacement, "sets": len(o.epsilons)}})
}

// makePrivate adds cells for one ε, of which nothing is told but counts, with its part
// of the ε that was promised.
func (o *cellsOptions) makePrivate(ctx context.Context, x nn.Matrix, public []cells.Cell, f *cells.File) error {
	set, _, err := cells.MakePrivate(ctx, x, public, o.epsilonCells/float64(len(o.epsilons)), o.Settings, noise.Crypto())
	if err != nil {
		return err
	}
	var about []string
	for _, i := range set.Example { // the nearest public cell
		about = append(about, public[i].About)
	}
	f.Add(set, about, nil)
	return usable(f)
}

// usable refuses cells that releases would refuse.
func usable(f *cells.File) error {
	set := len(f.Sets) - 1
	_, err := mech.NewCells(mech.Params{Dim: f.Dim, Epsilon: f.Sets[set].Epsilon, Own: f.Own(set)})
	return err
}
