package erase_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/study/bias/erase"
)

// circle returns rows whose class is whether they lie outside of a circle: no
// linear probe can tell, one with hidden units can.
func circle(seed uint64, n int) measure.Labelled {
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	d := measure.Labelled{X: nn.NewMatrix(n, 2), Z: make([]int, n)}
	for i := range n {
		d.Z[i] = i % 2
		turn, radius := 2*math.Pi*rng.Float64(), 1+2*float64(i%2)
		d.X.Row(i)[0], d.X.Row(i)[1] = float32(radius*math.Cos(turn)), float32(radius*math.Sin(turn))
	}
	return d
}

// The linear probe is at chance, but for what a line can gain by its place: one
// that cuts off half of the outer circle and none of the inner is right in ¾ at
// most, and what it learns of 600 rows is the sign of an accident. The other
// probe has two circles apart.
func TestProbes(t *testing.T) {
	r, err := erase.Probes{Units: 16, Seed: 1}.Read(t.Context(), nn.NewPool(2), circle(1, 600), circle(2, 400), 2)
	if err != nil {
		t.Fatal(err)
	}
	if r.Linear.Accuracy > 0.75 {
		t.Errorf("linear probe = %v, want at most 0.75", r.Linear.Accuracy)
	}
	if r.MLP.Accuracy < 0.95 {
		t.Errorf("probe with hidden units = %v, want nearly 1", r.MLP.Accuracy)
	}
	for _, v := range []erase.Reading{r.Linear, r.MLP} {
		if v.Majority != 0.5 || v.RowsFitted != 600 || v.RowsScored != 400 || v.Epochs < 1 {
			t.Errorf("reading = %+v", v)
		}
		if !(v.Low <= v.Accuracy && v.Accuracy <= v.High && v.High-v.Low < 0.11) {
			t.Errorf("interval of %v is [%v, %v]", v.Accuracy, v.Low, v.High)
		}
		wantNear(t, "balanced accuracy of balanced rows", v.Balanced, v.Accuracy, 1e-12)
	}
}

func TestProbesRefuse(t *testing.T) {
	good := circle(1, 20)
	for name, c := range map[string][2]measure.Labelled{
		"another width":     {good, {X: nn.NewMatrix(1, 3), Z: []int{0}}},
		"one class":         {{X: nn.NewMatrix(2, 2), Z: []int{0, 0}}, good},
		"nothing to score":  {good, {X: nn.NewMatrix(1, 2), Z: []int{-1}}},
		"nothing to fit to": {{X: nn.NewMatrix(0, 2)}, good},
	} {
		if _, err := (erase.Probes{}).Read(t.Context(), nn.NewPool(1), c[0], c[1], 2); err == nil {
			t.Errorf("%s: Read = nil, want an error", name)
		}
	}
}

// Shares of parts, to what 10⁵ rows allow: a deviation of √(p(1−p)/10⁵) is at
// most .0016, and 4.9 of them are exceeded with probability 10⁻⁶ each.
func TestPartOf(t *testing.T) {
	const rows = 100_000
	var counts [3]float64
	differ := 0
	for row := range rows {
		counts[erase.PartOf(1, row)]++
		if erase.PartOf(1, row) != erase.PartOf(2, row) {
			differ++
		}
	}
	for part, want := range []float64{0.6, 0.2, 0.2} {
		wantNear(t, "share", counts[part]/rows, want, 4.9*0.0016)
	}
	// 1 − .6² − 2·.2² of the rows change their part with the seed.
	wantNear(t, "share that another seed changes", float64(differ)/rows, 0.56, 4.9*0.0016)
}
