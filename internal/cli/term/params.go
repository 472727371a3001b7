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
	fs.StringVar(&f.Variant, "variant", "", "variant of the mechanism (see the list above; the first is the default)")
	fs.Float64Var(&f.Epsilon, "epsilon", 0, "ε as it is claimed or wanted")
	fs.Float64Var(&f.Delta, "delta", 0, "δ: gaussian, privemb paper (default 1e-6)")
	fs.IntVar(&f.Dim, "dim", 0, "coordinates of the input; the number of codes: codes")
	fs.IntVar(&f.Bits, "bits", 0, "bits a coordinate: sue, oue, ome, bitrand, bitrr (default 10)")
	fs.Float64Var(&f.Lambda, "lambda", 0, "λ: ome (default 100)")
	fs.Float64Var(&f.Alpha, "alpha", 0, "α: bitrand, oue moue")
	fs.IntVar(&f.InputDim, "input-dim", 0, "coordinates before the projection: privemb")
	fs.IntVar(&f.OutputDim, "output-dim", 0, "coordinates after the projection: privemb")
	fs.Float64Var(&f.Clip, "clip", 0, "clip inputs to this L2 norm, which makes the guarantee text-level: privemb")
	fs.IntVar(&f.Codewords, "codewords", 0, "number of public codewords: codebook (default 256)")
	fs.IntVar(&f.Selected, "selected", 0, "how many of them count as near, or how many codes are likely: codebook, codes (default: the best for ε)")
	fs.Float64SliceVar(&f.Weights, "weights", nil, "the least probability of each code, instead of --selected: codes")
	fs.IntVar(&f.Classes, "classes", 0, "number of labels: krr")
	fs.Uint64Var(&f.Seed, "seed", 0, "seed of the public codewords or projection: codebook, privemb")
	fs.StringVar(&f.VocabularyFile, "vocabulary", "", "file of the public vectors: privemb vocabulary")
}

// AssumeNote adds to the flags' help what assume fills in.
func AssumeNote(fs *pflag.FlagSet) {
	for name, value := range map[string]string{"dim": "768", "input-dim": "300", "output-dim": "50", "classes": "2"} {
		fs.Lookup(name).Usage += " (default " + value + ")"
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

// RefuseFlags refuses flags that were given but have no meaning here, and
// numbers that were given as 0, which stands for absent.
func RefuseFlags(fs *pflag.FlagSet, where string, names ...string) error {
	for _, n := range names {
		if fs.Changed(n) {
			return fmt.Errorf("--%s has no meaning %s", n, where)
		}
	}
	return RefuseZeros(fs, "seed")
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
