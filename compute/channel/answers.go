package channel

import (
	"cmp"
	"fmt"
	"slices"

	"sotto/compute/nn"
)

// MaxAnswers bounds the answers that [Solve] chooses from.
const MaxAnswers = 1024

// Answers lists every combination of classes, one for each label, the first
// label changing fastest. More than limit of them (0 means [MaxAnswers]) are an
// error, and [Common] is the way out.
func Answers(classes []int, limit int) ([][]int, error) {
	limit = cmp.Or(limit, MaxAnswers)
	if len(classes) == 0 {
		return nil, fmt.Errorf("channel: there are no labels, must be at least one")
	}
	count := 1
	for _, c := range classes {
		if c < 2 {
			return nil, fmt.Errorf("channel: a label has %d classes, must have at least 2", c)
		}
		if count > limit/c {
			return nil, fmt.Errorf("channel: labels have more than %d combinations of classes", limit)
		}
		count *= c
	}
	answers := make([][]int, count)
	for i := range answers {
		answers[i] = make([]int, len(classes))
		rest := i
		for l, c := range classes {
			answers[i][l] = rest % c
			rest /= c
		}
	}
	return answers, nil
}

// Common lists the answers that are the likeliest of the most texts, at most
// limit of them (0 means [MaxAnswers]), the commonest first. The posteriors are
// as for [Scores]. A bound that [Solve] gives for them bounds channels of these
// answers only. It panics if the sizes do not fit.
func Common(posteriors nn.Matrix, classes []int, limit int) [][]int {
	limit = cmp.Or(limit, MaxAnswers)
	fit(posteriors, classes, nil)
	type counted struct {
		answer []int
		count  int
	}
	seen := map[string]*counted{}
	var all []*counted
	answer := make([]int, len(classes))
	for i := range posteriors.Rows {
		from := 0
		row := posteriors.Row(i)
		for l, c := range classes {
			answer[l] = nn.Argmax(row[from : from+c])
			from += c
		}
		key := fmt.Sprint(answer)
		if seen[key] == nil {
			seen[key] = &counted{answer: slices.Clone(answer)}
			all = append(all, seen[key])
		}
		seen[key].count++
	}
	slices.SortStableFunc(all, func(a, b *counted) int { return b.count - a.count })
	var answers [][]int
	for _, c := range all[:min(limit, len(all))] {
		answers = append(answers, c.answer)
	}
	return answers
}

// Scores returns what each answer is worth for each text: the expected share of
// its labels that are right, Σ_l weight_l·P(label l is answer_l | text). A row
// of posteriors holds the probabilities of the first label's classes, then of
// the second's, and so on. Weights are those of the labels, nil for equal ones;
// only their ratios count. It panics if the sizes do not fit.
func Scores(posteriors nn.Matrix, classes []int, weights []float64, answers [][]int) nn.Matrix {
	share, starts := shares(classes, weights)
	fit(posteriors, classes, answers)
	scores := nn.NewMatrix(posteriors.Rows, len(answers))
	for i := range posteriors.Rows {
		row, to := posteriors.Row(i), scores.Row(i)
		for v, answer := range answers {
			sum := 0.0
			for l, class := range answer {
				sum += float64(share[l] * float64(row[starts[l]+class]))
			}
			to[v] = float32(sum)
		}
	}
	return scores
}

// fit panics if posteriors or answers are of other labels.
func fit(posteriors nn.Matrix, classes []int, answers [][]int) {
	width := 0
	for _, c := range classes {
		width += c
	}
	if posteriors.Cols != width {
		panic(fmt.Sprintf("channel: posteriors have %d columns, want %d", posteriors.Cols, width))
	}
	for _, answer := range answers {
		if len(answer) != len(classes) {
			panic(fmt.Sprintf("channel: an answer has %d classes, want %d", len(answer), len(classes)))
		}
		for l, class := range answer {
			if class < 0 || class >= classes[l] {
				panic(fmt.Sprintf("channel: an answer has class %d of %d", class, classes[l]))
			}
		}
	}
}

// shares returns the weights with sum 1 and the first column of each label.
func shares(classes []int, weights []float64) (share []float64, starts []int) {
	if weights != nil && len(weights) != len(classes) {
		panic(fmt.Sprintf("channel: there are %d weights, want %d", len(weights), len(classes)))
	}
	share, starts = make([]float64, len(classes)), make([]int, len(classes))
	total, column := 0.0, 0
	for l, c := range classes {
		share[l], starts[l] = 1, column
		if weights != nil {
			share[l] = weights[l]
		}
		total += share[l]
		column += c
	}
	for l := range share {
		share[l] /= total
	}
	return share, starts
}
