package link

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/link"
	linkrecords "sotto/study/link/records"
)

// graphOptions are the flags of "sotto link graph".
type graphOptions struct {
	graphFlags
	truth, form, out string
	parts            int
	json             bool
}

// The forms in which a graph is divided.
const (
	direct   = "direct"
	twoPhase = "two-phase"
)

func newGraph(std term.Streams) *cobra.Command {
	var o graphOptions
	c := &cobra.Command{
		Use:   "graph",
		Short: "Divide a graph of scored pairs into clusters, with a proof that none is better",
		Long: `Divide the nodes of a graph so that the weights inside of clusters have the least
sum. A weight below zero attracts, as 1 - 2p does for a pair that is the same with
probability p above one half. The result is the best division found, a bound that no
division passes below, and the gap between the two: 0 if it is proved the best.

A pair that has no score is forbidden to share a cluster, or costs nothing, or has a
penalty (--unknown). That choice changes the answer: make it for your data.

With --truth, a file with the columns node, record and entity, the division is
measured: over all records, of which those with node -1 are alone, and over nodes.
Each other column of that file is another division, which is measured beside ours.

The form two-phase is the published one: all maximal cliques first, then at most
--parts clusters in each. It finds the same unless --parts is too small.`,
		Example: `  sotto link graph --edges settlements_edges.tsv --truth settlements_truth.tsv
  sotto link graph --edges pairs.tsv.gz --unknown neutral --limit 10m --out clusters.tsv --json`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.form != twoPhase {
				if err := term.RefuseFlags(c.Flags(), "without --form two-phase", "parts"); err != nil {
					return err
				}
			}
			return runGraph(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	o.add(fs)
	fs.StringVar(&o.truth, "truth", "", "file that says whose every record is, with the columns node, record and entity")
	fs.StringVar(&o.form, "form", direct, "form of the problem: direct or two-phase")
	fs.IntVar(&o.parts, "parts", 10, "most clusters inside a maximal clique, with --form two-phase")
	fs.StringVar(&o.out, "out", "", "file to write, with a node and its cluster a line, - for standard output in place of the summary")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runGraph(ctx context.Context, o graphOptions, std term.Streams) error {
	if o.form != direct && o.form != twoPhase {
		return fmt.Errorf("--form is %q, must be one of %s, %s", o.form, direct, twoPhase)
	}
	if o.form == twoPhase && o.parts < 1 {
		return fmt.Errorf("--parts is %d, must be at least 1", o.parts)
	}
	if o.form == twoPhase && o.unknown != string(link.Forbidden) {
		return fmt.Errorf("--unknown is %q, must be %s with --form two-phase", o.unknown, link.Forbidden)
	}
	files := []term.NamedPath{term.Named("--edges", o.edges), term.Named("--truth", o.truth), term.Named("--must", o.must), term.Named("--cannot", o.cannot), term.Named("--decisions", o.decisions)}
	if o.out != "" && o.out != "-" {
		files = append(files, term.Named("--out", o.out))
		if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
			return err
		}
	}
	if err := term.RefuseSame(files...); err != nil {
		return err
	}
	f, g, truth, err := o.read(o.truth)
	if err != nil {
		return err
	}
	r := linkrecords.GraphOutcome{Format: linkrecords.GraphFormat, Data: filepath.Base(o.edges), Nodes: g.Nodes, Edges: len(g.Edges), Unknown: g.Unknown, Form: o.form}
	var s link.Solution
	r.Seconds, err = o.solve(ctx, std.Err, func(ctx context.Context, p link.Options) (failed error) {
		if o.form == direct {
			s, failed = link.Solve(ctx, g, p)
			return failed
		}
		two, failed := link.TwoPhase(ctx, g, link.TwoPhaseOptions{Options: p, Parts: o.parts})
		s, r.Cliques, r.Fits = two.Solution, len(two.Cliques), &two.Fits
		return failed
	})
	if err != nil {
		return err
	}
	r.Objective, r.Bound, r.Optimal, r.Gap = s.Objective, s.Bound, s.Optimal, s.Gap
	r.Components, r.Largest, r.Work = s.Parts, s.Largest, s.Work
	r.Clusters = len(link.Clusters(s.Labels))
	if truth != nil {
		judge(&r, g, truth, s.Labels)
	}
	if o.out != "" {
		if err := term.WriteWhole(o.out, std.Out, func(w io.Writer) error { return writeClusters(w, f.Names, s.Labels) }); err != nil || o.out == "-" {
			return err
		}
	}
	return term.Show(std.Out, o.json, r, printGraph)
}

// judge enters how well the division, and others, agree with the truth.
func judge(r *linkrecords.GraphOutcome, g link.Graph, truth *link.Truth, labels []int) {
	entities := truth.Entities()
	ofNodes := truth.OfNodes(entities)
	found := truth.Records(labels)
	records, nodes := link.Compare(entities, found), link.Compare(ofNodes, truth.OfNodes(found))
	r.Records, r.OfNodes = &records, &nodes
	r.Precision, r.Recall, r.F1, r.NodeF1 = &records.Precision, &records.Recall, &records.F1, &nodes.F1
	g.Unknown, g.Penalty = link.Neutral, 0 // what another division joins need not be allowed
	for _, name := range truth.Names {
		theirs := truth.Other(name)
		byNode := make([]int, g.Nodes)
		for k, i := range truth.Node {
			if i >= 0 {
				byNode[i] = theirs[k]
			}
		}
		r.Others = append(r.Others, linkrecords.OtherOutcome{
			Name: name, Objective: g.Cost(byNode), Records: link.Compare(entities, theirs), NodeF1: link.Compare(ofNodes, truth.OfNodes(theirs)).F1,
		})
	}
}

// writeClusters writes a node and its cluster a line.
func writeClusters(w io.Writer, names []string, labels []int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "node\tcluster")
	for i, name := range names {
		fmt.Fprintf(b, "%s\t%d\n", name, labels[i])
	}
	return b.Flush()
}

// printGraph prints a result for a person.
func printGraph(out io.Writer, r linkrecords.GraphOutcome) error {
	t := term.NewTable(out)
	t.Fact("graph", "%d nodes, %d scored pairs, %d components, the largest of %d nodes", r.Nodes, r.Edges, r.Components, r.Largest)
	t.Fact("unknown pairs", "%s", r.Unknown)
	if r.Fits != nil {
		room := "as many clusters as the best division needs"
		if !*r.Fits {
			room = "fewer clusters than the best division needs"
		}
		t.Fact("maximal cliques", "%d, with room for %s", r.Cliques, room)
	}
	t.Fact("clusters", "%d", r.Clusters)
	t.Fact("objective", "%.10g", r.Objective)
	if r.Optimal {
		t.Fact("proved", "no division costs less")
	} else {
		t.Fact("proved", "no division costs less than %.10g, a gap of %.3g %%", r.Bound, 100*r.Gap)
	}
	t.Fact("seconds", "%.3g", r.Seconds)
	if err := t.Flush(); err != nil || r.Records == nil {
		return err
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	t = term.NewTable(out, "division", "objective", "precision", "recall", "F1", "F1 of nodes", "homogeneity", "completeness", "V", "ARI", "Fowlkes-Mallows")
	for _, d := range slices.Concat([]linkrecords.OtherOutcome{{Name: "ours", Objective: r.Objective, Records: *r.Records, NodeF1: *r.NodeF1}}, r.Others) {
		s := d.Records
		figure := func(v float64) string { return fmt.Sprintf("%.4f", v) }
		t.Row(term.Plain(d.Name), fmt.Sprintf("%.4f", d.Objective), figure(s.Precision), figure(s.Recall), figure(s.F1), figure(d.NodeF1),
			figure(s.Homogeneity), figure(s.Completeness), figure(s.V), figure(s.Adjusted), figure(s.FowlkesMallows))
	}
	return t.Flush()
}
