package reproduce

import "strings"

// Figure is a number that somebody published, or that a reference run gave.
type Figure struct {
	Value   float64 `json:"value"`   // a fraction
	Encoder string  `json:"encoder"` // that it was measured with
	Source  string  `json:"source"`
	Same    bool    `json:"same"`              // whether that encoder is ours
	Differs string  `json:"differs,omitempty"` // what else differs from our measurement
}

const (
	sbert     = "Reimers and Gurevych, EMNLP 2019"
	ldpnn     = "Lyu et al., SIGIR 2020, table 1, NPNN"
	reference = "a reference run in Python, before this implementation"
	folds     = "ten-fold cross-validation, or more training rows, instead of our split"
	vectors   = "300 dimensions and more words; ours have 100 dimensions and 102,858 words"
)

// similarityFigures returns what is known of an encoder on the test part of
// STS-B, the same encoder first.
func similarityFigures(spec string) []Figure {
	glove := Figure{0.5802, "mean of GloVe, 300d", sbert + ", table 2", false, vectors}
	switch {
	case spec == "minilm":
		return []Figure{
			{0.820, "all-MiniLM-L6-v2", reference, true, ""},
			{0.7703, "SBERT-NLI-base", sbert + ", table 2", false, "twelve layers, and trained on other data"},
		}
	case spec == "default":
		return []Figure{
			{0.744, "the same distilled encoder", reference, true, ""},
			{0.820, "its teacher, all-MiniLM-L6-v2", reference, false, "a transformer"},
		}
	case spec == "glove":
		return []Figure{
			{0.406, "mean of GloVe, 100d", reference, true, "341,000 words; ours are 102,858"},
			{0.546, "mean of GloVe, 100d, SIF weights", reference, false, "rare words weigh more"},
			glove,
		}
	case strings.Contains(spec, "pool=sif"):
		return []Figure{{0.546, "mean of GloVe, 100d, SIF weights", reference, strings.Contains(spec, "glove"), "341,000 words"}, glove}
	}
	return []Figure{glove}
}

// sentEvalFigures returns the published accuracy of the encoder that is nearest
// to ours on one of the sets, or none.
func sentEvalFigures(set, spec string) []Figure {
	type pair struct{ glove, transformer float64 }
	known := map[string]pair{
		"mr": {0.7725, 0.8364}, "cr": {0.7830, 0.8943}, "subj": {0.9117, 0.9439},
		"mpqa": {0.8785, 0.8986}, "sst2": {0.8018, 0.8896}, "trec": {0.830, 0.896},
	}
	if f, ok := known[set]; ok {
		if spec == "minilm" {
			return []Figure{{f.transformer, "SBERT-NLI-base", sbert + ", table 5", false, "twelve layers instead of six, trained on other data; " + folds}}
		}
		return []Figure{{f.glove, "mean of GloVe, 300d", sbert + ", table 5", false, vectors + "; " + folds}}
	}
	if f, ok := map[string]float64{"imdb": 0.7067, "amazon": 0.6750, "yelp": 0.6600}[set]; ok {
		return []Figure{{f, "mean of GloVe, 50d, and a perceptron", ldpnn, false, "50 dimensions; 128 hidden units"}}
	}
	return nil
}

// privEmbFigures are the training and test accuracies of table 1 of PRIVEMB, at
// ε = 10 and β = 0.9 with GloVe of 300 dimensions.
func privEmbFigures(set string, variant string) *TaskFigures {
	type four struct{ m1Train, m1Test, m2Train, m2Test float64 }
	f, ok := map[string]four{
		"mr":   {0.5810, 0.5561, 0.5776, 0.5811},
		"cr":   {0.6832, 0.6397, 0.7252, 0.7102},
		"mpqa": {0.7876, 0.7798, 0.7784, 0.7886},
		"sst5": {0.3124, 0.3190, 0.3270, 0.3249},
		"trec": {0.6054, 0.5320, 0.6253, 0.7300},
	}[set]
	switch {
	case ok && variant == "paper":
		return &TaskFigures{Train: f.m2Train, Test: f.m2Test, Name: "M2"}
	case ok && variant == "m1":
		return &TaskFigures{Train: f.m1Train, Test: f.m1Test, Name: "M1"}
	}
	return nil
}
