package text_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/data/testenv"
	"sotto/text"
)

// special are the tokens that every vocabulary has.
var special = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}

// wordPiece returns a tokeniser for the special tokens and some more.
func wordPiece(tb testing.TB, tokens ...string) *text.WordPiece {
	tb.Helper()
	w, err := text.ReadWordPiece(strings.NewReader(strings.Join(slices.Concat(special, tokens), "\n")))
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// small has a piece for each letter of ASCII, and some longer ones.
func small(tb testing.TB) *text.WordPiece {
	tokens := strings.Fields("the cat sat un ##able ##s , . ! # ' é 中")
	for c := 'a'; c <= 'z'; c++ {
		tokens = append(tokens, string(c))
		if c != 's' {
			tokens = append(tokens, "##"+string(c))
		}
	}
	return wordPiece(tb, tokens...)
}

// spell returns the tokens that ids stand for, with spaces between.
func spell(w *text.WordPiece, ids []int32) string {
	vocabulary := w.Vocabulary()
	tokens := make([]string, len(ids))
	for i, id := range ids {
		tokens[i] = vocabulary[id]
	}
	return strings.Join(tokens, " ")
}

// TestReference compares tokens with those of the reference implementation. The
// vocabulary is made of the tokens that occur, which changes none of them: a
// longer piece that the reference did not find is not in its vocabulary either.
func TestReference(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "wordpiece.json"))
	if err != nil {
		t.Fatal(err)
	}
	var ref struct {
		Texts  []string
		Tokens [][]string
	}
	if err := json.Unmarshal(data, &ref); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]bool{}
	for _, row := range ref.Tokens {
		for _, token := range row {
			tokens[token] = true
		}
	}
	for _, token := range special {
		delete(tokens, token)
	}
	w := wordPiece(t, slices.Sorted(maps.Keys(tokens))...)
	for i, s := range ref.Texts {
		got, want := spell(w, w.Encode(s, math.MaxInt).IDs), strings.Join(ref.Tokens[i], " ")
		if got != want {
			t.Errorf("Encode(%q) = %s, want %s", s, got, want)
		}
	}
}

// minilm returns the tokeniser of all-MiniLM-L6-v2, and skips the test if it is
// not there.
func minilm(tb testing.TB) *text.WordPiece {
	tb.Helper()
	w, err := text.LoadWordPiece(testenv.Encoder(tb, "minilm", "tokenizer.json"))
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// TestGolden compares ids with those of the reference implementation.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile(testenv.Data(t, "..", "golden", "wordpiece_ref.json"))
	if err != nil {
		t.Fatal(err)
	}
	var ref struct {
		Texts []string
		IDs   [][]int32
	}
	if err := json.Unmarshal(data, &ref); err != nil {
		t.Fatal(err)
	}
	w := minilm(t)
	for i, s := range ref.Texts {
		if s == "[CLS] [SEP] [MASK] literal" {
			continue // is text here, and special tokens there
		}
		if got := w.Encode(s, math.MaxInt); !slices.Equal(got.IDs, ref.IDs[i]) {
			t.Errorf("Encode(%q) = %v, want %v", s, got.IDs, ref.IDs[i])
		}
	}
}

func TestEncode(t *testing.T) {
	w := small(t)
	for _, tt := range []struct {
		name, in string
		limit    int
		want     string
		dropped  int
		invalid  int
	}{
		{"nothing", "", 2, "[CLS] [SEP]", 0, 0},
		{"fits", "The cat", 4, "[CLS] the cat [SEP]", 0, 0},
		{"cut", "the cat sat!", 4, "[CLS] the cat [SEP]", 2, 0},
		{"cut within a word", "unable", 3, "[CLS] un [SEP]", 1, 0},
		{"no room", "the cat", 2, "[CLS] [SEP]", 2, 0},
		{"unknown", "cat0 the", 9, "[CLS] [UNK] the [SEP]", 0, 0},
		{"unknown behind the limit", "the cat0", 3, "[CLS] the [SEP]", 1, 0},
		{"unknown at the limit", "the cats0", 4, "[CLS] the [UNK] [SEP]", 0, 0},
		{"not UTF-8", "th\xffe c\xe4\xb8at \xc3", 9, "[CLS] the cat [SEP]", 0, 4},
		{"replacement character", "ca\ufffdt", 9, "[CLS] cat [SEP]", 0, 0},
		{"the longest word", strings.Repeat("s", 100), 3, "[CLS] s [SEP]", 99, 0},
		{"a longer word", strings.Repeat("s", 101) + ".", 9, "[CLS] [UNK] . [SEP]", 0, 0},
		{"a longer word by an accent", strings.Repeat("s", 100) + "Ö中", 9, "[CLS] [UNK] 中 [SEP]", 0, 0},
		{"a long Korean word", strings.Repeat("각", 1000) + " the", 9, "[CLS] [UNK] the [SEP]", 0, 0},
		{"special", "[MASK]", 9, "[CLS] [UNK] m ##a ##s ##k [UNK] [SEP]", 0, 0},
		{"a prefix is punctuation", "##able", 9, "[CLS] # # a ##b ##l ##e [SEP]", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := w.Encode(tt.in, tt.limit)
			if s := spell(w, got.IDs); s != tt.want {
				t.Errorf("Encode(%q, %d) = %s, want %s", tt.in, tt.limit, s, tt.want)
			}
			if got.Dropped != tt.dropped || got.Invalid != tt.invalid {
				t.Errorf("Dropped, Invalid = %d, %d, want %d, %d", got.Dropped, got.Invalid, tt.dropped, tt.invalid)
			}
			if want := make([]int32, len(got.IDs)); !slices.Equal(got.Types, want) {
				t.Errorf("Types = %v, want %v", got.Types, want)
			}
		})
	}
}

// TestEncodePair has the lengths of the reference implementation's own test of
// its truncation, for room for seven tokens.
func TestEncodePair(t *testing.T) {
	w := small(t)
	for _, tt := range []struct{ a, b, wantA, wantB int }{
		{0, 0, 0, 0},
		{0, 2, 0, 2},
		{0, 4, 0, 4},
		{0, 8, 0, 7},
		{2, 0, 2, 0},
		{2, 2, 2, 2},
		{2, 4, 2, 4},
		{2, 8, 2, 5},
		{4, 0, 4, 0},
		{4, 2, 4, 2},
		{4, 4, 3, 4},
		{4, 8, 3, 4},
		{8, 0, 7, 0},
		{8, 2, 5, 2},
		{8, 4, 4, 3},
		{8, 8, 3, 4},
	} {
		got := w.EncodePair(strings.Repeat("A ", tt.a), strings.Repeat("b.", tt.b/2), 10)
		want := "[CLS]" + strings.Repeat(" a", tt.wantA) + " [SEP]" + strings.Repeat(" b .", 9)[:2*tt.wantB] + " [SEP]"
		if s := spell(w, got.IDs); s != want {
			t.Errorf("%d and %d tokens become %q, want %q", tt.a, tt.b, s, want)
		}
		types := slices.Concat(make([]int32, tt.wantA+2), slices.Repeat([]int32{1}, tt.wantB+1))
		if !slices.Equal(got.Types, types) {
			t.Errorf("%d and %d tokens have types %v, want %v", tt.a, tt.b, got.Types, types)
		}
		if dropped := tt.a + tt.b - tt.wantA - tt.wantB; got.Dropped != dropped {
			t.Errorf("%d and %d tokens: Dropped = %d, want %d", tt.a, tt.b, got.Dropped, dropped)
		}
	}
	if got := w.EncodePair("a\xff", "\xff\xffb", 10); got.Invalid != 3 {
		t.Errorf("Invalid = %d, want 3", got.Invalid)
	}
}

func TestEncodeMasked(t *testing.T) {
	w := small(t)
	for _, tt := range []struct {
		name, in string
		masked   []text.Span
		limit    int
		want     string
		dropped  int
	}{
		{"none", "the cat", nil, 9, "[CLS] the cat [SEP]", 0},
		{"first", "the cat", []text.Span{{0, 3}}, 9, "[CLS] [MASK] cat [SEP]", 0},
		{"all", "the unable", []text.Span{{0, 3}, {4, 10}}, 9, "[CLS] [MASK] [MASK] [SEP]", 0},
		{"within a word", "unable", []text.Span{{1, 2}}, 9, "[CLS] u [MASK] a ##b ##l ##e [SEP]", 0},
		{"empty", "the cat", []text.Span{{3, 3}, {3, 3}}, 9, "[CLS] the [MASK] [MASK] cat [SEP]", 0},
		{"cut", "the cat sat", []text.Span{{4, 7}, {8, 11}}, 4, "[CLS] the [MASK] [SEP]", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := w.EncodeMasked(tt.in, tt.masked, tt.limit)
			if s := spell(w, got.IDs); s != tt.want || got.Dropped != tt.dropped {
				t.Errorf("EncodeMasked(%q, %v) = %s and %d dropped, want %s and %d", tt.in, tt.masked, s, got.Dropped, tt.want, tt.dropped)
			}
		})
	}
}

func TestBrokenCalls(t *testing.T) {
	w := small(t)
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"limit", func() { w.Encode("", 1) }},
		{"limit of a pair", func() { w.EncodePair("", "", 2) }},
		{"span behind the end", func() { w.EncodeMasked("a", []text.Span{{0, 2}}, 9) }},
		{"span before the start", func() { w.EncodeMasked("a", []text.Span{{-1, 1}}, 9) }},
		{"span backwards", func() { w.EncodeMasked("abc", []text.Span{{2, 1}}, 9) }},
		{"spans overlap", func() { w.EncodeMasked("abc", []text.Span{{0, 2}, {1, 3}}, 9) }},
		{"masking of another text", func() { text.Apply("a", text.Masking{Parts: []text.Found{{Span: text.Span{Start: 0, End: 2}}}}, "") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			tt.call()
		})
	}
}

func TestVocabulary(t *testing.T) {
	w := wordPiece(t, "cat", "##cat", "##", "#", "ca")
	all := w.Vocabulary()
	for i, token := range all {
		if id, ok := w.ID(token); !ok || int(id) != i {
			t.Errorf("ID(%q) = %d, %v, want %d", token, id, ok, i)
		}
	}
	for _, token := range []string{"", "c", "##ca", "cats", "###"} {
		if id, ok := w.ID(token); ok {
			t.Errorf("ID(%q) = %d, want none", token, id)
		}
	}
	all[0] = "changed"
	if got := w.Vocabulary()[0]; got != "[PAD]" {
		t.Errorf("a change of what Vocabulary returns changes the vocabulary to %q", got)
	}
}

func TestEncodeAllocations(t *testing.T) {
	w := small(t)
	s := strings.Repeat("The cat sat, unable to überblick 中文. ", 20)
	if got := testing.AllocsPerRun(10, func() { w.Encode(s, 64) }); got > 2 {
		t.Errorf("Encode allocates %v times, want at most 2", got)
	}
}

// FuzzEncode checks, for any bytes, that ids are in range and within the limit,
// that what is cut off is the rest of what there is without a limit, and that
// masking all words leaves nothing of them.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", "The cats, unable!", "é\xff\xc3中각\ufffd\u0301", strings.Repeat("x", 101)} {
		f.Add(s, "the Cat", 5)
	}
	w := small(f)
	size := int32(len(w.Vocabulary()))
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = max(3, limit)
		all, cut, pair := w.Encode(a, math.MaxInt), w.Encode(a, limit), w.EncodePair(a, b, limit)
		for _, got := range []text.Tokens{all, cut, pair} {
			if len(got.Types) != len(got.IDs) || slices.Min(got.IDs) < 0 || slices.Max(got.IDs) >= size {
				t.Fatalf("%q and %q give %+v", a, b, got)
			}
		}
		if len(cut.IDs) > limit || len(pair.IDs) > limit || all.Dropped != 0 {
			t.Errorf("%d and %d tokens for limit %d", len(cut.IDs), len(pair.IDs), limit)
		}
		n := len(cut.IDs) - 1
		if !slices.Equal(cut.IDs[:n], all.IDs[:n]) || n+cut.Dropped != len(all.IDs)-1 {
			t.Errorf("%q with limit %d gives %v and %d dropped, without %v", a, limit, cut.IDs, cut.Dropped, all.IDs)
		}
		if (all.Invalid == 0) != utf8.ValidString(a) {
			t.Errorf("Invalid = %d for %q", all.Invalid, a)
		}
		spans := text.Spans(a)
		masked := w.EncodeMasked(a, spans, math.MaxInt)
		every := func(masked []bool) {
			for i := range masked {
				masked[i] = true
			}
		}
		other := text.Apply(a, text.Mask(a, every), "zzz")
		if again := w.EncodeMasked(other, text.Spans(other), math.MaxInt); !slices.Equal(again.IDs, masked.IDs) {
			t.Errorf("the masked words of %q leave a trace: %v, and %v for other words", a, masked.IDs, again.IDs)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	w := minilm(b)
	for _, bb := range []struct{ name, in string }{
		{"english", "The quick brown Fox jumps over the lazy Dog and doesn't stop until it is home again, late at night."},
		{"rare", "Antidisestablishmentarianism, pneumonoultramicroscopicsilicovolcanoconiosis and floccinaucinihilipilification"},
		{"accents", "Der flinke Fuchs springt über den faulen Hund und hält nicht an, bevor er wieder zu Haus ist"},
		{"chinese", "敏捷的棕色狐狸跳过了懒惰的狗，一直没有停下来，直到深夜回到家中"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.in)))
			b.ReportAllocs()
			for b.Loop() {
				w.Encode(bb.in, 256)
			}
		})
	}
}

func ExampleWordPiece() {
	w, err := text.ReadWordPiece(strings.NewReader("[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##able\nto\nspeak\n."))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := "Unable to speak."
	fmt.Println(w.Encode(s, 128).IDs)
	fmt.Println(w.EncodeMasked(s, []text.Span{{Start: 10, End: 15}}, 128).IDs)
	short := w.Encode(s, 4)
	fmt.Println(short.IDs, short.Dropped)
	// Output:
	// [1 4 5 6 7 8 2]
	// [1 4 5 6 3 8 2]
	// [1 4 5 2] 3
}
