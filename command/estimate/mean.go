package estimate

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"sotto/command/term"
	"sotto/learn/estimate"
	"sotto/promise/mech"
)

// averaged reports whether means are wanted: if the user says so, or if releases tell
// nothing else.
func (o *options) averaged(m mech.Mechanism) bool {
	_, answers := m.(mech.Answering)
	_, few := m.(mech.Finite)
	return o.mean || !answers && !few
}

// average takes the mean of releases, and of those of another file if there is one.
func (o *options) average(ctx context.Context, main *releases, bar *term.Progress) (*estimate.MeanResult, error) {
	if o.inputs != "" || o.names != nil || o.groupReleases != "" {
		return nil, fmt.Errorf("releases by %s tell a mean and no shares, must be without --inputs, --names and --group-releases", main.said.Mechanism.Mechanism)
	}
	of, err := sum(ctx, bar, main, o.group, o.groups)
	if err != nil {
		return nil, err
	}
	r := &estimate.MeanResult{Counted: about(o, main, of, estimate.MeanFormat, *main.said.Guarantee), Of: of.all.Of()}
	if r.Mean, err = of.all.Average(o.confidence); err != nil {
		return nil, err
	}
	for _, name := range of.order {
		mean, failed := of.groups[name].Average(o.confidence)
		if failed != nil {
			return nil, fmt.Errorf("group %d of %d: %w", len(r.Groups)+1, len(of.order), failed)
		}
		r.Groups = append(r.Groups, estimate.MeanGroup{Group: name, N: of.groups[name].N(), Mean: mean})
	}
	switch {
	case o.against != "":
		against, failed := o.openOther()
		if failed != nil {
			return nil, failed
		}
		other, failed := sum(ctx, bar, against, "", "")
		if failed != nil {
			return nil, failed
		}
		r.Compare, err = meansCompared(r.File, filepath.Base(o.against), of.all, other.all, o.confidence)
	case o.compare != nil:
		both, failed := chosen(of, o.compare)
		if failed != nil {
			return nil, failed
		}
		r.Compare, err = meansCompared(o.compare[0], o.compare[1], both[0], both[1], o.confidence)
	}
	if err != nil {
		return nil, err
	}
	r.Hold(o.unfit(main))
	return r, nil
}

// sum takes the mean of releases, by group if there are any.
func sum(ctx context.Context, bar *term.Progress, r *releases, group, groups string) (*counted[*estimate.Mean], error) {
	s, err := estimate.NewMean(r.mechanism)
	if err != nil {
		return nil, err
	}
	return count(ctx, bar, r, s, group, groups)
}

// meansCompared compares two means.
func meansCompared(first, second string, a, b *estimate.Mean, confidence float64) (*estimate.MeansCompared, error) {
	c, err := a.Compare(b, confidence)
	if err != nil {
		return nil, err
	}
	return &estimate.MeansCompared{First: first, Second: second, FirstN: a.N(), OtherN: b.N(), MeanComparison: *c}, nil
}

// shownCoordinates is how many coordinates are printed for a person: those of which
// most is known.
const shownCoordinates = 10

// printMean prints means for a person.
func printMean(out io.Writer, r *estimate.MeanResult) error {
	if _, err := fmt.Fprintf(out, "%s: %d releases by %s, each with %v\n\nmean of %s\n", term.Plain(nameOf(r.File)), r.N, r.Mechanism, r.Guarantee, r.Of); err != nil {
		return err
	}
	if err := printAverage(out, r.Mean, r.Confidence); err != nil {
		return err
	}
	for _, g := range r.Groups {
		if _, err := fmt.Fprintf(out, "\n%s: %d releases\n", term.Plain(g.Group), g.N); err != nil {
			return err
		}
		if err := printAverage(out, g.Mean, r.Confidence); err != nil {
			return err
		}
	}
	if c := r.Compare; c != nil {
		if err := printMeans(out, c, r.Confidence); err != nil {
			return err
		}
	}
	return printShuffled(out, r.Counted)
}

func printAverage(out io.Writer, a *estimate.Average, confidence float64) error {
	t := term.NewTable(out, "COORDINATE", "MEAN", fmt.Sprintf("%v %% INTERVAL", 100*confidence), "STANDARD ERROR")
	row := func(name any, v estimate.Interval) {
		if v.Low != v.Low { //nolint:gocritic // undefined
			t.Row(name, number(v.Value), "-", "-")
			return
		}
		t.Row(name, number(v.Value), number(v.Low)+" to "+number(v.High), number(v.Error))
	}
	row("length", a.Norm)
	for _, i := range estimate.Farthest(a.Coordinates, shownCoordinates) {
		row(i, a.Coordinates[i])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if left := len(a.Coordinates) - shownCoordinates; left > 0 {
		_, err := fmt.Fprintf(out, "and %d more coordinates, nearer to 0 in standard errors (--json has all)\n", left)
		return err
	}
	return nil
}

func printMeans(out io.Writer, c *estimate.MeansCompared, confidence float64) error {
	if _, err := fmt.Fprintf(out, "\n%s less %s\n\n", term.Plain(c.First), term.Plain(c.Second)); err != nil {
		return err
	}
	each := make([]estimate.Interval, len(c.Coordinates))
	for i, d := range c.Coordinates {
		each[i] = d.Interval
	}
	t := term.NewTable(out, "COORDINATE", "DIFFERENCE", fmt.Sprintf("%v %% INTERVAL", 100*confidence), "P OF ALL TOGETHER")
	t.Row("length", number(c.Distance.Value), number(c.Distance.Low)+" to "+number(c.Distance.High), fmt.Sprintf("%.3g", c.P))
	for _, i := range estimate.Farthest(each, shownCoordinates) {
		t.Row(i, number(each[i].Value), number(each[i].Low)+" to "+number(each[i].High), fmt.Sprintf("%.3g", c.Coordinates[i].Adjusted))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printVerdict(out, c.P, "for the whole vector")
}

func number[N ~float64](v N) string { return fmt.Sprintf("%.4f", float64(v)) }
