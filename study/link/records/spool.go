package records

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"os"
	"slices"
)

// This part of the package finds the pairs of rows that are worth a comparison, on disk: rows
// that share a key are a block, and pairs of rows of a block are candidates.
//
// What is in memory does not grow with the number of keys or pairs: they lie in a
// temporary file, divided so that each part can be sorted alone. A small table never
// touches the disk.
//
//	f := NewFinder(rows, BlockOptions{})
//	defer f.Close()
//	f.Add(row, key) // every key of every row
//	found, err := f.Pairs(ctx)

// An Entry is a number and what belongs to it.
type entry struct {
	Key   uint64
	Value uint32
}

// entrySize is that of an entry in a file.
const entrySize = 12

// A Spool keeps entries in parts: in memory while they are few, else in a file that is
// gone when the process ends, however it ends.
type spool struct {
	most   int // entries in memory
	parts  [][]entry
	held   int // entries in memory
	size   []int
	places [][]place
	file   *os.File
	end    int64
}

// A place is where some entries of a part lie.
type place struct {
	at int64
	n  int
}

// held is how many entries a spool keeps in memory, 32 MB. It is a variable for tests
// alone.
var held = 2 << 20

// newSpool returns an empty spool of so many parts.
func newSpool(parts int) *spool {
	return &spool{most: held, parts: make([][]entry, parts), size: make([]int, parts), places: make([][]place, parts)}
}

// Add adds an entry to a part.
func (s *spool) Add(part int, e entry) error {
	if s.held == s.most {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.parts[part] = append(s.parts[part], e)
	s.size[part]++
	s.held++
	return nil
}

// Parts returns how many parts there are.
func (s *spool) Parts() int { return len(s.parts) }

// Size returns how many entries a part has.
func (s *spool) Size(part int) int { return s.size[part] }

// Len returns how many entries there are in all.
func (s *spool) Len() int {
	sum := 0
	for _, n := range s.size {
		sum += n
	}
	return sum
}

// flush moves what is in memory to the file.
func (s *spool) flush() error {
	if s.file == nil {
		f, err := temporary()
		if err != nil {
			return err
		}
		s.file = f
	}
	if _, err := s.file.Seek(s.end, io.SeekStart); err != nil {
		return err
	}
	w := bufio.NewWriterSize(s.file, 1<<20)
	var b [entrySize]byte
	for p, entries := range s.parts {
		if len(entries) == 0 {
			continue
		}
		for _, e := range entries {
			binary.LittleEndian.PutUint64(b[:], e.Key)
			binary.LittleEndian.PutUint32(b[8:], e.Value)
			if _, err := w.Write(b[:]); err != nil {
				return err
			}
		}
		s.places[p] = append(s.places[p], place{s.end, len(entries)})
		s.end += int64(len(entries)) * entrySize
		s.parts[p] = entries[:0]
		if cap(entries) > 2*s.most/len(s.parts) { // all parts together would keep far more than was ever held
			s.parts[p] = nil
		}
	}
	s.held = 0
	return w.Flush()
}

// Read returns the entries of a part, in the order in which they were added, in the
// place of into, which may be nil.
func (s *spool) Read(part int, into []entry) ([]entry, error) {
	out := slices.Grow(into[:0], s.size[part])
	buf := make([]byte, 0)
	for _, p := range s.places[part] {
		buf = slices.Grow(buf[:0], p.n*entrySize)[:p.n*entrySize]
		if _, err := s.file.ReadAt(buf, p.at); err != nil {
			return nil, err
		}
		for k := 0; k < len(buf); k += entrySize {
			out = append(out, entry{binary.LittleEndian.Uint64(buf[k:]), binary.LittleEndian.Uint32(buf[k+8:])})
		}
	}
	return append(out, s.parts[part]...), nil
}

// Close gives the room on disk back. The spool is of no use then.
func (s *spool) Close() {
	if s != nil && s.file != nil {
		discard(s.file)
		s.file = nil
	}
}

// sort orders entries by key, then by value.
func sort(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		if c := cmp.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return cmp.Compare(a.Value, b.Value)
	})
}

// temporary returns a file that only this user can read. Where the system allows it, it
// has no name any more.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "sotto-link-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // Windows keeps the name until the file is closed
	return f, nil
}

// discard closes a file and removes what is left of it. What an error here would lose is
// room on disk, of which nobody could do more.
func discard(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}
