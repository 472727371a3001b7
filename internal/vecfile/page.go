package vecfile

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

var (
	errPage      = errors.New("page cannot be decoded")
	errPageLarge = errors.New("page is too large")
)

// pageScan walks over the page headers of a column chunk ahead of the
// library, which would allocate whatever a header claims.
type pageScan struct {
	at     io.ReaderAt
	plain  bool // the chunk is not compressed
	offset int64
	end    int64
	buf    []byte
}

// pageInfo is what a page header says.
type pageInfo struct {
	kind         format.PageType
	compressed   int64
	uncompressed int64
	values       int64
	encoding     format.Encoding
}

// next returns the next data page, or [io.EOF].
func (s *pageScan) next() (pageInfo, error) {
	for s.offset < s.end {
		info, err := s.header()
		if err != nil {
			return info, err
		}
		if info.compressed < 0 || info.compressed > s.end-s.offset || info.uncompressed < 0 || info.values < 0 {
			return info, errPage
		}
		if info.compressed > maxPage || info.uncompressed > maxPage || info.values > maxPageValues {
			return info, errPageLarge
		}
		s.offset += info.compressed
		if info.kind != format.DictionaryPage {
			return info, nil
		}
	}
	return pageInfo{}, io.EOF
}

// header reads a page header and moves behind it.
func (s *pageScan) header() (pageInfo, error) {
	// Almost all headers fit the first size.
	for _, size := range []int64{512, maxPageHeader} {
		size = min(size, s.end-s.offset)
		if int64(len(s.buf)) < size {
			s.buf = make([]byte, size)
		}
		if _, err := s.at.ReadAt(s.buf[:size], s.offset); err != nil {
			return pageInfo{}, err
		}
		var info pageInfo
		w := walker{b: s.buf[:size], visit: info.visit}
		if w.structure() == nil {
			s.offset += int64(w.i)
			return info, nil
		}
	}
	return pageInfo{}, errPage
}

// visit takes the fields wanted, by their numbers in parquet.thrift: 5, 7 and
// 8 hold what is particular to data pages, dictionaries and data pages v2.
func (p *pageInfo) visit(path []int16, v int64) {
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
		p.values = v
	case path[1] == 2 && path[0] == 5, path[1] == 4 && path[0] == 8:
		p.encoding = format.Encoding(v)
	}
}
