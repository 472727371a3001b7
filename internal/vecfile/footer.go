package vecfile

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
	parquetMagic = "PAR1"
	maxFooter    = 256 << 20
	maxNesting   = 32 // of columns
)

// checkFooter refuses metadata that is damaged in a way that the library does
// not survive. It decodes the metadata as the library is about to do.
func checkFooter(at io.ReaderAt, size int64) error {
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
	if string(head[:4]) != parquetMagic || string(tail[4:]) != parquetMagic {
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
	if err := w.structure(); err != nil {
		return err
	}
	var meta format.FileMetaData
	err := guard(func() error { return thrift.Unmarshal(new(thrift.CompactProtocol), footer, &meta) })
	if err != nil {
		return errThrift
	}
	return checkMetadata(&meta, size)
}

// checkMetadata holds metadata that can be decoded against the file.
func checkMetadata(meta *format.FileMetaData, size int64) error {
	var open []int32 // children still to come, of the columns around
	for _, e := range meta.Schema {
		if len(open) > maxNesting {
			return errThrift
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
			return errThrift
		}
		rows += g.NumRows
		for i := range g.Columns {
			first, n := chunkRange(&g.Columns[i].MetaData)
			if first < 0 || n < 0 || first > size || n > size-first {
				return errThrift
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
