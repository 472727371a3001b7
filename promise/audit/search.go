package audit

import (
	"fmt"
	"math"
	"slices"
)

// sample holds releases kept for the search of an event.
type sample []Release

func (s *sample) add(r Release) {
	*s = append(*s, Release{Y: slices.Clone(r.Y), Refused: r.Refused})
}

// width returns the largest number of coordinates seen.
func (s sample) width() int {
	w := 0
	for _, r := range s {
		w = max(w, len(r.Y))
	}
	return w
}

// choice is an event with the bound that the search expects of it.
type choice struct {
	event    event
	expected float64
}

// search looks for events that tell releases of a from those of b, to be
// counted on that many fresh draws each.
type search struct {
	view  *view
	a, b  sample
	draws int
	sure  float64  // how many deviations the confidence costs
	known []choice // of each coordinate, once computed

	bufferA, bufferB, marks []float64 // of bestEvent
	ranks                   ranks
}

// bestEvent searches the event of one feature that promises most.
func (s *search) bestEvent(f feature) choice {
	va, vb := values(s.bufferA, s.view, f, s.a), values(s.bufferB, s.view, f, s.b)
	s.bufferA, s.bufferB = va, vb
	best := choice{event: event{f, atLeast, math.Inf(-1)}, expected: math.Inf(-1)}
	if len(va) == 0 {
		return best
	}
	consider := func(e event, hitsA, hitsB int) {
		if v := s.expect(float64(hitsA), float64(hitsB)); v > best.expected {
			best = choice{e, v}
		}
	}
	if low, high, ok := twoValues(va); ok {
		consider(event{f, equal, low}, occurrences(va, low), occurrences(vb, low))
		consider(event{f, equal, high}, occurrences(va, high), occurrences(vb, high))
		return best
	}
	slices.Sort(va)
	tried, mode := limits(va), commonest(va)
	s.marks = s.marks[:0]
	for _, limit := range append(tried, mode) {
		s.marks = append(s.marks, limit, above(limit))
	}
	slices.Sort(s.marks)
	s.ranks.count(s.marks, vb)
	for _, limit := range tried {
		consider(event{f, atLeast, limit}, len(va)-countBelow(va, limit), len(vb)-s.ranks.below(limit))
		consider(event{f, atMost, limit}, countBelow(va, above(limit)), s.ranks.below(above(limit)))
	}
	consider(event{f, equal, mode}, countBelow(va, above(mode))-countBelow(va, mode), s.ranks.below(above(mode))-s.ranks.below(mode))
	return best
}

// above returns the next number after a limit: what is below that is at most the limit.
func above(limit float64) float64 { return math.Nextafter(limit, math.Inf(1)) }

// ranks counts, of marks that are sorted, values below them. The values need not be
// sorted for that, which would cost more.
type ranks struct {
	marks  [64]float64 // NaN behind the last one, which no value reaches
	counts [64]int     // of the values below a mark, behind the last one of all
}

func (r *ranks) count(marks, v []float64) {
	if len(marks) >= len(r.marks) {
		panic(fmt.Sprintf("audit: %d marks, must be fewer than %d", len(marks), len(r.marks)))
	}
	for i := copy(r.marks[:], marks); i < len(r.marks); i++ {
		r.marks[i] = math.NaN()
	}
	clear(r.counts[:])
	for _, x := range v {
		reached := 0 // the number of marks up to x, searched without branches
		for step := len(r.marks) / 2; step > 0; step /= 2 {
			if r.marks[(reached+step-1)%len(r.marks)] <= x {
				reached += step
			}
		}
		r.counts[reached]++
	}
	for i := 1; i < len(r.counts); i++ {
		r.counts[i] += r.counts[i-1]
	}
}

// below returns how many values are below a mark.
func (r *ranks) below(mark float64) int { return r.counts[slices.Index(r.marks[:], mark)] }

// expect estimates the bound that an event will give on fresh draws: the
// logarithm of the ratio seen, less two deviations for how little was seen and
// those of the confidence for how little will be. It guides the search and
// certifies nothing.
func (s *search) expect(hitsA, hitsB float64) float64 {
	if hitsA == 0 {
		return math.Inf(-1)
	}
	p := hitsA / float64(len(s.a))
	q := min(1, (hitsB+1)/float64(len(s.b)))
	n := float64(s.draws)
	later := math.Log(p-min(p/2, s.sure*math.Sqrt(p*(1-p)/n))) - math.Log(q+s.sure*math.Sqrt(q*(1-q)/n)+2*s.sure/n)
	return later - 2*math.Sqrt((1-p)/hitsA+(1-q)/(hitsB+3))
}

// twoValues reports whether the values are only two, or one: bits need no
// sorting.
func twoValues(v []float64) (low, high float64, ok bool) {
	low, high = slices.Min(v), slices.Max(v)
	for _, x := range v {
		if x != low && x != high {
			return 0, 0, false
		}
	}
	return low, high, true
}

func occurrences(v []float64, x float64) int {
	n := 0
	for _, y := range v {
		if y == x {
			n++
		}
	}
	return n
}

// values returns the feature of all releases, without NaN, in the memory of the buffer if
// that is enough.
func values(buffer []float64, v *view, f feature, s sample) []float64 {
	out := slices.Grow(buffer[:0], len(s))
	for _, r := range s {
		if x := v.value(f, r); !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}

// limits returns quantiles of sorted values to try as limits.
func limits(sorted []float64) []float64 {
	var out []float64
	for _, q := range []float64{0, .01, .02, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .98, .99, 1} {
		out = append(out, sorted[int(q*float64(len(sorted)-1))])
	}
	return slices.Compact(out)
}

// countBelow returns how many sorted values are below a limit.
func countBelow(sorted []float64, limit float64) int {
	i, _ := slices.BinarySearch(sorted, limit)
	return i
}

// commonest returns the value that occurs most often in sorted values.
func commonest(sorted []float64) float64 {
	best, run, most := sorted[0], 0, 0
	for i, v := range sorted {
		if i > 0 && v != sorted[i-1] {
			run = 0
		}
		run++
		if run > most {
			best, most = v, run
		}
	}
	return best
}

// learn sets the weights of the linear score: difference of the means over
// the variance, for each coordinate (a diagonal discriminant).
func (v *view) learn(a, b sample) {
	width := a.width()
	meanA, varA := moments(a, width)
	meanB, varB := moments(b, width)
	v.weight = make([]float64, width)
	for i := range v.weight {
		w := (meanA[i] - meanB[i]) / (varA[i] + varB[i] + 1e-300)
		if !math.IsNaN(w) && !math.IsInf(w, 0) {
			v.weight[i] = w
		}
	}
}

func moments(s sample, width int) (mean, variance []float64) {
	mean, variance = make([]float64, width), make([]float64, width)
	n := float64(max(len(s), 1))
	for _, r := range s {
		for i := range min(width, len(r.Y)) {
			mean[i] += r.Y[i] / n
			variance[i] += r.Y[i] * r.Y[i] / n
		}
	}
	for i := range mean {
		variance[i] = max(0, variance[i]-mean[i]*mean[i])
	}
	return mean, variance
}

// maxSteps bounds how many differences of neighbours, and how many last bits of
// floats, are looked at: what is shared by all shows in any of them.
const maxSteps = 64

// bestOfAll searches all features.
func (s *search) bestOfAll() choice {
	features := []feature{featureRefused, featureLength, featureZeros, featureBad, featureLeast, featureMost, featureNorm1, featureScore}
	if s.view.ratio != nil {
		features = append(features, featureRatio)
	}
	for i := range min(s.a.width()-1, maxSteps) {
		features = append(features, featureStep-feature(i))
	}
	for i := range min(s.a.width(), maxSteps) {
		features = append(features, featureBit-feature(i))
	}
	choices := slices.Clone(s.coordinates())
	for _, f := range features {
		choices = append(choices, s.bestEvent(f))
	}
	best := choice{expected: math.Inf(-1)}
	for _, c := range choices {
		if c.expected > best.expected {
			best = c
		}
	}
	return best
}

// coordinates returns the best choice for each coordinate.
func (s *search) coordinates() []choice {
	if s.known == nil {
		for i := range s.a.width() {
			s.known = append(s.known, s.bestEvent(feature(i)))
		}
	}
	return s.known
}

// perCoordinate returns the best event of each coordinate, and the sum of the
// bounds that the search expects of them.
func (s *search) perCoordinate() (events []event, expected float64) {
	for _, c := range s.coordinates() {
		events = append(events, c.event)
		expected += max(0, c.expected)
	}
	return events, expected
}
