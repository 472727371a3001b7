package joint_test

import (
	"os"
	"strings"
	"testing"

	"sotto/study/relation"
	"sotto/study/relation/joint"
)

// BenchmarkFind finds relations in sentences of a file, by the model in a folder, on one
// worker, as "sotto relations find" does: SOTTO_RELATIONS is the folder, SOTTO_SENTENCES the
// file, one a line. Its metric is of processor time where GOMAXPROCS is 1 and nothing else runs.
func BenchmarkFind(b *testing.B) {
	dir, file := os.Getenv("SOTTO_RELATIONS"), os.Getenv("SOTTO_SENTENCES")
	if dir == "" || file == "" {
		b.Skip("SOTTO_RELATIONS names no folder of a model, or SOTTO_SENTENCES no file of sentences")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	texts := strings.Split(strings.TrimSpace(string(content)), "\n")
	m, err := joint.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	f, err := relation.NewFinder(m.Quick())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := f.FindAll(b.Context(), texts, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "sentences/s")
}
