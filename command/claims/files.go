package claims

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/internal/layout"
	files "sotto/learn/commands"
	"sotto/promise/dp"
	"sotto/promise/noise"
	"sotto/text/encode/catalogue"
)

// filesOptions are the flags of "sotto audit files".
type filesOptions struct {
	files.Config
	unit string
	json bool
}

func newFiles(std term.Streams) *cobra.Command {
	var o filesOptions
	c := &cobra.Command{
		Use:   "files --a A --b B --claim E [flags] -- COMMAND",
		Short: "Attack a whole command: everything that it writes, on two inputs that differ in one row",
		Long: `Run a command on two inputs that differ in one row, again and again, look at
everything that it writes, and certify, with confidence, how large the ε of all
of it is at least. Exit 1 if that is more than is claimed.

The command has {in} where the input belongs and, where it needs them, {out} for
what it writes, {secret} for a file of 32 random bytes and {dir} for a folder of
the trusted side, which is not looked at. Each run has its own of all of these,
which are fresh and have the same names whichever input it is; a fair coin decides
that. One word with a blank in it is a line of a shell.

Releases, records and pages are taken apart into fields; sizes, names, permissions,
the exit code and both output streams are looked at, too. On half of the runs the
auditor learns to tell the inputs apart, on the other half it guesses, and the
share of right guesses certifies ε. It names the fields that tell, and never shows
their values. What is one constant in all runs on A and another in all runs on B
is named as such: --most lets it run on until a claim is refuted by that alone.`,
		Example: `  sotto audit files --a a.csv --b b.csv --claim 4 -- sotto encode --in {in} --text message --mechanism cells --epsilon 4 --out {out}.jsonl
  sotto audit files --a a.csv --b b.csv --claim 1 --runs 400 -- 'python3 theirs.py <{in} >{out}'
  sotto audit files --a a.csv --b b.csv --claim 4 --ignore '{out}/*.safetensors: *' -- sotto train --in {in} --text text --label label --epsilon 4 --out {out}`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || c.ArgsLenAtDash() != 0 {
				return errors.New("want a command behind --, such as -- sotto encode --in {in} --out {out}.jsonl")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.A == "" || o.B == "" {
				return errors.New("want --a and --b, two inputs that differ in one row")
			}
			if !c.Flags().Changed("claim") {
				return errors.New("want --claim, the ε that the command claims")
			}
			o.Command, o.Unit = args, dp.Unit(o.unit)
			return runFiles(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.A, "a", "", "an input")
	fs.StringVar(&o.B, "b", "", "another input, which differs from it in one row")
	fs.Float64Var(&o.Claim, "claim", 0, "ε to refute (required)")
	fs.Float64Var(&o.Delta, "delta", 0, "δ that goes with the claim (default: none)")
	fs.StringVar(&o.unit, "unit", string(dp.Text), "what the claim is about: text or word, where one row differs, or person, where all rows of one may differ")
	fs.IntVar(&o.Runs, "runs", 200, "number of runs on each input")
	fs.IntVar(&o.Most, "most", 2000, "number of runs on each input that may be added to refute a claim by something constant")
	fs.StringArrayVar(&o.Ignore, "ignore", nil, "fields that are declared not to be covered, such as '{out}/head.json: weights*', with * for anything; may be given several times")
	fs.Float64Var(&o.Confidence, "confidence", 0.99, "probability with which the bound holds, and no true claim is refuted")
	fs.DurationVar(&o.Timeout, "timeout", time.Minute, "time after which a run is stopped")
	fs.IntVar(&o.Workers, "workers", 0, "runs side by side (default: one for each core)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runFiles(ctx context.Context, o filesOptions, std term.Streams) error {
	var err error
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	// A run has no home of its own to find fetched encoders in.
	if dir, failed := catalogue.Dir(); failed == nil && os.Getenv("SOTTO_MODELS") == "" {
		o.Env = append(o.Env, "SOTTO_MODELS="+dir)
	}
	o.Coins = noise.Crypto()
	bar := term.NewProgress(std.Err, "running the command")
	o.Progress = bar.Set
	result, err := files.Run(ctx, o.Config)
	bar.Finish()
	if err != nil {
		return err
	}
	return term.Verdict(term.Show(std.Out, o.json, result, printFiles), result.Refuted)
}

func printFiles(out io.Writer, r *files.Result) error {
	t := term.NewTable(out)
	t.Fact("command", "%s", r.Command)
	t.Fact("inputs", "differ in %s", r.Differs)
	claimed := fmt.Sprintf("ε = %v", r.Claim)
	if r.Delta > 0 {
		claimed += fmt.Sprintf(", δ = %v", r.Delta)
	}
	t.Fact("claimed", "%s (%s-level)", claimed, r.Unit)
	t.Fact("attacked", "ε ≥ %s with confidence %v", dp.Below(r.EpsilonLower, 4), r.Confidence)
	t.Fact("together", "%d of %d guesses by all fields are right: ε ≥ %s", r.Joint.Right, r.Joint.Guesses, dp.Below(r.Joint.EpsilonLower, 4))
	t.Fact("runs", "%d to learn from, %d fresh ones counted, %d fields", r.Learning, r.Certifying, r.Fields)
	for _, e := range r.Evidence {
		t.Fact("found", "%s (%s, ε ≥ %s): %s", e.Where, e.Kind, dp.Below(e.EpsilonLower, 4), e.What)
	}
	for _, e := range r.Within {
		t.Fact("within the claim", "%s (%s, ε ≥ %s)", e.Where, e.Kind, dp.Below(e.EpsilonLower, 4))
	}
	for _, i := range r.Ignored {
		t.Fact("not covered", "%s, by --ignore: %d fields in %d runs", i.Pattern, i.Fields, r.Learning)
	}
	for _, n := range r.Notes {
		t.Fact("note", "%s", n)
	}
	for _, n := range r.NotSeen {
		t.Fact("not seen", "%s", n)
	}
	switch {
	case r.Refuted:
		t.Fact("verdict", "%s: what this command writes tells more than is claimed", layout.Bad(out, "REFUTED"))
	case len(r.Evidence) > 0:
		t.Fact("verdict", "%s by so few runs: but what is constant above refutes any ε, unless its runs fell so by chance", layout.Doubtful(out, "not refuted"))
	default:
		t.Fact("verdict", "not refuted: no field was found that tells more than is claimed")
	}
	return t.Flush()
}
