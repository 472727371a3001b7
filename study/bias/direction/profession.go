package direction

import (
	"math"

	"sotto/compute/measure"
)

// profession is one with the vectors and weights of its forms.
type profession struct {
	name     string
	forms    []foundForm
	weighted bool // by counts
}

// foundForm is a form of a profession with its vector.
type foundForm struct {
	word          string
	gender        Gender
	entry         entry
	count, weight float64 // NaN where there is no count; weights add up to 1
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
	for i, f := range p.forms {
		n, ok := counts.Of(f.word)
		total += n
		if !ok {
			n = math.NaN()
			uncounted++
		}
		p.forms[i].count = n
	}
	p.weighted = total > 0 && !math.IsInf(total, 0)
	for i, f := range p.forms {
		if !p.weighted {
			p.forms[i].weight = 1 / float64(len(p.forms))
		} else if !math.IsNaN(f.count) {
			p.forms[i].weight = f.count / total
		}
	}
	return uncounted
}

// score returns the score along g, undefined without forms.
func (p *profession) score(g []float64) ProfessionScore {
	s := ProfessionScore{Name: p.name, Weighted: p.weighted}
	for _, f := range p.forms {
		v := measure.Number(cosine(f.entry.vector, g))
		s.Score += measure.Number(f.weight) * v
		s.Plain += v / measure.Number(len(p.forms))
		s.Forms = append(s.Forms, FormScore{Word: f.word, Gender: f.gender, Score: v, Count: measure.Number(f.count)})
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
		for _, f := range p.forms {
			length := norm2(f.entry.vector)
			for j, v := range f.entry.vector {
				u[j] += f.weight * v / length
			}
		}
		sum += math.Pow(norm2(u), c)
		n++
	}
	return RandomCosine(dim, c) * sum / float64(n)
}
