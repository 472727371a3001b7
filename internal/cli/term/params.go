package term

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/internal/vecfile"
	"sotto/mech"
)

// MechanismFlags are the parameters of a mechanism as flags.
type MechanismFlags struct {
	mech.Params
	VocabularyFile string // file of vectors
}

// AddFlags declares the flags.
func (f *MechanismFlags) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&f.Variant, "variant", "", "variant of the mechanism; the list above names each mechanism's, the default first")
	fs.Float64Var(&f.Epsilon, "epsilon", 0, "ε that is claimed or wanted of each release")
	fs.Float64Var(&f.Delta, "delta", 0, "δ of gaussian and of privemb paper (default 1e-6)")
	fs.IntVar(&f.Dim, "dim", 0, "number of coordinates of the input, or of codes for the mechanism codes")
	fs.IntVar(&f.Bits, "bits", 0, "number of bits for each coordinate with sue, oue, ome, bitrand and bitrr (default 10)")
	fs.Float64Var(&f.Lambda, "lambda", 0, "λ of ome (default 100)")
	fs.Float64Var(&f.Alpha, "alpha", 0, "α of bitrand and of oue moue (default: none)")
	fs.IntVar(&f.InputDim, "input-dim", 0, "number of coordinates before the projection of privemb")
	fs.IntVar(&f.OutputDim, "output-dim", 0, "number of coordinates after the projection of privemb (default: none, or that before for m1)")
	fs.Float64Var(&f.Clip, "clip", 0, "L2 norm to which privemb clips inputs, which makes the guarantee text-level (default: no clipping)")
	fs.IntVar(&f.Codewords, "codewords", 0, "number of public codewords of codebook (default 256)")
	fs.IntVar(&f.Selected, "selected", 0, "how many codewords of codebook count as near, or how many codes of codes are likely (default: the best number for ε)")
	fs.Float64SliceVar(&f.Weights, "weights", nil, "least probability of each code of codes, instead of --selected")
	fs.IntVar(&f.Classes, "classes", 0, "number of labels of krr (default: none)")
	fs.Uint64Var(&f.Seed, "seed", 0, "seed of the public codewords of codebook, or of the projection of privemb (default 0)")
	fs.StringVar(&f.VocabularyFile, "vocabulary", "", "file of the public vectors of privemb vocabulary")
}

// Widths adds to the flags' help how wide inputs are where the user does not say.
func Widths(fs *pflag.FlagSet, width string) {
	for _, name := range []string{"dim", "input-dim"} {
		fs.Lookup(name).Usage += " (default: " + width + ")"
	}
}

// AssumeNote says in the flags' help what Assume fills in.
func AssumeNote(fs *pflag.FlagSet) {
	for name, value := range map[string]string{"dim": "768", "input-dim": "300", "output-dim": "50", "classes": "2"} {
		f := fs.Lookup(name)
		f.Usage, _, _ = strings.Cut(f.Usage, " (default")
		f.Usage += " (default " + value + ")"
	}
}

// Names lists the flags that describe a mechanism.
func (f *MechanismFlags) Names() []string {
	var names []string
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(MechanismFlags).AddFlags(own)
	own.VisitAll(func(x *pflag.Flag) { names = append(names, x.Name) })
	return names
}

// Refuse refuses flags that were given but have no meaning here.
func Refuse(fs *pflag.FlagSet, where string, names ...string) error {
	for _, n := range names {
		if fs.Changed(n) {
			return fmt.Errorf("--%s has no meaning %s", n, where)
		}
	}
	return nil
}

// RefuseFlags is Refuse, and refuses numbers that were given as 0, which stands
// for absent.
func RefuseFlags(fs *pflag.FlagSet, where string, names ...string) error {
	if err := Refuse(fs, where, names...); err != nil {
		return err
	}
	return RefuseZeros(fs, "seed")
}

// AddFlag adds a flag for what a pointer points to, whose value is its default.
func AddFlag(fs *pflag.FlagSet, to any, name, help string) {
	switch to := to.(type) {
	case *string:
		fs.StringVar(to, name, *to, help)
	case *bool:
		fs.BoolVar(to, name, *to, help)
	case *int:
		fs.IntVar(to, name, *to, help)
	case *uint64:
		fs.Uint64Var(to, name, *to, help)
	case *float64:
		fs.Float64Var(to, name, *to, help)
	case *[]string:
		fs.StringSliceVar(to, name, *to, help)
	case *[]int:
		fs.IntSliceVar(to, name, *to, help)
	case *[]float64:
		fs.Float64SliceVar(to, name, *to, help)
	default:
		panic(fmt.Sprintf("term: no flag can hold a %T", to))
	}
}

// RefuseZeros refuses numbers that were given as 0, which stands for absent,
// but for the flags that may be 0.
func RefuseZeros(fs *pflag.FlagSet, may ...string) error {
	var zero error
	fs.Visit(func(x *pflag.Flag) {
		if (x.Value.String() == "0" || x.Value.String() == "[0]") && !slices.Contains(may, x.Name) {
			zero = fmt.Errorf("--%s is 0, must be positive or absent", x.Name)
		}
	})
	return zero
}

// Resolve sets the mechanism's name and reads the vocabulary.
func (f *MechanismFlags) Resolve(name string) (mech.Params, error) {
	p := f.Params
	p.Mechanism = name
	if f.VocabularyFile == "" {
		return p, nil
	}
	words, err := ReadVectors(f.VocabularyFile)
	if err != nil {
		return p, err
	}
	p.Vocabulary = words
	return p, nil
}

// Assume fills in the sizes that the user left open, for commands that read no
// data: BERT's width, and PRIVEMB's example.
func Assume(p mech.Params) mech.Params { return p.Assume().Fit(768) }

// maxVocabulary bounds what is compared pair by pair.
const maxVocabulary = 20_000

// ReadVectors reads a whole file of public vectors.
func ReadVectors(path string) ([][]float64, error) {
	r, err := vecfile.Open(path, vecfile.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	var rows [][]float64
	row := make([]float64, r.Width())
	for len(row) > 0 {
		if _, err := r.ReadRows(row); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		rows = append(rows, slices.Clone(row))
		if len(rows) > maxVocabulary {
			return nil, fmt.Errorf("%s: the vocabulary has more than %d vectors, must have fewer", path, maxVocabulary)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the vocabulary is empty, must hold at least two vectors", path)
	}
	return rows, nil
}

// MechanismList is the end of a help text.
func MechanismList() string {
	var b strings.Builder
	b.WriteString("Mechanisms and their variants:\n")
	for _, i := range mech.Kinds() {
		fmt.Fprintf(&b, "  %-11s %s (%s)\n", i.Name, i.About, strings.Join(i.VariantNames(), ", "))
	}
	return b.String()
}

// CompleteMechanism completes the first argument.
func CompleteMechanism(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, i := range mech.Kinds() {
		names = append(names, i.Name+"\t"+i.About)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// OneMechanism explains what is missing where cobra would only count.
func OneMechanism(args []string) error {
	if len(args) == 1 {
		return nil
	}
	var names []string
	for _, i := range mech.Kinds() {
		names = append(names, i.Name)
	}
	return fmt.Errorf("want one mechanism, got %d arguments; mechanisms are %s", len(args), strings.Join(names, ", "))
}
