package ledger_test

import (
	"testing"

	"sotto/service/ledger"
)

func TestWaitsFor(t *testing.T) {
	for setting, want := range map[string]int{
		"": 0, " ": 0, "*": 1, "a": 1, "a, b": 1, "first": 1, "2 (a, b)": 2, "FIRST 1 (a)": 1, "first 3 (a, b, c)": 3,
		"ANY 2 (*)": 2, "any 2(a,b)": 2, `"2 (x"`: 1, "FIRST 99999999999999999999 (a)": 0,
	} {
		if got := ledger.WaitsFor(setting); got != want {
			t.Errorf("waitsFor(%q) = %d, want %d", setting, got, want)
		}
	}
}
