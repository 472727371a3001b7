package dptest

import (
	"encoding/binary"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/noise"
)

// Source returns the stream that belongs to a seed, and logs the seed. It
// needs a test to be called: a release whose noise can be repeated is no
// release.
func Source(tb testing.TB, seed uint64) *noise.Stream {
	tb.Helper()
	tb.Logf("dptest.Source: seed %d", seed)
	return stream(seed)
}

func stream(seed uint64) *noise.Stream {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "sotto dptest source")
	return noise.From(weakrand.NewChaCha8(key))
}
