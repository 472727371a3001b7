package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sotto/promise/dp/dptest"
	"sotto/text"
)

func words(s string) []string { return slices.Collect(text.Words(s)) }

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"punctuation", " .,!-—… \n", nil},
		{"plain", "the cat", []string{"the", "cat"}},
		{"upper case", "The CAT, Mr O.", []string{"the", "cat", "mr", "o"}},
		{"digits", "room 101b at 3.14", []string{"room", "101b", "at", "3", "14"}},
		{"hyphen", "well-known", []string{"well", "known"}},
		{"underscore", "snake_case", []string{"snake", "case"}},
		{"apostrophe", "don't O'Neill's", []string{"don't", "o'neill's"}},
		{"curly apostrophe", "Don’t", []string{"don't"}},
		{"apostrophe outside", "'tis the boys' 'quote'", []string{"tis", "the", "boys", "quote"}},
		{"two apostrophes", "a''b c'’d", []string{"a", "b", "c", "d"}},
		{"apostrophe at the end", "a'", []string{"a"}},
		{"accents", "Élan NAÏVE", []string{"élan", "naïve"}},
		{"combining accent", "Cafe\u0301's bar", []string{"cafe\u0301's", "bar"}},
		{"mark after an apostrophe", "a'\u0301b", []string{"a", "b"}},
		{"emoji with a selector", "I ❤\ufe0f you", []string{"i", "you"}},
		{"other scripts", "Привет, МИР! ٣ हिन्दी", []string{"привет", "мир", "٣", "हिन्दी"}},
		{"lower case is shorter", "\u212a\u0130LO", []string{"kilo"}},
		{"bytes that are not UTF-8", "ab\xffcd \xc3", []string{"ab", "cd"}},
		{"after a curly one", "Ab\xffcd’s", []string{"ab", "cd's"}},
		{"zero", "a\x00b", []string{"a", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := words(tt.in); !slices.Equal(got, tt.want) {
				t.Errorf("Words(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// TestStop checks that a loop can be left.
func TestStop(t *testing.T) {
	n := 0
	for range text.Words("a b c") {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("the loop ran %d times, want 2", n)
	}
}

// TestEveryCharacter compares the words around each character with what the
// tables of Unicode say of it; in a short test, that of every 50th.
func TestEveryCharacter(t *testing.T) {
	step := rune(1)
	if !dptest.Long() {
		step = 50
	}
	for r := rune(0); r <= unicode.MaxRune; r += step {
		if !utf8.ValidRune(r) {
			continue
		}
		low := unicode.ToLower(r)
		want := []string{"a", "b"}
		switch {
		case unicode.IsLetter(low), unicode.IsDigit(low), unicode.IsMark(low):
			want = []string{"a" + string(low) + "b"}
		case r == '\'', r == '’':
			want = []string{"a'b"}
		}
		if got := words("a" + string(r) + "b"); !slices.Equal(got, want) {
			t.Errorf("%U between a and b gives %q, want %q", r, got, want)
		}
	}
}

func TestAllocations(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want float64
	}{
		{"already in lower case, so nothing is copied", 0},
		{"The Whole Text Is Copied Once", 1},
		{"The Curly One Is Copied Again, isn’t it", 2},
	} {
		got := testing.AllocsPerRun(10, func() {
			for range text.Words(tt.in) {
			}
		})
		if got > tt.want {
			t.Errorf("Words(%q) allocates %v times, want at most %v", tt.in, got, tt.want)
		}
	}
}

// FuzzWords checks that words are what they should be, that joining and
// splitting them again changes nothing, and that no letter or digit is lost.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "Don’t panic: 42!", "a''b", "Cafe\u0301 \xff\xc3", "❤\ufe0f\u212a\u0130\u017f", "'x'"} {
		f.Add(s)
	}
	count := func(s string) (n int) {
		for _, r := range strings.ToLower(s) {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				n++
			}
		}
		return n
	}
	f.Fuzz(func(t *testing.T, s string) {
		all, kept := words(s), 0
		for _, w := range all {
			if w == "" || !utf8.ValidString(w) || w != strings.ToLower(w) || strings.ContainsAny(w, " ’.,\ufffd") {
				t.Errorf("word %q of %q is none", w, s)
			}
			kept += count(w)
		}
		if kept != count(s) {
			t.Errorf("the words of %q hold %d letters and digits, want %d", s, kept, count(s))
		}
		if again := words(strings.Join(all, " ")); !slices.Equal(again, all) {
			t.Errorf("the words of %q are %q, and those of them %q", s, all, again)
		}
	})
}

func BenchmarkWords(b *testing.B) {
	for _, bb := range []struct{ name, in string }{
		{"lower", "the quick brown fox jumps over the lazy dog and doesn't stop until it is home again, late"},
		{"mixed", "The quick brown Fox jumps over the lazy Dog and doesn't stop until it is home again, late"},
		{"accents", "Der flinke Fuchs springt über den faulen Hund und hält nicht an, bevor er wieder zu Haus ist"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.in)))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				for w := range text.Words(bb.in) {
					n += len(w)
				}
			}
		})
	}
}

func ExampleWords() {
	for word := range text.Words("Don’t panic, it's 42!") {
		fmt.Println(word)
	}
	// Output:
	// don't
	// panic
	// it's
	// 42
}
