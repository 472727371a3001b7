package noise_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/noise"
)

var secret = []byte("sixteen bytes or more")

// keyStream returns the words of Derive by its definition: the key and the
// first counter are HMAC-SHA-256 of the parts, each after its length.
func keyStream(tb testing.TB, n int, secret []byte, parts ...string) []uint64 {
	tb.Helper()
	mac := hmac.New(sha256.New, secret)
	for _, p := range parts {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		mac.Write([]byte(p))
	}
	seed := mac.Sum(nil)
	block, err := aes.NewCipher(seed[:16])
	if err != nil {
		tb.Fatal(err)
	}
	bytes, words := make([]byte, 8*n), make([]uint64, n)
	cipher.NewCTR(block, seed[16:]).XORKeyStream(bytes, bytes)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(bytes[8*i:])
	}
	return words
}

func TestDerive(t *testing.T) {
	s := noise.Derive(secret, "subject", "text", "mechanism")
	for i, want := range keyStream(t, 3*noise.BufferWords, secret, "subject", "text", "mechanism") {
		if got := s.Uint64(); got != want {
			t.Fatalf("word %d of Derive = %#x, want %#x", i, got, want)
		}
	}
}

// TestDeriver: streams in the memory of one are those of Derive, whatever was drawn
// from the one before.
func TestDeriver(t *testing.T) {
	d := noise.NewDeriver(secret)
	for drawn, parts := range [][]string{{"a", "text"}, {}, {"another", ""}, {"a", "text"}} {
		s, want := d.Derive(parts...), noise.Derive(secret, parts...)
		for i := range noise.BufferWords/2 + 100*drawn {
			if a, b := s.Uint64(), want.Uint64(); a != b {
				t.Fatalf("word %d of %q = %#x, want %#x", i, parts, a, b)
			}
		}
	}
}

// TestDeriveParts compares streams by their first two words; 128 bits agree by
// chance once in 2¹²⁸.
func TestDeriveParts(t *testing.T) {
	type head [2]uint64
	of := func(secret []byte, parts ...string) head {
		s := noise.Derive(secret, parts...)
		return head{s.Uint64(), s.Uint64()}
	}
	if a, b := of(secret, "subject", "text"), of(append([]byte(nil), secret...), "subject", "text"); a != b {
		t.Errorf("Derive of the same arguments = %#x and %#x", a, b)
	}
	other := []byte("sixteen bytes or mora")
	lists := [][]string{
		{},
		{""},
		{"", ""},
		{"abc"},
		{"abc", ""},
		{"", "abc"},
		{"ab", "c"},
		{"a", "bc"},
		{"a", "b", "c"},
		{"c", "ab"},
		{"alice", "hello", "laplace"},
		{"bob", "hello", "laplace"},
		{"alice", "hello!", "laplace"},
		{"alice", "hello", "gaussian"},
		{"hello", "alice", "laplace"},
		{"a\x00\x00\x00\x00\x00\x00\x00\x01b"},
		{"a", "b"}, // a part that looks like a border
		{"a\x00\x00\x00\x00\x00\x00\x00\x00b"},
	}
	seen := make(map[head][]string)
	for _, parts := range lists {
		for _, key := range [][]byte{secret, other, secret[:16], append([]byte{0}, secret...)} {
			h := of(key, parts...)
			if before, ok := seen[h]; ok {
				t.Errorf("Derive(%q, %q) is the stream of %q too", key, parts, before)
			}
			seen[h] = parts
		}
	}
	if len(seen) != 4*len(lists) {
		t.Errorf("%d streams, want %d", len(seen), 4*len(lists))
	}
}

func TestDeriveShortSecret(t *testing.T) {
	for _, n := range []int{0, 1, 15} {
		if got := recovered(func() { noise.Derive(make([]byte, n), "subject") }); !hasPrefix(got, "noise: secret") {
			t.Errorf("Derive with a secret of %d bytes panics with %q", n, got)
		}
	}
	if got := recovered(func() { noise.Derive(make([]byte, 16), "subject") }); got != "" {
		t.Errorf("Derive with a secret of 16 bytes panics with %q", got)
	}
}

func TestCrypto(t *testing.T) {
	seen := make(map[uint64]bool)
	for range 100 {
		s := noise.Crypto()
		for range 1000 {
			seen[s.Uint64()] = true
		}
	}
	// Two of 10⁵ words agree by chance with probability 10¹⁰/2⁶⁵ = 3·10⁻¹⁰.
	if len(seen) != 100_000 {
		t.Errorf("100 Crypto streams of 1000 words have %d different ones", len(seen))
	}
	s, hits := noise.Crypto(), make([]int, 64)
	const n = 100_000
	for range n {
		w := s.Uint64()
		for i := range hits {
			hits[i] += int(w >> i & 1)
		}
	}
	for i, h := range hits {
		checkRate(t, fmt.Sprintf("bit %d of Crypto", i), h, n, 0.5, len(hits))
	}
}

func TestFrom(t *testing.T) {
	s := noise.Crypto()
	if noise.From(s) != s {
		t.Errorf("From(a Stream) is another Stream")
	}
	src := &script{words: []uint64{1, 2, 3, 2 << 48, 5, 6}}
	for want := uint64(1); want <= 3; want++ {
		if got := noise.From(src).Uint64(); got != want || src.used != int(want) {
			t.Errorf("From(src).Uint64() = %d with %d words used, want %d", got, src.used, want)
		}
	}
	var k [1]int64
	noise.From(src).Laplace(k[:])
	if got := noise.From(src).Uint64(); got != 6 || k[0] != 5*digits {
		t.Errorf("after Laplace = %d comes word %d, want %d and 6", k[0], got, 5*digits)
	}
}

// ledger follows a Stream through the words it was given. Every word that a
// call is found to have used lies behind all those of calls before, so that no
// word is used twice.
type ledger struct {
	words []uint64
	at    int // the first word that may still be used
}

// next returns and uses one word.
func (l *ledger) next() uint64 {
	l.at++
	return l.words[l.at-1]
}

// find looks for the place, at most skip words on, from which matches holds,
// and moves behind the words that it used. It reports how many were left out.
func (l *ledger) find(tb testing.TB, call string, skip int, matches func(next func() uint64) bool) int {
	tb.Helper()
	for s := range skip + 1 {
		trial := ledger{l.words, l.at + s}
		if trial.at < len(l.words) && matches(trial.next) {
			l.at = trial.at
			return s
		}
	}
	tb.Fatalf("%s matches no words from %d to %d on", call, l.at, l.at+skip)
	return 0
}

// TestStreamWords mixes all kinds of calls and finds each one's words in the
// stream, in order. A foreign source leaves out none; a buffer at most its last
// word, where a pair does not fit.
func TestStreamWords(t *testing.T) {
	const calls, room = 20_000, 1_000_000
	words := keyStream(t, room, secret, "words")
	t.Run("foreign", func(t *testing.T) {
		src := &script{words: words}
		l := &ledger{words: words}
		mixCalls(t, noise.From(src), l, calls, 0)
		if l.at != src.used {
			t.Errorf("%d words were asked for, %d used", src.used, l.at)
		}
	})
	t.Run("buffered", func(t *testing.T) {
		l := &ledger{words: words}
		left := mixCalls(t, noise.Derive(secret, "words"), l, calls, 1)
		if left > l.at/noise.BufferWords {
			t.Errorf("%d of %d words were left out, want at most one in %d", left, l.at, noise.BufferWords)
		}
		t.Logf("%d calls used %d words and left out %d", calls, l.at-left, left)
	})
}

// mixCalls makes random calls and returns how many words they left out.
func mixCalls(t *testing.T, s *noise.Stream, l *ledger, calls, skip int) (left int) {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(17, 18))
	for range calls {
		switch rng.IntN(6) {
		case 0:
			v := s.Uint64()
			left += l.find(t, "Uint64", skip, func(next func() uint64) bool { return next() == v })
		case 1, 2:
			k := make([]int64, rng.IntN(4)+rng.IntN(2)*rng.IntN(2)*rng.IntN(2)*rng.IntN(700))
			s.Laplace(k)
			for _, v := range k {
				left += l.find(t, "Laplace", skip, func(next func() uint64) bool { return laplaceFrom(next) == v })
			}
		case 3:
			p, q, x := noise.Prob(rng.Uint64()), noise.Prob(rng.Uint64()), rng.Uint64()
			y := []uint64{x}
			s.Send(y, y, uniform(p, q))
			left += l.find(t, "Bits", skip, func(next func() uint64) bool { return bitsFrom(next, x, p, q) == y[0] })
		case 4:
			bytes := s.Take(rng.IntN(20) + 1)
			if n := len(bytes); n < 16 || n%16 != 0 {
				t.Fatalf("take returned %d bytes", n)
			}
			for ; len(bytes) > 0; bytes = bytes[16:] {
				a, b := binary.LittleEndian.Uint64(bytes), binary.LittleEndian.Uint64(bytes[8:])
				left += l.find(t, "take", skip, func(next func() uint64) bool { return next() == a && next() == b })
			}
		case 5:
			var k [3]int64
			s.Gaussian(k[:])
			left += l.find(t, "Gaussian", skip, func(next func() uint64) bool {
				return gaussianFrom(next) == k[0] && gaussianFrom(next) == k[1] && gaussianFrom(next) == k[2]
			})
		}
	}
	return left
}

// bitsFrom draws words until all lanes are decided.
func bitsFrom(next func() uint64, x uint64, p, q noise.Prob) uint64 {
	var words []uint64
	for {
		lanes := numbers(words)
		if wordsNeeded(lanes, p, q) <= len(words) {
			return channel(x, lanes, p, q)
		}
		words = append(words, next())
	}
}

// gaussianFrom is the Gaussian sampler, written plainly.
func gaussianFrom(next func() uint64) int64 {
	w := next()
	j, number := w%gaussCells, w/gaussCells%(1<<noise.GaussThreshold)
	if column := noise.GaussianColumns()[j]; number >= column/gaussCells {
		j ^= column % gaussCells
	}
	if w>>63 == 1 {
		return -1 - int64(j)
	}
	return int64(j)
}

// TestAllocs counts allocations once the buffers exist.
func TestAllocs(t *testing.T) {
	s := noise.Crypto()
	k, x, f := make([]int64, 768), make([]uint64, 120), make([]float64, 768)
	p := noise.ProbBelow(0.6)
	c := uniform(p, noise.ProbBelow(0.4))
	for name, call := range map[string]func(){
		"Uint64":    func() { s.Uint64() },
		"Laplace":   func() { s.Laplace(k) },
		"Gaussian":  func() { s.Gaussian(k) },
		"Send":      func() { s.Send(x, x, c) },
		"Bernoulli": func() { s.Bernoulli(p) },
		"IntN":      func() { s.IntN(1000) },
		"Normal":    func() { s.Normal() },
		"Normals":   func() { s.Normals(f) },
		"Uniform":   func() { s.Uniform() },
		"Gamma":     func() { s.Gamma(0.75) },
	} {
		if got := testing.AllocsPerRun(100, call); got != 0 {
			t.Errorf("%s allocates %v times a call, want 0", name, got)
		}
	}
}
