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

	"sotto/promise/dp"
)

// Cells releases in which of N public cells a vector lies, by randomised response.
// A cell is what is nearest to its centre, along a public direction if there is one
// counting for more. [Mean] releases what a receiver who knows
// the cells expects of the vector, given the cell that was drawn, [Centroid] the
// centre of that cell, and [Index] its number. Where the centres are those of public
// texts, no ε is spent on directions that no text has.
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
	means   []float64 // N×dim, for Mean
	all     []float64 // the sum of all centres
	toward  []float64 // the direction; nil if there is none
	along   []float64 // ⟨direction, centre⟩ of each cell
	channel *KRR
	other   int // a cell whose centre does not lie in cell 0
}

// CellsParams are the own parameters of cells.
type CellsParams struct {
	// Centres holds the centre of each cell. They are public.
	Centres [][]float64 `json:"-" name:"cells" help:"public centres"`
	// Shares holds how common each cell is among public texts, in positive numbers of
	// which the ratios count; nil means equally common. They are public.
	Shares []float64 `json:"-" name:"cell_shares" help:"public shares of cells"`
	// Direction is public, and counts for more where a vector's cell is looked for: what
	// is nearest to x has the least ‖x−c‖² + ⟨direction, x−c⟩². nil means none.
	Direction []float64 `json:"-" name:"cell_direction" help:"public direction that counts for more"`
	SHA256    string    `json:"cells_sha256,omitempty" help:"SHA-256 that must be that of the public centres and shares" default:": any"`
}

// Given returns what is public of the cells as parameters by their names.
func (own CellsParams) Given() Given {
	g := Given{"cells": own.Centres, "cell_shares": own.Shares}
	if own.Direction != nil {
		g["cell_direction"] = own.Direction
	}
	if own.SHA256 != "" { // that of a file of before stays
		g["cells_sha256"] = own.SHA256
	}
	return g
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

// NewCells takes dim, epsilon, the centres, their shares and, if they must be certain
// ones, their digest, and the variants [Mean], [Centroid] and [Index].
func NewCells(p Params) (*Cells, error) {
	p, own, err := prepare[CellsParams](p, "cells", 1)
	if err != nil {
		return nil, err
	}
	n := len(own.Centres)
	if n == 0 {
		return nil, errors.New("mech: there are 0 centres of cells, must be given: --cells names a file of them, as \"sotto cells make\" writes it from public texts, or an encoder whose cells come with sotto, default or minilm")
	}
	if n < 2 || n > maxCells || int64(n)*int64(p.Dim) > maxBookSize {
		return nil, fmt.Errorf("mech: there are %d centres of cells at dim %d, must be from 2 to %d that hold at most %d numbers", n, p.Dim, maxCells, maxBookSize)
	}
	if own, err = own.check(p.Dim); err != nil {
		return nil, err
	}
	p.Own = own
	m := &Cells{params: p, centres: slices.Concat(own.Centres...), all: make([]float64, p.Dim)}
	for i, v := range m.centres {
		m.all[i%p.Dim] += v
	}
	if m.toward = own.Direction; m.toward != nil {
		for c := range n {
			m.along = append(m.along, dot(m.toward, m.centre(c)))
		}
		if !finite(norm2(m.along)) {
			return nil, fmt.Errorf("mech: centres of cells have norm %v along the direction, must be finite", norm2(m.along))
		}
	}
	if m.other = m.apart(); m.other == 0 {
		return nil, fmt.Errorf("mech: all %d centres of cells are nearly equal, must differ", n)
	}
	m.channel, err = NewKRR(Params{Epsilon: p.Epsilon, Own: KRRParams{Classes: n}})
	if err != nil {
		return nil, err
	}
	if p.Variant == Mean {
		m.means = m.expected(own.Shares)
		if a, b := equalRows(m.means, p.Dim); a != b {
			return nil, fmt.Errorf("mech: releases of cells %d and %d have the same mean at epsilon %v, must differ: take the variant %s or %s", a, b, p.Epsilon, Centroid, Index)
		}
	}
	return m, nil
}

// check refuses centres and shares that do not fit, and returns copies with their
// digest.
func (own CellsParams) check(dim int) (CellsParams, error) {
	own.Centres, own.Shares = slices.Clone(own.Centres), slices.Clone(own.Shares)
	for c, v := range own.Centres {
		if len(v) != dim || !finite(norm2(v)) {
			return own, fmt.Errorf("mech: centre %d of cells has %d numbers and norm %v, must have dim, %d, and a finite norm", c, len(v), norm2(v), dim)
		}
		v = slices.Clone(v)
		for i := range v {
			v[i] += 0 // −0 becomes 0, which it is equal to
		}
		own.Centres[c] = v
	}
	if a, b := equalRows(slices.Concat(own.Centres...), dim); a != b {
		return own, fmt.Errorf("mech: centres %d and %d of cells are equal, must differ", a, b)
	}
	if own.Shares != nil && len(own.Shares) != len(own.Centres) {
		return own, fmt.Errorf("mech: there are %d shares of %d cells, must be as many", len(own.Shares), len(own.Centres))
	}
	for c, v := range own.Shares {
		if !(v > 0 && v <= maxShare) {
			return own, fmt.Errorf("mech: share %d of cells is %v, must be positive and at most %g", c, v, float64(maxShare))
		}
	}
	if own.Direction != nil && (len(own.Direction) != dim || !(norm2(own.Direction) <= maxShare)) {
		return own, fmt.Errorf("mech: the direction of cells has %d numbers and norm %v, must have dim, %d, and at most %g", len(own.Direction), norm2(own.Direction), dim, float64(maxShare))
	}
	own.Direction = slices.Clone(own.Direction)
	if own.SHA256 == "" {
		own.SHA256 = own.Digest()
	}
	if !own.Is(own.SHA256) {
		return own, fmt.Errorf("mech: cells_sha256 is %q, must be that of the centres and shares, %s, or absent", own.SHA256, own.Digest())
	}
	return own, nil
}

// maxShare bounds a share, so that no sum of them overflows, and a direction.
const maxShare = 1e12

// equalRows returns two rows of a matrix that are equal, or the same twice.
func equalRows(x []float64, cols int) (a, b int) {
	seen := make(map[uint64][]int, len(x)/cols) // by hash
	for b := range len(x) / cols {
		v := x[b*cols : (b+1)*cols]
		h := hashVector(v)
		for _, a := range seen[h] {
			if slices.Equal(x[a*cols:(a+1)*cols], v) {
				return a, b
			}
		}
		seen[h] = append(seen[h], b)
	}
	return 0, 0
}

// Digest returns the SHA-256 of what is public of cells, in hexadecimal: of a name, of how
// many centres there are, and then of each centre, of the shares and of the direction,
// each with how many numbers it has before their bits, all in little-endian order. So no
// two different lists have the same bytes.
func (own CellsParams) Digest() string { return own.digest("sotto cells 2", true) }

// Is reports whether a digest is that of the cells: [CellsParams.Digest], or the one of
// files of before, which had the bits alone, one after the other. With shares, as every
// file of cells has them, and a width that is known, those tell the lists apart as well.
func (own CellsParams) Is(digest string) bool {
	return digest == own.Digest() || digest == own.digest("", false)
}

func (own CellsParams) digest(name string, lengths bool) string {
	h, word := sha256.New(), make([]byte, 8)
	h.Write([]byte(name))
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(word, v)
		h.Write(word)
	}
	if lengths {
		put(uint64(len(own.Centres)))
	}
	for _, row := range append(slices.Clone(own.Centres), own.Shares, own.Direction) {
		if lengths {
			put(uint64(len(row)))
		}
		for _, v := range row {
			put(math.Float64bits(v))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// expected returns for each cell what a receiver expects of a vector if that cell was
// released. With q the probability of each wrong cell, the vector lies in cell j with a
// probability in proportion to share_j·q, and share_k·p for the released cell k itself.
// Its mean by the centres is that of all cells, moved towards centre k by
// w = (p−q)·share_k/(q+(p−q)·share_k).
func (m *Cells) expected(shares []float64) []float64 {
	n, dim := m.count(), m.params.Dim
	share := func(int) float64 { return 1 / float64(n) }
	if shares != nil {
		total := 0.0
		for _, v := range shares {
			total += v
		}
		share = func(k int) float64 { return shares[k] / total }
	}
	all, means := make([]float64, dim), make([]float64, n*dim)
	for k := range n {
		for j, v := range m.centre(k) {
			all[j] += float64(share(k) * v)
		}
	}
	q := m.channel.keep.Not().Float64() / float64(n-1)
	rise := m.channel.keep.Float64() - q
	for k := range n {
		w := float64(rise*share(k)) / (q + float64(rise*share(k)))
		for j, v := range m.centre(k) {
			means[k*dim+j] = all[j] + float64(w*(v-all[j])) + 0 // no −0, as in centres
		}
	}
	return means
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
	at := 0.0 // of x along the direction
	if m.toward != nil {
		at = dot(m.toward, x)
	}
	best, least := 0, math.Inf(1)
	for c := range m.count() {
		d := squareOf(m.centre(c), x)
		if m.toward != nil {
			d += float64((at - m.along[c]) * (at - m.along[c]))
		}
		if d < least {
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

// PrivatizeTo implements [dp.Vector]: it releases what stands for a cell.
func (m *Cells) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	c, err := m.Choose(x, src)
	if err != nil {
		clear(dst)
		return err
	}
	m.Vector(dst, c)
	return nil
}

// Vector writes what is released for cell c to dst. It panics if c or the length of
// dst is out of range.
func (m *Cells) Vector(dst []float64, c int) {
	if _, out := m.Shape(); c < 0 || c >= m.count() || len(dst) != out {
		panic(fmt.Sprintf("mech: vector of cell %d of %d in %d numbers, want %d", c, m.count(), len(dst), out))
	}
	switch m.params.Variant {
	case Index:
		dst[0] = float64(c)
	case Mean:
		copy(dst, m.means[c*m.params.Dim:])
	default:
		copy(dst, m.centre(c))
	}
}

// Index returns which cell was released, also of a release whose numbers were rounded
// to float32, or written with the digits that tell one from another, as files and
// services may do, if that leaves cells apart.
func (m *Cells) Index(y []float64) (int, error) {
	if _, out := m.Shape(); len(y) != out {
		return 0, errRelease
	}
	if m.params.Variant == Index {
		if c, err := m.channel.label(y[0]); err == nil {
			return c, nil
		}
		return 0, errRelease
	}
	of := m.centres
	if m.params.Variant == Mean {
		of = m.means
	}
	for c := range m.count() {
		if slices.Equal(of[c*len(y):(c+1)*len(y)], y) {
			return c, nil
		}
	}
	near, alike := 0, 0
	for c := range m.count() {
		short := of[c*m.params.Dim : (c+1)*m.params.Dim]
		if slices.EqualFunc(short, y, func(a, b float64) bool { return float32(a) == float32(b) }) {
			near, alike = c, alike+1
		}
	}
	if alike == 1 {
		return near, nil
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
	m.Vector(w.Y, 0)
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason:  "the vector's own cell is e^ε times as likely as any other, whatever the public map from vectors to cells is",
		Witness: w, Facts: []dp.Fact{{Name: "cells", Value: float64(m.count())}, {Name: "kept", Value: m.channel.keep.Float64()}},
	}
}
