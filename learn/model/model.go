package model

import (
	"fmt"
	"slices"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// Architecture says how a model computes, in full: what a manifest records.
//
// A row is standardised, encoded, scaled, sent through the mechanism, and
// classified. Each of the first four may be absent. Where there are Answers,
// the encoder gives a probability to each class of each label, and what goes to
// the mechanism is the share of labels that each answer is expected to tell
// rightly.
type Architecture struct {
	Inputs      int          `json:"inputs"`                // numbers a row
	Standardise bool         `json:"standardise,omitempty"` // by the model's own mean and deviation of each column
	Encoder     []int        `json:"encoder,omitempty"`     // widths of the layers, ReLU between them; none: the row itself
	Scaling     Scaling      `json:"scaling,omitempty"`     // of the representation, before its mechanism
	Release     *mech.Params `json:"release,omitempty"`     // the mechanism; nil: nothing protects the representation
	Classifier  []int        `json:"classifier,omitempty"`  // widths of the layers, the last being the number of classes of all labels
	// Constant is set for a model that looks at nothing and releases nothing.
	Constant Constant `json:"constant,omitempty"`
	Classes  int      `json:"classes"`        // of the first label
	More     []int    `json:"more,omitempty"` // classes of each further label
	// Answers is what each code stands for, one class for each label, where the
	// release is a code; Importance is how much each label counts in choosing
	// one, equally if it is empty.
	Answers    [][]int   `json:"answers,omitempty"`
	Importance []float64 `json:"importance,omitempty"`
	// Channel says what answers, weights and table of the classifier are made of: ε
	// and the classes alone if it is public, and else, where there are answers, texts.
	Channel channel.Kind `json:"channel,omitempty"`
	// Groups is not 0 where the scores of answers are tilted such that groups are
	// served alike. The encoder then gives, behind the classes of the labels, a
	// probability to each pair of a class of the first label and a group. It is
	// never released and no label of the model.
	Groups int `json:"groups,omitempty"`
}

// Labels returns the number of classes of each label.
func (a Architecture) Labels() []int { return append([]int{a.Classes}, a.More...) }

// Columns returns how many columns the scores of labels have that have so many
// classes.
func Columns(classes []int) int {
	sum := 0
	for _, c := range classes {
		sum += c
	}
	return sum
}

// Constant says what a model answers that does not look at its input.
type Constant string

// The answers of constant models.
const (
	CommonestClass Constant = "majority" // always the commonest class
	AnyClass       Constant = "random"   // each class with the same probability
)

// Progress is where a training stands after an epoch.
type Progress struct {
	Epoch    int     `json:"epoch"` // how many are complete
	Epochs   int     `json:"epochs"`
	Loss     float64 `json:"loss"`     // mean cross-entropy of the classifier in this epoch
	Accuracy float64 `json:"accuracy"` // on the validation rows, after this epoch
}

// Compared is the objective that two channels for the same texts are expected to
// have on the validation rows, over everything that they can give.
type Compared struct {
	Public float64 `json:"public"` // of ε and the classes alone
	Fitted float64 `json:"fitted"` // to the texts that were trained and validated on
}

// Model is a trained model. Fit and Load make one. It is not safe for
// concurrent use, but its clones are independent of each other.
type Model struct {
	// Kept tells which epoch was kept; empty where nothing was trained.
	Kept Progress
	// Compared says what it costs that the channel is public; nil where it is not, or
	// where that is not known.
	Compared *Compared

	architecture Architecture
	mechanism    mech.Mechanism // nil if nothing protects
	shift, scale []float32      // of Standardise
	encoder      nn.Sequential
	classifier   nn.Sequential
	tilt         nn.Matrix // of a tilted model, a row for each class and a column for each group
	majority     []int     // of each label, for a constant model
}

// Architecture returns how the model computes.
func (m *Model) Architecture() Architecture { return m.architecture.clone() }

// clone returns a copy that shares nothing, so that nobody can change what a
// model says of itself.
func (a Architecture) clone() Architecture {
	a.Encoder, a.Classifier = slices.Clone(a.Encoder), slices.Clone(a.Classifier)
	a.More, a.Importance, a.Answers = slices.Clone(a.More), slices.Clone(a.Importance), slices.Clone(a.Answers)
	for i := range a.Answers {
		a.Answers[i] = slices.Clone(a.Answers[i])
	}
	if a.Release != nil {
		p := a.Release.Clone()
		a.Release = &p
	}
	return a
}

// Statement returns what is claimed and what is true of the release, and false
// for a model that protects nothing or releases nothing.
func (m *Model) Statement() (mech.Statement, bool) {
	if m.mechanism == nil {
		return mech.Statement{}, false
	}
	s, err := mech.Describe(m.mechanism.Params(), 0)
	return s, err == nil
}

// Guarantee returns what one release promises: nothing at all for a model
// without mechanism, and ε = 0 for one that releases nothing.
func (m *Model) Guarantee() dp.Guarantee {
	switch {
	case m.architecture.Constant != "":
		return dp.Guarantee{Unit: dp.Text}
	case m.mechanism == nil:
		return dp.None(dp.Text)
	}
	return m.mechanism.Guarantee()
}

// Dim returns how many numbers a release has; 0 if nothing is released.
func (m *Model) Dim() int {
	switch a := m.architecture; {
	case a.Constant != "":
		return 0
	case m.mechanism != nil:
		_, out := m.mechanism.Shape()
		return out
	default:
		return a.width()
	}
}

// width is that of the representation before any mechanism.
func (a Architecture) width() int {
	if len(a.Answers) > 0 {
		return len(a.Answers)
	}
	if len(a.Encoder) > 0 {
		return a.Encoder[len(a.Encoder)-1]
	}
	return a.Inputs
}

// mechanismOf makes the mechanism of an architecture, nil for none.
func (a Architecture) mechanismOf() (mech.Mechanism, error) {
	if a.Release == nil {
		return nil, nil //nolint:nilnil // no mechanism is no error
	}
	return mech.New(*a.Release)
}

// SimulationKey returns a key for releases that only measure: the same seed
// gives the same noise, so it protects nobody.
func SimulationKey(seed uint64) []byte {
	return fmt.Appendf(nil, "simulated release %d", seed)
}

// inferRows is the number of rows that pass through the layers at a time, a
// multiple of releaseBlock.
const inferRows = 32 * releaseBlock

const leastKey = 16 // bytes, of which package noise asks

// Release returns what leaves the trusted side for the given rows of x, one
// row each: the representation through the mechanism, or the bare
// representation of a model without one. Noise is derived from the key, which
// for a real release must be secret, fresh and used once: at least 16 bytes
// from crypto/rand. A second release under the same key has the same noise, and
// the difference of the two shows what it should hide.
//
// The noise of rows[i] depends on the key and on i alone: the first rows of a
// longer list are released alike, others are not. An error releases nothing.
// Release panics if x has not as many columns as the model has inputs, or if a
// row does not exist.
func (m *Model) Release(p *nn.Pool, x nn.Matrix, rows []int, key []byte) (nn.Matrix, error) {
	a := m.architecture
	if x.Cols != a.Inputs {
		panic(fmt.Sprintf("model: Release of rows with %d numbers, want %d", x.Cols, a.Inputs))
	}
	y := nn.NewMatrix(len(rows), m.Dim())
	if a.Constant != "" {
		return y, nil
	}
	if m.mechanism != nil && len(key) < leastKey {
		return nn.Matrix{}, fmt.Errorf("model: key has %d bytes, must have at least %d", len(key), leastKey)
	}
	batch := nn.NewMatrix(min(len(rows), inferRows), x.Cols)
	for start := 0; start < len(rows); start += inferRows {
		part := rows[start:min(len(rows), start+inferRows)]
		b := batch.Slice(0, len(part))
		for i, row := range part {
			copy(b.Row(i), x.Row(row))
			Standardise(b.Row(i), m.shift, m.scale)
		}
		h := m.encoder.Forward(p, nn.Infer, b)
		to := y.Slice(start, start+len(part))
		if m.mechanism == nil {
			copy(to.Data, h.Data)
			continue
		}
		r := Releaser{Scaling: a.Scaling, Mechanism: m.mechanism, Key: key, Context: "release", first: start}
		if err := r.To(p, h, to); err != nil {
			return nn.Matrix{}, err
		}
	}
	if m.mechanism == nil {
		if err := y.Finite(); err != nil {
			return nn.Matrix{}, err
		}
	}
	return y, nil
}

// Represent returns what the mechanism is given for the given rows of x, one row each,
// before it makes them fit and draws: what a release of the same model without a
// mechanism would be, scaled. It is as secret as the rows are.
func (m *Model) Represent(p *nn.Pool, x nn.Matrix, rows []int) (nn.Matrix, error) {
	bare := *m
	bare.mechanism = nil
	y, err := bare.Release(p, x, rows, nil)
	if err != nil || m.architecture.Scaling == "" {
		return y, err
	}
	row := make([]float64, y.Cols)
	for i := range y.Rows {
		for j, v := range y.Row(i) {
			row[j] = float64(v)
		}
		m.architecture.Scaling.apply(row)
		for j, v := range row {
			y.Row(i)[j] = float32(v)
		}
	}
	return y, nil
}

// Logits returns the classifier's scores of released rows, one column a class,
// the first label's classes first. Their softmax over the classes of one label
// is the probability it gives each. A constant model has equal scores, or a
// higher one for the class that it always answers. It panics if a row has not
// as many numbers as a release.
func (m *Model) Logits(p *nn.Pool, released nn.Matrix) nn.Matrix {
	labels := m.architecture.Labels()
	scores := nn.NewMatrix(released.Rows, Columns(labels))
	if m.architecture.Constant != "" {
		for i := range released.Rows {
			column := 0
			for l := range m.majority {
				scores.Row(i)[column+m.majority[l]] = 1
				column += labels[l]
			}
		}
		return scores
	}
	for start := 0; start < released.Rows; start += inferRows {
		end := min(released.Rows, start+inferRows)
		copy(scores.Slice(start, end).Data, m.classifier.Forward(p, nn.Infer, released.Slice(start, end)).Data)
	}
	return scores
}

// Predict returns the class of each released row, for each label, the first
// one first. The answers of [AnyClass] are drawn with the given seed; no other
// model uses it. It panics if a row has not as many numbers as a release.
func (m *Model) Predict(p *nn.Pool, released nn.Matrix, seed uint64) [][]int {
	scores := nn.Matrix{}
	source := noise.Derive(SimulationKey(seed), "train", "any class")
	if m.architecture.Constant != AnyClass {
		scores = m.Logits(p, released)
	}
	var all [][]int
	column := 0
	for _, c := range m.architecture.Labels() {
		classes := make([]int, released.Rows)
		for i := range classes {
			if m.architecture.Constant == AnyClass {
				classes[i] = int(source.IntN(uint64(c)))
			} else {
				classes[i] = nn.Argmax(scores.Row(i)[column : column+c])
			}
		}
		all = append(all, classes)
		column += c
	}
	return all
}

// Clone returns a model that can be used beside m, with weights of its own.
func (m *Model) Clone() *Model {
	c, err := New(m.architecture, m.Tensors())
	if err != nil { // m was made from an architecture like this
		panic(err)
	}
	c.Kept, c.Compared = m.Kept, m.Compared
	return c
}
