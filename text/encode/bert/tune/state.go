package tune

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

// State is a training between two steps: enough to go on as if it had never
// stopped, with the same bits.
type State struct {
	// Training is a digest of what decides the training: its settings, tokens,
	// labels and parts, and the weights that it began with.
	Training string `json:"training"`

	Epoch   int      `json:"epoch"` // how many are complete
	Step    int      `json:"step"`  // how many of the next one are
	Loss    float64  `json:"loss"`  // the sum over the texts of these
	Kept    int      `json:"kept"`  // the epoch whose weights are kept, from 1; 0 for none
	History []Epoch  `json:"history"`
	Steps   []uint64 `json:"steps"`  // of each optimiser
	Passes  []uint64 `json:"passes"` // of what draws within the encoder, and of what does behind it

	now  []safetensors.Tensor // share memory with the training
	kept []safetensors.Tensor
}

// identity digests what decides a training.
func (t *Trainer) identity() (string, error) {
	h := sha256.New()
	d := t.data
	if err := json.NewEncoder(h).Encode([]any{t.settings, d.Labels, d.Classes, d.Weights, d.Train, d.Validation, d.Tags, t.head.About()}); err != nil {
		return "", fmt.Errorf("tune: %w", err)
	}
	for _, part := range [][]int{d.Train, d.Validation} {
		for _, i := range part {
			for k := range t.vectors.texts {
				for _, w := range t.vectors.tokens[t.vectors.texts*i+k] {
					if err := binary.Write(h, binary.LittleEndian, append([]int32{int32(len(w.IDs))}, w.IDs...)); err != nil {
						return "", fmt.Errorf("tune: %w", err)
					}
				}
			}
		}
	}
	if d.Tokens != nil {
		if err := json.NewEncoder(h).Encode(d.Places); err != nil {
			return "", fmt.Errorf("tune: %w", err)
		}
	}
	for _, q := range t.encoder.All() {
		if err := binary.Write(h, binary.LittleEndian, q.Value.Data); err != nil {
			return "", fmt.Errorf("tune: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// begin makes room for the state of a training at its start.
func (s *State) begin(t *Trainer) {
	add := func(to *[]safetensors.Tensor, part string, params []nn.Param, own bool) {
		for _, q := range params {
			data := q.Value.Data
			if own {
				data = slices.Clone(data)
			}
			*to = append(*to, safetensors.Tensor{Name: part + "." + q.Name, Shape: []int{q.Value.Rows, q.Value.Cols}, Data: data})
		}
	}
	add(&s.now, "now", t.params(), false)
	for i, g := range t.groups {
		add(&s.now, fmt.Sprintf("group%d", i), g.State(), false)
	}
	add(&s.kept, "kept", t.params(), true)
}

// take completes the state.
func (s *State) take(t *Trainer) *State {
	s.Steps = s.Steps[:0]
	for _, g := range t.groups {
		s.Steps = append(s.Steps, g.Steps)
	}
	s.Passes = s.Passes[:0]
	for _, pass := range t.passes() {
		s.Passes = append(s.Passes, *pass)
	}
	return s
}

// close ends an epoch and decides what to keep.
func (s *State) close(t *Trainer, done Epoch) {
	s.History = append(s.History, done)
	s.Epoch, s.Step, s.Loss = s.Epoch+1, 0, 0
	if t.settings.Last || s.Kept == 0 || done.Accuracy > s.History[s.Kept-1].Accuracy {
		s.Kept = s.Epoch
		for i, q := range t.params() {
			copy(s.kept[i].Data, q.Value.Data)
		}
	}
}

// Write writes a state, which [ReadState] reads.
func (s *State) Write(w io.Writer) error {
	about, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("tune: %w", err)
	}
	return safetensors.Seal(w, slices.Concat(s.now, s.kept), about)
}

// ReadState reads what Write wrote. Damage is an error.
func ReadState(path string) (*State, error) {
	tensors, about, err := safetensors.ReadSealed(path)
	if err != nil {
		return nil, err
	}
	s := &State{now: tensors}
	if err := json.Unmarshal(about, s); err != nil {
		return nil, fmt.Errorf("tune: %s is no state of a training: %w", path, err)
	}
	return s, nil
}

// ErrState is returned for the state of another training.
var ErrState = errors.New("tune: the state is of another training, must be of the same folder, texts, labels and settings")

// restore sets a training to a state.
func (t *Trainer) restore(from *State) error {
	s := &t.state
	if from.Training != s.Training || len(from.Steps) != len(t.groups) || len(from.Passes) != len(t.passes()) ||
		from.Epoch < 0 || from.Epoch > t.settings.Epochs || from.Step < 0 || from.Step > t.steps() ||
		len(from.History) != from.Epoch || from.Kept < 0 || from.Kept > from.Epoch {
		return ErrState
	}
	for _, to := range slices.Concat(s.now, s.kept) {
		i := slices.IndexFunc(from.now, func(x safetensors.Tensor) bool { return x.Name == to.Name })
		if i < 0 || !slices.Equal(from.now[i].Shape, to.Shape) {
			return ErrState
		}
		copy(to.Data, from.now[i].Data)
	}
	for i, g := range t.groups {
		g.Steps = from.Steps[i]
	}
	for i, pass := range t.passes() {
		*pass = from.Passes[i]
	}
	s.Epoch, s.Step, s.Loss, s.Kept, s.History = from.Epoch, from.Step, from.Loss, from.Kept, slices.Clone(from.History)
	return nil
}
