package estimate

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/dp"
)

// TrainedFormat marks what "sotto estimate train" prints as JSON.
const TrainedFormat = "sotto-estimate-train-1"

// TrainedResult is what was trained from releases.
type TrainedResult struct {
	Format    string       `json:"format"`
	File      string       `json:"file"` // of the vectors, without folders
	N         int          `json:"n"`
	Epsilon   dp.Epsilon   `json:"epsilon"`   // of a person's vector and label together
	Guarantee dp.Guarantee `json:"guarantee"` // likewise
	Vectors   Released     `json:"vectors"`
	Labels    Released     `json:"labels"`
	Classes   []string     `json:"classes"`
	Penalty   float64      `json:"penalty"`
	// Accuracy is that of the classifier on rows held out, and AsTheyAre that of one
	// that takes released labels for true ones. Both are told from released labels.
	Accuracy  TrainedAccuracy `json:"accuracy"`
	AsTheyAre TrainedAccuracy `json:"as_they_are"`
	// NoIntervals is why accuracies have none; "" where they have.
	NoIntervals string `json:"no_intervals,omitempty"`
}

// Released says how vectors or labels were released.
type Released struct {
	Mechanism string       `json:"mechanism"`
	Variant   string       `json:"variant,omitempty"`
	Guarantee dp.Guarantee `json:"guarantee"`
}

// TrainedKind is what "sotto estimate train" prints.
var TrainedKind = evidence.Kind[TrainedResult]{
	Format: TrainedFormat, Name: "training from releases", List: "trained_from_releases",
	Section:  evidence.Each("Classifiers from releases", (*TrainedResult).sections),
	Summary:  evidence.Said((*TrainedResult).Sentence, nil),
	Subjects: (*TrainedResult).subjects,
	Check: func(r *TrainedResult) error {
		if r.N < 1 || len(r.Classes) < 2 {
			return fmt.Errorf("forward: the result has %d rows and %d classes, must have some and at least 2", r.N, len(r.Classes))
		}
		return r.Guarantee.Validate()
	},
}

func (a TrainedAccuracy) estimate() measure.Estimate {
	return measure.Estimate{Value: measure.Number(a.Value), Low: a.Low, High: a.High}
}

func (r *TrainedResult) subjects() []evidence.Subject {
	g := r.Guarantee
	return []evidence.Subject{{
		Name:    "classifier from " + page.FileName(r.File),
		Match:   evidence.Match{Data: page.FileName(r.File), Mechanism: r.Vectors.Mechanism, Variant: r.Vectors.Variant},
		Numbers: map[string]measure.Estimate{"accuracy": r.Accuracy.estimate()},
		Promise: &evidence.Promise{Mechanism: r.Vectors.Mechanism, Variant: r.Vectors.Variant, Unit: g.Unit, Delta: g.Delta, Proved: &g.Epsilon, Assumptions: g.Assumptions},
	}}
}

// Said renders an accuracy with its interval, in percent.
func (a TrainedAccuracy) Said() string {
	percent := func(v measure.Number) string { return page.Decimal(100*v, 1) }
	if a.Low != a.Low { //nolint:gocritic // undefined
		return percent(measure.Number(a.Value)) + " %, without an interval"
	}
	return percent(measure.Number(a.Value)) + " %, from " + percent(a.Low) + " to " + percent(a.High)
}

// Hold takes back the intervals of accuracies where somebody has several of the rows,
// for the reason that is given.
func (r *TrainedResult) Hold(reason string) {
	r.NoIntervals = reason
	for _, a := range []*TrainedAccuracy{&r.Accuracy, &r.AsTheyAre} {
		a.Low, a.High = measure.Undefined, measure.Undefined
	}
}

// Sentence says how well the classifier does.
func (r *TrainedResult) Sentence() string {
	return fmt.Sprintf("A classifier of %d classes, trained from %s, tells the true label with an accuracy of %s.", len(r.Classes), page.Plural(r.N, "private vector and label", "private vectors and labels"), r.Accuracy.Said())
}

func (r *TrainedResult) sections() []page.Section {
	t := &page.Table{Caption: "Accuracy on rows held out, told from released labels", Head: page.Heads("trained", "#accuracy")}
	t.Add("with the channel in the loss", r.Accuracy.Said())
	t.Add("on released labels as they are", r.AsTheyAre.Said())
	return []page.Section{{
		Title:   page.FileName(r.File),
		Meaning: "A classifier that saw nothing but releases. How often labels lie is public, so that training can ask for what was answered.",
		Source:  fmt.Sprintf("sotto estimate train: vectors by %s with %v, labels by %s with %v, together %v", r.Vectors.Mechanism, r.Vectors.Guarantee, r.Labels.Mechanism, r.Labels.Guarantee, r.Guarantee),
		Blocks:  t.Blocks(),
	}}
}
