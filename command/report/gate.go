package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/evidence"
	"sotto/internal/layout"
	"sotto/report"
	"sotto/report/gate"
)

// gateOptions are the flags of "sotto gate".
type gateOptions struct {
	policy string
	verify string
	json   bool
}

func newGate(std term.Streams, more evidence.Kinds) *cobra.Command {
	var o gateOptions
	c := &cobra.Command{
		Use:   "gate --policy FILE RESULTS...",
		Short: "Fail a build whose results cross what a policy allows",
		Long: `Hold results against a policy, and say why they fail, one reason a line: the
true ε, a claim below it, accuracy, leakage and its bound, fairness, refuted
audits and attacks.

RESULTS are folders of "sotto train --out", records of releases
(X.privacy.json), and what "sotto attack", "sotto audit", "sotto bias", "sotto
evaluate", "sotto measure" and "sotto reproduce" print with --json. What the policy asks for and nobody
measured fails, and so do a rule that matches nothing and a training that was
interrupted.

Exit codes: 0 the gate is open; 3 it is closed; 2 wrong use or bad input.`,
		Example: `  sotto gate --policy policy.json model
  sotto gate --policy policy.json model audit.json private.npy.privacy.json --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return runGate(o, args, std, more) },
	}
	c.Flags().StringVar(&o.policy, "policy", "", "file of rules, in JSON")
	term.AddVerify(c.Flags(), &o.verify, "each of RESULTS")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runGate(o gateOptions, results []string, std term.Streams, more evidence.Kinds) error {
	if o.policy == "" {
		return errors.New("want --policy, a file of rules")
	}
	if len(results) == 0 {
		return errors.New("want the results to judge: folders or files")
	}
	policy, err := term.ReadFile(o.policy, func(r io.Reader) (gate.Policy, error) { return gate.Parse(r, more...) })
	if err != nil {
		return err
	}
	found, err := term.While(std.Err, "reading results", func() (*evidence.Evidence, error) {
		return load(append(report.Kinds(), more...), results, o.verify, false)
	})
	if err != nil {
		return err
	}
	verdict, err := policy.Judge(found)
	if err != nil {
		return err
	}
	err = term.Show(std.Out, o.json, verdict, printVerdict)
	if err == nil && !verdict.Passed {
		err = term.ErrGate
	}
	return err
}

// printVerdict prints a verdict for a person.
func printVerdict(out io.Writer, v *gate.Verdict) error {
	b := layout.NewBuffer(out)
	for _, reason := range v.Reasons {
		fmt.Fprintf(b, "%s %s\n", layout.Bad(b, "FAIL"), reason)
	}
	if v.Passed {
		fmt.Fprintf(b, layout.Good(b, "gate passed")+": %d checks on %d pieces of evidence\n", len(v.Checks), v.Judged)
	}
	return b.Flush()
}
