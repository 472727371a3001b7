package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"sotto/promise/mech"
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

// listed is a mechanism that can say which of its answers a release is.
type listed interface {
	Index(y []float64) (int, error)
	Law() (mech.Law, error)
}

// celled returns what tells the cell that was released, if a release is a vector that
// stands for one of several public cells.
func (g *Gateway) celled() (listed, bool) {
	if mech.VariantOf(g.parameters.Params).Form != mech.FormCell || g.Width() == 1 {
		return nil, false
	}
	m, ok := g.Mechanism.(listed)
	return m, ok
}

// indexed reports whether so many dimensions ask for the index of a code or a cell.
// There are at least two codes, so that no vector of them has one number.
func (g *Gateway) indexed(dimensions int) bool { return dimensions == 1 && g.indexable() != "" }

// indexable says of what an index can be asked for, "" for nothing.
func (g *Gateway) indexable() string {
	if g.coded() {
		return "a code"
	}
	if _, ok := g.celled(); ok {
		return "a cell"
	}
	return ""
}

// codeOf returns the index of the code or cell that was released, negative if it is
// neither.
func (g *Gateway) codeOf(released []float32) int {
	m, ok := g.celled()
	if !ok {
		return slices.Index(released, 1)
	}
	y := make([]float64, len(released))
	for i, v := range released {
		y[i] = float64(v)
	}
	c, err := m.Index(y)
	if err != nil {
		return -1
	}
	return c
}

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

// code returns what a release stands for, or nil if it is no code and no cell.
func (g *Gateway) code(released []float32) *code {
	if g.indexable() == "" {
		return nil
	}
	c := &code{Index: g.codeOf(released), Of: len(released), Means: []meaning{}}
	if m, ok := g.celled(); ok {
		if law, err := m.Law(); err == nil {
			c.Of = len(law.Least)
		}
		if c.Index >= 0 && c.Index < len(g.Words) {
			c.Means = append(c.Means, meaning{Class: g.Words[c.Index]})
		}
	}
	if m, ok := g.Mechanism.(*served); ok && c.Index >= 0 {
		for l, label := range m.labels {
			c.Means = append(c.Means, meaning{label.Name, label.Classes[m.answers[c.Index][l]]})
		}
	}
	return c
}
