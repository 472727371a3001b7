package measure

import (
	"fmt"

	"sotto/compute/nn"
)

// Attacker predicts an attribute from vectors. [Probe.Fit] makes one. It keeps
// buffers, so it is not safe for concurrent use.
type Attacker struct {
	Rows   int // that it was fitted on
	Epochs int // that it took

	scale      scaler
	classes    int
	model      nn.Sequential
	wide, slim nn.Matrix // buffers of logits and of the gradient for two classes
}

// predictRows is how many rows are predicted at a time.
const predictRows = 1024

// Probabilities returns the probabilities of the attribute's values for each
// row of x, rows × classes. A row with a number that is not finite gets NaNs. It
// panics if x does not have the columns of what the attacker was fitted on.
func (a *Attacker) Probabilities(p *nn.Pool, x nn.Matrix) nn.Matrix {
	if x.Cols != len(a.scale.mean) {
		panic(fmt.Sprintf("measure: rows have %d columns, attacker was fitted on %d", x.Cols, len(a.scale.mean)))
	}
	result := nn.NewMatrix(x.Rows, a.classes)
	batch := nn.NewMatrix(min(predictRows, x.Rows), x.Cols)
	for lo := 0; lo < x.Rows; lo += predictRows {
		part := batch.Slice(0, min(predictRows, x.Rows-lo))
		for k := range part.Rows {
			a.scale.to(part.Row(k), x.Row(lo+k))
		}
		logits := a.logits(p, nn.Infer, part)
		for k := range part.Rows {
			nn.Softmax(result.Row(lo+k), logits.Row(k))
			if !finite(x.Row(lo + k)) { // a kernel may have turned NaN into a number
				for c := range a.classes {
					result.Row(lo + k)[c] = float32(undefined)
				}
			}
		}
	}
	return result
}

// Predict returns the likeliest value of the attribute for each row of x, the
// first of equally likely ones, and −1 for a row with a number that is not
// finite. It panics if x does not have the columns of what the attacker was
// fitted on.
func (a *Attacker) Predict(p *nn.Pool, x nn.Matrix) []int {
	return likeliest(a.Probabilities(p, x))
}

// likeliest returns the first of the largest columns of each row, −1 for NaNs.
func likeliest(probabilities nn.Matrix) []int {
	got := make([]int, probabilities.Rows)
	for i := range got {
		if got[i] = nn.Argmax(probabilities.Row(i)); !(probabilities.Row(i)[got[i]] >= 0) {
			got[i] = -1
		}
	}
	return got
}

// logits returns the logits of standardised rows, one for each class, valid
// until the next call.
func (a *Attacker) logits(p *nn.Pool, mode nn.Mode, x nn.Matrix) nn.Matrix {
	y := a.model.Forward(p, mode, x)
	if a.classes != 2 {
		return y
	}
	if a.wide.Rows < y.Rows {
		a.wide, a.slim = nn.NewMatrix(y.Rows, 2), nn.NewMatrix(y.Rows, 1)
	}
	wide := a.wide.Slice(0, y.Rows)
	for i, v := range y.Data[:y.Rows] {
		wide.Data[2*i+1] = v // the first class's logit stays 0
	}
	return wide
}

// backward takes the gradient with respect to what logits returned.
func (a *Attacker) backward(p *nn.Pool, grad nn.Matrix) {
	if a.classes == 2 {
		slim := a.slim.Slice(0, grad.Rows)
		for i := range slim.Data {
			slim.Data[i] = grad.Data[2*i+1]
		}
		grad = slim
	}
	a.model.Backward(p, grad)
}

// Coefficients returns what an attacker without hidden layers looks at: for each
// class but the first, by how much its score rises above that of the first with
// each number of a row, in the units of the rows that it was fitted to. It
// returns nil for an attacker with hidden layers.
func (a *Attacker) Coefficients() [][]float64 {
	if len(a.model) > 1 {
		return nil
	}
	weight := a.model.Params()[0].Value // columns × scores
	of := make([][]float64, a.classes-1)
	for c := range of {
		of[c] = make([]float64, weight.Rows)
		for j := range of[c] {
			row := weight.Row(j)
			if a.classes == 2 { // one output, the second class's
				of[c][j] = float64(row[0]) * a.scale.factor[j]
			} else {
				of[c][j] = (float64(row[c+1]) - float64(row[0])) * a.scale.factor[j]
			}
		}
	}
	return of
}
