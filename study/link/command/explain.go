package link

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/link"
)

// explainOptions are the flags of "sotto link explain".
type explainOptions struct {
	graphFlags
	clusters, truth string
	node, with      string
	near            int
	json            bool
}

func newExplain(std term.Streams) *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use:   "explain",
		Short: "Say what holds clusters together, and what kept others out, term by term",
		Long: `Divide a graph as "sotto link graph" does, or read a division from --clusters, and
explain it by its own terms: for each cluster its weakest pair and the node that is
held the least; for each near miss, a node that could have joined another cluster,
what that would have added to the objective, pair by pair. A change above zero makes
the objective worse. In a division that is proved best no allowed change is below it.

With --node, one node is explained: why it is where it is. With --with too, what it
would cost to put the node into the cluster of another.

With --truth, the pairs that were joined and are not the same are listed with their
weights: these are the scores that misled.`,
		Example: `  sotto link explain --edges pairs.tsv
  sotto link explain --edges pairs.tsv --clusters clusters.tsv --node 25 --with 7 --json`,
		Args:    term.None,
		PreRunE: term.NoZeros("near", "node", "with"),
		RunE:    func(c *cobra.Command, _ []string) error { return runExplain(c.Context(), o, std) },
	}
	fs := c.Flags()
	o.add(fs)
	fs.StringVar(&o.clusters, "clusters", "", "file of a division, with the columns node and cluster (default: the best that is found)")
	fs.StringVar(&o.truth, "truth", "", "file that says whose every record is, with the columns node, record and entity")
	fs.StringVar(&o.node, "node", "", "node to explain (default: all)")
	fs.StringVar(&o.with, "with", "", "node whose cluster the other might have joined (default: every cluster that is near)")
	fs.IntVar(&o.near, "near", 10, "number of clusters, of near misses and of wrong pairs to list")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// explainResult is what "sotto link explain" prints, with the names of nodes.
type explainResult struct {
	Objective float64      `json:"objective"`
	Clusters  int          `json:"clusters"`
	Held      []heldResult `json:"weakest"`
	Near      []changed    `json:"near_misses"`
	Wrong     []termResult `json:"wrong_pairs,omitempty"`
	Wrongs    *int         `json:"wrong_pairs_in_all,omitempty"`
}

type termResult struct {
	I         string  `json:"i"`
	J         string  `json:"j"`
	Weight    float64 `json:"weight"`
	Known     bool    `json:"known"`
	Forbidden bool    `json:"forbidden,omitempty"`
}

type heldResult struct {
	Nodes   []string   `json:"nodes"`
	Cost    float64    `json:"cost"`
	Weakest termResult `json:"weakest_pair"`
	Member  string     `json:"least_held"`
	Pull    float64    `json:"pull"`
}

type changed struct {
	Node     string       `json:"node"`
	Nodes    []string     `json:"cluster"`
	Terms    []termResult `json:"terms"`
	Joining  float64      `json:"joining"`
	Leaving  float64      `json:"leaving"`
	Change   float64      `json:"change"`
	Refusals int          `json:"refusals"`
}

// namer gives nodes their names.
type namer []string

func (n namer) all(nodes []int) []string {
	out := make([]string, len(nodes))
	for k, i := range nodes {
		out[k] = n[i]
	}
	return out
}

func (n namer) term(t link.Term) termResult {
	return termResult{I: n[t.I], J: n[t.J], Weight: t.Weight, Known: t.Known, Forbidden: t.Forbidden}
}

func (n namer) held(h link.Held) heldResult {
	return heldResult{Nodes: n.all(h.Nodes), Cost: tidy(h.Cost), Weakest: n.term(h.Weakest), Member: n[h.Member], Pull: tidy(h.Pull)}
}

func (n namer) change(c link.Change) changed {
	out := changed{Node: n[c.Node], Nodes: n.all(c.Nodes), Joining: tidy(c.Joining), Leaving: tidy(c.Leaving), Change: tidy(c.Total), Refusals: c.Refusals, Terms: []termResult{}}
	for _, t := range c.Terms {
		out.Terms = append(out.Terms, n.term(t))
	}
	return out
}

// tidy takes away what rounding left behind the twelfth place.
func tidy(v float64) float64 { return math.Round(v*1e12) / 1e12 }

func runExplain(ctx context.Context, o explainOptions, std term.Streams) error {
	if o.near < 0 {
		return fmt.Errorf("--near is %d, must not be below 0", o.near)
	}
	if o.with != "" && o.node == "" {
		return fmt.Errorf("--with is %q and --node is empty, must both be given", o.with)
	}
	f, g, truth, err := o.read(o.truth)
	if err != nil {
		return err
	}
	labels, err := o.division(ctx, f, g, std)
	if err != nil {
		return err
	}
	d := link.NewDivision(g, labels)
	names := namer(f.Names)
	r := explainResult{Objective: tidy(g.Cost(labels)), Clusters: len(link.Clusters(labels)), Held: []heldResult{}, Near: []changed{}}
	if o.node != "" {
		err = o.one(&r, d, f, names)
	} else {
		held := d.Clusters()
		for _, h := range held[:min(o.near, len(held))] {
			r.Held = append(r.Held, names.held(h))
		}
		for _, c := range d.NearMisses(o.near) {
			r.Near = append(r.Near, names.change(c))
		}
	}
	if err != nil {
		return err
	}
	if truth != nil {
		entity := make([]int, g.Nodes)
		for k, e := range truth.Entities() {
			if i := truth.Node[k]; i >= 0 {
				entity[i] = e
			}
		}
		wrong := d.Wrong(entity)
		n := len(wrong)
		r.Wrongs = &n
		for _, t := range wrong[:min(o.near, n)] {
			r.Wrong = append(r.Wrong, names.term(t))
		}
	}
	return term.Show(std.Out, o.json, r, printExplain)
}

// division reads or finds what is to be explained.
func (o *explainOptions) division(ctx context.Context, f *link.GraphFile, g link.Graph, std term.Streams) ([]int, error) {
	if o.clusters != "" {
		return f.Division(o.clusters)
	}
	var s link.Solution
	_, err := o.solve(ctx, std.Err, func(ctx context.Context, p link.Options) (err error) {
		s, err = link.Solve(ctx, g, p)
		return err
	})
	return s.Labels, err
}

// one explains one node.
func (o *explainOptions) one(r *explainResult, d *link.Division, f *link.GraphFile, names namer) error {
	node, err := f.Node(o.node)
	if err != nil {
		return fmt.Errorf("--node: %w", err)
	}
	if h := d.Cluster(node); len(h.Nodes) > 1 {
		r.Held = append(r.Held, names.held(h))
	}
	if o.with != "" {
		with, err := f.Node(o.with)
		if err != nil {
			return fmt.Errorf("--with: %w", err)
		}
		r.Near = append(r.Near, names.change(d.Move(node, with)))
		return nil
	}
	for _, c := range d.NearMisses(math.MaxInt) {
		if c.Node == node && len(r.Near) < o.near {
			r.Near = append(r.Near, names.change(c))
		}
	}
	return nil
}

// printExplain prints an explanation for a person.
func printExplain(out io.Writer, r explainResult) error {
	if _, err := fmt.Fprintf(out, "objective %.10g, %d clusters\n", r.Objective, r.Clusters); err != nil {
		return err
	}
	if len(r.Held) > 0 {
		t, err := titled(out, "What holds clusters together, the weakest first", "cluster", "cost", "weakest pair", "its weight", "least held", "its pull")
		if err != nil {
			return err
		}
		for _, h := range r.Held {
			t.Row(listed(h.Nodes), number(h.Cost), h.Weakest.I+" and "+h.Weakest.J, number(h.Weakest.Weight), h.Member, number(h.Pull))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if len(r.Near) > 0 {
		t, err := titled(out, "What kept others out: the change of the objective", "node", "cluster", "joining, term by term", "leaving", "change", "verdict")
		if err != nil {
			return err
		}
		for _, c := range r.Near {
			t.Row(c.Node, listed(c.Nodes), terms(c), number(c.Leaving), number(c.Change), c.verdict())
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if r.Wrongs == nil {
		return nil
	}
	t, err := titled(out, fmt.Sprintf("Joined, and not the same: %d pairs", *r.Wrongs), "pair", "weight")
	if err != nil {
		return err
	}
	for _, w := range r.Wrong {
		t.Row(w.I+" and "+w.J, number(w.Weight))
	}
	return t.Flush()
}

// titled begins a table below a line of words.
func titled(out io.Writer, title string, headings ...any) (*term.Table, error) {
	_, err := fmt.Fprintf(out, "\n%s\n", title)
	return term.NewTable(out, headings...), err
}

// verdict says in words whether a change could have been made.
func (c changed) verdict() string {
	switch {
	case c.Refusals > 0:
		return fmt.Sprintf("forbidden by %d pairs", c.Refusals)
	case c.Change > 0:
		return "worse"
	case c.Change < 0:
		return "better"
	}
	return "the same"
}

func number(v float64) string { return fmt.Sprintf("%+.3f", v) }

// mostListed is how many nodes or terms of a cluster are written out.
const mostListed = 8

func listed(nodes []string) string {
	if len(nodes) == 0 {
		return "alone"
	}
	if len(nodes) > mostListed {
		return strings.Join(nodes[:mostListed], " ") + fmt.Sprintf(" and %d more", len(nodes)-mostListed)
	}
	return strings.Join(nodes, " ")
}

// terms writes a sum.
func terms(c changed) string {
	var parts []string
	for k, t := range c.Terms {
		if k == mostListed {
			parts = append(parts, "…")
			break
		}
		if t.Forbidden {
			parts = append(parts, "forbidden")
			continue
		}
		parts = append(parts, number(t.Weight))
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, " ") + " = " + number(c.Joining)
}
