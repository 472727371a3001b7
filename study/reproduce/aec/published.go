package aec

import "sotto/compute/measure"

// paper is whose case it is.
const paper = "Misra, Liu and Mahmud, Accountable Error Characterization, TrustNLP 2021"

// published returns the accuracy that the paper prints for a base.
func published(base string) measure.Number {
	if base == CNN {
		return 0.6009
	}
	return measure.Undefined
}

// ks are the lengths of lists in the paper's table 4, and what it prints of them for
// one split: the forest, and uncertainty.
var (
	ks              = []int{10, 20, 30, 40, 50}
	publishedForest = []measure.Number{.70, .80, .83, .83, .76}
	publishedDoubt  = []measure.Number{.80, .75, .77, .75, .74}
)

// Top is a feature that the paper's table 6 names among its 100 best.
type Top struct {
	Kind      string         `json:"kind"` // as the paper calls it
	Published string         `json:"published"`
	Ours      string         `json:"ours"`
	Rank      int            `json:"rank"`          // by mean decrease, as in the paper, from 1; 0 if too few texts have it
	Permuted  int            `json:"rank_permuted"` // by permutation, likewise
	Value     measure.Number `json:"importance"`    // by permutation; null likewise
	Among     bool           `json:"among_100"`     // by mean decrease
}

// tops are the features of table 6 with the names that ours have.
func tops() []Top {
	var all []Top
	add := func(kind string, pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, Top{Kind: kind, Published: pairs[i], Ours: pairs[i+1], Value: measure.Undefined})
		}
	}
	add("lexical", "second_person", "cue:second-person", "question_yesno", "cue:yes-no-question", "question_wh", "cue:wh-question", "!", "cue:!", "?", "cue:?", "thanks", "cue:thanks", "no", "cue:no")
	add("NRC", "positive", "emotion:positive", "negative", "emotion:negative", "trust", "emotion:trust", "fear", "emotion:fear", "anger", "emotion:anger")
	add("entities", "Org", "entity:organisation", "Time", "entity:time", "Date", "entity:date", "Cardinal", "entity:cardinal")
	add("dependency", "amod-NN-JJ", "amod-NN-JJ", "nummod-NNS-CD", "nummod-NNS-CD", "compound-NN-NN", "compound-NN-NN", "ROOT-NNP-NNP", "root-NNP-NNP",
		"advmod-VB-RB", "advmod-VB-RB", "compound-NN-NNP", "compound-NN-NNP", "neg-VB-RB", "neg-VB-RB", "amod-NNS-JJ", "amod-NNS-JJ", "ROOT-VBN-VBN", "root-VBN-VBN")
	return all
}
