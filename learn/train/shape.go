package train

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Shape says how wide the layers of a model are. Hidden layers have ReLU and
// dropout behind them, last layers nothing.
type Shape struct {
	// Encoder holds the widths of the encoder's layers, the last being that
	// of the representation; nil means 300, 300.
	Encoder []int `json:"encoder,omitzero"`
	// Classifier holds the widths of the classifier's hidden layers; nil means
	// none, which makes it linear.
	Classifier []int `json:"classifier,omitempty"`
	// Adversary holds the widths of an adversary's hidden layers; nil means
	// 256, 256, and empty none, which makes it linear.
	Adversary []int `json:"adversary,omitzero"`
	// Dropout is the share of hidden outputs that training drops: in [0, 1);
	// negative means none and 0 means 0.1.
	Dropout float64 `json:"dropout,omitempty"`
}

// Twitter is the shape that FEDERATE was published with for Twitter Sentiment
// and for Adult.
func Twitter() Shape { return Shape{Encoder: []int{300, 300}, Adversary: []int{256, 256}} }

// Bios is the shape that FEDERATE was published with for Bias in Bios and for
// CelebA.
func Bios() Shape {
	return Shape{Encoder: []int{100, 50, 50}, Classifier: []int{50, 25}, Adversary: []int{50}}
}

// Filled returns s with its defaults, or the first fault: no layer may be wider than widest.
func (s Shape) Filled(widest int) (Shape, error) {
	if s.Encoder == nil {
		s.Encoder = Twitter().Encoder
	}
	if s.Adversary == nil {
		s.Adversary = Twitter().Adversary
	}
	s.Dropout = max(cmp.Or(s.Dropout, 0.1), 0)
	if !(s.Dropout < 1) {
		return s, fmt.Errorf("train: dropout is %v, must be in [0, 1)", s.Dropout)
	}
	if len(s.Encoder) == 0 {
		return s, fmt.Errorf("train: encoder has no layers, must have at least one")
	}
	for _, w := range slices.Concat(s.Encoder, s.Classifier, s.Adversary) {
		if w < 1 || w > widest {
			return s, fmt.Errorf("train: a layer is %d wide, must be from 1 to %d", w, widest)
		}
	}
	return s, nil
}

// Dim is the width of the representation.
func (s Shape) Dim() int { return s.Encoder[len(s.Encoder)-1] }

// Layers describes the encoder's.
func (s Shape) Layers() string {
	if len(s.Encoder) == 0 {
		return "linear"
	}
	name := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Encoder), "[]"), " ", "-")
	if s.Dropout > 0 {
		name += fmt.Sprintf(" dropout %v", s.Dropout)
	}
	return name
}
