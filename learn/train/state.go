package train

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"sotto/compute/nn"
	"sotto/internal/safetensors"
	"sotto/learn/model"
	"sotto/promise/mech"
)

// State is a training after a whole epoch: enough to go on as if it had never
// stopped, with the same bits.
type State struct {
	// Training is a digest of what decides the training: its settings, seed,
	// labels, split and the first rows of its data.
	Training string `json:"training"`

	Epoch   int              `json:"epoch"` // how many are complete
	Kept    int              `json:"kept"`  // the epoch whose weights are kept, from 1; 0 for none
	History []model.Progress `json:"history"`
	Steps   uint64           `json:"steps"`  // of the optimiser
	Passes  []uint64         `json:"passes"` // of each dropout layer, then of the noise

	tensors []safetensors.Tensor // now, moments, kept
	kept    []safetensors.Tensor // the end of tensors
}

// Last returns where the training stood after the last whole epoch.
func (s *State) Last() model.Progress {
	if len(s.History) == 0 {
		return model.Progress{}
	}
	return s.History[len(s.History)-1]
}

// live returns the numbers of a learner that change in training.
func (l *learner) live() []nn.Param {
	return append(l.params(), l.optimizer.State()...)
}

// passes returns the counters of what draws: of each dropout layer, then of the
// noise.
func (l *learner) passes() []*uint64 {
	var all []*uint64
	for _, d := range l.dropouts {
		all = append(all, &d.Pass)
	}
	if l.noise != nil {
		all = append(all, &l.noise.Pass)
	}
	return all
}

// served returns the parameters that become the model.
func (l *learner) served() []nn.Param {
	return append(named("encoder", l.encoder.Params()), named("classifier", l.classifier.Params())...)
}

// begin makes room for the state of l, which is at its start.
func (s *State) begin(l *learner) {
	add := func(part string, params []nn.Param) {
		for _, q := range params {
			s.tensors = append(s.tensors, safetensors.Tensor{
				Name: part + "." + q.Name, Shape: []int{q.Value.Rows, q.Value.Cols}, Data: slices.Clone(q.Value.Data),
			})
		}
	}
	add("now", l.live())
	start := len(s.tensors)
	add("kept", l.served())
	s.kept = s.tensors[start:]
}

// keep copies the served weights.
func (s *State) keep(l *learner) {
	for i, q := range l.served() {
		copy(s.kept[i].Data, q.Value.Data)
	}
}

// take copies everything else.
func (s *State) take(l *learner, epoch int) {
	s.Epoch, s.Steps = epoch, l.optimizer.Steps
	s.Passes = s.Passes[:0]
	for _, pass := range l.passes() {
		s.Passes = append(s.Passes, *pass)
	}
	for i, q := range l.live() {
		copy(s.tensors[i].Data, q.Value.Data)
	}
}

// errState is returned for a state of another training.
var errState = errors.New("train: the state is of another training, must be of the same method, data and seed")

// restore sets l to a state that was taken from a learner like it.
func (l *learner) restore(s *State) error {
	passes := l.passes()
	if s.Training != l.state.Training || len(s.tensors) != len(l.state.tensors) || len(s.Passes) != len(passes) || s.Epoch > l.Epochs || !s.sound() {
		return errState
	}
	for i, t := range l.state.tensors {
		at := slices.IndexFunc(s.tensors, func(u safetensors.Tensor) bool { return u.Name == t.Name })
		if at < 0 || !slices.Equal(s.tensors[at].Shape, t.Shape) {
			return errState
		}
		copy(l.state.tensors[i].Data, s.tensors[at].Data)
	}
	for i, q := range l.live() {
		copy(q.Value.Data, l.state.tensors[i].Data)
	}
	for i, pass := range passes {
		*pass = s.Passes[i]
	}
	l.optimizer.Steps = s.Steps
	l.state.Epoch, l.state.Kept, l.state.Steps = s.Epoch, s.Kept, s.Steps
	l.state.History, l.state.Passes = slices.Clone(s.History), slices.Clone(s.Passes)
	return nil
}

// sound reports whether the counters can be those of a training.
func (s *State) sound() bool {
	for i, p := range s.History {
		if p.Epoch != i+1 {
			return false
		}
	}
	return s.Epoch >= 0 && s.Kept >= 0 && s.Kept <= s.Epoch && len(s.History) == s.Epoch && (s.Epoch == 0) == (s.Kept == 0)
}

// identity returns a digest of what decides the training of l.
func (l *learner) identity() (string, error) {
	h := sha256.New()
	about := struct {
		Training          Training
		Widths            []int
		Release, Received mech.Params
		Numbers           []float64
		Seed              uint64
		Data              Data
	}{
		Training: l.Training, Widths: l.widths, Received: l.received, Seed: l.seed, Data: l.data,
		Numbers: []float64{l.reversal, float64(l.rivals), l.apart, l.corrupt},
	}
	if l.release != nil {
		about.Release = l.release.Params()
	}
	const sample = 64 // rows: enough to tell one encoder of texts from another
	about.Data.X = nn.NewMatrix(min(sample, len(l.data.Train)), l.rows.width())
	l.rows.gather(about.Data.X, l.data.Train[:about.Data.X.Rows])
	if err := json.NewEncoder(h).Encode(about); err != nil {
		return "", fmt.Errorf("train: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

const stateKey = "sotto-state-1"

// Write writes the state in the safetensors format, under a name of the
// caller's that ParseState asks for again: what decides the training, such as
// the digest of its settings.
func (s *State) Write(w io.Writer, name string) error {
	counters, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	f := &safetensors.File{Tensors: s.tensors}
	f.Metadata = map[string]string{stateKey: string(counters), "name": name, "sha256": f.Digest(counters)}
	return safetensors.Encode(w, f)
}

// ParseState parses what Write wrote under the same name. Another name and
// damage are errors.
func ParseState(data []byte, name string) (*State, error) {
	f, err := safetensors.Decode(data)
	if err != nil {
		return nil, err
	}
	if f.Metadata["name"] != name {
		return nil, errState
	}
	counters := []byte(f.Metadata[stateKey])
	s := &State{tensors: f.Tensors}
	if json.Unmarshal(counters, s) != nil || !s.sound() || f.Digest(counters) != f.Metadata["sha256"] {
		return nil, errors.New("train: the state is damaged: its content is not what its SHA-256 says")
	}
	return s, nil
}
