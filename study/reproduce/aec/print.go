package aec

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"sotto/internal/layout"
	"sotto/study/errors"
	"sotto/study/errors/feature"
)

// notes say what differs from the paper.
func notes() []string {
	return []string{
		"The paper does not say which 11,664 of the 14,640 tweets it took. No filter of the file gives its numbers, and so many at random of those that stand there once do within two standard deviations: as many of each class are drawn from these.",
		"Of sentences with the same letters and digits one is kept, which leaves 8,533; the paper's near duplicates leave 8,531.",
		"Features come from our own parser and entities in place of spaCy, and emotions from lexicons made from XED and from Hu and Liu in place of NRC's, which may not be redistributed. Relations are those of Universal Dependencies: neg is that of not, n't and never.",
		"Vectors are GloVe of 100 dimensions; the paper does not name its own.",
		"Published numbers are of one split. At K = 10 one text is a tenth, and splits differ by as much as the deviations say.",
	}
}

// handle matches the name of a user.
var handle = regexp.MustCompile(`@\w+`)

// masked replaces the names of users, as the paper does, also where a mark divides
// them.
func masked(segments []feature.Segment) []feature.Segment {
	var whole strings.Builder
	for _, s := range segments {
		whole.WriteString(s.Text)
	}
	names := handle.FindAllStringIndex(whole.String(), -1)
	at := 0
	for i, s := range segments {
		end, from := at+len(s.Text), at
		var b strings.Builder
		for _, n := range names {
			if n[1] <= from || n[0] >= end {
				continue
			}
			if n[0] >= from { // else it began in a segment before
				b.WriteString(s.Text[from-at:n[0]-at] + "@username")
			}
			from = min(n[1], end)
		}
		b.WriteString(s.Text[from-at:])
		segments[i].Text, at = b.String(), end
	}
	return slices.DeleteFunc(segments, func(s feature.Segment) bool { return s.Text == "" })
}

// Print prints the tables, for a person.
func (r *Result) Print(to io.Writer) error {
	w := layout.NewBuffer(to)
	fmt.Fprintf(w, "%s\n\nTables 1 and 2: sentences about films %s, tweets %s\n", r.Paper, r.Films, r.Tweets)
	for i := range r.Cases {
		r.Cases[i].write(w, r.Splits)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "\nnote: %s\n", n)
	}
	return w.Flush()
}

// String renders sizes with those that were published.
func (s Sizes) String() string {
	sum := func(n [3]int) int { return n[0] + n[1] + n[2] }
	return fmt.Sprintf("%d (negative %d, neutral %d, positive %d; published %d: %d, %d, %d)", sum(s.Ours), s.Ours[0], s.Ours[1], s.Ours[2], sum(s.Published), s.Published[0], s.Published[1], s.Published[2])
}

func spread(s errors.Spread) string { return s.Mean.Text("%.3f") + " ± " + s.SD.Text("%.3f") }

func (c *Case) write(w *layout.Buffer, splits int) {
	said := ""
	if !math.IsNaN(float64(c.Published)) {
		said = ", published " + (100 * c.Published).Text("%.2f") + " %"
	}
	for i, t := range c.Tried {
		if len(c.Tried) > 1 {
			said += []string{"; trainings ", ", "}[min(i, 1)] + (100 * t.Accuracy).Text("%.1f")
		}
	}
	fmt.Fprintf(w, "\nBase %s: right on %s %% of the tweets%s; balanced %s %%, on films %s %%; %d errors; learnt from %d rows and tested on %d\n\n",
		c.Name, (100 * c.Accuracy).Text("%.2f"), said, (100 * c.Balanced).Text("%.1f"), (100 * c.Films).Text("%.1f"), c.Errors, c.Rankings.Train, c.Rankings.Test)
	fmt.Fprintf(w, "Table 4: share of errors among the first K, mean and deviation over %d splits\n\n", splits)
	t := layout.NewTable(w, "K", "forest", "published", "least confidence", "published", "combined").Headed()
	for _, p := range c.Table {
		t.Row(p.K, spread(p.Forest), p.PublishedForest.Text("%.2f"), spread(p.Doubt), p.PublishedDoubt.Text("%.2f"), spread(p.Combined))
	}
	for _, k := range c.Rankings.Rankers {
		if k.Name == errors.Forest {
			t.Row("AUC", k.AUC.Text("%.3f")+" ± "+k.AUCSD.Text("%.3f"), "", c.auc(errors.LeastConfidence), "", c.auc(errors.Combined))
		}
	}
	t.Flush() //nolint:errcheck // it goes to memory
	for _, x := range c.Rankings.Tests {
		if x.A == errors.Forest && x.B == errors.LeastConfidence {
			fmt.Fprintf(w, "%s, forest less least confidence: %s (95 %% from %s to %s, p = %s)\n", x.Measure, x.Difference.Text("%.3f"), x.Low.Text("%.3f"), x.High.Text("%.3f"), x.P.Text("%.2g"))
		}
	}
	c.printKinds(w)
	c.printFeatures(w)
	c.printExamples(w)
}

// auc renders the area of a ranker.
func (c *Case) auc(name string) string {
	for _, k := range c.Rankings.Rankers {
		if k.Name == name {
			return k.AUC.Text("%.3f") + " ± " + k.AUCSD.Text("%.3f")
		}
	}
	return "–"
}

func (c *Case) printKinds(w *layout.Buffer) {
	if len(c.Ablation) > 0 {
		fmt.Fprintf(w, "\nWithout a kind of features, and with it alone; mean and deviation over splits\n\n")
		t := layout.NewTable(w, "features", "number", "AUC", "P@50").Headed()
		for _, a := range c.Ablation {
			name := "all"
			if a.Group != "" && a.Alone {
				name = a.Group + " alone"
			} else if a.Group != "" {
				name = "without " + a.Group
			}
			t.Row(name, a.Features, a.AUC.Text("%.3f")+" ± "+a.AUCSD.Text("%.3f"), spread(a.P50))
		}
		t.Flush() //nolint:errcheck // it goes to memory
	}
	fmt.Fprintf(w, "\nWhat kinds of features are worth\n\n")
	t := layout.NewTable(w, "kind", "features", "among the first 100", "mean decrease %", "AUC lost when permuted, sum").Headed()
	for _, g := range c.Groups {
		t.Row(g.Name, g.Features, g.Among, (100 * g.Decrease).Text("%.1f"), g.Importance.Text("%.4f"))
	}
	t.Flush() //nolint:errcheck // it goes to memory
}

func (c *Case) printFeatures(w *layout.Buffer) {
	fmt.Fprintf(w, "\nTable 6: published top features, and where ours stand\n\n")
	t := layout.NewTable(w, "kind", "published", "ours", "rank", "among 100", "rank permuted", "AUC lost").Headed()
	for _, p := range c.Tops {
		rank, permuted, yes := "too rare", "too rare", "no"
		if p.Rank > 0 {
			rank, permuted = fmt.Sprint(p.Rank), fmt.Sprint(p.Permuted)
		}
		if p.Among {
			yes = "yes"
		}
		t.Row(p.Kind, p.Published, p.Ours, rank, yes, permuted, p.Value.Text("%.4f"))
	}
	t.Flush() //nolint:errcheck // it goes to memory
	fmt.Fprintf(w, "\nOur most important\n\n")
	t = layout.NewTable(w, "feature", "kind", "AUC lost", "tweets", "wrong with it %", "and without %").Headed()
	for _, f := range c.Features[:min(15, len(c.Features))] {
		t.Row(f.Name, f.Group, f.Importance.Text("%.4f"), f.Rows, (100 * f.With).Text("%.1f"), (100 * f.Without).Text("%.1f"))
	}
	t.Flush() //nolint:errcheck // it goes to memory
}

func (c *Case) printExamples(w *layout.Buffer) {
	fmt.Fprintf(w, "\nTable 5: errors that the forest, which has not seen them, holds for likely; what speaks for it in [brackets]\n")
	for i, e := range c.Examples {
		fmt.Fprintf(w, "\n%d  %s\n   answered %s, true label %s, chance of an error %s: %s\n", i+1, feature.Line(e.Segments, func(text string, _ float64) string { return "[" + text + "]" }), e.Answer, e.Label, e.Chance.Text("%.2f"), names(e.Reasons))
	}
}

func names(reasons []errors.Reason) string {
	var all []string
	for _, r := range reasons {
		all = append(all, r.Feature)
	}
	return strings.Join(all, ", ")
}
