package layout_test

import (
	"fmt"
	"strings"
	"testing"

	"sotto/internal/layout"
)

func TestName(t *testing.T) {
	mechanisms := []string{"laplace-l1", "laplace-l2", "dpnr", "sue", "oue", "ome", "bitrand", "bitrr", "privemb", "krr"}
	for _, tt := range []struct {
		name, given string
		allowed     []string
		want        string
	}{
		{"left out", "laplace-1", mechanisms, "laplace-l1"},
		{"put in", "bitrrand", mechanisms, "bitrand"},
		{"replaced", "priwemb", mechanisms, "privemb"},
		{"swapped", "dprn", mechanisms, "dpnr"},
		{"two of eight", "espilno", []string{"epsilon", "delta"}, "epsilon"},
		{"capitals", "LAPLACE-L2", mechanisms, "laplace-l2"},
		{"beginning", "laplace", mechanisms, "laplace-l1"},
		{"beginning of nothing", "la", mechanisms, ""},
		{"the first of two", "xue", mechanisms, "sue"},
		{"nearer than the first", "laplace-l2x", mechanisms, "laplace-l2"},
		{"itself", "ome", mechanisms, "ome"},
		{"far", "gaussian", mechanisms, ""},
		{"one character for another", "a", []string{"b"}, ""},
		{"one character more", "ab", []string{"abc", "b"}, "abc"},
		{"nothing given", "", mechanisms, ""},
		{"nothing allowed", "ome", nil, ""},
		{"an empty name", "a", []string{""}, ""},
		{"other letters", "größße", []string{"größe"}, "größe"},
		{"no text", "om\xff", []string{"ome"}, ""},
		{"too long", strings.Repeat("a", 1<<20), []string{strings.Repeat("a", 1<<20-1)}, ""},
	} {
		if got := layout.Nearest(tt.given, tt.allowed); got != tt.want {
			t.Errorf("%s: Name(%.20q) = %q, want %q", tt.name, tt.given, got, tt.want)
		}
	}
}

func TestHint(t *testing.T) {
	for given, want := range map[string]string{"reviw": `; did you mean "review"?`, "review": "", "rating": ""} {
		if got := layout.Hint(given, []string{"id", "review"}); got != want {
			t.Errorf("Hint(%q) = %q, want %q", given, got, want)
		}
	}
}

// Whether two names are near does not depend on which was typed, unless one is how
// the other begins.
func FuzzName(f *testing.F) {
	f.Add("epsilon", "espilon")
	f.Add("ba", "a")
	f.Fuzz(func(t *testing.T, a, b string) {
		there, back := layout.Nearest(a, []string{b}) != "", layout.Nearest(b, []string{a}) != ""
		x, y := strings.ToLower(a), strings.ToLower(b)
		if there != back && !strings.HasPrefix(x, y) && !strings.HasPrefix(y, x) {
			t.Errorf("Name(%q, %q) and the other way round disagree", a, b)
		}
	})
}

func ExampleHint() {
	known := []string{"id", "review", "rating"}
	fmt.Printf("column is %q, must be one of %s%s\n", "reviw", strings.Join(known, ", "), layout.Hint("reviw", known))
	// Output: column is "reviw", must be one of id, review, rating; did you mean "review"?
}
