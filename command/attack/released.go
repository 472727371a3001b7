package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/promise/dp"
)

// released are the flags of the attacks on releases that there are.
type released struct {
	common
	kind                   attack.Kind
	vectors, attributes    string
	pairs                  string
	raw                    bool
	columns                []string
	vectorColumn, metadata string
	epsilon                float64
	stated                 *dp.Guarantee // by --epsilon; nil if it is absent
	model, data            string
	in                     experiment.Path
	coding                 string
}

// newReleased makes the command of such an attack.
func newReleased(std term.Streams, use string, k attack.Kind) *cobra.Command {
	o := released{kind: k, columns: []string{""}}
	c := &cobra.Command{
		Use:  use,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(c.Flags()); err != nil {
				return err
			}
			return o.run(c.Context(), k, func(options *attack.Options) (attack.Target, error) { return o.target(c.Context(), options, std.In) }, std)
		},
	}
	f := c.Flags()
	f.StringVar(&o.vectors, "vectors", "", "file of released vectors: jsonl, csv, npy or parquet")
	f.StringVar(&o.attributes, "attributes", "", "file with what is known of each row, - for standard input")
	f.StringVar(&o.pairs, "pairs", "", "folder that sotto-batch --pairs made, in place of --vectors and --attributes")
	f.BoolVar(&o.raw, "raw", false, "attack the vectors of --pairs as they were before their release, which nothing protects")
	if k == attack.Attribute {
		f.StringVar(&o.columns[0], "column", "", "column of the attribute (default: the only column, or the model's attribute with --model)")
	} else {
		f.StringSliceVar(&o.columns, "column", o.columns, "columns of the attributes, separated by commas (default: the only column)")
		f.Lookup("column").DefValue = "[]"
	}
	f.StringVar(&o.vectorColumn, "vector-column", "", "list column that holds the vectors, for a Parquet file with several")
	f.StringVar(&o.metadata, "metadata", "", "file that says what is promised (default: VECTORS.privacy.json, if there is one)")
	f.Float64Var(&o.epsilon, "epsilon", 0, "text-level ε that is stated of each vector (default: the file's or the model's)")
	f.StringVar(&o.model, "model", "", `folder that "sotto train --out" made`)
	f.Var(&o.in, "in", "file of your own that the model was trained on")
	if k == attack.Attribute {
		f.Lookup("epsilon").Usage = "text-level ε that is stated of each vector (default: the file's)"
		f.StringVar(&o.data, "data", "", "data set of the model")
		f.StringVar(&o.coding, "mdl", string(measure.BlockCoding), "code of the description length: block, prefix (as in the published tables) or none")
	}
	o.addFlags(f, "the split and of the attackers", ", one attacker each")
	describe(c, k, &o.Options)
	return c
}

// check refuses flags that do not go together.
func (o *released) check(fs *pflag.FlagSet) error {
	if err := term.RefuseZeros(fs, "seed", "epsilon"); err != nil {
		return err
	}
	if fs.Changed("epsilon") {
		if !(o.epsilon >= 0) {
			return fmt.Errorf("--epsilon is %v, must be non-negative", o.epsilon)
		}
		o.stated = claim(o.epsilon)
	}
	files, models := o.vectors != "" || o.attributes != "" || o.pairs != "", o.model != "" || o.data != "" || o.in != ""
	switch {
	case files == models:
		return errors.New("want --vectors and --attributes, --pairs, or --model")
	case o.raw && o.pairs == "":
		return errors.New("--raw is about --pairs, must be with it")
	case o.pairs != "":
		if err := term.RefuseFlags(fs, "with --pairs, which have them", "vectors", "attributes", "metadata", "vector-column"); err != nil {
			return err
		}
	case models && o.model == "":
		return errors.New("want --model, a folder of models")
	case models && o.kind == attack.Attribute:
		if err := term.RefuseFlags(fs, "with --model, which states its guarantee itself", "epsilon", "metadata", "vector-column"); err != nil {
			return err
		}
	case models:
		return term.RefuseFlags(fs, "with --model", "metadata", "vector-column", "column")
	case o.pairs == "" && (o.vectors == "" || o.attributes == ""):
		return errors.New("want both --vectors and --attributes")
	case o.stated != nil && o.metadata != "":
		return errors.New("--epsilon and --metadata both state a guarantee, must be one of them")
	}
	if o.Coding = measure.Coding(o.coding); o.coding == "none" {
		o.Coding = ""
	} else if o.coding != "" && o.Coding != measure.BlockCoding && o.Coding != measure.PrefixCoding {
		return fmt.Errorf("--mdl is %q, must be block, prefix or none", o.coding)
	}
	return nil
}

// target is the stored models, or what the files hold.
func (o *released) target(ctx context.Context, options *attack.Options, stdin io.Reader) (attack.Target, error) {
	if o.model != "" {
		options.Claim = o.stated
		return attack.Target{Source: o.model, Released: experiment.Attackable(ctx, o.model, experiment.ReleaseOptions{Workers: o.Workers, Data: o.data, In: o.in, Attribute: o.columns[0]})}, nil
	}
	open := func() (*given, error) { return o.files(stdin) }
	if o.pairs != "" {
		open = o.paired
	}
	held, err := open()
	if err != nil {
		return attack.Target{}, err
	}
	r := &attack.Released{Guarantee: held.promised, Fit: attack.Part{Vectors: held.vectors}}
	for k, values := range held.columns {
		ids, names := term.NumberValues(values)
		r.Columns = append(r.Columns, dataset.Column{Name: cmp.Or(o.columns[k], "attribute"), Classes: names, IDs: ids[0]})
	}
	return attack.Target{Source: held.source, Released: attack.One(r)}, nil
}

// given is what files hold: vectors, what is promised of them, and what is known of each.
type given struct {
	source   string
	promised *dp.Guarantee
	vectors  nn.Matrix
	columns  term.Columns
}

// files reads a file of vectors and one of attributes, row by row.
func (o *released) files(stdin io.Reader) (*given, error) {
	g, err := statedGuarantee(o.vectors, o.metadata, o.stated)
	if err != nil {
		return nil, err
	}
	x, err := readMatrix(o.vectors, vecfile.Options{Column: o.vectorColumn})
	if err != nil {
		return nil, err
	}
	c, err := term.OpenColumns(o.attributes, stdin, o.columns...)
	if err != nil {
		return nil, err
	}
	if len(c[0]) != x.Rows {
		return nil, fmt.Errorf("%s has %d rows after its line of names, must be those of %s, %d; a missing value is written as \"\"", o.attributes, len(c[0]), o.vectors, x.Rows)
	}
	return &given{o.vectors, g, x, c}, nil
}

// statedGuarantee returns what is stated of a file of vectors, nil if nothing is:
// by hand if that is not nil, else by the record beside the vectors or at another
// place.
func statedGuarantee(vectors, metadata string, byHand *dp.Guarantee) (*dp.Guarantee, error) {
	if byHand != nil {
		return byHand, nil
	}
	said, err := evidence.ReadStated(vectors, metadata)
	if said == nil {
		return nil, err
	}
	return said.Guarantee, nil
}

// readMatrix reads all vectors of a file.
func readMatrix(path string, o vecfile.Options) (nn.Matrix, error) {
	r, err := vecfile.Open(path, o)
	if err != nil {
		return nn.Matrix{}, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	if r.Width() == 0 {
		return nn.Matrix{}, fmt.Errorf("%s: no vector was found, must hold at least one", path)
	}
	x := nn.Matrix{Cols: r.Width()}
	for block := make([]float64, 256*r.Width()); ; {
		n, err := r.ReadRows(block)
		if errors.Is(err, io.EOF) {
			return x, nil
		}
		if err != nil {
			return nn.Matrix{}, err
		}
		for _, v := range block[:n*x.Cols] {
			x.Data = append(x.Data, float32(v))
		}
		x.Rows += n
	}
}
