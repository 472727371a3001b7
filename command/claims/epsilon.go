// Package claims holds epsilon, audit, compose and shuffle, the commands that say
// what is promised and check what is claimed.
package claims

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newEpsilon(std), newAudit(std), newCompose(std), newShuffle(std)}
}

// epsilonOptions are the flags of "sotto epsilon".
type epsilonOptions struct {
	term.MechanismFlags
	dropout float64
	check   string
	table   bool
	json    bool
}

func newEpsilon(std term.Streams) *cobra.Command {
	var o epsilonOptions
	c := &cobra.Command{
		Use:   "epsilon MECHANISM",
		Short: "Say what ε a mechanism claims and what ε it really has",
		Long: `Say what ε a mechanism claims and what ε it really has, why, and which two
inputs show it. Needs no data.

With --check FILE: read a JSON list of claims and say which are false, by the
mechanism or by an accuracy that its ε does not allow; exit 1 if any is.
With --table: the published methods' claimed and true ε, in columns on a terminal
and as Markdown elsewhere or with --wide.

` + term.MechanismList(),
		Example: `  sotto epsilon ome --dim 50 --bits 10 --lambda 100 --epsilon 1
  sotto epsilon dpnr --variant paper --dim 768 --epsilon 0.05 --json
  sotto epsilon laplace-l1 --dim 300 --epsilon 1 --dropout 0.5
  sotto epsilon --check claims.json`,
		ValidArgsFunction: term.CompleteMechanism,
		RunE: func(c *cobra.Command, args []string) error {
			if o.check != "" || o.table {
				if len(args) > 0 || o.check != "" && o.table {
					return errors.New("want one of a mechanism, --check and --table")
				}
				if err := term.RefuseFlags(c.Flags(), "with --check or --table", append(o.Names(), "dropout")...); err != nil {
					return err
				}
			}
			switch {
			case o.check != "":
				return runCheck(o, std)
			case o.table:
				return runTable(std.Out, o.json)
			}
			if err := term.OneMechanism(args); err != nil {
				return err
			}
			if err := term.RefuseFlags(c.Flags(), ""); err != nil {
				return err
			}
			return runEpsilon(o, args[0], std.Out)
		},
	}
	o.AddFlags(c.Flags())
	term.AssumeNote(c.Flags())
	c.Flags().Float64Var(&o.dropout, "dropout", 0, "probability μ of masking each word before encoding, which makes the unit a word (default: no masking)")
	c.Flags().StringVar(&o.check, "check", "", "check the claims in this JSON file, - for standard input")
	c.Flags().BoolVar(&o.table, "table", false, "print the table of the published methods")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// runEpsilon prints the statement of one mechanism.
func runEpsilon(o epsilonOptions, name string, out io.Writer) error {
	if o.File("cells") == "" {
		o.Encoder = "default" // whose cells are taken where none are given
	}
	p, err := o.Resolve(name)
	if err != nil {
		return err
	}
	if p.Epsilon == 0 {
		return errors.New("want --epsilon, the ε that is claimed or wanted")
	}
	s, err := mech.Judge(term.Assume(p), o.dropout)
	if err != nil {
		return err
	}
	return term.Show(out, o.json, s, printStatement)
}

func printStatement(out io.Writer, s mech.Judgement) error {
	t := term.NewTable(out)
	t.Fact("mechanism", "%s, variant %s%s", s.Mechanism, s.Variant, parameterText(s.Statement))
	t.Fact("claimed", "%s", dp.Guarantee{Unit: s.ClaimedUnit, Epsilon: s.Claimed, Delta: s.ClaimedDelta})
	if s.Place != "" {
		t.Fact("in", "%s", s.Place)
	}
	name := "true"
	if s.Verdict == dp.ClaimNotProved || s.Verdict == dp.ClaimConditional {
		name = "bound"
	}
	t.Fact(name, "%s", dp.Guarantee{Unit: s.Unit, Epsilon: s.True, Delta: s.Delta})
	if s.TextLevel != nil {
		t.Fact("", "%s: dropping words gains nothing here", dp.Guarantee{Unit: dp.Text, Epsilon: *s.TextLevel, Delta: s.TextDelta})
	}
	t.Fact("because", "%s", s.Reason)
	t.Fact("witness", "%s", s.Witness.Event)
	t.Fact("", "%s", shows(s))
	for _, name := range slices.Sorted(maps.Keys(s.Facts)) {
		t.Fact(name, "%.6g", s.Facts[name])
	}
	for _, a := range s.Assumptions {
		t.Fact("assuming", "%s", a)
	}
	switch {
	case s.Verdict == dp.ClaimTrue:
		t.Fact("verdict", "%s", layout.Good(out, "the claim is true"))
	case s.Verdict == dp.ClaimNotProved:
		t.Fact("verdict", "%s: %s", layout.Doubtful(out, "the claim is not proved"), s.Condition)
	case s.Verdict == dp.ClaimConditional:
		t.Fact("verdict", "%s: %s", layout.Doubtful(out, "the claim is conditional"), s.Condition)
	case s.True == dp.Infinite:
		t.Fact("verdict", "%s: nothing is promised at all", layout.Bad(out, "the claim is false"))
	default:
		t.Fact("verdict", "%s: the true ε is %.4g times as large", layout.Bad(out, "the claim is false"), float64(s.True/s.Claimed))
	}
	return t.Flush()
}

// shows says what the witness proves, and of which unit where that is not the
// claim's.
func shows(s mech.Judgement) string {
	where, epsilon := "", "ε"
	if s.Delta > 0 {
		where = "at this δ "
	}
	if s.Unit != s.ClaimedUnit && s.Verdict != dp.ClaimFalse {
		epsilon = string(s.Unit) + "-level ε"
	}
	if s.Witness.Attained == dp.Infinite {
		return fmt.Sprintf("it shows that %sno %s is true", where, epsilon)
	}
	return fmt.Sprintf("it shows that %sno %s below %s is true", where, epsilon, dp.Below(float64(s.Witness.Attained), 6))
}

// parameterText lists the parameters that were given or assumed.
func parameterText(s mech.Statement) string {
	p, text := s.Parameters, ""
	add := func(name string, value any) {
		if v := reflect.ValueOf(value); v.IsValid() && v.Kind() != reflect.Slice && !v.IsZero() {
			text += fmt.Sprintf(", %s %v", strings.TrimSuffix(name, "_dim"), value)
		}
	}
	add("dim", p.Dim)
	for _, own := range mech.Parameters() {
		if own.Name != "seed" {
			add(own.Name, p.Value(own.Name))
		}
	}
	add("delta", p.Delta)
	if mech.Uses(p.Mechanism, "seed") && p.Variant != mech.M1 {
		seed, _ := p.Value("seed").(uint64)
		text += fmt.Sprintf(", seed %d", seed)
	}
	add("dropout", s.Dropout)
	return text
}

// runCheck prints a verdict for each claim of a file.
func runCheck(o epsilonOptions, std term.Streams) error {
	in, err := term.Open(o.check, std.In)
	if err != nil {
		return fmt.Errorf("the claims cannot be read: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	claims, err := audit.ReadClaims(in)
	if err != nil {
		return fmt.Errorf("%s: %w", o.check, err)
	}
	verdicts := make([]audit.Verdict, len(claims))
	refuted := false
	for i, c := range claims {
		if verdicts[i], err = audit.CheckClaim(c); err != nil {
			return fmt.Errorf("%s: claim %d: %w", o.check, i+1, err)
		}
		refuted = refuted || verdicts[i].Refuted
	}
	return term.Verdict(term.Show(std.Out, o.json, verdicts, printVerdicts), refuted)
}

func printVerdicts(out io.Writer, verdicts []audit.Verdict) error {
	b := layout.NewBuffer(out)
	for _, v := range verdicts {
		word := map[dp.Verdict]string{
			dp.ClaimTrue: layout.Good(b, "true"), dp.ClaimFalse: layout.Bad(b, "REFUTED"),
			dp.ClaimNotProved: layout.Doubtful(b, "not proved"), dp.ClaimConditional: layout.Doubtful(b, "conditional"),
		}[v.Verdict]
		text := fmt.Sprintf("%s: %s, claimed ε = %v (%s-level)", v.Name, word, v.Claimed, v.Unit)
		if v.True != nil {
			text += fmt.Sprintf(", proved ε = %v", *v.True)
		}
		if v.Place != "" {
			text += ", in " + v.Place
		}
		if v.Limit != nil {
			text += fmt.Sprintf(", accuracy %.2f %% against a limit of %s %%", 100**v.Accuracy, dp.AtMost(*v.Limit))
		}
		for _, r := range v.Reasons {
			text += "\n  " + r
		}
		fmt.Fprintln(b, text)
	}
	return b.Flush()
}
