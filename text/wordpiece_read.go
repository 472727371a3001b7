package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sotto/internal/regular"
)

const (
	maxTokeniserFile = 1 << 26 // bytes; the largest in use have 10 million
	maxPieces        = 1 << 22 // bytes of all tokens together
	wordChars        = 100     // characters of the longest word that is not unknown
)

// LoadWordPiece is [ReadWordPiece] of a file.
func LoadWordPiece(path string) (*WordPiece, error) {
	f, _, err := regular.Open(path, maxTokeniserFile)
	if err != nil {
		return nil, fmt.Errorf("text: tokeniser cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written that could be lost
	w, err := ReadWordPiece(f)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return w, nil
}

// ReadWordPiece reads a tokeniser from a tokenizer.json of Hugging Face, or from
// a vocab.txt, which has one token a line. What a tokenizer.json says of padding
// and truncation is ignored: they are the caller's. A tokeniser of another kind,
// or one that keeps case or accents, is an error.
func ReadWordPiece(r io.Reader) (*WordPiece, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTokeniserFile+1))
	if err != nil {
		return nil, fmt.Errorf("text: tokeniser cannot be read: %w", err)
	}
	if len(data) > maxTokeniserFile {
		return nil, fmt.Errorf("text: tokeniser has more than %d bytes", maxTokeniserFile)
	}
	tokens, longest := []string(nil), wordChars
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		tokens, longest, err = readTokenizerJSON(data)
	} else {
		tokens, err = readVocabulary(data)
	}
	var w *WordPiece
	if err == nil {
		w, err = newWordPiece(tokens, longest)
	}
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	return w, nil
}

// readVocabulary reads one token a line.
func readVocabulary(data []byte) (tokens []string, err error) {
	for line := range strings.Lines(string(data)) {
		token := strings.TrimRight(line, "\r\n")
		if token == "" || !utf8.ValidString(token) {
			return nil, fmt.Errorf("line %d of the vocabulary is empty or not UTF-8", len(tokens)+1)
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// tokenizerJSON is what is needed of the file of that name.
type tokenizerJSON struct {
	AddedTokens []struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		Chinese      bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"` // null means as Lowercase
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer  named `json:"pre_tokenizer"`
	PostProcessor named `json:"post_processor"`
	Model         struct {
		Type         string         `json:"type"`
		UnknownToken string         `json:"unk_token"`
		Prefix       string         `json:"continuing_subword_prefix"`
		WordChars    int            `json:"max_input_chars_per_word"`
		Vocabulary   map[string]int `json:"vocab"`
	} `json:"model"`
}

type named struct {
	Type string `json:"type"`
}

// readTokenizerJSON returns the tokens in the order of their ids, and the length
// of the longest word that is not unknown.
func readTokenizerJSON(data []byte) (tokens []string, longest int, err error) {
	var f tokenizerJSON
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, 0, fmt.Errorf("tokenizer.json is not what it should be: %w", err)
	}
	if err := f.check(); err != nil {
		return nil, 0, err
	}
	tokens = make([]string, len(f.Model.Vocabulary))
	for token, id := range f.Model.Vocabulary {
		if id < 0 || id >= len(tokens) || tokens[id] != "" || token == "" {
			return nil, 0, fmt.Errorf("id %d of a token is not one of %d different ones from 0 on, or the token is empty", id, len(tokens))
		}
		tokens[id] = token
	}
	for _, a := range f.AddedTokens {
		if id, ok := f.Model.Vocabulary[a.Content]; !ok || id != a.ID {
			return nil, 0, fmt.Errorf("added token %q is not in the vocabulary with id %d", a.Content, a.ID)
		}
	}
	return tokens, f.Model.WordChars, nil
}

// check refuses a tokeniser that is not that of BERT without case.
func (f *tokenizerJSON) check() error {
	n, m := f.Normalizer, f.Model
	for _, c := range []struct{ thing, got, want string }{
		{"model", m.Type, "WordPiece"},
		{"normalizer", n.Type, "BertNormalizer"},
		{"pre_tokenizer", f.PreTokenizer.Type, "BertPreTokenizer"},
		{"unk_token", m.UnknownToken, tokenUnknown},
		{"continuing_subword_prefix", m.Prefix, continued},
	} {
		if c.got != c.want {
			return fmt.Errorf("%s is %q, must be %s", c.thing, c.got, c.want)
		}
	}
	if p := f.PostProcessor.Type; p != "TemplateProcessing" && p != "BertProcessing" {
		return fmt.Errorf("post_processor is %q, must be TemplateProcessing or BertProcessing", p)
	}
	if !n.CleanText || !n.Chinese || !n.Lowercase || n.StripAccents != nil && !*n.StripAccents {
		return errors.New("normalizer keeps case, accents or control characters, or joins Chinese ones; must not")
	}
	if m.WordChars < 1 || m.WordChars > wordChars {
		return fmt.Errorf("max_input_chars_per_word is %d, must be from 1 to %d", m.WordChars, wordChars)
	}
	return nil
}

// newWordPiece makes the tokeniser.
func newWordPiece(tokens []string, longest int) (*WordPiece, error) {
	size := 0
	for _, token := range tokens {
		size += len(token)
	}
	if size > maxPieces {
		return nil, fmt.Errorf("vocabulary has %d bytes, must have at most %d", size, maxPieces)
	}
	w := &WordPiece{tokens: tokens, pieces: newTrie(), longest: longest, folds: folding()}
	for id, token := range tokens {
		root, piece := rootOf(token)
		if !w.pieces.insert(root, piece, int32(id)) {
			return nil, fmt.Errorf("token %d is in the vocabulary twice", id)
		}
	}
	for _, s := range []struct {
		token string
		id    *int32
	}{{tokenUnknown, &w.unknown}, {tokenStart, &w.start}, {tokenEnd, &w.end}, {tokenMask, &w.mask}} {
		id, ok := w.ID(s.token)
		if !ok {
			return nil, fmt.Errorf("vocabulary lacks %s", s.token)
		}
		*s.id = id
	}
	for c := range rune(utf8.RuneSelf) {
		fold, k, _ := w.folds.append(nil, c)
		if w.ascii[c] = k; k == letter {
			w.plain[c] = fold[0]
		}
	}
	return w, nil
}
