package dp

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Repeated is a release that is made Times times, with fresh noise each time.
type Repeated struct {
	Guarantee
	Times int
}

// maxTimes bounds the releases whose composition is computed.
const maxTimes = 1_000_000

// assumeFixed is printed with every composition below ε₁ + … + ε_k.
const assumeFixed = "the ε of every release, and the most releases there may be, were fixed before the first was seen; noise is drawn afresh each time"

// ComposeAt returns the guarantee, at the given total δ, of making all the
// releases on one input. It is never worse than [Compose] and much better for
// many releases of small ε.
//
// Theorem (Kairouz, Oh and Viswanath, ICML 2015, Theorems 3.3 and 3.5). Let
// randomised response answer 0 or 1, truthfully with probability
// e^ε/(1+e^ε). Whatever can be told from k releases that are (ε_i, δ_i)-DP, even
// chosen one after the other, can be told from k randomised responses with the
// same ε_i, but for an event of probability 1 − Π(1−δ_i). So they are
// (ε, 1−(1−δ(ε))·Π(1−δ_i))-DP with, for the sum L of k independent losses that
// are ε_i with probability e^{ε_i}/(1+e^{ε_i}) and −ε_i otherwise,
//
//	δ(ε) = E[max(0, 1 − e^{ε−L})],
//
// and for pure releases no smaller δ is true: randomised responses attain it.
//
// Proof of the formula. The best event between two laws P and Q is where
// P > e^ε·Q, and there P − e^ε·Q = P·(1 − e^{ε−L}) with L = ln(P/Q). On
// randomised responses the losses of the single answers add. ∎
//
// Numerics: with one ε, L takes the values (k−2l)·ε with the binomial law, and
// δ(ε) is the finite sum; it is inflated by more than its rounding error. With
// several, sums of losses are rounded up to a grid, which only raises δ(ε). The
// smallest ε is then found by bisection, from above.
func ComposeAt(delta float64, parts ...Repeated) (Guarantee, error) {
	if !(delta >= 0 && delta < 1) {
		return Guarantee{}, fmt.Errorf("dp: delta is %v, must be in [0, 1)", delta)
	}
	basic, pure, own, err := summary(parts)
	if err != nil {
		return Guarantee{}, err
	}
	if own > delta {
		return Guarantee{}, fmt.Errorf("dp: delta is %v, must be at least the %.3g that the releases have themselves", delta, own)
	}
	basic.Delta = own
	// What is left of δ for the composition, rounded down.
	left := (delta - own) / (1 - own) * (1 - 0x1p-50)
	if left == 0 || basic.Epsilon == Infinite || basic.Epsilon == 0 {
		return basic, nil
	}
	losses := lossesOf(pure)
	low, high := 0.0, float64(basic.Epsilon)
	for range 100 {
		middle := (low + high) / 2
		if losses.delta(middle) <= left {
			high = middle
		} else {
			low = middle
		}
	}
	if Epsilon(high) >= basic.Epsilon*(1-1e-4) {
		return basic, nil // nothing worth a δ is gained
	}
	total := basic
	total.Epsilon, total.Delta = RoundUp(Epsilon(high)), delta
	total.Assumptions = append(slices.Clone(basic.Assumptions), assumeFixed)
	return total, nil
}

// summary checks the parts and returns their basic composition without its δ,
// how often each ε occurs, and 1 − Π(1−δ_i), rounded up.
func summary(parts []Repeated) (basic Guarantee, pure map[Epsilon]int, own float64, err error) {
	pure = map[Epsilon]int{}
	var all []Guarantee
	times, kept := 0, 0.0 // kept is ln Π(1−δ_i)
	for _, p := range parts {
		if p.Times < 1 || p.Times > maxTimes-times {
			return basic, nil, 0, fmt.Errorf("dp: a release is made %d times, must be at least once, and all together at most %d", p.Times, maxTimes)
		}
		times += p.Times
		if err = p.Validate(); err != nil {
			return basic, nil, 0, err
		}
		kept += float64(p.Times) * math.Log1p(-p.Delta)
		g := p.Guarantee
		pure[g.Epsilon] += p.Times
		g.Epsilon, g.Delta = Epsilon(float64(g.Epsilon)*float64(p.Times)*(1+0x1p-52)), 0
		all = append(all, g)
	}
	if basic, err = Compose(all...); err != nil {
		return basic, nil, 0, err
	}
	if basic.Unit == Metric {
		return basic, nil, 0, errors.New("dp: guarantees are metric, must be text-level or word-level: their loss depends on the distance")
	}
	delete(pure, 0) // which tell nothing
	return basic, pure, -math.Expm1(kept) * (1 + 0x1p-44), nil
}

// losses is the law of a privacy loss: numbers and their probabilities, and
// how far the probabilities may be too small, relatively.
type losses struct {
	loss, p []float64
	slack   float64
	beyond  float64 // probability of a loss that is not listed, taken as infinite
}

// delta returns an upper bound on E[max(0, 1 − e^{ε−L})].
func (l losses) delta(epsilon float64) float64 {
	sum := 0.0
	for i, loss := range l.loss {
		if loss > epsilon {
			sum -= l.p[i] * math.Expm1(epsilon-loss)
		}
	}
	return sum*(1+l.slack) + l.beyond
}

// negligible is the probability below which a loss is taken as infinite: all
// of them together stay far below any δ worth the name.
const negligible = 1e-40

// responses is the law of the loss of k randomised responses with one ε.
func responses(epsilon float64, k int) losses {
	n := float64(k)
	whole, _ := math.Lgamma(n + 1)
	flat := n * math.Log1p(math.Exp(-epsilon))
	law := losses{slack: 0x1p-46 * (whole + n*epsilon + 64)}
	for lies := 0.0; lies <= n; lies++ {
		a, _ := math.Lgamma(lies + 1)
		b, _ := math.Lgamma(n - lies + 1)
		if p := math.Exp(whole - a - b - lies*epsilon - flat); p > negligible {
			law.loss = append(law.loss, (n-2*lies)*epsilon*(1+0x1p-50))
			law.p = append(law.p, p)
		} else {
			law.beyond += negligible
		}
	}
	return law
}

// gridPoints is the number of losses that a sum of several laws keeps.
const gridPoints = 1 << 15

// lossesOf is the law of the loss of all randomised responses, each ε as often
// as it occurs.
func lossesOf(pure map[Epsilon]int) losses {
	epsilons := make([]Epsilon, 0, len(pure))
	most := 0.0
	for e, k := range pure {
		epsilons = append(epsilons, e)
		most += float64(e) * float64(k)
	}
	slices.Sort(epsilons) // so that equal parts give equal bits
	total := responses(float64(epsilons[0]), pure[epsilons[0]])
	for _, e := range epsilons[1:] {
		total = total.plus(responses(float64(e), pure[e]), most)
	}
	return total
}

// plus is the law of a sum of independent losses, none above most in absolute
// value, each rounded up to a grid.
func (l losses) plus(m losses, most float64) losses {
	step := 2 * most / (gridPoints - 2)
	cells := make([]float64, gridPoints)
	for i, a := range l.loss {
		for j, b := range m.loss {
			cell := math.Ceil((a + b + most) / step * (1 + 0x1p-48))
			cells[min(int(max(cell, 0)), gridPoints-1)] += l.p[i] * m.p[j]
		}
	}
	sum := losses{slack: l.slack + m.slack + 0x1p-30, beyond: l.beyond + m.beyond}
	for cell, p := range cells {
		if p > 0 {
			sum.loss, sum.p = append(sum.loss, float64(cell)*step-most), append(sum.p, p)
		}
	}
	return sum
}
