package experiment_test

import (
	"os"
	"strings"
	"testing"

	"sotto/learn/experiment"
)

// The page on training has a row for each method, which is the third of the
// places that a new one touches.
func TestMethodsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/train.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(page), "\n## Methods\n")
	rows, _, _ = strings.Cut(rows, "\n## ")
	for _, m := range experiment.Methods() {
		if !strings.Contains(rows, "`"+m.Name+"`") || m.About == "" {
			t.Errorf("method %s is not described in docs/train.md, or has no description of its own", m.Name)
		}
	}
}
