package cells

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"sotto/nn"
	"sotto/nn/vector"
)

// division is rows divided into cells.
type division struct {
	centres [][]float32
	halves  []float32 // half the square of each centre's norm
	texts   []int
	example []int // the row nearest to each centre
}

// divide moves n centres into the middle of what is nearest to them (Lloyd, 1982), then
// takes away the smallest cell while it has fewer than so many rows.
func divide(ctx context.Context, x nn.Matrix, rows []int, n, least int, s Settings) (*division, error) {
	d := &division{centres: start(x, rows, n, s.Seed)}
	if len(d.centres) < 2 {
		return nil, fmt.Errorf("cells: all texts have the same vector, must have at least two different ones")
	}
	of := make([]int, len(rows))
	for left := rounds; left > 0; left-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.assign(x, rows, of, s.Workers)
		d.move(x, rows, of)
	}
	for {
		d.assign(x, rows, of, s.Workers)
		d.count(x, rows, of)
		small := 0
		for c, t := range d.texts {
			if t < d.texts[small] {
				small = c
			}
		}
		if d.texts[small] >= max(least, 1) {
			return d, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d.centres = slices.Delete(d.centres, small, small+1); len(d.centres) < 2 {
			return nil, fmt.Errorf("cells: fewer than two cells have %d texts, must be at least two: give more texts, or ask for fewer in a cell", least)
		}
	}
}

// assign finds the nearest centre of each row; workers share the rows.
func (d *division) assign(x nn.Matrix, rows, of []int, workers int) {
	d.halves = make([]float32, len(d.centres))
	for c, centre := range d.centres {
		d.halves[c] = vector.Dot(centre, centre) / 2
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w * len(rows) / workers; i < (w+1)*len(rows)/workers; i++ {
				of[i] = d.nearest(x.Row(rows[i]))
			}
		})
	}
	group.Wait()
}

// nearest returns the centre with the least ‖v−c‖², by ⟨v, c⟩ − ‖c‖²/2.
func (d *division) nearest(v []float32) int {
	best, high := 0, float32(math.Inf(-1))
	for c, centre := range d.centres {
		if score := vector.Dot(v, centre) - d.halves[c]; score > high {
			best, high = c, score
		}
	}
	return best
}

// move puts each centre into the middle of its rows, in the order of rows, so that sums
// are the same for any number of workers. A centre without rows stays.
func (d *division) move(x nn.Matrix, rows, of []int) {
	sums, n := make([]float64, len(d.centres)*x.Cols), make([]int, len(d.centres))
	for i, r := range rows {
		sum := sums[of[i]*x.Cols : (of[i]+1)*x.Cols]
		for j, v := range x.Row(r) {
			sum[j] += float64(v)
		}
		n[of[i]]++
	}
	for c, centre := range d.centres {
		for j := range centre {
			if n[c] > 0 {
				centre[j] = float32(sums[c*x.Cols+j] / float64(n[c]))
			}
		}
	}
}

// count counts the rows of each cell, and finds the nearest to its centre.
func (d *division) count(x nn.Matrix, rows, of []int) {
	d.texts, d.example = make([]int, len(d.centres)), make([]int, len(d.centres))
	near := slices.Repeat([]float64{math.Inf(1)}, len(d.centres))
	for i, r := range rows {
		c := of[i]
		d.texts[c]++
		if far := square(x.Row(r), d.centres[c]); far < near[c] {
			near[c], d.example[c] = far, r
		}
	}
}

func square[T, U float32 | float64](a []T, b []U) float64 {
	sum := 0.0
	for i, v := range a {
		e := float64(v) - float64(b[i])
		sum += float64(e * e)
	}
	return sum
}

// judge measures the division on rows that it has not seen, at ε.
//
// A release of cell k says that the vector lies in cell j with a probability in
// proportion to share_j·P(k|j); the receiver takes the mean of the centres by it, m_k.
// The expectation over releases is exact: q·Σ_k‖x−m_k‖² + (p−q)·‖x−m_own‖².
func (d *division) judge(x nn.Matrix, rows []int, epsilon float64) Trial {
	n, cols := len(d.centres), x.Cols
	p := 1 / (1 + float64(float64(n-1)*math.Exp(-epsilon)))
	q := (1 - p) / float64(n-1)
	total, mean := 0, make([]float64, cols) // Σ_j share_j·c_j
	for _, t := range d.texts {
		total += t
	}
	for c, centre := range d.centres {
		for j, v := range centre {
			mean[j] += float64(float64(d.texts[c]) / float64(total) * float64(v))
		}
	}
	means := make([][]float64, n)
	for k, centre := range d.centres {
		share := float64(d.texts[k]) / float64(total)
		of := q + float64(share*(p-q))
		means[k] = make([]float64, cols)
		for j, v := range centre {
			means[k][j] = (float64(q*mean[j]) + float64(share*(p-q)*float64(v))) / of
		}
	}
	sum, none := 0.0, 0.0
	for _, r := range rows {
		v := x.Row(r)
		none += square(v, mean)
		for k := range means {
			sum += float64(q * square(v, means[k]))
		}
		sum += float64((p - q) * square(v, means[d.nearest(v)]))
	}
	if !(none > 0) { // all are the mean: there is nothing to tell
		return Trial{Cells: n, Distortion: 1, Kept: p}
	}
	return Trial{Cells: n, Distortion: sum / none, Kept: p}
}
