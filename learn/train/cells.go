package train

import (
	"cmp"
	"fmt"

	"sotto/promise/mech"
)

// Cells fits a classifier on vectors that were released as one of several public cells,
// each once, as a server that sees nothing else does. As with [LDPNN], the noise of the
// vectors that are trained on is simulated.
type Cells struct {
	Hidden []int   `json:"hidden,omitempty"` // widths of hidden layers; nil means none
	Epochs int     `json:"epochs,omitempty"` // 0 means 30
	Batch  int     `json:"batch,omitempty"`  // 0 means 256, or less where an epoch would have fewer than 16 steps
	Rate   float64 `json:"rate,omitempty"`   // of Adam; 0 means 0.01
	// Release is cells with their centres, in a variant that releases a vector. Its dim
	// is that of the vectors.
	Release mech.Params `json:"release"`
}

// Prepare implements [Method].
func (h Cells) Prepare(d Data) (*Fitting, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if v := mech.VariantOf(h.Release); v.Form != mech.FormCell {
		return nil, fmt.Errorf("train: mechanism is %s %s, must be cells in the variant %s or %s, from which a classifier learns", h.Release.Mechanism, h.Release.Variant, mech.Mean, mech.Centroid)
	}
	h.Release = h.Release.Fit(d.X.Cols)
	if h.Release.Dim != d.X.Cols {
		return nil, fmt.Errorf("train: cells have centres of %d numbers, must have those of the vectors, %d", h.Release.Dim, d.X.Cols)
	}
	h.Batch = cmp.Or(h.Batch, min(256, max(1, len(d.Train)/leastSteps)))
	h.Epochs, h.Rate = cmp.Or(h.Epochs, 30), cmp.Or(h.Rate, 0.01)
	return server{release: h.Release, hidden: h.Hidden, epochs: h.Epochs, batch: h.Batch, rate: h.Rate}.prepare(d)
}
