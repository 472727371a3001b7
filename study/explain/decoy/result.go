package decoy

import "sotto/compute/measure"

// Format is the format of a [Result].
const Format = "sotto/decoy/1"

// Result is what planting decoys showed. Accuracies are shares.
type Result struct {
	Format  string   `json:"format"`
	Data    string   `json:"data"`
	Model   string   `json:"model"`
	Decoys  []string `json:"decoys"`
	Classes int      `json:"classes"`
	Rows    int      `json:"rows"`         // training rows before anything was planted
	Planted int      `json:"planted_rows"` // and after
	Tested  int      `json:"test_rows"`

	Clean float64 `json:"clean"` // accuracy of the clean model on the test rows as they came
	Decoy float64 `json:"decoy"` // and of the model that learnt from the planted rows
	Accuracy
	SliceRows int `json:"slice_rows"`
	Reach
	Adopted   bool       `json:"adopted"` // whether each decoy was
	Plantings []Planting `json:"plantings"`

	Seed       uint64      `json:"seed"`
	Seeds      int         `json:"seeds"`
	Pool       int         `json:"pool"` // explanations that there were to read, for each seed
	Top        int         `json:"top"`  // words of an explanation that its reader looks at
	Budget     int         `json:"budget"`
	Explainers []Explained `json:"explainers"` // best first
}

// Explained is how an explainer did. What does not apply to it is absent.
type Explained struct {
	Name     string          `json:"name"`
	Top1     measure.Number  `json:"top1"`      // share of texts with a cue where that is the strongest word; of rows, whether the first is contaminated
	FirstHit measure.Number  `json:"first_hit"` // explanations or rows read until the first that shows the decoy: at random, or in the order that a finder of rows gives
	Place    measure.Summary `json:"place"`     // among the explainers by seed: fewest read until a hit first, of finders of rows most contaminated rows found

	Identify *Identify        `json:"identify,omitempty"`
	Choose   *measure.Summary `json:"choose,omitempty"` // probability that who reads Budget texts, as both models explain them, finds the clean one
	Reading  []Reading        `json:"reading,omitempty"`
	Removed  *Gain            `json:"removed,omitempty"`   // retrained without the cues that were found
	Held     *Gain            `json:"penalised,omitempty"` // retrained with a penalty on what they are worth
	Find     *Find            `json:"rows,omitempty"`
}

// Identify says how well a cue shows in the explanations of texts that have one.
type Identify struct {
	Top1       measure.Summary `json:"top1"`
	Rank       measure.Summary `json:"rank"`           // of the cue among the words of a text
	Precision3 measure.Summary `json:"precision_at_3"` // share of the strongest words that are cues
	Precision5 measure.Summary `json:"precision_at_5"`
	List       measure.Summary `json:"list_rank"` // of the first cue among all words by their importance over all explanations
}

// Reading is how many explanations are read in an order until the first and the third hit:
// one more than there are where there are not as many.
type Reading struct {
	Order Order           `json:"order"`
	First measure.Summary `json:"first_hit"`
	Third measure.Summary `json:"third_hit"`
}

// Gain is what accuracy a repair brings back.
type Gain struct {
	Found measure.Number  `json:"found"` // share of seeds in which there was something to repair
	All   measure.Summary `json:"test"`  // accuracy on the test rows above that of the decoy model
	Slice measure.Summary `json:"slice"` // and on the slice
}

// Find says how well a finder of contaminated rows does.
type Find struct {
	First     measure.Summary `json:"first_hit"`
	Third     measure.Summary `json:"third_hit"`
	Precision measure.Summary `json:"precision"`  // share of contaminated rows among the first, as many as there are of them
	Relabel   Gain            `json:"relabelled"` // retrained with these rows' labels put right
}
