package channel

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"sotto/compute/nn"
	"sotto/promise/dp"
)

// Options say how long to look. The zero value is good for most.
type Options struct {
	Rounds  int // of each of nine phases; 0 means from 60 to 1000, by the number of scores
	Workers int // 0 means one a core; the result does not depend on it
}

// Solution is a channel by the least probability of each answer. The trusted
// side raises the answers that are best for a text to e^ε times their weight,
// from the best one on, until the probabilities have sum 1.
type Solution struct {
	Weights []float64 // of each answer; 0 if it is never given
	Value   float64   // mean over the texts of the expected score
	// Bound is proved: no ε-private channel has a higher Value on these scores.
	Bound float64
}

// work is how many scores a phase looks at where the rounds are not given.
const work = 2e8

// Solve returns the best channel for scores of n texts (rows) and V answers
// (columns), as [Scores] gives them. Scores must be finite; where their size S is
// above 1, the bound is wider than its proof needs by 10⁻⁷·S instead of 10⁻⁷. For an
// ε above 30 the channel is one of 30, and the bound that of no protection.
//
// With E = e^ε and least probabilities w, a text whose answers have scores s
// gets max Σ_v P_v·s_v over w ≤ P ≤ E·w, ΣP = 1, which is concave in w and has
// the supergradient E·(s_v−λ)⁺ − (λ−s_v)⁺, λ being the score of the answer that
// is raised in part. Solve follows its mean with multiplicative steps. The mean
// λ of the rounds, raised until no answer has a positive mean, is the bound.
func Solve(ctx context.Context, scores nn.Matrix, epsilon dp.Epsilon, o Options) (Solution, error) {
	if err := checkScores(scores, epsilon); err != nil {
		return Solution{}, err
	}
	if o.Rounds == 0 {
		o.Rounds = min(1000, max(60, work/(scores.Rows*scores.Cols)))
	}
	s := newSolver(scores, float64(min(epsilon, enoughEpsilon)), o.Workers)
	best := Solution{Value: math.Inf(-1), Bound: s.unprotected()}
	for rate := firstRate; rate > firstRate/500; rate /= 2 {
		if err := s.phase(ctx, &best, rate, o.Rounds); err != nil {
			return Solution{}, err
		}
		if best.Bound-best.Value < enough {
			break
		}
	}
	if epsilon > enoughEpsilon { // what was found of less ε does not bound more
		best.Bound = s.unprotected()
	}
	s.tune(&best)
	s.prune(&best)
	best.Bound = max(best.Value, best.Bound)
	return best, nil
}

const (
	firstRate = 0.8
	enough    = 2e-4 // between the value and its bound
	trifle    = 1e-5 // of the value, for fewer answers
)

// unprotected is the value of giving each text its best answer, which bounds
// every channel's.
func (s *solver) unprotected() float64 {
	sum := 0.0
	for i := range s.scores.Rows {
		sum += float64(slices.Max(s.scores.Row(i)))
	}
	return sum/float64(s.scores.Rows) + s.rounding
}

// phase takes steps of one rate from the best weights so far, and then tries
// the mean of the weights and, for the bound, of the λs.
func (s *solver) phase(ctx context.Context, best *Solution, rate float64, rounds int) error {
	if best.Weights != nil {
		copy(s.w, best.Weights)
	}
	average := make([]float64, len(s.w))
	lambda := make([]float64, s.scores.Rows)
	length := 0.0
	for range rounds {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("channel: stopped: %w", err)
		}
		s.consider(best, s.w)
		// What the weights owe to a round is in proportion to its step.
		step := rate / s.steepest()
		length += step
		for v, x := range s.w {
			average[v] += (x - average[v]) * step / length
		}
		for i, l := range s.lambda {
			lambda[i] += (l - lambda[i]) * step / length
		}
		s.step(step)
	}
	s.consider(best, average)
	best.Bound = min(best.Bound, s.bound(lambda))
	return nil
}

// consider evaluates weights and keeps them if they are the best so far.
func (s *solver) consider(best *Solution, w []float64) {
	copy(s.w, w)
	s.feasible()
	if value := s.evaluate(); value > best.Value {
		best.Value, best.Weights = value, slices.Clone(s.w)
	}
}

func checkScores(scores nn.Matrix, epsilon dp.Epsilon) error {
	switch {
	case !(epsilon > 0 && epsilon < dp.Infinite):
		return fmt.Errorf("channel: ε is %v, must be positive and finite", float64(epsilon))
	case scores.Rows == 0:
		return fmt.Errorf("channel: there are no texts, must be at least one")
	case scores.Cols < 2 || scores.Cols > MaxAnswers:
		return fmt.Errorf("channel: there are %d answers, must be from 2 to %d", scores.Cols, MaxAnswers)
	}
	for _, v := range scores.Data {
		if v != v || v-v != 0 {
			return fmt.Errorf("channel: a score is not finite")
		}
	}
	return nil
}

// enoughEpsilon is the most that channels are made for, so that e^ε is no number
// to be afraid of. They are as private as more ε asks, and of V answers they give
// another than the best less than V times in 10^13.
const enoughEpsilon = 30

// tune scales the best weights: what all of them share is what the last steps,
// all of one length, overshoot in turn.
func (s *solver) tune(best *Solution) {
	for step := 0.01; step > 1e-5; step /= 2 {
		for _, way := range []float64{step, -step} {
			w := slices.Clone(best.Weights)
			for v := range w {
				w[v] *= math.Exp(way)
			}
			s.consider(best, w)
		}
	}
}

// prune drops the answers that are hardly ever given, where that costs a
// trifle or less: each lengthens a release.
func (s *solver) prune(best *Solution) {
	for share := 0.1; share > 1e-6; share /= 10 {
		w := slices.Clone(best.Weights)
		least := slices.Max(w) * share
		for v := range w {
			if w[v] < least {
				w[v] = 0
			}
		}
		few := Solution{Value: best.Value - trifle}
		if s.consider(&few, w); few.Weights != nil {
			best.Value, best.Weights = few.Value, few.Weights
			return
		}
	}
}

// solver holds the weights of a round and what they give.
type solver struct {
	scores nn.Matrix
	order  []uint16 // of each text, its answers from the best to the worst
	e      float64  // e^ε
	// What a bound is raised by, more than the rounding of its sums and of the
	// scores: channel.md.
	rounding float64

	w      []float64
	raised []float64 // of each answer, what it can be given beyond w
	lambda []float64 // of each text
	grad   []float64 // mean over the texts

	workers int
	values  []float64   // of each block of texts
	partial [][]float64 // gradients of each block
}

// blocks is the number of parts that are summed in order, so that the result
// does not depend on the number of workers.
const blocks = 32

// shared is from how many scores on several cores are quicker than one, which takes
// a few nanoseconds for each.
const shared = 1 << 14

func newSolver(scores nn.Matrix, epsilon float64, workers int) *solver {
	n, v := scores.Rows, scores.Cols
	s := &solver{scores: scores, order: make([]uint16, n*v), e: math.Exp(epsilon), w: make([]float64, v), raised: make([]float64, v), lambda: make([]float64, n), grad: make([]float64, v), workers: workers, values: make([]float64, blocks)}
	if s.workers < 1 {
		s.workers = runtime.GOMAXPROCS(0)
	}
	size := 1.0
	for _, x := range scores.Data {
		size = max(size, math.Abs(float64(x)))
	}
	s.rounding = 1e-7 * size
	for range blocks {
		s.partial = append(s.partial, make([]float64, v))
	}
	raised := max(1, float64(v)/(s.e+1)) // as subset selection would
	for i := range s.w {
		s.w[i] = 1 / (float64(v) + float64((s.e-1)*raised))
	}
	s.each(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, order := scores.Row(i), s.order[i*v:(i+1)*v]
			for j := range order {
				order[j] = uint16(j)
			}
			slices.SortStableFunc(order, func(a, b uint16) int {
				switch x, y := row[a], row[b]; {
				case x > y:
					return -1
				case x < y:
					return 1
				}
				return 0
			})
		}
	})
	return s
}

// each calls f for every block of texts, on several cores if there is enough to do.
func (s *solver) each(f func(block, lo, hi int)) {
	n := s.scores.Rows
	if n*s.scores.Cols < shared {
		for block := range blocks {
			f(block, block*n/blocks, (block+1)*n/blocks)
		}
		return
	}
	var group sync.WaitGroup
	for worker := range s.workers {
		group.Go(func() {
			for block := worker; block < blocks; block += s.workers {
				f(block, block*n/blocks, (block+1)*n/blocks)
			}
		})
	}
	group.Wait()
}

// feasible scales the weights so that probabilities between w and e^ε·w can
// have sum 1.
func (s *solver) feasible() {
	sum := 0.0
	for _, w := range s.w {
		sum += w
	}
	factor := 1.0
	if sum > 1 {
		factor = 1 / sum
	} else if sum*s.e < 1 {
		factor = 1 / (sum * s.e)
	}
	for v := range s.w {
		s.w[v] *= factor
	}
}

// evaluate returns the mean value of the weights, and leaves each text's λ and
// the supergradient.
func (s *solver) evaluate() float64 {
	least := 0.0
	for v, w := range s.w {
		least += w
		s.raised[v] = (s.e - 1) * w
	}
	s.each(func(block, lo, hi int) {
		value := 0.0
		clear(s.partial[block])
		for i := lo; i < hi; i++ {
			s.lambda[i] = s.marginal(i, 1-least)
			value += s.lambda[i] + s.tilt(s.partial[block], i, s.lambda[i])
		}
		s.values[block] = value
	})
	return s.gather() / float64(s.scores.Rows)
}

// gather sums the blocks in order and leaves the mean gradient.
func (s *solver) gather() float64 {
	total := 0.0
	clear(s.grad)
	for block, value := range s.values {
		total += value
		for v, g := range s.partial[block] {
			s.grad[v] += g / float64(s.scores.Rows)
		}
	}
	return total
}

// marginal returns the score of the answer of text i that is raised in part,
// when there is so much probability to give beyond the least.
func (s *solver) marginal(i int, rest float64) float64 {
	row, order := s.of(i)
	for _, a := range order {
		if rest -= s.raised[a]; rest <= 0 {
			return float64(row[a])
		}
	}
	return float64(row[order[len(order)-1]])
}

// of returns the scores of text i, and its answers from the best to the worst.
func (s *solver) of(i int) ([]float32, []uint16) {
	v := s.scores.Cols
	return s.scores.Data[i*v : (i+1)*v], s.order[i*v : (i+1)*v]
}

// tilt adds E·(s−λ)⁺ − (λ−s)⁺ of text i to sum, and returns it weighted by w.
func (s *solver) tilt(sum []float64, i int, lambda float64) float64 {
	row, _ := s.of(i)
	sum, w := sum[:len(row)], s.w[:len(row)]
	// Which sign comes next cannot be foreseen, so it chooses a factor and no branch.
	factor := [2]float64{1, s.e}
	value := 0.0
	for v, score := range row {
		d := float64(score) - lambda
		above := 0
		if d > 0 {
			above = 1
		}
		d = float64(d * factor[above])
		sum[v] += d
		value += float64(w[v] * d)
	}
	return value
}

// steepest is the largest slope of the supergradient, never 0.
func (s *solver) steepest() float64 {
	largest := 1e-9
	for _, g := range s.grad {
		largest = max(largest, math.Abs(g))
	}
	return largest
}

// step moves the weights along the supergradient.
func (s *solver) step(length float64) {
	top := slices.Max(s.w)
	for v, g := range s.grad {
		// A weight that has vanished could never come back.
		s.w[v] = max(s.w[v]*math.Exp(length*g), top*1e-9)
	}
}

// bound returns the least mean of λ+δ at which no answer has a positive mean of
// E·(s−λ−δ)⁺ − (λ+δ−s)⁺, from above: that mean only falls as δ grows, and the
// bisection ends where it was seen not to be positive.
func (s *solver) bound(lambda []float64) float64 {
	worst := func(delta float64) float64 {
		s.each(func(block, lo, hi int) {
			clear(s.partial[block])
			for i := lo; i < hi; i++ {
				s.tilt(s.partial[block], i, lambda[i]+delta)
			}
		})
		s.gather()
		return slices.Max(s.grad)
	}
	mean, high := 0.0, 0.0
	for i, l := range lambda {
		mean += l / float64(len(lambda))
		high = max(high, float64(s.scores.Row(i)[s.order[i*s.scores.Cols]])-l) // no score is above λ+high
	}
	low := -1.0
	for worst(low) <= 0 {
		low *= 2
	}
	for range 30 {
		if middle := (low + high) / 2; worst(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return mean + high + s.rounding
}
