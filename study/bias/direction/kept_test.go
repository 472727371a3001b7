package direction_test

import (
	"slices"
	"strings"
	"testing"

	"sotto/study/bias"
	"sotto/study/bias/direction"
)

// TestKept checks that what was lost is left out for other tables, so that a word
// whose vector is zero does not come to count when there is noise on it.
func TestKept(t *testing.T) {
	table, err := bias.NewTable(3, strings.Fields("woman man girl boy mother father nurse pilot unused"), []float64{
		1, 1, 0, -1, 1, 0, 1, 0, 1, -1, 0, 1, 0, 0, 0, -1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 2, 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	w := direction.Words{
		Language: "en",
		Pairs: []direction.Pair{
			{Name: "a", Female: "woman", Male: "man"},
			{Name: "b", Female: "girl", Male: "boy"},
			{Name: "c", Female: "mother", Male: "father"},
		},
		Professions: []direction.Profession{{Name: "nurse", Neutral: []string{"nurse", "carer"}}, {Name: "pilot", Neutral: []string{"pilot"}}},
	}
	r, err := direction.Measure(table, w, direction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 2, 3, 6}; !slices.Equal(r.Used(), want) {
		t.Errorf("used are the rows %v, want %v", r.Used(), want)
	}
	kept := r.Kept(w)
	if len(kept.Pairs) != 2 || kept.Pairs[1].Name != "b" {
		t.Errorf("pairs are %v, want a and b", kept.Pairs)
	}
	if p := kept.Professions; len(p) != 2 || !slices.Equal(p[0].Neutral, []string{"nurse"}) || len(p[1].Neutral) != 0 {
		t.Errorf("professions are %v, want nurse with one form and pilot with none", p)
	}
	if len(w.Pairs) != 3 || len(w.Professions[0].Neutral) != 2 {
		t.Errorf("the words became %v", w)
	}
	again, err := direction.Measure(table.Only(r.Used()), kept, direction.Options{})
	if err != nil || again.DirectBias != r.DirectBias || len(again.Lost) != 0 {
		t.Errorf("what is left has DirectBias %v and lost %v, error %v; want %v and nothing", again.DirectBias, again.Lost, err, r.DirectBias)
	}
}
