package bert

import (
	"encoding/json"
	"errors"
	"fmt"

	"sotto/internal/regular"
)

// config is what a config.json says of a model.
type config struct {
	Type         string  `json:"model_type"`
	Activation   string  `json:"hidden_act"`
	Position     string  `json:"position_embedding_type"` // absolute if left out
	Hidden       int     `json:"hidden_size"`
	Layers       int     `json:"num_hidden_layers"`
	Heads        int     `json:"num_attention_heads"`
	Intermediate int     `json:"intermediate_size"`
	Vocabulary   int     `json:"vocab_size"`
	Positions    int     `json:"max_position_embeddings"`
	Types        int     `json:"type_vocab_size"`
	Epsilon      float64 `json:"layer_norm_eps"`
}

const (
	maxSize   = 1 << 24 // bounds every size, so that no product of two overflows
	maxConfig = 1 << 20 // bytes; usual ones have less than a thousand
)

// readConfig reads and checks the configuration at path.
func readConfig(path string) (config, error) {
	content, err := regular.Read(path, maxConfig)
	if err != nil {
		return config{}, fmt.Errorf("bert: %w", err)
	}
	c := config{Position: "absolute"}
	if err := json.Unmarshal(content, &c); err != nil {
		return config{}, fmt.Errorf("bert: %s is no JSON of a model: %w", path, err)
	}
	if err := c.validate(); err != nil {
		return config{}, fmt.Errorf("bert: %s: %w", path, err)
	}
	return c, nil
}

// validate reports every reason for which the model cannot be run.
func (c config) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, s := range []struct{ name, got, want string }{
		{"model_type", c.Type, "bert"},
		{"hidden_act", c.Activation, "gelu"},
		{"position_embedding_type", c.Position, "absolute"},
	} {
		if s.got != s.want {
			fault("%s is %.40q, must be %q", s.name, s.got, s.want)
		}
	}
	for _, s := range []struct {
		name string
		size int
	}{
		{"hidden_size", c.Hidden},
		{"num_hidden_layers", c.Layers},
		{"num_attention_heads", c.Heads},
		{"intermediate_size", c.Intermediate},
		{"vocab_size", c.Vocabulary},
		{"max_position_embeddings", c.Positions},
		{"type_vocab_size", c.Types},
	} {
		if s.size < 1 || s.size > maxSize {
			fault("%s is %d, must be from 1 to %d", s.name, s.size, maxSize)
		}
	}
	if c.Heads > 0 && c.Hidden%c.Heads != 0 {
		fault("hidden_size is %d, must be a multiple of num_attention_heads, which is %d", c.Hidden, c.Heads)
	}
	if !(c.Epsilon > 0 && c.Epsilon < 1) {
		fault("layer_norm_eps is %g, must be between 0 and 1", c.Epsilon)
	}
	return errors.Join(faults...)
}
