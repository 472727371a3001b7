package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/dataset"
	"sotto/train"
)

// Spec is everything that decides a result, apart from the machine.
type Spec struct {
	Data        string `json:"data"`                   // a name that package dataset knows
	DataVariant string `json:"data_variant,omitempty"` // "" means the set's first
	Label       string `json:"label,omitempty"`        // what to predict; "" means the set's own label
	// Labels are several, to be served by one release; the first is the one whose
	// fairness is measured. One alone is the same as Label.
	Labels []string `json:"labels,omitempty"`
	// Unknown are labels that nobody knows in training. A classifier of each is
	// fitted afterwards, on the releases of the validation part.
	Unknown []string `json:"unknown,omitempty"`
	// Reserve is the share of a release of codes that serves labels unknown in
	// training; 0 means none. It stands in for them with what the vectors tell
	// most of: the signs of their principal components.
	Reserve   float64 `json:"reserve,omitempty"`
	Attribute string  `json:"attribute,omitempty"` // what is protected; "" means the set's first attribute, "none" nothing
	Encoder   string  `json:"encoder,omitempty"`   // of texts, as package catalogue names them; "" means default
	// Dropout is μ, the probability with which each word of a text is masked
	// before it is encoded, in training as in use; 0 masks none. The masks are
	// drawn once for each text, by the first seed, for all seeds. The guarantees
	// of a result are text-level, and masks change none of them; see
	// mech.WordLevel for the one between texts that differ in a word.
	Dropout float64 `json:"dropout,omitempty"`
	// Limit bounds the rows: at most so many to train and a quarter as many to
	// validate and to test, evenly spaced in each part; 0 takes all.
	Limit int `json:"limit,omitempty"`

	Methods   []string `json:"methods"`             // at least one; see [Methods]
	Mechanism string   `json:"mechanism,omitempty"` // "" means the method's own
	Variant   string   `json:"variant,omitempty"`   // of the mechanism; "" means its default, which is honest
	// Alone leaves out the honest configuration that is otherwise trained
	// beside one whose claim is false.
	Alone bool `json:"alone,omitempty"`

	// Every combination of these is trained. An empty list means the method's
	// own default; methods without the parameter ignore it where another
	// method of the same Spec has it.
	Epsilons []float64 `json:"epsilons,omitempty"`
	Lambdas  []float64 `json:"lambdas,omitempty"`
	Dims     []int     `json:"dims,omitempty"` // of the representation

	Delta         float64 `json:"delta,omitempty"`         // gaussian, privemb
	Bits          int     `json:"bits,omitempty"`          // bit protocols
	Clip          float64 `json:"clip,omitempty"`          // privemb
	Orthogonality float64 `json:"orthogonality,omitempty"` // multiple
	Iterations    int     `json:"iterations,omitempty"`    // inlp

	Selected int     `json:"selected,omitempty"` // codes: how many are raised; 0 means the best weights
	Fair     bool    `json:"fair,omitempty"`     // codes: pay up to Threshold for equal true positive rates between groups
	Anneal   float64 `json:"anneal,omitempty"`   // with noise: how many times ε a training begins with; 0 means 1

	Seeds     int     `json:"seeds,omitempty"`      // how many; 0 means 1
	FirstSeed uint64  `json:"first_seed,omitempty"` // 0 means 1; the others follow it
	Epochs    int     `json:"epochs,omitempty"`     // 0 means the method's own
	Batch     int     `json:"batch,omitempty"`      // 0 means the method's own
	Rate      float64 `json:"rate,omitempty"`       // 0 means the method's own
	Hidden    []int   `json:"hidden,omitempty"`     // widths before the representation, or of LDPNN; nil means the data set's own
	// Threshold is the relaxation threshold of the selection in points: among
	// the configurations of a method whose validation accuracy is within it of
	// the best, the fairest is taken. 0 means 1; negative means none: the best
	// is taken.
	Threshold float64 `json:"threshold,omitempty"`
}

// Filled returns s with its defaults, or every fault that needs no data.
func (s Spec) Filled() (Spec, error) {
	if s.Data == "" {
		s.Data = "reviews"
	}
	if s.Seeds == 0 {
		s.Seeds = 1
	}
	if s.FirstSeed == 0 {
		s.FirstSeed = 1
	}
	if s.Threshold == 0 {
		s.Threshold = 1
	}
	var errs []error
	if info, err := dataset.Find(s.Data, ""); err != nil {
		errs = append(errs, err)
	} else if err := s.checkLabels(info); err != nil {
		errs = append(errs, err)
	}
	if s.Seeds < 1 || s.Seeds > 10_000 {
		errs = append(errs, fmt.Errorf("experiment: seeds is %d, must be from 1 to 10,000", s.Seeds))
	}
	if uint64(s.Seeds) > math.MaxUint64-s.FirstSeed {
		errs = append(errs, fmt.Errorf("experiment: seed is %d, must leave room for %d seeds", s.FirstSeed, s.Seeds))
	}
	if !(math.Abs(s.Threshold) <= math.MaxFloat64) {
		errs = append(errs, errors.New("experiment: relaxation is not a number of points"))
	}
	if len(s.Labels) == 1 {
		s.Label, s.Labels = s.Labels[0], nil
	}
	if !(s.Reserve >= 0 && s.Reserve < 1) {
		errs = append(errs, fmt.Errorf("experiment: reserve is %v, must be at least 0 and below 1", s.Reserve))
	}
	if !(s.Dropout >= 0 && s.Dropout < 1) {
		errs = append(errs, fmt.Errorf("experiment: dropout is %v, must be at least 0 and below 1", s.Dropout))
	}
	if s.Limit < 0 || s.Limit > 0 && s.Limit < 8 {
		errs = append(errs, fmt.Errorf("experiment: limit is %d, must be at least 8, or 0 for all rows", s.Limit))
	}
	if len(s.Methods) == 0 {
		errs = append(errs, fmt.Errorf("experiment: no method given, must be one of %s", methodNames()))
	}
	if err := s.checkLists(); err != nil {
		errs = append(errs, err)
	} else if _, err := s.points(); err != nil {
		errs = append(errs, err)
	}
	return s, errors.Join(errs...)
}

// checkLabels refuses labels that the data set does not have.
func (s Spec) checkLabels(info dataset.Info) error {
	if s.Label != "" && len(s.Labels) > 0 {
		return errors.New("experiment: label and labels are given, must be one of them")
	}
	for _, name := range slices.Concat(s.Labels, s.Unknown, []string{s.Label}) {
		if name != "" && !slices.Contains(info.Labels, name) {
			return fmt.Errorf("experiment: %s has no label %q, must be one of %s", info.Name, name, strings.Join(info.Labels, ", "))
		}
	}
	return nil
}

// checkLists refuses numbers of the grid that are no setting. 0 is refused
// because it would mean the method's own default.
func (s Spec) checkLists() error {
	for name, list := range map[string][]float64{"epsilon": s.Epsilons, "lambda": s.Lambdas} {
		for _, v := range list {
			if !(v > 0 && v <= 1e6) {
				return fmt.Errorf("experiment: %s is %v, must be positive and at most 1e6", name, v)
			}
		}
	}
	for _, v := range s.Dims {
		if v < 1 {
			return fmt.Errorf("experiment: dim is %d, must be at least 1", v)
		}
	}
	return nil
}

// Hash identifies what a filled Spec decides.
func (s Spec) Hash() string {
	b, err := json.Marshal(s)
	if err != nil { // floats that JSON has no name for; Filled refuses them
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// seeds lists the seeds.
func (s Spec) seeds() []uint64 {
	var all []uint64
	for i := range s.Seeds {
		all = append(all, s.FirstSeed+uint64(i))
	}
	return all
}

// shape returns the published shape for the data set, changed by what the user
// asked for.
func (s Spec) shape(dim int) train.Shape {
	shape := train.Twitter()
	if s.Data == "celeba" {
		shape = train.Bios()
	}
	last := len(shape.Encoder) - 1
	width := shape.Encoder[last]
	if dim != 0 {
		width = dim
	}
	hidden := shape.Encoder[:last]
	if s.Hidden != nil {
		hidden = s.Hidden
	}
	shape.Encoder = append(slices.Clone(hidden), width)
	return shape
}
