package safetensors

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// dtype is a type of numbers, under the name that the format gives it.
type dtype string

// The types that become float32.
const (
	f16  dtype = "F16"
	bf16 dtype = "BF16"
	f32  dtype = "F32"
	f64  dtype = "F64"
)

// widths are the bytes of a number of each type. Those that do not become float32
// can only be skipped.
var widths = map[dtype]int{
	f16: 2, bf16: 2, f32: 4, f64: 8,
	"BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "U32": 4, "I32": 4, "U64": 8, "I64": 8,
}

// float reports whether numbers become float32.
func (d dtype) float() bool { return d == f16 || d == bf16 || d == f32 || d == f64 }

// read fills dst from in, whose bytes it takes in pieces.
func (d dtype) read(dst []float32, in io.Reader) error {
	size := widths[d]
	buf := make([]byte, min(len(dst)*size, 1<<16))
	for len(dst) > 0 {
		n := min(len(dst), len(buf)/size)
		if _, err := io.ReadFull(in, buf[:n*size]); err != nil {
			return err
		}
		if err := d.decode(dst[:n], buf); err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

// decode fills dst from the first bytes of b.
func (d dtype) decode(dst []float32, b []byte) error {
	switch d {
	case f16:
		for i := range dst {
			dst[i] = half(binary.LittleEndian.Uint16(b[2*i:]))
		}
	case bf16: // the upper half of a float32
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(b[2*i:])) << 16)
		}
	case f32:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case f64:
		for i := range dst {
			v := math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
			dst[i] = float32(v)
			if v-v == 0 && !finite(dst[i]) {
				return errRange
			}
		}
	}
	for _, v := range dst {
		if !finite(v) {
			return errNotFinite
		}
	}
	return nil
}

var (
	errRange     = errors.New("a number is outside the range of float32; scale the weights and write them again")
	errNotFinite = errors.New("a number is NaN or infinite, must be finite; train or export the model again")
)

func finite(v float32) bool { return v-v == 0 }

// half converts IEEE half precision, which is exact: 1 bit of sign, 5 of
// exponent with bias 15, 10 of fraction.
func half(u uint16) float32 {
	sign, exp, frac := uint32(u>>15)<<31, uint32(u>>10&31), uint32(u&1023)
	switch exp {
	case 0: // frac·2⁻²⁴, where 2⁻²⁴ and the product are normal floats
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case 31: // NaN and infinity
		exp = 255 - (127 - 15)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}
