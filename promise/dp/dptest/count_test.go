package dptest_test

import (
	"testing"

	"sotto/promise/dp/dptest"
)

func TestCount(t *testing.T) {
	for value, want := range map[string]int{"": 10, "0": 10, "1": 1000} {
		if testing.Short() {
			want = 10
		}
		t.Setenv("SOTTO_LONG", value)
		if got := dptest.Count(t, 10, 1000); got != want {
			t.Errorf("Count with SOTTO_LONG=%q is %d, want %d", value, got, want)
		}
	}
}
