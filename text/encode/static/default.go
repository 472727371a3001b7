package static

import (
	"crypto/sha256"
	_ "embed" // for the table
	"encoding/hex"
	"sync"
)

// DefaultDim is the length of the built-in encoder's vectors.
const DefaultDim = 128

//go:embed default.static
var builtIn []byte

// parsed is made once, when it is first asked for.
var parsed = sync.OnceValues(func() (*Encoder, error) { return Parse(builtIn) })

// Default returns the built-in encoder. "sotto encoder distill" makes its
// table; NOTICE beside it says whose work it rests on.
func Default() (*Encoder, error) { return parsed() }

// DefaultDigest returns the SHA-256 of the built-in table, in hexadecimal.
func DefaultDigest() string {
	sum := sha256.Sum256(builtIn)
	return hex.EncodeToString(sum[:])
}
