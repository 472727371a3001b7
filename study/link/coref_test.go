package link_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/study/link"
)

// score is that of one document.
func score(truth, found [][]int) link.Coref {
	var d link.Documents
	d.Add(truth, found)
	return d.Score()
}

// TestCoref holds the measures to small cases that are worked out by hand.
func TestCoref(t *testing.T) {
	for _, tt := range []struct {
		name         string
		truth, found [][]int
		want         [5][2]float64 // precision and recall: MUC, B³, CEAF-m, CEAF-e, LEA
	}{
		// The example of Bagga and Baldwin: five, two and five, of which the twos and a
		// five are found as one.
		{
			"joined",
			[][]int{{1, 2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11, 12}},
			[][]int{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11, 12}},
			[5][2]float64{
				{9 / 10.0, 1}, // found links 4 + 6; the seven is in two parts
				{(5 + (4+25)/7.0) / 12, 1},
				{10 / 12.0, 10 / 12.0},                 // 5 + 5
				{(1 + 10/12.0) / 2, (1 + 10/12.0) / 3}, // the five and the seven: 2·5/(5+7)
				{(5 + 7*(1+10)/21.0) / 12, 1},
			},
		},
		// The same, with the two fives joined.
		{
			"joined fives",
			[][]int{{1, 2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11, 12}},
			[][]int{{1, 2, 3, 4, 5, 8, 9, 10, 11, 12}, {6, 7}},
			[5][2]float64{{9 / 10.0, 1}, {(5 + 2) / 12.0, 1}, {7 / 12.0, 7 / 12.0}, {(10/15.0 + 1) / 2, (10/15.0 + 1) / 3}, {(10*20/45.0 + 2) / 12, 1}},
		},
		// Mentions that only one side has: 4 is missed, 5 and 6 are not there.
		{
			"twinless",
			[][]int{{1, 2, 3, 4}},
			[][]int{{1, 2}, {3, 5, 6}},
			[5][2]float64{
				{1 / 3.0, 1 / 3.0}, // the four is in {1,2}, {3}, {4}; {3,5,6} in three parts
				{(2 + 1/3.0) / 5, (4/4.0 + 1/4.0) / 4},
				{2 / 5.0, 2 / 4.0},
				{(4 / 6.0) / 2, 4 / 6.0},
				{2 / 5.0, 1 / 6.0},
			},
		},
		// Mentions that are alone: 3 is found alone, 4 is joined.
		{
			"alone",
			[][]int{{1, 2}, {3}, {4}},
			[][]int{{1, 2, 4}, {3}},
			[5][2]float64{{1 / 2.0, 1}, {((4+1)/3.0 + 1) / 4, 1}, {3 / 4.0, 3 / 4.0}, {(4/5.0 + 1) / 2, (4/5.0 + 1) / 3}, {(3*1/3.0 + 1) / 4, 3 / 4.0}},
		},
	} {
		s := score(tt.truth, tt.found)
		for k, r := range []link.Ratio{s.MUC, s.BCubed, s.CEAFM, s.CEAFE, s.LEA} {
			if math.Abs(r.Precision-tt.want[k][0]) > 1e-12 || math.Abs(r.Recall-tt.want[k][1]) > 1e-12 {
				t.Errorf("%s: measure %d has precision %v and recall %v, want %v", tt.name, k, r.Precision, r.Recall, tt.want[k])
			}
		}
		// Precision one way is recall the other way.
		back := score(tt.found, tt.truth)
		if back.LEA.Precision != s.LEA.Recall || back.BCubed.Recall != s.BCubed.Precision || back.MUC.Recall != s.MUC.Precision {
			t.Errorf("%s: %+v turned round is %+v", tt.name, s, back)
		}
	}
}

// Sums are over documents, and what agrees has 1 everywhere.
func TestCorefDocuments(t *testing.T) {
	var d link.Documents
	d.Add([][]int{{1, 2}, {3}}, [][]int{{1, 2}, {3}})
	if s := d.Score(); s.CoNLL != 1 || s.LEA.F1 != 1 || s.CEAFM.F1 != 1 || s.Mentions.F1 != 1 {
		t.Errorf("what agrees has %+v", s)
	}
	d.Add([][]int{{1, 2}}, nil)
	if s := d.Score(); s.BCubed.Recall != .6 || s.BCubed.Precision != 1 || s.MUC.Recall != .5 || s.Documents != 2 || s.True != 5 || s.Found != 3 {
		t.Errorf("beside a document of which nothing is found: %+v", s)
	}
	defer func() {
		if recover() == nil {
			t.Error("a mention in two chains is taken")
		}
	}()
	d.Add([][]int{{1, 2}, {2}}, nil)
}

// TestAssign holds the alignment against all alignments of small tables.
func TestAssign(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(19, 5))
	for range 300 {
		rows, columns := 1+rng.IntN(5), 1+rng.IntN(5)
		gain := make([][]float64, rows)
		for i := range gain {
			for range columns {
				gain[i] = append(gain[i], float64(rng.IntN(4)*rng.IntN(5)))
			}
		}
		if got, want := link.Assign(gain), best(gain, 0, nil); got != want {
			t.Fatalf("Assign(%v) = %v, want %v", gain, got, want)
		}
	}
}

// best tries all choices from a row on.
func best(gain [][]float64, row int, used []int) float64 {
	if row == len(gain) {
		return 0
	}
	most := best(gain, row+1, used)
	for j, g := range gain[row] {
		if !slices.Contains(used, j) {
			most = max(most, g+best(gain, row+1, append(slices.Clone(used), j)))
		}
	}
	return most
}

func ExampleDocuments() {
	var d link.Documents
	d.Add([][]int{{1, 2, 3}, {4, 5}}, [][]int{{1, 2}, {3, 4, 5}})
	s := d.Score()
	fmt.Printf("MUC %.3f, B³ %.3f, CEAF-e %.3f, LEA %.3f, CoNLL %.3f\n", s.MUC.F1, s.BCubed.F1, s.CEAFE.F1, s.LEA.F1, s.CoNLL)
	// Output: MUC 0.667, B³ 0.733, CEAF-e 0.800, LEA 0.600, CoNLL 0.733
}
