package claims

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/evidence"
	"sotto/internal/layout"
	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// auditOptions are the flags of "sotto audit".
type auditOptions struct {
	term.MechanismFlags
	config                  audit.Config
	claim                   float64
	exec                    string
	url                     string
	gateway, keyFile, texts string
	trials                  int
	bounds                  string
	json                    bool
}

func newAudit(std term.Streams) *cobra.Command {
	var o auditOptions
	c := &cobra.Command{
		Use:   "audit [MECHANISM]",
		Short: "Attack a mechanism and certify how large its ε is at least",
		Long: `Attack a mechanism and certify, with confidence, how large its ε is at least.
Exit 1 if that is more than is claimed.

A built-in mechanism is audited at the ε that it claims. A foreign one is a
command (--exec) that reads lines {"x":[…]} and writes a line {"y":[…]}, or
{"error":"…"} for a refusal, for each, or an address (--url) to which {"x":[…]}
is posted; --claim is its ε, and --dim and --range describe its inputs.

A whole gateway (--gateway) is audited as two adversaries. The observer sees
releases, and must not learn more than ε allows. The querier may ask as the same
user, and learns which texts were asked for where repeats are free: ε does not
speak of that, and the answer says so. The audit makes up users of its own, and
spends their budgets.

` + term.MechanismList(),
		Example: `  sotto audit laplace-l1 --dim 300 --epsilon 8
  sotto audit ome --dim 768 --bits 10 --lambda 100 --epsilon 1 --draws 100000
  sotto audit --exec 'python3 theirs.py' --claim 1 --dim 50 --range -1,1
  sotto audit --gateway http://127.0.0.1:8787 --draws 20000`,
		ValidArgsFunction: term.CompleteMechanism,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.refuse(c.Flags()); err != nil {
				return err
			}
			o.config.Claim = o.claim
			if !c.Flags().Changed("claim") {
				o.config.Claim = math.NaN()
			}
			if o.gateway != "" {
				return runGatewayAudit(c.Context(), o, args, std)
			}
			return runAudit(c.Context(), o, args, std)
		},
	}
	c.AddCommand(newFiles(std))
	o.AddFlags(c.Flags())
	term.AssumeNote(c.Flags())
	c.Flags().IntVar(&o.config.Draws, "draws", 100_000, "number of releases of each input that are counted")
	c.Flags().Float64Var(&o.config.Confidence, "confidence", 0.99, "probability with which the bound holds")
	c.Flags().IntVar(&o.config.Workers, "workers", 0, "number of samplers side by side (default: one for each core)")
	c.Flags().BoolVar(&o.config.Independent, "independent", false, "take a foreign mechanism's coordinates for independent given the input, and add their bounds")
	c.Flags().StringVar(&o.gateway, "gateway", "", "audit the whole gateway at this address")
	c.Flags().StringVar(&o.keyFile, "key-file", "", "file that holds the gateway's key; it must let the auditor name users")
	c.Flags().StringVar(&o.texts, "texts", "", "file of texts to tell apart through a gateway, two lines a pair (default: texts with little in common)")
	c.Flags().IntVar(&o.trials, "trials", 100, "times that asking as the same user is tried on a gateway")
	c.Flags().Float64Var(&o.claim, "claim", 0, "ε to refute (default for a built-in mechanism: what it claims)")
	c.Flags().StringVar(&o.exec, "exec", "", "shell command of a foreign mechanism to audit")
	c.Flags().StringVar(&o.url, "url", "", "address of a foreign mechanism to audit")
	c.Flags().StringVar(&o.bounds, "range", "-1,1", "least and largest coordinate of a foreign mechanism's inputs")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// refuse refuses flags that the chosen kind of mechanism does not have.
func (o *auditOptions) refuse(fs *pflag.FlagSet) error {
	if o.gateway != "" {
		return term.RefuseFlags(fs, "for a gateway", append(o.Names(), "exec", "url", "range", "independent")...)
	}
	if o.exec == "" && o.url == "" {
		return term.RefuseFlags(fs, "for a built-in mechanism", "range", "independent", "key-file", "texts", "trials")
	}
	var own []string
	for _, n := range o.Names() {
		if n != "dim" && n != "delta" {
			own = append(own, n)
		}
	}
	return term.RefuseFlags(fs, "for a foreign mechanism", own...)
}

func runAudit(ctx context.Context, o auditOptions, args []string, std term.Streams) error {
	target, report, err := o.target(args)
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "auditing")
	o.config.Progress = bar.Set
	result, err := audit.Run(ctx, target, o.config)
	bar.Finish()
	if err != nil {
		return err
	}
	report.Result = result
	return term.Verdict(term.Show(std.Out, o.json, report, printAudit), result.Refuted)
}

// target returns what is to be audited, and what is known of it beforehand. It
// sets what is claimed.
func (o *auditOptions) target(args []string) (audit.Target, evidence.Audit, error) {
	if o.exec == "" && o.url == "" {
		if err := term.OneMechanism(args); err != nil {
			return audit.Target{}, evidence.Audit{}, fmt.Errorf("%w; for a foreign one use --exec or --url", err)
		}
		return o.builtin(args[0])
	}
	if len(args) > 0 || o.exec != "" && o.url != "" {
		return audit.Target{}, evidence.Audit{}, errors.New("want one of a mechanism, --exec and --url")
	}
	if math.IsNaN(o.config.Claim) {
		return audit.Target{}, evidence.Audit{}, errors.New("want --claim, the ε that the foreign mechanism claims")
	}
	o.config.Delta = o.Delta
	domain, err := o.domain()
	if err != nil {
		return audit.Target{}, evidence.Audit{}, err
	}
	open, name := audit.Command(o.exec), "foreign command"
	if o.url != "" {
		name = "foreign endpoint"
		if open, err = audit.Endpoint(o.url); err != nil {
			return audit.Target{}, evidence.Audit{}, err
		}
	}
	target, err := audit.Foreign(domain, open)
	return target, evidence.Audit{Format: evidence.AuditFormat, Mechanism: name, Dim: o.Dim, Unit: dp.Text}, err
}

func (o *auditOptions) builtin(name string) (audit.Target, evidence.Audit, error) {
	if o.File("cells") == "" {
		o.Encoder = "default" // whose cells are taken where none are given
	}
	p, err := o.Resolve(name)
	if err != nil {
		return audit.Target{}, evidence.Audit{}, err
	}
	if p.Epsilon == 0 {
		return audit.Target{}, evidence.Audit{}, errors.New("want --epsilon, the ε that is claimed")
	}
	m, err := mech.New(term.Assume(p))
	if err != nil {
		return audit.Target{}, evidence.Audit{}, err
	}
	a, g := m.Profile(), m.Guarantee()
	if math.IsNaN(o.config.Claim) {
		o.config.Claim = float64(a.Claimed)
	}
	if o.config.Delta = g.Delta; o.Delta > 0 {
		o.config.Delta = o.Delta
	}
	return audit.Builtin(m), evidence.Audit{
		Format: evidence.AuditFormat, Mechanism: a.Mechanism, Variant: a.Variant, Dim: p.Dim, Unit: g.Unit, True: &g.Epsilon,
	}, nil
}

// domain reads --dim and --range.
func (o *auditOptions) domain() (audit.Domain, error) {
	low, high, ok := strings.Cut(o.bounds, ",")
	a, errA := strconv.ParseFloat(strings.TrimSpace(low), 64)
	b, errB := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !ok || errA != nil || errB != nil {
		return audit.Domain{}, fmt.Errorf("--range is %q, must be two numbers like -1,1", o.bounds)
	}
	d := audit.Domain{Dim: o.Dim, Low: a, High: b}
	if o.Dim == 0 {
		return d, errors.New("want --dim, the number of coordinates of the foreign mechanism's inputs")
	}
	return d, d.Validate()
}

func printAudit(out io.Writer, r evidence.Audit) error {
	t := term.NewTable(out)
	name := r.Mechanism
	if r.Variant != "" {
		name += ", variant " + r.Variant
	}
	t.Fact("mechanism", "%s", name)
	t.Fact("claimed", "%s", dp.Guarantee{Unit: r.Unit, Epsilon: r.Claimed, Delta: r.Delta})
	if r.True != nil {
		t.Fact("proved", "%s", dp.Guarantee{Unit: r.Unit, Epsilon: *r.True, Delta: r.Delta})
	}
	t.Fact("attacked", "ε ≥ %s with confidence %v", dp.Below(r.LowerBound, 6), r.Confidence)
	if r.LowerBound > 0 {
		t.Fact("by", "%s: %s", r.Method, r.Event)
	} else {
		t.Fact("by", "no attack: none certified anything")
	}
	if r.Recovery != nil && r.Draws == r.Recovery.Trials {
		t.Fact("on", "%d %s", r.Draws, r.Pair)
	} else {
		t.Fact("on", "%s, %d releases of each input", r.Pair, r.Draws)
	}
	if r.Recovery != nil && r.Recovery.Hits > 0 {
		t.Fact("recovered", "%d of %d inputs, to within %.2g (%s)", r.Recovery.Hits, r.Recovery.Trials, r.Recovery.WorstError, r.Recovery.Attack)
	}
	for _, a := range r.Assumptions {
		t.Fact("assuming", "%s", a)
	}
	if q := r.Querier; q != nil {
		t.Fact("asking as the user", "%d of %d guesses of what was asked for are right, at least %s of all with confidence %v", q.Right, q.Trials, dp.Below(q.LowerBound, 4), q.Confidence)
		t.Fact("", "%s", q.Means)
	}
	if r.Refuted {
		t.Fact("verdict", "%s: the claim is too small", layout.Bad(out, "REFUTED"))
	} else {
		t.Fact("verdict", "not refuted: no attack found more than is claimed")
	}
	return t.Flush()
}
