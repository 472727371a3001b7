package frontier

import (
	"fmt"
	"slices"
	"strings"

	"sotto/experiment"
)

// Method is something that is tried at a task.
type Method struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Parts []Part `json:"parts"` // in which it takes part
	// Honest says that it keeps a text-level ε, so that it is a rival of auto.
	Honest bool `json:"honest"`
	// Private says that it is measured at each ε, and not once.
	Private bool `json:"private"`

	// protects says that it needs an attribute to protect.
	protects bool
	// spec says what the method adds to the experiment of a task.
	spec func(t Task, epsilon float64, s *experiment.Spec)
	// weight orders experiments by how long they take, roughly, longest first,
	// so that the shares of several processes take about as long.
	weight int
}

// answered is the method whose stored models the answers of [Method] split are
// computed from.
const answered = "plain"

// The methods that others are held against.
const (
	auto     = "auto"
	fair     = "codes-fair"
	federate = "federate"
	majority = "majority"
	split    = "split"
)

// privembClip bounds the norm of a vector for PRIVEMB: two vectors are then at
// most 2 apart, so that a metric ε/2 is a text-level ε.
const privembClip = 1

// Methods lists the methods in the order in which they are shown.
func Methods() []Method {
	both, all, later := []Part{One, Several}, []Part{One, Several, Later}, []Part{Later}
	of := func(name string) func(Task, float64, *experiment.Spec) {
		return func(_ Task, epsilon float64, s *experiment.Spec) {
			s.Methods, s.Epsilons = []string{name}, []float64{epsilon}
		}
	}
	noise := func(mechanism string) func(Task, float64, *experiment.Spec) {
		return func(_ Task, epsilon float64, s *experiment.Spec) {
			s.Methods, s.Epsilons, s.Mechanism, s.Dims = []string{"noise"}, []float64{epsilon}, mechanism, []int{8}
		}
	}
	reserving := func(share float64) func(Task, float64, *experiment.Spec) {
		return func(_ Task, epsilon float64, s *experiment.Spec) {
			s.Methods, s.Epsilons, s.Reserve = []string{"auto"}, []float64{epsilon}, share
		}
	}
	return []Method{
		{Name: answered, Title: "non-private", Parts: all, weight: 2, spec: func(_ Task, _ float64, s *experiment.Spec) { s.Methods = []string{"plain"} }},
		{Name: majority, Title: "majority", Parts: both, spec: func(_ Task, _ float64, s *experiment.Spec) { s.Methods, s.Epochs = []string{"majority"}, 0 }},
		{Name: "label", Title: "label RR", Parts: []Part{One, Later}, Honest: true, Private: true, weight: 2, spec: labelSpec},
		{Name: split, Title: "ε-split RR", Parts: []Part{Several}, Honest: true, Private: true},
		{Name: "dpnr", Title: "DPNR honest", Parts: both, Honest: true, Private: true, weight: 4, spec: of("dpnr")},
		{Name: federate, Title: "FEDERATE honest", Parts: both, Honest: true, Private: true, weight: 5, spec: federateSpec},
		{Name: "ldpnn", Title: "LDPNN honest", Parts: both, Honest: true, Private: true, weight: 8, spec: func(_ Task, epsilon float64, s *experiment.Spec) {
			s.Methods, s.Epsilons, s.Mechanism = []string{"ldpnn"}, []float64{epsilon}, "bitrr"
		}},
		{Name: "privemb", Title: "PRIVEMB", Parts: both, Honest: true, Private: true, weight: 2, spec: func(_ Task, epsilon float64, s *experiment.Spec) {
			s.Methods, s.Epsilons, s.Clip = []string{"privemb"}, []float64{epsilon / (2 * privembClip)}, privembClip
		}},
		{Name: "laplace-8", Title: "noise laplace-l1, width 8", Parts: later, Honest: true, Private: true, weight: 3, spec: noise("laplace-l1")},
		{Name: "privunit-8", Title: "noise privunit, width 8", Parts: later, Honest: true, Private: true, weight: 3, spec: noise("privunit")},
		{Name: auto, Title: "auto", Parts: all, Honest: true, Private: true, weight: 7, spec: of("auto")},
		{Name: fair, Title: "codes, fair", Parts: both, Honest: true, Private: true, protects: true, weight: 3, spec: func(_ Task, epsilon float64, s *experiment.Spec) {
			s.Methods, s.Epsilons, s.Fair = []string{"codes"}, []float64{epsilon}, true
		}},
		{Name: "auto-25", Title: "auto, a quarter reserved", Parts: later, Honest: true, Private: true, weight: 7, spec: reserving(0.25)},
		{Name: "auto-50", Title: "auto, half reserved", Parts: later, Honest: true, Private: true, weight: 7, spec: reserving(0.5)},
	}
}

// labelSpec releases the first label alone. The other labels leave the vectors
// as they do for the other methods, and are learnt from the releases.
func labelSpec(t Task, epsilon float64, s *experiment.Spec) {
	s.Methods, s.Epsilons = []string{"label"}, []float64{epsilon}
	s.Labels, s.Unknown = t.Labels[:1], slices.Concat(t.Labels[1:], t.Unknown)
}

// federateSpec leaves out the adversary where there is nothing to protect: what
// remains of FEDERATE is its noise.
func federateSpec(t Task, epsilon float64, s *experiment.Spec) {
	s.Methods, s.Epsilons = []string{"federate"}, []float64{epsilon}
	if !t.attribute() {
		s.Methods, s.Mechanism = []string{"noise"}, "laplace-l1"
	}
}

func findMethod(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("frontier: method is %.40q, must be one of %s", name, strings.Join(names, ", "))
}

// experiment returns what is run for a method at a task.
func (o Options) experiment(t Task, m Method, epsilon float64) experiment.Spec {
	s := experiment.Spec{Data: t.Data, Labels: t.Labels, Unknown: t.Unknown, Limit: t.Limit, Seeds: o.Seeds}
	if o.Quick {
		s.Limit, s.Epochs = quickLimit, quickEpochs
	}
	if o.Limit != 0 {
		s.Limit = o.Limit
	}
	m.spec(t, epsilon, &s)
	return s
}
