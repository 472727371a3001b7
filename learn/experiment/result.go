package experiment

import (
	"cmp"
	"slices"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// ResultsFormat is the format of a stored [Result].
const ResultsFormat = "sotto-results-1"

// Result is what a [Spec] gave. Shares are from 0 to 1; null is not defined,
// or not measured.
type Result struct {
	Format string           `json:"format"`
	Spec   Spec             `json:"spec"`
	Data   model.DataRecord `json:"data"`
	Rows   Rows             `json:"rows"`
	Notes  []string         `json:"notes,omitempty"`
	// Priors are the shares of the label's classes in the test part.
	Priors []float64 `json:"priors"`
	// MorePriors are those of each further label.
	MorePriors [][]float64 `json:"more_priors,omitempty"`
	// Reference is the accuracy on the test part of a model that protects
	// nothing, with the first seed: what the yardstick is computed from.
	Reference measure.Number `json:"reference"`

	// Method, Seeds, Mean, Deviation and Interval are those of the selected
	// configuration of the first method.
	Method    string            `json:"method"`
	Seeds     []Score           `json:"seeds"`
	Mean      Score             `json:"mean"`
	Deviation Score             `json:"deviation"`
	Interval  [2]measure.Number `json:"interval"`

	Configurations []Configuration `json:"configurations"`
	// Headline is what the selected configuration of the first method comes to.
	*Headline
	// Frontier tells of the search of the method auto, where it is the first.
	*Frontier
	// Pictures are there if they were asked for.
	Pictures []Picture `json:"pictures,omitempty"`
	// Failed lists the trainings that came to nothing, such as those that
	// diverged; the means are over the others.
	Failed []Failure `json:"failed,omitempty"`
	// Interrupted says that the work was stopped; what is there is true of the
	// epochs that were trained.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Failure is a training that came to nothing.
type Failure struct {
	Job    string `json:"job"` // configuration and seed
	Reason string `json:"reason"`
}

// Rows counts the rows of the parts.
type Rows struct {
	Train      int `json:"train"`
	Validation int `json:"validation"`
	Test       int `json:"test"`
}

// Configuration is one point of the grid with all its seeds.
type Configuration struct {
	Point
	Folder   string `json:"folder,omitempty"` // of its models, below the folder of the result
	Selected bool   `json:"selected"`         // by the relaxation threshold, among those of its method
	// Collapsed says that a seed's training ended in answering the commonest class,
	// for no reason that its ε gives. Such a configuration is never selected.
	Collapsed bool            `json:"collapsed,omitempty"`
	Statement *mech.Statement `json:"statement"` // null: nothing protects, or nothing is released
	Coverage  string          `json:"coverage,omitempty"`
	// Channel tells of the channel of a method that releases codes; nil for others.
	Channel *Channel `json:"channel,omitempty"`
	// Person is what a person of a file is promised if each of that person's rows
	// is released once; nil if nobody said whose rows are.
	Person    *dp.Person `json:"person,omitempty"`
	Seeds     []Score    `json:"seeds"`
	Mean      Score      `json:"mean"`
	Deviation Score      `json:"deviation"`
	// Fairness compares the groups of the attribute by the first seed's answers;
	// nil if no attribute is protected.
	Fairness *measure.Fairness `json:"fairness,omitempty"`
	// Interval is the 95 % interval of the mean accuracy over seeds, after
	// Student; undefined for one seed.
	Interval [2]measure.Number `json:"interval"`
}

// Channel says what a channel was made of, and what it costs where it is public: the
// objective on the validation rows, of the first seed, beside that of a fitted one.
type Channel struct {
	Kind channel.Kind `json:"kind"`
	*model.Compared
}

// Tells says what a channel tells of the texts that were trained and validated on.
func (c Channel) Tells() string {
	if c.Kind == channel.Public {
		return "the channel is public: codes, weights and what a code says are made of ε and the classes alone, and tell of no text"
	}
	return "the channel is fitted: codes, weights and what a code says were found on the texts that were trained and validated on; they change with one text, whoever receives releases or the head sees them, and no guarantee covers what they tell"
}

// channelOf is what a model's result says of its channel, nil if it has none.
func channelOf(m *model.Model) *Channel {
	a := m.Architecture()
	if len(a.Answers) == 0 {
		return nil
	}
	return &Channel{cmp.Or(a.Channel, channel.Fitted), m.Compared}
}

// Strongest is the attacker that was right most often, on average over seeds.
type Strongest struct {
	Attacker  string
	Mean      measure.Number
	Low, High measure.Number // of the 95 % intervals of all seeds
}

// Strongest returns the strongest attacker of the attribute; its numbers are
// undefined if none was tried on every seed.
func (c *Configuration) Strongest() Strongest {
	best := Strongest{Mean: measure.Undefined, Low: measure.Undefined, High: measure.Undefined}
	for _, of := range []struct {
		name string
		leak func(*Score) *measure.Leakage
	}{
		{"mlp-100", func(s *Score) *measure.Leakage { return s.Attack }},
		{"mlp-100-centred", func(s *Score) *measure.Leakage { return s.Centred }},
	} {
		sum, low, high, all := 0.0, 1.0, 0.0, len(c.Seeds) > 0
		for i := range c.Seeds {
			l := of.leak(&c.Seeds[i])
			if all = all && l != nil; all {
				sum, low, high = sum+l.Accuracy, min(low, l.Low), max(high, l.High)
			}
		}
		mean := measure.Number(sum / float64(len(c.Seeds)))
		if all && !(mean <= best.Mean) { // a NaN gives way
			best = Strongest{of.name, mean, measure.Number(low), measure.Number(high)}
		}
	}
	return best
}

// choose marks in each method the fairest of the configurations within the
// threshold, in points, of the best validation accuracy. Without a gap the
// most accurate is taken. Those that collapsed to the commonest class, of the
// given share, are marked and left out.
func choose(all []Configuration, threshold, commonest float64) {
	collapse(all, commonest)
	best := map[string]float64{}
	threshold = max(threshold, 0)
	for _, c := range all {
		if v := float64(c.Mean.ValidationAccuracy); v > best[c.group()] && !c.Collapsed {
			best[c.group()] = v
		}
	}
	chosen := map[string]int{}
	for i, c := range all {
		if c.Collapsed || !(float64(c.Mean.ValidationAccuracy) >= best[c.group()]-threshold/100) {
			continue
		}
		j, ok := chosen[c.group()]
		if !ok || c.Mean.Fairer(all[j].Mean) {
			chosen[c.group()] = i
		}
	}
	for _, i := range chosen {
		all[i].Selected = true
	}
}

// learnt is by how much a training must beat the commonest class to have learnt
// anything: more than the shares of two parts of the data differ.
const learnt = 0.01

// collapse marks configurations of which a seed learnt nothing although there
// was something to learn: another training did, of the same method and ε where
// noise may be why, and of any method without noise otherwise.
func collapse(all []Configuration, commonest float64) {
	stuck := func(s Score) bool {
		return s.Epoch > 0 && float64(s.ValidationAccuracy) < commonest+learnt // a constant answer has no epoch
	}
	learns := func(s Score) bool { return s.Epoch > 0 && !stuck(s) }
	for i, c := range all {
		all[i].Collapsed = slices.ContainsFunc(c.Seeds, stuck) && slices.ContainsFunc(all, func(other Configuration) bool {
			alike := other.Mechanism == "" && c.Mechanism == "" || other.group() == c.group() && other.Epsilon == c.Epsilon
			return alike && slices.ContainsFunc(other.Seeds, learns)
		})
	}
}

// commonest returns how often whoever always answers the commonest class is
// right, on average over the labels.
func (r *Result) commonest() float64 {
	if len(r.Priors) == 0 {
		return 0
	}
	sum := slices.Max(r.Priors)
	for _, p := range r.MorePriors {
		sum += slices.Max(p)
	}
	return sum / float64(1+len(r.MorePriors))
}

// group tells apart what is selected separately: methods, and what was asked
// for from its honest companion.
func (c Configuration) group() string {
	if c.Companion {
		return c.Method + " (companion)"
	}
	return c.Method
}
