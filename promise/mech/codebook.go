package mech

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Codebook releases one of N public codewords: the K nearest to the input are
// e^ε times as likely as the others. What travels is an index, or the codeword
// scaled so that its expectation points at the input.
//
// Domain: finite vectors whose norm does not overflow; only the direction
// counts. Neighbours: any two.
//
// Theorem. Choosing the near set with probability p ≤ Ke^ε/(Ke^ε+N−K) and then
// an index in the chosen set uniformly is (ln(p(N−K)/((1−p)K)), 0)-DP,
// whichever K codewords count as near.
//
// Numerics: exact whatever floats do. They decide only which K codewords are
// near; p is a 64-bit integer rounded down and ε is computed from it.
//
// Proof: codebook.md. Audit: TestAuditCodebook. Reference: Ye and Barg, Optimal
// Schemes for Discrete Distribution Estimation under Locally Differential
// Privacy, 2018 (subset selection).
type Codebook struct {
	square
	own      CodebookParams
	words    book // N unit vectors
	near     noise.Prob
	scale    float64 // what a codeword is multiplied by
	rankings sync.Pool
}

// CodebookParams are the own parameters of codebook.
type CodebookParams struct {
	Codewords int    `json:"codewords,omitempty" help:"number of public codewords" default:": by ε, from 256 to 32768"`
	Selected  int    `json:"selected,omitempty" help:"number of near codewords" default:": the best for ε"`
	Seed      uint64 `json:"seed,omitempty" help:"seed of the public codewords" default:" 0"`
}

var _ dp.Distinguisher = (*Codebook)(nil)

const (
	maxCodewords = 1 << 20
	maxBookSize  = 1 << 28 // numbers: one gibibyte
)

// NewCodebook takes dim, codewords, selected, seed and epsilon. The codewords
// follow from dim, codewords and seed, and are public.
func NewCodebook(p Params) (*Codebook, error) {
	p, own, err := prepare[CodebookParams](p, "codebook", 2)
	if err != nil {
		return nil, err
	}
	if own.Codewords == 0 {
		own.Codewords = enoughCodewords(p.Epsilon)
	}
	n := own.Codewords
	if n < 2 || n > maxCodewords || int64(n)*int64(p.Dim) > maxBookSize {
		return nil, fmt.Errorf("mech: codewords is %d at dim %d, must be from 2 to %d and hold at most %d numbers", n, p.Dim, maxCodewords, maxBookSize)
	}
	if own.Selected == 0 {
		own.Selected = bestSelected(p.Dim, n, p.Epsilon)
	}
	if own.Selected < 1 || own.Selected >= n {
		return nil, fmt.Errorf("mech: selected is %d, must be at least 1 and below codewords, %d", own.Selected, n)
	}
	// 1−p = (N−K)e^{−ε}/(K+(N−K)e^{−ε}), rounded up.
	far := float64(float64(n-own.Selected) * math.Exp(-p.Epsilon))
	p.Own = own
	m := &Codebook{square: square{p}, own: own, near: noise.ProbAbove(far / (float64(own.Selected) + far)).Not()}
	m.words = codewords(p.Dim, own)
	m.scale = 1 / m.signal()
	return m, nil
}

// enoughCodewords returns a number of codewords with which the error stays within
// 5 % of PrivUnit's up to ε = 12 (TestCodebookNearPrivUnit): the nearer a release
// may be to its input, the denser they must lie.
func enoughCodewords(epsilon float64) int {
	return 1 << int(min(max(math.Ceil(epsilon)+3, 8), 15))
}

// bestSelected returns the K whose share of the sphere is nearest to the cap
// that PrivUnit would choose.
func bestSelected(dim, n int, epsilon float64) int {
	share := 0.5
	if dim >= 3 {
		share = capTail(dim, bestCap(dim, epsilon))
	} else if epsilon > 1 {
		share = 1 / (1 + math.Exp(epsilon/2))
	}
	return min(max(int(math.Round(share*float64(n))), 1), n-1)
}

// codewords draws N uniform directions from the public seed.
func codewords(dim int, own CodebookParams) book {
	var key [32]byte
	copy(key[:], fmt.Sprintf("sotto codebook %x", own.Seed))
	rng := rand.New(rand.NewChaCha8(key)) // public on purpose
	words := newBook(own.Codewords, dim)
	v := make([]float64, dim)
	for i := range own.Codewords {
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		norm := norm2(v)
		for j := range v {
			*words.at(i, j) = float32(v[j] / norm)
		}
	}
	return words
}

// signal estimates E⟨codeword, x⟩ over uniform x. The mean score of all
// codewords is 0 in expectation, so only the difference between near and far
// counts, and the estimate is positive.
func (m *Codebook) signal() float64 {
	const inputs = 400
	var key [32]byte
	copy(key[:], "sotto codebook scale")
	rng := rand.New(rand.NewChaCha8(key))
	n, k, d := m.own.Codewords, m.own.Selected, m.params.Dim
	x := make([]float64, d)
	r := m.ranking()
	defer m.rankings.Put(r)
	sum := 0.0
	trials := max(20, min(inputs, (1<<24)/(n*d)))
	for range trials {
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		m.score(r, x, norm2(x))
		m.selectNearest(r)
		near, all := 0.0, 0.0
		for i, id := range r.order {
			score := float64(r.scores[id])
			all += score
			if i < k {
				near += score
			}
		}
		p := m.near.Float64()
		sum += float64((p - float64(k)/float64(n)) * (near/float64(k) - (all-near)/float64(n-k)))
	}
	return sum / float64(trials)
}

// ranking is scratch space for one release.
type ranking struct {
	x      []float32
	scores []float32
	order  []int32 // after selectNearest the first K are the nearest
}

func (m *Codebook) ranking() *ranking {
	if r, ok := m.rankings.Get().(*ranking); ok {
		return r
	}
	n := m.own.Codewords
	return &ranking{x: make([]float32, m.params.Dim), scores: make([]float32, n), order: make([]int32, n)}
}

// score computes the inner products of x/norm with all codewords.
func (m *Codebook) score(r *ranking, x []float64, norm float64) {
	for j, v := range x {
		r.x[j] = float32(v / norm)
	}
	m.words.scores(r.scores, r.x)
}

// selectNearest orders r.order so that the K best scores come first, by
// quickselect; equal scores are ordered by index.
func (m *Codebook) selectNearest(r *ranking) {
	for i := range r.order {
		r.order[i] = int32(i)
	}
	before := func(a, b int32) bool {
		return r.scores[a] > r.scores[b] || r.scores[a] == r.scores[b] && a < b
	}
	lo, hi, k := 0, len(r.order), m.own.Selected
	for hi-lo > 1 {
		pivot := r.order[lo+(hi-lo)/2]
		i, j := lo, hi-1
		for i <= j {
			for before(r.order[i], pivot) {
				i++
			}
			for before(pivot, r.order[j]) {
				j--
			}
			if i <= j {
				r.order[i], r.order[j] = r.order[j], r.order[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j + 1
		case k > i:
			lo = i
		default:
			return
		}
	}
}

// loss is ln of a near codeword's probability over a far one's.
func (m *Codebook) loss() float64 {
	n, k := uint64(m.own.Codewords), uint64(m.own.Selected)
	return noise.LogRatio(m.near, n-k, m.near.Not(), k)
}

// Guarantee implements [dp.Mechanism].
func (m *Codebook) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.RoundUp(dp.Epsilon(math.Abs(m.loss())))}
}

// MSE returns the mean squared error of a release for inputs of random
// direction, 1/signal²−1.
func (m *Codebook) MSE() float64 { return float64(m.scale*m.scale) - 1 }

// Choose releases the index of a codeword.
func (m *Codebook) Choose(x []float64, src rand.Source) (int, error) {
	norm := norm2(x)
	if len(x) != m.params.Dim || !finite(norm) {
		return 0, fmt.Errorf("%w: want %d finite coordinates whose norm does not overflow", dp.ErrDomain, m.params.Dim)
	}
	r := m.ranking()
	defer m.rankings.Put(r)
	m.score(r, x, max(norm, tiny))
	m.selectNearest(r)
	s := noise.From(src)
	n, k := uint64(m.own.Codewords), uint64(m.own.Selected)
	// All three are drawn always, so that the number of random words used does
	// not tell which set was chosen.
	near := s.Bernoulli(m.near)
	i, j := s.IntN(k), k+s.IntN(n-k)
	if !near {
		i = j
	}
	choice := int(r.order[i])
	clear(r.x)
	clear(r.scores)
	clear(r.order)
	return choice, nil
}

// Codeword writes codeword i, scaled, to dst. It panics if i or the length of
// dst is out of range.
func (m *Codebook) Codeword(dst []float64, i int) {
	if i < 0 || i >= m.own.Codewords {
		panic(fmt.Sprintf("mech: there is no codeword %d of %d", i, m.own.Codewords))
	}
	for j := range m.params.Dim {
		dst[j] = float64(*m.words.at(i, j)) * m.scale
	}
}

// Privatize implements [dp.Mechanism].
func (m *Codebook) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector]: it releases the scaled codeword.
func (m *Codebook) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	i, err := m.Choose(x, src)
	if err != nil {
		clear(dst)
		return err
	}
	m.Codeword(dst, i)
	return nil
}

// LogRatio implements [dp.Distinguisher].
func (m *Codebook) LogRatio(y, x, x2 []float64) (float64, error) {
	i, err := m.Index(y)
	if err != nil {
		return 0, err
	}
	ratio := 0.0
	for sign, v := range map[float64][]float64{1: x, -1: x2} {
		norm := norm2(v)
		if !finite(norm) {
			return 0, fmt.Errorf("%w: %s", dp.ErrDomain, notFinite)
		}
		if slices.Contains(m.nearest(v, norm), int32(i)) {
			ratio += float64(sign * m.loss())
		}
	}
	return ratio, nil
}

// nearest returns the indices of the K codewords nearest to x.
func (m *Codebook) nearest(x []float64, norm float64) []int32 {
	r := m.ranking()
	defer m.rankings.Put(r)
	m.score(r, x, max(norm, tiny))
	m.selectNearest(r)
	return slices.Clone(r.order[:m.own.Selected])
}

// Index returns which codeword a released vector is.
func (m *Codebook) Index(y []float64) (int, error) {
	d := m.params.Dim
	word := make([]float64, d)
	for i := range m.own.Codewords {
		if m.Codeword(word, i); slices.Equal(word, y) {
			return i, nil
		}
	}
	return 0, errRelease
}

// Profile implements [dp.Profiled].
func (m *Codebook) Profile() dp.Profile {
	d := m.params.Dim
	w := dp.Witness{
		X: make([]float64, d), X2: make([]float64, d), Y: make([]float64, d),
		Event: "x = a codeword, x′ = −x: that codeword is released",
		LogP:  m.near.Log() - math.Log(float64(m.own.Selected)),
		LogQ:  m.near.Not().Log() - math.Log(float64(m.own.Codewords-m.own.Selected)),
	}
	i := m.witness()
	m.Codeword(w.X, i)
	m.Codeword(w.Y, i)
	for j, v := range w.X {
		w.X2[j] = -v
	}
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason:  "each of the K nearest codewords is e^ε times as likely as each other one, whatever the input",
		Witness: w, Facts: []dp.Fact{{Name: "mse", Value: m.MSE()}, {Name: "selected", Value: float64(m.own.Selected)}},
	}
}

// witness returns a codeword that is near to itself and far from its opposite:
// any, unless almost all codewords count as near.
func (m *Codebook) witness() int {
	d := m.params.Dim
	x := make([]float64, d)
	for i := range m.own.Codewords {
		for j := range x {
			x[j] = -float64(*m.words.at(i, j))
		}
		if !slices.Contains(m.nearest(x, 1), int32(i)) {
			return i
		}
	}
	return 0
}
