package relation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This part of the package says how well relations were told, and how well the rules that explain
// them were written: precision, recall and F1 over all relations and by relation, as the
// tasks of SemEval and CoNLL count them, and BLEU.
//
//	r := ScoreOf(want, got, 0)
//	fmt.Println(r.MacroF1, r.F1)

// Tally are relations: found and right, found and wrong, and not found.
type Tally struct {
	Right  int `json:"right"`
	Wrong  int `json:"wrong"`
	Missed int `json:"missed"`
}

// Add adds other counts.
func (c *Tally) Add(o Tally) {
	c.Right, c.Wrong, c.Missed = c.Right+o.Right, c.Wrong+o.Wrong, c.Missed+o.Missed
}

// Score is how many of the relations that were found are right, and how many of those
// that there are were found, from 0 to 1.
type Score struct {
	Tally
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Score makes shares of counts; those of nothing are 0.
func (c Tally) Score() Score {
	part := func(of int) float64 {
		if of == 0 {
			return 0
		}
		return float64(c.Right) / float64(of)
	}
	s := Score{Tally: c, Precision: part(c.Right + c.Wrong), Recall: part(c.Right + c.Missed)}
	if s.Precision+s.Recall > 0 {
		s.F1 = 2 * s.Precision * s.Recall / (s.Precision + s.Recall)
	}
	return s
}

// NamedScore is the score of a relation or a rule; a rule misses nothing.
type NamedScore struct {
	Name string `json:"name"`
	Score
}

// SortScores returns the scores of counts by name, in order, and the mean of their F1 over the
// names that there are.
func SortScores(by map[string]*Tally) (all []NamedScore, macro float64) {
	there := 0
	for _, name := range slices.Sorted(maps.Keys(by)) {
		n := NamedScore{name, by[name].Score()}
		all = append(all, n)
		if n.Right+n.Missed > 0 {
			macro += n.F1
			there++
		}
	}
	return all, macro / float64(max(there, 1))
}

// ScoreResult is the score over all relations, each counted alike, and by relation.
type ScoreResult struct {
	Score
	MacroF1   float64 // mean over the relations that there are
	Relations []NamedScore
}

// ScoreOf compares the relations that were told with the true ones; "" is none, and counts
// only where one was told or is true. Missed is how many more there are that nobody was
// asked about.
//
// Relations with a direction, such as Cause-Effect(e1,e2) of SemEval-2010, are one in the
// mean of F1, and are right only with their direction: that is the official measure there.
// It panics if the lists differ in length.
func ScoreOf(want, got []string, missed int) ScoreResult {
	if len(want) != len(got) {
		panic(fmt.Sprintf("score: there are %d true relations and %d told ones, must be as many", len(want), len(got)))
	}
	all, by := Tally{Missed: missed}, map[string]*Tally{}
	count := func(name string, c Tally) {
		all.Add(c)
		name, _, _ = strings.Cut(name, "(")
		if by[name] == nil {
			by[name] = &Tally{}
		}
		by[name].Add(c)
	}
	for k, w := range want {
		g := got[k]
		if g == w {
			if w != "" {
				count(w, Tally{Right: 1})
			}
			continue
		}
		if g != "" {
			count(g, Tally{Wrong: 1})
		}
		if w != "" {
			count(w, Tally{Missed: 1})
		}
	}
	r := ScoreResult{Score: all.Score()}
	r.Relations, r.MacroF1 = SortScores(by)
	return r
}
