package text

import (
	"fmt"
	"slices"
	"strings"
)

// The tokens that stand for no text.
const (
	tokenUnknown = "[UNK]"
	tokenStart   = "[CLS]"
	tokenEnd     = "[SEP]"
	tokenMask    = "[MASK]"
)

// continued begins the pieces that go on with a word.
const continued = "##"

// WordPiece takes texts apart into the subwords of BERT without case, with the
// ids of the reference implementation: control characters are dropped, Chinese
// characters and punctuation stand alone, white space separates, case and
// accents go, and each word becomes the longest pieces that the vocabulary has,
// or the unknown token if it has none for a part of it or the word is longer
// than 100 characters.
//
// In one thing it differs: "[CLS]" and the like in a text are brackets with
// letters between, and not special tokens, so that nobody can write one text
// that a model takes for two. A masked word is made by [WordPiece.EncodeMasked].
//
// A WordPiece does not change and may be used by several goroutines.
type WordPiece struct {
	tokens  []string // by id
	pieces  *trie
	folds   *folds
	longest int        // in characters, of a word that is not unknown
	plain   [0x80]byte // an ASCII letter or digit in lower case, and 0 for the others
	ascii   [0x80]kind // of other characters of ASCII
	start   int32      // the ids of special tokens
	end     int32
	unknown int32
	mask    int32
}

// Tokens is a text, or a pair of them, as a model takes it.
type Tokens struct {
	IDs     []int32
	Types   []int32 // 0 for the tokens of the first text, 1 for those of the second
	Dropped int     // tokens that the limit cut off
	Invalid int     // bytes that were not UTF-8, which are left out
}

// Vocabulary returns the tokens in the order of their ids.
func (w *WordPiece) Vocabulary() []string { return slices.Clone(w.tokens) }

// ID returns the id of a token, written as in the vocabulary, and whether there
// is one.
func (w *WordPiece) ID(token string) (int32, bool) {
	root, piece := rootOf(token)
	id, n := w.pieces.longest(root, []byte(piece))
	if n == 0 || n < len(piece) {
		return 0, false
	}
	return id, true
}

// rootOf returns where the trie holds a token, and under which bytes.
func rootOf(token string) (root uint32, piece string) {
	if rest, ok := strings.CutPrefix(token, continued); ok && rest != "" {
		return atMiddle, rest
	}
	return atStart, token
}

// Encode returns the tokens of a text between a start and an end token, at most
// limit of them: what is too much is cut off at the end of the text and counted.
// It panics if the limit is below 2.
func (w *WordPiece) Encode(s string, limit int) Tokens { return w.EncodeMasked(s, nil, limit) }

// EncodeMasked is [WordPiece.Encode] with some words masked: each of the given
// spans becomes one mask token, whatever stands there and however long it is. It
// panics if the limit is below 2, or if the spans are not within s, in order and
// without overlap.
func (w *WordPiece) EncodeMasked(s string, masked []Span, limit int) Tokens {
	if limit < 2 {
		panic(fmt.Sprintf("text: limit is %d, must be at least 2", limit))
	}
	// English has about four bytes a token.
	t := tokeniser{WordPiece: w, room: limit - 1, ids: make([]int32, 0, min(limit, len(s)/3+2))}
	t.ids = append(t.ids, w.start)
	t.total = 1
	t.document(s, masked)
	return Tokens{
		IDs:     append(t.ids, w.end),
		Types:   make([]int32, len(t.ids)+1),
		Dropped: t.total - len(t.ids),
		Invalid: t.invalid,
	}
}

// EncodePair returns the tokens of two texts: a start token, the first text, an
// end token, the second, and an end token. If they are more than limit, tokens
// are cut off the end of the longer text until the texts are equally long, and
// then off both; of an odd number, the text that was longer keeps one more, and
// the second if none was. It panics if the limit is below 3.
func (w *WordPiece) EncodePair(a, b string, limit int) Tokens {
	if limit < 3 {
		panic(fmt.Sprintf("text: limit of a pair is %d, must be at least 3", limit))
	}
	room := limit - 3
	first := tokeniser{WordPiece: w, room: room}
	first.document(a, nil)
	second := tokeniser{WordPiece: w, room: room}
	second.document(b, nil)
	keepFirst, keepSecond := share(first.total, second.total, room)
	ids := slices.Concat([]int32{w.start}, first.ids[:keepFirst], []int32{w.end}, second.ids[:keepSecond], []int32{w.end})
	types := make([]int32, len(ids))
	for i := keepFirst + 2; i < len(types); i++ {
		types[i] = 1
	}
	return Tokens{
		IDs:     ids,
		Types:   types,
		Dropped: first.total + second.total - keepFirst - keepSecond,
		Invalid: first.invalid + second.invalid,
	}
}

// share returns how many of a and b tokens are kept, where there is room for
// that many.
func share(a, b, room int) (keepA, keepB int) {
	if a > b {
		keepB, keepA = share(b, a, room)
		return keepA, keepB
	}
	a = min(a, room/2)
	return a, min(b, room-a)
}
