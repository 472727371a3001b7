package bert_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sotto/encode/bert"
	"sotto/internal/safetensors"
	"sotto/text"
)

// tiny is a random model that is small enough for a plain forward pass.
type tiny struct {
	hidden, heads, inner, layers, vocabulary, positions, types int
	tensors                                                    map[string]safetensors.Tensor
}

// The sizes of small run the portable loops, those of even the assembly.
func small() *tiny {
	return random(&tiny{hidden: 8, heads: 2, inner: 12, layers: 2, vocabulary: 20, positions: 40, types: 2})
}

func even() *tiny {
	return random(&tiny{hidden: 32, heads: 2, inner: 48, layers: 2, vocabulary: 20, positions: 40, types: 2})
}

// random gives a model weights whose effects are all large enough to be seen.
func random(m *tiny) *tiny {
	rng := generator()
	m.tensors = map[string]safetensors.Tensor{}
	put := func(name string, mean, scale float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		t := safetensors.Tensor{Name: name, Shape: shape, Data: normal(rng, n, scale)}
		for i := range t.Data {
			t.Data[i] += float32(mean)
		}
		m.tensors[name] = t
	}
	norm := func(name string) {
		put(name+".LayerNorm.weight", 1, 0.3, m.hidden)
		put(name+".LayerNorm.bias", 0, 0.3, m.hidden)
	}
	dense := func(name string, in, out int) {
		put(name+".weight", 0, 0.5, out, in)
		put(name+".bias", 0, 0.5, out)
	}
	put("embeddings.word_embeddings.weight", 0, 1, m.vocabulary, m.hidden)
	put("embeddings.position_embeddings.weight", 0, 1, m.positions, m.hidden)
	put("embeddings.token_type_embeddings.weight", 0, 1, m.types, m.hidden)
	put("pooler.dense.weight", 0, 1, 1, 1) // of another task
	norm("embeddings")
	for l := range m.layers {
		at := fmt.Sprintf("encoder.layer.%d.", l)
		for _, name := range []string{"self.query", "self.key", "self.value", "output.dense"} {
			dense(at+"attention."+name, m.hidden, m.hidden)
		}
		norm(at + "attention.output")
		dense(at+"intermediate.dense", m.hidden, m.inner)
		dense(at+"output.dense", m.inner, m.hidden)
		norm(at + "output")
	}
	return m
}

func (m *tiny) config() map[string]any {
	return map[string]any{
		"model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12, "unknown": true,
		"hidden_size": m.hidden, "num_hidden_layers": m.layers, "num_attention_heads": m.heads,
		"intermediate_size": m.inner, "vocab_size": m.vocabulary,
		"max_position_embeddings": m.positions, "type_vocab_size": m.types,
	}
}

// tokenizer returns a tokenizer.json with special tokens, a few words and
// pieces.
func tokenizer() map[string]any {
	vocabulary := map[string]int{}
	for _, token := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "man", "is", "play", "##ing", "the", "guitar", ".", "##s", "no", "cat"} {
		vocabulary[token] = len(vocabulary)
	}
	return map[string]any{
		"normalizer":     map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "TemplateProcessing"},
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": vocabulary,
		},
	}
}

// write writes a model to a folder.
func (m *tiny) write(dir string) error {
	for name, v := range map[string]any{"config.json": m.config(), "tokenizer.json": tokenizer()} {
		if err := writeJSON(filepath.Join(dir, name), v); err != nil {
			return err
		}
	}
	return safetensors.Write(filepath.Join(dir, "model.safetensors"), &safetensors.File{Tensors: slices.Collect(maps.Values(m.tensors))})
}

func writeJSON(path string, v any) error {
	content, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

func (m *tiny) open(tb testing.TB, o bert.Options) *bert.Model {
	tb.Helper()
	dir := tb.TempDir()
	if err := m.write(dir); err != nil {
		tb.Fatal(err)
	}
	b, err := bert.Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// sentence returns n tokens, the later ones of the second type.
func (m *tiny) sentence(n int) text.Tokens {
	rng := generator()
	t := text.Tokens{IDs: make([]int32, n), Types: make([]int32, n)}
	for i := range n {
		t.IDs[i] = rng.Int32N(int32(m.vocabulary))
		if i > n/2 {
			t.Types[i] = 1
		}
	}
	return t
}
