package link_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/data/testenv"
	"sotto/study/link"
)

func TestCompare(t *testing.T) {
	// {0,1,2},{3,4} found as {0,1},{2,3},{4}: pairs found 2, true 4, correct 1.
	s := link.Compare([]int{0, 0, 0, 1, 1}, []int{5, 5, 6, 6, 7})
	const expected = 2 * 4 / 10.0
	hEntity := -(3*math.Log(3.0/5) + 2*math.Log(2.0/5)) / 5
	hCluster := -(4*math.Log(2.0/5) + math.Log(1.0/5)) / 5
	joint := -(2*math.Log(2.0/5) + 3*math.Log(1.0/5)) / 5
	h, c := 1-(joint-hCluster)/hEntity, 1-(joint-hEntity)/hCluster
	want := link.Agreement{
		Items: 5, Found: 2, True: 4, Correct: 1, Precision: .5, Recall: .25, F1: 1 / 3.0,
		Homogeneity: h, Completeness: c, V: 2 * h * c / (h + c), Adjusted: (1 - expected) / (3 - expected), FowlkesMallows: math.Sqrt(.125),
	}
	if got, want := fmt.Sprintf("%.12v", s), fmt.Sprintf("%.12v", want); got != want {
		t.Errorf("Compare = %s, want %s", got, want)
	}
}

// The same division has 1 everywhere, also where there is nothing to find.
func TestCompareSame(t *testing.T) {
	for _, labels := range [][]int{{}, {0}, {0, 1, 2}, {0, 0, 0}, {0, 0, 1}} {
		s := link.Compare(labels, labels)
		for name, v := range map[string]float64{
			"precision": s.Precision, "recall": s.Recall, "f1": s.F1, "homogeneity": s.Homogeneity,
			"completeness": s.Completeness, "v": s.V, "ari": s.Adjusted, "fm": s.FowlkesMallows,
		} {
			if v != 1 {
				t.Errorf("Compare(%v): %s = %v, want 1", labels, name, v)
			}
		}
	}
}

// The figures of a published division that comes with its data set are those that
// others computed.
func TestCompareReal(t *testing.T) {
	f, err := link.ReadEdges(testenv.Data(t, "er_graphs", "settlements_edges.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	truth, err := f.Truth(testenv.Data(t, "er_graphs", "settlements_truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	records, other := truth.Entities(), truth.Other("fmwsp")
	if s := link.Compare(records, other); math.Abs(s.F1-0.95616693868) > 1e-11 {
		t.Errorf("F1 is %v, want .95616693868", s.F1)
	}
	if s := link.Compare(truth.OfNodes(records), truth.OfNodes(other)); math.Abs(s.F1-0.974688057041) > 1e-11 {
		t.Errorf("F1 of nodes is %v, want .974688057041", s.F1)
	}
}

func ExampleCompare() {
	s := link.Compare([]int{1, 1, 2, 2}, []int{1, 1, 1, 2})
	fmt.Printf("precision %.2f, recall %.2f\n", s.Precision, s.Recall)
	// Output: precision 0.33, recall 0.50
}
