package term

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/data/vecfile"
	"sotto/internal/regular"
	"sotto/promise/mech"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/cells"
)

// MechanismFlags are the parameters of a mechanism as flags.
type MechanismFlags struct {
	mech.Params
	// Seeded says that noise has a seed of the same name, so that no mechanism
	// refuses it.
	Seeded bool
	// Encoder is that whose vectors are released, as the user names it, "" if that is
	// not known. Cells of another one are refused.
	Encoder string

	found *cells.File    // the cells that Resolve took
	set   int            // which of them
	own   map[string]any // pointers to what was given; to the path of a file for a list of vectors
}

// parameters are the own ones of all mechanisms, which every command with a mechanism
// declares.
var parameters = sync.OnceValue(mech.Parameters)

// AddFlags declares the flags, of which those of own parameters follow from the
// mechanisms that are registered.
func (f *MechanismFlags) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&f.Variant, "variant", "", "variant of the mechanism; the list above names each mechanism's, the default first")
	fs.Float64Var(&f.Epsilon, "epsilon", 0, "ε that is claimed or wanted of each release")
	fs.Float64Var(&f.Delta, "delta", 0, "δ of gaussian and of privemb paper (default 1e-6)")
	fs.IntVar(&f.Dim, "dim", 0, "number of coordinates of the input, or of codes for the mechanism codes")
	f.own = map[string]any{}
	for _, p := range parameters() {
		value := reflect.New(p.Type).Interface()
		switch {
		case p.Hidden && !isTable(p):
			continue // it comes with a file
		case isTable(p):
			value, p.Help = new(string), "file of the "+p.Help
			if p.Name == cellsName {
				p.Help = strings.Replace(p.Help, "file of", "file that sotto cells make made, or name of an encoder whose cells come with sotto ("+strings.Join(cells.ShippedEncoders(), ", ")+"), or any file of", 1)
				p.Help, _, _ = strings.Cut(p.Help, " (default")
				p.Help += " (default: those of the encoder)"
			}
		}
		AddFlag(fs, value, strings.ReplaceAll(p.Name, "_", "-"), p.Help)
		f.own[p.Name] = value
	}
}

// isTable reports whether a parameter is a list of vectors, which a file holds.
func isTable(p mech.Parameter) bool { return p.Type == reflect.TypeFor[[][]float64]() }

// File returns the file that was given for a list of vectors.
func (f *MechanismFlags) File(name string) string { return *f.own[name].(*string) }

// Seed returns the seed.
func (f *MechanismFlags) Seed() uint64 { return *f.own["seed"].(*uint64) }

// Width returns how many numbers an input of a mechanism has as far as flags say so, else 0.
func (f *MechanismFlags) Width(mechanism string) int {
	p := f.With(f.given())
	p.Mechanism = mechanism
	return p.Width()
}

// given returns own parameters as they were given.
func (f *MechanismFlags) given() mech.Given {
	given := mech.Given{}
	for name, v := range f.own {
		given[name] = reflect.ValueOf(v).Elem().Interface()
	}
	return given
}

// Widths says in the flags' help how wide inputs are where the user does not.
func Widths(fs *pflag.FlagSet, width string) {
	byDefault(fs, "dim", ": "+width)
	byDefault(fs, "input-dim", ": "+width)
}

// AssumeNote says in the flags' help what Assume fills in.
func AssumeNote(fs *pflag.FlagSet) {
	byDefault(fs, "dim", " 768")
	for _, p := range parameters() {
		if p.Assume != "" {
			byDefault(fs, strings.ReplaceAll(p.Name, "_", "-"), " "+p.Assume)
		}
	}
}

func byDefault(fs *pflag.FlagSet, name, value string) {
	f := fs.Lookup(name)
	f.Usage, _, _ = strings.Cut(f.Usage, " (default")
	f.Usage += " (default" + value + ")"
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
	case *catalogue.Name:
		fs.StringVar((*string)(to), name, string(*to), help)
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
	case pflag.Value:
		fs.Var(to, name, help)
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

// Resolve sets the mechanism's name and its own parameters, and reads the files
// among them.
func (f *MechanismFlags) Resolve(name string) (mech.Params, error) {
	p, given := f.Params, f.given()
	p.Mechanism = name
	if f.Seeded && !mech.Uses(name, "seed") {
		delete(given, "seed")
	}
	for _, parameter := range parameters() {
		path, ok := given[parameter.Name].(string)
		if !ok || !isTable(parameter) {
			continue
		}
		delete(given, parameter.Name)
		if parameter.Name == cellsName && mech.Uses(name, cellsName) {
			if taken, err := f.cells(path, p.Epsilon, given); taken || err != nil {
				if err != nil {
					return p, err
				}
				continue
			}
		}
		if path != "" {
			vectors, err := ReadVectors(path)
			if err != nil {
				return p, err
			}
			given[parameter.Name] = vectors
		}
	}
	return p.With(given), nil
}

// cellsName is the parameter that a file of cells is for.
const cellsName = "cells"

// cells gives the set of cells that is best for ε, unless the path is that of a file of
// nothing but vectors, or absent where no encoder is known.
func (f *MechanismFlags) cells(path string, epsilon float64, given mech.Given) (bool, error) {
	if path == "" && f.Encoder == "" {
		return false, nil
	}
	if path != "" && !slices.Contains(cells.ShippedEncoders(), path) && !cells.Is(path) {
		return false, nil
	}
	found, err := cells.FindShipped(path, f.Encoder)
	if err != nil {
		return false, err
	}
	f.found, f.set = found, found.For(cmp.Or(epsilon, 8))
	asked, _ := given["cells_sha256"].(string)
	maps.Copy(given, found.Own(f.set).Given())
	if asked != "" { // it is held against the cells
		given["cells_sha256"] = asked
	}
	return true, nil
}

// CellWords says what each cell that Resolve took is about, nil if it took none.
func (f *MechanismFlags) CellWords() []string {
	if f.found == nil {
		return nil
	}
	var words []string
	for _, c := range f.found.Cells[f.set] {
		words = append(words, c.Words())
	}
	return words
}

// EncoderOf returns the encoder of which the record beside a file of raw vectors
// speaks, "" if there is none.
func EncoderOf(path string) string {
	var said struct {
		Encoder string `json:"encoder"`
	}
	content, err := regular.Read(path+RawEnd, 1<<20)
	if err != nil || json.Unmarshal(content, &said) != nil {
		return ""
	}
	return said.Encoder
}

// CellsTaken returns the cells that Resolve took, and which set of them; nil if none.
func (f *MechanismFlags) CellsTaken() (*cells.File, int) { return f.found, f.set }

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
			return nil, fmt.Errorf("%s: the file has more than %d vectors, must have fewer", path, maxVocabulary)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the file is empty, must hold at least two vectors", path)
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

// publicSeed is the flag of the public codewords or projection where --seed is
// another's.
const publicSeed = "public-seed"

// AddFlagsBesideSeed is AddFlags for a command that has a --seed of its own.
func (f *MechanismFlags) AddFlagsBesideSeed(fs *pflag.FlagSet) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	f.AddFlags(own)
	own.VisitAll(func(x *pflag.Flag) {
		if x.Name == "seed" {
			x.Name = publicSeed
		}
		fs.AddFlag(x)
	})
}

// NamesBesideSeed lists the flags that AddFlagsBesideSeed adds.
func (f *MechanismFlags) NamesBesideSeed() []string {
	names := f.Names()
	if at := slices.Index(names, "seed"); at >= 0 {
		names[at] = publicSeed
	}
	return names
}
