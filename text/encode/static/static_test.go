package static_test

import (
	"bytes"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"sotto/text"
	"sotto/text/encode/static"
)

// vocabulary has special tokens, words and pieces.
const vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\ndog\n##s\nrun\n"

// piece reads a tokeniser.
func piece(tb testing.TB, s string) *text.WordPiece {
	tb.Helper()
	w, err := text.ReadWordPiece(strings.NewReader(s))
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// random returns a table whose rows have very different sizes.
func random(n, dim int) []float32 {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	v := make([]float32, n*dim)
	for i := range v {
		v[i] = float32(rng.NormFloat64() * math.Pow(10, float64(i/dim)-4))
	}
	return v
}

// small is an encoder of few tokens.
func small(tb testing.TB) *static.Encoder {
	tb.Helper()
	w := piece(tb, vocabulary)
	e, err := static.New("small", "a \"notice\"\nof two lines", w, 6, random(len(w.Vocabulary()), 6))
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func builtIn(tb testing.TB) *static.Encoder {
	tb.Helper()
	e, err := static.Default()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// vector encodes a text.
func vector(e *static.Encoder, s string) []float32 {
	v := slices.Repeat([]float32{7}, e.Dim()) // whatever was there must go
	e.Encode(v, s)
	return v
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestNewRefuses(t *testing.T) {
	w := piece(t, vocabulary)
	const n = 9
	with := func(x float64) []float32 {
		v := make([]float32, n)
		v[n-1] = float32(x)
		return v
	}
	const json = `{"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": {"type": "TemplateProcessing"},
		"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 10,
		"vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[MASK]": 3, "a\rb%s": 4}}}`
	for _, tt := range []struct {
		name    string
		words   *text.WordPiece
		dim     int
		vectors []float32
		want    string // "" for none
	}{
		{name: "good", words: w, dim: 1, vectors: with(-1e18)},
		{name: "no dimension", words: w, want: "9 tokens of 0 dimensions"},
		{name: "too many dimensions", words: w, dim: 1<<14 + 1, vectors: make([]float32, n*(1<<14+1)), want: "of 1 to 16384"},
		{name: "too few numbers", words: w, dim: 2, vectors: make([]float32, 2*n-1), want: "17 numbers for 9 tokens of 2 dimensions"},
		{name: "NaN", words: w, dim: 1, vectors: with(math.NaN()), want: "vector 8"},
		{name: "infinite", words: w, dim: 1, vectors: with(math.Inf(-1)), want: "vector 8"},
		{name: "a sum could be infinite", words: w, dim: 1, vectors: with(1.1e18), want: "vector 8"},
		{name: "token of two lines", words: piece(t, strings.Replace(fmt.Sprintf(json, ""), `\r`, `\n`, 1)), dim: 1, vectors: make([]float32, 5), want: "a token of the vocabulary"},
		{name: "token that ends a line", words: piece(t, fmt.Sprintf(json, `\r`)), dim: 1, vectors: make([]float32, 5), want: "a token of the vocabulary"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := static.New("x", "", tt.words, tt.dim, tt.vectors)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("New error = %v, want %q", err, tt.want)
			}
		})
	}
}

// A number is kept to half of 1/127 of the largest in its vector, beside what
// rounding to float32 adds.
func TestRounding(t *testing.T) {
	w := piece(t, vocabulary)
	const dim = 50
	table := random(len(w.Vocabulary()), dim)
	e, err := static.New("x", "", w, dim, table)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"cat", "dog", "run"} {
		id, _ := w.ID(token)
		want := table[int(id)*dim:][:dim]
		largest := 0.0
		for _, x := range want {
			largest = max(largest, math.Abs(float64(x)))
		}
		// Encode returns the row divided by its length, of which the row's
		// largest number tells the length: it is kept exactly.
		got := vector(e, token)
		most := 0.0
		for _, x := range got {
			most = max(most, math.Abs(float64(x)))
		}
		for j := range want {
			if d := math.Abs(float64(got[j])/most*largest - float64(want[j])); !(d <= largest/254*(1+1e-4)) {
				t.Errorf("%s, number %d is off by %g, want at most %g", token, j, d, largest/254)
			}
		}
	}
}

// Sums keep their direction however small or large the numbers are.
func TestEncodeExtremes(t *testing.T) {
	w := piece(t, vocabulary)
	for _, size := range []float64{1e-38, 1e-30, 1, 1e18} {
		table := make([]float32, 2*len(w.Vocabulary()))
		for i := range table {
			table[i] = float32(size)
		}
		e, err := static.New("x", "", w, 2, table)
		if err != nil {
			t.Fatal(err)
		}
		v := vector(e, strings.Repeat("cat dogs ", 1000))
		if want := math.Sqrt(0.5); !(math.Abs(float64(v[0])-want) < 1e-6 && v[1] == v[0]) {
			t.Errorf("numbers of size %g: vector = %v, want %v twice", size, v, want)
		}
	}
}

func TestEncode(t *testing.T) {
	w := piece(t, vocabulary)
	table := make([]float32, 2*len(w.Vocabulary()))
	for i := range table[:10] {
		table[i] = 1 // of the special tokens; none counts
	}
	copy(table[2*5:], []float32{127, 0, 0, 127, -127, -127, 0, 0}) // cat, dog, ##s, run; all are kept exactly
	e, err := static.New("x", "", w, 2, table)
	if err != nil {
		t.Fatal(err)
	}
	half := math.Sqrt(0.5)
	for _, tt := range []struct {
		in   string
		want []float64
	}{
		{"cat", []float64{1, 0}},
		{"Cat, dog", []float64{half, half}}, // the comma is unknown
		{"dog cat", []float64{half, half}},
		{"cats", []float64{0, -1}},
		{"cat cats dog", []float64{1, 0}},
		{"cats dog", []float64{0, 0}}, // they cancel
		{"run", []float64{0, 0}},
		{"", []float64{0, 0}},
		{" \t\n", []float64{0, 0}},
		{"bird", []float64{0, 0}},
		{"bird [UNK] cat", []float64{1, 0}},
		{"\xff\xfe", []float64{0, 0}},
		{strings.Repeat("cat ", 1<<16) + strings.Repeat("dog ", 1<<17), []float64{1, 0}}, // what is too long is cut off
	} {
		v := vector(e, tt.in)
		if math.Abs(float64(v[0])-tt.want[0]) > 1e-6 || math.Abs(float64(v[1])-tt.want[1]) > 1e-6 {
			t.Errorf("Encode(%.20q) = %v, want %v", tt.in, v, tt.want)
		}
	}
	if got, want := e.Tokens("cats dog"), []int32{5, 7, 6}; !slices.Equal(got, want) {
		t.Errorf("Tokens = %v, want %v", got, want)
	}
}

func TestEncodePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Encode into too few numbers does not panic")
		}
	}()
	small(t).Encode(make([]float32, 5), "cat")
}

// The limit of a word's length is that of a vocabulary, in memory as in a file.
func TestLongWords(t *testing.T) {
	w := piece(t, `{"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": {"type": "TemplateProcessing"},
		"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 3,
		"vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[MASK]": 3, "cats": 4}}}`)
	e, err := static.New("x", "", w, 1, []float32{0, 0, 0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := vector(e, "cats"), vector(again(t, e), "cats"); a[0] != 1 || b[0] != 1 {
		t.Errorf("vectors in memory and of a file = %v and %v, want 1", a, b)
	}
}

func TestDefault(t *testing.T) {
	e := builtIn(t)
	if e.Name() != "default" || e.Dim() != static.DefaultDim || e.Dim() != 128 || len(e.WordPiece().Vocabulary()) != 30522 {
		t.Errorf("the built-in encoder is %q with %d numbers a vector, want default with 128", e.Name(), e.Dim())
	}
	notice, err := os.ReadFile("NOTICE")
	if err != nil || e.Notice() != string(notice) || !strings.Contains(e.Notice(), "Princeton University") {
		t.Errorf("the table's notice is not the file NOTICE, or error %v", err)
	}
	for _, tt := range []struct {
		in   string
		want float64
	}{{"a text", 1}, {"", 0}, {"\u2603", 0}} { // a snowman is unknown
		v := vector(e, tt.in)
		if got := dot(v, v); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("the vector of %q has squared length %v, want %v", tt.in, got, tt.want)
		}
	}
}

// Texts of like meaning are nearer than others, with and without words in common.
func TestDefaultMeaning(t *testing.T) {
	e := builtIn(t)
	for _, tt := range []struct{ text, near, far string }{
		{"a man plays the guitar", "someone is making music", "the court sentenced the thief"},
		{"the doctor treats a patient in the hospital", "a nurse gives medicine to the sick", "the team won the football match"},
		{"the dog runs in the park", "a puppy plays on the grass", "the bank raised interest rates"},
		{"the soup tastes delicious", "a wonderful meal", "the engine of the car broke down"},
		{"he drives his car to work", "a vehicle on the road", "she sings in the choir"},
		{"shares fell on the stock market", "investors lost money", "the cat sleeps on the sofa"},
		{"it rained all day", "a storm with thunder and wet weather", "the senator voted for the law"},
	} {
		v := vector(e, tt.text)
		near, far := dot(v, vector(e, tt.near)), dot(v, vector(e, tt.far))
		if !(near > far) {
			t.Errorf("%q is at cosine %.3f of %q and at %.3f of %q, want the first larger", tt.text, near, tt.near, far, tt.far)
		}
	}
}

func TestConcurrency(t *testing.T) {
	e := builtIn(t)
	texts := []string{"a man plays the guitar", "", "it rained all day", "cats"}
	var want [][]float32
	for _, s := range texts {
		want = append(want, vector(e, s))
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for k := range 100 {
				if got := vector(e, texts[k%len(texts)]); !slices.Equal(got, want[k%len(texts)]) {
					t.Errorf("the vector of %q is another among several goroutines", texts[k%len(texts)])
					return
				}
			}
		})
	}
	all.Wait()
}

func ExampleDefault() {
	e, err := static.Default()
	if err != nil {
		fmt.Println(err)
		return
	}
	v := make([]float32, e.Dim())
	e.Encode(v, "a text")
	fmt.Println(e.Name(), len(v))
	// Output: default 128
}

func ExampleEncoder() {
	words, err := text.ReadWordPiece(strings.NewReader(vocabulary))
	if err != nil {
		fmt.Println(err)
		return
	}
	table := make([]float32, 2*len(words.Vocabulary()))
	copy(table[2*5:], []float32{3, 0, 0, 4}) // cat and dog
	e, err := static.New("pets", "", words, 2, table)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := make([]float32, e.Dim())
	e.Encode(v, "A cat, a dog.")
	var file bytes.Buffer
	fmt.Println(v, e.Write(&file))
	// Output: [0.6 0.8] <nil>
}

// BenchmarkEncode has a sentence of 19 tokens.
func BenchmarkEncode(b *testing.B) {
	e := builtIn(b)
	v := make([]float32, e.Dim())
	b.ReportAllocs()
	for b.Loop() {
		e.Encode(v, "The young man is playing a guitar on the stage in front of many people who came late.")
	}
}

func BenchmarkParse(b *testing.B) {
	var file bytes.Buffer
	if err := builtIn(b).Write(&file); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := static.Parse(file.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
