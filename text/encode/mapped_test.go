package encode_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unicode"

	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/svec"
	"sotto/text/encode/wordfile"
)

// convert makes a mapped file of word vectors in a folder of its own.
func convert(tb testing.TB, in io.Reader, format wordfile.Format, o svec.Options) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "words.svec")
	if _, err := svec.Convert(tb.Context(), in, format, path, o, nil); err != nil {
		tb.Fatal(err)
	}
	return path
}

const smallWords = "the 1 0\ncat 0 2\ndog -1 -0.5\nnaïve 4 4\ndon't 8 0\n"

// TestMappedIsWordVectors checks that a file of float32 gives the same bits as
// the text that it was made from.
func TestMappedIsWordVectors(t *testing.T) {
	path := convert(t, strings.NewReader(smallWords), wordfile.Glove, svec.Options{Float32: true})
	m := open(t, path)
	w, err := encode.ReadWordVectors("x", strings.NewReader(smallWords))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"", "nothing known", "The cat", "DON’T, naÏve\xff dog!", strings.Repeat("the Cat dog ", 50)} {
		if got, want := vector(m, s), vector(w, s); !slices.Equal(got, want) {
			t.Errorf("Encode(%q) = %v, want %v", s, got, want)
		}
	}
}

func TestMappedPools(t *testing.T) {
	path := convert(t, strings.NewReader(smallWords), wordfile.Glove, svec.Options{Sorted: true, Float32: true})
	zipf := math.Log(5) + 0.5772156649015329
	sif := func(rank float64) float32 { return float32(1e-3 / (1e-3 + 1/(rank*zipf))) }
	for _, tt := range []struct {
		query, name, in string
		want            []float32
	}{
		{"", "", "the cat", []float32{0.5, 1}},
		{"?pool=mean", "", "the cat", []float32{0.5, 1}},
		{"?pool=sif", "?pool=sif", "unknown", []float32{0, 0}},
		{"?pool=sif", "?pool=sif", "the cat", []float32{sif(1) / 2, 2 * sif(2) / 2}},
		{"?pool=concat:3", "?pool=concat:3", "a dog, the", []float32{-1, -0.5, 1, 0, 0, 0}},
		{"?pool=concat:2", "?pool=concat:2", "cat cat dog dog", []float32{0, 2, 0, 2}},
		{"?pool=concat:40", "?pool=concat:40", strings.Repeat("dog ", 50), slices.Repeat([]float32{-1, -0.5}, 40)},
	} {
		e := open(t, path+tt.query)
		if e.Name() != path+tt.name || e.Dim() != len(tt.want) {
			t.Errorf("%q opens %q of %d, want %q of %d", tt.query, e.Name(), e.Dim(), path+tt.name, len(tt.want))
			continue
		}
		if got := vector(e, tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%q: Encode(%q) = %v, want %v", tt.query, tt.in, got, tt.want)
		}
	}
}

func TestMappedRefuses(t *testing.T) {
	path := convert(t, strings.NewReader(smallWords), wordfile.Glove, svec.Options{})
	for _, tt := range []struct{ spec, want string }{
		{path + "?pool=sif", "is not marked as sorted by frequency"},
		{path + "?pool=max", `pool of ` + path + ` is "max", must be mean, sif or concat:N`},
		{path + "?pool=concat:0", "must be concat:N with N from 1 to 524288"},
		{path + "?pool=concat:524289", "with N from 1 to 524288"},
		{path + "?pool=concat:", "must be concat:N"},
		{path + "?pool=mean&pool=sif", `have "pool" 2 times`},
		{path + "?pol=mean", `have "pol" 1 times, must have pool once`},
		{path + "?%", "must be like pool=sif"},
	} {
		_, err := encode.Open(tt.spec, "")
		wantError(t, err, tt.want)
	}
	if _, err := encode.Open("testdata/absent.svec?pool=sif", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want ErrNotExist", err)
	}
}

// TestLowerCaseTwice checks for every character that lower case is its own lower
// case, on which encoding without a copy rests.
func TestLowerCaseTwice(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if low := unicode.ToLower(r); unicode.ToLower(low) != low {
			t.Errorf("%U has the lower case %U, which has another", r, low)
		}
	}
}

func TestMappedAllocatesNothing(t *testing.T) {
	path := convert(t, strings.NewReader(smallWords), wordfile.Glove, svec.Options{Sorted: true})
	for _, pool := range []string{"mean", "sif", "concat:4"} {
		e := open(t, path+"?pool="+pool)
		v := make([]float32, e.Dim())
		if raceDetector {
			continue // which makes pools forget at random
		}
		n := testing.AllocsPerRun(100, func() { e.Encode(v, "The cat’s DOG isn’t naïve, \xff the Straße is") })
		if n != 0 {
			t.Errorf("pool %s: Encode allocates %v times, want never", pool, n)
		}
	}
}

// FuzzMapped checks that a text gives the same bits as with the word vectors in
// memory, whatever its bytes are.
func FuzzMapped(f *testing.F) {
	for _, s := range []string{"", "The cat", "Don’t \xff\xc3 naïve", "\u212a\u0130 dog'the", strings.Repeat("cat ", 100)} {
		f.Add(s)
	}
	m := open(f, convert(f, strings.NewReader(smallWords), wordfile.Glove, svec.Options{Float32: true}))
	w, err := encode.ReadWordVectors("x", strings.NewReader(smallWords))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := vector(m, s), vector(w, s); !slices.Equal(got, want) {
			t.Errorf("Encode(%q) = %v, want %v: words %q", s, got, want, slices.Collect(text.Words(s)))
		}
	})
}

// manyWords is a binary file of 400,000 words of 100 numbers, w0 to w399999.
func manyWords() []byte {
	const words, dim = 400_000, 100
	rng := weakrand.New(weakrand.NewPCG(7, 8))
	b := fmt.Appendf(nil, "%d %d\n", words, dim)
	for i := range words {
		b = fmt.Appendf(b, "w%d ", i)
		for range dim {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(rng.NormFloat64())))
		}
	}
	return b
}

// sentences returns texts of 20 words: spread evenly over the table, as far from
// the cache as can be, or as Zipf's law has them.
func sentences(n int, zipf bool) []string {
	rng := weakrand.New(weakrand.NewPCG(5, 6))
	law := weakrand.NewZipf(rng, 1.07, 2.7, 399_999)
	all := make([]string, n)
	for i := range all {
		words := make([]string, 20)
		for j := range words {
			if words[j] = fmt.Sprint("w", rng.IntN(400_000)); zipf {
				words[j] = fmt.Sprint("w", law.Uint64())
			}
		}
		all[i] = strings.Join(words, " ")
	}
	return all
}

// resident returns what the kernel counts as memory of this process, in KiB: of
// its own and of files.
func resident(tb testing.TB) (own, files float64) {
	tb.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0 // not on this system
	}
	for line := range strings.Lines(string(b)) {
		fmt.Sscanf(line, "RssAnon: %f", &own)   //nolint:errcheck // most lines say other things
		fmt.Sscanf(line, "RssFile: %f", &files) //nolint:errcheck // see above
	}
	return own, files
}

func BenchmarkMapped(b *testing.B) {
	path := convert(b, bytes.NewReader(manyWords()), wordfile.Word2vecBinary, svec.Options{Sorted: true})
	b.Run("open", func(b *testing.B) {
		debug.FreeOSMemory() // of what made the file
		own, files := resident(b)
		kept := open(b, path)
		own2, files2 := resident(b)
		for b.Loop() {
			open(b, path)
		}
		runtime.KeepAlive(kept)
		b.ReportMetric(own2-own, "own-KiB")
		b.ReportMetric(files2-files, "shared-KiB")
	})
	for _, pool := range []string{"mean", "sif"} {
		for _, law := range []string{"zipf", "even"} {
			e := open(b, path+"?pool="+pool)
			all := sentences(10_000, law == "zipf")
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/%d", pool, law, workers), func(b *testing.B) {
					for b.Loop() {
						if _, err := encode.Texts(b.Context(), e, all, workers); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.N*len(all))/b.Elapsed().Seconds(), "sentences/s")
				})
			}
		}
	}
}

func ExampleMapped() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "words.svec")
	in := strings.NewReader("good 1 0\nbad -1 0\nfood 0 1\n")
	if _, err = svec.Convert(context.Background(), in, wordfile.Glove, path, svec.Options{Name: "three words"}, nil); err != nil {
		fmt.Println(err)
		return
	}
	s, err := encode.Open(path+"?pool=concat:3", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := encode.Texts(context.Background(), s, []string{"Good food, unfortunately!"}, 1)
	fmt.Println(m.Data, err)
	// Output: [1 0 0 1 0 0] <nil>
}
