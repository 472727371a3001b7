package frontier

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sotto/internal/layout"
	"sotto/learn/experiment"
	"sotto/text/encode/bert"
	"sotto/text/encode/catalogue"
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
	// encoder is what its title says of the encoder; "" for the built-in one.
	encoder string
	// spec is what the method adds to the experiment of a task, and adapt, if not
	// nil, what it changes there.
	spec  experiment.Spec
	adapt func(Task, *experiment.Spec)
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

// minilm is the transformer unless another is named.
const minilm = "minilm"

// What the titles of methods say of their encoder.
const (
	frozen = "transformer"
	tuned  = "tuned transformer"
)

// privembClip bounds the norm of a vector for PRIVEMB: two vectors are then at
// most 2 apart, so that a metric ε/2 is a text-level ε.
const privembClip = 1

// Methods lists the methods in the order in which they are shown.
func Methods() []Method {
	one, both, all, later := []Part{One}, []Part{One, Several}, []Part{One, Several, Later}, []Part{Later}
	type spec = experiment.Spec
	name := func(method string) []string { return []string{method} }
	methods := []Method{
		{Name: answered, Title: "non-private", Parts: all, weight: 2, spec: spec{Methods: name("plain")}},
		{Name: majority, Title: "majority", Parts: both, spec: spec{Methods: name("majority")}, adapt: func(_ Task, s *spec) { s.Epochs = 0 }},
		{Name: "label", Title: "label RR", Parts: []Part{One, Later}, Honest: true, Private: true, weight: 2, spec: spec{Methods: name("label")}, adapt: firstLabel},
		{Name: split, Title: "ε-split RR", Parts: []Part{Several}, Honest: true, Private: true},
		{Name: "dpnr", Title: "DPNR honest", Parts: both, Honest: true, Private: true, weight: 4, spec: spec{Methods: name("dpnr")}},
		{Name: federate, Title: "FEDERATE honest", Parts: both, Honest: true, Private: true, weight: 5, spec: spec{Methods: name("federate")}, adapt: withoutAdversary},
		{Name: "ldpnn", Title: "LDPNN honest", Parts: both, Honest: true, Private: true, weight: 8, spec: spec{Methods: name("ldpnn"), Mechanism: "bitrr"}},
		{Name: "privemb", Title: "PRIVEMB", Parts: both, Honest: true, Private: true, weight: 2, spec: spec{Methods: name("privemb"), Clip: privembClip}, adapt: func(_ Task, s *spec) {
			s.Epsilons[0] /= 2 * privembClip
		}},
		{Name: "laplace-8", Title: "noise laplace-l1, width 8", Parts: later, Honest: true, Private: true, weight: 3, spec: spec{Methods: name("noise"), Mechanism: "laplace-l1", Dims: []int{8}}},
		{Name: "privunit-8", Title: "noise privunit, width 8", Parts: later, Honest: true, Private: true, weight: 3, spec: spec{Methods: name("noise"), Mechanism: "privunit", Dims: []int{8}}},
		{Name: auto, Title: "auto", Parts: all, Honest: true, Private: true, weight: 7, spec: spec{Methods: name("auto")}},
		{Name: fair, Title: "codes, fair", Parts: both, Honest: true, Private: true, protects: true, weight: 3, spec: spec{Methods: name("codes"), Fair: true}},
		{Name: "auto-25", Title: "auto, a quarter reserved", Parts: later, Honest: true, Private: true, weight: 7, spec: spec{Methods: name("auto"), Reserve: 0.25}},
		{Name: "auto-50", Title: "auto, half reserved", Parts: later, Honest: true, Private: true, weight: 7, spec: spec{Methods: name("auto"), Reserve: 0.5}},
	}
	// The same on the vectors of a transformer, as it comes and tuned by the labels.
	for _, e := range []struct {
		name, title string
		tune        bool
		weight      int
	}{{"frozen", frozen, false, 10}, {"tuned", tuned, true, 20}} {
		for _, m := range []Method{
			{Name: answered, Title: "non-private"},
			{Name: "label", Title: "label RR", Honest: true, Private: true},
			{Name: auto, Title: "auto", Honest: true, Private: true},
		} {
			m.spec = spec{Methods: name(m.Name), Encoder: minilm, Tune: e.tune}
			m.Name, m.Title, m.Parts, m.encoder, m.weight = m.Name+"-"+e.name, m.Title+", "+e.title, one, e.title, e.weight
			methods = append(methods, m)
		}
	}
	return methods
}

// firstLabel releases the first label alone. The other labels leave the vectors
// as they do for the other methods, and are learnt from the releases.
func firstLabel(t Task, s *experiment.Spec) {
	s.Labels, s.Unknown = t.Labels[:1], slices.Concat(t.Labels[1:], t.Unknown)
}

// withoutAdversary leaves the adversary out where there is nothing to protect:
// what remains of FEDERATE is its noise.
func withoutAdversary(t Task, s *experiment.Spec) {
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
	return Method{}, fmt.Errorf("frontier: method is %.40q, must be one of %s%s", name, strings.Join(names, ", "), layout.Hint(name, names))
}

// experiment returns what is run for a method at a task.
func (o Options) experiment(t Task, m Method, epsilon float64) experiment.Spec {
	s := m.spec
	s.Data, s.Labels, s.Unknown, s.Limit, s.Seeds = t.Data, t.Labels, t.Unknown, t.Limit, o.Seeds
	if m.encoder != "" {
		s.Encoder = catalogue.Name(cmp.Or(o.Encoder, minilm))
		if s.Tune {
			s.TuneEpochs, s.TuneLong = o.TuneEpochs, bert.Truncate // windows would take hours
		}
	}
	if m.Private {
		s.Epsilons = []float64{epsilon}
	}
	if o.Quick {
		s.Limit, s.Epochs = quickLimit, quickEpochs
		if s.Tune {
			s.TuneEpochs = cmp.Or(o.TuneEpochs, 1)
		}
	}
	s.Limit = cmp.Or(o.Limit, s.Limit)
	if m.adapt != nil {
		m.adapt(t, &s)
	}
	return s
}
