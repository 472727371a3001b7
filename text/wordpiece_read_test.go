package text_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"sotto/text"
)

// tokenizerJSON is a tokeniser with as little as there may be.
const tokenizerJSON = `{
	"added_tokens": [{"id": 2, "content": "[CLS]"}],
	"truncation": {"max_length": 2}, "padding": {"strategy": {"Fixed": 128}},
	"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
	"pre_tokenizer": {"type": "BertPreTokenizer"},
	"post_processor": {"type": "TemplateProcessing"},
	"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 10,
		"vocab": {"[UNK]": 0, "cat": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "##s": 5}}
}`

func TestReadWordPiece(t *testing.T) {
	for _, tt := range []struct{ name, in string }{
		{"tokenizer.json", tokenizerJSON},
		{"accents", strings.Replace(tokenizerJSON, "null", "true", 1)},
		{"vocab.txt", "[UNK]\ncat\n[CLS]\n[SEP]\n[MASK]\n##s\n"},
		{"vocab.txt of Windows", "[UNK]\r\ncat\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\n##s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := text.ReadWordPiece(strings.NewReader(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.Vocabulary(), strings.Fields("[UNK] cat [CLS] [SEP] [MASK] ##s"); !slices.Equal(got, want) {
				t.Errorf("Vocabulary() = %q, want %q", got, want)
			}
			if got, want := w.Encode("Cats cat dog", 99).IDs, []int32{2, 1, 5, 1, 0, 3}; !slices.Equal(got, want) {
				t.Errorf("Encode = %v, want %v", got, want)
			}
			unknown := strings.Contains(tt.in, "per_word")
			if got := w.Encode("cat"+strings.Repeat("s", 8), 99).IDs[1] == 0; got != unknown {
				t.Errorf("a word of 11 characters is unknown: %v, want %v", got, unknown)
			}
		})
	}
}

func TestReadWordPieceErrors(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", "vocabulary lacks [UNK]"},
		{"no start", "[UNK]\n[SEP]\n[MASK]", "vocabulary lacks [CLS]"},
		{"empty line", "[UNK]\n\n[CLS]", "line 2 of the vocabulary is empty"},
		{"not UTF-8", "[UNK]\n\xff", "line 2 of the vocabulary is empty or not UTF-8"},
		{"twice", "[UNK]\na\na", "token 2 is in the vocabulary twice"},
		{"too many bytes", strings.Repeat("a", 1<<22+1), "vocabulary has 4194305 bytes, must have at most 4194304"},
		{"not JSON", "{", "tokenizer.json is not what it should be"},
		{"model", swap("WordPiece", "BPE"), `model is "BPE", must be WordPiece`},
		{"normalizer", swap("BertNormalizer", "NFC"), `normalizer is "NFC", must be BertNormalizer`},
		{"pre_tokenizer", swap("BertPreTokenizer", "Split"), `pre_tokenizer is "Split"`},
		{"post_processor", swap("TemplateProcessing", "ByteLevel"), `post_processor is "ByteLevel"`},
		{"unknown token", swap(`"unk_token": "[UNK]"`, `"unk_token": "?"`), `unk_token is "?"`},
		{"prefix", swap(`"##"`, `"@@"`), `continuing_subword_prefix is "@@"`},
		{"case", swap(`"lowercase": true`, `"lowercase": false`), "keeps case"},
		{"accents", swap("null", "false"), "keeps case, accents"},
		{"length of words", swap(": 10,", ": 101,"), "max_input_chars_per_word is 101, must be from 1 to 100"},
		{"ids twice", swap(`"cat": 1`, `"cat": 0`), "id 0 of a token"},
		{"ids with a hole", swap(`"cat": 1`, `"cat": 6`), "id 6 of a token"},
		{"negative id", swap(`"cat": 1`, `"cat": -1`), "id -1 of a token"},
		{"added token", swap(`{"id": 2,`, `{"id": 1,`), `added token "[CLS]" is not in the vocabulary with id 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := text.ReadWordPiece(strings.NewReader(tt.in))
			if err == nil || !strings.HasPrefix(err.Error(), "text: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := text.ReadWordPiece(iotest.ErrReader(fs.ErrPermission)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error = %v, want that of the reader", err)
	}
}

// swap returns the small tokenizer.json with one thing changed.
func swap(was, is string) string { return strings.Replace(tokenizerJSON, was, is, 1) }

func TestLoadWordPiece(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vocab.txt")
	if _, err := text.LoadWordPiece(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want %v", err, fs.ErrNotExist)
	}
	for _, tt := range []struct{ in, want string }{
		{strings.Join(special, "\n"), ""},
		{"[UNK]", path},
	} {
		if err := os.WriteFile(path, []byte(tt.in), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := text.LoadWordPiece(path)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error = %v, want one with %q", err, tt.want)
		}
	}
}

// FuzzReadWordPiece checks that any file is either refused or can be used.
func FuzzReadWordPiece(f *testing.F) {
	f.Add(tokenizerJSON, "Cats")
	f.Add(strings.Join(special, "\n")+"\na\n##b\né", "abé")
	f.Fuzz(func(t *testing.T, file, s string) {
		w, err := text.ReadWordPiece(strings.NewReader(file))
		if err != nil {
			return
		}
		all := w.Vocabulary()
		for i, token := range all {
			if id, ok := w.ID(token); !ok || int(id) != i {
				t.Fatalf("ID(%q) = %d, %v, want %d", token, id, ok, i)
			}
		}
		if got := w.Encode(s, 10); len(got.IDs) > 10 || int(slices.Max(got.IDs)) >= len(all) {
			t.Errorf("Encode(%q) = %v with %d tokens in the vocabulary", s, got.IDs, len(all))
		}
	})
}

func BenchmarkReadWordPiece(b *testing.B) {
	in := strings.Join(minilm(b).Vocabulary(), "\n")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := text.ReadWordPiece(strings.NewReader(in)); err != nil {
			b.Fatal(err)
		}
	}
}
