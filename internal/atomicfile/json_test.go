package atomicfile_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"sotto/internal/atomicfile"
)

func TestWriteJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	if err := atomicfile.WriteJSON(path, map[string]int{"a": 1}); err != nil {
		t.Fatal(err)
	}
	const want = "{\n  \"a\": 1\n}\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("the file holds %q (%v), want %q", got, err, want)
	}
	if err := atomicfile.WriteJSON(path, math.NaN()); err == nil {
		t.Error("a number that JSON has no name for was written")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("after a failure the file holds %q (%v), want what it held", got, err)
	}
}
