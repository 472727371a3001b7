package influence

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sotto/compute/nn"
	"sotto/study/explain"
	"sotto/text"
)

// Importance is how well scores name the words that an error of the teacher hangs on:
// they are masked one after the other, those with the highest score first, until the
// answer changes.
type Importance struct {
	Method string `json:"method"`
	// Covered is the share of errors whose answer changes, within each budget of words.
	Covered []float64 `json:"covered"`
	// Masked is the mean number of words masked where the answer changes.
	Masked float64 `json:"masked"`
}

// ImportanceTest is the comparison of methods.
type ImportanceTest struct {
	Texts   int          `json:"texts"`  // looked at
	Errors  int          `json:"errors"` // of the teacher
	Budgets []int        `json:"budgets"`
	Methods []Importance `json:"methods"`
}

// budgets are the numbers of words that may be masked.
var budgets = []int{1, 2, 3, 5, 10}

// TestImportance masks words of the teacher's errors among texts, by the scores of the
// student, by LIME and at random.
func (s *Student) TestImportance(ctx context.Context, d *Data, rows []int, lime explain.LIME, o Options) (*ImportanceTest, error) {
	said, err := s.Teacher.Answers(ctx, nn.Pick(d.Texts, rows), s.workers)
	if err != nil {
		return nil, err
	}
	test := &ImportanceTest{Texts: len(rows), Budgets: budgets}
	names := []string{"influence", "unlike", "hybrid", "lime", "random"}
	counts := make([][]int, len(names)) // words masked until each error changed, 0 if it did not
	rng := seeded(s.Settings.Seed, "importance")
	for i, row := range rows {
		if said[i] == d.Labels[row] {
			continue
		}
		test.Errors++
		orders, err := s.orders(ctx, d.Texts[row], said[i], lime, rng.Perm)
		if err != nil {
			return nil, err
		}
		for m, order := range orders {
			n, err := s.until(ctx, d.Texts[row], order, said[i])
			if err != nil {
				return nil, err
			}
			counts[m] = append(counts[m], n)
		}
		o.tell("masking words of errors", i+1, len(rows))
	}
	for m, name := range names {
		x := Importance{Method: name, Covered: make([]float64, len(budgets))}
		changed := 0
		for _, n := range counts[m] {
			if n == 0 {
				continue
			}
			changed++
			x.Masked += float64(n)
			for b, budget := range budgets {
				if n <= budget {
					x.Covered[b] += 1 / float64(test.Errors)
				}
			}
		}
		x.Masked /= float64(max(1, changed))
		test.Methods = append(test.Methods, x)
	}
	return test, nil
}

// orders returns the words of a text in the order in which each method would mask
// them.
func (s *Student) orders(ctx context.Context, s0 string, said int, lime explain.LIME, perm func(int) []int) ([][]text.Span, error) {
	scored, err := s.Scores(ctx, s0, ScoreOptions{})
	if err != nil {
		return nil, err
	}
	by := func(of func(Score) float64) []text.Span {
		words := slices.Clone(scored.Words)
		slices.SortStableFunc(words, func(a, b Score) int { return cmp.Compare(of(b), of(a)) })
		return spans(words)
	}
	e, err := lime.Explain(ctx, s.Teacher, s0, said)
	if err != nil {
		return nil, fmt.Errorf("influence: %w", err)
	}
	tokens := slices.Clone(e.Tokens)
	slices.SortStableFunc(tokens, func(a, b explain.Token) int { return cmp.Compare(b.Weight, a.Weight) })
	limed := make([]text.Span, len(tokens))
	for i, t := range tokens {
		limed[i] = text.Span{Start: t.Start, End: t.End}
	}
	random := nn.Pick(spans(scored.Words), perm(len(scored.Words)))
	return [][]text.Span{
		by(func(w Score) float64 { return w.Speaks }),
		by(func(w Score) float64 { return w.Unlike }),
		by(func(w Score) float64 { return w.Hybrid }),
		limed, random,
	}, nil
}

func spans(words []Score) []text.Span {
	all := make([]text.Span, len(words))
	for i, w := range words {
		all[i] = text.Span{Start: w.Start, End: w.End}
	}
	return all
}

// until returns how many words must be masked, in order, until the teacher changes its
// answer; 0 if the largest budget does not suffice.
func (s *Student) until(ctx context.Context, s0 string, order []text.Span, said int) (int, error) {
	most := min(len(order), slices.Max(budgets))
	texts, masked := make([]string, most), make([][]text.Span, most)
	for n := range most {
		texts[n], masked[n] = s0, slices.Clone(order[:n+1])
		slices.SortFunc(masked[n], func(a, b text.Span) int { return cmp.Compare(a.Start, b.Start) })
	}
	got, err := s.Teacher.MaskedAnswers(ctx, texts, masked, s.workers)
	if err != nil {
		return 0, err
	}
	return 1 + slices.IndexFunc(got, func(class int) bool { return class != said }), nil
}
