package rowfile

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

const (
	maxPage       = 256 << 20 // bytes
	maxPageValues = 1 << 24
	maxPageHeader = 64 << 10
)

// Errors of [Pages.Next].
var (
	// ErrPage is returned for a page header that no writer writes.
	ErrPage = errors.New("page cannot be decoded")

	// ErrLarge is returned for a page that could exhaust the memory.
	ErrLarge = errors.New("page is too large")
)

// Pages walks over the page headers of a column chunk ahead of the
// library, which would allocate whatever a header claims.
type Pages struct {
	at     io.ReaderAt
	plain  bool // the chunk is not compressed
	offset int64
	end    int64
	buf    []byte
}

// Page is what a page header says.
type Page struct {
	// Bytes bounds what the values can be decoded from. In a chunk that is not
	// compressed it is what lies in the file, whatever else the header says.
	Bytes    int64
	Values   int64 // missing ones too
	Encoding format.Encoding

	kind         format.PageType
	compressed   int64 // bytes in the file
	uncompressed int64 // bytes
}

// NewPages returns the pages of a column chunk.
func NewPages(at io.ReaderAt, m *format.ColumnMetaData) *Pages {
	first, n := chunkRange(m)
	return &Pages{at: at, plain: m.Codec == format.Uncompressed, offset: first, end: first + n}
}

// Next returns the next data page, or [io.EOF].
func (s *Pages) Next() (Page, error) {
	for s.offset < s.end {
		info, err := s.header()
		if err != nil {
			return info, err
		}
		if info.compressed < 0 || info.compressed > s.end-s.offset || info.uncompressed < 0 || info.Values < 0 {
			return info, ErrPage
		}
		if info.compressed > maxPage || info.uncompressed > maxPage || info.Values > maxPageValues {
			return info, ErrLarge
		}
		s.offset += info.compressed
		if info.kind != format.DictionaryPage {
			if info.Bytes = info.uncompressed; s.plain {
				info.Bytes = info.compressed
			}
			return info, nil
		}
	}
	return Page{}, io.EOF
}

// header reads a page header and moves behind it.
func (s *Pages) header() (Page, error) {
	// Almost all headers fit the first size.
	for _, size := range []int64{512, maxPageHeader} {
		size = min(size, s.end-s.offset)
		if int64(len(s.buf)) < size {
			s.buf = make([]byte, size)
		}
		if _, err := s.at.ReadAt(s.buf[:size], s.offset); err != nil {
			return Page{}, err
		}
		var info Page
		w := walker{b: s.buf[:size], visit: info.visit}
		if w.structure(); !w.bad {
			s.offset += int64(w.i)
			return info, nil
		}
	}
	return Page{}, ErrPage
}

// visit takes the fields wanted, by their numbers in parquet.thrift: 5, 7 and
// 8 hold what is particular to data pages, dictionaries and data pages v2.
func (p *Page) visit(path []int16, v int64) {
	switch {
	case len(path) == 1:
		switch path[0] {
		case 1:
			p.kind = format.PageType(v)
		case 2:
			p.uncompressed = v
		case 3:
			p.compressed = v
		}
	case len(path) != 2 || path[0] != 5 && path[0] != 7 && path[0] != 8:
	case path[1] == 1:
		p.Values = v
	case path[1] == 2 && path[0] == 5, path[1] == 4 && path[0] == 8:
		p.Encoding = format.Encoding(v)
	}
}
