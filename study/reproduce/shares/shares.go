// Package shares shows what many releases say together: how common intents and
// complaints are, period by period, from users of whom each releases one answer at a
// small ε, beside the same from raw answers.
//
// Periods are simulated: users are drawn at random from what the data says of each,
// so that the truth is known. The noise comes from a seed; it protects nobody. The
// smallest use is
//
//	r, err := shares.Run(ctx, shares.Options{})
//
// It is apart because it has a format and options of its own.
package shares

import (
	"cmp"
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/learn/estimate"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// Format is the format of a stored [Result].
const Format = "sotto-shares-1"

// Options says what is shown. The zero value uses the defaults.
type Options struct {
	Only     []string // data sets; nil means all
	Users    int      // of a period, each with one release; 0 means 10,000
	Epsilon  float64  // of each release; 0 means 1
	Seeds    int      // times that users and noise are drawn; 0 means 5
	Dir      string   // folder of data sets; "" means dataset.Dir
	Progress func(done, total int)
}

// Result is what was found.
type Result struct {
	Format  string  `json:"format"`
	Users   int     `json:"users"`
	Epsilon float64 `json:"epsilon"`
	Seeds   int     `json:"seeds"`
	Sets    []Set   `json:"sets"`
}

// Set is what was found on one data set.
type Set struct {
	Data    string   `json:"data"`
	About   string   `json:"about"`
	Classes int      `json:"classes"`
	Periods []string `json:"periods"`
	Rows    []Row    `json:"results"`
	// Lines are the answers whose shares change most, as one draw shows them, by the
	// release with the least error.
	Best  string `json:"best"`
	Lines []Line `json:"lines"`
}

// Row is how well shares are told by one release. All errors are in shares of all
// users, over all classes, periods and seeds.
type Row struct {
	Mechanism string       `json:"mechanism"` // "raw" for answers as they are
	Guarantee dp.Guarantee `json:"guarantee"`
	// Unbiased and Possible are the roots of the mean squared error of unbiased
	// shares, which is their standard error, and of the likeliest or nearest possible
	// ones. Worst is the standard error of the class that has most.
	Unbiased float64 `json:"standard_error"`
	Possible float64 `json:"possible_error"`
	Worst    float64 `json:"worst_standard_error"`
	Stated   float64 `json:"stated_standard_error"` // on average, as sotto estimate prints it
	Covered  float64 `json:"covered"`               // share of 95 % intervals that hold the truth
	Found    float64 `json:"found"`                 // share of seeds in which the two periods that differ most are told apart
}

// Line is the share of an answer, period by period.
type Line struct {
	Answer string  `json:"answer"`
	At     []Point `json:"at"`
}

// Point is the share of an answer in a period.
type Point struct {
	True  float64 `json:"true"` // of those whom users are drawn from
	Raw   float64 `json:"raw"`  // of the users
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

const (
	raw        = "raw"
	confidence = 0.95
	shownLines = 4
)

// mechanisms are the releases that are compared.
var mechanisms = []string{"subset", "krr"}

// Run shows what releases say on each data set.
func Run(ctx context.Context, o Options) (*Result, error) {
	o.Users, o.Epsilon, o.Seeds = cmp.Or(o.Users, 10_000), cmp.Or(o.Epsilon, 1), cmp.Or(o.Seeds, 5)
	if o.Users < 100 || o.Seeds < 1 {
		return nil, fmt.Errorf("shares: there are %d users and %d seeds, must be at least 100 and 1", o.Users, o.Seeds)
	}
	all, err := load(o)
	if err != nil {
		return nil, err
	}
	r := &Result{Format: Format, Users: o.Users, Epsilon: o.Epsilon, Seeds: o.Seeds}
	for i, p := range all {
		s, err := p.show(ctx, o, func(done int) {
			if o.Progress != nil {
				o.Progress(i*o.Seeds+done, len(all)*o.Seeds)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.data, err)
		}
		r.Sets = append(r.Sets, *s)
	}
	return r, nil
}

// population is how common answers are in each period.
type population struct {
	data, about     string
	answers, period []string
	truth           [][]float64 // by period and answer
}

// judged sums up how far shares of one release are from the truth.
type judged struct {
	m                          mech.Answering // nil for raw answers
	square                     []float64      // by class
	possible, stated           float64
	covered, intervals, differ int
}

// show draws users and their releases, and judges what these say.
func (p *population) show(ctx context.Context, o Options, done func(int)) (*Set, error) {
	k := len(p.answers)
	releases := []*judged{{square: make([]float64, k)}}
	for _, name := range mechanisms {
		m, err := mech.New(mech.Params{Mechanism: name, Epsilon: o.Epsilon}.With(mech.Given{"classes": k}))
		if err != nil {
			return nil, err
		}
		releases = append(releases, &judged{m: m.(mech.Answering), square: make([]float64, k)})
	}
	s := &Set{Data: p.data, About: p.about, Classes: k, Periods: p.period, Best: p.best(releases[1:])}
	for _, a := range p.moved() {
		s.Lines = append(s.Lines, Line{Answer: p.answers[a], At: make([]Point, len(p.period))})
	}
	for seed := range o.Seeds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		users := p.draw(o.Users, uint64(seed))
		for i, j := range releases {
			told, err := j.tell(users, k, uint64(seed)<<8+uint64(i))
			if err != nil {
				return nil, err
			}
			if err = j.judge(p, told); err != nil {
				return nil, err
			}
			if seed == 0 {
				s.plot(p, j, told)
			}
		}
		done(seed + 1)
	}
	n := float64(o.Seeds * len(p.period))
	for _, j := range releases {
		s.Rows = append(s.Rows, j.row(n, o))
	}
	return s, nil
}

// best returns the release whose shares have the least standard error.
func (p *population) best(all []*judged) string {
	least := slices.MinFunc(all, func(a, b *judged) int { return cmp.Compare(errorOf(a.m), errorOf(b.m)) })
	return least.m.Params().Mechanism
}

// errorOf returns the standard error of a rare answer from one release, infinite for
// what has no law.
func errorOf(m mech.Answering) float64 {
	l, err := m.Law()
	if err != nil {
		return math.Inf(1)
	}
	return math.Sqrt(l.Least[0]*(1-l.Least[0])) / l.Rise
}

// moved returns the answers whose shares change most over the periods.
func (p *population) moved() []int {
	order := make([]int, len(p.answers))
	for i := range order {
		order[i] = i
	}
	spread := func(a int) float64 {
		low, high := 1.0, 0.0
		for _, truth := range p.truth {
			low, high = min(low, truth[a]), max(high, truth[a])
		}
		return high - low
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spread(b), spread(a)) })
	return order[:min(shownLines, len(order))]
}

// farthest returns the two periods whose shares differ most.
func (p *population) farthest() (first, second int) {
	most := -1.0
	for i, a := range p.truth {
		for j := range i {
			off := 0.0
			for x, v := range p.truth[j] {
				off += math.Abs(v - a[x])
			}
			if off > most {
				first, second, most = i, j, off
			}
		}
	}
	return first, second
}

// draw returns the answer of each user of each period.
func (p *population) draw(users int, seed uint64) [][]int {
	all := make([][]int, len(p.truth))
	for t, truth := range p.truth {
		rng := weakrand.New(weakrand.NewPCG(seed, uint64(t)))
		for range users {
			u, a := rng.Float64(), 0
			for a < len(truth)-1 && u >= truth[a] {
				u -= truth[a]
				a++
			}
			all[t] = append(all[t], a)
		}
	}
	return all
}

// told is what is counted of the users of each period: tallies of releases, or counts
// of raw answers.
type told struct {
	tallies []*estimate.Tally
	counts  [][]int
}

// tell releases answers, period by period.
func (j *judged) tell(users [][]int, k int, seed uint64) (told, error) {
	var all told
	for t, answers := range users {
		counts := make([]int, k)
		for _, a := range answers {
			counts[a]++
		}
		all.counts = append(all.counts, counts)
		if j.m == nil {
			continue
		}
		tally, err := estimate.NewTally(j.m)
		if err != nil {
			return all, err
		}
		src := weakrand.NewPCG(seed, 0x7368617265+uint64(t)) // it protects nobody
		_, width := j.m.Shape()
		y := make([]float64, width)
		for _, a := range answers {
			if err = j.m.PrivatizeTo(y, []float64{float64(a)}, src); err != nil {
				return all, err
			}
			if err = tally.Add(y); err != nil {
				return all, err
			}
		}
		all.tallies = append(all.tallies, tally)
	}
	return all, nil
}

// judge holds shares against the truth.
func (j *judged) judge(p *population, told told) error {
	for t, truth := range p.truth {
		n := 0
		for _, c := range told.counts[t] {
			n += c
		}
		if j.m == nil {
			for a, c := range told.counts[t] {
				f := float64(c) / float64(n)
				j.add(a, f-truth[a], f-truth[a], math.Sqrt(f*(1-f)/float64(n)))
			}
			continue
		}
		s, err := told.tallies[t].Shares(confidence)
		if err != nil {
			return err
		}
		for a, each := range s.Each {
			j.add(a, each.Unbiased-truth[a], each.Likelihood-truth[a], float64(each.Error))
			j.intervals++
			if each.Covers(truth[a]) {
				j.covered++
			}
		}
	}
	if j.m == nil {
		return nil
	}
	first, second := p.farthest()
	c, err := told.tallies[first].Compare(told.tallies[second], confidence)
	if err == nil && c.P <= 1-confidence {
		j.differ++
	}
	return err
}

func (j *judged) add(a int, unbiased, possible, stated float64) {
	j.square[a] += float64(unbiased * unbiased)
	j.possible += float64(possible * possible)
	j.stated += stated
}

// row sums up what was judged over n periods.
func (j *judged) row(n float64, o Options) Row {
	k := float64(len(j.square))
	r := Row{Mechanism: raw, Guarantee: dp.None(dp.Text), Possible: math.Sqrt(j.possible / n / k), Stated: j.stated / n / k}
	if j.m != nil {
		r.Mechanism, r.Guarantee = j.m.Params().Mechanism, j.m.Guarantee()
		r.Covered, r.Found = float64(j.covered)/float64(j.intervals), float64(j.differ)/float64(o.Seeds)
	}
	for _, s := range j.square {
		r.Unbiased += s / n / k
		r.Worst = max(r.Worst, math.Sqrt(s/n))
	}
	r.Unbiased = math.Sqrt(r.Unbiased)
	return r
}

// plot fills in the lines of one draw.
func (s *Set) plot(p *population, j *judged, told told) {
	for i, a := range p.moved() {
		for t := range p.truth {
			at := &s.Lines[i].At[t]
			switch {
			case j.m == nil:
				n := 0
				for _, c := range told.counts[t] {
					n += c
				}
				at.True, at.Raw = p.truth[t][a], float64(told.counts[t][a])/float64(n)
			case j.m.Params().Mechanism == s.Best:
				if each, err := told.tallies[t].Shares(confidence); err == nil {
					e := each.Each[a]
					at.Share, at.Low, at.High = e.Share, float64(e.Low), float64(e.High)
				}
			}
		}
	}
}
