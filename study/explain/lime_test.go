package explain_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"sotto/study/explain"
)

// rows is a regression written out: a row for each sample.
type rows struct {
	x    [][]float64
	y, w []float64
}

// ridge fits some columns and an intercept, which is not penalised, by elimination on
// the whole design, and returns the weights, the intercept and the weighted R².
func (r rows) ridge(columns []int, alpha float64) (weights []float64, at, r2 float64) {
	n := len(columns) + 1
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n+1)
	}
	for k, x := range r.x {
		row := []float64{}
		for _, c := range columns {
			row = append(row, x[c])
		}
		row = append(row, 1)
		for i := range n {
			for j := range n {
				a[i][j] += r.w[k] * row[i] * row[j]
			}
			a[i][n] += r.w[k] * row[i] * r.y[k]
		}
	}
	for i := range n - 1 {
		a[i][i] += alpha
	}
	for i := range n {
		p := i
		for k := i; k < n; k++ {
			if math.Abs(a[k][i]) > math.Abs(a[p][i]) {
				p = k
			}
		}
		a[i], a[p] = a[p], a[i]
		for k := range n {
			if k == i {
				continue
			}
			f := a[k][i] / a[i][i]
			for j := i; j <= n; j++ {
				a[k][j] -= f * a[i][j]
			}
		}
	}
	for i := range n - 1 {
		weights = append(weights, a[i][n]/a[i][i])
	}
	at = a[n-1][n] / a[n-1][n-1]
	sum, mean := 0.0, 0.0
	for k := range r.y {
		sum += r.w[k]
		mean += r.w[k] * r.y[k]
	}
	mean /= sum
	left, total := 0.0, 0.0
	for k, x := range r.x {
		said := at
		for i, c := range columns {
			said += weights[i] * x[c]
		}
		left += r.w[k] * (r.y[k] - said) * (r.y[k] - said)
		total += r.w[k] * (r.y[k] - mean) * (r.y[k] - mean)
	}
	return weights, at, 1 - left/total
}

// chosen are the columns that the published method takes.
func (r rows) chosen(words, most int) []int {
	all := make([]int, words)
	for i := range all {
		all[i] = i
	}
	var columns []int
	if most > 6 {
		weights, _, _ := r.ridge(all, 0.01)
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(math.Abs(weights[b]), math.Abs(weights[a])) })
		columns = all[:min(most, words)]
	} else {
		for range min(most, words) {
			best, at := math.Inf(-1), -1
			for c := range words {
				if slices.Contains(columns, c) {
					continue
				}
				if _, _, r2 := r.ridge(append(slices.Clone(columns), c), 0); r2 > best {
					best, at = r2, c
				}
			}
			columns = append(columns, at)
		}
	}
	slices.Sort(columns)
	return columns
}

// TestLIMEByHand compares weights, intercept and R² with a regression that is written
// out, for both ways of choosing words, with weights √exp(−d²/25²) of d = 100 times
// the cosine distance.
func TestLIMEByHand(t *testing.T) {
	const s = "A wonderful wonderful film, never dull and oddly moving, I say."
	for _, features := range []int{3, 7, 10} {
		l := explain.LIME{Samples: 600, Features: features, Seed: 4}
		e, err := l.Explain(t.Context(), film, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"A", "wonderful", "film", "never", "dull", "and", "oddly", "moving", "I", "say"}
		ones, weights, words := l.Drawn(s)
		r := rows{x: [][]float64{slices.Repeat([]float64{1}, words)}, y: []float64{good(t, s)}, w: []float64{1}}
		sizes := map[int]int{}
		for k, kept := range ones {
			x, text := make([]float64, words), s
			for _, j := range kept {
				x[j] = 1
			}
			for j, name := range names {
				if x[j] == 0 {
					text = " " + strings.NewReplacer(",", " ,", ".", " .").Replace(text) + " "
					text = strings.ReplaceAll(strings.ReplaceAll(text, " "+name+" ", "  "), " "+name+" ", "  ")
				}
			}
			d := 100 * (1 - math.Sqrt(float64(len(kept))/float64(words)))
			if want := math.Sqrt(math.Exp(-d * d / 625)); math.Abs(weights[k]-want) > 1e-12 {
				t.Fatalf("a text of %d words counts %v, want %v", len(kept), weights[k], want)
			}
			r.x, r.y, r.w = append(r.x, x), append(r.y, good(t, text)), append(r.w, weights[k])
			sizes[words-len(kept)]++
		}
		if len(sizes) != words || sizes[0] != 0 {
			t.Errorf("left out are %v words, want from 1 to %d", sizes, words)
		}
		columns := r.chosen(words, features)
		want, at, r2 := r.ridge(columns, 1)
		if math.Abs(e.Base-at) > 1e-9 || math.Abs(e.Local.R2-r2) > 1e-9 {
			t.Errorf("%d features: intercept %v and R² %v, want %v and %v", features, e.Base, e.Local.R2, at, r2)
		}
		for j, name := range names {
			weight := 0.0
			if i := slices.Index(columns, j); i >= 0 {
				weight = want[i]
			}
			at := slices.IndexFunc(e.Tokens, func(w explain.Token) bool { return w.Text == name })
			if math.Abs(e.Tokens[at].Weight-weight) > 1e-9 {
				t.Errorf("%d features: %s weighs %v, want %v", features, name, e.Tokens[at].Weight, weight)
			}
		}
	}
}
