package vecfile

import (
	"encoding/binary"
	"math"
)

// The decoders below fill dst from b, in little endian, and report whether every number is
// finite. A float is NaN or infinite if all bits of its exponent are set:
// adding one to the exponent then carries into the sign, and only then. So one
// addition and one OR per number find the fault, without a branch in the loop.

const (
	abs32, one32 = 1<<31 - 1, 1 << 23
	abs64, one64 = 1<<63 - 1, 1 << 52
)

// decode32 slices b so that the compiler sees whole words to load.
func decode32(dst []float64, b []byte) bool {
	var carry uint32
	b = b[:4*len(dst)]
	for i := range dst {
		u := binary.LittleEndian.Uint32(b[4*i : 4*i+4])
		carry |= u&abs32 + one32
		dst[i] = float64(math.Float32frombits(u))
	}
	return carry>>31 == 0
}

func decode64(dst []float64, b []byte) bool {
	var carry uint64
	b = b[:8*len(dst)]
	for i := range dst {
		u := binary.LittleEndian.Uint64(b[8*i : 8*i+8])
		carry |= u&abs64 + one64
		dst[i] = math.Float64frombits(u)
	}
	return carry>>63 == 0
}

// decode16 reads IEEE half precision: 1 bit of sign, 5 of exponent with bias
// 15, 10 of fraction.
func decode16(dst []float64, b []byte) bool {
	finite := true
	for i := range dst {
		u := binary.LittleEndian.Uint16(b[2*i:])
		exp, frac := int(u>>10&31), float64(u&1023)
		v := math.Ldexp(frac+1024, exp-25)
		switch {
		case exp == 0:
			v = math.Ldexp(frac, -24)
		case exp == 31 && frac != 0:
			v, finite = math.NaN(), false
		case exp == 31:
			v, finite = math.Inf(1), false
		}
		if u>>15 == 1 {
			v = -v
		}
		dst[i] = v
	}
	return finite
}

// encode32 writes rows to b as 32-bit floats and reports whether all of them
// are finite there.
func encode32(b []byte, rows []float64) bool {
	var carry uint32
	b = b[:4*len(rows)]
	for i, v := range rows {
		u := math.Float32bits(float32(v))
		carry |= u&abs32 + one32
		binary.LittleEndian.PutUint32(b[4*i:4*i+4], u)
	}
	return carry>>31 == 0
}

// encode64 writes rows to b as 64-bit floats and reports whether all of them
// are finite.
func encode64(b []byte, rows []float64) bool {
	var carry uint64
	b = b[:8*len(rows)]
	for i, v := range rows {
		u := math.Float64bits(v)
		carry |= u&abs64 + one64
		binary.LittleEndian.PutUint64(b[8*i:8*i+8], u)
	}
	return carry>>63 == 0
}
