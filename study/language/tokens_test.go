package language_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/study/language"
)

// texts returns how the tokens of a text are written.
func texts(s string) []string {
	var words []string
	for _, t := range language.Tokens(s) {
		words = append(words, t.Text)
	}
	return words
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Hello, world!", "Hello , world !"},
		{"I don't think it's Ann’s.", "I do n't think it 's Ann ’s ."},
		{"You cannot, and dont wanna.", "You can not , and do nt wan na ."},
		{"Mr. Smith of the U.S. paid $1,000.50 at 10:30 p.m. today.", "Mr. Smith of the U.S. paid $ 1,000.50 at 10:30 p.m. today ."},
		{"Write to bob.oneil@example.com, or see http://www.example.com/a_(b)?c=d.", "Write to bob.oneil@example.com , or see http://www.example.com/a_(b)?c=d ."},
		{"a 15-year term, an e-mail and a well-known re-read", "a 15 - year term , an e-mail and a well - known re-read"},
		{"the parents' house in '98 :) !!! ... ?!", "the parents ' house in '98 :) !!! ... ?!"},
		{"on 11/28/2000 (or 9/11) at AT&T 50%", "on 11/28/2000 ( or 9/11 ) at AT&T 50 %"},
		{"10am 5km 1990s 4th and/or", "10 am 5 km 1990s 4th and / or"},
		{"👩‍👩‍👧 🇩🇪🇫🇷 👍🏽!", "👩‍👩‍👧 🇩🇪 🇫🇷 👍🏽 !"},
		{"zero\u200bwidth\ufeff and\u202e marks", "zero width and marks"},
		{"שלום, עולם! résumé naïve", "שלום , עולם ! résumé naïve"},
		{"\x00\x01 \t\n", ""},
	} {
		if got := strings.Join(texts(tt.text), " "); got != tt.want {
			t.Errorf("Tokens(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestTokensFused(t *testing.T) {
	var fused []string
	for _, token := range language.Tokens("Ann's cat doesn't like 5-year plans.") {
		if token.Fused {
			fused = append(fused, token.Text)
		}
	}
	if want := []string{"'s", "n't"}; !slices.Equal(fused, want) {
		t.Errorf("fused tokens are %q, want %q", fused, want)
	}
}

// Much text without a space is tokens in linear time: a quadratic tokeniser
// would take minutes.
func TestTokensWithoutSpace(t *testing.T) {
	for _, unit := range []string{"a", "a.", "1-", "1,", "a@", ")", "http://)", "'", "a'", "-", "é", "👩‍", "a/", "a-", "\x80", "x.y-", "www.", ".1"} {
		s := strings.Repeat(unit, 1<<18/len(unit))
		d := &language.Document{Text: s, Tokens: language.Tokens(s)}
		if err := d.Check(); err != nil {
			t.Errorf("%q many times: %v", unit, err)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "Don't!", "a@b.c http://x/(y) :-) 1,000.5% U.S.", "\xff\xfe'\x80", "👩‍👩‍👧\u200d", "'’`'", "www.", "n't 's ’s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := &language.Document{Text: s, Tokens: language.Tokens(s)}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, token := range d.Tokens {
			if s[token.Start:token.End] != token.Text {
				t.Fatalf("token at %d to %d is %q", token.Start, token.End, token.Text)
			}
			if gap := s[at:token.Start]; len(texts(gap)) > 0 {
				t.Fatalf("%q is in no token", gap)
			}
			if utf8.ValidString(s) && !utf8.ValidString(token.Text) {
				t.Fatalf("token %q is cut within a character", token.Text)
			}
			at = token.End
		}
		if gap := s[at:]; len(texts(gap)) > 0 {
			t.Fatalf("%q is in no token", gap)
		}
	})
}
