package frontier

import (
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/experiment"
)

// Planned is an experiment that is to be computed.
type Planned struct {
	Name string
	Spec experiment.Spec
}

// Plan returns the share of the work that o chooses.
func Plan(o Options) ([]Planned, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	var all []Planned
	for _, group := range o.share() {
		for _, j := range group {
			all = append(all, Planned{j.name(), j.spec})
		}
	}
	return all, nil
}

// EveryExperiment returns what would be run, also on data that is absent.
func EveryExperiment() []Planned {
	o := Options{Seeds: 5, Epsilons: Epsilons(), Shard: 1, Shards: 1}
	var all []Planned
	for _, t := range Tasks() {
		for _, j := range o.jobs(t) {
			all = append(all, Planned{j.name(), j.spec})
		}
	}
	return all
}

// Verdicts holds tasks against the aims.
func Verdicts(tasks []TaskResult) []Verdict { return verdicts(tasks) }

// EarlierOf compares auto with FEDERATE.
func EarlierOf(t *TaskResult) []Earlier { return earlier(t) }

// EstimateOf makes an estimate of the values of seeds.
func EstimateOf(values ...float64) Estimate { return estimate(values) }

// SplitAccuracies is what answers reach when ε is split over labels.
func SplitAccuracies(epsilon float64, logits nn.Matrix, labels []dataset.Column, rows []int) ([]float64, error) {
	return splitAccuracies(epsilon, logits, labels, rows)
}
