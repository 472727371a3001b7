package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"sotto/mech"
)

// Parameters say what a mechanism was made from. A list of weights may have as
// many numbers as there are codes, so that they hold its sum and its digest in
// its place; in full it stands in the manifest of a model.
type Parameters struct {
	mech.Params
	WeightList
}

// WeightList stands for a list of weights.
type WeightList struct {
	WeightSum     float64 `json:"weight_sum,omitempty"`
	WeightsDigest string  `json:"weights_sha256,omitempty"` // of the list as JSON, without white space
}

// MarshalJSON implements [json.Marshaler].
func (p Parameters) MarshalJSON() ([]byte, error) { return p.MarshalBeside(p.WeightList) }

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Parameters) UnmarshalJSON(data []byte) error { return p.UnmarshalBeside(data, &p.WeightList) }

func parametersOf(p mech.Params) (Parameters, error) {
	short := Parameters{Params: p}
	own := mech.OwnOf[mech.CodesParams](p)
	if own.Weights == nil {
		return short, nil
	}
	list, err := json.Marshal(own.Weights)
	if err != nil {
		return short, fmt.Errorf("gateway: the mechanism cannot be written: %w", err)
	}
	for _, w := range own.Weights {
		short.WeightSum += w
	}
	sum := sha256.Sum256(list)
	short.WeightsDigest, own.Weights = hex.EncodeToString(sum[:]), nil
	short.Own = own
	return short, nil
}

// coded reports whether a release is one of several codes: a vector that is 1 in
// one place and 0 in all others.
func (g *Gateway) coded() bool { return mech.VariantOf(g.parameters.Params).Form == mech.FormCode }

// indexed reports whether so many dimensions ask for the index of a code. There
// are at least two codes, so that no vector of them has one number.
func (g *Gateway) indexed(dimensions int) bool { return g.coded() && dimensions == 1 }

// codeOf returns the index of the code that was released.
func codeOf(released []float32) int { return slices.Index(released, 1) }

// code is a release of a code, as the page shows it.
type code struct {
	Index int       `json:"index"`
	Of    int       `json:"of"`    // how many there are
	Means []meaning `json:"means"` // what it stands for; empty if that is not known
}

// meaning is the class that a code stands for.
type meaning struct {
	Label string `json:"label"`
	Class string `json:"class"`
}

// code returns what a release stands for, or nil if it is no code.
func (g *Gateway) code(released []float32) *code {
	if !g.coded() {
		return nil
	}
	c := &code{Index: codeOf(released), Of: len(released), Means: []meaning{}}
	if m, ok := g.Mechanism.(*served); ok && c.Index >= 0 {
		for l, label := range m.labels {
			c.Means = append(c.Means, meaning{label.Name, label.Classes[m.answers[c.Index][l]]})
		}
	}
	return c
}
