package svec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

const (
	magic      = "SVEC\r\n\x1a\n"
	version    = 1
	headerSize = 4096
	stampAt    = headerSize - sha256.Size // of the header's own digest
	notesAt    = 88                       // of the name and the licence
	maxNotes   = stampAt - notesAt        // bytes of both

	maxWords = math.MaxInt32
	maxDim   = 1 << 20
)

// Numbers is how the numbers of a file are kept. Its value is its name.
type Numbers string

// The ways in use.
const (
	// Int8 keeps a coordinate in one byte and a scale for each row: a coordinate
	// is off by at most 1/254 of the largest of its row.
	Int8 Numbers = "int8"
	// Float32 keeps coordinates as they are.
	Float32 Numbers = "float32"
)

// Info is what the header of a file says.
type Info struct {
	Name    string  `json:"name"`    // of the vectors, such as "GloVe 6B 100d"
	Licence string  `json:"licence"` // what may be done with them, in words
	Words   int     `json:"words"`
	Dim     int     `json:"dim"`
	Numbers Numbers `json:"numbers"`
	Sorted  bool    `json:"sorted"` // the commonest word first
	SHA256  string  `json:"sha256"` // of the body, in hexadecimal
}

// header is the header of a file, decoded.
type header struct {
	Info
	slots  int64 // a power of two
	text   int64 // bytes of words
	probes int   // at most slots
}

// stride is the number of bytes of a row.
func (h *header) stride() int64 {
	if h.Numbers == Float32 {
		return 4 * int64(h.Dim)
	}
	return int64(4+h.Dim+3) &^ 3
}

// sections returns where the table, the offsets and the words begin, and where
// the file ends.
func (h *header) sections() (table, offsets, words, end int64) {
	table = headerSize + (int64(h.Words)*h.stride()+7)&^7
	offsets = table + 8*h.slots
	words = offsets + 4*(int64(h.Words)+1)
	return table, offsets, words, words + h.text
}

// encode renders the header.
func (h *header) encode() ([]byte, error) {
	if len(h.Name)+len(h.Licence) > maxNotes {
		return nil, fmt.Errorf("name and licence have %d bytes, must have at most %d", len(h.Name)+len(h.Licence), maxNotes)
	}
	if !utf8.ValidString(h.Name) || !utf8.ValidString(h.Licence) {
		return nil, errors.New("name or licence is not UTF-8, must be")
	}
	b := make([]byte, headerSize)
	copy(b, magic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], version)
	if h.Numbers == Int8 {
		le.PutUint32(b[12:], 1)
	}
	le.PutUint64(b[16:], uint64(h.Words))
	le.PutUint32(b[24:], uint32(h.Dim))
	if h.Sorted {
		le.PutUint32(b[28:], 1)
	}
	le.PutUint64(b[32:], uint64(h.slots))
	le.PutUint64(b[40:], uint64(h.text))
	body, err := hex.DecodeString(h.SHA256)
	if err != nil {
		return nil, err
	}
	copy(b[48:80], body)
	le.PutUint32(b[80:], uint32(h.probes))
	le.PutUint16(b[84:], uint16(len(h.Name)))
	le.PutUint16(b[86:], uint16(len(h.Licence)))
	copy(b[notesAt:], h.Name+h.Licence)
	stamp(b)
	return b, nil
}

// stamp writes the digest of a header into its end.
func stamp(b []byte) {
	sum := sha256.Sum256(b[:stampAt])
	copy(b[stampAt:], sum[:])
}

// decodeHeader reads a header and refuses one that no file of so many bytes can
// have.
func decodeHeader(b []byte, size int64) (*header, error) {
	if len(b) < headerSize || string(b[:8]) != magic {
		return nil, errors.New("it is no file of mapped word vectors")
	}
	le := binary.LittleEndian
	if v := le.Uint32(b[8:]); v != version {
		return nil, fmt.Errorf("its version is %d, must be %d: convert it again", v, version)
	}
	if sum := sha256.Sum256(b[:stampAt]); !bytes.Equal(sum[:], b[stampAt:headerSize]) {
		return nil, errors.New("its header is damaged: copy or convert it again")
	}
	numbers, flags := le.Uint32(b[12:]), le.Uint32(b[28:])
	words, dim := le.Uint64(b[16:]), le.Uint32(b[24:])
	slots, text, probes := le.Uint64(b[32:]), le.Uint64(b[40:]), le.Uint32(b[80:])
	name, licence := int(le.Uint16(b[84:])), int(le.Uint16(b[86:]))
	switch {
	case words < 1 || words > maxWords || dim < 1 || dim > maxDim:
		return nil, fmt.Errorf("it has %d words of %d numbers, must have 1 to %d of 1 to %d", words, dim, maxWords, maxDim)
	case numbers > 1 || flags > 1:
		return nil, fmt.Errorf("its numbers and flags are %d and %d, must be 0 or 1", numbers, flags)
	case slots < words || slots > 1<<34 || slots&(slots-1) != 0 || probes < 1 || uint64(probes) > slots || text > math.MaxUint32:
		return nil, fmt.Errorf("its table has %d slots and %d probes, and its words %d bytes, which do not fit each other", slots, probes, text)
	case name+licence > maxNotes || !utf8.Valid(b[notesAt:notesAt+name]) || !utf8.Valid(b[notesAt+name:notesAt+name+licence]):
		return nil, errors.New("its name or licence is no text")
	}
	h := &header{Info: Info{
		Name: string(b[notesAt : notesAt+name]), Licence: string(b[notesAt+name : notesAt+name+licence]),
		Words: int(words), Dim: int(dim), Numbers: Float32, Sorted: flags == 1, SHA256: hex.EncodeToString(b[48:80]),
	}, slots: int64(slots), text: int64(text), probes: int(min(uint64(probes), maxWords))}
	if numbers == 1 {
		h.Numbers = Int8
	}
	if _, _, _, end := h.sections(); end != size || size > math.MaxInt {
		return nil, fmt.Errorf("it has %d bytes, its header promises %d: copy or convert it again", size, end)
	}
	return h, nil
}
