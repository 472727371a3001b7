package rule_test

import (
	weakrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"sotto/study/relation/rule"
)

// drawn returns a pattern over the words a, b and c, and the same as an expression over
// letters.
func drawn(r *weakrand.Rand, depth int) (pattern, expression string) {
	word := string(rune('a' + r.IntN(3)))
	switch k := r.IntN(8); {
	case depth == 0 || k < 2:
		return word, word
	case k == 2:
		return "[]", "."
	case k == 3:
		return "[!word:" + word + "]", "[^" + word + "]"
	case k == 4:
		p, e := drawn(r, depth-1)
		q, f := drawn(r, depth-1)
		return "(" + p + " | " + q + ")", "(?:" + e + "|" + f + ")"
	case k == 5:
		p, e := drawn(r, depth-1)
		times := []string{"*", "+", "?", "{2}", "{1,}", "{0,3}", "{2,3}"}[r.IntN(7)]
		return "(" + p + ")" + times, "(?:" + e + ")" + times
	default:
		p, e := drawn(r, depth-1)
		q, f := drawn(r, depth-1)
		return p + " " + q, e + f
	}
}

// TestAgainstExpressions compares our automata with those of package regexp.
func TestAgainstExpressions(t *testing.T) {
	r := weakrand.New(weakrand.NewPCG(1, 2))
	matched, tried := 0, 0
	for range 300 {
		pattern, expression := drawn(r, 4)
		p, err := rule.ParseTokens("s=subject " + pattern + " o=object")
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		s, err := rule.Compile([]rule.Rule{{Name: "x", Pattern: p}})
		if err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile("^s" + expression + "o$")
		for range 20 {
			words := []string{"s"}
			for range r.IntN(6) {
				words = append(words, string(rune('a'+r.IntN(3))))
			}
			words = append(words, "o")
			found, err := s.Matches(plain(words...))
			if err != nil {
				t.Fatal(err)
			}
			tried++
			want := re.MatchString(strings.Join(words, ""))
			if want {
				matched++
			}
			if got := len(found) == 1; got != want {
				t.Fatalf("%s on %v: matches is %v, must be %v", pattern, words, got, want)
			}
		}
	}
	if matched < tried/20 || matched > tried*19/20 {
		t.Errorf("%d of %d match, which tries too little", matched, tried)
	}
}
