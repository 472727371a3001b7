package joint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"sotto/compute/nn"
	"sotto/internal/safetensors"
)

// State is a training between two steps: enough to go on as if it had never stopped, with
// the same bits.
type State struct {
	// Training is a digest of what decides the training, but for the number of epochs: an
	// epoch does not depend on how many follow, so that one may go on for more.
	Training string `json:"training"`

	Epoch   int      `json:"epoch"` // how many are complete
	Step    int      `json:"step"`  // how many of the next one are
	Loss    float64  `json:"loss"`  // the sum over the instances of these
	Kept    int      `json:"kept"`  // the epoch whose weights are kept, from 1; 0 for none
	History []Epoch  `json:"history"`
	Steps   uint64   `json:"steps"`  // of the optimiser
	Passes  []uint64 `json:"passes"` // of everything that draws

	kept    []nn.Matrix // of each parameter
	tensors []safetensors.Tensor
}

// begin makes room for the state at the start.
func (t *Trainer) begin() error {
	h := sha256.New()
	e := json.NewEncoder(h)
	s := t.settings
	s.Epochs = 0
	about := []any{s, t.name, t.v.words.names, t.v.tags.names, t.v.types.names, t.v.relations, t.v.pieces.Pieces(), t.rules.String()}
	for _, x := range slices.Concat(t.lessons, t.examples) {
		about = append(about, x.words, x.tags, x.types, x.marks, x.neighbours, x.kept, x.subject, x.object, x.label, x.target)
	}
	if err := errors.Join(e.Encode(about), binary.Write(h, binary.LittleEndian, t.table.Data)); err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	t.state.Training = hex.EncodeToString(h.Sum(nil))
	for _, q := range t.net.params() {
		t.state.kept = append(t.state.kept, q.Value.Clone())
	}
	return nil
}

// close ends an epoch and decides what to keep.
func (t *Trainer) close(done Epoch) {
	s := &t.state
	s.History = append(s.History, done)
	s.Epoch, s.Step, s.Loss = s.Epoch+1, 0, 0
	if !done.Unseen && (s.Kept == 0 || done.score() > s.History[s.Kept-1].score()) {
		s.Kept = s.Epoch
		for i, a := range t.average {
			copy(s.kept[i].Data, a.Data)
		}
	}
}

// all returns everything that a state has numbers of, sharing memory with the training.
func (t *Trainer) all() []safetensors.Tensor {
	var all []safetensors.Tensor
	add := func(part, name string, m nn.Matrix) {
		all = append(all, safetensors.Tensor{Name: part + "." + name, Shape: []int{m.Rows, m.Cols}, Data: m.Data})
	}
	for i, q := range t.net.params() {
		add("now", q.Name, q.Value)
		add("mean", q.Name, t.average[i])
		add("kept", q.Name, t.state.kept[i])
	}
	for _, q := range t.optimum.State() {
		add("optimum", q.Name, q.Value)
	}
	return all
}

// take completes the state.
func (t *Trainer) take() *State {
	s := &t.state
	s.Steps, s.Passes = t.optimum.Steps, nil
	for _, pass := range t.net.passes() {
		s.Passes = append(s.Passes, *pass)
	}
	s.tensors = t.all()
	return s
}

// Write writes a state, which [ReadState] reads.
func (s *State) Write(w io.Writer) error {
	about, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	return safetensors.Seal(w, s.tensors, about)
}

// ReadState reads what Write wrote. Damage is an error.
func ReadState(path string) (*State, error) {
	tensors, about, err := safetensors.ReadSealed(path)
	if err != nil {
		return nil, err
	}
	s := &State{tensors: tensors}
	if err := json.Unmarshal(about, s); err != nil {
		return nil, fmt.Errorf("joint: %s is no state of a training: %w", path, err)
	}
	return s, nil
}

// ErrState is returned for the state of another training.
var ErrState = errors.New("joint: the state is of another training, must be of the same data, rules and settings; begin anew without it")

// restore sets a training to a state.
func (t *Trainer) restore(from *State) error {
	s, passes := &t.state, t.net.passes()
	if from.Training != s.Training || len(from.Passes) != len(passes) || from.Epoch < 0 ||
		from.Step < 0 || from.Step > t.steps() || len(from.History) != from.Epoch || from.Kept < 0 || from.Kept > from.Epoch {
		return ErrState
	}
	by := map[string]safetensors.Tensor{}
	for _, x := range from.tensors {
		by[x.Name] = x
	}
	all := t.all()
	for _, to := range all {
		if !slices.Equal(by[to.Name].Shape, to.Shape) {
			return ErrState
		}
	}
	for _, to := range all {
		copy(to.Data, by[to.Name].Data)
	}
	for k, pass := range passes {
		*pass = from.Passes[k]
	}
	t.optimum.Steps = from.Steps
	s.Epoch, s.Step, s.Loss, s.Kept, s.History = from.Epoch, from.Step, from.Loss, from.Kept, slices.Clone(from.History)
	return nil
}
