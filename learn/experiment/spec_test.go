package experiment_test

import (
	"math"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/learn/experiment"
	"sotto/promise/mech"
)

func TestSpecRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec experiment.Spec
		want string // part of the error
	}{
		{"no method", experiment.Spec{}, "no method"},
		{"unknown method", experiment.Spec{Methods: []string{"magic"}}, "majority"},
		{"unknown data", experiment.Spec{Data: "nowhere", Methods: []string{"majority"}}, "nowhere"},
		{"no epsilon", experiment.Spec{Methods: []string{"noise"}}, "needs an epsilon"},
		{"epsilon without mechanism", experiment.Spec{Methods: []string{"unconstrained"}, Epsilons: []float64{1}}, "epsilon has no meaning"},
		{"lambda without adversary", experiment.Spec{Methods: []string{"noise"}, Epsilons: []float64{1}, Lambdas: []float64{1}}, "lambda has no meaning"},
		{"lambda of a protocol that has none", experiment.Spec{Methods: []string{"ldpnn"}, Epsilons: []float64{1}, Lambdas: []float64{1}}, "lambda has no meaning"},
		{"mechanism that the method cannot take", experiment.Spec{Methods: []string{"noise"}, Mechanism: "krr", Epsilons: []float64{1}}, "laplace-l1"},
		{"mechanism without use", experiment.Spec{Methods: []string{"majority"}, Mechanism: "krr"}, "mechanism has no meaning"},
		{"unknown variant", experiment.Spec{Methods: []string{"noise"}, Variant: "best", Epsilons: []float64{1}}, "variant"},
		{"negative epsilon", experiment.Spec{Methods: []string{"noise"}, Epsilons: []float64{-1}}, "epsilon"},
		{"NaN epsilon", experiment.Spec{Methods: []string{"noise"}, Epsilons: []float64{math.NaN()}}, "epsilon"},
		{"delta without use", experiment.Spec{Methods: []string{"noise"}, Epsilons: []float64{1}, Delta: 1e-6}, "delta"},
		{"negative seeds", experiment.Spec{Methods: []string{"majority"}, Seeds: -1}, "seeds"},
		{"NaN threshold", experiment.Spec{Methods: []string{"majority"}, Threshold: math.NaN()}, "relaxation"},
	} {
		if _, err := tt.spec.Filled(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error = %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestPoints(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec experiment.Spec
		want string
	}{
		{"one", experiment.Spec{Methods: []string{"federate"}, Epsilons: []float64{8}}, "federate-laplace-l1-e8"},
		{
			"grid",
			experiment.Spec{Methods: []string{"federate"}, Epsilons: []float64{4, 8}, Lambdas: []float64{0.5, 1}, Dims: []int{4}},
			"federate-laplace-l1-e4-l0.5-d4 federate-laplace-l1-e4-l1-d4 federate-laplace-l1-e8-l0.5-d4 federate-laplace-l1-e8-l1-d4",
		},
		{
			"the honest beside the false",
			experiment.Spec{Methods: []string{"federate"}, Variant: mech.Released, Epsilons: []float64{8}},
			"federate-laplace-l1-released-e8 federate-laplace-l1-e8",
		},
		{"alone", experiment.Spec{Methods: []string{"federate"}, Variant: mech.Released, Epsilons: []float64{8}, Alone: true}, "federate-laplace-l1-released-e8"},
		{"paper's DPNR", experiment.Spec{Methods: []string{"dpnr"}, Variant: mech.Paper, Epsilons: []float64{1}}, "dpnr-dpnr-paper-e1 dpnr-dpnr-e1"},
		{"ome", experiment.Spec{Methods: []string{"ldpnn"}, Mechanism: "ome", Epsilons: []float64{1}, Lambdas: []float64{50, 100}}, "ldpnn-ome-e1-l50 ldpnn-bitrr-e1 ldpnn-ome-e1-l100"},
		{"what another method has no use for", experiment.Spec{Methods: []string{"majority", "noise", "adversarial"}, Epsilons: []float64{1}, Lambdas: []float64{2}}, "majority noise-laplace-l1-e1 adversarial-l2"},
	} {
		spec, err := tt.spec.Filled(t.Context())
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		points, err := spec.Points()
		var names []string
		for _, p := range points {
			names = append(names, p.Name())
			if p.Companion != (strings.Contains(tt.name, "honest") && p.Variant == "" || strings.Contains(tt.name, "DPNR") && p.Variant == "" || p.Mechanism == "bitrr") {
				t.Errorf("%s: companion of %s is %v", tt.name, p.Name(), p.Companion)
			}
		}
		if got := strings.Join(names, " "); err != nil || got != tt.want {
			t.Errorf("%s: points are %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestEveryMethodHasPoints(t *testing.T) {
	for _, m := range experiment.Methods() {
		spec := experiment.Spec{Methods: []string{m.Name}}
		if m.Mechanisms != nil {
			spec.Epsilons = []float64{1}
		}
		for _, mechanism := range append([]string{""}, m.Mechanisms...) {
			spec.Mechanism = mechanism
			filled, err := spec.Filled(t.Context())
			if err != nil {
				t.Errorf("%s with %q: %v", m.Name, mechanism, err)
				continue
			}
			if points, err := filled.Points(); err != nil || len(points) == 0 {
				t.Errorf("%s with %q has points %v, %v", m.Name, mechanism, points, err)
			}
		}
	}
}

// scored makes a configuration with a validation accuracy and gap.
func scored(method string, accuracy, gap float64) experiment.Configuration {
	c := experiment.Configuration{Point: experiment.Point{Method: method}}
	c.Mean.ValidationAccuracy, c.Mean.ValidationGap = measure.Number(accuracy), measure.Number(gap)
	return c
}

func TestChoose(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name      string
		threshold float64
		all       []experiment.Configuration
		want      []int
	}{
		{"the fairest within a point", 1, []experiment.Configuration{scored("a", 0.80, 0.3), scored("a", 0.795, 0.1), scored("a", 0.78, 0)}, []int{1}},
		{"no relaxation", 0, []experiment.Configuration{scored("a", 0.79, 0), scored("a", 0.80, 0.3)}, []int{1}},
		{"everything is near", 10, []experiment.Configuration{scored("a", 0.80, 0.3), scored("a", 0.795, 0.1), scored("a", 0.78, 0)}, []int{2}},
		{"methods apart", 1, []experiment.Configuration{scored("a", 0.8, 0.3), scored("b", 0.5, 0.1)}, []int{0, 1}},
		{"no gap: the most accurate", 1, []experiment.Configuration{scored("a", 0.795, nan), scored("a", 0.8, nan)}, []int{1}},
		{"nothing measured", 1, []experiment.Configuration{scored("a", nan, nan)}, nil},
	} {
		experiment.Choose(tt.all, tt.threshold, 0)
		var got []int
		for i, c := range tt.all {
			if c.Selected {
				got = append(got, i)
			}
		}
		if len(got) != len(tt.want) || len(got) > 0 && (got[0] != tt.want[0] || got[len(got)-1] != tt.want[len(tt.want)-1]) {
			t.Errorf("%s: selected %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestChooseCollapsed: a training that ended in answering the commonest class is
// never selected, however fair it is, unless its ε allows no more.
func TestChooseCollapsed(t *testing.T) {
	configuration := func(mechanism string, epsilon, gap float64, accuracies ...float64) experiment.Configuration {
		c := experiment.Configuration{Point: experiment.Point{Method: "m", Mechanism: mechanism, Epsilon: epsilon}}
		sum := 0.0
		for _, a := range accuracies {
			c.Seeds = append(c.Seeds, experiment.Score{Seed: 1, Epoch: 30, ValidationAccuracy: measure.Number(a)})
			sum += a
		}
		c.Mean.ValidationAccuracy, c.Mean.ValidationGap = measure.Number(sum/float64(len(accuracies))), measure.Number(gap)
		return c
	}
	for _, tt := range []struct {
		name      string
		all       []experiment.Configuration
		selected  int // −1 for none
		collapsed []bool
	}{
		{"one of two", []experiment.Configuration{configuration("", 0, 0, 0.515, 0.515), configuration("", 0, 5, 0.84, 0.85)}, 1, []bool{true, false}},
		{"one seed, within the threshold", []experiment.Configuration{configuration("", 0, 0, 0.515, 0.85), configuration("", 0, 5, 0.69, 0.69)}, 1, []bool{true, false}},
		{"one seed of one", []experiment.Configuration{configuration("", 0, 0, 0.515, 0.85)}, -1, []bool{true}},
		{"nothing to learn", []experiment.Configuration{configuration("", 0, 0, 0.515, 0.515)}, 0, []bool{false}},
		{"noise leaves nothing", []experiment.Configuration{configuration("laplace-l1", 0.1, 1, 0.515), configuration("laplace-l1", 0.1, 0, 0.51)}, 1, []bool{false, false}},
		{"noise leaves something", []experiment.Configuration{configuration("laplace-l1", 8, 0, 0.515), configuration("laplace-l1", 8, 3, 0.8)}, 1, []bool{true, false}},
	} {
		experiment.Choose(tt.all, 50, 0.514)
		for i, c := range tt.all {
			if c.Selected != (i == tt.selected) || c.Collapsed != tt.collapsed[i] {
				t.Errorf("%s: configuration %d is selected %v, collapsed %v, want %v and %v", tt.name, i, c.Selected, c.Collapsed, i == tt.selected, tt.collapsed[i])
			}
		}
	}
	constant := configuration("", 0, 0, 0.514)
	constant.Seeds[0].Epoch = 0
	all := []experiment.Configuration{constant}
	if experiment.Choose(all, 1, 0.514); !all[0].Selected {
		t.Error("the answer of a method that trains nothing is taken for a collapse")
	}
}
