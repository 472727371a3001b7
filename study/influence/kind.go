package influence

import (
	"fmt"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// ReportFormat is the format of a stored [Report].
const ReportFormat = "sotto-influence-1"

// Report is what "sotto influence train", "swap --evaluate" and "score --errors" find
// out, each a part of it.
type Report struct {
	Format  string      `json:"format"`
	Data    string      `json:"data"`
	Encoder string      `json:"encoder"`
	Teacher TeacherKind `json:"teacher_kind"`
	// AllCorrect and Baseline are those of the validation texts.
	AllCorrect float64 `json:"all_correct"`
	Baseline   float64 `json:"baseline"`
	Result     Result  `json:"result"`
	Seconds    float64 `json:"seconds"` // that the training took

	Swaps      *SwapExam       `json:"swaps,omitempty"`
	Importance *ImportanceTest `json:"importance,omitempty"`
	Words      map[string]int  `json:"words,omitempty"` // of the vocabulary, by part of speech
	Contexts   *ContextCounts  `json:"context_counts,omitempty"`
}

// ContextCounts is how contexts were chosen.
type ContextCounts struct {
	POS      string `json:"pos"`
	Class    string `json:"class"`
	Positive int    `json:"of_the_class"` // whose phrase the teacher gives the class
	Unclear  int    `json:"unclear"`      // left out, since clear words are taken for their opposites
	Stubborn int    `json:"stubborn"`     // left out, since no word flips them
	Contexts int    `json:"contexts"`
}

// Counts says how the contexts were chosen.
func (c *Contexts) Counts(classes []string) *ContextCounts {
	return &ContextCounts{POS: c.POS, Class: classes[c.Class], Positive: c.All, Unclear: c.Unclear, Stubborn: c.Stubborn, Contexts: c.Len()}
}

// Report begins the report of a student.
func (s *Student) Report() *Report {
	return &Report{
		Format: ReportFormat, Data: s.Data, Encoder: s.Teacher.Name(), Teacher: s.Teacher.Kind(),
		AllCorrect: s.Result.Validation.AllCorrect, Baseline: s.Result.Validation.Baseline, Result: s.Result, Words: s.Tags(),
	}
}

// Evidence is the kind of what the commands of influence print.
var Evidence = evidence.Kind[Report]{
	Format: ReportFormat, Name: "influence", List: "influences",
	Section:  evidence.Each("Influence", (*Report).sections),
	Summary:  evidence.Said((*Report).Sentence, nil),
	Subjects: (*Report).subjects,
}

func (r *Report) subjects() []evidence.Subject {
	v := r.Result.Validation
	numbers := map[string]measure.Estimate{
		"all_correct": {Value: measure.Number(v.AllCorrect), Low: measure.Number(v.Low), High: measure.Number(v.High)},
		"baseline":    evidence.Exactly(measure.Number(v.Baseline)),
	}
	if r.Swaps != nil {
		numbers["swaps_median"] = evidence.Exactly(measure.Number(r.Swaps.Accuracies[2]))
		numbers["swaps_mean"] = measure.Estimate{Value: measure.Number(r.Swaps.Mean), Low: measure.Number(r.Swaps.Low), High: measure.Number(r.Swaps.High)}
	}
	return []evidence.Subject{{
		Name:    fmt.Sprintf("influence on %s of %s", r.Encoder, r.Data),
		Match:   evidence.Match{Data: r.Data},
		Numbers: numbers,
	}}
}

// Sentence says how far the student can be trusted.
func (r *Report) Sentence() string {
	return fmt.Sprintf("A student answers every masked word of a text as its teacher answers the text for %s %% of texts, where the masked texts by themselves do for %s %%.",
		page.Decimal(measure.Number(100*r.AllCorrect), 1), page.Decimal(measure.Number(100*r.Baseline), 1))
}

func percent(v float64) string { return page.Decimal(measure.Number(100*v), 1) + " %" }

func (r *Report) sections() []page.Section {
	t := &page.Table{Caption: "Every word masked in turn", Head: page.Heads("part", "#texts", "#all correct", "#95 % interval", "#masked texts alone", "#against labels", "#teacher")}
	for _, e := range []struct {
		name string
		exam *Exam
	}{{"validation", &r.Result.Validation}, {"test", r.Result.Test}} {
		if x := e.exam; x != nil {
			t.Add(e.name, fmt.Sprint(x.Texts), percent(x.AllCorrect), percent(x.Low)+" to "+percent(x.High), percent(x.Baseline), percent(x.AllCorrectGold), percent(x.Teacher))
		}
	}
	blocks := t.Blocks()
	if x := r.Swaps; x != nil {
		s := &page.Table{Caption: "Words that flip a text in the place of one of its own", Head: page.Heads("", "#least", "#quarter", "#median", "#three quarters", "#most")}
		row := func(name string, q [5]float64, f func(float64) string) {
			cells := []string{name}
			for _, v := range q {
				cells = append(cells, f(v))
			}
			s.Add(cells...)
		}
		row("length of a list", x.Sizes, func(v float64) string { return page.Decimal(measure.Number(v), 1) })
		row("share that the teacher confirms", x.Accuracies, percent)
		blocks = slices.Concat(blocks, s.Blocks())
	}
	if x := r.Importance; x != nil {
		heads := []string{"scores"}
		for _, b := range x.Budgets {
			heads = append(heads, fmt.Sprintf("#%d masked", b))
		}
		s := &page.Table{Caption: fmt.Sprintf("Errors of the teacher that change when words are masked, of %d", x.Errors), Head: page.Heads(append(heads, "#words on average")...)}
		for _, m := range x.Methods {
			cells := []string{m.Method}
			for _, c := range m.Covered {
				cells = append(cells, percent(c))
			}
			s.Add(append(cells, page.Decimal(measure.Number(m.Masked), 2))...)
		}
		blocks = slices.Concat(blocks, s.Blocks())
	}
	return []page.Section{{
		Title:   strings.TrimSpace(r.Data + " by " + r.Encoder),
		Meaning: "What words do to a classifier's answer, as a student of it predicts, and how often the classifier itself confirms that.",
		Source:  fmt.Sprintf("sotto influence, epoch %d of %d", r.Result.Epoch, len(r.Result.History)),
		Blocks:  blocks,
	}}
}
