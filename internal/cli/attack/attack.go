// Package attack holds the command attack, which tries what can be learnt from releases.
package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/dp"
	"sotto/experiment"
	"sotto/internal/cli/term"
	"sotto/internal/vecfile"
	"sotto/measure"
	"sotto/nn"
	"sotto/report/evidence"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newAttack(std)}
}

// attackOptions are the flags of "sotto attack".
type attackOptions struct {
	vectors, attributes, column string
	vectorColumn, metadata      string
	epsilon                     float64
	stated                      *dp.Guarantee // by --epsilon; nil if it is absent
	model, data                 string
	code                        string
	seed                        uint64
	workers                     int
	json                        bool
}

func newAttack(std term.Streams) *cobra.Command {
	var o attackOptions
	c := &cobra.Command{
		Use:   "attack",
		Short: "Attack released vectors, and hold what was learnt against the stated ε",
		Long: `Without a kind of attack below: attribute inference. Fit attackers to released vectors and see how well they guess an attribute of
rows that they have not seen: a linear one, the reference perceptron (100 units),
the same on centred vectors, and a larger one (two layers of 512). Each stands beside the majority rate, which
needs no vectors, and beside the accuracy that no attacker can exceed if the
stated ε is true. The description length says how many bits the attribute still
takes for whoever has the vectors.

Vectors come from a file, with the attribute's values in another, row by row: CSV
with a line of names, or JSON lines. Half of the rows fits the attackers, the
other scores them. What is promised is read from VECTORS.privacy.json, or given
by --epsilon. Or they are simulated releases of a model of "sotto train --out".

Exit codes: 0 the attack is done; 1 an attacker is above the limit beyond chance,
which refutes the stated ε; 2 wrong use or bad input.`,
		Example: `  sotto attack --vectors private.npy --attributes people.csv --column sex
  sotto attack --model adult --data adult --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := term.RefuseZeros(c.Flags(), "seed", "epsilon"); err != nil {
				return err
			}
			var err error
			if o.stated, err = statedEpsilon(c.Flags(), o.epsilon); err != nil {
				return err
			}
			return runAttack(c.Context(), o, std)
		},
	}
	f := c.Flags()
	f.StringVar(&o.vectors, "vectors", "", "file of released vectors: jsonl, csv, npy or parquet")
	f.StringVar(&o.attributes, "attributes", "", "file with the attribute of each row, - for standard input")
	f.StringVar(&o.column, "column", "", "column of the attribute (default: the only column, or the model's attribute with --model)")
	f.StringVar(&o.vectorColumn, "vector-column", "", "list column that holds the vectors, for a Parquet file with several")
	f.StringVar(&o.metadata, "metadata", "", "file that says what is promised (default: VECTORS.privacy.json, if there is one)")
	f.Float64Var(&o.epsilon, "epsilon", 0, "text-level ε that is stated of each vector (default: the file's)")
	f.StringVar(&o.model, "model", "", `folder that "sotto train --out" made`)
	f.StringVar(&o.data, "data", "", "data set of the model")
	f.StringVar(&o.code, "mdl", string(measure.BlockCode), "code of the description length: block, prefix (as in the published tables) or none")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the split and of the attackers (default 0)")
	f.IntVar(&o.workers, "workers", 0, "cores to use, one attacker each (default: all)")
	f.BoolVar(&o.json, "json", false, "print JSON")
	c.AddCommand(newAttackEntities(std), newAttackAveraging(std), newAttackInversion(std), newAttackMembership(std))
	return c
}

func runAttack(ctx context.Context, o attackOptions, std term.Streams) error {
	run, err := o.check()
	if err != nil {
		return err
	}
	options := experiment.AttackOptions{Seed: o.seed, Workers: o.workers}
	switch measure.Code(o.code) {
	case measure.BlockCode, measure.PrefixCode:
		options.Code = measure.Code(o.code)
	default:
		if o.code != "none" {
			return fmt.Errorf("--mdl is %q, must be block, prefix or none", o.code)
		}
	}
	report, err := run(ctx, options, std.In)
	if err != nil {
		return err
	}
	if o.json {
		err = term.PrintJSON(std.Out, report)
	} else {
		err = printAttacks(std.Out, report)
	}
	if err == nil && report.Refuted {
		err = term.ErrNo
	}
	return err
}

// check decides what is attacked.
func (o *attackOptions) check() (func(context.Context, experiment.AttackOptions, io.Reader) (*evidence.Attack, error), error) {
	files := o.vectors != "" || o.attributes != ""
	models := o.model != "" || o.data != ""
	switch {
	case files == models:
		return nil, errors.New("want --vectors and --attributes, or --model and --data")
	case models && o.model == "":
		return nil, errors.New("want --model, a folder of models")
	case models && (o.stated != nil || o.metadata != "" || o.vectorColumn != ""):
		return nil, errors.New("--epsilon, --metadata and --vector-column have no meaning with --model, which states its guarantee itself")
	case models:
		return o.attackModels, nil
	case o.vectors == "" || o.attributes == "":
		return nil, errors.New("want both --vectors and --attributes")
	case o.stated != nil && o.metadata != "":
		return nil, errors.New("--epsilon and --metadata both state a guarantee, must be one of them")
	}
	return o.attackVectors, nil
}

func (o *attackOptions) attackModels(ctx context.Context, options experiment.AttackOptions, _ io.Reader) (*evidence.Attack, error) {
	all, err := experiment.AttackModels(ctx, o.model, o.data, o.column, options)
	if err != nil {
		return nil, err
	}
	report := &evidence.Attack{Format: evidence.AttackFormat, Source: o.model, Attack: all[0].Attack, Models: all}
	for _, a := range all {
		report.Refuted = report.Refuted || a.Refuted
	}
	return report, nil
}

func (o *attackOptions) attackVectors(ctx context.Context, options experiment.AttackOptions, stdin io.Reader) (*evidence.Attack, error) {
	g, err := statedGuarantee(o.vectors, o.metadata, o.stated)
	if err != nil {
		return nil, err
	}
	x, err := readMatrix(o.vectors, vecfile.Options{Column: o.vectorColumn})
	if err != nil {
		return nil, err
	}
	c, err := term.OpenColumns(o.attributes, stdin, o.column)
	if err != nil {
		return nil, err
	}
	if len(c[0]) != x.Rows {
		return nil, fmt.Errorf("%s has %d rows after its line of names, must be those of %s, %d; a missing value is written as \"\"", o.attributes, len(c[0]), o.vectors, x.Rows)
	}
	ids, names := term.NumberValues(c[0])
	if len(names) < 2 {
		return nil, fmt.Errorf("%s: the attribute has %d values, must have at least 2", o.attributes, len(names))
	}
	name := o.column
	if name == "" {
		name = "attribute"
	}
	a, err := experiment.AttackVectors(ctx, measure.Labelled{X: x, Z: ids[0]}, name, names, g, options)
	if err != nil {
		return nil, err
	}
	return &evidence.Attack{Format: evidence.AttackFormat, Source: o.vectors, Attack: a, Refuted: a.Refuted}, nil
}

// statedEpsilon returns the guarantee that --epsilon states, nil if it is absent.
func statedEpsilon(fs *pflag.FlagSet, epsilon float64) (*dp.Guarantee, error) {
	if !fs.Changed("epsilon") {
		return nil, nil
	}
	if !(epsilon >= 0) {
		return nil, fmt.Errorf("--epsilon is %v, must be non-negative", epsilon)
	}
	return claim(epsilon), nil
}

// statedGuarantee returns what is stated of a file of vectors, nil if nothing is:
// by hand if that is not nil, else by the record beside the vectors or at another
// place.
func statedGuarantee(vectors, metadata string, byHand *dp.Guarantee) (*dp.Guarantee, error) {
	if byHand != nil {
		return byHand, nil
	}
	path := metadata
	if path == "" {
		path = vectors + ".privacy.json"
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && metadata == "" {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	// "sotto privatize" writes the guarantee itself, "sotto encode" a level below.
	var record struct {
		Guarantee *dp.Guarantee
		Release   struct{ Guarantee *dp.Guarantee }
	}
	if err := json.Unmarshal(content, &record); err != nil {
		return nil, fmt.Errorf("%s: not the record of a release: %w", path, err)
	}
	g := record.Guarantee
	if g == nil {
		g = record.Release.Guarantee
	}
	if g == nil {
		return nil, fmt.Errorf("%s: no guarantee is recorded, must be what sotto privatize or sotto encode wrote", path)
	}
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
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

// printAttacks prints a report for a person.
func printAttacks(out io.Writer, r *evidence.Attack) error {
	var b strings.Builder
	if r.Models == nil {
		printAttack(&b, r.Source, r.Attack)
	}
	for i, m := range r.Models {
		if i > 0 {
			b.WriteByte('\n')
		}
		folder := m.Folder
		if folder == "" {
			folder = r.Source
		}
		printAttack(&b, fmt.Sprintf("%s, seed %d", folder, m.Seed), m.Attack)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func printAttack(w io.Writer, source string, a *experiment.Attack) {
	first := a.Attackers[0]
	stated := "no guarantee is stated"
	if a.Guarantee != nil {
		stated = "stated: " + a.Guarantee.String()
	}
	fmt.Fprintf(w, "%s: %s (%d values), %d rows to fit, %d to score; %s\n\n", term.Plain(source), term.Plain(a.Attribute), a.Classes, first.RowsFitted, first.RowsScored, stated) //nolint:errcheck // w is a buffer
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ATTACKER\tACCURACY %\t95 % INTERVAL\tLIMIT %\tMAJORITY %\tBALANCED %\tAUC\tMDL kbit\tCOMPRESSION\tVERDICT") //nolint:errcheck // see above
	for _, k := range a.Attackers {
		verdict := "-"
		switch {
		case k.Refutes:
			verdict = "refutes the stated ε"
		case !math.IsNaN(float64(a.Limit)):
			verdict = "within the limit"
		}
		kbit, compression := "-", "-"
		if d := k.Description; d != nil {
			kbit, compression = fmt.Sprintf("%.2f", d.Kbit), term.Number(d.Compression, "%.3f")
		}
		fmt.Fprintf(t, "%s\t%s\t%s to %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.Name, term.Percent(measure.Number(k.Accuracy)), //nolint:errcheck // see above
			term.Percent(measure.Number(k.Low)), term.Percent(measure.Number(k.High)), term.Percent(a.Limit), term.Percent(measure.Number(k.Majority)),
			term.Percent(measure.Number(k.Balanced)), term.Number(k.AUC, "%.3f"), kbit, compression, verdict)
	}
	t.Flush()       //nolint:errcheck // see above
	fmt.Fprintln(w) //nolint:errcheck // see above
	if d := first.Description; d != nil {
		fmt.Fprintf(w, "MDL: description length of %s given the vectors, %s code; whoever knows nothing takes %.2f kbit\n", term.Plain(a.Attribute), d.Code, d.Uniform/1024) //nolint:errcheck // see above
	}
	switch {
	case a.Refuted:
		fmt.Fprintf(w, "the stated ε is refuted: no attacker of one release at ε = %v is right more often than in %s %% of cases\n", a.Guarantee.Epsilon, term.Percent(a.Limit)) //nolint:errcheck // see above
	case math.IsNaN(float64(a.Limit)):
		fmt.Fprintln(w, "limit: not known; it needs a text-level ε with δ = 0") //nolint:errcheck // see above
	default:
		fmt.Fprintln(w, "limit: no attacker of one release exceeds it at the stated ε; that these did not is no proof of ε") //nolint:errcheck // see above
	}
}
