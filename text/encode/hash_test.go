package encode_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"sotto/text"
	"sotto/text/encode"
)

// reference is what the comment of Hash says, written plainly.
func reference(dim int, s string) []float64 {
	words := slices.Collect(text.Words(s))
	count := map[string]int{}
	for i, w := range words {
		count[w]++
		if i > 0 {
			count[words[i-1]+" "+w]++
		}
	}
	v := make([]float64, dim)
	for feature, n := range count {
		sum := fnv.New64a()
		sum.Write([]byte(feature))
		h := sum.Sum64()
		h = (h ^ h>>33) * 0xff51afd7ed558ccd
		h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
		h ^= h >> 33
		at, _ := bits.Mul64(h, uint64(dim))
		v[at] += (1 + math.Log(float64(n))) * (1 - 2*float64(h&1))
	}
	square := 0.0
	for _, x := range v {
		square += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(max(square, 1e-9))
	}
	return v
}

func TestHashReference(t *testing.T) {
	for _, s := range []string{
		"", "?!", "word", "Word wörd", "a b a b a b", "The cat, the dog and the cat's tail",
		strings.Repeat("more words than the buffer of the encoder holds without growing ", 40),
	} {
		for _, dim := range []int{7, 512} {
			e := open(t, fmt.Sprint("hash:", dim))
			got, want := vector(e, s), reference(dim, s)
			for i := range want {
				// Each of at most 80 sums rounds by 2⁻²⁴ of what is below
				// 80·(1+ln 40), and is then divided by at least 1.
				if math.Abs(float64(got[i])-want[i]) > 80*400*0x1p-24 {
					t.Fatalf("hash:%d of a text of %d bytes: coordinate %d is %v, want %v", dim, len(s), i, got[i], want[i])
				}
			}
		}
	}
}

// TestHashFixed holds one vector, because a change of the hash changes every
// result that was made with it.
func TestHashFixed(t *testing.T) {
	got := vector(open(t, "hash:8"), "Good food, good view")
	const want = "[0.3184 0.0000 0.0000 -0.3184 0.5390 -0.6367 0.3184 0.0000]"
	if s := fmt.Sprintf("%.4f", got); s != want {
		t.Errorf("vector is %s, want %s", s, want)
	}
}

func TestHashNorm(t *testing.T) {
	e := encode.Hash{}
	for _, s := range texts(100) {
		// Each of 512 coordinates is rounded by at most 2⁻²⁴ of itself.
		if got := norm(vector(e, s)); math.Abs(got-1) > 1e-6 {
			t.Errorf("norm is %v, want 1", got)
		}
	}
	if got := norm(vector(e, "…")); got != 0 {
		t.Errorf("norm of no words is %v, want 0", got)
	}
	same := dot(vector(e, "the food was good"), vector(e, "The food was good!"))
	other := dot(vector(e, "the food was good"), vector(e, "a terrible long drive"))
	if math.Abs(same-1) > 1e-6 || math.Abs(other) > 0.6 {
		t.Errorf("cosines are %v and %v, want 1 for the same words and less than 0.6 for others", same, other)
	}
}

// TestHashSpread checks that buckets and signs of 20,000 words are spread as
// chance would have it.
func TestHashSpread(t *testing.T) {
	const dim, words = 64, 20_000
	e := open(t, fmt.Sprint("hash:", dim))
	var count [dim]float64
	plus := 0.0
	for i := range words {
		v := vector(e, fmt.Sprint("w", i))
		at := slices.IndexFunc(v, func(x float32) bool { return x != 0 })
		count[at]++
		if v[at] > 0 {
			plus++
		}
	}
	// Pearson's sum has 63 degrees of freedom; its quantile at 1 − 10⁻⁵ is
	// 121.2 by Wilson and Hilferty's approximation, rounded up here.
	sum := 0.0
	for _, c := range count {
		sum += (c - words/dim) * (c - words/dim) / (words / dim)
	}
	if sum > 125 {
		t.Errorf("chi-squared of the buckets is %v, want at most 125", sum)
	}
	// 4.42 standard deviations of √(words/4), two-sided at 10⁻⁵.
	if z := math.Abs(plus-words/2) / math.Sqrt(words/4); z > 4.42 {
		t.Errorf("%v of %d signs are positive, %v deviations from half", plus, words, z)
	}
}

// sentence has 20 words.
const sentence = "The food was good but we had to wait for over an hour, and the waiter didn't even say sorry."

func BenchmarkHash(b *testing.B) {
	e := encode.Hash{}
	v := make([]float32, e.Dim())
	b.ReportAllocs()
	for b.Loop() {
		e.Encode(v, sentence)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sentences/s")
}

func ExampleHash() {
	e, err := encode.NewHash(8)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := make([]float32, e.Dim())
	e.Encode(v, "Good food, good view")
	fmt.Printf("%s %.2f\n", e.Name(), v)
	// Output: hash:8 [0.32 0.00 0.00 -0.32 0.54 -0.64 0.32 0.00]
}

// TestHashExact: the weight of a feature that stands often is so far from where float32
// rounds that a logarithm may be off by several units in its last place, as those of
// processors are, and no bit of a vector tells.
func TestHashExact(t *testing.T) {
	for n := range 1 << 20 {
		w := 1 + math.Log(float64(n+1))
		off := math.Ldexp(w, -50)
		if float32(w-off) != float32(w+off) {
			t.Fatalf("the weight of a feature that stands %d times rests on the last bits of its logarithm", n+1)
		}
	}
}
