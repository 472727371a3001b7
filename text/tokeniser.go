package text

import "unicode/utf8"

// tokeniser is the state of one pass over a text.
type tokeniser struct {
	*WordPiece
	ids     []int32
	room    int // the most ids that are kept
	total   int // ids so far, also those for which there was no room
	invalid int

	// The word so far, folded. It is an array and not a slice so that it does
	// not escape to the heap; one more character fits behind the longest word.
	word  [wordChars*utf8.UTFMax + 1<<lengthBits]byte
	size  int // in bytes
	chars int // in characters, also those of a word too long to be kept
}

// document adds the tokens of a text with masked words.
func (t *tokeniser) document(s string, masked []Span) {
	at := 0
	for _, m := range masked {
		if m.Start < at || m.End < m.Start || m.End > len(s) {
			panic("text: masked spans are not in order within the text")
		}
		t.text(s[at:m.Start])
		t.add(t.mask)
		at = m.End
	}
	t.text(s[at:])
}

// text adds the tokens of a text, at whose end a word ends.
func (t *tokeniser) text(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				t.invalid++
			}
			t.character(r)
			i += size
			continue
		}
		if low := t.plain[c]; low != 0 {
			t.letter(low)
			i++
			continue
		}
		i++
		switch t.ascii[c] {
		case space:
			t.finish()
		case alone:
			t.finish()
			t.letter(c)
			t.finish()
		default: // dropped
		}
	}
	t.finish()
}

// letter adds a character of ASCII to the word. Of a word that is too long the
// rest is only counted.
func (t *tokeniser) letter(c byte) {
	if t.chars++; t.chars <= t.longest {
		t.word[t.size] = c
		t.size++
	}
}

// character adds any character.
func (t *tokeniser) character(r rune) {
	if t.chars > t.longest {
		t.size = 0 // the word is unknown already, and need not grow
	}
	word, k, n := t.folds.append(t.word[:t.size], r)
	switch k {
	case space:
		t.finish()
	case alone:
		before := t.size // the fold lies behind the word, which goes first
		t.finish()
		t.size, t.chars = copy(t.word[:], word[before:]), n
		t.finish()
	case letter:
		t.size, t.chars = len(word), t.chars+n
	default: // dropped
	}
}

// add adds a token.
func (t *tokeniser) add(id int32) {
	t.total++
	if len(t.ids) < t.room {
		t.ids = append(t.ids, id)
	}
}

// finish adds the pieces of the word, if there is one, and forgets it.
func (t *tokeniser) finish() {
	if t.chars == 0 {
		return
	}
	kept, total := len(t.ids), t.total
	known := t.chars <= t.longest
	root := uint32(atStart)
	for rest := t.word[:t.size]; known && len(rest) > 0; root = atMiddle {
		id, n := t.pieces.longest(root, rest)
		if known = id != none; known {
			t.add(id)
		}
		rest = rest[n:]
	}
	if !known {
		t.ids, t.total = t.ids[:kept], total
		t.add(t.unknown)
	}
	t.size, t.chars = 0, 0
}
