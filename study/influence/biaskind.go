package influence

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// BiasFormat is the format of a stored [BiasReport].
const BiasFormat = "sotto-influence-bias-1"

// BiasReport is what "sotto influence bias" prints: the answer to the first query, and
// those to others.
type BiasReport struct {
	Format  string `json:"format"`
	Data    string `json:"data"`
	Encoder string `json:"encoder"`
	Bias
	Others []Bias         `json:"others,omitempty"`
	Counts *ContextCounts `json:"context_counts"`
}

// NewBiasReport puts answers together, of which there must be one at least.
func (s *Student) NewBiasReport(c *Contexts, all []Bias) *BiasReport {
	return &BiasReport{Format: BiasFormat, Data: s.Data, Encoder: s.Teacher.Name(), Bias: all[0], Others: all[1:], Counts: c.Counts(s.Teacher.Names)}
}

// All returns all answers.
func (r *BiasReport) All() []Bias { return append([]Bias{r.Bias}, r.Others...) }

// BiasEvidence is the kind of what "sotto influence bias" prints.
var BiasEvidence = evidence.Kind[BiasReport]{
	Format: BiasFormat, Name: "influence-bias", List: "influence_biases",
	Section:  evidence.Each("One word against another", (*BiasReport).sections),
	Summary:  evidence.Said((*BiasReport).Sentence, nil),
	Subjects: (*BiasReport).subjects,
}

func (r *BiasReport) subjects() []evidence.Subject {
	var all []evidence.Subject
	for _, b := range r.All() {
		share := func(n int) measure.Estimate {
			v := float64(n) / float64(max(1, b.Contexts))
			low, high := measure.ClopperPearson(n, max(1, b.Contexts), 0.95)
			return measure.Estimate{Value: measure.Number(v), Low: measure.Number(low), High: measure.Number(high)}
		}
		all = append(all, evidence.Subject{
			Name:  fmt.Sprintf("%s against %s in %s", b.Probe, b.Control, r.Data),
			Match: evidence.Match{Data: r.Data},
			Numbers: map[string]measure.Estimate{
				"flip_share":         share(b.Flips),
				"reverse_flip_share": share(b.ReverseFlips),
				"confirmed":          {Value: measure.Number(b.Confirmed), Low: measure.Number(b.Low), High: measure.Number(b.High)},
			},
		})
	}
	return all
}

// Sentence says what the first query found.
func (r *BiasReport) Sentence() string {
	return fmt.Sprintf("Of %d contexts, %d lose the class %s when %q becomes %q, and %d when it is the other way round; of the %d surest that were checked, the classifier confirms %s.",
		r.Contexts, r.Flips, r.Class, r.Control, r.Probe, r.ReverseFlips, r.Checked, percent(r.Confirmed))
}

func (r *BiasReport) sections() []page.Section {
	t := &page.Table{Caption: "Contexts in which one word keeps the class and the other loses it", Head: page.Heads("control", "probe", "#contexts", "#flips", "#confirmed", "#95 % interval", "#reverse flips", "#confirmed")}
	for _, b := range r.All() {
		t.Add(b.Control, b.Probe, fmt.Sprint(b.Contexts), fmt.Sprint(b.Flips), percent(b.Confirmed), percent(b.Low)+" to "+percent(b.High), fmt.Sprint(b.ReverseFlips), percent(b.Reverse.Share))
	}
	return []page.Section{{
		Title:   r.Data + " by " + r.Encoder,
		Meaning: "A student of the classifier says in how many contexts a word keeps a class that another word loses. The classifier itself is asked about the surest of them.",
		Source:  fmt.Sprintf("sotto influence bias, class %s, %s", r.Class, r.POS),
		Blocks:  t.Blocks(),
	}}
}
