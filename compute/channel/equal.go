package channel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sotto/compute/nn"
	"sotto/promise/dp"
)

// Subset is a channel of K answers with equal weights, of which the j best for
// a text are e^ε times as likely as the others: subset selection, and with j = 1
// randomised response.
type Subset struct {
	Answers  []int // columns of the scores
	Selected int   // j
	Value    float64
}

// BestSubset looks for the best channel of equal weights with the given j, by
// adding the answer that helps most until none does, up to most answers. It is
// a search: unlike [Solve] it proves nothing.
func BestSubset(ctx context.Context, scores nn.Matrix, epsilon dp.Epsilon, selected, most int) (Subset, error) {
	if err := checkScores(scores, epsilon); err != nil {
		return Subset{}, err
	}
	if selected < 1 || most <= selected {
		return Subset{}, fmt.Errorf("channel: selected is %d of at most %d answers, must be at least 1 and fewer", selected, most)
	}
	g := greedy{scores: scores, e: math.Exp(float64(min(epsilon, enoughEpsilon))), j: selected, top: make([]float32, scores.Rows*selected)}
	for i := range g.top {
		g.top[i] = float32(math.Inf(-1))
	}
	best := Subset{Selected: selected, Value: math.Inf(-1)}
	for len(g.chosen) < min(most, scores.Cols) {
		if err := ctx.Err(); err != nil {
			return Subset{}, fmt.Errorf("channel: stopped: %w", err)
		}
		value := g.add()
		if len(g.chosen) <= selected {
			continue // all would be equally likely
		}
		if value <= best.Value {
			break
		}
		best.Value, best.Answers = value, slices.Clone(g.chosen)
	}
	if best.Answers == nil {
		return Subset{}, fmt.Errorf("channel: selected is %d of %d answers, must be fewer", selected, scores.Cols)
	}
	return best, nil
}

// greedy is a set of answers with the j best scores of each text.
type greedy struct {
	scores nn.Matrix
	e      float64
	j      int
	chosen []int
	top    []float32 // j of each text, the smallest first
	all    float64   // sum of the chosen scores over the texts
}

// add takes in the answer that gives the highest value, and returns that.
func (g *greedy) add() float64 {
	gains, sums := make([]float64, g.scores.Cols), make([]float64, g.scores.Cols)
	for i := range g.scores.Rows {
		least, room := g.top[i*g.j], len(g.chosen) < g.j
		for v, s := range g.scores.Row(i) {
			sums[v] += float64(s)
			switch {
			case room:
				gains[v] += float64(s)
			case s > least:
				gains[v] += float64(s - least)
			}
		}
	}
	held := 0.0
	for _, s := range g.top {
		if !math.IsInf(float64(s), -1) {
			held += float64(s)
		}
	}
	best, value := -1, math.Inf(-1)
	k := float64(len(g.chosen) + 1)
	for v := range gains {
		if slices.Contains(g.chosen, v) {
			continue
		}
		x := (g.all + sums[v] + float64((g.e-1)*(held+gains[v]))) / (k + float64((g.e-1)*float64(g.j))) / float64(g.scores.Rows)
		if x > value {
			best, value = v, x
		}
	}
	g.chosen = append(g.chosen, best)
	g.all += sums[best]
	for i := range g.scores.Rows {
		g.enter(g.top[i*g.j:(i+1)*g.j], g.scores.Row(i)[best])
	}
	return value
}

// enter puts a score among the best of a text, if it belongs there.
func (g *greedy) enter(top []float32, s float32) {
	if s <= top[0] {
		return
	}
	at := 0
	for at+1 < len(top) && top[at+1] < s {
		top[at] = top[at+1]
		at++
	}
	top[at] = s
}
