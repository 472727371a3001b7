package mech

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Codes releases one of K public codes. The trusted side gives each a score, and
// the best-ranked codes are raised from the least probability that they ever
// have to e^ε times it. What travels is an index, or a vector with a single 1.
//
// With equal weights the j best-ranked codes are raised: randomised response on
// labels for j = 1, subset selection for others. Weights of its own for each code
// make it any extremal channel of ε.
//
// Domain: K finite scores; only their order counts, and equal ones rank by
// index. Neighbours: any two.
//
// Theorem. Of T chances code c has L_c, and up to U_c ≤ e^ε·L_c while codes are
// raised in order of rank until all T are given away. The release is
// (ln max_c first_c/last_c, 0)-DP, where first_c and last_c are the chances of
// code c when it ranks first and last; and that is at most ε.
//
// Numerics: exact whatever floats do. They decide only the ranking and which
// integers L and U are; ε is computed from these.
//
// Proof: codes.md. Audit: TestAuditCodes. Reference: Kairouz, Oh and Viswanath,
// Extremal Mechanisms for Local Differential Privacy, JMLR 2016; Ye and Barg,
// Optimal Schemes for Discrete Distribution Estimation under Locally
// Differential Privacy, 2018.
type Codes struct {
	params  Params
	own     CodesParams
	least   []uint64 // chances of each code, whatever its rank
	rise    []uint64 // what its rank can add to them
	slack   uint64   // what ranks share out: Σ least + slack = chances
	rises   uint64   // Σ rise, or 2·slack if that is less
	worst   int      // the code that tells most
	ballots sync.Pool
}

// CodesParams are the own parameters of codes.
type CodesParams struct {
	Selected int `json:"selected,omitempty" help:"number of likely codes" default:": the best for ε"`
	// Weights holds the least probability of each code: dim positive numbers
	// with Σw ≤ 1 ≤ e^ε·Σw. Nil means equal ones, of which Selected are raised;
	// Selected must be 0 otherwise.
	Weights []float64 `json:"weights,omitempty" help:"least probability of each code" default:": equal, and --selected codes are raised"`
}

// fitCodes takes as many codes as there are weights, if there are any.
func fitCodes(p Params, width int) Params {
	weights, _ := p.Value("weights").([]float64)
	p.Dim = cmp.Or(p.Dim, len(weights), width)
	return p
}

var _ dp.Distinguisher = (*Codes)(nil)

const (
	chances   = 1 << 62 // T
	maxCodes  = 1 << 16
	weightSum = 1e-9 // what rounding may do to a sum of weights
)

// NewCodes takes dim, which is K, epsilon, and selected or weights.
func NewCodes(p Params) (*Codes, error) {
	p, own, err := prepare[CodesParams](p, "codes", 2)
	if err != nil {
		return nil, err
	}
	if p.Dim > maxCodes {
		return nil, fmt.Errorf("mech: dim of codes is %d, must be at most %d", p.Dim, maxCodes)
	}
	if own.Weights != nil && own.Selected != 0 {
		return nil, fmt.Errorf("mech: selected is %d beside weights of codes, must be absent: weights say how many codes are raised", own.Selected)
	}
	if own.Weights == nil && own.Selected == 0 {
		own.Selected = bestSubset(p.Dim, p.Epsilon)
	}
	own.Weights = slices.Clone(own.Weights)
	p.Own = own
	m := &Codes{params: p, own: own, least: make([]uint64, p.Dim), rise: make([]uint64, p.Dim)}
	if own.Weights == nil {
		err = m.setEqual()
	} else {
		err = m.setWeights()
	}
	if err != nil {
		return nil, err
	}
	m.setReach()
	return m, nil
}

// room returns by how many chances a code that has least may be raised: at most
// (e^ε−1)·least. The last factor outweighs the rounding errors of the others,
// 5·2⁻⁵³ in all, and the one of ε leaves room for [dp.RoundUp], so that what is
// printed is not above what was asked for.
func room(least uint64, epsilon float64) uint64 {
	r := float64(least) * math.Expm1(epsilon*(1-0x1p-43)) * (1 - 0x1p-50)
	if !(r < chances) {
		return chances
	}
	return uint64(r)
}

// setEqual gives each code the smallest L at which raising j codes within their
// room uses up all chances, so that exactly j are raised and the last of them
// lacks less than j chances.
func (m *Codes) setEqual() error {
	if m.own.Selected < 1 || m.own.Selected >= m.params.Dim {
		return fmt.Errorf("mech: selected is %d, must be at least 1 and below dim, %d", m.own.Selected, m.params.Dim)
	}
	k, j := uint64(m.params.Dim), uint64(m.own.Selected)
	share := func(least uint64) uint64 { return (chances - k*least + j - 1) / j }
	low, high := uint64(1), chances/k // share(high) < K, far below its room
	for low < high {
		if mid := low + (high-low)/2; room(mid, m.params.Epsilon) >= share(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	for c := range m.least {
		m.least[c], m.rise[c] = low, share(low)
	}
	m.slack = chances - k*low
	return nil
}

// setWeights rounds the weights up to chances. Where their sum, or e^ε times it,
// is 1 but for rounding, the heaviest code gives way; the release tells nothing
// then.
func (m *Codes) setWeights() error {
	p := m.params
	if len(m.own.Weights) != p.Dim {
		return fmt.Errorf("mech: codes has %d weights, must have dim, %d", len(m.own.Weights), p.Dim)
	}
	sum, total, heaviest := 0.0, uint64(0), 0
	for c, w := range m.own.Weights {
		if !(w > 0 && w <= 1) {
			return fmt.Errorf("mech: weight %d of codes is %v, must be above 0 and at most 1", c, w)
		}
		sum += w
		m.least[c] = uint64(math.Ceil(w * chances))
		total += m.least[c]
		if w > m.own.Weights[heaviest] {
			heaviest = c
		}
	}
	if fewest := math.Exp(-p.Epsilon); !(sum <= 1+weightSum && sum >= fewest*(1-weightSum)) {
		return fmt.Errorf("mech: weights of codes sum to %v, must be between e^−ε = %v and 1", sum, fewest)
	}
	if total > chances {
		m.least[heaviest] -= total - chances
		total = chances
	}
	m.slack = chances - total
	rises := uint64(0)
	for c, least := range m.least {
		m.rise[c] = min(room(least, p.Epsilon), m.slack)
		rises = min(rises+m.rise[c], m.slack)
	}
	m.rise[heaviest] += m.slack - rises
	return nil
}

// setReach finds the code that tells most.
func (m *Codes) setReach() {
	for _, r := range m.rise {
		m.rises = min(m.rises+r, 2*m.slack)
	}
	most := 0.0
	for c := range m.least {
		if l := m.loss(c); l > most {
			m.worst, most = c, l
		}
	}
}

// reach returns the chances of code c when it ranks last and first.
func (m *Codes) reach(c int) (last, first uint64) {
	last, first = m.least[c], m.least[c]+m.rise[c]
	if others := m.rises - m.rise[c]; others < m.slack {
		last += m.slack - others
	}
	return last, first
}

// loss returns the most that code c tells.
func (m *Codes) loss(c int) float64 {
	last, first := m.reach(c)
	return noise.LogRatio(noise.Prob(first), 1, noise.Prob(last), 1)
}

// ballot is scratch space for one release.
type ballot struct {
	votes []vote
	extra []uint64 // what its rank adds to each code's chances
}

// vote is the score of a code.
type vote struct {
	score float64
	code  int
}

// before reports whether a ranks before b.
func (a vote) before(b vote) bool {
	return a.score > b.score || a.score == b.score && a.code < b.code
}

func (m *Codes) ballot() *ballot {
	if b, ok := m.ballots.Get().(*ballot); ok {
		return b
	}
	return &ballot{votes: make([]vote, m.params.Dim), extra: make([]uint64, m.params.Dim)}
}

// put takes a ballot back, emptied: it held something of a private input.
func (m *Codes) put(b *ballot) {
	clear(b.votes)
	clear(b.extra)
	m.ballots.Put(b)
}

// count fills b.extra from the ranking: codes are raised from the best on until
// the slack is used up. It sorts no more than it must: all codes before a pivot
// are raised, or the others do not count.
func (m *Codes) count(b *ballot, scores []float64) error {
	if len(scores) != m.params.Dim {
		return fmt.Errorf("%w: want a score for each of %d codes", dp.ErrDomain, m.params.Dim)
	}
	for c, v := range scores {
		if !finite(v) {
			return fmt.Errorf("%w: a score is NaN or infinite", dp.ErrDomain)
		}
		b.votes[c] = vote{v, c}
	}
	left, part := m.slack, b.votes
	for left > 0 {
		p := split(part)
		ahead := uint64(0)
		for _, v := range part[:p] {
			ahead = min(ahead+m.rise[v.code], left)
		}
		if ahead == left {
			part = part[:p]
			continue
		}
		for _, v := range part[:p+1] {
			b.extra[v.code] = min(m.rise[v.code], left)
			left -= b.extra[v.code]
		}
		part = part[p+1:]
	}
	return nil
}

// split orders votes around one of them, and returns where that came to lie.
func split(votes []vote) int {
	last := len(votes) - 1
	votes[last], votes[last/2] = votes[last/2], votes[last]
	pivot, p := votes[last], 0
	for i, v := range votes[:last] {
		if v.before(pivot) {
			votes[i], votes[p] = votes[p], v
			p++
		}
	}
	votes[last], votes[p] = votes[p], pivot
	return p
}

// Params implements [Mechanism].
func (m *Codes) Params() Params { return m.params.Clone() }

// Shape implements [dp.Vector].
func (m *Codes) Shape() (in, out int) { return m.params.Dim, m.params.Dim }

// Guarantee implements [dp.Mechanism].
func (m *Codes) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.RoundUp(dp.Epsilon(m.loss(m.worst)))}
}

// Pick releases the index of a code.
func (m *Codes) Pick(scores []float64, src rand.Source) (int, error) {
	b := m.ballot()
	defer m.put(b)
	if err := m.count(b, scores); err != nil {
		return 0, err
	}
	u := noise.From(src).IntN(chances)
	// The walk goes to the end, so that its time does not tell where u fell.
	choice, sum := 0, uint64(0)
	for c, least := range m.least {
		sum += least + b.extra[c]
		if sum <= u {
			choice++
		}
	}
	return choice, nil
}

// Privatize implements [dp.Mechanism].
func (m *Codes) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector]: it takes scores and releases a vector that
// is 1 at the code picked and 0 elsewhere.
func (m *Codes) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	c, err := m.Pick(x, src)
	clear(dst)
	if err == nil {
		dst[c] = 1
	}
	return err
}

// Index returns which code a released vector is: the place of its only 1, where
// all else is 0.
func (m *Codes) Index(y []float64) (int, error) {
	c := slices.Index(y, 1)
	if len(y) != m.params.Dim || c < 0 {
		return 0, errRelease
	}
	for i, v := range y {
		if i != c && v != 0 {
			return 0, errRelease
		}
	}
	return c, nil
}

// LogRatio implements [dp.Distinguisher].
func (m *Codes) LogRatio(y, x, x2 []float64) (float64, error) {
	c, err := m.Index(y)
	if err != nil {
		return 0, err
	}
	var chance [2]uint64
	for i, scores := range [][]float64{x, x2} {
		b := m.ballot()
		err := m.count(b, scores)
		chance[i] = m.least[c] + b.extra[c]
		m.put(b)
		if err != nil {
			return 0, err
		}
	}
	return noise.LogRatio(noise.Prob(chance[0]), 1, noise.Prob(chance[1]), 1), nil
}

// Profile implements [dp.Profiled].
func (m *Codes) Profile() dp.Profile {
	k, c := m.params.Dim, m.worst
	last, first := m.reach(c)
	const unit = 2 // of Prob in 2⁻⁶⁴, 2⁶⁴/T = 2²
	w := dp.Witness{
		X: make([]float64, k), X2: make([]float64, k), Y: make([]float64, k),
		Event: fmt.Sprintf("x ranks code %d first, x′ ranks it last: it is released", c),
		LogP:  noise.Prob(first << unit).Log(),
		LogQ:  noise.Prob(last << unit).Log(),
	}
	w.X[c], w.X2[c], w.Y[c] = 1, -1, 1
	facts := []dp.Fact{{Name: "codes", Value: float64(k)}}
	if m.own.Weights == nil {
		facts = append(facts, dp.Fact{Name: "selected", Value: float64(m.own.Selected)})
	} else {
		sum := 0.0
		for _, v := range m.own.Weights {
			sum += v
		}
		facts = append(facts, dp.Fact{Name: "weight_sum", Value: sum})
	}
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason:  "each code's probability is at most e^ε times the least that any ranking leaves it",
		Witness: w, Facts: facts,
	}
}
