package cells

import (
	"context"
	"math"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// try divides some rows into n cells and measures them on others.
func (m *maker) try(ctx context.Context, fit, out []int, n int, whitened bool) (Trial, error) {
	d, err := m.divide(ctx, fit, Trial{Cells: n, Whitened: whitened}, 1)
	if err != nil {
		return Trial{}, err
	}
	t := m.judge(d, out)
	t.Whitened = whitened
	return t, nil
}

// odds returns with which probability randomised response among n cells keeps a cell,
// and with which it takes each other one.
func odds(n int, epsilon float64) (p, q float64) {
	p = 1 / (1 + float64(float64(n-1)*math.Exp(-epsilon)))
	return p, (1 - p) / float64(n-1)
}

// means returns the mean of all centres by how many texts each has, and for each cell
// what a receiver expects if it is released.
//
// A release of cell k says that the vector lies in cell j with a probability in
// proportion to share_j·P(k|j); the receiver takes the mean of the centres by it, m_k.
func means[T float32 | float64](centres [][]T, texts []float64, epsilon float64) (all []float64, of [][]float64) {
	p, q := odds(len(centres), epsilon)
	total := 0.0
	for _, t := range texts {
		total += t
	}
	all = make([]float64, len(centres[0])) // Σ_j share_j·c_j
	for c, centre := range centres {
		for j, v := range centre {
			all[j] += float64(texts[c] / total * float64(v))
		}
	}
	of = make([][]float64, len(centres))
	for k, centre := range centres {
		share := texts[k] / total
		w := float64(share*(p-q)) / (q + float64(share*(p-q)))
		of[k] = make([]float64, len(all))
		for j, v := range centre {
			of[k][j] = all[j] + float64(w*(float64(v)-all[j]))
		}
	}
	return all, of
}

// judge measures a division on rows that it has not seen. The expectation over
// releases is exact: q·Σ_k‖x−m_k‖² + (p−q)·‖x−m_own‖². The sum over k is that of
// ‖x‖² − 2⟨x, m_k⟩ + ‖m_k‖², which needs the sums of m_k and of ‖m_k‖² alone.
func (m *maker) judge(d *division, rows []int) Trial {
	n := d.centres.Rows
	p, q := odds(n, m.settings.Epsilon)
	all, of := means(m.vectors(d), d.texts, m.settings.Epsilon)
	total, squares := make([]float64, len(all)), 0.0
	for _, v := range of {
		for j, e := range v {
			total[j] += e
			squares += float64(e * e)
		}
	}
	own := &division{centres: d.centres, of: make([]int, len(rows))}
	m.assign(own, m.x, rows)
	sum, none := 0.0, 0.0
	for i, r := range rows {
		v, w := m.vector(r), m.weight(r)
		none += float64(w * square(v, all))
		inner, size := dot(v, total), dot(v, v)
		others := float64(q * (float64(float64(n)*size) - 2*inner + squares))
		sum += float64(w * (others + float64((p-q)*square(v, of[own.of[i]]))))
	}
	if !(none > 0) { // all are the mean: there is nothing to tell
		return Trial{Cells: n, Distortion: 1, Kept: p}
	}
	return Trial{Cells: n, Distortion: sum / none, Kept: p}
}

// Channel compares randomised response with every other channel of the same ε that
// releases the same vectors, such as subset selection, on texts held out.
type Channel struct {
	Texts      int     `json:"texts"`
	Distortion float64 `json:"distortion"` // of randomised response
	// Bound is proved: no channel has less distortion on these texts.
	Bound float64 `json:"bound"`
}

// comparing is how many texts channels are compared on.
const comparing = 1000

// compare finds the best channel by a linear program. It is nil where there are more
// cells than that takes.
func (m *maker) compare(ctx context.Context, d *division, rows []int) (*Channel, error) {
	n := d.centres.Rows
	if n > channel.MaxAnswers/2 {
		return nil, nil //nolint:nilnil // nothing is known then
	}
	rows = every(rows, comparing)
	all, of := means(m.vectors(d), d.texts, m.settings.Epsilon)
	none := 0.0
	for _, r := range rows {
		none += square(m.vector(r), all)
	}
	if !(none > 0) {
		return nil, nil //nolint:nilnil // nothing is told
	}
	scores := nn.NewMatrix(len(rows), n)
	p, q := odds(n, m.settings.Epsilon)
	found := &Channel{Texts: len(rows)}
	own := &division{centres: d.centres, of: make([]int, len(rows))}
	m.assign(own, m.x, rows)
	for i, r := range rows {
		for k, v := range of {
			far := square(m.vector(r), v) / none // so that a sum over texts is a mean
			scores.Row(i)[k] = float32(-far * float64(len(rows)))
			found.Distortion += float64(q * far)
			if k == own.of[i] {
				found.Distortion += float64((p - q) * far)
			}
		}
	}
	s, err := channel.Solve(ctx, scores, dp.Epsilon(m.settings.Epsilon), channel.Options{Workers: m.settings.Workers})
	if err != nil {
		return nil, err
	}
	found.Bound = min(-s.Bound, found.Distortion)
	return found, nil
}

func dot[T, U float32 | float64](a []T, b []U) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(float64(v) * float64(b[i]))
	}
	return sum
}
