package erase_test

import (
	"testing"

	"sotto/compute/nn"
	"sotto/study/bias/erase"
)

// Of 40 rows 10 are kept, each as often as any other: over 4000 seeds a row is
// kept 1000 times on average, with a deviation of √(4000·¼·¾) = 27.4. None of 40
// is 5.3 deviations off, but with probability 5·10⁻⁶.
func TestSample(t *testing.T) {
	var counts [40]int
	for seed := range uint64(4000) {
		s := erase.NewSample(1, [3]int{0, 10, 0}, seed)
		for i := range counts {
			s.Add(erase.ForProbes, []float64{float64(i)}, i)
		}
		got := s.Rows(erase.ForProbes)
		if got.X.Rows != 10 || len(got.Z) != 10 || s.Seen(erase.ForProbes) != 40 {
			t.Fatalf("%d rows with %d classes of %d seen, want 10 of 40", got.X.Rows, len(got.Z), s.Seen(erase.ForProbes))
		}
		for k, z := range got.Z {
			if got.X.Row(k)[0] != float32(z) {
				t.Fatalf("row of %v has class %d", got.X.Row(k)[0], z)
			}
			counts[z]++
		}
	}
	for _, n := range counts {
		wantNear(t, "times that a row was kept", float64(n), 1000, 5.3*27.4)
	}
}

func TestSampleErase(t *testing.T) {
	e := erasers(t)[0]
	data := newSample(12, 500, 6, 2)
	s := erase.NewSample(6, [3]int{}, 1)
	for i, z := range data.z {
		s.Add(erase.PartOf(1, i), data.row(i), z)
	}
	erased := s.Erase(nn.NewPool(2), e)
	e.Apply(nn.NewPool(1), data.rows)
	var next [3]int
	for i, z := range data.z {
		part := erase.PartOf(1, i)
		got := erased.Rows(part)
		k := next[part]
		next[part]++
		if got.Z[k] != z {
			t.Fatalf("class of row %d = %d, want %d", i, got.Z[k], z)
		}
		for j, v := range data.row(i) {
			wantNear(t, "erased", float64(got.X.Row(k)[j]), v, 1e-3) // float32 of some 100
		}
	}
}
