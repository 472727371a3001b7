package encode

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"sotto/text"
)

const (
	defaultDim = 512
	maxHashDim = 1 << 20
)

// Hash encodes a text by signed feature hashing (Weinberger et al., ICML 2009).
// It needs no file and no training.
//
// The features of a text are its words, as [text.Words] gives them, and its
// pairs of adjacent words, joined by a space. A feature that occurs n times has
// weight 1 + ln n. It is added to one coordinate, or taken from it, as a fixed
// 64-bit hash says: FNV-1a over the UTF-8 of the feature, and then the finaliser
// of MurmurHash3, because FNV leaves the upper bits of short words alike. The
// coordinate is the upper half of the 128-bit product of hash and Dim, the sign
// the lowest bit of the hash. The sum is scaled to Euclidean length 1.
//
// Features that share a coordinate blur each other, and in a text of few words
// and a vector of few coordinates they may cancel, which leaves zeros. The hash
// has no secret: it hides nothing.
//
// The zero value encodes into 512 coordinates.
type Hash struct{ dim int }

var _ Encoder = Hash{}

// NewHash returns the encoder into vectors of the given length, which must be
// from 1 to 1,048,576.
func NewHash(dim int) (Hash, error) {
	if dim < 1 || dim > maxHashDim {
		return Hash{}, fmt.Errorf("encode: hash has size %d, must have 1 to %d", dim, maxHashDim)
	}
	return Hash{dim}, nil
}

// Name implements [Encoder].
func (h Hash) Name() string { return "hash:" + strconv.Itoa(h.Dim()) }

// Dim implements [Encoder].
func (h Hash) Dim() int { return cmp.Or(h.dim, defaultDim) }

// Encode implements [Encoder].
func (h Hash) Encode(dst []float32, s string) {
	checkLength(dst, h.Dim())
	clear(dst)
	var few [128]uint64 // spares most texts an allocation
	features := few[:0]
	before := uint64(0) // the state after the word before and a space
	for word := range text.Words(s) {
		if len(features) > 0 {
			features = append(features, text.HashEnd(text.HashOn(before, word)))
		}
		state := text.HashOn(text.HashBasis, word)
		features = append(features, text.HashEnd(state))
		before = text.HashOn(state, " ")
	}
	// Equal features come to lie side by side, and sums have a fixed order.
	slices.Sort(features)
	for len(features) > 0 {
		f, n := features[0], 1
		for n < len(features) && features[n] == f {
			n++
		}
		features = features[n:]
		weight := float32(1 + math.Log(float64(n)))
		coordinate, sign := place(f, len(dst))
		dst[coordinate] += float32(sign * weight)
	}
	normalise(dst)
}

// Place returns the coordinate that a feature is added to, a word or two words with a
// space between, and the sign with which it is.
func (h Hash) Place(feature string) (coordinate int, sign float32) {
	return place(text.HashEnd(text.HashOn(text.HashBasis, feature)), h.Dim())
}

func place(f uint64, dim int) (coordinate int, sign float32) {
	at, _ := bits.Mul64(f, uint64(dim))
	if f&1 == 1 {
		return int(at), -1
	}
	return int(at), 1
}

// normalise scales v to length 1, unless it is zero.
func normalise(v []float32) {
	square := 0.0
	for _, x := range v {
		square += float64(float64(x) * float64(x))
	}
	if square == 0 {
		return
	}
	scale := 1 / math.Sqrt(square)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
}
