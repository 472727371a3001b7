package decoder

import "sotto/study/relation/joint"

const paper = "Tang and Surdeanu, Interpretability Rules: Jointly Bootstrapping a Neural Relation Extractor with an Explanation Decoder, TrustNLP 2021"

// Published is what the paper has for TACRED, in percent; 0 where it says nothing.
type Published struct {
	Precision float64 `json:"precision,omitempty"`
	Recall    float64 `json:"recall,omitempty"`
	F1        float64 `json:"f1,omitempty"`
	BLEU      float64 `json:"bleu,omitempty"`
}

// published returns the paper's line for a plan; nil where it has none.
func published(p plan) *Published {
	switch {
	case p.on == "":
		return &Published{86.9, 23.2, 36.6, 0}
	case p.on == joint.RulesAlone && p.without == "":
		return &Published{60.0, 36.7, 45.5, 90.3}
	case p.on == joint.RulesAlone && p.without == joint.Decoder:
		return &Published{F1: 44.9}
	case p.on == joint.RulesAlone:
		return &Published{BLEU: 88.3}
	case p.without == "":
		return &Published{70.2, 64.0, 67.0, 92.4}
	case p.without == joint.Decoder:
		return &Published{F1: 66.4}
	}
	return nil
}

// publishedCurve returns the paper's F1 by the share of rules.
func publishedCurve(share float64) *Published {
	switch share {
	case 0.2:
		return &Published{F1: 31.7}
	case 0.4:
		return &Published{F1: 38.8}
	case 0.6:
		return &Published{F1: 40.3}
	case 0.8:
		return &Published{F1: 44.6}
	}
	return published(plan{on: joint.RulesAlone})
}

// notes say what differs from the paper.
func notes() []string {
	return []string{
		"Published figures are those of TACRED, which is licensed, with 41 relations and rules that others wrote by hand: other data, other rules. They stand here to be looked at, not to be reached.",
		"Our rules are learnt from the training part of each set by package induce, and never see the others. Each training pair whose relation has a rule that matches it is taught that rule.",
		"Without the decoder no rule is written, and without the classifier a relation is told only where a stored rule was written that matches.",
		"BLEU is of what was written where the true relation has a rule that matches, against all such rules: piece by piece as the paper decodes, and, with both parts, by a beam that looks for a rule that holds.",
		"Intervals of differences are Student's, over seeds: they say what another seed would change, not what another data set would.",
	}
}
