package train_test

import (
	"math"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// A batch releases the index of a code with the probability that the law of the
// model gives it: of n draws the share of a code is off by more than
// √(ln(2·10⁵)/2n) with probability 10⁻⁵ at most (Hoeffding), and there are a few
// codes. No two batches have the same noise.
func TestBatchHasTheLaw(t *testing.T) {
	const draws = 20_000
	d := second(plant(2000, 0.8, 0.6, 1), 0, false)
	m := fit(t, codes(2, 0, 0), d, 1)
	b, err := m.Batch(2)
	if err != nil {
		t.Fatal(err)
	}
	if in, out := b.Shape(); in != d.X.Cols || out != 1 {
		t.Fatalf("shape is %d to %d, want %d to the index", in, out, d.X.Cols)
	}
	law, _, err := m.Law(nn.NewPool(1), d.X, []int{7})
	if err != nil {
		t.Fatal(err)
	}
	same := make([]int, draws)
	for i := range same {
		same[i] = 7
	}
	x := d.X.Gather(same)
	rows, refused, err := b.Release(x)
	if err != nil || len(rows) != draws {
		t.Fatalf("Release gave %d rows, %v", len(rows), err)
	}
	counts := make([]float64, law.Cols)
	for i, code := range rows {
		if refused[i] != nil || code != math.Trunc(code) {
			t.Fatalf("row %d is %v, %v, want an index", i, code, refused[i])
		}
		counts[int(code)]++
	}
	chance := math.Sqrt(math.Log(2e5) / 2 / draws)
	for c, n := range counts {
		if got, want := n/draws, float64(law.Row(0)[c]); math.Abs(got-want) > chance {
			t.Errorf("code %d has share %v, want %v within %v", c, got, want, chance)
		}
	}
	again, _, err := b.Release(x)
	if err != nil {
		t.Fatal(err)
	}
	equal := 0
	for i := range rows {
		if rows[i] == again[i] {
			equal++
		}
	}
	if equal == draws {
		t.Error("two batches have the same noise")
	}
}

// A row that the mechanism refuses does not keep the others from being released.
func TestBatchRefusesRows(t *testing.T) {
	d := plant(400, 0.8, 0.6, 1)
	m := fit(t, train.PrivEmb{Epochs: 1, Batch: 32, Release: mech.Params{Epsilon: 20, Own: mech.PrivEmbParams{OutputDim: 4, Clip: 1}}}, d, 1)
	b, err := m.Batch(1)
	if err != nil {
		t.Fatal(err)
	}
	x := d.X.Slice(0, 3).Clone()
	x.Row(1)[0] = float32(math.NaN())
	rows, refused, err := b.Release(x)
	if err != nil || len(rows) != 12 || refused[0] != nil || refused[1] == nil || refused[2] != nil {
		t.Errorf("Release = %v, %v, %v, want the second refused alone", rows, refused, err)
	}
	for _, v := range rows[4:8] {
		if v != 0 {
			t.Error("a refused row has numbers")
		}
	}
	if _, err := fit(t, train.TrustedSide{Training: settings(1)}, d, 1).Batch(1); err == nil {
		t.Error("a model without mechanism releases batches")
	}
}
