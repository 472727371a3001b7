package mech

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// gaussianMatrix returns rows×cols numbers N(0, 1/rows) from the public seed.
func gaussianMatrix(rows, cols int, seed uint64) []float64 {
	var key [32]byte
	copy(key[:], fmt.Sprintf("sotto matrix %x", seed))
	rng := rand.New(rand.NewChaCha8(key)) // public on purpose
	m := make([]float64, rows*cols)
	for i := range m {
		m[i] = rng.NormFloat64() / math.Sqrt(float64(rows))
	}
	return m
}

// orthonormalize replaces the rows by an orthonormal basis of what they span:
// Gram and Schmidt's method, twice, which is as accurate as floats allow.
func orthonormalize(m []float64, rows, cols int) {
	for range 2 {
		for i := range rows {
			row := m[i*cols : (i+1)*cols]
			for j := range i {
				other := m[j*cols : (j+1)*cols]
				along := dot(other, row)
				for c := range row {
					row[c] -= float64(along * other[c])
				}
			}
			norm := norm2(row)
			for c := range row {
				row[c] /= norm
			}
		}
	}
}

// gram returns ΦΦᵀ.
func gram(m []float64, rows, cols int) []float64 {
	g := make([]float64, rows*rows)
	for i := range rows {
		for j := range i + 1 {
			v := dot(m[i*cols:(i+1)*cols], m[j*cols:(j+1)*cols])
			g[i*rows+j], g[j*rows+i] = v, v
		}
	}
	return g
}

// spectralBound returns an upper bound of ‖Φ‖₂. With G = ΦΦᵀ, positive
// semidefinite, ‖Φ‖₂² = ‖G‖₂ ≤ (tr G^p)^{1/p}, and p = 2^9 brings that within
// a factor rows^{1/p}. Squaring G nine times, divided by its trace each time
// to avoid overflow, gives it; power iteration would give a lower bound, which
// is no proof.
func spectralBound(phi []float64, rows, cols int) float64 {
	const squarings = 9
	g := gram(phi, rows, cols)
	square := make([]float64, len(g))
	logTrace, power := 0.0, 1.0 // ln tr(G^power) = logTrace + ln tr(g)
	for range squarings {
		t := trace(g, rows)
		for i := range g {
			g[i] /= t
		}
		logTrace = 2 * (logTrace + math.Log(t))
		power *= 2
		for i := range rows {
			for j := range i + 1 {
				v := dot(g[i*rows:(i+1)*rows], g[j*rows:(j+1)*rows])
				square[i*rows+j], square[j*rows+i] = v, v
			}
		}
		g, square = square, g
	}
	logTrace += math.Log(trace(g, rows))
	// The margin is above the rounding of the Gram matrix, of nine products and
	// of nine traces of order 1.
	return math.Exp(logTrace/(2*power)) * (1 + 1e-9 + float64(float64(rows)*float64(rows+cols)*0x1p-52))
}

func trace(g []float64, rows int) float64 {
	t := 0.0
	for i := range rows {
		t += g[i*rows+i]
	}
	return t
}

// isometryBound returns an upper bound of ‖Φ‖₂ for nearly orthonormal rows:
// √(1 + ‖ΦΦᵀ − I‖_F).
func isometryBound(phi []float64, rows, cols int) float64 {
	g := gram(phi, rows, cols)
	sum := 0.0
	for i := range rows {
		g[i*rows+i]--
	}
	for _, v := range g {
		sum += float64(v * v)
	}
	return math.Sqrt(1+math.Sqrt(sum)) * (1 + 1e-13 + float64(float64(rows)*float64(cols+4)*0x1p-54))
}

// topDirection returns a unit vector that Φ stretches nearly most, by power
// iteration on ΦᵀΦ. What it is stretched by is a lower bound of ‖Φ‖₂.
func topDirection(phi []float64, rows, cols int) []float64 {
	v := make([]float64, cols)
	for i := range v {
		v[i] = 1 / math.Sqrt(float64(cols))
	}
	w := make([]float64, rows)
	for range 300 {
		project(w, phi, v)
		clear(v)
		for i, c := range w {
			for j, p := range phi[i*cols : (i+1)*cols] {
				v[j] += float64(c * p)
			}
		}
		norm := norm2(v)
		for j := range v {
			v[j] /= norm
		}
	}
	return v
}

// project writes Φx.
func project(dst, phi, x []float64) {
	for i := range dst {
		dst[i] = dot(phi[i*len(x):(i+1)*len(x)], x)
	}
}

// worstPair returns the largest distance between the images of two vectors of
// the vocabulary, as a release makes them, over the distance that the guarantee
// counts for the pair: their own, or 2C with a clip radius C.
func (m *PrivEmb) worstPair() (stretch float64, a, b int, err error) {
	vectors, clipped := m.own.Vocabulary, make([]float64, m.own.InputDim)
	images := make([][]float64, len(vectors))
	for i, x := range vectors {
		images[i] = make([]float64, m.own.OutputDim)
		if m.embed(images[i], clipped, x) != nil {
			return 0, 0, 0, errors.New("mech: the vocabulary holds numbers that are not finite")
		}
	}
	for i, x := range vectors {
		for j, y := range vectors[:i] {
			length := 2 * m.own.Clip
			if length == 0 {
				length = gap(x, y)
			}
			if slices.Equal(x, y) {
				continue // the same vector twice
			}
			if !(length >= tiny) {
				return 0, 0, 0, errors.New("mech: two vectors of the vocabulary are too close, must be equal or further apart")
			}
			if s := gap(images[i], images[j]) / length; s > stretch {
				stretch, a, b = s, i, j
			}
		}
	}
	return stretch * (1 + 1e-9), a, b, nil
}

// gap returns ‖a−b‖₂.
func gap(a, b []float64) float64 {
	diff := make([]float64, len(a))
	for i := range a {
		diff[i] = a[i] - b[i]
	}
	return norm2(diff)
}
