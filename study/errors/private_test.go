package errors_test

import (
	"math"
	"slices"
	"testing"

	failing "sotto/study/errors"
)

// TestFromRelease: what a release does to texts is told by numbers, and what it does to all
// alike is none.
func TestFromRelease(t *testing.T) {
	before := [][]float64{{0.9, 0.1}, {0.4, 0.6}}
	after := [][]float64{{0.5, 0.5}, {0.5, 0.5}}
	f := failing.FromRelease(before, after, []float64{3, 3 * (1 + 1e-7)})
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	varied, same := f.Varied()
	if !slices.Equal(varied.Names, []string{failing.PosteriorBefore, failing.PosteriorMoved}) || !slices.Equal(same, []string{failing.PosteriorAfter, failing.DistanceMoved}) {
		t.Fatalf("varied are %q and the same %q", varied.Names, same)
	}
	for i, want := range [][]float64{{0.9, 0.4}, {0.6, 0.1}} {
		for k, v := range want {
			if got := varied.Rows[i].At(k); math.Abs(got-v) > 1e-12 {
				t.Errorf("%s of text %d is %v, want %v", varied.Names[k], i+1, got, v)
			}
		}
	}
	if codes := failing.FromRelease(before, after, nil); slices.Contains(codes.Names, failing.DistanceMoved) {
		t.Errorf("codes have %q, want no distance", codes.Names)
	}
}
