package erase

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/promise/mech"
	"sotto/study/bias"
)

// ReportFormat names the format of a [Report].
const ReportFormat = "sotto-bias-erase-1"

// Report is what "sotto bias erase --json" prints.
type Report struct {
	Format      string      `json:"format"`
	Privacy     string      `json:"privacy"`
	Method      Method      `json:"method"`
	Vectors     string      `json:"vectors"`
	Out         string      `json:"out"`
	Saved       string      `json:"saved,omitempty"`
	Rows        int         `json:"rows"` // of the file
	Dim         int         `json:"dim"`
	RankRemoved int         `json:"rank_removed"`
	RankLeft    int         `json:"rank_left"`
	Seed        uint64      `json:"seed"`
	Concept     *Examples   `json:"concept,omitempty"`
	Note        string      `json:"note,omitempty"`
	Changes     *Changes    `json:"changes,omitempty"`    // of words
	Direction   *Direction  `json:"direction,omitempty"`  // of hard
	Iterations  []Iteration `json:"iterations,omitempty"` // of inlp
	Probes      *Probed     `json:"probes,omitempty"`
	Clusters    *Clustered  `json:"clusters,omitempty"`
	Weat        []Weat      `json:"weat,omitempty"` // of gender
	Private     *Private    `json:"private,omitempty"`
}

// NewReport says what an eraser does to vectors, before anything is read in
// them.
func NewReport(e *Eraser) *Report {
	r := &Report{
		Format: ReportFormat, Privacy: Privacy, Method: e.Method(), Dim: e.Dim(), RankRemoved: e.Rank(), RankLeft: e.Dim() - e.Rank(),
	}
	if 2*e.Rank() > e.Dim() {
		r.Note = fmt.Sprintf("%d of %d directions are removed, more than half: whatever else the vectors tell is mostly gone too", e.Rank(), e.Dim())
	}
	return r
}

// Examples say what was removed and what is known of it.
type Examples struct {
	From    string   `json:"from"`
	Classes []string `json:"classes"`
	Rows    []int    `json:"rows"`              // of each class
	Lost    int      `json:"lost"`              // words of the list without a vector
	Unknown int      `json:"unknown,omitempty"` // rows without a class
	// Rows by what they were for: the eraser, fitting probes, scoring them.
	ForEraser int `json:"for_eraser"` // left aside by hard debiasing
	ForProbes int `json:"for_probes"`
	ForScore  int `json:"for_score"`
}

// Direction says what hard debiasing removes.
type Direction struct {
	Pairs      int            `json:"pairs"` // that define it and were found
	Confidence measure.Number `json:"confidence"`
}

// Probed are the readings of the concept.
type Probed struct {
	Units  int      `json:"units"`
	Before Readings `json:"before"`
	After  Readings `json:"after"`
	// SameRows is the linear probe after erasure if it is fitted to the rows that
	// the eraser was fitted to, as in the literature, and finds less. Hard
	// debiasing has none.
	SameRows *Reading `json:"linear_after_same_rows,omitempty"`
}

// Clustered compares clusters of rows with their classes.
type Clustered struct {
	Rows   int     `json:"rows"`
	Before float64 `json:"v_measure_before"`
	After  float64 `json:"v_measure_after"`
}

// Weat is an association test of gender before and after.
type Weat struct {
	Test    string         `json:"test"`
	About   string         `json:"about"`
	Refused string         `json:"refused,omitempty"`
	Before  measure.Number `json:"effect_before"`
	BeforeP measure.Number `json:"p_before"`
	After   measure.Number `json:"effect_after"`
	AfterP  measure.Number `json:"p_after"`
}

// Private is what the probes read after a mechanism.
type Private struct {
	Guarantee *mech.Statement `json:"guarantee"`
	Note      string          `json:"note"`
	bias.Simulation
	Raw    PrivateReadings `json:"raw"`
	Erased PrivateReadings `json:"erased"`
}

// PrivateReadings are accuracies over the draws of a mechanism.
type PrivateReadings struct {
	Linear         bias.Drawn `json:"linear"`
	LinearBalanced bias.Drawn `json:"linear_balanced"`
	MLP            bias.Drawn `json:"mlp"`
	MLPBalanced    bias.Drawn `json:"mlp_balanced"`
	Majority       float64    `json:"majority"`
}

// eraserNote limits the promise for erased vectors.
const eraserNote = "for erased vectors the promise is that of an eraser fixed beforehand: one fitted to the same vectors tells of them by itself if it is shown"

// Thing is what one release through a mechanism is of.
func (r *Report) Thing() string {
	if r.Changes == nil {
		return "one row"
	}
	return "one word's vector"
}

// Lines are the table of probes: raw and erased vectors, and both as they leave
// through a mechanism. They have a name, what the linear probe reads, raw and
// balanced, the same of the other, and the majority.
func (r *Report) Lines() [][]string {
	if r.Probes == nil {
		return nil
	}
	plain := func(v float64) string { return fmt.Sprintf("%.3f", v) }
	cell := func(v Reading) string {
		e := v.estimate()
		return fmt.Sprintf("%.3f [%.3f, %.3f]", e.Value, e.Low, e.High)
	}
	read := func(name string, v Readings) []string {
		return []string{name, cell(v.Linear), plain(v.Linear.Balanced), cell(v.MLP), plain(v.MLP.Balanced), plain(v.Linear.Majority)}
	}
	lines := [][]string{read("raw", r.Probes.Before), read("erased", r.Probes.After)}
	if same := r.Probes.SameRows; same != nil {
		lines = append(lines, []string{"erased, probe fitted to the eraser's rows", cell(*same), plain(same.Balanced), "", "", plain(same.Majority)})
	}
	if p := r.Private; p != nil {
		drawn := func(name string, v PrivateReadings) []string {
			return []string{name, v.Linear.Text("%.3f"), v.LinearBalanced.Mean.Text("%.3f"), v.MLP.Text("%.3f"), v.MLPBalanced.Mean.Text("%.3f"), plain(v.Majority)}
		}
		lines = append(lines, drawn("private", p.Raw), drawn("erased, then private", p.Erased))
	}
	return lines
}
