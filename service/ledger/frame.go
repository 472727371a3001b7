package ledger

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// errShort is what a frame is that does not end, or does not begin.
var errShort = errors.New("logfile: a frame is not whole")

func appendFrame(dst []byte, kind byte, count uint32, body []byte, seal LogSeal) []byte {
	start := len(dst)
	dst = append(dst, kind)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(body)))
	dst = binary.LittleEndian.AppendUint32(dst, count)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
	dst = append(dst, body...)
	dst = append(append(dst, seal.Head[:]...), seal.MAC[:]...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// reader reads frames one after the other.
type reader struct {
	in     *bufio.Reader
	head   [headSize]byte
	buffer []byte
	rest   []byte // of the frame, behind its head
	frame  Frame
}

// newReader reads what has so many bytes, of which it keeps no more than that in memory.
func newReader(r io.Reader, bytes int64) *reader {
	return &reader{in: bufio.NewReaderSize(r, int(min(max(bytes, 1<<12), 1<<18)))}
}

// next reads the frame that begins at an offset, and returns its length. The file
// has so many bytes.
func (r *reader) next(at, bytes int64) (*Frame, int64, error) {
	head := &r.head
	if err := r.fill(head[:]); err != nil {
		return nil, headSize, err
	}
	if binary.LittleEndian.Uint32(head[9:]) != crc32.Checksum(head[:9], castagnoli) {
		return nil, headSize, errShort
	}
	size := binary.LittleEndian.Uint32(head[1:])
	if int64(size) > bytes-at-headSize-tailSize || size > largest {
		return nil, headSize, errShort
	}
	if need := int(size) + tailSize; cap(r.buffer) < need {
		r.buffer = make([]byte, need)
	}
	rest := r.buffer[:int(size)+tailSize]
	r.rest = rest
	n := int64(headSize + len(rest))
	if err := r.fill(rest); err != nil {
		return nil, n, err
	}
	f := &r.frame
	f.Kind, f.Count = head[0], binary.LittleEndian.Uint32(head[5:])
	f.Body, f.Offset = rest[:size:size], at+headSize
	copy(f.Head[:], rest[size:])
	copy(f.MAC[:], rest[size+32:])
	sum := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, rest[:size+tailSize-4])
	f.Whole = sum == binary.LittleEndian.Uint32(rest[size+tailSize-4:])
	return f, n, nil
}

// raw yields the bytes of the frame that was read last.
func (r *reader) raw(yield func([]byte)) {
	yield(r.head[:])
	yield(r.rest)
}

// fill reads as many bytes as there is room for. The end of the file is errShort.
func (r *reader) fill(p []byte) error {
	_, err := io.ReadFull(r.in, p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errShort
	}
	return err
}
