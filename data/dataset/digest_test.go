package dataset_test

import (
	"math"
	"testing"

	"sotto/data/dataset"
	"sotto/text"
)

func TestRowDigest(t *testing.T) {
	nan, other := float32(math.NaN()), math.Float32frombits(0x7fc00001)
	masked := func(start, end int, as string) text.Masking {
		return text.Masking{Parts: []text.Found{{Span: text.Span{Start: start, End: end}, Type: text.Name, As: as}}}
	}
	row := func(s string, numbers ...float32) dataset.Digest {
		return dataset.RowDigest(s, text.Masking{}, numbers)
	}
	want := row("Where is my café, Anna?", 1, 0, nan)
	for name, got := range map[string]dataset.Digest{
		"spaces":              row(" where  is my\tcafé,\r\nAnna? ", 1, 0, nan),
		"capitals":            row("WHERE IS MY CAFE, ANNA?", 1, 0, nan),
		"another accent":      row("Where is my cafe\u0301, Anna?", 1, 0, nan),
		"minus zero":          row("Where is my café, Anna?", 1, float32(math.Copysign(0, -1)), nan),
		"another NaN":         row("Where is my café, Anna?", 1, 0, other),
		"a masking of no row": dataset.RowDigest("Where is my café, Anna?", text.Masking{Words: 5}, []float32{1, 0, nan}),
	} {
		if got != want {
			t.Errorf("%s: it is taken for another row", name)
		}
	}
	for name, got := range map[string]dataset.Digest{
		"another word":     row("Where is my tea, Anna?", 1, 0, nan),
		"no word":          row("", 1, 0, nan),
		"another number":   row("Where is my café, Anna?", 1, 0, 0),
		"a number less":    row("Where is my café, Anna?", 1, 0),
		"no number":        row("Where is my café, Anna?"),
		"a person":         dataset.PersonDigest("Where is my café, Anna?"),
		"a name not shown": dataset.RowDigest("Where is my café, Anna?", masked(19, 23, ""), []float32{1, 0, nan}),
	} {
		if got == want {
			t.Errorf("%s: it is taken for the same row", name)
		}
	}
	if dataset.RowDigest("I am Anna.", masked(5, 9, "Eva"), nil) != dataset.RowDigest("I am Bob.", masked(5, 8, ""), nil) {
		t.Error("rows that differ in what is masked are two")
	}
	if dataset.PersonDigest(" Zoë  B. ") != dataset.PersonDigest("zoe b.") || dataset.PersonDigest("zoe") == dataset.PersonDigest("zoe b.") {
		t.Error("a person's name is told by how it is written, or not by what it says")
	}
}

// A file in another encoding than it is read in loses letters, not the rows it holds.
func TestBrokenDigest(t *testing.T) {
	broken := func(s string, numbers ...float32) dataset.Digest {
		d, ok := dataset.BrokenDigest(s, text.Masking{}, numbers)
		if !ok {
			t.Errorf("a text with letters beyond ASCII is taken for one without")
		}
		return d
	}
	want := broken("Caf\u00e9 \u00fcber alles, it says\u2019", 1)
	if broken("Caf\ufffd \ufffdber alles, it says\ufffd", 1) != want {
		t.Error("a text that lost its letters is another one")
	}
	for name, got := range map[string]dataset.Digest{
		"another word":   broken("Caf\ufffd \ufffdber nichts, it says\ufffd", 1),
		"another number": broken("Caf\ufffd \ufffdber alles, it says\ufffd", 2),
		"a row":          dataset.RowDigest("Caf\u25a1 \u25a1ber alles, it says\u25a1", text.Masking{}, []float32{1}),
	} {
		if got == want {
			t.Errorf("%s: it is taken for the same row", name)
		}
	}
	if _, ok := dataset.BrokenDigest("plain", text.Masking{}, nil); ok {
		t.Error("a text of ASCII has a second digest")
	}
}
