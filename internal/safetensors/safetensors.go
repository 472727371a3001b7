// Package safetensors reads and writes the weights of models in the safetensors
// format: eight bytes that hold the length of a header, the header in JSON, and
// the numbers of each tensor, all in little endian.
//
// What is read is checked as a whole before any of it is returned, and memory
// is taken only for bytes that are there. Weights are finite: NaN and infinity
// are refused in both directions, because a model that holds them answers
// nothing. It is not for vectors of texts, which package vecfile reads, nor for
// files larger than memory. The smallest use is
//
//	err := safetensors.Write(path, &safetensors.File{Tensors: []safetensors.Tensor{
//		{Name: "bias", Shape: []int{2}, Data: []float32{1, 2}},
//	}})
//	…
//	f, err := safetensors.Read(path)
//	…
//	bias, ok := f.Tensor("bias")
package safetensors

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"sotto/internal/regular"
)

// Tensor is a named array of numbers in row-major order. The product of Shape,
// which is 1 if Shape is empty, is the length of Data.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// File is what a file holds.
type File struct {
	Tensors  []Tensor          // sorted by name by whatever returns a File
	Metadata map[string]string // nil if there is none
}

// Tensor returns the tensor of that name, sharing its memory, and whether there
// is one.
func (f *File) Tensor(name string) (Tensor, bool) {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}

// sorted returns the tensors by name.
func sorted(tensors []Tensor) []Tensor {
	return slices.SortedFunc(slices.Values(tensors), func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
}

// Read reads the file at path. Numbers of 16 and 64 bits (F16, BF16, F64)
// become float32; any other type of number is an error that names it, and so is
// a file that is not as the format demands in every byte.
func Read(path string) (*File, error) { return ReadOnly(path, everything) }

// ReadOnly reads those tensors of the file at path whose names wanted accepts.
// The others take no memory, and their numbers are not looked at: they may be
// whole numbers or truth values too, such as the positions that some models
// store. Where they lie in the file is checked all the same.
func ReadOnly(path string, wanted func(name string) bool) (*File, error) {
	in, size, err := regular.Open(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	f, err := decode(in, size, wanted)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %s: %w", path, err)
	}
	return f, nil
}

// Decode reads the content of a file, as [Read] does.
func Decode(content []byte) (*File, error) {
	f, err := decode(bytes.NewReader(content), int64(len(content)), everything)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return f, nil
}

func everything(string) bool { return true }

// decode reads the wanted tensors of a file of the given size.
func decode(in io.ReaderAt, size int64, wanted func(name string) bool) (*File, error) {
	text, err := headerText(in, size)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(text)
	if err != nil {
		return nil, err
	}
	for i := range h.entries {
		h.entries[i].skip = !wanted(h.entries[i].name)
	}
	begin := lengthSize + int64(len(text))
	if err := h.checkLayout(size - begin); err != nil {
		return nil, err
	}
	f := &File{Metadata: h.metadata}
	for _, e := range h.entries {
		if e.skip {
			continue
		}
		data := make([]float32, e.count)
		if err := e.dtype.read(data, io.NewSectionReader(in, begin+e.begin, e.end-e.begin)); err != nil {
			return nil, fmt.Errorf("tensor %.60q: %w", e.name, err)
		}
		f.Tensors = append(f.Tensors, Tensor{Name: e.name, Shape: e.shape, Data: data})
	}
	f.Tensors = sorted(f.Tensors)
	return f, nil
}
