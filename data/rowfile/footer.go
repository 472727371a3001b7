// Package rowfile holds what files of rows have in common, whatever a row is:
// lines, pages of Parquet, and errors that say where a bad row stands.
//
// No error quotes what a file holds. The library that reads Parquet survives
// not every damaged file: it allocates whatever a file claims to hold, and
// recurses as deep as its metadata is nested. So [OpenTable] and [Column] look at
// the footer and at each page header before the library does, and turn its
// panics into errors.
//
// It knows no vectors and no texts: packages vecfile and textfile do, and put
// their own name before its errors.
package rowfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	magic      = "PAR1"
	maxFooter  = 256 << 20
	maxNesting = 32 // of columns
)

// Footer refuses metadata that is damaged in a way that the library does
// not survive. It decodes the metadata as the library is about to do.
func Footer(at io.ReaderAt, size int64) error {
	var head, tail [8]byte
	if size < 12 {
		return errors.New("not a Parquet file")
	}
	if _, err := at.ReadAt(head[:4], 0); err != nil {
		return err
	}
	if _, err := at.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(head[:4]) != magic || string(tail[4:]) != magic {
		return errors.New("not a Parquet file, or encrypted")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 || n > maxFooter {
		return fmt.Errorf("footer has %d bytes, must have at most %d", n, min(size-12, maxFooter))
	}
	footer := make([]byte, n)
	if _, err := at.ReadAt(footer, size-8-n); err != nil {
		return err
	}
	w := walker{b: footer}
	w.structure()
	var meta format.FileMetaData
	if w.bad || guard(func() error { return thrift.Unmarshal(new(thrift.CompactProtocol), footer, &meta) }) != nil {
		return ErrDamaged
	}
	return checkMetadata(&meta, size)
}

// checkMetadata holds metadata that can be decoded against the file.
func checkMetadata(meta *format.FileMetaData, size int64) error {
	var open []int32 // children still to come, of the columns around
	for _, e := range meta.Schema {
		if len(open) > maxNesting {
			return ErrDamaged
		}
		if n := e.NumChildren; n.Valid && n.V > 0 {
			open = append(open, n.V)
			continue
		}
		for len(open) > 0 {
			last := len(open) - 1
			if open[last]--; open[last] > 0 {
				break
			}
			open = open[:last]
		}
	}
	rows := int64(0)
	for _, g := range meta.RowGroups {
		if g.NumRows < 0 || g.NumRows > math.MaxInt64-rows {
			return ErrDamaged
		}
		rows += g.NumRows
		for i := range g.Columns {
			first, n := chunkRange(&g.Columns[i].MetaData)
			if first < 0 || n < 0 || first > size || n > size-first {
				return ErrDamaged
			}
		}
	}
	return nil
}

// chunkRange returns where the pages of a column chunk lie.
func chunkRange(m *format.ColumnMetaData) (first, n int64) {
	first = m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		first = m.DictionaryPageOffset
	}
	return first, m.TotalCompressedSize
}
