package catalogue_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// TestPinned: the built-in encoders make the same bits of the same texts on every
// build. A gateway that promises the same release of a text rests on it.
func TestPinned(t *testing.T) {
	texts := []string{
		"what a wonderful, moving and brilliant film", "the the the the cat sat on the mat, on the mat, on the mat",
		"Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich", "0 1 2 3 4 5 6 7 8 9", strings.Repeat("again and again ", 40), "🙂 ok",
	}
	for name, want := range map[string]string{
		"default": "bfce7b582b41992a4f4e2f64664a56d4d17ab0233240b23db5a52f210afe3033",
		"hash:64": "d53de44168d8b9d77b564edb989a3d0e2f2d59314e512937df73b834ad940e66",
	} {
		e, err := catalogue.Open(t.Context(), catalogue.Said(name), "")
		if err != nil {
			t.Fatal(err)
		}
		x, err := encode.Texts(t.Context(), e, texts, 1)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		if err := binary.Write(h, binary.LittleEndian, x.Data); err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != want {
			t.Errorf("%s makes other bits of fixed texts than were pinned: %s, want %s", name, got, want)
		}
	}
}
