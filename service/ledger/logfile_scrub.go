package ledger

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"sync"
)

// block is how much of a log has a fingerprint of its own.
const block = 1 << 20

// fingerprint is what a process knows of the frames that it has read or written, by
// a key that nobody else has: what it finds in their place later must be the same,
// with whatever checksums.
type fingerprint struct {
	mu   sync.Mutex // guards the rest
	full []uint64   // of the blocks that are
	last maphash.Hash
	size int // of the last
}

// add takes bytes that follow.
func (f *fingerprint) add(p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(p) > 0 {
		n := min(len(p), block-f.size)
		f.last.Write(p[:n])
		if f.size += n; f.size == block {
			f.full = append(f.full, f.last.Sum64())
			f.last.Reset()
			f.size = 0
		}
		p = p[n:]
	}
}

// of returns the fingerprint of a block, its size, 0 behind the last, and its key.
func (f *fingerprint) of(i int) (sum uint64, size int, seed maphash.Seed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i < len(f.full) {
		return f.full[i], block, f.last.Seed()
	}
	return f.last.Sum64(), f.size, f.last.Seed()
}

// Scrub reads what a writer has read or written before once more, and refuses
// anything else in its place. Between blocks it asks whether to go on, after so
// many bytes. Others may append and read meanwhile.
func (l *LogFile) Scrub(on func(bytes int) bool) error {
	buffer := make([]byte, block)
	for i := 0; ; i++ {
		sum, size, seed := l.whole.of(i)
		if size == 0 {
			return nil
		}
		at := firstFrame + int64(i)*block
		n, err := l.f.ReadAt(buffer[:size], at)
		if n == size && maphash.Bytes(seed, buffer[:size]) == sum {
			if !on(size) || size < block {
				return nil
			}
			continue
		}
		if n < size && !errors.Is(err, io.EOF) {
			return err
		}
		return l.notWhole(at)
	}
}

// notWhole says where a log is not what it was, as closely as it can be told of a
// block.
func (l *LogFile) notWhole(at int64) error {
	end := l.end.Load()
	in := newReader(io.NewSectionReader(l.f, firstFrame, end-firstFrame), end-firstFrame)
	for place := int64(firstFrame); place < end; {
		frame, n, err := in.next(place, end)
		if err != nil || !frame.Whole {
			return fmt.Errorf("%w: the frame at byte %d is not what was written", ErrLogDamaged, place)
		}
		place += n
	}
	// Somebody has mended the checksums.
	return fmt.Errorf("%w: bytes from %d on are not what was written", ErrLogDamaged, at)
}
