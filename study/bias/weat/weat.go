package weat

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"sotto/study/bias"
)

// Options say how a test is made. The zero value is the test as it was
// published: cosine, mean, a deviation with N−1, one-sided.
type Options struct {
	Measures   []Measure   `json:"-"`          // none means Cosine
	Statistics []Statistic `json:"-"`          // none means Mean
	Population bool        `json:"population"` // divide squares by N, not N−1
	TwoSided   bool        `json:"two_sided"`
	// Samples is how many partitions are drawn where there are more than that and
	// more than 200,000; 0 means 100,000.
	Samples    int        `json:"samples"`
	Seed       uint64     `json:"seed"`
	Covariance Covariance `json:"covariance"` // of Mahalanobis; "" means LedoitWolf
	Pooled     bool       `json:"pooled"`     // Mahalanobis takes one covariance, within A and B together
}

// filled returns the options with defaults in place.
func (o Options) filled() (Options, error) {
	if len(o.Measures) == 0 {
		o.Measures = []Measure{Cosine}
	}
	if len(o.Statistics) == 0 {
		o.Statistics = []Statistic{Mean}
	}
	if o.Samples == 0 {
		o.Samples = 100_000
	}
	if o.Covariance == "" {
		o.Covariance = LedoitWolf
	}
	if o.Samples < 1 || o.Samples > maxSamples {
		return o, fmt.Errorf("weat: samples are %d, must be from 1 to %d", o.Samples, maxSamples)
	}
	_, wrong := parseEach(o.Measures, ParseMeasure)
	_, err := parseEach(o.Statistics, ParseStatistic)
	_, failed := ParseCovariance(string(o.Covariance))
	return o, cmp.Or(wrong, err, failed)
}

// Result is what a test says.
type Result struct {
	Test     Test
	Kept     Test      // the words that count, of each set
	Sets     []Found   // X, Y, A, B, and those behind them that are not empty
	Variants []Variant // by measure and then statistic
	Notes    []string  // what to know when reading them
}

// Found says what became of a set of words.
type Found struct {
	Set  string   `json:"set"` // such as "X"
	Size int      `json:"size"`
	Lost []string `json:"lost"`           // not among the vectors
	Zero []string `json:"zero,omitempty"` // their vector is zero, so they are lost too
	// Repeated have the vector of a word before them, such as Man and man in a
	// table of lower-case words, and are lost too: no vector counts twice.
	Repeated []string `json:"repeated,omitempty"`
	// Respelt are found in another of their spellings alone, such as lower case.
	Respelt int `json:"respelt,omitempty"`
}

// Lost lists the words that the four sets of the test have lost.
func (r Result) Lost() []string {
	lost := []string{}
	for _, f := range r.Sets[:4] {
		lost = append(append(append(lost, f.Lost...), f.Zero...), f.Repeated...)
	}
	return lost
}

// Variant is the result by one measure and statistic.
type Variant struct {
	Measure   Measure
	Statistic Statistic
	Effect    float64 // signed; NaN if refused
	Sum       float64 // of the associations of X less that of Y; NaN if refused
	P         float64 // see the package; NaN if refused
	// Inclusive is the p that also counts partitions as great as the observed
	// one, itself among them, and so is never 0: a level that holds. It is what
	// significance is judged by.
	Inclusive  float64
	TwoSided   bool
	Exact      bool // every partition was looked at
	Partitions int  // looked at
	Greater    int  // of them
	Equal      int  // of them, the observed one among them if Exact
	Refused    string
}

// maxLost is the share of a set above which its test is refused.
const maxLost = 0.2

// sample holds the vectors of a test.
type sample struct {
	nx           int
	targets      [][]float64 // X before Y
	a, b         [][]float64
	moreA, moreB [][]float64 // with a and b
}

// Run makes a test. Words that the table lacks are left out; if that is more
// than a fifth of a set, or the measure is not defined, Variant.Refused says so.
// An error is about the test or the options, or that of the context.
func Run(ctx context.Context, t *bias.Table, test Test, o Options) (Result, error) {
	o, err := o.filled()
	if err == nil {
		err = test.Validate()
	}
	if err != nil {
		return Result{}, err
	}
	r := Result{Test: test}
	s, refused := r.collect(t)
	var all []*chance
	var of []int // the variant of each
	for _, m := range o.Measures {
		var n near
		why := refused
		if why == "" {
			if n, err = s.compare(ctx, m, o); err != nil {
				if stopped := ctx.Err(); stopped != nil {
					return Result{}, stopped
				}
				why = err.Error()
			}
		}
		for _, statistic := range o.Statistics {
			v := Variant{Measure: m, Statistic: statistic, Effect: math.NaN(), Sum: math.NaN(), P: math.NaN(), Inclusive: math.NaN(), Refused: why, TwoSided: o.TwoSided || statistic == Optimum}
			if why == "" {
				scores := statistic.associate(n)
				if v.Effect = effect(scores, s.nx, o.Population); !math.IsNaN(v.Effect) {
					v.Sum = floats.Sum(scores[:s.nx]) - floats.Sum(scores[s.nx:])
					all, of = append(all, newChance(scores, s.nx, m.sign(), v.TwoSided)), append(of, len(r.Variants))
				} else {
					v.Refused = "all target words have the same association"
				}
			}
			r.Variants = append(r.Variants, v)
		}
	}
	if len(all) > 0 {
		r.permute(ctx, all, of, len(s.targets), s.nx, o)
	}
	if err = ctx.Err(); err != nil { // what was counted is a part
		return Result{}, err
	}
	return r, nil
}

// permute fills in what chance says.
func (r *Result) permute(ctx context.Context, all []*chance, of []int, n, nx int, o Options) {
	limit := max(maxEnumerated, o.Samples)
	partitions := binomial(n, nx, limit)
	exact := partitions <= limit
	if exact {
		enumerate(ctx, all, n, nx)
	} else {
		partitions = o.Samples
		draw(ctx, all, n, nx, partitions, o.Seed)
	}
	for i, c := range all {
		v := &r.Variants[of[i]]
		v.Exact, v.Partitions, v.Greater, v.Equal = exact, partitions, c.greater, c.equal
		v.P, v.Inclusive = float64(c.greater)/float64(partitions), float64(c.greater+c.equal)/float64(partitions)
		if !exact { // the observed one is none of those drawn
			v.P = float64(c.greater+c.equal+1) / float64(partitions+1)
			v.Inclusive = v.P
		}
	}
}

// collect looks the words up and says why the test cannot be made, "" if it
// can.
func (r *Result) collect(t *bias.Table) (s *sample, refused string) {
	r.Kept = r.Test
	kept := []*[]string{&r.Kept.X, &r.Kept.Y, &r.Kept.A, &r.Kept.B, &r.Kept.MoreA, &r.Kept.MoreB}
	vectors := make([][][]float64, len(kept))
	taken := make([]map[int]bool, len(kept)) // rows of the table
	respelt := 0
	for k, set := range r.Test.sets() {
		taken[k] = map[int]bool{}
		if set.more { // A and more_A serve one covariance
			maps.Copy(taken[k], taken[k-2])
		}
		var f Found
		f, *kept[k], vectors[k] = look(t, set, taken[k])
		if set.more && f.Size == 0 {
			continue
		}
		r.Sets = append(r.Sets, f)
		respelt += f.Respelt
		if refused == "" && !set.more {
			refused = f.refusal(len(vectors[k]))
		}
	}
	if respelt > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d words were found in another spelling alone, such as lower case", respelt))
	}
	for _, two := range [][2]int{{0, 1}, {2, 3}} {
		name, other := r.Sets[two[0]].Set, r.Sets[two[1]].Set
		x, y := len(vectors[two[0]]), len(vectors[two[1]])
		shared := maps.Clone(taken[two[0]])
		maps.DeleteFunc(shared, func(row int, _ bool) bool { return !taken[two[1]][row] })
		if len(shared) > 0 && refused == "" {
			refused = fmt.Sprintf("sets %s and %s have %d vectors in common, must have none", name, other, len(shared))
		}
		if x != y && refused == "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s has %d words and %s %d: nothing was left out to balance them", name, x, other, y))
		}
	}
	return &sample{
		nx: len(vectors[0]), targets: slices.Concat(vectors[0], vectors[1]), a: vectors[2], b: vectors[3],
		moreA: slices.Concat(vectors[2], vectors[4]), moreB: slices.Concat(vectors[3], vectors[5]),
	}, refused
}

// look says what became of a set of words, and which of them are left with which
// vectors. It enters their rows in taken.
func look(t *bias.Table, set set, taken map[int]bool) (f Found, kept []string, vectors [][]float64) {
	f = Found{Set: set.name, Size: len(set.words), Lost: []string{}}
	for _, w := range set.words {
		i, ok := t.Index(w)
		switch {
		case !ok:
			f.Lost = append(f.Lost, w)
		case !slices.ContainsFunc(t.Row(i), func(v float64) bool { return v != 0 }):
			f.Zero = append(f.Zero, w)
		case taken[i]:
			f.Repeated = append(f.Repeated, w)
		default:
			taken[i] = true
			kept, vectors = append(kept, w), append(vectors, t.Row(i))
			if t.Word(i) != w {
				f.Respelt++
			}
		}
	}
	return f, kept, vectors
}

// refusal says why a set of which so many words are left is not enough, "" if it
// is.
func (f Found) refusal(left int) string {
	switch {
	case float64(f.Size-left) > maxLost*float64(f.Size):
		return fmt.Sprintf("set %s lost %d of %d words, more than %.0f %%", f.Set, f.Size-left, f.Size, 100*maxLost)
	case left < 2:
		return fmt.Sprintf("set %s has %d words left, must have at least 2", f.Set, left)
	}
	return ""
}

// RunAll makes every test, several at a time. It tells progress, unless that is
// nil, how many are done.
func RunAll(ctx context.Context, t *bias.Table, tests []Test, o Options, progress bias.Progress) ([]Result, error) {
	results := make([]Result, len(tests))
	return results, progress.Each(ctx, "tests", len(tests), func(ctx context.Context, i int) (err error) {
		results[i], err = Run(ctx, t, tests[i], o)
		return err
	})
}
