// Package joint tells relations and writes the rule that explains each, by one network: an
// LSTM in both directions and graph convolutions on the part of the tree between the
// arguments (Zhang, Qi and Manning, EMNLP 2018), with a classifier and a decoder with
// attention that are trained together, after the rule decoder of Tang and Surdeanu
// (TrustNLP 2021).
//
// The same data, settings and seed give the same model on any number of workers, also if
// the training was stopped and went on. It promises no privacy: a model knows words and
// patterns of what it learnt from. The smallest use is
//
//	t, err := joint.New(joint.Data{Train: train, Dev: dev, Rules: rules, Vectors: glove}, joint.Settings{Seed: 1})
//	…
//	err = t.Run(ctx, joint.Options{Pool: nn.NewPool(2)})
//	err = t.Write("model")
//	m, err := joint.Open("model")
//	verdicts, err := m.Judge(ctx, instances)
package joint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// What a network can be trained on.
const (
	RulesAndLabels = "rules+labels" // every instance has its relation, and its rule where one matches
	RulesAlone     = "rules"        // an instance has the relation of the rule that matches it
)

// The parts that a network can do without.
const (
	Decoder    = "decoder"
	Classifier = "classifier"
)

// Settings say how a network is made and trained. The zero value uses the defaults.
type Settings struct {
	On      string  `json:"on"`              // [RulesAndLabels], the default, or [RulesAlone]
	Without string  `json:"without"`         // "", [Decoder] or [Classifier]
	Share   float64 `json:"share"`           // of the rules that it sees, drawn by the seed; 0 means 1
	Mask    bool    `json:"mask"`            // hide the words of arguments behind their types
	Epochs  int     `json:"epochs"`          // 0 means as many as make Steps, but 100 at most
	Steps   int     `json:"steps,omitempty"` // 0 means some 2,160, and 10 epochs at least; nothing where Epochs says how many
	Batch   int     `json:"batch"`           // instances a step; 0 means 50
	Rate    float64 `json:"rate"`            // of Adam; 0 means 0.001
	Hidden  int     `json:"hidden"`          // numbers of a state; 0 means 200
	Seed    uint64  `json:"seed"`
}

func (s Settings) filled() (Settings, error) {
	s.On, s.Share = cmp.Or(s.On, RulesAndLabels), cmp.Or(s.Share, 1)
	s.Batch, s.Hidden = cmp.Or(s.Batch, 50), cmp.Or(s.Hidden, 200)
	s.Rate = cmp.Or(s.Rate, 0.001)
	return s, cmp.Or(
		among("what it is trained on", s.On, RulesAlone, RulesAndLabels),
		among("what it is without", s.Without, "", Decoder, Classifier),
		within("share of rules", s.Share, 1), within("rate", s.Rate, 1),
		within("epochs", float64(cmp.Or(s.Epochs, 1)), 1000), within("steps", float64(cmp.Or(s.Steps, 1)), 1_000_000),
		within("batch", float64(s.Batch), 10_000), within("hidden", float64(s.Hidden), 2000))
}

// among refuses a value that is none of some.
func among(name, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	var quoted []string
	for _, k := range known {
		quoted = append(quoted, fmt.Sprintf("%q", k))
	}
	return fmt.Errorf("joint: %s is %.40q, must be one of %s", name, value, strings.Join(quoted, ", "))
}

// within refuses a value that is not above 0 and at most another.
func within(name string, v, most float64) error {
	if v > 0 && v <= most && !math.IsNaN(v) {
		return nil
	}
	return fmt.Errorf("joint: %s is %v, must be above 0 and at most %v", name, v, most)
}

// Vectors gives words vectors, such as those of GloVe.
type Vectors interface {
	Dim() int
	Words() []string
	Vector(word string) ([]float32, bool)
}

// Data is what is learnt from.
type Data struct {
	Name  string // of the data
	Train []relation.Instance
	Dev   []relation.Instance // tell which epoch is the best; none of them is learnt from
	Rules *rule.File          // the best first
	// Vectors are where those of words begin; those of words of the training sentences
	// learn, and the others stay.
	Vectors Vectors
}
