package records

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/study/link"
)

// Outcome is what "sotto link records" prints. It holds numbers of rows and names of
// columns, and nothing of what stands in them.
type Outcome struct {
	Format  string   `json:"format"`
	Data    string   `json:"data"` // name of the file of rows, without folders
	Columns []string `json:"columns"`
	Encoder string   `json:"encoder,omitempty"`
	Rows    int      `json:"rows"`
	Known   int      `json:"rows_known"`
	Pairs   int      `json:"pairs_compared"`
	Trained int      `json:"pairs_trained_on"`
	Learnt  string   `json:"learnt_from"` // entities, labels, answers, a model or nothing
	// Estimated says that no label stands behind the probabilities.
	Estimated bool   `json:"estimated"`
	Blocks    Blocks `json:"blocks"`

	Clusters  int     `json:"clusters"`
	Objective float64 `json:"objective"`
	Optimal   bool    `json:"optimal"`
	Gap       float64 `json:"gap"`

	Precision *float64        `json:"precision,omitempty"`
	Recall    *float64        `json:"recall,omitempty"`
	F1        *float64        `json:"f1,omitempty"`
	Held      *link.Agreement `json:"held_out,omitempty"`
	All       *link.Agreement `json:"all_known,omitempty"`

	LogLoss *float64 `json:"log_loss,omitempty"`
	Off     *float64 `json:"calibration_error,omitempty"`
	// Calibration is that of compared pairs of which the truth is known and was not
	// trained on, and Crossed that of the labelled pairs, each judged by a model that was
	// not trained on it.
	Calibration *Calibration `json:"calibration,omitempty"`
	Crossed     *Calibration `json:"calibration_crossed,omitempty"`

	Constant  float64     `json:"constant"`
	Features  []Feature   `json:"features"`
	Explained []Explained `json:"explained,omitempty"`
	Seconds   float64     `json:"seconds"`
}

// OutcomeKind is what "sotto link records" prints, as evidence.
var OutcomeKind = evidence.Kind[Outcome]{
	Format: RecordsFormat, Name: "link-records", List: "link_records",
	Section:  evidence.Each("Rows that are the same", (*Outcome).sections),
	Summary:  evidence.Said((*Outcome).Sentence, nil),
	Subjects: (*Outcome).subjects,
}

func (r *Outcome) subjects() []evidence.Subject {
	s := evidence.Subject{
		Name:    "linked rows of " + page.FileName(r.Data),
		Match:   evidence.Match{Data: page.FileName(r.Data), Method: r.Learnt},
		Numbers: map[string]measure.Estimate{"gap": evidence.Exactly(measure.Number(r.Gap)), "clusters": evidence.Exactly(measure.Number(r.Clusters))},
	}
	put(s.Numbers, map[string]*float64{"precision": r.Precision, "recall": r.Recall, "f1": r.F1, "calibration_error": r.Off, "log_loss": r.LogLoss})
	return []evidence.Subject{s}
}

// Sentence says what was found.
func (r *Outcome) Sentence() string {
	text := fmt.Sprintf("%s of %s are %s", page.Plural(r.Rows, "row", "rows"), page.FileName(r.Data), page.Plural(r.Clusters, "cluster", "clusters"))
	if r.F1 != nil {
		text += fmt.Sprintf("; of the entities that were not trained on, F1 is %s", page.Decimal(*r.F1, 3))
	}
	if r.Estimated {
		text += "; no label stands behind that: who is the same is an estimate"
	}
	return text + "."
}

func (r *Outcome) sections() []page.Section {
	out := page.Section{
		Title:   page.FileName(r.Data),
		Meaning: r.Sentence(),
		Source: fmt.Sprintf("sotto link records: %s compared, %s trained on, learnt from %s", page.Plural(r.Pairs, "pair", "pairs"),
			page.Plural(r.Trained, "pair", "pairs"), page.Name(r.Learnt)),
	}
	if s := r.Held; s != nil {
		t := &page.Table{Caption: "Entities that were not trained on", Head: page.Heads("#rows", "#precision", "#recall", "#F1", "#V", "#ARI")}
		t.Add(fmt.Sprint(s.Items), page.Decimal(s.Precision, 4), page.Decimal(s.Recall, 4), page.Decimal(s.F1, 4), page.Decimal(s.V, 4), page.Decimal(s.Adjusted, 4))
		out.Blocks = append(out.Blocks, t.Blocks()...)
	}
	for _, c := range []struct {
		of    string
		found *Calibration
	}{{"Probabilities of pairs that were not trained on", r.Calibration}, {"Probabilities of labelled pairs, by models that did not see them", r.Crossed}} {
		if c.found == nil {
			continue
		}
		t := &page.Table{Caption: c.of, Head: page.Heads("#from", "#pairs", "#mean probability", "#part that is the same")}
		for _, b := range c.found.Bins {
			t.Add(page.Decimal(b.From, 1), fmt.Sprint(b.Pairs), page.Decimal(b.Probability, 3), page.Decimal(b.Same, 3))
		}
		out.Blocks = append(out.Blocks, t.Blocks()...)
	}
	if len(out.Blocks) == 0 {
		t := &page.Table{Caption: "The division", Head: page.Heads("#rows", "#clusters", "#gap")}
		t.Add(fmt.Sprint(r.Rows), fmt.Sprint(r.Clusters), page.Decimal(r.Gap, 5))
		out.Blocks = t.Blocks()
	}
	return []page.Section{out}
}
