package model

import (
	"fmt"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/promise/mech"
)

// Tensors are the numbers of a model by name: "encoder.0.weight" is that of
// the encoder's first layer, with a row for each input and a column for each
// output, "encoder.0.bias" its bias, and so on.
type Tensors map[string]nn.Matrix

// New makes a model from its numbers, which must be exactly those that
// the architecture has.
func New(a Architecture, t Tensors) (*Model, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	if a.Release != nil {
		if _, out := a.Release.Sizes(); out != 0 && out != t["classifier.0.weight"].Rows {
			return nil, fmt.Errorf("model: mechanism releases %d numbers, must release the classifier's %d", out, t["classifier.0.weight"].Rows)
		}
	}
	m := &Model{architecture: a.clone()}
	var err error
	if m.mechanism, err = a.mechanismOf(); err != nil {
		return nil, err
	}
	take := taker{left: t}
	switch a.Constant {
	case AnyClass:
	case CommonestClass:
		if err := m.takeMajority(&take); err != nil {
			return nil, err
		}
	default:
		if a.Standardise {
			m.shift, m.scale = take.matrix("input.shift", 1, a.Inputs).Data, take.matrix("input.scale", 1, a.Inputs).Data
		}
		m.encoder = take.layers("encoder", a.Inputs, a.Encoder)
		if len(a.Answers) > 0 {
			if a.Groups > 0 {
				m.tilt = take.matrix("answers.tilt", a.Classes, a.Groups).Clone()
			}
			m.encoder = append(m.encoder, newAnswering(a, m.tilt))
		}
		released := a.width()
		if m.mechanism != nil {
			_, released = m.mechanism.Shape()
		}
		m.classifier = take.layers("classifier", released, a.Classifier)
	}
	if err := take.finish(); err != nil {
		return nil, err
	}
	return m, nil
}

// takeMajority takes the class of each label that a constant model answers.
func (m *Model) takeMajority(take *taker) error {
	labels := m.architecture.Labels()
	row := take.matrix("majority", 1, len(labels))
	if take.err != nil {
		return take.err
	}
	for l, classes := range labels {
		class := int(row.Data[l])
		if float32(class) != row.Data[l] || class < 0 || class >= classes {
			return fmt.Errorf("model: model answers no class, must answer one below %d", classes)
		}
		m.majority = append(m.majority, class)
	}
	return nil
}

// Bounds of what can be a model, so that a misspelt number is refused instead
// of exhausting the memory.
const (
	MaxInputs  = 1 << 20
	MaxClasses = 1 << 20
	MaxWidth   = 1 << 16 // of a hidden layer
	MaxPairs   = 4096    // of a class and a group
	maxLabels  = 1 << 10
)

// Validate reports the first part that no model of this package has.
func (a Architecture) Validate() error {
	if a.Inputs < 1 || a.Inputs > MaxInputs || a.Classes < 2 || a.Classes > MaxClasses {
		return fmt.Errorf("model: model has %d inputs and %d classes, must have from 1 to %d and from 2 to %d", a.Inputs, a.Classes, MaxInputs, MaxClasses)
	}
	for _, classes := range a.More {
		if classes < 2 || classes > MaxClasses {
			return fmt.Errorf("model: a label has %d classes, must have from 2 to %d", classes, MaxClasses)
		}
	}
	if len(a.More) >= maxLabels {
		return fmt.Errorf("model: model has %d labels, must have at most %d", len(a.More)+1, maxLabels)
	}
	switch a.Constant {
	case CommonestClass, AnyClass:
		if a.Answers != nil || a.Importance != nil || a.Groups != 0 || a.Standardise || a.Scaling != "" || a.Encoder != nil || a.Release != nil || a.Classifier != nil {
			return fmt.Errorf("model: a %s model has layers, must have none", a.Constant)
		}
		return nil
	case "":
	default:
		return fmt.Errorf("model: constant is %q, must be %q or %q", a.Constant, CommonestClass, AnyClass)
	}
	if a.Scaling != "" && a.Scaling != ZScore {
		return fmt.Errorf("model: scaling is %q, must be %q or absent", a.Scaling, ZScore)
	}
	for _, widths := range [][]int{a.Encoder, a.Classifier} {
		for _, w := range widths {
			if w < 1 || w > max(MaxWidth, MaxClasses) {
				return fmt.Errorf("model: a layer is %d wide, must be positive and at most %d", w, MaxClasses)
			}
		}
	}
	if err := a.validateAnswers(); err != nil {
		return err
	}
	if err := a.validateRelease(); err != nil {
		return err
	}
	if n := len(a.Classifier); n == 0 || a.Classifier[n-1] != Columns(a.Labels()) {
		return fmt.Errorf("model: classifier does not end in the %d classes", Columns(a.Labels()))
	}
	return nil
}

// validateRelease refuses a mechanism where no method of this package has it,
// and one of other sizes before anything of that size is made.
func (a Architecture) validateRelease() error {
	if a.Release == nil {
		return nil
	}
	p := *a.Release
	v := mech.VariantOf(p)
	if (v.Form == mech.FormCode) != (len(a.Answers) > 0) {
		return fmt.Errorf("model: mechanism is %q with %d answers, must be codes where there are answers, and only there", p.Mechanism, len(a.Answers))
	}
	switch coded, encoded := len(a.Answers) > 0, len(a.Encoder) > 0; {
	case encoded && !coded:
		if _, err := Normaliser(p); err != nil {
			return err
		}
	case !encoded && !v.Binary() && v.Form != mech.FormProjection && v.Form != mech.FormCell:
		return fmt.Errorf("model: mechanism without encoder is %q, must be a bit protocol, a projection or cells", p.Mechanism)
	}
	if in, _ := p.Sizes(); in != a.width() {
		return fmt.Errorf("model: mechanism takes %d numbers, must take the representation's %d", in, a.width())
	}
	return nil
}

// taker takes matrices out of a set and remembers the first that is missing.
type taker struct {
	left  Tensors
	taken int
	err   error
}

func (t *taker) matrix(name string, rows, cols int) nn.Matrix {
	m, ok := t.left[name]
	t.taken++
	if t.err == nil && !ok {
		t.err = fmt.Errorf("model: weights have no %q", name)
	} else if t.err == nil && (m.Rows != rows || m.Cols != cols) {
		t.err = fmt.Errorf("model: %q is %d×%d, must be %d×%d", name, m.Rows, m.Cols, rows, cols)
	}
	if t.err != nil {
		return nn.NewMatrix(1, 1)
	}
	return m
}

// layers makes dense layers with ReLU between them.
func (t *taker) layers(part string, in int, widths []int) nn.Sequential {
	var s nn.Sequential
	for i, out := range widths {
		weight := t.matrix(fmt.Sprintf("%s.%d.weight", part, i), in, out)
		bias := t.matrix(fmt.Sprintf("%s.%d.bias", part, i), 1, out)
		if t.err != nil {
			return nil
		}
		if i > 0 {
			s = append(s, &nn.ReLU{})
		}
		d := nn.NewDense(in, out, weakrand.New(weakrand.NewPCG(0, 0)))
		copy(d.Params()[0].Value.Data, weight.Data)
		copy(d.Params()[1].Value.Data, bias.Data)
		s, in = append(s, d), out
	}
	return s
}

func (t *taker) finish() error {
	if t.err == nil && t.taken != len(t.left) {
		return fmt.Errorf("model: weights hold %d tensors, must hold the %d of this model", len(t.left), t.taken)
	}
	if t.err != nil {
		return t.err
	}
	for name, m := range t.left {
		if m.Finite() != nil {
			return fmt.Errorf("model: %q holds NaN or infinity, must be finite", name)
		}
	}
	return nil
}

// Tensors returns the numbers of a model. They share memory with it.
func (m *Model) Tensors() Tensors {
	t := make(Tensors)
	if m.architecture.Constant == CommonestClass {
		row := nn.NewMatrix(1, len(m.majority))
		for l, class := range m.majority {
			row.Data[l] = float32(class)
		}
		t["majority"] = row
	}
	if m.tilt.Rows > 0 {
		t["answers.tilt"] = m.tilt
	}
	if m.shift != nil {
		t["input.shift"] = nn.Matrix{Rows: 1, Cols: len(m.shift), Data: m.shift}
		t["input.scale"] = nn.Matrix{Rows: 1, Cols: len(m.scale), Data: m.scale}
	}
	for part, s := range map[string]nn.Sequential{"encoder": m.encoder, "classifier": m.classifier} {
		for i, d := range s.Dense() {
			for _, q := range d.Params() {
				t[fmt.Sprintf("%s.%d.%s", part, i, q.Name)] = q.Value
			}
		}
	}
	return t
}
