package erase

import (
	"context"
	"errors"
	"fmt"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// Reading is how well a probe reads a concept in rows that it was not fitted to.
type Reading struct {
	Accuracy   float64 `json:"accuracy"`
	Low        float64 `json:"low"` // 95 % Clopper–Pearson interval of the accuracy
	High       float64 `json:"high"`
	Majority   float64 `json:"majority"` // share of the commonest class, in the rows scored
	Balanced   float64 `json:"balanced_accuracy"`
	RowsFitted int     `json:"rows_fitted"`
	RowsScored int     `json:"rows_scored"`
	Epochs     int     `json:"epochs"`
}

// Readings are those of both probes. One without the other says little: an
// eraser that the linear probe cannot read past, the other mostly can.
type Readings struct {
	Linear Reading `json:"linear"`
	MLP    Reading `json:"mlp"`
}

// Probes read a concept: a logistic regression, and a network with a layer of
// hidden units. The zero value uses the defaults.
type Probes struct {
	Units  int    // hidden; 0 means 256
	Epochs int    // at most; 0 means 200, or as many as make 5,000 steps
	Seed   uint64 // of the first weights and of the order of rows
}

func (h Probes) withDefaults() Probes {
	if h.Units == 0 {
		h.Units = 256
	}
	return h
}

// probe returns one for so many rows. Few rows make few steps an epoch, and a
// probe that has not learnt what it can would call an eraser good.
func (h Probes) probe(hidden []int, rows int) measure.Probe {
	if h.Epochs == 0 {
		const batch = 200 // of measure.Probe
		h.Epochs = max(200, 5000/max(1, (rows+batch-1)/batch))
	}
	return measure.Probe{Hidden: hidden, Epochs: h.Epochs, Seed: h.Seed}
}

// Read fits both probes to some rows and scores them on others. The interval is
// that of the accuracy on new rows; it does not know of better probes. Errors
// are those of [measure.Probe.Fit].
func (h Probes) Read(ctx context.Context, p *nn.Pool, fit, score measure.Labelled, classes int) (Readings, error) {
	linear, err := h.ReadLinear(ctx, p, fit, score, classes)
	if err != nil {
		return Readings{}, err
	}
	h = h.withDefaults()
	mlp, err := read(ctx, p, h.probe([]int{h.Units}, len(fit.Z)), fit, score, classes)
	return Readings{linear, mlp}, err
}

// ReadLinear is Read with the linear probe alone.
func (h Probes) ReadLinear(ctx context.Context, p *nn.Pool, fit, score measure.Labelled, classes int) (Reading, error) {
	return read(ctx, p, h.probe([]int{}, len(fit.Z)), fit, score, classes)
}

func read(ctx context.Context, p *nn.Pool, probe measure.Probe, fit, score measure.Labelled, classes int) (Reading, error) {
	if fit.X.Cols != score.X.Cols {
		return Reading{}, fmt.Errorf("erase: rows to score have %d numbers, must have those of rows to fit, %d", score.X.Cols, fit.X.Cols)
	}
	a, err := probe.Fit(ctx, p, fit.X, fit.Z, classes)
	if err != nil {
		return Reading{}, fmt.Errorf("erase: %w", err)
	}
	got := a.Predict(p, score.X)
	right, rows := 0, 0
	for i, z := range score.Z {
		if z >= 0 {
			rows++
			if got[i] == z {
				right++
			}
		}
	}
	if rows == 0 {
		return Reading{}, errors.New("erase: the concept is unknown in all rows to score, must be known in some")
	}
	r := Reading{
		Accuracy: float64(right) / float64(rows), Majority: measure.Majority(score.Z),
		Balanced: measure.BalancedAccuracy(score.Z, got), RowsFitted: a.Rows, RowsScored: rows, Epochs: a.Epochs,
	}
	r.Low, r.High = measure.ClopperPearson(right, rows, 0.95)
	return r, nil
}
