package mech

// Finite is a mechanism with few different releases, whose probabilities can all be
// written down for an input: a channel matrix, row by row.
type Finite interface {
	Mechanism

	// Outcomes returns how many different releases there are.
	Outcomes() int

	// Outcome writes release number i to dst. It panics if i or the length of dst
	// is out of range.
	Outcome(dst []float64, i int)

	// Chances writes to dst how likely each release is for the input x. It panics if
	// dst has not as many numbers as there are outcomes. On an error dst is zero.
	Chances(dst, x []float64) error
}

var (
	_ Finite = (*KRR)(nil)
	_ Finite = (*Codes)(nil)
	_ Finite = (*Codebook)(nil)
	_ Finite = (*Cells)(nil)
)

// Outcomes implements [Finite].
func (m *KRR) Outcomes() int { return m.own.Classes }

// Outcome implements [Finite].
func (m *KRR) Outcome(dst []float64, i int) { checkShape(m, dst, dst); dst[0] = float64(i) }

// Chances implements [Finite].
func (m *KRR) Chances(dst, x []float64) error {
	if len(x) != 1 {
		return refuse(dst, "want one label")
	}
	label, err := m.label(x[0])
	if err != nil {
		clear(dst)
		return err
	}
	fill(dst[:m.own.Classes], m.keep.Not().Float64()/float64(m.own.Classes-1))
	dst[label] = m.keep.Float64()
	return nil
}

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

// Outcomes implements [Finite].
func (m *Codes) Outcomes() int { return m.params.Dim }

// Outcome implements [Finite].
func (m *Codes) Outcome(dst []float64, i int) { checkShape(m, dst, dst); clear(dst); dst[i] = 1 }

// Chances implements [Finite].
func (m *Codes) Chances(dst, x []float64) error {
	b := m.ballot()
	defer m.put(b)
	clear(dst)
	if err := m.count(b, x); err != nil {
		return err
	}
	for c, least := range m.least {
		dst[c] = float64(least+b.extra[c]) / chances
	}
	return nil
}

// Outcomes implements [Finite].
func (m *Codebook) Outcomes() int { return m.own.Codewords }

// Outcome implements [Finite].
func (m *Codebook) Outcome(dst []float64, i int) { m.Codeword(dst, i) }

// Chances implements [Finite].
func (m *Codebook) Chances(dst, x []float64) error {
	norm := norm2(x)
	if len(x) != m.params.Dim || !finite(norm) {
		return refuse(dst, notFinite)
	}
	n, k := m.own.Codewords, m.own.Selected
	fill(dst[:n], m.near.Not().Float64()/float64(n-k))
	for _, i := range m.nearest(x, norm) {
		dst[i] = m.near.Float64() / float64(k)
	}
	return nil
}

// Outcomes implements [Finite].
func (m *Cells) Outcomes() int { return m.count() }

// Outcome implements [Finite].
func (m *Cells) Outcome(dst []float64, i int) { m.Vector(dst, i) }

// Chances implements [Finite].
func (m *Cells) Chances(dst, x []float64) error {
	c, err := m.Cell(x)
	if err != nil {
		clear(dst)
		return err
	}
	return m.channel.Chances(dst, []float64{float64(c)})
}
