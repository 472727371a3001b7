package errors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	weakrand "math/rand/v2"
	"slices"
	"strconv"

	"sotto/compute/forest"
	"sotto/compute/measure"
	"sotto/compute/nn"
)

// Options says how rankers are judged. The zero value uses the defaults.
type Options struct {
	Splits  int     `json:"splits"` // 0 means 20
	Test    float64 `json:"test"`   // share of the test part; 0 means 0.2
	Folds   int     `json:"folds"`  // of the choice within the training part; 0 means 5
	Leaves  []int   `json:"leaves"` // smallest leaves to choose from; nil means 1, 3 and 10
	K       []int   `json:"k"`      // nil means 10 to 50 and 100 to 500
	Seed    uint64  `json:"seed"`
	Natural bool    `json:"natural"`  // do not under-sample the more frequent of right and wrong
	MinRows int     `json:"min_rows"` // rows that must have a feature; 0 means 5
	Top     int     `json:"top"`      // how many features are named; 0 means 40
	Bare    bool    `json:"bare"`     // judge rankers alone, and name no feature
	Forest  forest.Options
	Work    `json:"-"`
}

func (o Options) filled() (Options, error) {
	if o.K == nil {
		o.K = []int{10, 20, 30, 40, 50, 100, 200, 300, 400, 500}
	}
	if o.Leaves == nil {
		o.Leaves = []int{1, 3, 10}
	}
	o.Splits, o.Folds = cmp.Or(o.Splits, 20), cmp.Or(o.Folds, 5)
	o.Test, o.MinRows, o.Top = cmp.Or(o.Test, 0.2), cmp.Or(o.MinRows, 5), cmp.Or(o.Top, 40)
	o.Workers = max(1, o.Workers)
	if o.Splits < 1 || o.Folds < 2 || o.MinRows < 1 || o.Top < 1 || !(o.Test > 0 && o.Test < 1) || len(o.Leaves) == 0 {
		return o, fmt.Errorf("errors: splits, folds, min_rows, top and test are %d, %d, %d, %d and %v, must be at least 1, 2, 1 and 1, and between 0 and 1", o.Splits, o.Folds, o.MinRows, o.Top, o.Test)
	}
	for _, v := range slices.Concat(o.K, o.Leaves) {
		if v < 1 {
			return o, fmt.Errorf("errors: a K or the size of a leaf is %d, must be at least 1", v)
		}
	}
	return o, nil
}

// Least is how many wrong and how many right answers there must be: with fewer, a
// test part holds too few errors for any ranking to be told from chance.
const Least = 25

// ErrFew is wrapped by [Judge] where there are fewer.
var ErrFew = errors.New("errors: too few answers are wrong, or right, to learn from")

// Rankings is how well errors can be foreseen.
type Rankings struct {
	Train    int          `json:"train"` // rows of the training part of each split
	Test     int          `json:"test"`
	TestRate Spread       `json:"test_error_rate"` // one half where it was balanced
	Rankers  []Ranker     `json:"rankers"`
	Tests    []Comparison `json:"tests"`
	// Absent says which rankers could not be judged, and why.
	Absent []Absent `json:"absent,omitempty"`
	// Leaf counts how often each size of leaves was chosen, and Ways how often each
	// way to combine.
	Leaf map[string]int `json:"min_leaf"`
	Ways map[string]int `json:"combined_by,omitempty"`
}

// Absent is a ranker or a feature that there is not.
type Absent struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Feature is what the forest made of a feature.
type Feature struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	// Importance is by how much the area under the curve falls when the feature is
	// permuted, and Deviation that between permutations.
	Importance measure.Number `json:"importance"`
	Deviation  measure.Number `json:"deviation"`
	Decrease   measure.Number `json:"mean_decrease"` // its share in making nodes purer
	Rows       int            `json:"rows"`          // that have it
	// With and Without are the error rates of rows that have it and of those that have
	// not; undefined where there is no such row.
	With    measure.Number `json:"error_rate_with"`
	Without measure.Number `json:"error_rate_without"`
}

// Group is what the forest made of all features of a kind.
type Group struct {
	Name     string         `json:"name"`
	Features int            `json:"features"`
	Decrease measure.Number `json:"mean_decrease"` // their share in making nodes purer
}

// Unjudged is what is known of rankers that could not be judged, and why.
func Unjudged(why string) Judged {
	j := Judged{Rankings: Rankings{Rankers: []Ranker{}, Tests: []Comparison{}}, Features: []Feature{}, Groups: []Group{}}
	for _, name := range []string{Forest, LeastConfidence, Margin, Entropy, Combined} {
		j.Absent = append(j.Absent, Absent{name, why})
	}
	return j
}

// Judged is what is known of how errors can be foreseen.
type Judged struct {
	Rankings
	Features []Feature `json:"features"`
	Groups   []Group   `json:"groups"`
}

// Judge splits answers again and again, learns on one part where they are wrong and
// ranks the other.
func Judge(ctx context.Context, a Answers, o Options) (*Judged, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if err = a.Validate(); err != nil {
		return nil, err
	}
	wrongs := len(chosen(a.Wrong))
	if wrongs < Least || len(a.Wrong)-wrongs < Least {
		return nil, fmt.Errorf("%w: %d of %d are wrong, must be at least %d wrong ones and as many right ones", ErrFew, wrongs, len(a.Wrong), Least)
	}
	x := a.Features.Frequent(o.MinRows)
	if len(x.Names) == 0 {
		return nil, fmt.Errorf("errors: no feature is found in %d rows or more, must be at least one", o.MinRows)
	}
	s, err := newStudy(&a, x, o)
	if err != nil {
		return nil, err
	}
	j := &Judged{}
	if err = s.rankings(ctx, &j.Rankings); err != nil {
		return nil, err
	}
	j.absent(&a)
	if o.Bare {
		return j, nil
	}
	rows := s.draw(weakrand.New(weakrand.NewPCG(o.Seed, 0x616c6c))) // not those of a split
	l, err := s.learn(ctx, rows, o.Seed)
	if err != nil {
		return nil, err
	}
	s.describe(j, l.forest, x)
	o.Tell(o.Splits+1, o.Splits+1)
	return j, nil
}

// draw returns the rows that are learnt from and tested on, in random order: as many
// right as wrong ones, unless all are taken as they are.
func (s *study) draw(rng *weakrand.Rand) []int {
	sides := [2][]int{}
	for i, w := range s.wrong {
		if w {
			sides[1] = append(sides[1], i)
		} else {
			sides[0] = append(sides[0], i)
		}
	}
	n := min(len(sides[0]), len(sides[1]))
	var rows []int
	for _, side := range sides {
		rng.Shuffle(len(side), func(a, b int) { side[a], side[b] = side[b], side[a] })
		if !s.o.Natural {
			side = side[:n]
		}
		rows = append(rows, side...)
	}
	rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
	return rows
}

// rankings fills in what all splits say.
func (s *study) rankings(ctx context.Context, r *Rankings) error {
	var names []string
	values := map[string]map[string][]float64{} // by ranker and measure, one a split
	var rates []float64
	r.Leaf, r.Ways = map[string]int{}, map[string]int{}
	for k := range s.o.Splits {
		s.o.Tell(k, s.o.Splits+1)
		rng := weakrand.New(weakrand.NewPCG(s.o.Seed, uint64(k)))
		rows := s.draw(rng)
		r.Test = max(1, int(s.o.Test*float64(len(rows))))
		r.Train = len(rows) - r.Test
		l, err := s.learn(ctx, rows[r.Test:], rng.Uint64())
		if err != nil {
			return err
		}
		r.Leaf[strconv.Itoa(l.forest.Options().MinLeaf)]++
		if l.way != "" {
			r.Ways[l.way]++
		}
		wrong := nn.Pick(s.wrong, rows[:r.Test])
		base := float64(ratio(len(chosen(wrong)), len(wrong)))
		rates = append(rates, base)
		for name, score := range s.score(l, rows[:r.Test]) {
			if values[name] == nil {
				values[name] = map[string][]float64{}
			}
			of := values[name]
			of["auc"] = append(of["auc"], measure.AUC(wrong, score))
			for _, at := range s.o.K {
				if at <= r.Test {
					p := precision(wrong, score, at)
					of[pAt(at)] = append(of[pAt(at)], p)
					of["lift_"+pAt(at)] = append(of["lift_"+pAt(at)], p/base)
				}
			}
		}
	}
	r.TestRate = spread(rates)
	for _, name := range []string{Forest, LeastConfidence, Margin, Entropy, Combined} {
		of := values[name]
		if of == nil {
			continue
		}
		names = append(names, name)
		auc := spread(of["auc"])
		ranker := Ranker{Name: name, PAt: map[string]Spread{}, Lift: map[string]Spread{}, AUC: auc.Mean, AUCSD: auc.SD}
		for _, at := range s.o.K {
			if at <= r.Test {
				ranker.PAt[strconv.Itoa(at)], ranker.Lift[strconv.Itoa(at)] = spread(of[pAt(at)]), spread(of["lift_"+pAt(at)])
			}
		}
		r.Rankers = append(r.Rankers, ranker)
	}
	r.Tests = []Comparison{}
	for _, what := range []string{"auc", pAt(50), pAt(100)} {
		for i, a := range names {
			for _, b := range names[i+1:] {
				if x, y := values[a][what], values[b][what]; x != nil {
					c := compare(x, y, r.Test, r.Train)
					c.A, c.B, c.Measure = a, b, what
					r.Tests = append(r.Tests, c)
				}
			}
		}
	}
	return nil
}

// pAt names the share of errors among the first k.
func pAt(k int) string { return "p_at_" + strconv.Itoa(k) }

// absent says what could not be judged.
func (j *Judged) absent(a *Answers) {
	add := func(name, why string) { j.Absent = append(j.Absent, Absent{name, why}) }
	if a.Confidence == nil && a.Probabilities == nil {
		add(LeastConfidence, "the confidence of the answers is not known")
	}
	if a.Probabilities == nil {
		add(Margin, "the probabilities of all classes are not known")
		add(Entropy, "the probabilities of all classes are not known")
	}
	if a.Confidence == nil && a.Probabilities == nil {
		add(Combined, "there is nothing to combine the forest with")
	}
}

// permutations is how often each feature is permuted.
const permutations = 5

// describe fills in what a forest made of the features.
func (s *study) describe(j *Judged, f *forest.Forest, x *Features) {
	permuted, decrease := f.Permutation(s.narrow, s.wrong, permutations, s.o.Workers), f.MeanDecrease()
	counts := make([][2]int, len(x.Names)) // rows that have it, and wrong ones
	wrongs := len(chosen(s.wrong))
	for i, row := range x.Rows {
		for _, c := range row {
			counts[c.Column][0]++
			if s.wrong[i] {
				counts[c.Column][1]++
			}
		}
	}
	groups := map[string]*Group{}
	var order []string
	for k, name := range x.Names {
		n := counts[k]
		j.Features = append(j.Features, Feature{
			Name: name, Group: x.Groups[k],
			Importance: measure.Number(permuted[k].Mean), Deviation: measure.Number(permuted[k].Deviation), Decrease: measure.Number(decrease[k]),
			Rows: n[0], With: ratio(n[1], n[0]), Without: ratio(wrongs-n[1], len(x.Rows)-n[0]),
		})
		g := groups[x.Groups[k]]
		if g == nil {
			g = &Group{Name: x.Groups[k]}
			groups[x.Groups[k]] = g
			order = append(order, x.Groups[k])
		}
		g.Features++
		g.Decrease += measure.Number(decrease[k])
	}
	slices.SortStableFunc(j.Features, func(a, b Feature) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(b.Decrease, a.Decrease))
	})
	j.Features = j.Features[:min(len(j.Features), s.o.Top)]
	for _, name := range order {
		j.Groups = append(j.Groups, *groups[name])
	}
}
