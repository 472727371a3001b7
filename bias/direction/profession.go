package direction

import (
	"math"

	"sotto/measure"
)

// profession is one with the vectors and weights of its forms.
type profession struct {
	name     string
	forms    []foundForm
	counts   []float64 // NaN where there is none
	weights  []float64 // add up to 1
	weighted bool      // by counts
}

// professions looks up the forms and weights them.
func (l lookup) professions(r *Result, all []Profession, counts Counts) []profession {
	var found []profession
	uncounted := 0
	for _, p := range all {
		q := profession{name: p.Name, forms: l.forms(r, p)}
		uncounted += q.weigh(counts)
		found = append(found, q)
	}
	if counts != nil && uncounted > 0 {
		r.note("%d forms have no count: they weigh nothing beside forms that have one, and alike among themselves", uncounted)
	}
	return found
}

// weigh fills in the weights and returns how many forms have no count.
func (p *profession) weigh(counts Counts) (uncounted int) {
	total := 0.0
	for _, f := range p.forms {
		n, ok := counts.Of(f.word)
		if !ok {
			n = math.NaN()
			uncounted++
		} else {
			total += n
		}
		p.counts = append(p.counts, n)
	}
	p.weighted = total > 0 && !math.IsInf(total, 0)
	for _, n := range p.counts {
		switch {
		case !p.weighted:
			p.weights = append(p.weights, 1/float64(len(p.forms)))
		case math.IsNaN(n):
			p.weights = append(p.weights, 0)
		default:
			p.weights = append(p.weights, n/total)
		}
	}
	return uncounted
}

// score returns the score along g, undefined without forms.
func (p *profession) score(g []float64) ProfessionScore {
	s := ProfessionScore{Name: p.name, Weighted: p.weighted}
	for i, f := range p.forms {
		v := measure.Number(cosine(f.entry.vector, g))
		s.Score += measure.Number(p.weights[i]) * v
		s.Plain += v / measure.Number(len(p.forms))
		s.Forms = append(s.Forms, FormScore{Word: f.word, Gender: f.gender, Score: v, Count: measure.Number(p.counts[i])})
	}
	if len(p.forms) == 0 {
		s.Score, s.Plain = measure.Number(math.NaN()), measure.Number(math.NaN())
	}
	return s
}

// directBias is the mean of |score|^c over the professions that have one,
// undefined if none has.
func directBias(all []profession, g []float64, c float64) float64 {
	sum, n := 0.0, 0
	for _, p := range all {
		if len(p.forms) > 0 {
			sum += math.Pow(math.Abs(float64(p.score(g).Score)), c)
			n++
		}
	}
	return sum / float64(n) // NaN if there are none
}

// RandomCosine is the mean of |t|^c, where t is the cosine between any vector
// of that many numbers and a direction drawn uniformly:
//
//	Γ(d/2)·Γ((c+1)/2) / (√π·Γ((d+c)/2)),
//
// about √(2/(π·d)) for c = 1.
func RandomCosine(dim int, c float64) float64 {
	d := float64(dim)
	a, _ := math.Lgamma(d / 2)
	b, _ := math.Lgamma((c + 1) / 2)
	e, _ := math.Lgamma((d + c) / 2)
	return math.Exp(a+b-e) / math.Sqrt(math.Pi)
}

// randomDirectBias is the mean of directBias over directions g drawn uniformly.
// The score of a profession is u·g, u the weighted mean of its forms at length
// 1, and so ‖u‖ times the cosine between u and g.
func randomDirectBias(all []profession, dim int, c float64) float64 {
	sum, n := 0.0, 0
	u := make([]float64, dim)
	for _, p := range all {
		if len(p.forms) == 0 {
			continue
		}
		clear(u)
		for i, f := range p.forms {
			length := norm2(f.entry.vector)
			for j, v := range f.entry.vector {
				u[j] += p.weights[i] * v / length
			}
		}
		sum += math.Pow(norm2(u), c)
		n++
	}
	return RandomCosine(dim, c) * sum / float64(n)
}
