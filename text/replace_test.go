package text_test

import (
	"fmt"
	"slices"
	"testing"

	"sotto/text"
)

// TestReplace puts something else in the place of some parts and hides others: the
// parts that are hidden are where Replace says, and what another masker hides of a
// replaced part is replaced once.
func TestReplace(t *testing.T) {
	const s = "Anna met Bo, ünd left"
	part := func(start, end int, as string) text.Found {
		return text.Found{Span: text.Span{Start: start, End: end}, Type: "t", As: as}
	}
	for _, tt := range []struct {
		first, second fixed
		applied, text string
		hidden        []string
	}{
		{nil, nil, s, s, nil},
		{fixed{part(0, 4, "")}, nil, "_ met Bo, ünd left", s, []string{"Anna"}},
		{fixed{part(0, 4, "[PERSON]"), part(9, 11, "")}, nil, "[PERSON] met _, ünd left", "[PERSON] met Bo, ünd left", []string{"Bo"}},
		{fixed{part(0, 4, ""), part(9, 11, "Œ"), part(13, 17, "")}, nil, "_ met Œ, _ left", "Anna met Œ, ünd left", []string{"Anna", "ünd"}},
		{fixed{part(5, 8, "")}, fixed{part(0, 11, "X")}, "X__, ünd left", "Xmet Bo, ünd left", []string{"met", " Bo"}},
		{fixed{part(0, 8, "")}, fixed{part(0, 11, "X")}, "_X, ünd left", "Anna metX, ünd left", []string{"Anna met"}},
	} {
		k := text.Mask(s, nil, tt.first, tt.second)
		if got := text.Apply(s, k, "_"); got != tt.applied {
			t.Errorf("%v is applied as %q, want %q", k.Parts, got, tt.applied)
		}
		got, spans := k.Replace(s)
		var hidden []string
		for _, h := range spans {
			hidden = append(hidden, got[h.Start:h.End])
		}
		if got != tt.text || !slices.Equal(hidden, tt.hidden) {
			t.Errorf("%v is replaced as %q with %q hidden, want %q with %q", k.Parts, got, hidden, tt.text, tt.hidden)
		}
	}
}

func ExampleMasking_Replace() {
	const s = "Anna met Bo"
	k := text.Mask(s, nil, fixed{{Span: text.Span{Start: 0, End: 4}, Type: "person", As: "[PERSON]"}})
	left, hidden := k.Replace(s)
	fmt.Println(left, len(hidden))
	// Output: [PERSON] met Bo 0
}
