package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/evidence"
	"sotto/internal/atomicfile"
	"sotto/internal/layout"
	"sotto/internal/version"
	"sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/report"
)

// demoOptions are the flags of "sotto demo".
type demoOptions struct {
	file    experiment.Spec // of one's own; without In the generated corpus is shown
	name    string          // of its rows
	out     string
	workers int
	draws   int // of an audit; 0 means demoDraws
	json    bool
}

// demoStage is one row of the demo's table: what it is called, what is trained,
// and which of its configurations is shown.
type demoStage struct {
	name   string
	spec   experiment.Spec
	coding measure.Coding // of the description length, which takes time; "" leaves it out
}

// demoEpsilons are those at which our own configuration is shown.
var demoEpsilons = []float64{1, 4, 8}

// demoRows is how many rows of a file train at most, so that a demo stays one.
const demoRows = 5000

// base is what all stages share.
func (o demoOptions) base() experiment.Spec {
	if o.file.In == "" {
		return experiment.Spec{Data: "reviews", Seeds: 2}
	}
	s := o.file
	s.Seeds, s.Limit = 2, demoRows
	return s
}

// demoStages are trained one after the other. They differ from base in what is
// shown. Ours are codes, which is what the search of the method auto chooses here.
func demoStages(base experiment.Spec) []demoStage {
	with := func(method, variant string, epsilons ...float64) experiment.Spec {
		s := base
		s.Methods, s.Variant, s.Epsilons = []string{method}, variant, epsilons
		return s.Fresh()
	}
	stages := []demoStage{
		{"no protection", with("unconstrained", ""), measure.BlockCoding},
		{"DPNR as released", with("dpnr", mech.Released, 0.05), ""},
	}
	stages[1].spec.Alone = true // the table has no honest DPNR
	// The adversary of FEDERATE needs an attribute.
	if base.In == "" || base.Attribute != "" || len(base.Attributes) > 0 {
		stages = append(stages, demoStage{"FEDERATE as released", with("federate", mech.Released, 8), ""})
	}
	for _, epsilon := range demoEpsilons {
		stages = append(stages, demoStage{fmt.Sprintf("sotto, ε = %v", epsilon), with("codes", "", epsilon), measure.BlockCoding})
	}
	return stages
}

func newDemo(std term.Streams) *cobra.Command {
	var o demoOptions
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show in a minute what published methods promise, what they keep, and what sotto gives",
		Long: `Train on a generated corpus of reviews, which is built in: without protection, DPNR
and FEDERATE as their code was released, FEDERATE as its paper says, and sotto at
ε = 1, 4 and 8. Measure accuracy, fairness and leakage, attack the releases, audit
the mechanisms, print a table, and write results.json and report.html.

Nothing is needed but this program, and nothing is sent anywhere. With --in the
same is shown on a file of your own, on at most 5,000 rows to train on; what needs
an attribute is left out where none is named.`,
		Example: `  sotto demo
  sotto demo --out demo --json
  sotto demo --in reviews.csv --text review --label rating`,
		Args:    term.None,
		PreRunE: term.NoZeros("split-seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.file.In == "" {
				if err := term.Refuse(c.Flags(), "without --in", "label", "attribute"); err != nil {
					return err
				}
			}
			if err := SettleSpec(c.Flags(), &o.file, o.name); err != nil {
				return err
			}
			return runDemo(c.Context(), o, o.base(), std)
		},
	}
	FileFlags(c.Flags(), &o.file, &o.name)
	c.Flags().StringVar(&o.out, "out", "sotto-demo", "folder for results.json and report.html")
	c.Flags().IntVar(&o.workers, "workers", 0, "cores to use (default: all); only the audits, whose noise is fresh, differ from run to run")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON: what results.json holds")
	return c
}

func runDemo(ctx context.Context, o demoOptions, base experiment.Spec, std term.Streams) error {
	if o.workers < 0 {
		return fmt.Errorf("--workers is %d, must be at least 1", o.workers)
	}
	if err := atomicfile.Probe(o.out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	models, err := os.MkdirTemp("", "sotto-demo-")
	if err != nil {
		return fmt.Errorf("no temporary folder can be made: %w", err)
	}
	defer os.RemoveAll(models) //nolint:errcheck // it is in the system's temporary folder
	d := demo{workers: o.workers, draws: cmp.Or(o.draws, demoDraws), models: models}
	if d.evidence, err = report.Kinds().New(); err != nil {
		return err
	}
	d.evidence.Tool, d.evidence.Title = "sotto "+version.Short(), "sotto demo"
	bar := term.NewProgress(std.Err, "demo")
	stages := demoStages(base)
	for i, stage := range stages {
		d.progress = func(text string, done float64) {
			bar.Describe(stage.name + ": " + text)
			bar.Set(int64(1000*(float64(i)+done)), int64(1000*(len(stages)+1)))
		}
		if !bar.Shown() {
			fmt.Fprintf(std.Err, "%d of %d: %s\n", i+1, len(stages)+1, stage.name) //nolint:errcheck // that words cannot be written harms no result
		}
		if err = d.train(ctx, i, stage); err != nil {
			bar.Finish()
			return demoError(err)
		}
	}
	if !bar.Shown() {
		fmt.Fprintf(std.Err, "%d of %d: audit\n", len(stages)+1, len(stages)+1) //nolint:errcheck // see above
	}
	err = d.audit(ctx)
	bar.Finish()
	if err != nil {
		return demoError(err)
	}
	if err := d.write(o.out); err != nil {
		return err
	}
	if o.json {
		return term.PrintJSON(std.Out, d.evidence)
	}
	return d.print(std.Out, o.out)
}

func demoError(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, experiment.ErrInterrupted) {
		return errors.New("interrupted; nothing was written")
	}
	return err
}

// demo collects what the demo finds.
type demo struct {
	evidence *evidence.Evidence
	rows     []demoRow
	workers  int
	draws    int             // of an audit
	sets     experiment.Sets // the data, which all stages share
	models   string          // folder for the models, as long as they are attacked
	progress func(text string, done float64)
}

// demoRow is a configuration that is shown, with the best attacker's success.
type demoRow struct {
	name string
	experiment.Configuration
	leakage  measure.Number
	attacker string
}

// train trains a stage and attacks what it selected.
func (d *demo) train(ctx context.Context, i int, stage demoStage) error {
	dir := filepath.Join(d.models, fmt.Sprint(i))
	r, err := experiment.Run(ctx, stage.spec, experiment.Options{
		Out: dir, Workers: d.workers, Pictures: 300, Sets: &d.sets,
		Progress: func(e experiment.Event) { d.progress(e.Job, 0.8*e.Done) },
	})
	if err != nil {
		return err
	}
	if r.Data.Attribute == "" {
		return d.take(stage, r, nil)
	}
	target := attack.Target{Source: stage.name, Released: experiment.Attackable(ctx, dir, experiment.ReleaseOptions{Workers: d.workers, Sets: &d.sets})}
	found, err := attack.Run(ctx, attack.Attribute, target, attack.Options{
		Workers: d.workers, Coding: stage.coding, Attackers: []string{"linear", "mlp-100", "mlp-100-centred"}, Coders: []string{"mlp-100"},
	})
	if err != nil {
		return err
	}
	return d.take(stage, r, found)
}

// take enters what a stage gave, and what attackers found unless that is nil.
func (d *demo) take(stage demoStage, r *experiment.Result, found *attack.Result) error {
	all := []any{r}
	if found != nil {
		all = append(all, found)
	}
	if err := d.evidence.Put(all...); err != nil {
		return err
	}
	for _, c := range selected(r.Configurations) {
		row := demoRow{name: stage.name, Configuration: c}
		if c.Companion {
			row.name = strings.Replace(stage.name, "as released", "honest", 1)
		}
		if row.leakage = measure.Undefined; found != nil {
			row.leakage, row.attacker = strongest(found.Models, c.Folder)
		}
		d.rows = append(d.rows, row)
	}
	return nil
}

// strongest returns the mean over seeds of the attacker that is right most
// often on the models of a folder.
func strongest(found []*attack.Result, folder string) (measure.Number, string) {
	sums, counts := map[string]float64{}, map[string]float64{}
	var names []string
	for _, m := range found {
		if m.Folder != folder {
			continue
		}
		for _, f := range m.Findings {
			if !slices.Contains(names, f.Attacker) {
				names = append(names, f.Attacker)
			}
			sums[f.Attacker] += float64(f.Value)
			counts[f.Attacker]++
		}
	}
	best, by := measure.Number(0), ""
	for _, n := range names {
		if v := measure.Number(sums[n] / counts[n]); v > best {
			best, by = v, n
		}
	}
	return best, by
}

// demoDraws is how many releases of each input an audit counts: enough to
// refute what is false here, in a second or two.
const demoDraws = 10_000

// audit attacks each mechanism that was used, one a core.
func (d *demo) audit(ctx context.Context) error {
	var targets []mech.Mechanism
	seen := map[string]bool{}
	for _, row := range d.rows {
		if st := row.Statement; st != nil && !seen[fmt.Sprint(st.Parameters)] {
			seen[fmt.Sprint(st.Parameters)] = true
			m, err := mech.New(st.Parameters)
			if err != nil {
				return err
			}
			targets = append(targets, m)
		}
	}
	audits, faults := make([]any, len(targets)), make([]error, len(targets))
	nn.NewPool(cmp.Or(d.workers, runtime.GOMAXPROCS(0))).Each(len(targets), func(_, i int) {
		m := targets[i]
		a, g := m.Profile(), m.Guarantee()
		r, err := audit.Run(ctx, audit.Builtin(m), audit.Config{Claim: float64(a.Claimed), Draws: d.draws, Workers: 1})
		faults[i] = err
		audits[i] = &evidence.Audit{
			Format: evidence.AuditFormat, Mechanism: a.Mechanism, Variant: a.Variant, Dim: m.Params().Dim, Unit: g.Unit, True: &g.Epsilon, Result: r,
		}
	})
	return errors.Join(append(faults, d.evidence.Put(audits...))...)
}

// write stores the results and the report, each whole or not at all.
func (d *demo) write(dir string) error {
	if err := term.WriteJSON(filepath.Join(dir, experiment.ResultsFile), d.evidence); err != nil {
		return err
	}
	return term.WriteWhole(filepath.Join(dir, demoReport), nil, func(w io.Writer) error { return report.HTML(w, d.evidence) })
}

const demoReport = "report.html"

// print prints the table, and the sentence under it.
func (d *demo) print(out io.Writer, dir string) error {
	b := layout.NewBuffer(out)
	t := term.NewTable(b, "METHOD", "CLAIMED ε", "TRUE ε", "ATTACKED ε ≥", "ACCURACY %", "LIMIT %", "TPR GAP", "LEAKAGE %", "BEST ATTACKER").Spare("BEST ATTACKER", "TPR GAP", "ATTACKED ε ≥")
	for _, r := range d.rows {
		m, dev := r.Mean, r.Deviation
		t.Row(r.name, claimed(m), proved(m), d.bound(r),
			plusMinus(m.Accuracy, dev.Accuracy), term.Limit(m.Limit), plusMinus(m.Gap, dev.Gap), term.Percent(r.leakage), r.attacker)
	}
	t.Flush() //nolint:errcheck // b is a buffer
	first := evidence.All[experiment.Result](d.evidence)[0]
	fmt.Fprintf(b, "\n%s\n\n", report.Sentence(d.evidence))
	fmt.Fprintf(b, "data: %s", first.Data.Name)
	if first.Data.File == nil {
		b.WriteString(", generated")
	} else {
		fmt.Fprintf(b, ", %d rows of your file", first.Data.File.Rows)
	}
	if first.Data.Attribute != "" {
		fmt.Fprintf(b, "; leakage: how often the best of three attackers names the %s, of whom the commoner makes up %s %%", first.Data.Attribute, term.Percent(first.Configurations[0].Mean.Majority))
	}
	b.WriteByte('\n')
	fmt.Fprintf(b, "limit: no classifier of one release is right more often at the true ε; attacked: certified by releases, with confidence 0.99\n")
	fmt.Fprintf(b, "report: %s\nresults: %s\n", filepath.Join(dir, demoReport), filepath.Join(dir, experiment.ResultsFile))
	return b.Flush()
}

// bound is what the audit certified of a row's mechanism.
func (d *demo) bound(r demoRow) string {
	if r.Statement == nil {
		return "-"
	}
	for _, a := range evidence.All[evidence.Audit](d.evidence) {
		if a.Mechanism == r.Statement.Mechanism && a.Variant == r.Statement.Variant && a.Dim == r.Statement.Parameters.Dim && a.Claimed == r.Statement.Claimed {
			return dp.Below(a.LowerBound, 4)
		}
	}
	return "-"
}
