package measure

import (
	"context"
	"fmt"

	"sotto/compute/nn"
)

// Leakage is what an attacker learnt of an attribute. The accuracy means little
// without the rest: compare it with Majority, and with dp.AccuracyBound of the release.
type Leakage struct {
	Accuracy float64 `json:"accuracy"`
	Low      float64 `json:"low"` // 95 % Clopper–Pearson interval of the accuracy
	High     float64 `json:"high"`
	Majority float64 `json:"majority"`          // of the rows scored; see [Majority]
	Balanced float64 `json:"balanced_accuracy"` // see [BalancedAccuracy]
	// AUC is [AUC] of the second class for two, and for more the mean over the
	// classes present of one against the others. It is undefined if all rows
	// scored have the same value.
	AUC Number `json:"auc"`
	// Linear is the accuracy of the same probe without hidden layers, with at
	// least the default number of epochs, which it needs.
	Linear     float64 `json:"linear_accuracy"`
	RowsFitted int     `json:"rows_fitted"`
	RowsScored int     `json:"rows_scored"`
}

// Leak fits a probe to one part of the data, scores it on another, and does the
// same with a linear one. The FEDERATE tables fit on the validation part and
// score on the test part. The interval covers the accuracy of this attacker on
// new rows; it does not know of the seed or of better attackers. A value to score
// that is not below classes is one that no row to fit has: it counts as any other
// and is always missed. Errors are those of [Probe.Fit]. Leak panics if a part
// does not have one value a row.
func Leak(ctx context.Context, p *nn.Pool, h Probe, fit, score Labelled, classes int) (Leakage, error) {
	if fit.X.Cols != score.X.Cols {
		return Leakage{}, fmt.Errorf("measure: rows to score have %d columns, must be those of rows to fit, %d",
			score.X.Cols, fit.X.Cols)
	}
	known, err := knownRows(score, max(classes, largest(score.Z)+1))
	if err != nil {
		return Leakage{}, fmt.Errorf("rows to score: %w", err)
	}
	a, err := h.Fit(ctx, p, fit.X, fit.Z, classes)
	if err != nil {
		return Leakage{}, fmt.Errorf("rows to fit: %w", err)
	}
	probabilities := a.Probabilities(p, score.X)
	got := likeliest(probabilities)
	right, rows := Hits(score.Z, got)
	l := Leakage{
		Accuracy:   float64(right) / float64(rows),
		Majority:   Majority(score.Z),
		Balanced:   BalancedAccuracy(score.Z, got),
		AUC:        Number(oneAgainstRest(score.Z, probabilities, known)),
		RowsFitted: a.Rows,
		RowsScored: rows,
	}
	l.Low, l.High = ClopperPearson(right, rows, 0.95)
	l.Linear = l.Accuracy
	if len(a.model) > 1 {
		linear, err := h.linear().Fit(ctx, p, fit.X, fit.Z, classes)
		if err != nil {
			return Leakage{}, fmt.Errorf("linear probe: %w", err)
		}
		l.Linear = Accuracy(score.Z, linear.Predict(p, score.X))
	}
	return l, nil
}

// oneAgainstRest returns the AUC of the second of two classes, and the mean of
// the AUCs of the classes that occur for more.
func oneAgainstRest(z []int, probabilities nn.Matrix, rows []int) float64 {
	first := 0
	if probabilities.Cols == 2 {
		first = 1
	}
	positive, score := make([]bool, len(rows)), make([]float64, len(rows))
	sum, present := 0.0, 0
	for c := first; c < probabilities.Cols; c++ {
		occurs := false
		for k, i := range rows {
			positive[k], score[k] = z[i] == c, float64(probabilities.Row(i)[c])
			occurs = occurs || positive[k]
		}
		if occurs {
			sum += AUC(positive, score)
			present++
		}
	}
	return sum / float64(present)
}
