package svec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"

	"sotto/internal/regular"
	"sotto/text/encode/wordfile"
)

// File is an open file of word vectors. It is safe for concurrent use, and is
// unmapped when nothing refers to it any more.
type File struct {
	head                         header
	body                         []byte // all behind the header
	rows, table, offsets, letter []byte // parts of body
	width                        int    // the stride
	mask                         uint64
}

// Open opens the file at path. It reads the header alone; see [File.Verify].
func Open(path string) (*File, error) {
	in, size, err := regular.Open(path, regular.Most)
	if err != nil {
		return nil, fmt.Errorf("svec: %w", err)
	}
	defer in.Close() //nolint:errcheck // a mapping outlives it
	f, err := open(in, size)
	if err != nil {
		return nil, fmt.Errorf("svec: %s: %w", path, err)
	}
	return f, nil
}

// open maps a file of the given size.
func open(in *os.File, size int64) (*File, error) {
	head := make([]byte, headerSize)
	n, err := io.ReadFull(in, head)
	if err != nil && n == 0 && size > 0 {
		return nil, err
	}
	h, err := decodeHeader(head[:n], size)
	if err != nil {
		return nil, err
	}
	data, unmap, err := mapFile(in, int(size))
	if err != nil {
		return nil, err
	}
	f := newFile(h, data)
	runtime.AddCleanup(f, func(data []byte) { unmap(data) }, data)
	return f, nil
}

// newFile divides the bytes of a file, whose number the header was checked by.
func newFile(h *header, data []byte) *File {
	table, offsets, words, end := h.sections()
	return &File{
		head: *h, body: data[headerSize:], width: int(h.stride()), mask: uint64(h.slots) - 1,
		rows: data[headerSize:table], table: data[table:offsets], offsets: data[offsets:words], letter: data[words:end],
	}
}

// Info returns what the header says.
func (f *File) Info() Info { return f.head.Info }

// Find returns the row of a word, exactly as the file writes the word, and
// whether there is one. The first row is 0.
func (f *File) Find(word string) (row int, ok bool) {
	h := hash(word)
	tag, i := uint32(h>>32), h&f.mask
	for range f.head.probes {
		slot := binary.LittleEndian.Uint64(f.table[8*i:])
		if uint32(slot) == 0 {
			break
		}
		row = int(uint32(slot) - 1)
		if uint32(slot>>32) == tag && string(f.word(row)) == word {
			runtime.KeepAlive(f) // until here its bytes are read
			return row, true
		}
		i = (i + 1) & f.mask
	}
	runtime.KeepAlive(f)
	return 0, false
}

// Word returns the word of a row, "" if the file is damaged there. It panics if
// there is no such row.
func (f *File) Word(row int) string {
	f.check(row)
	word := string(f.word(row))
	runtime.KeepAlive(f)
	return word
}

// word returns the bytes of a word, nil where the file is damaged.
func (f *File) word(row int) []byte {
	if uint(row) >= uint(f.head.Words) {
		return nil
	}
	at := f.offsets[4*row:]
	first, last := binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])
	if first > last || uint64(last) > uint64(len(f.letter)) {
		return nil
	}
	return f.letter[first:last]
}

// check panics if there is no such row.
func (f *File) check(row int) {
	if uint(row) >= uint(f.head.Words) {
		panic(fmt.Sprintf("svec: row is %d, want one below %d", row, f.head.Words))
	}
}

// Verify reads the whole file and returns an error unless it is as it was made.
// Whatever it says, using the file is safe; an encoder of a damaged one is wrong.
func (f *File) Verify() error {
	sum := sha256.Sum256(f.body)
	runtime.KeepAlive(f)
	if hex.EncodeToString(sum[:]) != f.head.SHA256 {
		return fmt.Errorf("svec: %s is damaged: its SHA-256 is %x, must be %s; copy or convert it again", f.head.Name, sum, f.head.SHA256)
	}
	for row := range f.head.Words {
		b := f.rows[row*f.width : row*f.width+f.width]
		if n, _ := f.Find(f.Word(row)); n != row || !sound(b, f.head.Numbers) {
			return fmt.Errorf("svec: row %d of %s is unsound, must be a word of its own with finite numbers", row, f.head.Name)
		}
	}
	return nil
}

// sound reports whether the numbers of a row are such as [Convert] writes.
func sound(b []byte, n Numbers) bool {
	if n == Int8 {
		b = b[:4]
	}
	for ; len(b) > 0; b = b[4:] {
		if !(math.Abs(float64(float(b))) <= wordfile.MaxNumber) {
			return false
		}
	}
	return true
}

// hash is FNV-1a with 64 bits and the finaliser of MurmurHash3, because FNV
// leaves the upper bits of short words alike.
func hash[T string | []byte](word T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 0x100000001b3
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
