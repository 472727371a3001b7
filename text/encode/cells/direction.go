package cells

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/nn"
)

// Labelled says by which public labels cells were pulled apart.
type Labelled struct {
	Texts    int     `json:"texts"`  // that have labels
	Weight   float64 `json:"weight"` // how strongly the labels count
	About    string  `json:"about"`  // the two labels, the lower side first
	Agreeing float64 `json:"agreeing"`
	// Direction is along which the two labels differ, of length in proportion to Weight.
	Direction []float64 `json:"direction"`
}

// DefaultWeight is how strongly labels count if nothing else is said: a text whose
// score is one deviation above the mean moves by half of a vector's length. Of 0.15, 0.3,
// 0.5, 0.8 and 1.2 it gave the best mean over five tasks of which no label was known.
const DefaultWeight = 0.5

// MaxWeight is where cells tell of labels and of nothing else.
const MaxWeight = 100.0

// Direct finds along which direction rows with the labels 0 and 1 differ, of those that
// have one; −1 says that a row has none. It is the least-squares fit of the labels, with a
// ridge, so long that the scores of labelled rows have the root mean square weight.
// Cells that are made with it keep apart what the labels keep apart, such as praise and
// complaint, which a sentence's topic drowns otherwise. Rows and labels are public; the
// direction is part of a public map, so that ε stays what it is.
//
// It also returns the share of labelled rows that lie on the side of their own label.
func Direct(x nn.Matrix, labels []int, weight float64) (direction []float64, agreeing float64, err error) {
	if !(weight > 0 && weight <= MaxWeight) {
		return nil, 0, fmt.Errorf("cells: the weight of labels is %v, must be above 0 and at most %v", weight, MaxWeight)
	}
	const ridge = 3
	n := x.Cols + 1 // a constant stands last
	squares, right, row := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	row.SetVec(x.Cols, 1)
	of := [2]int{}
	for i, label := range labels {
		if label < 0 {
			continue
		}
		of[label]++
		for j, v := range x.Row(i) {
			row.SetVec(j, float64(v))
		}
		squares.SymRankOne(squares, 1, row)
		right.AddScaledVec(right, float64(2*label-1), row)
	}
	if of[0] == 0 || of[1] == 0 {
		return nil, 0, fmt.Errorf("cells: %d texts have the one label and %d the other, must be some of each", of[0], of[1])
	}
	for j := range n {
		squares.SetSym(j, j, squares.At(j, j)+ridge)
	}
	var by mat.Cholesky
	var w mat.VecDense
	if !by.Factorize(squares) || by.SolveVecTo(&w, right) != nil {
		return nil, 0, errors.New("cells: the labels of public texts fit no direction, must be of vectors that are finite")
	}
	fit := mat.Col(nil, 0, &w)
	sum, correct := 0.0, 0
	for i, label := range labels {
		if label < 0 {
			continue
		}
		score := fit[x.Cols] + dot(x.Row(i), fit[:x.Cols])
		sum += float64(score * score)
		if (score > 0) == (label == 1) {
			correct++
		}
	}
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return nil, 0, errors.New("cells: the labels of public texts fit no direction, must be of vectors that differ")
	}
	scale := weight / math.Sqrt(sum/float64(of[0]+of[1]))
	direction = make([]float64, x.Cols)
	for j := range direction {
		direction[j] = rounded(float32(fit[j] * scale))
	}
	return direction, float64(correct) / float64(of[0]+of[1]), nil
}

// along returns rows with where they lie along a direction behind them, the rows
// themselves for none. What is nearest among these is nearest to the mechanism.
func along(x nn.Matrix, direction []float64) (nn.Matrix, error) {
	if direction == nil {
		return x, nil
	}
	if len(direction) != x.Cols {
		return x, fmt.Errorf("cells: the direction has %d numbers, must have %d as vectors have", len(direction), x.Cols)
	}
	z := nn.NewMatrix(x.Rows, x.Cols+1)
	for i := range x.Rows {
		copy(z.Row(i), x.Row(i))
		z.Row(i)[x.Cols] = float32(dot(x.Row(i), direction))
	}
	return z, nil
}
