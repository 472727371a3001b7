package xer

import (
	"fmt"
	"io"

	"sotto/internal/layout"
)

// Print prints all tables, for a person.
func (r Result) Print(out io.Writer) error {
	if err := r.printSynthetic(out); err != nil {
		return err
	}
	for _, g := range r.Real {
		if err := g.print(out); err != nil {
			return err
		}
	}
	if r.Absent != "" {
		if _, err := fmt.Fprintf(out, "\nNot all real graphs are here: %s.\n", r.Absent); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(out, "\nTable 8, term by term: node 25 with 7, 12 and 20 is -.076 - .156 - .253 = -.485, so it\nis kept out; the paper prints -3.0.\n")
	return err
}

func (r Result) printSynthetic(out io.Writer) error {
	if _, err := fmt.Fprint(out, `Tables 6 and 7: graphs drawn as the paper describes those of ECB+, means over seeds.
In brackets what it prints. M = 3 parts suffice for a clique where all seeds say so.

`); err != nil {
		return err
	}
	t := layout.NewTable(out, "nodes", "T", "edges", "clustering", "cliques", "maximal", "F1", "lowest to highest", "F1, weights ±1", "proved best", "largest gap", "M suffices", "phase 1, s", "phase 2, s", "published, s", "times faster")
	for _, s := range r.Synthetic {
		p := s.Published
		cliques := fmt.Sprintf("%.0f", s.Cliques)
		if s.Cliques == 0 {
			cliques = fmt.Sprintf("above %d", mostCliques)
		}
		seconds, faster := "-", "-"
		if p.Seconds > 0 {
			seconds, faster = fmt.Sprintf("%.3f", p.Seconds), fmt.Sprintf("%.0f", p.Seconds/(s.First+s.Second))
		}
		t.Row(s.Nodes, fmt.Sprintf("%.1f", s.Threshold), fmt.Sprintf("%.0f (%d)", s.Edges, p.Edges), beside(s.Coefficient, p.Coefficient),
			whole(cliques, p.Cliques), whole(fmt.Sprintf("%.0f", s.Maximal), p.Maximal), fmt.Sprintf("%.4f (%.4f)", s.F1, p.F1),
			fmt.Sprintf("%.4f to %.4f", s.F1Low, s.F1High), fmt.Sprintf("%.4f", s.F1True), fmt.Sprintf("%d of %d", s.Proved, s.Seeds),
			fmt.Sprintf("%.2f %%", 100*s.Gap), fmt.Sprintf("%d of %d", s.Fits, s.Seeds), fmt.Sprintf("%.4f", s.First), fmt.Sprintf("%.4f", s.Second), seconds, faster)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "\nJoined and not the same, of 49 nodes at -0.3 (the paper names four of its own, .046 to .316): %d pairs\n", len(r.Misled)); err != nil {
		return err
	}
	t = layout.NewTable(out, "pair", "score")
	for _, m := range r.Misled {
		t.Row(fmt.Sprintf("%d and %d", m.I, m.J), fmt.Sprintf("%.3f", m.Weight))
	}
	return t.Flush()
}

func (g Real) print(out io.Writer) error {
	if _, err := fmt.Fprintf(out, "\nTables 4 and 5: %s, %d nodes, %d scored pairs, %d records\n\n", g.Name, g.Nodes, g.Edges, g.Records); err != nil {
		return err
	}
	t := layout.NewTable(out, "method", "F1 (published)", "precision", "recall", "F1 of nodes", "homogeneity", "completeness", "V", "ARI", "Fowlkes-Mallows", "objective", "unknown pairs joined", "proved", "seconds")
	for _, m := range g.Methods {
		s, five := m.Score, Scores{}
		if m.Table5 != nil {
			five = *m.Table5
		}
		proved := "nothing"
		switch {
		case m.Optimal:
			proved = "best"
		case m.Gap != nil:
			proved = fmt.Sprintf("gap %.3f %%", 100**m.Gap)
		}
		t.Row(m.Name, beside(s.F1, m.Published), fmt.Sprintf("%.3f", s.Precision), fmt.Sprintf("%.3f", s.Recall), fmt.Sprintf("%.3f", m.NodeF1),
			beside(s.Homogeneity, five.Homogeneity), beside(s.Completeness, five.Completeness), beside(s.V, five.V),
			beside(s.Adjusted, five.Adjusted), beside(s.FowlkesMallows, five.FowlkesMallows),
			fmt.Sprintf("%.4f", m.Objective), m.Unknown, proved, fmt.Sprintf("%.2f", m.Seconds))
	}
	return t.Flush()
}

// beside puts a published figure beside ours, if there is one.
func beside(v, published float64) string {
	if published == 0 {
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.3f (%.3f)", v, published)
}

func whole(v string, published int) string {
	if published == 0 {
		return v
	}
	return fmt.Sprintf("%s (%d)", v, published)
}
