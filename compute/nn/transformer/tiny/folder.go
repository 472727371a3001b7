package tiny

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"sotto/internal/safetensors"
)

// Config returns what config.json says of the encoder.
func (m *Model) Config() map[string]any {
	return map[string]any{
		"model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": Epsilon, "unknown": true,
		"hidden_size": m.Hidden, "num_hidden_layers": m.Layers, "num_attention_heads": m.Heads,
		"intermediate_size": m.Inner, "vocab_size": m.Vocabulary,
		"max_position_embeddings": m.Positions, "type_vocab_size": m.Types,
	}
}

// tokenizer returns a tokenizer.json with special tokens, a few words and
// pieces.
func tokenizer() map[string]any {
	vocabulary := map[string]int{}
	for _, token := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "man", "is", "play", "##ing", "the", "guitar", ".", "##s", "no", "cat", "[unused0]", "[unused1]", "[unused2]", "[unused3]"} {
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

// Write writes the encoder to a folder as BERT's files, with a tensor of another
// task. Its tokenizer knows a few words and pieces.
func (m *Model) Write(dir string) error {
	for name, v := range map[string]any{"config.json": m.Config(), "tokenizer.json": tokenizer()} {
		if err := WriteJSON(filepath.Join(dir, name), v); err != nil {
			return err
		}
	}
	return safetensors.Write(filepath.Join(dir, "model.safetensors"), m.File())
}

// File returns the file of the parameters.
func (m *Model) File() *safetensors.File {
	f := &safetensors.File{Tensors: []safetensors.Tensor{{Name: "pooler.dense.weight", Shape: []int{1, 1}, Data: []float32{1}}}}
	for name, t := range m.Tensors {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: t.Shape, Data: t.Data})
	}
	return f
}

// WriteJSON writes a value to a file.
func WriteJSON(path string, v any) error {
	content, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("tiny: %w", err)
	}
	return os.WriteFile(path, content, 0o600)
}
