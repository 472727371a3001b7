package direction_test

import (
	"fmt"
	"strings"

	"sotto/compute/measure"
	"sotto/study/bias"
	"sotto/study/bias/direction"
)

func ExampleMeasure() {
	table, err := bias.NewTable(3, []string{"woman", "man", "girl", "boy", "nurse", "engineer"}, []float64{
		2, 1, 0,
		-2, 1, 0,
		2, 0, 1,
		-1, 0, 1,
		1, 1, 1,
		-2, 3, 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	words, err := direction.Builtin("en")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := direction.Measure(table, words, direction.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d pairs, confidence %.2f, DirectBias %.2f, of a random direction %.2f\n", r.Pairs, r.Confidence, r.DirectBias, r.Random)
	fmt.Printf("%s %.2f, %s %.2f\n", r.Professions[0].Name, r.Professions[0].Score, r.Professions[3].Name, r.Professions[3].Score)
	// Output:
	// 2 pairs, confidence 0.99, DirectBias 0.54, of a random direction 0.50
	// nurse 0.53, engineer -0.55
}

func ExampleParseWords() {
	all, err := direction.ParseWords([]byte(`[{
		"language": "it",
		"pairs": [{"name": "woman/man", "f": "donna", "m": "uomo"}, {"name": "mother/father", "f": "madre", "m": "padre"}],
		"professions": [{"name": "teacher", "f": ["maestra"], "m": ["maestro"], "n": ["insegnante"]}]
	}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all[0].All())
	// Output: [donna insegnante madre maestra maestro padre uomo]
}

func ExampleParseCounts() {
	counts, err := direction.ParseCounts(strings.NewReader("Wissenschaftler\t32467\nWissenschaftlerin\t1354\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	n, ok := counts.Of("Wissenschaftlerin")
	fmt.Println(n, ok)
	// Output: 1354 true
}

func ExampleCorrelate() {
	scored := func(language string, nurse, judge, person measure.Number) *direction.Result {
		return &direction.Result{Language: language, Professions: []direction.ProfessionScore{
			{Name: "nurse", Score: nurse}, {Name: "judge", Score: judge}, {Name: "person", Score: person},
		}}
	}
	c := direction.Correlate([]*direction.Result{scored("en", 0.2, -0.1, 0), scored("de", 0.4, -0.2, 0), scored("fr", -0.1, 0.1, 0.2)})
	fmt.Printf("%.2f over %d professions\n", c.R[0][1], c.Shared[0][1])
	first := c.Merges[0]
	fmt.Printf("%s joins %s first\n", c.Languages[first.A], c.Languages[first.B])
	// Output:
	// 1.00 over 3 professions
	// en joins de first
}

func ExampleLinkage() {
	for _, m := range direction.Linkage([][]float64{{0, 1, 5}, {1, 0, 3}, {5, 3, 0}}) {
		fmt.Printf("%d and %d at %v\n", m.A, m.B, m.Height)
	}
	// Output:
	// 0 and 1 at 1
	// 3 and 2 at 4
}
