package estimate

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/learn/estimate"
	"sotto/promise/dp"
)

// SizeFormat marks what "sotto estimate size" prints as JSON.
const SizeFormat = "sotto-estimate-size-1"

// size is how many releases are needed.
type size struct {
	Format    string       `json:"format"`
	N         int          `json:"n"`
	Mechanism string       `json:"mechanism"`
	Classes   int          `json:"classes"`
	Guarantee dp.Guarantee `json:"guarantee"`
	estimate.Precision
}

func percent[N ~float64](share N) string { return term.Percent(measure.Number(share)) }

func printSize(out io.Writer, s size) error {
	_, err := fmt.Fprintf(out, "%d releases, each one of %d answers with %v, give a share of %s %% an interval of ±%s points with confidence %v %%\n",
		s.N, s.Classes, s.Guarantee, percent(s.Share), percent(s.Half), 100*s.Confidence)
	return err
}

// printResult prints shares for a person.
func printResult(out io.Writer, r *estimate.Result) error {
	if _, err := fmt.Fprintf(out, "%s: %d releases by %s, each with %v\n", term.Plain(nameOf(r.File)), r.N, r.Mechanism, r.Guarantee); err != nil {
		return err
	}
	if r.GroupGuarantee != nil {
		if _, err := fmt.Fprintf(out, "of which the answer has %v and the group %v\n", *r.AnswerGuarantee, *r.GroupGuarantee); err != nil {
			return err
		}
	}
	if r.Assuming != "" {
		if _, err := fmt.Fprintf(out, "assuming that %s\n", r.Assuming); err != nil {
			return err
		}
	}
	if err := printShares(out, "", r.Method, r.Shares, r); err != nil {
		return err
	}
	for _, g := range r.Groups {
		about := fmt.Sprintf("%s: %d releases; ", term.Plain(g.Group), g.N)
		if g.Size != nil {
			about = fmt.Sprintf("%s: %s %% of the people; ", term.Plain(g.Group), percent(g.Size.Share))
			if r.NoIntervals == "" {
				about = fmt.Sprintf("%s: %s %% of the people, from %s to %s; ", term.Plain(g.Group), percent(g.Size.Share), percent(g.Size.Low), percent(g.Size.High))
			}
		}
		if err := printShares(out, about, g.Method, g.Shares, r); err != nil {
			return err
		}
	}
	if c := r.Compare; c != nil {
		if err := printCompared(out, c, r.Confidence); err != nil {
			return err
		}
	}
	return printShuffled(out, r.Counted)
}

// nameOf returns the name of a file of releases, for a person.
func nameOf(file string) string {
	if file == "" {
		return "stdin"
	}
	return file
}

// printShuffled prints the guarantee after shuffling, or why there is none, and why there
// are no intervals.
func printShuffled(out io.Writer, c estimate.Counted) error {
	g := c.Shuffled
	if g == nil && c.NoShuffle == "" && c.NoIntervals == "" {
		return nil
	}
	t := term.NewTable(out)
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	if c.NoIntervals != "" {
		t.Fact("no intervals", "%s", c.NoIntervals)
	}
	if c.NoShuffle != "" {
		t.Fact("not shuffled", "%s", c.NoShuffle)
	}
	if g == nil {
		return t.Flush()
	}
	t.Fact("shuffled", "%s, a second guarantee", g)
	if g.Delta == 0 {
		t.Fact("note", "nothing is gained by shuffling here: the theorem gives no smaller ε")
	}
	for _, a := range g.Assumptions {
		t.Fact("assuming", "%s", a)
	}
	return t.Flush()
}

func printShares(out io.Writer, about string, method estimate.Method, shares []estimate.Named, r *estimate.Result) error {
	by := "unbiased shares"
	switch method {
	case estimate.Likelihood:
		by = "shares by maximum likelihood: an unbiased one is below 0 or above 1"
	case estimate.Nearest:
		by = "nearest possible shares: an unbiased one is below 0 or above 1"
	default: // as above
	}
	if r.Raised > 1 {
		by += fmt.Sprintf("; each text stands for %d answers", r.Raised)
	}
	if _, err := fmt.Fprintf(out, "\n%s%s\n\n", about, by); err != nil {
		return err
	}
	heads := []any{"ANSWER", "SHARE %", fmt.Sprintf("%v %% INTERVAL", 100*r.Confidence)}
	counted := slices.ContainsFunc(shares, func(s estimate.Named) bool { return s.Error > 0 })
	bare := r.NoIntervals != ""
	if counted {
		heads = append(heads, "STANDARD ERROR", "RELEASED")
	}
	t := term.NewTable(out, heads...)
	left := len(shares) - mostShown
	if left > 0 {
		shares = slices.SortedStableFunc(slices.Values(shares), func(a, b estimate.Named) int { return cmp.Compare(b.Share.Share, a.Share.Share) })[:mostShown]
	}
	for _, s := range shares {
		row := []any{term.Plain(s.Answer), percent(s.Share.Share), percent(s.Low) + " to " + percent(s.High)}
		if bare {
			row[2] = "-"
		}
		if counted {
			row = append(row, percent(s.Error), s.Released)
		}
		t.Row(row...)
	}
	if err := t.Flush(); err != nil || left <= 0 {
		return err
	}
	_, err := fmt.Fprintf(out, "and %d rarer answers (--json has all)\n", left)
	return err
}

// mostShown is how many answers are printed for a person, the commonest if there are
// more.
const mostShown = 40

func printCompared(out io.Writer, c *estimate.Compared, confidence float64) error {
	if _, err := fmt.Fprintf(out, "\n%s less %s, in points\n\n", term.Plain(c.First), term.Plain(c.Second)); err != nil {
		return err
	}
	t := term.NewTable(out, "ANSWER", "DIFFERENCE", fmt.Sprintf("%v %% INTERVAL", 100*confidence), "P", "P OF ALL TOGETHER")
	for _, d := range c.Each {
		t.Row(term.Plain(d.Answer), percent(d.Difference.Difference), percent(d.Low)+" to "+percent(d.High), fmt.Sprintf("%.3g", d.P), fmt.Sprintf("%.3g", d.Adjusted))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printVerdict(out, c.P, "for all answers together")
}

func printVerdict(out io.Writer, p float64, of string) error {
	verdict := "no difference is shown at the level of 5 %"
	if p <= 0.05 {
		verdict = "the two differ, at the level of 5 %"
	}
	_, err := fmt.Fprintf(out, "\n%s (p = %.3g %s)\n", verdict, p, of)
	return err
}
