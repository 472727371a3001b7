package static_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/text/encode/static"
)

// TestGrams checks which parts of a text have a place of their own.
func TestGrams(t *testing.T) {
	const buckets = 1 << 20
	words := static.Grams{Words: 2}
	one := func(s string) int32 {
		rows := static.Grams{Words: 1}.Rows(s, buckets)
		if len(rows) != 1 {
			t.Fatalf("%q has %d parts, want 1", s, len(rows))
		}
		return rows[0]
	}
	got := words.Rows("The CAT sat", buckets)
	if len(got) != 5 || got[0] != one("the") || got[2] != one("cat") || got[4] != one("sat") || slices.Contains(got[1:2], got[3]) {
		t.Errorf("words and pairs of three words lie at %v", got)
	}
	if again := words.Rows("a the cat b", buckets); !slices.Contains(again, got[1]) {
		t.Error("the same pair lies at another place in another text")
	}
	if n := len(static.Grams{Words: 3}.Rows("a b c d", buckets)); n != 4+3+2 {
		t.Errorf("four words have %d parts of up to three words, want 9", n)
	}
	parts := static.Grams{From: 3, To: 4}.Rows("né", buckets) // <né né> and <né>
	if len(parts) != 3 || parts[0] == parts[1] {
		t.Errorf("parts of a word of two characters lie at %v, want 3 places", parts)
	}
	for _, row := range slices.Concat(got, parts, static.Grams{Words: 1, From: 2, To: 8}.Rows(strings.Repeat("word ", 1000), 3)) {
		if row < 0 || row >= buckets {
			t.Fatalf("a place is %d, want below %d", row, buckets)
		}
	}
}

func hashed(tb testing.TB) *static.Hashed {
	tb.Helper()
	vectors := make([]float32, 50*6)
	for i := range vectors {
		vectors[i] = float32(i*i%97) - 48
	}
	h, err := static.NewHashed("small", "a \"notice\"\nof two lines", static.Grams{Words: 2, From: 2, To: 3}, 50, 6, vectors)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// TestHashedFile checks that what is read encodes as what was written, and that a
// file of which a byte is wrong is refused.
func TestHashedFile(t *testing.T) {
	h := hashed(t)
	path := filepath.Join(t.TempDir(), "x")
	if err := h.Save(path); err != nil {
		t.Fatal(err)
	}
	read, err := static.LoadHashed(path)
	if err != nil {
		t.Fatal(err)
	}
	if read.Name() != h.Name() || read.Notice() != h.Notice() || read.Grams() != h.Grams() || read.Buckets() != 50 || read.Dim() != 6 {
		t.Errorf("read as %q of %d places of %d numbers with %+v", read.Name(), read.Buckets(), read.Dim(), read.Grams())
	}
	got, want := make([]float32, 6), make([]float32, 6)
	for _, s := range []string{"", "a", "the cat sat on the mat"} {
		h.Encode(want, s)
		if read.Encode(got, s); !slices.Equal(got, want) {
			t.Errorf("the vector of a text is %v after reading, want %v", got, want)
		}
	}
	var b bytes.Buffer
	if err := h.Write(&b); err != nil {
		t.Fatal(err)
	}
	good := b.Bytes()
	if !static.IsHashed(good) || static.Is(good) {
		t.Error("the file is taken for another")
	}
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 1
		if _, err := static.ParseHashed(bad); err == nil {
			t.Fatalf("a file of which byte %d is wrong is read", i)
		}
	}
	head, rest, _ := bytes.Cut(good[:len(good)-32], []byte("}\n"))
	for old, fresh := range map[string]string{`"words":2`: `"words":9`, `"buckets":50`: `"buckets":51`, `"dim":6`: `"dim":-6`, `"from":2`: `"from":4`, `"name"`: `"size":1,"name"`} {
		bad := strings.Replace(string(head), old, fresh, 1) + "}\n" + string(rest)
		if _, err := static.ParseHashed(signed([]byte(bad))); err == nil || bad == string(head)+"}\n"+string(rest) {
			t.Errorf("a header with %s gives %v, want an error", fresh, err)
		}
	}
}

func TestNewHashedRefuses(t *testing.T) {
	for _, tt := range []struct {
		grams        static.Grams
		buckets, dim int
		vectors      []float32
		want         string
	}{
		{static.Grams{}, 1, 1, []float32{0}, "grams of nothing"},
		{static.Grams{Words: 9}, 1, 1, []float32{0}, "must be of at most"},
		{static.Grams{Words: 1}, 0, 1, nil, "0 places"},
		{static.Grams{Words: 1}, 2, 1, []float32{0}, "1 numbers for 2"},
		{static.Grams{Words: 1}, 1, 1, []float32{1e30}, "vector 0 has"},
	} {
		if _, err := static.NewHashed("", "", tt.grams, tt.buckets, tt.dim, tt.vectors); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error is %v, want one with %q", err, tt.want)
		}
	}
}

func FuzzParseHashed(f *testing.F) {
	var b bytes.Buffer
	if err := hashed(f).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes()[:b.Len()-32])
	f.Fuzz(func(_ *testing.T, content []byte) {
		_, _ = static.ParseHashed(content) // no checksum
		if h, err := static.ParseHashed(signed(content)); err == nil {
			h.Encode(make([]float32, h.Dim()), "any text")
		}
	})
}

func ExampleHashed() {
	g := static.Grams{Words: 2}
	vectors := make([]float32, 2*1024)
	for _, row := range g.Rows("good", 1024) {
		vectors[2*row] = 1
	}
	for _, row := range g.Rows("not good", 1024)[1:2] { // the pair
		vectors[2*row], vectors[2*row+1] = -1, 1
	}
	e, err := static.NewHashed("moods", "", g, 1024, 2, vectors)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := make([]float32, e.Dim())
	e.Encode(v, "good")
	fmt.Println(v)
	e.Encode(v, "not good")
	fmt.Println(v)
	// Output:
	// [1 0]
	// [0 1]
}
