package direction

import (
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
)

// Gender is the gender of a word. Its value is how word sets name it.
type Gender string

// The genders of words.
const (
	Female  Gender = "f"
	Male    Gender = "m"
	Neutral Gender = "n"
)

// Result is what Measure found in one table. Where it is refused, only what
// explains the refusal is there, unless the scores were forced.
type Result struct {
	Language string `json:"language"`
	Dim      int    `json:"dim"`
	Unit     bool   `json:"unit"` // vectors were brought to length 1 first
	// Pairs counts those that were found, with different words, of PairsWanted.
	Pairs       int `json:"pairs"`
	PairsWanted int `json:"pairs_wanted"`
	// Refused says why the component is no direction of gender; "" if it is.
	Refused string `json:"refused,omitempty"`
	Forced  bool   `json:"forced,omitempty"` // scores are shown though it was refused
	// Explained holds the share of variance of each component.
	Explained  []float64      `json:"explained"`
	Confidence measure.Number `json:"confidence"` // the first share less the second

	DirectBias measure.Number `json:"direct_bias"`
	// Random is the DirectBias that a direction drawn at random has on average
	// over the same professions.
	Random     measure.Number `json:"random_direct_bias"`
	Strictness float64        `json:"strictness"` // c
	Weighting  string         `json:"weighting"`  // of forms

	// Female and Male are the mean scores of the defining words.
	Female      measure.Number    `json:"female"`
	Male        measure.Number    `json:"male"`
	Defining    []DefiningScore   `json:"defining,omitempty"`
	Professions []ProfessionScore `json:"professions,omitempty"`

	// Drop holds what happens without each pair, and Suspect the pair, if any,
	// whose absence raises the confidence most, where it also turns the
	// direction farthest or the pair agrees least with the others.
	Drop    []Dropped `json:"drop,omitempty"`
	Suspect string    `json:"suspect,omitempty"`

	Lost  []Lost   `json:"lost"`
	Notes []string `json:"notes,omitempty"`

	g    []float64
	used []int
}

// Direction returns the first component, of length 1, with female words on its
// positive side; nil if no pair was found. It must not be changed.
func (r *Result) Direction() []float64 { return r.g }

// Used returns the rows of the table that the result rests on, in order: those of
// pairs with two vectors and of forms. It must not be changed.
func (r *Result) Used() []int { return r.used }

// Kept returns the word set without the words that were lost, for the same
// measure of another table: which words count does not depend on that one. A
// profession that lost all of its forms stays, without any.
func (r *Result) Kept(w Words) Words {
	lost := map[Lost]bool{} // without reasons
	for _, l := range r.Lost {
		l.Reason = ""
		lost[l] = true
	}
	w.Pairs = slices.DeleteFunc(slices.Clone(w.Pairs), func(p Pair) bool {
		return lost[Lost{p.Name, p.Female, Female, true, ""}] || lost[Lost{p.Name, p.Male, Male, true, ""}]
	})
	w.Professions = slices.Clone(w.Professions)
	for i := range w.Professions {
		p := &w.Professions[i]
		left := func(words []string, g Gender) []string {
			return slices.DeleteFunc(slices.Clone(words), func(s string) bool { return lost[Lost{p.Name, s, g, false, ""}] })
		}
		p.Female, p.Male, p.Neutral = left(p.Female, Female), left(p.Male, Male), left(p.Neutral, Neutral)
	}
	return w
}

// DefiningScore is the score of a defining word.
type DefiningScore struct {
	Pair   string         `json:"pair"`
	Word   string         `json:"word"`
	Gender Gender         `json:"gender"`
	Score  measure.Number `json:"score"`
	// Opposed: the score has the sign of the other gender.
	Opposed bool `json:"opposed,omitempty"`
}

// ProfessionScore is the score of a profession: the mean of its forms, weighted
// by their counts where there are counts.
type ProfessionScore struct {
	Name     string         `json:"name"`
	Score    measure.Number `json:"score"`    // weighted, or plain if not
	Plain    measure.Number `json:"plain"`    // the mean of the forms
	Weighted bool           `json:"weighted"` // at least one form has a count
	Forms    []FormScore    `json:"forms,omitempty"`
}

// FormScore is the score of one form of a profession.
type FormScore struct {
	Word   string         `json:"word"`
	Gender Gender         `json:"gender"`
	Score  measure.Number `json:"score"`
	Count  measure.Number `json:"count"` // undefined if there is none
}

// Dropped is what remains without a pair.
type Dropped struct {
	Pair       string         `json:"pair"`
	Confidence measure.Number `json:"confidence"`
	// Angle is that between the directions with and without it, in degrees.
	Angle measure.Number `json:"angle"`
	// Alignment is the cosine between the pair's difference and the direction
	// of the others: 1 if they agree, about 0 if it has nothing to do with it.
	Alignment measure.Number `json:"alignment"`
	// DirectBiasChange is the DirectBias without it less that with it.
	DirectBiasChange measure.Number `json:"direct_bias_change"`
}

// Lost is a word without a vector.
type Lost struct {
	Name   string `json:"name"` // of its pair or profession
	Word   string `json:"word"`
	Gender Gender `json:"gender"`
	Pair   bool   `json:"pair,omitempty"`
	Reason string `json:"reason"`
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Absent returns the result for a language that has no vectors: refused, for
// the given reason.
func Absent(w Words, reason string) *Result {
	r := newResult(w.Language)
	r.Refused, r.PairsWanted = reason, len(w.Pairs)
	return r
}

// newResult returns a result in which nothing is defined yet.
func newResult(language string) *Result {
	nan := measure.Number(math.NaN())
	return &Result{Language: language, Lost: []Lost{}, Confidence: nan, DirectBias: nan, Random: nan, Female: nan, Male: nan}
}
