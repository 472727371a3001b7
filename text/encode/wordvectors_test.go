package encode_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/text/encode"
)

func TestWordVectors(t *testing.T) {
	for _, file := range []string{"testdata/tiny.txt", "testdata/tiny.txt.gz"} {
		w, _ := open(t, file).(*encode.WordVectors)
		if w.Len() != 4 || w.Duplicates() != 1 {
			t.Errorf("%s holds %d words and %d duplicates, want 4 and 1", file, w.Len(), w.Duplicates())
		}
		for _, tt := range []struct {
			in   string
			want []float32
		}{
			{"", []float32{0, 0, 0}},
			{"unknown words", []float32{0, 0, 0}},
			{"The", []float32{1, 0, 0}}, // the first of two lines
			{"the cat and the DOG sat", []float32{0.5, 0.5, -1}},
			{"Don’t", []float32{0.5, 0.25, 0.001}},
		} {
			if got := vector(w, tt.in); !slices.Equal(got, tt.want) {
				t.Errorf("%s: Encode(%q) = %v, want %v", file, tt.in, got, tt.want)
			}
		}
	}
}

func TestVector(t *testing.T) {
	w, _ := open(t, "testdata/word2vec.txt").(*encode.WordVectors)
	if v, ok := w.Vector("dog"); !ok || !slices.Equal(v, []float32{0, 0, -4}) || cap(v) != 3 {
		t.Errorf("Vector(dog) = %v, %v of capacity %d, want [0 0 -4], true and 3", v, ok, cap(v))
	}
	if v, ok := w.Vector("Dog"); ok {
		t.Errorf("Vector(Dog) = %v, want none", v)
	}
}

func TestReadRefuses(t *testing.T) {
	var cut bytes.Buffer
	z := gzip.NewWriter(&cut)
	z.Write([]byte("a 1\nb 2\n")) //nolint:errcheck // to memory
	z.Close()
	cut.Truncate(cut.Len() - 4)
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", "it holds no word vectors"},
		{"header alone", "1 2\n", "it holds 0 word vectors, its header promises 1"},
		{"fewer than the header says", "3 1\na 1\nb 2\n", "it holds 2 word vectors, its header promises 3"},
		{"other width than the header says", "1 2\na 1\n", "line 2: it has 1 numbers, must have 2"},
		{"no numbers", "private\n", "line 1: its word has no numbers"},
		{"blank line", "a 1\n\nb 2\n", "line 2: it does not begin with a word"},
		{"no word", " 1 2\n", "line 1: it does not begin with a word"},
		{"short", "a 1 2\nprivate 1\n", "line 2: it has 1 numbers, must have 2"},
		{"long", "a 1 2\nb 1 2\nprivate 1 2 3\n", "line 3: it has more than 2 numbers"},
		{"cut off", "a 1 2\nprivate", "line 2: it has 0 numbers, must have 2"},
		{"NaN", "a 1 2\nprivate 1 nan\n", "line 2: number 2 is not a decimal number from −10¹⁸ to 10¹⁸"},
		{"infinity", "private -inf 1\n", "line 1: number 1 is not"},
		{"out of range", "private 1e39\n", "line 1: number 1 is not"},
		{"too large for sums and products", "private -1.000001e18\n", "line 1: number 1 is not"},
		{"hexadecimal", "private 0x1p3\n", "line 1: number 1 is not"},
		{"a minus alone", "private -\n", "line 1: number 1 is not"},
		{"two spaces", "private 1  2\n", "line 1: number 2 is not"},
		{"a tab", "private\t1\n", "line 1: its word has no numbers"},
		{"second time of a word", "a 1\na x\n", "line 2: number 1 is not"},
		{"endless line", "a " + strings.Repeat("1", 1<<20), "line 1: it has more than 1048576 bytes"},
		{"bad compression", "\x1f\x8b\x07private", "gzip"},
		{"compressed and cut off", cut.String(), "unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := encode.ReadWordVectors("x", strings.NewReader(tt.in))
			wantError(t, err, tt.want)
			if strings.Contains(fmt.Sprint(err), "private") {
				t.Errorf("error %v quotes the file", err)
			}
		})
	}
}

// TestNumbers compares the numbers that are read with those of strconv, bit by
// bit.
func TestNumbers(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	fields := []string{"0", "-0", "1", "-1", "+1", ".5", "5.", "16777209", "16777210", "16777217", "0.0000000001", "0.00000000001", "1e-46", "1e18", "-999999999999999999", "-1.5E-3", "0.1677721", "00012.5000000"}
	for range 5000 {
		v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-4))
		fields = append(fields, strconv.FormatFloat(v, "efg"[rng.IntN(3)], rng.IntN(10), 64))
	}
	w, err := encode.ReadWordVectors("x", strings.NewReader("word "+strings.Join(fields, " ")))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := w.Vector("word")
	for i, f := range fields {
		want, err := strconv.ParseFloat(f, 32)
		if err != nil || math.Float32bits(got[i]) != math.Float32bits(float32(want)) {
			t.Errorf("%s is read as %v, want %v", f, got[i], float32(want))
		}
	}
}

// FuzzWordVectors checks that nothing panics and that what is accepted is whole
// and finite.
func FuzzWordVectors(f *testing.F) {
	for _, s := range []string{"the 1 0 0\ncat 0 2 -.5e3\nthe 1 1 1\n", "2 1\r\na 1 \r\nb 2", "1 2\n", "", " \n", "\x1f\x8b\x08", "a 1e99\n", "a 16777215.5"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		w, err := encode.ReadWordVectors("x", bytes.NewReader(content))
		if err != nil {
			return
		}
		if w.Len() < 1 || w.Dim() < 1 {
			t.Fatalf("%d words of %d dimensions, want at least one of one", w.Len(), w.Dim())
		}
		for _, line := range append(strings.Split(string(content), "\n"), string(content)) {
			word, _, _ := strings.Cut(line, " ")
			v, ok := w.Vector(word)
			if ok && len(v) != w.Dim() {
				t.Errorf("a vector has length %d, want %d", len(v), w.Dim())
			}
			for _, x := range append(v, vector(w, line)...) {
				if x-x != 0 {
					t.Error("a number is not finite")
				}
			}
		}
	})
}

// glove opens the real word vectors, or skips.
func glove(tb testing.TB) *encode.WordVectors {
	tb.Helper()
	testenv.Data(tb, "glove")
	e, err := encode.Open("glove", testenv.Data(tb))
	if err != nil {
		tb.Fatal(err)
	}
	w, _ := e.(*encode.WordVectors)
	return w
}

func TestGlove(t *testing.T) {
	if testing.Short() {
		t.Skip("reading GloVe takes seconds")
	}
	w := glove(t)
	if w.Name() != "glove" || w.Duplicates() != 0 {
		t.Errorf("name is %q with %d duplicates, want glove with none", w.Name(), w.Duplicates())
	}
	the, _ := w.Vector("the")
	if want := []float32{-0.038194, -0.24487, 0.72812}; !slices.Equal(the[:3], want) {
		t.Errorf("the vector of the begins with %v, want %v", the[:3], want)
	}
	cosine := func(a, b string) float64 {
		u, v := vector(w, a), vector(w, b)
		return dot(u, v) / norm(u) / norm(v)
	}
	near, far := cosine("The king spoke.", "A queen talked!"), cosine("The king spoke.", "bananas taste sweet")
	if !(near > far+0.1) {
		t.Errorf("cosine is %v for like sentences and %v for unlike ones, want the first larger", near, far)
	}
}

// synthetic is a file of 100,000 words of 100 numbers, in which the words of a
// sentence are spread.
func synthetic(tb testing.TB) []byte {
	tb.Helper()
	var b bytes.Buffer
	rng := weakrand.New(weakrand.NewPCG(3, 4))
	common := strings.Fields(strings.NewReplacer(",", "", ".", "").Replace(strings.ToLower(sentence)))
	for i := range 100_000 {
		word := fmt.Sprint("w", i)
		if i%5000 == 0 {
			word = common[i/5000]
		}
		b.WriteString(word)
		for range 100 {
			b.WriteByte(' ')
			b.WriteString(strconv.FormatFloat(rng.NormFloat64(), 'g', 5, 64))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func BenchmarkWordVectors(b *testing.B) {
	w, err := encode.ReadWordVectors("x", bytes.NewReader(synthetic(b)))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		v := make([]float32, w.Dim())
		b.ReportAllocs()
		for b.Loop() {
			w.Encode(v, sentence)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sentences/s")
	})
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("texts/", workers), func(b *testing.B) {
			rng := weakrand.New(weakrand.NewPCG(5, 6))
			all := make([]string, 10_000)
			for i := range all { // words all over the table, as far from the cache as can be
				words := make([]string, 20)
				for j := range words {
					words[j] = fmt.Sprint("w", rng.IntN(100_000))
				}
				all[i] = strings.Join(words, " ")
			}
			for b.Loop() {
				if _, err := encode.Texts(b.Context(), w, all, workers); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(all))/b.Elapsed().Seconds(), "sentences/s")
		})
	}
}

func BenchmarkReadWordVectors(b *testing.B) {
	content := synthetic(b)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		b.Fatal(err)
	}
	z.Write(content) //nolint:errcheck // to memory
	z.Close()
	for _, bb := range []struct {
		name    string
		content []byte
	}{{"plain", content}, {"gzip", packed.Bytes()}} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				if _, err := encode.ReadWordVectors("x", bytes.NewReader(bb.content)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleWordVectors() {
	var file io.Reader = strings.NewReader("good 1 0\nbad -1 0\nfood 0 1\n")
	w, err := encode.ReadWordVectors("example", file)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := make([]float32, w.Dim())
	w.Encode(v, "Good food, unfortunately!")
	fmt.Println(w.Len(), v)
	// Output: 3 [0.5 0.5]
}
