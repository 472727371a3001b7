package measure

import (
	"cmp"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/promise/dp"
)

// present is the value of a thing that is there; any other known value means
// that it is not.
const present = 1

// counted is how the guesses of one row, or of many, fell out.
type counted struct{ tp, fp, fn int }

func (c *counted) add(d counted) { c.tp, c.fp, c.fn = c.tp+d.tp, c.fp+d.fp, c.fn+d.fn }

func (c counted) f1() float64 { return 2 * float64(c.tp) / float64(2*c.tp+c.fp+c.fn) }

// F1 is how well the presence of one or several things is guessed, over all of
// them together (micro-averaged): 2·TP/(2·TP+FP+FN), in [0, 1]. want[t][i] is 1
// if thing t is in row i, negative if that is unknown, and got[t][i] is 1 if it
// is guessed to be. The interval comes from resampling rows, with all their
// things. It is undefined if nothing is there and nothing was guessed. It panics
// if lengths differ.
//
// Absence that is guessed right does not count: a guess that nothing is ever
// there has F1 = 0, and one that a thing with share p always is has 2p/(1+p).
func (b Bootstrap) F1(want, got [][]int) Estimate {
	rows := presenceCounts(want, got)
	var sum counted
	for _, r := range rows {
		sum.add(r)
	}
	e := Estimate{Value: Number(sum.f1())}
	b = b.withDefaults()
	var values []float64
	for k := range b.Resamples {
		rng := weakrand.New(weakrand.NewPCG(b.Seed, uint64(k)))
		var again counted
		for range rows {
			again.add(rows[rng.IntN(len(rows))])
		}
		values = append(values, again.f1())
	}
	e.interval(values)
	return e
}

// presenceCounts counts the things of each row.
func presenceCounts(want, got [][]int) []counted {
	if len(want) != len(got) || len(want) == 0 {
		panic(fmt.Sprintf("measure: guesses of %d things for %d, must be as many and at least one", len(got), len(want)))
	}
	rows := make([]counted, len(want[0]))
	for t, truth := range want {
		sameLength("rows", len(truth), len(rows))
		sameLength("guesses", len(got[t]), len(rows))
		for i, z := range truth {
			switch guessed := got[t][i] == present; {
			case z < 0:
			case z == present && guessed:
				rows[i].tp++
			case z == present:
				rows[i].fn++
			case guessed:
				rows[i].fp++
			}
		}
	}
	return rows
}

// Shares returns the share of each of n values among the known ones.
func Shares(values []int, n int) []float64 {
	counts, known := make([]float64, n), 0.0
	for _, v := range values {
		if v >= 0 {
			counts[v]++
			known++
		}
	}
	for i := range counts {
		counts[i] /= max(known, 1)
	}
	return counts
}

// AccuracyLimit is [dp.AccuracyBound] over the values that occur, of the given
// shares. It is undefined if ε is not a number.
func AccuracyLimit(epsilon dp.Epsilon, shares []float64) Number {
	v, err := dp.AccuracyBound(epsilon, slices.DeleteFunc(slices.Clone(shares), func(p float64) bool { return !(p > 0) }))
	if err != nil {
		return Undefined
	}
	return Number(v)
}

// Alike returns shares in which all classes that have one have the same.
func Alike(shares []float64) []float64 {
	var alike []float64
	for _, p := range shares {
		if p > 0 {
			alike = append(alike, 1)
		}
	}
	for i := range alike {
		alike[i] /= float64(len(alike))
	}
	return alike
}

// F1Limit returns the F1 that nobody exceeds who guesses, from one ε-DP release
// of a text (text-level, δ = 0), which of several things stand in it, given the
// share of texts in which each does: 2·TP/(2·TP+FP+FN) of the expected counts. It
// takes presence to be known in all texts. At ε = 0 it is the F1 of the best guess without any release. It is NaN if all
// shares are 0.
//
// Proof. Let t and f be the probabilities that a thing with share p is guessed
// where it is and where it is not. ε-DP keeps (f, t) in the polygon with the
// vertices (0, 0), (1−π, π), (1, 1) and (π, 1−π), π = e^ε/(1+e^ε). The expected
// F1 is Σ2pt / Σ(p + pt + (1−p)f), a ratio of linear functions with a positive
// denominator, hence largest at a vertex for each thing, and never at the last,
// which has less t and more f than the second. The vertices are found by
// Dinkelbach's iteration: given a ratio λ, take for each thing the vertex with
// the largest numerator − λ·denominator, until the ratio rises no more.
func F1Limit(epsilon dp.Epsilon, shares []float64) float64 {
	pi := 1 / (1 + math.Exp(-float64(epsilon)))
	corners := [3][2]float64{{0, 0}, {1 - pi, pi}, {1, 1}}
	for best := 0.0; ; {
		above, below := 0.0, 0.0
		for _, p := range shares {
			gain, a, b := math.Inf(-1), 0.0, 0.0
			for _, c := range corners {
				top, bottom := 2*p*c[1], p+p*c[1]+(1-p)*c[0]
				if g := top - best*bottom; g > gain {
					gain, a, b = g, top, bottom
				}
			}
			above, below = above+a, below+b
		}
		ratio := above / below
		if !(ratio > best) {
			if below == 0 {
				return undefined
			}
			return best
		}
		best = ratio
	}
}

// PrecisionLimit returns the mean precision that nobody exceeds who names k
// words of a text after seeing one ε-DP release of it (text-level, δ = 0), given
// the share of texts in which each word stands: the mean of the k largest of
// e^ε·p/(1−p+e^ε·p), where p is a word's share. At ε = 0 it is the precision of
// naming the k commonest words. It panics unless 1 ≤ k ≤ len(shares).
//
// Proof. Draw one of the texts at random and release it. For every release the
// odds of the texts with a word against those without change by at most e^ε, so
// that, whatever was released, the word stands in the text with at most that
// probability. The mean precision is the expectation of the mean of k such
// probabilities, of k different words.
func PrecisionLimit(epsilon dp.Epsilon, shares []float64, k int) float64 {
	if k < 1 || k > len(shares) {
		panic(fmt.Sprintf("measure: %d words of %d, must be at least 1 and no more", k, len(shares)))
	}
	posterior := make([]float64, len(shares))
	for i, p := range shares {
		posterior[i] = p
		if p > 0 && p < 1 {
			posterior[i] = 1 / (1 + (1-p)/p*math.Exp(-float64(epsilon)))
		}
	}
	slices.SortFunc(posterior, func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for _, v := range posterior[:k] {
		sum += v
	}
	return sum / float64(k)
}
