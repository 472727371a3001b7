package server_test

import (
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"sotto/service/server"
	"sotto/service/server/kserve"
)

func varint(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

// TestParameters: each kind of parameter is the JSON of its value.
func TestParameters(t *testing.T) {
	double := protowire.AppendFixed64(protowire.AppendTag(nil, 4, protowire.Fixed64Type), math.Float64bits(0.5))
	minus := int64(-7)
	for want, value := range map[string][]byte{
		"true": varint(1, 1), "false": varint(1, 0), "-7": varint(2, uint64(minus)), `"a\"b"`: text(3, `a"b`), "0.5": double, "18446744073709551615": varint(5, math.MaxUint64),
		"null": nil, "8": slices.Concat(varint(1, 1), varint(2, 8)), // the last of a choice
	} {
		c, err := server.ParseInfer(part(4, text(1, "x"), part(2, value)))
		if got := string(c.Parameters["x"]); err != nil || got != want {
			t.Errorf("parameter %x is %s, %v, want %s", value, got, err, want)
		}
	}
	infinite := protowire.AppendFixed64(protowire.AppendTag(nil, 4, protowire.Fixed64Type), math.Float64bits(math.Inf(1)))
	for _, bad := range [][]byte{infinite, text(1, "x"), varint(3, 1)} {
		if _, err := server.ParseInfer(part(4, text(1, "x"), part(2, bad))); err == nil {
			t.Errorf("parameter %x was accepted", bad)
		}
	}
}

// TestForms: numbers and shapes that are written one by one are those that are
// written together, and fields of a newer protocol are passed over.
func TestForms(t *testing.T) {
	one := func(v float32) []byte {
		return protowire.AppendFixed32(protowire.AppendTag(nil, 6, protowire.Fixed32Type), math.Float32bits(v))
	}
	tensor := slices.Concat(text(1, "vector"), text(2, "FP32"), varint(3, 1), varint(3, 2), part(5, one(1), one(-2)), text(9, "new"), varint(10, 3))
	c, err := server.ParseInfer(slices.Concat(text(1, "m"), text(99, "new"), part(5, tensor)))
	if err != nil || c.ModelName != "m" || c.Raw || len(c.Inputs) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	if in := c.Inputs[0]; !slices.Equal(in.Shape, []int{1, 2}) || !slices.Equal(in.Floats, []float32{1, -2}) {
		t.Errorf("input is %+v", in)
	}
}

// FuzzParseInfer reads any message without a panic, and what it takes is in
// proportion to it.
func FuzzParseInfer(f *testing.F) {
	f.Add(slices.Concat(text(1, "m"), text(2, "1"), text(3, "id"), part(4, text(1, "sotto_privacy"), part(2, text(3, "{}"))),
		part(5, text(1, "vector"), text(2, "FP32"), part(3, []byte{1, 2}), part(5, part(6, make([]byte, 8)))), part(6, text(1, "class"))))
	f.Add(slices.Concat(part(5, text(1, "vector"), text(2, "FP32"), part(3, []byte{1, 1})), part(7, []byte{0, 0, 128, 63})))
	f.Add([]byte{0x0b, 0x0c})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := server.ParseInfer(b)
		if err != nil {
			return
		}
		n := 0
		for _, in := range c.Inputs {
			if err := in.Validate(); err != nil {
				t.Fatalf("an input was taken that is none: %v", err)
			}
			n += 4*len(in.Floats) + len(in.Shape)
		}
		if n > len(b) || len(c.Inputs) > 16 || len(c.Outputs) > 2048 {
			t.Errorf("%d bytes of numbers, %d inputs and %d outputs of %d bytes", n, len(c.Inputs), len(c.Outputs), len(b))
		}
		// An answer of the same tensors can be written.
		server.AppendInfer(nil, &kserve.Response{ModelName: c.ModelName, ID: c.ID, Outputs: c.Inputs}, c.Raw)
	})
}
