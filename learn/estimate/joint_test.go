package estimate_test

import (
	"math"
	"testing"

	"sotto/learn/estimate"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func joint(t testing.TB, a, g mech.Mechanism) *estimate.Joint {
	t.Helper()
	j, err := estimate.NewJoint(a, g)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestJointExactly goes through all pairs that four people can release: unbiased
// shares are right on average, and intervals cover, also those within a group.
func TestJointExactly(t *testing.T) {
	const n, confidence = 4, 0.9
	a, g := krr(t, 2, 1.5), krr(t, 2, 1)
	truth := [2][2]float64{{0.5, 0.1}, {0.1, 0.3}} // by answer and group
	var f []float64
	for y := range 2 {
		for z := range 2 {
			sum := 0.0
			for x := range 2 {
				for h := range 2 {
					pa, pg := make([]float64, 2), make([]float64, 2)
					if a.Chances(pa, []float64{float64(x)}) != nil || g.Chances(pg, []float64{float64(h)}) != nil {
						t.Fatal("no chances")
					}
					sum += truth[x][h] * pa[y] * pg[z]
				}
			}
			f = append(f, sum)
		}
	}
	var mean, covered, within [2][2]float64
	enumerate(n, f, func(counts []int, p float64) {
		j := joint(t, a, g)
		for i, c := range counts {
			for range c {
				if err := j.Add([]float64{float64(i / 2)}, []float64{float64(i % 2)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		s, err := j.Shares(confidence)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for x := range 2 {
			for h := range 2 {
				each, in := s.Pairs[x][h], s.Within[x][h]
				mean[x][h] += p * each.Unbiased
				sum += each.Share
				if each.Covers(truth[x][h]) {
					covered[x][h] += p
				}
				if c := truth[x][h] / (truth[0][h] + truth[1][h]); in.Covers(c) {
					within[x][h] += p
				}
			}
		}
		if s.Method != estimate.Unbiased && math.Abs(sum-1) > 1e-9 {
			t.Fatalf("counts %v: shares sum to %v by %s, want 1", counts, sum, s.Method)
		}
	})
	for x := range 2 {
		for h := range 2 {
			if math.Abs(mean[x][h]-truth[x][h]) > 1e-9 || covered[x][h] < confidence || within[x][h] < confidence {
				t.Errorf("answer %d in group %d: mean %v, covered %v, within the group %v, want %v and at least %v", x, h, mean[x][h], covered[x][h], within[x][h], truth[x][h], confidence)
			}
		}
	}
}

// TestJointLikelihood: for many people of whom no unbiased share is impossible, the
// likeliest shares are the unbiased ones.
func TestJointLikelihood(t *testing.T) {
	j := joint(t, krr(t, 3, 2), krr(t, 2, 3))
	for i, c := range []int{300, 100, 150, 150, 90, 120} {
		for range c {
			if err := j.Add([]float64{float64(i / 2)}, []float64{float64(i % 2)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := j.Shares(0.95)
	if err != nil {
		t.Fatal(err)
	}
	for a, row := range s.Pairs {
		for g, each := range row {
			if s.Method != estimate.Unbiased || math.Abs(each.Likelihood-each.Unbiased) > 5e-3 {
				t.Errorf("answer %d, group %d: likeliest share %v by %s, want the unbiased one, %v", a, g, each.Likelihood, s.Method, each.Unbiased)
			}
		}
	}
}

// TestJointCoverage draws people with sets of labels and a group, and counts how
// often the interval of a share within a group misses: with probability 10⁻⁵ more
// often than here if it does with 5 %. It also tells groups apart.
func TestJointCoverage(t *testing.T) {
	a, err := mech.NewSubset(mech.Params{Epsilon: 3, Own: mech.SubsetParams{Classes: 6}})
	if err != nil {
		t.Fatal(err)
	}
	g := krr(t, 2, 3)
	within := [2]float64{0.7, 0.2} // of answer 0
	draws, src := dptest.Count(t, 60, 500), dptest.Source(t, 3)
	uniform := func() float64 { return float64(src.Uint64()>>11) / (1 << 53) }
	missed, told := [2]int{}, 0
	for range draws {
		j := joint(t, a, g)
		for range 1500 {
			group := 0
			if uniform() < 0.3 {
				group = 1
			}
			answer := 0
			if uniform() >= within[group] {
				answer = 1 + int(5*uniform())
			}
			y, err := a.Privatize([]float64{float64(answer)}, src)
			if err != nil {
				t.Fatal(err)
			}
			z, err := g.Privatize([]float64{float64(group)}, src)
			if err != nil {
				t.Fatal(err)
			}
			if err = j.Add(y, z); err != nil {
				t.Fatal(err)
			}
		}
		s, err := j.Shares(0.95)
		if err != nil {
			t.Fatal(err)
		}
		for h := range 2 {
			if e := s.Within[0][h]; !e.Covers(within[h]) {
				missed[h]++
			}
		}
		if s.Within[0][0].Low > s.Within[0][1].High {
			told++
		}
	}
	most := 0.05*float64(draws) + math.Sqrt(float64(draws)*math.Log(2e5)/2)
	if float64(missed[0]) > most || float64(missed[1]) > most || 2*told < draws {
		t.Errorf("intervals missed %v of %d times and told the groups apart %d times, want at most %.0f and more than half", missed, draws, told, most)
	}
}

func TestJointRefuses(t *testing.T) {
	codes, err := mech.NewCodes(mech.Params{Dim: 6, Epsilon: 1, Own: mech.CodesParams{Selected: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := estimate.NewJoint(codes, krr(t, 2, 1)); err == nil {
		t.Error("inputs that stand for several answers were taken")
	}
	j := joint(t, krr(t, 2, 1), krr(t, 2, 1))
	if j.Add([]float64{2}, []float64{0}) == nil || j.Add([]float64{0}, []float64{2}) == nil || j.N() != 0 {
		t.Error("what is no release was counted")
	}
	if _, err := j.Shares(0.95); err == nil {
		t.Error("shares of nobody")
	}
}
