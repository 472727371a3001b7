package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sotto/promise/dp/dptest"
	"sotto/text"
)

func TestSpans(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []text.Span
	}{
		{"nothing", "", nil},
		{"no word", " - ", nil},
		{"words", " The cat,", []text.Span{{1, 4}, {5, 8}}},
		{"curly apostrophe", "don’t’ a", []text.Span{{0, 7}, {11, 12}}},
		{"lower case is shorter", "\u212a\u0130 x", []text.Span{{0, 5}, {6, 7}}},
		{"not UTF-8", "é\xffa", []text.Span{{0, 2}, {3, 4}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Spans(tt.in); !slices.Equal(got, tt.want) {
				t.Errorf("Spans(%q) = %v, want %v", tt.in, got, tt.want)
			}
		})
	}
}

// sameWords checks that the spans of s are its words.
func sameWords(t *testing.T, s string) {
	t.Helper()
	var got []string
	at := 0
	for _, span := range text.Spans(s) {
		if span.Start < at || span.End <= span.Start || span.End > len(s) {
			t.Fatalf("span %v of %q overlaps the one before, or is empty", span, s)
		}
		at = span.End
		got = append(got, strings.ReplaceAll(strings.ToLower(s[span.Start:span.End]), "’", "'"))
	}
	if want := words(s); !slices.Equal(got, want) {
		t.Errorf("the spans of %q hold %q, want %q", s, got, want)
	}
}

// TestSpansOfEveryCharacter checks that no character is part of a word in one
// case only; in a short test, every 50th.
func TestSpansOfEveryCharacter(t *testing.T) {
	step := rune(1)
	if !dptest.Long() {
		step = 50
	}
	for r := rune(0); r <= unicode.MaxRune; r += step {
		sameWords(t, "a"+string(r)+"b "+string(r))
	}
}

func FuzzSpans(f *testing.F) {
	for _, s := range []string{"", "Don’t panic: 42!", "a''b", "Cafe\u0301 \xff\xc3", "❤\ufe0f\u212a\u0130\u017f"} {
		f.Add(s)
	}
	f.Fuzz(sameWords)
}

func ExampleSpans() {
	s := "Don’t panic!"
	for _, span := range text.Spans(s) {
		fmt.Println(span, s[span.Start:span.End])
	}
	// Output:
	// {0 7} Don’t
	// {8 13} panic
}
