package safetensors

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/internal/atomicfile"
)

// Write writes f to path, which then holds all of it or what it held before.
func Write(path string, f *File) error { return write(path, f, true) }

// WritePrivate is Write of a file that its owner alone may read.
func WritePrivate(path string, f *File) error { return write(path, f, false) }

func write(path string, f *File, shared bool) error {
	out, err := atomicfile.Create(path)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	defer out.Abort()
	if shared {
		out.Shared()
	}
	if err := Encode(out, f); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return nil
}

// Encode writes f to w as F32. Equal contents give equal bytes: tensors and
// metadata are in order of name, and spaces pad the header so that the data
// begins at a multiple of eight. A File that [Decode] would refuse is an error,
// and then nothing is written.
func Encode(w io.Writer, f *File) error {
	tensors := sorted(f.Tensors)
	head, err := encodeHeader(tensors, f.Metadata)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(head))))
	out.Write(head)
	// One buffer for all: the weights of a transformer would otherwise leave behind
	// as much garbage as they have bytes.
	piece := make([]byte, 0, 4*1024)
	for _, t := range tensors {
		for some := range slices.Chunk(t.Data, 1024) {
			piece = piece[:0]
			for _, v := range some {
				piece = binary.LittleEndian.AppendUint32(piece, math.Float32bits(v))
			}
			out.Write(piece)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return nil
}

// encodeHeader checks the tensors, which are in order of name, and returns
// their padded header.
func encodeHeader(tensors []Tensor, metadata map[string]string) ([]byte, error) {
	var head bytes.Buffer
	head.WriteByte('{')
	if len(metadata) > 0 {
		head.WriteString(quote(metadataKey) + ":{")
		for i, key := range slices.Sorted(maps.Keys(metadata)) {
			value := metadata[key]
			if !utf8.ValidString(key) || !utf8.ValidString(value) {
				return nil, fmt.Errorf("metadata %.60q is not UTF-8, must be", key)
			}
			fmt.Fprintf(&head, "%s%s:%s", comma(i), quote(key), quote(value))
		}
		head.WriteByte('}')
		head.WriteString(comma(len(tensors)))
	}
	at := 0
	for i, t := range tensors {
		if err := t.validate(); err != nil {
			return nil, err
		}
		if i > 0 && t.Name == tensors[i-1].Name {
			return nil, fmt.Errorf("tensor %.60q occurs twice, must occur once", t.Name)
		}
		shape := strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ",")
		fmt.Fprintf(&head, `%s%s:{"dtype":"F32","shape":%s,"data_offsets":[%d,%d]}`, comma(i), quote(t.Name), shape, at, at+4*len(t.Data))
		at += 4 * len(t.Data)
	}
	head.WriteByte('}')
	for head.Len()%lengthSize != 0 {
		head.WriteByte(' ')
	}
	if head.Len() > maxHeader {
		return nil, fmt.Errorf("header has %d bytes, must have at most %d: give fewer tensors or less metadata", head.Len(), maxHeader)
	}
	return head.Bytes(), nil
}

// validate reports what no reader would accept.
func (t Tensor) validate() error {
	if t.Name == "" || t.Name == metadataKey || !utf8.ValidString(t.Name) {
		return fmt.Errorf("name of a tensor is %.60q, must be UTF-8, not empty and not %s", t.Name, metadataKey)
	}
	if len(t.Shape) > maxRank {
		return fmt.Errorf("tensor %.60q has %d dimensions, must have at most %d", t.Name, len(t.Shape), maxRank)
	}
	n, ok := product(t.Shape)
	if !ok || slices.ContainsFunc(t.Shape, func(d int) bool { return d < 0 }) || n != uint64(len(t.Data)) {
		return fmt.Errorf("tensor %.60q has shape %v and %d numbers, must have as many as its shape says", t.Name, t.Shape, len(t.Data))
	}
	for _, v := range t.Data {
		if !finite(v) {
			return fmt.Errorf("tensor %.60q: %w", t.Name, errNotFinite)
		}
	}
	return nil
}

// comma is what stands before item i of a list.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// quote returns s, which is UTF-8, as a JSON string.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// A string can always be written to a strings.Builder.
	_ = e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}
