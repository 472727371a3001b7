package estimate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/learn/estimate"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// trainOptions are the flags of "sotto estimate train".
type trainOptions struct {
	estimate.TrainingOptions
	in, labels, cells, out string
	names                  []string
	json                   bool
}

func newTrain(std term.Streams) *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a classifier from private vectors with private labels",
		Long: `Train a linear classifier from releases alone: vectors that were released privately
(privunit, laplace-l2, gaussian, codebook, cells and others) and, in another file, the
label of each row, released privately too (krr or subset). How often a released label
is a lie is public, and the loss takes it into account, so that the classifier learns
what was answered and not the lies. What both releases cost a person adds up, and is
printed; training spends nothing.

A fifth of the rows is held out. The accuracy on these is that of true labels, told from
the released ones, with an interval; beside it stands that of a classifier that was
trained on released labels as they are. With --out, the classifier is written as the
head of a model, which sotto serve takes for vectors of the same release.`,
		Example: `  sotto estimate train --in vectors.jsonl --labels labels.csv
  sotto estimate train --in vectors.jsonl --labels labels.csv --names praise,blame --out head
  sotto estimate train --in c.jsonl --cells cells.jsonl --labels labels.csv --json`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.in == "" || o.labels == "" {
				return errors.New("want --in, a file of released vectors, and --labels, one of their released labels")
			}
			return o.run(c.Context(), std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "", "file of released vectors, with its record (required)")
	fs.StringVar(&o.labels, "labels", "", "file of the released label of each row, with its record (required)")
	fs.StringVar(&o.cells, "cells", "", "file of the public cells of the vectors")
	fs.StringSliceVar(&o.names, "names", nil, "names of the classes, in their order (default: their numbers)")
	fs.StringVar(&o.out, "out", "", "folder into which the classifier is written, as the head of a model")
	fs.IntVar(&o.Epochs, "epochs", 30, "passes over the rows")
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of the order of rows")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func (o *trainOptions) run(ctx context.Context, std term.Streams) (err error) {
	if err = term.RefuseSame(term.Named("--in", o.in), term.Named("--labels", o.labels), term.Named("--out", o.out)); err != nil {
		return err
	}
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	vectors, err := openReleases(source{path: o.in, cells: o.cells})
	if err != nil {
		return err
	}
	labels, err := openReleases(source{path: o.labels})
	if err != nil {
		return err
	}
	d, err := together(vectors, labels)
	if err != nil {
		return err
	}
	names, err := o.classes(d.Classes)
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "training")
	defer bar.Finish()
	var fitted [2]*estimate.ReleasedModel
	for i, plain := range []bool{false, true} {
		bar.Set(int64(i), 2)
		with := o.TrainingOptions
		with.AsTheyAre = plain
		if fitted[i], err = estimate.FitReleases(ctx, d, with); err != nil {
			return err
		}
	}
	bar.Finish()
	total, err := dp.Compose(*vectors.said.Guarantee, *labels.said.Guarantee)
	if err != nil {
		return err
	}
	if o.out != "" {
		head, failed := model.ReleasedHead("releases", vectors.mechanism.Params(), model.LabelRecord{Name: "label", Classes: names}, &fitted[0].Linear)
		if failed != nil {
			return failed
		}
		if err = head.Save(o.out); err != nil {
			return err
		}
	}
	of := func(r *releases) estimate.Released {
		p := r.said.Mechanism
		return estimate.Released{Mechanism: p.Mechanism, Variant: p.Variant, Guarantee: *r.said.Guarantee}
	}
	result := &estimate.TrainedResult{
		Format: estimate.TrainedFormat, File: filepath.Base(o.in), N: len(d.Y), Epsilon: total.Epsilon, Guarantee: total, Vectors: of(vectors), Labels: of(labels),
		Classes: names, Penalty: fitted[0].Penalty, Accuracy: fitted[0].Accuracy, AsTheyAre: fitted[1].Accuracy,
	}
	for _, r := range []*releases{vectors, labels} {
		if several := r.said.Several(); several != "" {
			result.Hold(r.name + ": " + several + ", and an interval is one of people who release once")
		}
	}
	return term.Show(std.Out, o.json, result, func(w io.Writer, r *estimate.TrainedResult) error { return o.print(w, r) })
}

// classes returns the names of the classes.
func (o *trainOptions) classes(k int) ([]string, error) {
	if o.names != nil && len(o.names) != k {
		return nil, fmt.Errorf("--names has %d names, must have one for each of %d classes", len(o.names), k)
	}
	names := o.names
	for c := len(names); c < k; c++ {
		names = append(names, fmt.Sprint(c))
	}
	return names, nil
}

// together reads vectors and labels, row by row.
func together(vectors, labels *releases) (d estimate.TrainingData, err error) {
	answering, ok := labels.mechanism.(mech.Answering)
	if !ok {
		return d, fmt.Errorf("labels were released by %s, must be by one that releases answers", labels.said.Mechanism.Mechanism)
	}
	law, err := answering.Law()
	if err != nil {
		return d, err
	}
	d.Classes, d.Labels = len(law.Least), labels.mechanism
	x, err := allRows(vectors)
	if err != nil {
		return d, err
	}
	if d.Y, err = allRows(labels); err != nil {
		return d, err
	}
	if len(x) != len(d.Y) {
		return d, fmt.Errorf("%s has %d releases and %s has %d, must have as many: a vector and a label of each person", vectors.name, len(x), labels.name, len(d.Y))
	}
	if len(x) == 0 || len(x[0]) < 2 {
		return d, fmt.Errorf("%s holds no vectors, must hold some of at least 2 numbers", vectors.name)
	}
	d.X = nn.NewMatrix(len(x), len(x[0]))
	for i, row := range x {
		for j, v := range row {
			d.X.Row(i)[j] = float32(v)
		}
	}
	return d, nil
}

// allRows reads a whole file of releases.
func allRows(r *releases) ([][]float64, error) {
	v, _, err := r.reader()
	if err != nil {
		return nil, err
	}
	defer v.Close() //nolint:errcheck // it was only read
	var all [][]float64
	for {
		row := make([]float64, v.Width())
		if _, err = v.ReadRows(row); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
}

func (o *trainOptions) print(out io.Writer, r *estimate.TrainedResult) error {
	t := term.NewTable(out)
	t.Fact("trained", "from %d private vectors (%s) with private labels (%s), together %v", r.N, r.Vectors.Mechanism, r.Labels.Mechanism, r.Guarantee)
	t.Fact("of which", "the vector has %v and the label %v", r.Vectors.Guarantee, r.Labels.Guarantee)
	with := " with confidence 95 %"
	if r.NoIntervals != "" {
		with = ""
	}
	t.Fact("accuracy", "%s%s, of true labels of %d rows held out, told from released ones", r.Accuracy.Said(), with, r.Accuracy.Rows)
	t.Fact("as they are", "%s, for a classifier that was trained on released labels as they are", r.AsTheyAre.Said())
	if r.NoIntervals != "" {
		t.Fact("no intervals", "%s", r.NoIntervals)
	}
	if o.out != "" {
		t.Fact("written", "%s, the head of a model for such releases", o.out)
	}
	return t.Flush()
}
