package estimate_test

import (
	"fmt"

	"sotto/learn/estimate"
	"sotto/promise/mech"
)

func ExampleNewMixture() {
	// Codes of three answers whose weights raise more than one of them.
	m, err := mech.NewCodes(mech.Params{Dim: 3, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.15, 0.2, 0.25}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := estimate.NewMixture(m, [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for code, n := range []int{3000, 3500, 3500} {
		t.Count(code, n)
	}
	s, err := t.Shares(0.95)
	fmt.Printf("%.2f %.2f %.2f %v\n", s.Each[0].Share, s.Each[1].Share, s.Each[2].Share, err)
	// Output: 0.53 0.22 0.25 <nil>
}

func ExampleJoint() {
	answers, err := mech.NewKRR(mech.Params{Epsilon: 2, Own: mech.KRRParams{Classes: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	j, err := estimate.NewJoint(answers, answers) // groups are released alike
	if err != nil {
		fmt.Println(err)
		return
	}
	for pair, n := range []int{400, 200, 100, 300} {
		for range n {
			if err = j.Add([]float64{float64(pair / 2)}, []float64{float64(pair % 2)}); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	s, err := j.Shares(0.95)
	fmt.Printf("answer 0: %.2f of group 0, %.2f of group 1 %v\n", s.Within[0][0].Share, s.Within[0][1].Share, err)
	// Output: answer 0: 0.98 of group 0, 0.29 of group 1 <nil>
}

func ExampleMean() {
	m, err := mech.NewLaplaceL2(mech.Params{Dim: 2, Epsilon: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := estimate.NewMean(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 100 {
		if err = s.Add([]float64{1, float64(i % 2)}); err != nil {
			fmt.Println(err)
			return
		}
	}
	a, err := s.Average(0.95)
	fmt.Printf("%s: %.1f %.1f %v\n", s.Of(), a.Coordinates[0].Value, a.Coordinates[1].Value, err)
	// Output: inputs scaled to length 1: 1.0 0.5 <nil>
}
