package unseen

import (
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
	"sotto/promise/mech"
)

// Method is a way to release texts.
type Method struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Private bool   `json:"private"` // it promises ε
}

// The methods.
const (
	Cells    = "cells"
	Plain    = "cells-plain"
	Default  = "cells-default"
	Own      = "cells-own"
	PrivUnit = "privunit"
	Codebook = "codebook"
	Laplace  = "laplace-l1"
	Reserve  = "reserve"
	Raw      = "raw"
	Majority = "majority"
)

// Methods lists the methods.
func Methods() []Method {
	return []Method{
		{Cells, "one of the cells of public texts outside the tasks, opinions pulled apart by their labels", true},
		{Plain, "the same of vectors as they are", true},
		{Default, "one of the cells that come with sotto", true},
		{Own, "one of the cells of the task's own training texts, without labels, opinions pulled apart by public ones", true},
		{PrivUnit, "a unit vector, 32 principal components of public texts", true},
		{Codebook, "one of many random directions, the same components", true},
		{Laplace, "noise on the L1 sphere, the same components", true},
		{Reserve, "the signs of the three first components, which --reserve keeps for unseen labels", true},
		{Raw, "the vector itself: not private", false},
		{Majority, "the commonest class, without looking", false},
	}
}

// components is the width to which vectors are cut before noise is added to them: of
// 32 and all 384 it is the better one for PrivUnit at every ε.
const components = 32

// release is what became of the rows of a set: one of several answers each, or a
// vector each.
type release struct {
	answer []int     // nil if rows are vectors
	table  nn.Matrix // the vector that stands for each answer; or of each row
}

// matrix returns the vectors of rows.
func (r release) matrix(rows []int) nn.Matrix {
	if r.answer == nil {
		return r.table.Gather(rows)
	}
	return r.table.Gather(each(rows, func(i int) int { return r.answer[i] }))
}

// byCells releases in which cell each row lies. What stands for a cell is what a
// receiver expects of the vector.
func byCells(x nn.Matrix, of mech.CellsParams, epsilon float64, seed uint64) (release, error) {
	m, err := mech.NewCells(mech.Params{Dim: x.Cols, Epsilon: epsilon, Own: of})
	if err != nil {
		return release{}, err
	}
	r := release{answer: make([]int, x.Rows), table: nn.NewMatrix(len(of.Centres), x.Cols)}
	vector, src := make([]float64, x.Cols), weakrand.NewPCG(seed, 1)
	for c := range of.Centres {
		m.Vector(vector, c)
		narrow(r.table.Row(c), vector)
	}
	for i := range x.Rows {
		widen(vector, x.Row(i))
		if r.answer[i], err = m.Choose(vector, src); err != nil {
			return r, err
		}
	}
	return r, nil
}

// byNoise releases the components of each row by a mechanism of vectors, brought to
// the sphere that it takes.
func byNoise(name string, z nn.Matrix, epsilon float64, seed uint64) (release, error) {
	m, err := mech.New(mech.Params{Mechanism: name, Dim: z.Cols, Epsilon: epsilon})
	if err != nil {
		return release{}, err
	}
	in, out := make([]float64, len(z.Data)), make([]float64, len(z.Data))
	for i := range z.Rows {
		row := in[i*z.Cols : (i+1)*z.Cols]
		widen(row, z.Row(i))
		scale(row, name == Laplace)
	}
	if _, err = mech.PrivatizeRows(m, out, in, weakrand.NewPCG(seed, 2)); err != nil {
		return release{}, err
	}
	r := release{table: nn.NewMatrix(z.Rows, z.Cols)}
	narrow(r.table.Data, out)
	return r, nil
}

// bySigns releases the signs of the first components by randomised response, as codes
// do that know no label.
func bySigns(z nn.Matrix, epsilon float64, seed uint64) (release, error) {
	const signs = 3
	m, err := mech.NewKRR(mech.Params{Epsilon: epsilon, Own: mech.KRRParams{Classes: 1 << signs}})
	if err != nil {
		return release{}, err
	}
	r := release{answer: make([]int, z.Rows), table: nn.NewMatrix(1<<signs, signs)}
	for c := range r.table.Rows {
		for k := range signs {
			r.table.Row(c)[k] = float32(2*(c>>k&1) - 1)
		}
	}
	src := weakrand.NewPCG(seed, 3)
	for i := range z.Rows {
		code := 0
		for k := range signs {
			if z.Row(i)[k] > 0 {
				code |= 1 << k
			}
		}
		if r.answer[i], err = m.Respond(code, src); err != nil {
			return r, err
		}
	}
	return r, nil
}

// scale brings a row to length 1, in L1 or L2; one of zeros becomes the first axis.
func scale(row []float64, one bool) {
	sum := 0.0
	for _, v := range row {
		if one {
			sum += math.Abs(v)
		} else {
			sum += float64(v * v)
		}
	}
	if !one {
		sum = math.Sqrt(sum)
	}
	if !(sum > 0) {
		row[0], sum = 1, 1
	}
	for i := range row {
		row[i] /= sum
	}
}

func widen(dst []float64, src []float32) {
	for i, v := range src {
		dst[i] = float64(v)
	}
}

func narrow(dst []float32, src []float64) {
	for i, v := range src {
		dst[i] = float32(v)
	}
}

// has reports whether a method is to be tried.
func has(methods []Method, name string) bool {
	return slices.ContainsFunc(methods, func(m Method) bool { return m.Name == name })
}
