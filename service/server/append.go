package server

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"sotto/service/server/kserve"
)

// appendFlag appends a message of one truth value: that a server lives or is
// ready, or that a model is.
func appendFlag(b []byte, flag bool) []byte {
	if !flag { // which is not written
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), 1)
}

// appendStatus appends a message of one number, as the protocol of health has it.
func appendStatus(b []byte, status uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), status)
}

// appendServer appends a ServerMetadataResponse.
func appendServer(b []byte, name, version string, extensions []string) []byte {
	b = text(text(b, 1, name), 2, version)
	return texts(b, 3, extensions)
}

// appendModel appends a ModelMetadataResponse.
func appendModel(b []byte, name string, versions []string, platform string, inputs, outputs []kserve.TensorInfo) []byte {
	b = texts(text(b, 1, name), 2, versions)
	b = text(b, 3, platform)
	for number, all := range [...][]kserve.TensorInfo{4: inputs, 5: outputs} {
		for _, t := range all {
			b = within(b, protowire.Number(number), dims(text(text(nil, 1, t.Name), 2, t.Datatype), t.Shape))
		}
	}
	return b
}

// AppendInfer appends a ModelInferResponse, with raw contents if that is wanted.
func AppendInfer(b []byte, res *kserve.Response, raw bool) []byte {
	b = text(text(text(b, 1, res.ModelName), 2, res.ModelVersion), 3, res.ID)
	for _, t := range res.Outputs {
		m := dims(text(text(nil, 1, t.Name), 2, t.Datatype), t.Shape)
		if !raw {
			m = within(m, 5, contents(t))
		}
		b = within(b, 5, m)
	}
	for _, t := range res.Outputs {
		if raw {
			b = within(b, 6, packed(t))
		}
	}
	return b
}

// contents returns the InferTensorContents of a tensor.
func contents(t kserve.Tensor) []byte {
	if t.Datatype == kserve.FP32 {
		return within(nil, 6, packed(t))
	}
	var b []byte
	for _, s := range t.Strings {
		b = protowire.AppendString(protowire.AppendTag(b, 8, protowire.BytesType), s) // also an empty one
	}
	return b
}

// packed returns the elements one after the other: floats with the least
// significant byte first, strings each after its length.
func packed(t kserve.Tensor) []byte {
	b := make([]byte, 0, 4*len(t.Floats))
	for _, v := range t.Floats {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	for _, s := range t.Strings {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

// text appends a string, unless it is empty, which is not written.
func text(b []byte, number protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), s)
}

func texts(b []byte, number protowire.Number, all []string) []byte {
	for _, s := range all {
		b = protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), s)
	}
	return b
}

// within appends a message or bytes.
func within(b []byte, number protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), m)
}

// dims appends a shape as field 3.
func dims(b []byte, shape []int) []byte {
	var m []byte
	for _, d := range shape {
		m = protowire.AppendVarint(m, uint64(int64(d))) // a negative one has ten bytes
	}
	return within(b, 3, m)
}
