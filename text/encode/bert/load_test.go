package bert_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/internal/safetensors"
	"sotto/text/encode/bert"
)

// TestOpenRefuses damages a folder in one way at a time.
func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(m *random, dir string) error
		prefix string
		want   string
		absent bool
	}{
		{"no config", remove("config.json"), "bert: ", "config.json", true},
		{"no tokeniser", remove("tokenizer.json"), "text: ", "tokenizer.json", true},
		{"no weights", remove("model.safetensors"), "bert: ", "holds no model*.safetensors", true},
		{"config is no JSON", replace("config.json", "{"), "bert: ", "config.json is no JSON", false},
		{"tokeniser is no JSON", replace("tokenizer.json", "{"), "text: ", "tokenizer.json", false},
		{"weights cut off", replace("model.safetensors", "\x08"), "safetensors: ", "truncated", false},
		{"another family", configure("model_type", "roberta"), "bert: ", `model_type is "roberta", must be "bert"`, false},
		{"another activation", configure("hidden_act", "relu"), "bert: ", `hidden_act is "relu", must be "gelu"`, false},
		{"relative positions", configure("position_embedding_type", "relative_key"), "bert: ", `must be "absolute"`, false},
		{"no heads", configure("num_attention_heads", 0), "bert: ", "num_attention_heads is 0, must be from 1", false},
		{"heads do not divide", configure("num_attention_heads", 3), "bert: ", "must be a multiple of num_attention_heads, which is 3", false},
		{"huge", configure("vocab_size", 1<<30), "bert: ", "vocab_size is 1073741824, must be from 1", false},
		{"epsilon", configure("layer_norm_eps", 0), "bert: ", "layer_norm_eps is 0, must be between 0 and 1", false},
		{"small vocabulary", configure("vocab_size", 15), "bert: ", "tokenizer.json has 20 tokens, must have at most", false},
		{"other shape", configure("vocab_size", 21), "bert: ", "has shape [20 8], must have [21 8]", false},
		{"more layers", configure("num_hidden_layers", 3), "bert: ", `tensor "encoder.layer.2.attention.self.query.weight" is absent`, false},
		{"fewer layers", configure("num_hidden_layers", 1), "bert: ", "is there, must be absent with num_hidden_layers 1", false},
		{"two models", func(m *random, dir string) error {
			return safetensors.Write(filepath.Join(dir, "model.fp16.safetensors"), m.File())
		}, "bert: ", "is there twice", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, dir := small(), t.TempDir()
			if err := errors.Join(m.Write(dir), tt.damage(m, dir)); err != nil {
				t.Fatal(err)
			}
			_, err := bert.Open(dir, bert.Options{})
			wantError(t, err, tt.prefix, tt.want)
			if got := errors.Is(err, fs.ErrNotExist); got != tt.absent {
				t.Errorf("error is ErrNotExist: %v, want %v", got, tt.absent)
			}
		})
	}
}

func remove(name string) func(*random, string) error {
	return func(_ *random, dir string) error { return os.Remove(filepath.Join(dir, name)) }
}

func replace(name, content string) func(*random, string) error {
	return func(_ *random, dir string) error {
		return os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)
	}
}

func configure(key string, value any) func(*random, string) error {
	return func(m *random, dir string) error {
		c := m.Config()
		c[key] = value
		return tiny.WriteJSON(filepath.Join(dir, "config.json"), c)
	}
}

func TestOptionsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := small().Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{-1, 1, 41} {
		_, err := bert.Open(dir, bert.Options{MaxTokens: limit})
		wantError(t, err, "bert: ", "must be from 2 to 40")
	}
}

// TestFiles checks that weights may be spread over files, that their names may
// begin with that of the family, and that positions may be stored as whole
// numbers.
func TestFiles(t *testing.T) {
	m, dir := small(), filepath.Join(t.TempDir(), "a [b]")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	want, err := bert.Open(dir, bert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var first, second safetensors.File
	for _, tensor := range m.File().Tensors {
		name := tensor.Name
		tensor.Name = "bert." + name
		if strings.HasPrefix(name, "encoder.layer.1") {
			second.Tensors = append(second.Tensors, tensor)
		} else {
			first.Tensors = append(first.Tensors, tensor)
		}
	}
	positions := `{"bert.embeddings.position_ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}`
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "model-ids.safetensors"), []byte(string(rune(len(positions)))+"\x00\x00\x00\x00\x00\x00\x00"+positions+"\x00\x00\x00\x00\x00\x00\x00\x00"), 0o600),
		os.Remove(filepath.Join(dir, "model.safetensors")),
		safetensors.Write(filepath.Join(dir, "model-00001-of-00002.safetensors"), &first),
		safetensors.Write(filepath.Join(dir, "model-00002-of-00002.safetensors"), &second),
	)
	if err != nil {
		t.Fatal(err)
	}
	got, err := bert.Open(dir, bert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(vector(got, "a man"), vector(want, "a man")) {
		t.Error("the same weights in two files give another vector")
	}
}
