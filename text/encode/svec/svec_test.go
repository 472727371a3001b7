package svec_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"sotto/text/encode/svec"
	"sotto/text/encode/wordfile"
)

const three = "the 1 0 -2.5\ncat 0 2 0.001\nnaïve 127 -63.5 1\n"

// convert converts a text of word vectors and returns the path of the file.
func convert(tb testing.TB, in string, format wordfile.Format, o svec.Options) (string, svec.Converted) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "words.svec")
	c, err := svec.Convert(tb.Context(), strings.NewReader(in), format, path, o, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return path, c
}

func open(tb testing.TB, path string) *svec.File {
	tb.Helper()
	f, err := svec.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// vector returns the vector of a word, nil for none.
func vector(f *svec.File, word string) []float32 {
	row, ok := f.Find(word)
	if !ok {
		return nil
	}
	v := make([]float32, f.Info().Dim)
	f.AddTo(v, row, 1)
	return v
}

func TestFile(t *testing.T) {
	for _, o := range []svec.Options{{Name: "three", Licence: "PDDL 1.0"}, {Name: "three", Licence: "PDDL 1.0", Float32: true, Sorted: true}} {
		path, c := convert(t, three, wordfile.Glove, o)
		f := open(t, path)
		numbers := svec.Int8
		if o.Float32 {
			numbers = svec.Float32
		}
		want := svec.Info{Name: "three", Licence: "PDDL 1.0", Words: 3, Dim: 3, Numbers: numbers, Sorted: o.Sorted, SHA256: c.SHA256}
		if f.Info() != want || c.Info != want {
			t.Errorf("Info = %+v and Convert says %+v, want %+v", f.Info(), c.Info, want)
		}
		if err := f.Verify(); err != nil {
			t.Errorf("Verify: %v", err)
		}
		for row, word := range []string{"the", "cat", "naïve"} {
			if got, ok := f.Find(word); !ok || got != row || f.Word(row) != word {
				t.Errorf("Find(%s) = %d, %v and Word(%d) = %s, want %d", word, got, ok, row, f.Word(row), row)
			}
		}
		for _, word := range []string{"", "The", "ca", "cats", "dog"} {
			if row, ok := f.Find(word); ok {
				t.Errorf("Find(%q) = %d, want none", word, row)
			}
		}
		if v := vector(f, "naïve"); v[0] != 127 || v[2] != 1 || o.Float32 && v[1] != -63.5 {
			t.Errorf("the vector of naïve is %v", v)
		}
	}
}

// TestQuantisation checks the bound that Int8 states, for rows of all sizes: half
// a step of 1/127 of the largest number, and 2⁻²² of it for rounding to float32
// three times.
func TestQuantisation(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	var in strings.Builder
	want := make([][]float32, 200)
	for i := range want {
		fmt.Fprint(&in, "w", i)
		for range 13 {
			v := float32(rng.NormFloat64() * math.Pow(10, float64(i%40-25)))
			want[i] = append(want[i], v)
			fmt.Fprint(&in, " ", v)
		}
		in.WriteString("\n")
	}
	in.WriteString("zero" + strings.Repeat(" 0", 13) + "\nsmall" + strings.Repeat(" 1e-45", 13) + "\n")
	path, _ := convert(t, in.String(), wordfile.Glove, svec.Options{})
	f := open(t, path)
	for i, w := range want {
		largest := 0.0
		for _, v := range w {
			largest = max(largest, math.Abs(float64(v)))
		}
		for j, v := range vector(f, fmt.Sprint("w", i)) {
			if off := math.Abs(float64(v) - float64(w[j])); !(off <= largest*(1.0/254+0x1p-22)) {
				t.Errorf("number %d of row %d is %v, want %v within %v", j, i, v, w[j], largest/254)
			}
		}
	}
	for _, word := range []string{"zero", "small"} {
		for _, v := range vector(f, word) {
			if v != 0 {
				t.Errorf("the vector of %s holds %v, want 0", word, v)
			}
		}
	}
}

// TestMany checks that many words and rows at a time give the same as one after
// the other, for every number of them.
func TestMany(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(3, 4))
	var in strings.Builder
	for i := range 1000 {
		fmt.Fprint(&in, "w", i)
		for range 11 {
			fmt.Fprint(&in, " ", float32(rng.NormFloat64()))
		}
		in.WriteString("\n")
	}
	for _, o := range []svec.Options{{}, {Float32: true}} {
		path, _ := convert(t, in.String(), wordfile.Glove, o)
		f := open(t, path)
		for n := range 80 {
			words, rows := make([]string, n), make([]int, n)
			for i := range words {
				words[i] = fmt.Sprint("w", rng.IntN(1200)) // some are not there
			}
			f.FindAll(rows, words)
			want := make([]float32, 11)
			var known []int
			var weights []float32
			for i, word := range words {
				row, ok := f.Find(word)
				if ok != (rows[i] >= 0) || ok && (rows[i] != row || f.Word(row) != word) {
					t.Fatalf("FindAll gives row %d for %s, and Find %d, %v", rows[i], word, row, ok)
				}
				if ok {
					known, weights = append(known, row), append(weights, rng.Float32())
					f.AddTo(want, row, weights[len(weights)-1])
				}
			}
			got := make([]float32, 11)
			if f.AddAll(got, known, weights); !slices.Equal(got, want) {
				t.Errorf("AddAll of %d rows = %v, want %v", len(known), got, want)
			}
		}
	}
}

// binaryFile renders words in the binary format of word2vec.
func binaryFile(header string, rows ...any) string {
	var b bytes.Buffer
	b.WriteString(header)
	for _, r := range rows {
		switch r := r.(type) {
		case string:
			b.WriteString(r)
		default:
			binary.Write(&b, binary.LittleEndian, r) //nolint:errcheck // to memory
		}
	}
	return b.String()
}

func TestConvertFormats(t *testing.T) {
	for _, tt := range []struct {
		name   string
		format wordfile.Format
		in     string
	}{
		{"glove", wordfile.Glove, "a 1 2\nb 3 4\n"},
		{"glove that looks like a header", wordfile.Glove, "a 1 2\n5 3 4\nb 3 4\n"},
		{"word2vec", wordfile.Word2vec, "2 2\na 1 2\nb 3 4\n"},
		{"fastText", wordfile.FastText, "2 2\r\na 1 2 \r\nb 3 4 \r\n"},
		{"text", wordfile.Text, "2 2\na 1 2\nb 3 4"},
		{"binary", wordfile.Word2vecBinary, binaryFile("2 2\n", "a ", []float32{1, 2}, "\n", "b ", []float32{3, 4}, "\n")},
		{"binary without breaks", wordfile.Word2vecBinary, binaryFile("2 2\n", "a ", []float32{1, 2}, "b ", []float32{3, 4})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, _ := convert(t, tt.in, tt.format, svec.Options{Float32: true})
			f := open(t, path)
			for word, want := range map[string][]float32{"a": {1, 2}, "b": {3, 4}} {
				if got := vector(f, word); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
					t.Errorf("the vector of %s is %v, want %v", word, got, want)
				}
			}
		})
	}
}

func TestConvertRefuses(t *testing.T) {
	nan := float32(math.NaN())
	for _, tt := range []struct {
		name   string
		format wordfile.Format
		in     string
		want   string
	}{
		{"format", "elmo", "a 1\n", `format is "elmo", must be text, glove`},
		{"empty", wordfile.Glove, "", "it holds no word vectors"},
		{"duplicate", wordfile.Glove, "private 1\nb 2\nprivate 3\n", "line 3: its word came at 1 already"},
		{"NaN", wordfile.Glove, "a 1\nprivate nan\n", "line 2: number 1 is not"},
		{"ragged", wordfile.Glove, "a 1 2\nprivate 1\n", "line 2: it has 1 numbers, must have 2"},
		{"header where none may be", wordfile.Glove, "2 3\nprivate 1 2 3\n", "line 2: it has more than 1 numbers"},
		{"no header", wordfile.Word2vec, "private 1 2\n", "line 1: it is no header"},
		{"no header in binary", wordfile.Word2vecBinary, "private", "line 1: it is no header"},
		{"fewer than promised", wordfile.FastText, "3 1\na 1\n", "it holds 1 word vectors, its header promises 3"},
		{"more than promised", wordfile.Word2vec, "1 1\na 1\nprivate 2\n", "line 3: it follows 1 word vectors"},
		{"long word", wordfile.Glove, strings.Repeat("private", 1000) + " 1\n", "its word has 7000 bytes, must have at most 4096"},
		{"binary NaN", wordfile.Word2vecBinary, binaryFile("1 2\n", "private ", []float32{1, nan}), "word 1: number 2 is not from"},
		{"binary cut off", wordfile.Word2vecBinary, binaryFile("2 2\n", "a ", []float32{1, 2}, "private ", []float32{1}), "it holds 1 word vectors, its header promises 2"},
		{"binary huge header", wordfile.Word2vecBinary, "2147483647 1048576\nprivate 1", "it holds 0 word vectors"},
		{"binary more than promised", wordfile.Word2vecBinary, binaryFile("1 1\n", "a ", float32(1), "private "), "word 1: more follows after it"},
		{"binary duplicate", wordfile.Word2vecBinary, binaryFile("2 1\n", "private ", float32(1), "private ", float32(1)), "word 2: its word came at 1 already"},
		{"binary without a word", wordfile.Word2vecBinary, binaryFile("1 1\n", " ", float32(1)), "word 1: it is empty"},
		{"binary endless word", wordfile.Word2vecBinary, "1 1\n" + strings.Repeat("private", 1000), "word 1: it has more than 4096 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "words.svec")
			_, err := svec.Convert(t.Context(), strings.NewReader(tt.in), tt.format, path, svec.Options{}, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "svec: ") || strings.Contains(err.Error(), "private") {
				t.Errorf("error = %v, want one of svec with %q that does not quote the file", err, tt.want)
			}
			if left, globbed := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); globbed != nil || len(left) > 0 {
				t.Errorf("it left %q behind, want nothing", left)
			}
		})
	}
}

func TestConvertOptions(t *testing.T) {
	path, c := convert(t, "a 1\nb 2\na 3\na 4\n", wordfile.Glove, svec.Options{KeepFirst: true, Float32: true})
	if c.Duplicates != 2 || c.Words != 2 || vector(open(t, path), "a")[0] != 1 {
		t.Errorf("Convert = %+v, want 2 words and 2 duplicates, and the first row for a word", c)
	}
	for _, o := range []svec.Options{{Name: strings.Repeat("x", 4000)}, {Licence: "\xff"}} {
		if _, err := svec.Convert(t.Context(), strings.NewReader(three), wordfile.Glove, filepath.Join(t.TempDir(), "x"), o, nil); err == nil {
			t.Errorf("Convert with %.20q and %q succeeded, want an error", o.Name, o.Licence)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var in strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&in, "w%d 1\n", i)
	}
	seen := 0
	progress := func(rows int) { seen = rows; cancel() }
	path = filepath.Join(t.TempDir(), "x")
	if _, err := svec.Convert(ctx, strings.NewReader(in.String()), wordfile.Glove, path, svec.Options{}, progress); !errors.Is(err, context.Canceled) || seen != 4096 {
		t.Errorf("error = %v after %d rows, want Canceled after 4096", err, seen)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a cancelled conversion left a file: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	path, _ := convert(t, three, wordfile.Glove, svec.Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	for _, tt := range []struct {
		name   string
		change func(b []byte) []byte
		want   string
	}{
		{"empty", func([]byte) []byte { return nil }, "no file of mapped word vectors"},
		{"text", func([]byte) []byte { return []byte(three) }, "no file of mapped word vectors"},
		{"cut off in the header", func(b []byte) []byte { return b[:4000] }, "no file of mapped word vectors"},
		{"cut off", func(b []byte) []byte { return b[:len(b)-1] }, "its header promises"},
		{"longer", func(b []byte) []byte { return append(b, 0) }, "its header promises"},
		{"a bit of the header", func(b []byte) []byte { b[1000] ^= 1; return b }, "its header is damaged"},
		{"version", func(b []byte) []byte { le.PutUint32(b[8:], 2); return b }, "its version is 2, must be 1"},
		{"no words", func(b []byte) []byte { le.PutUint64(b[16:], 0); svec.Stamp(b); return b }, "it has 0 words"},
		{"too many words", func(b []byte) []byte { le.PutUint64(b[16:], 1<<63); svec.Stamp(b); return b }, "must have 1 to"},
		{"no numbers", func(b []byte) []byte { le.PutUint32(b[24:], 0); svec.Stamp(b); return b }, "must have 1 to"},
		{"unknown numbers", func(b []byte) []byte { le.PutUint32(b[12:], 2); svec.Stamp(b); return b }, "must be 0 or 1"},
		{"odd table", func(b []byte) []byte { le.PutUint64(b[32:], 17); svec.Stamp(b); return b }, "do not fit each other"},
		{"huge table", func(b []byte) []byte { le.PutUint64(b[32:], 1<<63); svec.Stamp(b); return b }, "do not fit each other"},
		{"huge words", func(b []byte) []byte { le.PutUint64(b[40:], math.MaxUint64); svec.Stamp(b); return b }, "do not fit each other"},
		{"no probes", func(b []byte) []byte { le.PutUint32(b[80:], 0); svec.Stamp(b); return b }, "do not fit each other"},
		{"long name", func(b []byte) []byte { le.PutUint16(b[84:], 65535); svec.Stamp(b); return b }, "is no text"},
		{"odd name", func(b []byte) []byte { le.PutUint16(b[84:], 1); b[88] = 0xff; svec.Stamp(b); return b }, "is no text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad := filepath.Join(t.TempDir(), "bad.svec")
			if err := os.WriteFile(bad, tt.change(bytes.Clone(good)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := svec.Open(bad); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "svec: ") {
				t.Errorf("error = %v, want one of svec with %q", err, tt.want)
			}
		})
	}
	if _, err := svec.Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want ErrNotExist", err)
	}
	if _, err := svec.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("error = %v, want one about a regular file", err)
	}
}

// probe uses every part of a file that nobody vouches for.
func probe(f *svec.File) {
	v := make([]float32, f.Info().Dim)
	for row := range min(f.Info().Words, 100) {
		f.Find(f.Word(row))
		f.AddTo(v, row, 1)
	}
	words := []string{"", "the", "cat", "naïve", "dog"}
	rows := make([]int, len(words))
	f.FindAll(rows, words)
	for i, word := range words {
		row, ok := f.Find(word)
		if !ok {
			row = -1
		}
		if rows[i] != row {
			panic(fmt.Sprintf("FindAll gives row %d for %q, and Find %d", rows[i], word, row))
		}
	}
}

// TestDamagedBody changes each byte of a body in turn: nothing panics, and
// Verify tells.
func TestDamagedBody(t *testing.T) {
	path, _ := convert(t, three, wordfile.Glove, svec.Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.svec")
	for i := 4096; i < len(good); i++ {
		b := bytes.Clone(good)
		b[i] = ^b[i]
		if err := os.WriteFile(bad, b, 0o600); err != nil {
			t.Fatal(err)
		}
		f := open(t, bad)
		probe(f)
		if err := f.Verify(); err == nil {
			t.Errorf("Verify says nothing of byte %d", i)
		}
		runtime.KeepAlive(f)
	}
}

func TestConcurrentUse(t *testing.T) {
	path, _ := convert(t, three, wordfile.Glove, svec.Options{})
	var all sync.WaitGroup
	for range 4 {
		f := open(t, path)
		for range 2 {
			all.Go(func() {
				for range 100 {
					probe(f)
				}
			})
		}
	}
	runtime.GC() // unmaps what nothing refers to, and no more
	all.Wait()
}

func TestPanics(t *testing.T) {
	path, _ := convert(t, three, wordfile.Glove, svec.Options{})
	f := open(t, path)
	for name, call := range map[string]func(){
		"row":    func() { f.AddTo(make([]float32, 3), 3, 1) },
		"length": func() { f.AddTo(make([]float32, 2), 0, 1) },
		"word":   func() { f.Word(-1) },
		"rows":   func() { f.FindAll(make([]int, 1), nil) },
		"weight": func() { f.AddAll(make([]float32, 3), []int{0}, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic, want one", name)
				}
			}()
			call()
		}()
	}
}

// FuzzOpen checks that no bytes make using a file panic. The digest of the
// header is made right, or no change of it would get far.
func FuzzOpen(f *testing.F) {
	for _, o := range []svec.Options{{}, {Float32: true, Name: "x"}} {
		path, _ := convert(f, three, wordfile.Glove, o)
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:120], b[4096:])
	}
	f.Fuzz(func(_ *testing.T, head, body []byte) {
		b := make([]byte, 4096, 4096+len(body))
		copy(b[:4000], head)
		svec.Stamp(b)
		file, err := svec.InMemory(append(b, body...))
		if err != nil {
			return
		}
		probe(file)
		file.Verify() //nolint:errcheck // most are damaged
	})
}

// FuzzConvert checks that what is converted can be opened, is whole and sound,
// and that nothing panics.
func FuzzConvert(f *testing.F) {
	formats := []wordfile.Format{wordfile.Text, wordfile.Glove, wordfile.Word2vec, wordfile.FastText, wordfile.Word2vecBinary}
	for i, s := range []string{three, three, "2 1\na 1\nb 2\n", "1 2\na 1 2 \r\n", binaryFile("2 1\n", "a ", float32(1), "\nb ", float32(2))} {
		f.Add([]byte(s), byte(i), false)
		f.Add([]byte(s), byte(i), true)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, in []byte, format byte, wide bool) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid(), ".svec"))
		c, err := svec.Convert(t.Context(), bytes.NewReader(in), formats[int(format)%len(formats)], path, svec.Options{Float32: wide, KeepFirst: true}, nil)
		if err != nil {
			return
		}
		file, err := svec.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Verify(); err != nil || file.Info() != c.Info || c.Words < 1 || c.Dim < 1 {
			t.Errorf("Verify: %v; Info = %+v, want %+v with words", err, file.Info(), c.Info)
		}
		os.Remove(path)
	})
}

func BenchmarkConvert(b *testing.B) {
	const words, dim = 20_000, 100
	rng := weakrand.New(weakrand.NewPCG(7, 8))
	in := fmt.Appendf(nil, "%d %d\n", words, dim)
	for i := range words {
		in = fmt.Appendf(in, "w%d ", i)
		for range dim {
			in = binary.LittleEndian.AppendUint32(in, math.Float32bits(float32(rng.NormFloat64())))
		}
	}
	path := filepath.Join(b.TempDir(), "words.svec")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := svec.Convert(b.Context(), bytes.NewReader(in), wordfile.Word2vecBinary, path, svec.Options{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleConvert() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "words.svec")
	in := strings.NewReader("good 1 0\nbad -1 0\n")
	if _, err = svec.Convert(context.Background(), in, wordfile.Glove, path, svec.Options{Name: "two words", Licence: "CC0"}, nil); err != nil {
		fmt.Println(err)
		return
	}
	f, err := svec.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := make([]float32, f.Info().Dim)
	if row, ok := f.Find("bad"); ok {
		f.AddTo(v, row, 1)
	}
	fmt.Println(f.Info().Words, f.Info().Licence, v, f.Verify())
	// Output: 2 CC0 [-1 0] <nil>
}
