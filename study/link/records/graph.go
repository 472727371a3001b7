package records

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/study/link"
)

// This part of the package is what the commands of "sotto link" find, in the form in which they
// print it, as evidence: a page shows it, and a gate judges it.

// The formats of what is found.
const (
	GraphFormat   = "sotto-link-graph-1"
	RecordsFormat = "sotto-link-records-1"
)

// GraphOutcome is what "sotto link graph" prints.
type GraphOutcome struct {
	Format     string       `json:"format"`
	Data       string       `json:"data"` // name of the file of pairs, without folders
	Nodes      int          `json:"nodes"`
	Edges      int          `json:"edges"`
	Components int          `json:"components"`
	Largest    int          `json:"largest_component"`
	Unknown    link.Unknown `json:"unknown"`
	Form       string       `json:"form"`
	Cliques    int          `json:"maximal_cliques,omitempty"`
	Fits       *bool        `json:"parts_suffice,omitempty"`

	Objective float64 `json:"objective"`
	Bound     float64 `json:"bound"`
	Optimal   bool    `json:"optimal"`
	Gap       float64 `json:"gap"`
	Clusters  int     `json:"clusters"` // of nodes
	Work      int64   `json:"work"`

	Precision *float64        `json:"precision,omitempty"`
	Recall    *float64        `json:"recall,omitempty"`
	F1        *float64        `json:"f1,omitempty"`
	NodeF1    *float64        `json:"node_f1,omitempty"`
	Records   *link.Agreement `json:"record_level,omitempty"`
	OfNodes   *link.Agreement `json:"node_level,omitempty"`
	Others    []OtherOutcome  `json:"others,omitempty"`

	Seconds float64 `json:"seconds"`
}

// OtherOutcome is another division that the truth came with.
type OtherOutcome struct {
	Name      string         `json:"name"`
	Objective float64        `json:"objective"` // of known pairs
	Records   link.Agreement `json:"record_level"`
	NodeF1    float64        `json:"node_f1"`
}

// GraphKind is what "sotto link graph" prints, as evidence.
var GraphKind = evidence.Kind[GraphOutcome]{
	Format: GraphFormat, Name: "link-graph", List: "link_graphs",
	Section:  evidence.Each("Who is the same", (*GraphOutcome).sections),
	Summary:  evidence.Said((*GraphOutcome).Sentence, nil),
	Subjects: (*GraphOutcome).subjects,
}

func (g *GraphOutcome) subjects() []evidence.Subject {
	s := evidence.Subject{
		Name:    "clusters of " + page.FileName(g.Data),
		Match:   evidence.Match{Data: page.FileName(g.Data), Method: string(g.Unknown)},
		Numbers: map[string]measure.Estimate{"gap": evidence.Exactly(measure.Number(g.Gap)), "clusters": evidence.Exactly(measure.Number(g.Clusters))},
	}
	put(s.Numbers, map[string]*float64{"precision": g.Precision, "recall": g.Recall, "f1": g.F1, "node_f1": g.NodeF1})
	return []evidence.Subject{s}
}

// put enters what was measured; of what was not the subject has no number that counts.
func put(numbers map[string]measure.Estimate, found map[string]*float64) {
	for name, v := range found {
		if v == nil {
			numbers[name] = evidence.Unmeasured()
		} else {
			numbers[name] = evidence.Exactly(measure.Number(*v))
		}
	}
}

// Sentence says what was found.
func (g *GraphOutcome) Sentence() string {
	text := fmt.Sprintf("%s of %s are %s", page.Plural(g.Nodes, "node", "nodes"), page.FileName(g.Data), page.Plural(g.Clusters, "cluster", "clusters"))
	if g.Optimal {
		text += ", and no division fits the scores better."
	} else {
		text += fmt.Sprintf(", and no division fits the scores more than %s %% better.", page.Decimal(100*g.Gap, 3))
	}
	return text
}

func (g *GraphOutcome) sections() []page.Section {
	t := &page.Table{Caption: "How well divisions agree with the truth", Head: page.Heads("division", "#objective", "#precision", "#recall", "#F1", "#F1 of nodes")}
	if g.Records != nil && g.NodeF1 != nil {
		for _, d := range append([]OtherOutcome{{Name: "ours", Objective: g.Objective, Records: *g.Records, NodeF1: *g.NodeF1}}, g.Others...) {
			t.Add(page.Name(d.Name), page.Decimal(d.Objective, 4), page.Decimal(d.Records.Precision, 4), page.Decimal(d.Records.Recall, 4), page.Decimal(d.Records.F1, 4), page.Decimal(d.NodeF1, 4))
		}
	} else {
		t = &page.Table{Caption: "The division", Head: page.Heads("division", "#objective", "#no less than", "#clusters")}
		t.Add("ours", page.Decimal(g.Objective, 4), page.Decimal(g.Bound, 4), fmt.Sprint(g.Clusters))
	}
	return []page.Section{{
		Title:   page.FileName(g.Data),
		Meaning: g.Sentence(),
		Source: fmt.Sprintf("sotto link graph: %s, %s, pairs without a score %s", page.Plural(g.Nodes, "node", "nodes"),
			page.Plural(g.Edges, "scored pair", "scored pairs"), g.Unknown),
		Blocks: t.Blocks(),
	}}
}
