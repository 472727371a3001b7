package attack_test

import (
	"slices"
	"testing"

	"sotto/learn/attack"
)

// Values that no row to fit has stay apart, so that the commonest value is one.
func TestLearnable(t *testing.T) {
	for _, tt := range []struct {
		name           string
		fit, score     []int
		fitted, scored []int
		classes        int
	}{
		{"all known", []int{3, 1, 3}, []int{1, 3}, []int{0, 1, 0}, []int{1, 0}, 2},
		{"strangers", []int{3, 1, -1}, []int{0, 1, 2, 0, -1}, []int{0, 1, -1}, []int{2, 1, 3, 2, -1}, 2},
		{"strangers alone", []int{3, 1}, []int{0, 2}, []int{0, 1}, []int{2, 3}, 0},
		{"one to fit", []int{3, 3}, []int{3, 1}, []int{0, 0}, []int{0, 1}, 0},
	} {
		fitted, scored, classes := attack.Learnable(tt.fit, tt.score, 4)
		if !slices.Equal(fitted, tt.fitted) || !slices.Equal(scored, tt.scored) || classes != tt.classes {
			t.Errorf("%s: Learnable = %v, %v, %d, want %v, %v, %d", tt.name, fitted, scored, classes, tt.fitted, tt.scored, tt.classes)
		}
	}
}
