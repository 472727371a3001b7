package explain

import (
	"errors"
	"fmt"
	"math"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/study/explain"
	"sotto/study/explain/predictor"
)

// This part of the package says of explanations of many texts how far they can be trusted: how
// well they are checked, how stable they are, and how often noise alone decides. It is
// evidence, and holds no word of any text.

// summaryFormat is that of a file.
const summaryFormat = "sotto-explained-1"

// summaryMean is a mean over texts of what lies from 0 to 1, with a 95 % interval after
// Hoeffding.
type summaryMean struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Summary is what is known of the explanations of some texts.
type Summary struct {
	Format string         `json:"format"`
	Method string         `json:"method"`
	View   predictor.View `json:"view,omitempty"`
	Texts  int            `json:"texts"`
	// Worst is the largest check of all, and Limit how large a check may be where the
	// method promises it.
	Worst float64 `json:"worst_check"`
	Limit float64 `json:"check_limit,omitempty"`
	// Flips is how often noise alone changes the answer, of a private model; Exact says
	// that it was computed from the law of its release for each text.
	Flips     *summaryMean `json:"flips,omitempty"`
	Exact     bool         `json:"exact,omitempty"`
	R2        *summaryMean `json:"r2,omitempty"`        // of local models
	Agreement *summaryMean `json:"agreement,omitempty"` // between their runs
}

// SummaryAdder takes explanations one after the other. The zero value is ready for use.
type SummaryAdder struct {
	worst, limit         float64
	flips, r2, agreement []float64
	exact                bool
	texts                int
}

// Add takes an explanation, and what noise does to the answer, nil for nothing.
func (a *SummaryAdder) Add(e *explain.Explanation, n *predictor.Noise) {
	a.texts++
	a.worst, a.limit = max(a.worst, e.Check), e.Limit
	if n != nil {
		a.flips, a.exact = append(a.flips, n.Flips), n.Exact
	}
	if e.Local != nil {
		a.r2, a.agreement = append(a.r2, min(1, max(0, e.Local.R2))), append(a.agreement, e.Local.Agreement)
	}
}

// Result returns what was added, by one method and of one view.
func (a *SummaryAdder) Result(method string, view predictor.View) *Summary {
	return &Summary{
		Format: summaryFormat, Method: method, View: view, Texts: a.texts, Worst: a.worst, Limit: a.limit,
		Flips: mean(a.flips), Exact: a.exact, R2: mean(a.r2), Agreement: mean(a.agreement),
	}
}

// mean returns a mean with its interval; nil of nothing.
func mean(values []float64) *summaryMean {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	n := float64(len(values))
	half := math.Sqrt(math.Log(2/0.05) / (2 * n)) // Hoeffding
	return &summaryMean{sum / n, max(0, sum/n-half), min(1, sum/n+half)}
}

// SummaryKind is what "sotto explain --summary" writes.
var SummaryKind = evidence.Kind[Summary]{
	Format: summaryFormat, Name: "explained", List: "explained",
	Check:    (*Summary).check,
	Section:  evidence.Each("Explanations", (*Summary).sections),
	Summary:  evidence.Said((*Summary).sentence, nil),
	Subjects: (*Summary).subjects,
}

// check refuses what no summary has.
func (r *Summary) check() error {
	if r.Method == "" || r.Texts < 1 || !(r.Worst >= 0) {
		return errors.New("summary: method, texts or worst check is missing, must be there")
	}
	for _, m := range []*summaryMean{r.Flips, r.R2, r.Agreement} {
		if m != nil && !(0 <= m.Low && m.Low <= m.Value && m.Value <= m.High && m.High <= 1) {
			return errors.New("summary: a mean does not lie within its interval, from 0 to 1, must")
		}
	}
	return nil
}

// means lists what there is, by the names that policies use.
func (r *Summary) means() []struct {
	name, words string
	*summaryMean
} {
	return []struct {
		name, words string
		*summaryMean
	}{
		{"flips", "answers that noise alone changes", r.Flips},
		{"r2", "variance near a text that a local model explains", r.R2},
		{"agreement", "strongest words that two runs have in common", r.Agreement},
	}
}

func (r *Summary) subjects() []evidence.Subject {
	s := evidence.Subject{
		Name:    fmt.Sprintf("explanations by %s of %s", r.Method, page.Plural(r.Texts, "text", "texts")),
		Match:   evidence.Match{Method: r.Method},
		Numbers: map[string]measure.Estimate{"worst_check": evidence.Exactly(measure.Number(r.Worst))},
	}
	for _, m := range r.means() {
		if m.summaryMean != nil {
			s.Numbers[m.name] = measure.Estimate{Value: measure.Number(m.Value), Low: measure.Number(m.Low), High: measure.Number(m.High)}
		}
	}
	return []evidence.Subject{s}
}

func (r *Summary) sentence() string {
	if r.Flips == nil {
		return fmt.Sprintf("Explanations of %s by %s were checked.", page.Plural(r.Texts, "text", "texts"), page.Name(r.Method))
	}
	return fmt.Sprintf("Noise alone changes %s %% of the answers that are explained.", page.Decimal(100*r.Flips.Value, 1))
}

func (r *Summary) sections() []page.Section {
	t := &page.Table{Caption: "How far explanations can be trusted", Head: page.Heads("share of", "#mean", "#95 % interval")}
	for _, m := range r.means() {
		if m.summaryMean != nil {
			t.Add(m.words, page.Decimal(100*m.Value, 1)+" %", page.Decimal(100*m.Low, 1)+" to "+page.Decimal(100*m.High, 1)+" %")
		}
	}
	checked := fmt.Sprintf("The weights of a text miss what they should add up to by at most %.2g.", r.Worst)
	if r.Limit == 0 {
		checked += " The method does not promise that they add up."
	}
	s := page.Section{
		Title:   page.Name(r.Method),
		Meaning: "Which words answers hang on was asked of many texts. No text and no word stands here.",
		Source:  fmt.Sprintf("sotto explain --summary: %s; the intervals are of the mean over texts, after Hoeffding", page.Plural(r.Texts, "text", "texts")),
		Blocks:  []page.Block{{Note: checked}},
	}
	if len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, t.Blocks()...)
	}
	return []page.Section{s}
}
