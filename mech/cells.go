package mech

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"sotto/dp"
)

// Cells releases in which of N public cells a vector lies, by randomised response.
// A cell is what is nearest to its centre. [Centroid] releases the centre of the
// cell that was drawn, and [Index] its number. Where the centres are those of
// public texts, no ε is spent on directions that no text has.
//
// Domain: finite vectors whose norm does not overflow. Neighbours: any two.
//
// Theorem. Keeping the cell with probability p ≤ e^ε/(e^ε+N−1), and otherwise
// drawing one of the other N−1 uniformly, is (ln(p(N−1)/(1−p)), 0)-DP, whatever map
// from vectors to cells is used, as long as it is public.
//
// Numerics: exact whatever floats do. They decide only which cell a vector lies in;
// p is a 64-bit integer rounded down and ε is computed from it.
//
// Proof: cells.md. Audit: TestAuditCells. Reference: Kairouz, Oh and Viswanath,
// Extremal Mechanisms for Local Differential Privacy, JMLR 2016.
type Cells struct {
	params  Params
	centres []float64 // N×dim
	channel *KRR
	other   int // a cell whose centre does not lie in cell 0
}

// CellsParams are the own parameters of cells.
type CellsParams struct {
	// Centres holds the centre of each cell. They are public.
	Centres [][]float64 `json:"-" name:"cells" help:"public centres"`
	SHA256  string      `json:"cells_sha256,omitempty" help:"SHA-256 that must be that of the public centres" default:": any"`
}

// fitCells takes the width of the centres, if there are any.
func fitCells(p Params, width int) Params {
	if centres, _ := p.Value("cells").([][]float64); len(centres) > 0 {
		width = len(centres[0])
	}
	p.Dim = cmp.Or(p.Dim, width)
	return p
}

var _ dp.Distinguisher = (*Cells)(nil)

// maxCells bounds N.
const maxCells = 1 << 16

// NewCells takes dim, epsilon, the centres and, if they must be certain ones, their
// digest, and the variants [Centroid] and [Index].
func NewCells(p Params) (*Cells, error) {
	p, own, err := prepare[CellsParams](p, "cells", 1)
	if err != nil {
		return nil, err
	}
	n := len(own.Centres)
	if n == 0 {
		return nil, errors.New("mech: there are 0 centres of cells, must be given: --cells names a file of them, as \"sotto cells make\" writes it from public texts")
	}
	if n < 2 || n > maxCells || int64(n)*int64(p.Dim) > maxBookSize {
		return nil, fmt.Errorf("mech: there are %d centres of cells at dim %d, must be from 2 to %d that hold at most %d numbers", n, p.Dim, maxCells, maxBookSize)
	}
	if own, err = own.check(p.Dim); err != nil {
		return nil, err
	}
	p.Own = own
	m := &Cells{params: p, centres: slices.Concat(own.Centres...)}
	if m.other = m.apart(); m.other == 0 {
		return nil, fmt.Errorf("mech: all %d centres of cells are nearly equal, must differ", n)
	}
	m.channel, err = NewKRR(Params{Epsilon: p.Epsilon, Own: KRRParams{Classes: n}})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// check refuses centres that do not fit, and returns copies with their digest.
func (own CellsParams) check(dim int) (CellsParams, error) {
	own.Centres = slices.Clone(own.Centres)
	seen := make(map[uint64][]int, len(own.Centres)) // by hash
	for c, v := range own.Centres {
		if len(v) != dim || !finite(norm2(v)) {
			return own, fmt.Errorf("mech: centre %d of cells has %d numbers and norm %v, must have dim, %d, and a finite norm", c, len(v), norm2(v), dim)
		}
		v = slices.Clone(v)
		for i := range v {
			v[i] += 0 // −0 becomes 0, which it is equal to
		}
		own.Centres[c] = v
		h := hashVector(v)
		for _, other := range seen[h] {
			if slices.Equal(own.Centres[other], v) {
				return own, fmt.Errorf("mech: centres %d and %d of cells are equal, must differ", other, c)
			}
		}
		seen[h] = append(seen[h], c)
	}
	digest := CellsDigest(own.Centres)
	if own.SHA256 != "" && own.SHA256 != digest {
		return own, fmt.Errorf("mech: cells_sha256 is %q, must be that of the centres, %s, or absent", own.SHA256, digest)
	}
	own.SHA256 = digest
	return own, nil
}

// CellsDigest returns the SHA-256 of centres, in hexadecimal: of their bits, in
// little-endian order, one after the other.
func CellsDigest(centres [][]float64) string {
	h, word := sha256.New(), make([]byte, 8)
	for _, centre := range centres {
		for _, v := range centre {
			binary.LittleEndian.PutUint64(word, math.Float64bits(v))
			h.Write(word)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// apart returns the first cell after cell 0 whose centre does not lie in that, or 0:
// where differences of centres are so small that their squares underflow, there may
// be none. The centre of cell 0 always lies in it.
func (m *Cells) apart() int {
	for c := range m.count() {
		if m.nearest(m.centre(c)) != 0 {
			return c
		}
	}
	return 0
}

func (m *Cells) count() int { return len(m.centres) / m.params.Dim }

func (m *Cells) centre(c int) []float64 {
	return m.centres[c*m.params.Dim : (c+1)*m.params.Dim]
}

// nearest returns the first cell whose centre is nearest to x.
func (m *Cells) nearest(x []float64) int {
	best, least := 0, math.Inf(1)
	for c := range m.count() {
		if d := squareOf(m.centre(c), x); d < least {
			best, least = c, d
		}
	}
	return best
}

// squareOf returns ‖a−b‖², rounded alike on every processor.
func squareOf(a, b []float64) float64 {
	b = b[:len(a)]
	var s, t float64
	i := 0
	for ; i+1 < len(a); i += 2 {
		d, e := a[i]-b[i], a[i+1]-b[i+1]
		s += float64(d * d)
		t += float64(e * e)
	}
	if i < len(a) {
		d := a[i] - b[i]
		s += float64(d * d)
	}
	return s + t
}

// Cell returns in which cell x lies. It is not private.
func (m *Cells) Cell(x []float64) (int, error) {
	if len(x) != m.params.Dim || !finite(norm2(x)) {
		return 0, fmt.Errorf("%w: want %d finite coordinates whose norm does not overflow", dp.ErrDomain, m.params.Dim)
	}
	return m.nearest(x), nil
}

// Params implements [Mechanism].
func (m *Cells) Params() Params { return m.params }

// Shape implements [dp.Vector].
func (m *Cells) Shape() (in, out int) {
	if m.params.Variant == Index {
		return m.params.Dim, 1
	}
	return m.params.Dim, m.params.Dim
}

// Guarantee implements [dp.Mechanism].
func (m *Cells) Guarantee() dp.Guarantee { return m.channel.Guarantee() }

// Choose releases the number of a cell.
func (m *Cells) Choose(x []float64, src rand.Source) (int, error) {
	c, err := m.Cell(x)
	if err != nil {
		return 0, err
	}
	return m.channel.Respond(c, src)
}

// Privatize implements [dp.Mechanism].
func (m *Cells) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector]: it releases the centre of a cell, or its number.
func (m *Cells) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	c, err := m.Choose(x, src)
	if err != nil {
		clear(dst)
		return err
	}
	m.release(dst, c)
	return nil
}

// release writes what stands for cell c.
func (m *Cells) release(dst []float64, c int) {
	if m.params.Variant == Index {
		dst[0] = float64(c)
		return
	}
	copy(dst, m.centre(c))
}

// Index returns which cell was released.
func (m *Cells) Index(y []float64) (int, error) {
	if _, out := m.Shape(); len(y) != out {
		return 0, errRelease
	}
	released := make([]float64, len(y))
	for c := range m.count() {
		if m.release(released, c); slices.Equal(released, y) {
			return c, nil
		}
	}
	return 0, errRelease
}

// LogRatio implements [dp.Distinguisher].
func (m *Cells) LogRatio(y, x, x2 []float64) (float64, error) {
	c, err := m.Index(y)
	if err != nil {
		return 0, err
	}
	labels := [][]float64{{float64(c)}}
	for _, v := range [][]float64{x, x2} {
		cell, err := m.Cell(v)
		if err != nil {
			return 0, err
		}
		labels = append(labels, []float64{float64(cell)})
	}
	return m.channel.LogRatio(labels[0], labels[1], labels[2])
}

// Profile implements [dp.Profiled].
func (m *Cells) Profile() dp.Profile {
	_, out := m.Shape()
	of := m.channel.Profile().Witness
	w := dp.Witness{
		X: slices.Clone(m.centre(0)), X2: slices.Clone(m.centre(m.other)), Y: make([]float64, out),
		Event: fmt.Sprintf("x is the centre of cell 0, x′ that of cell %d: cell 0 is released", m.other),
		LogP:  of.LogP, LogQ: of.LogQ,
	}
	m.release(w.Y, 0)
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason:  "the vector's own cell is e^ε times as likely as any other, whatever the public map from vectors to cells is",
		Witness: w, Facts: []dp.Fact{{Name: "cells", Value: float64(m.count())}, {Name: "kept", Value: m.channel.keep.Float64()}},
	}
}
