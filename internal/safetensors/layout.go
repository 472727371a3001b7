package safetensors

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
)

// What the format fixes, and bounds of ours on the rank of a tensor, since a shape
// is memory that no data backs, and on a file, which may be longer than its disk.
const (
	lengthSize = 8 // bytes before the header
	maxHeader  = 100_000_000
	maxRank    = 32
	maxFile    = 8 << 30 // several times the largest transformer of sentences
)

// What to do about a file that is refused.
const (
	copyAgain  = "copy or download it again"
	writeAgain = "write it again with a safetensors library"
)

// entry is what a header says of one tensor.
type entry struct {
	name       string
	dtype      dtype
	shape      []int
	begin, end int64 // of the bytes, from the end of the header
	skip       bool  // it is not wanted
	count      int   // of the numbers; known once the layout is checked
}

// headerText returns the header of a file of the given size.
func headerText(in io.ReaderAt, size int64) ([]byte, error) {
	var start [lengthSize + 1]byte
	n, err := in.ReadAt(start[:min(size, int64(len(start)))], 0)
	if err != nil && int64(n) < min(size, int64(len(start))) {
		return nil, err
	}
	length := binary.LittleEndian.Uint64(start[:])
	switch {
	case n < lengthSize:
		return nil, fmt.Errorf("truncated: it holds %d bytes, must hold at least %d; %s", size, lengthSize, copyAgain)
	case length > maxHeader:
		return nil, fmt.Errorf("foreign: not a safetensors file: its header would have %d bytes, must have at most %d; %s", length, maxHeader, writeAgain)
	case n > lengthSize && (length == 0 || start[lengthSize] != '{'):
		return nil, fmt.Errorf("foreign: not a safetensors file: its header does not begin with a brace; %s", writeAgain)
	case int64(length) > size-lengthSize:
		return nil, fmt.Errorf("truncated: it holds %d bytes after the first %d, its header alone has %d; %s", size-lengthSize, lengthSize, length, copyAgain)
	case length == 0:
		return nil, fmt.Errorf("truncated: its header is empty; %s", copyAgain)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(in, lengthSize, int64(length)), text); err != nil {
		return nil, err
	}
	return text, nil
}

// checkLayout makes sure that the tensors fill the given number of bytes, one
// after the other, and counts their numbers.
func (h *header) checkLayout(size int64) error {
	slices.SortFunc(h.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.name, b.name))
	})
	at := int64(0)
	for i := range h.entries {
		e := &h.entries[i]
		width := widths[e.dtype]
		switch {
		case width == 0 && e.skip:
			return fmt.Errorf("unsupported: tensor %.60q has dtype %.20q, which is unknown; convert it to F32 or leave it out", e.name, string(e.dtype))
		case !e.skip && !e.dtype.float():
			return fmt.Errorf("unsupported: tensor %.60q has dtype %.20q, must have F32, F16, BF16 or F64; convert it to F32 or leave it out", e.name, string(e.dtype))
		case e.begin > e.end:
			return e.damaged("its data begins at %d and ends at %d", e.begin, e.end)
		case e.begin < at:
			return e.damaged("its data begins at %d, before that of another tensor ends at %d", e.begin, at)
		case e.begin > at:
			return e.damaged("its data begins at %d, which leaves a hole after %d", e.begin, at)
		case e.end > size:
			return fmt.Errorf("truncated: tensor %.60q ends at byte %d of the data, the file holds %d; %s", e.name, e.end, size, copyAgain)
		}
		count, ok := product(e.shape)
		over, bytes := bits.Mul64(count, uint64(width))
		if !ok || over != 0 || bytes != uint64(e.end-e.begin) {
			return e.damaged("its data has %d bytes, which is not what its shape and type %s need", e.end-e.begin, e.dtype)
		}
		if count > math.MaxInt/8 { // only where an int has 32 bits
			return fmt.Errorf("tensor %.60q has %d numbers, must have at most %d on this machine", e.name, count, math.MaxInt/8)
		}
		e.count, at = int(count), e.end
	}
	if at != size {
		return fmt.Errorf("damaged: %d bytes follow the data of the last tensor, must be none; %s", size-at, writeAgain)
	}
	return nil
}

// damaged says what is wrong with a tensor.
func (e *entry) damaged(format string, args ...any) error {
	return fmt.Errorf("damaged: tensor %.60q: %s; %s", e.name, fmt.Sprintf(format, args...), writeAgain)
}

// product returns the number of elements of a shape, and whether it fits. A
// zero makes it zero, whatever else there is.
func product(shape []int) (uint64, bool) {
	if slices.Contains(shape, 0) {
		return 0, true
	}
	n := uint64(1)
	for _, d := range shape {
		over, low := bits.Mul64(n, uint64(d))
		if d < 0 || over != 0 {
			return 0, false
		}
		n = low
	}
	return n, true
}
