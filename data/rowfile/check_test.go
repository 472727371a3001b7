package rowfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"sotto/data/rowfile"
)

type row struct {
	Text string `parquet:"text"`
}

// file writes texts as a Parquet file, uncompressed.
func file(tb testing.TB, n int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, parquet.PageBufferSize(32))
	for i := range n {
		if _, err := w.Write([]row{{fmt.Sprint("text ", i)}}); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestFooter(t *testing.T) {
	good := file(t, 10)
	check := func(b []byte) error { return rowfile.Footer(bytes.NewReader(b), int64(len(b))) }
	if err := check(good); err != nil {
		t.Errorf("a good file: %v", err)
	}
	for n := range len(good) {
		if check(good[:n]) == nil {
			t.Errorf("a file cut off after %d bytes is accepted", n)
		}
	}
	long := bytes.Clone(good)
	long[len(long)-6] = 0xff // the length of the footer
	if check(long) == nil {
		t.Error("a footer longer than the file is accepted")
	}
}

func TestPages(t *testing.T) {
	b := file(t, 10)
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	meta := f.Metadata().RowGroups[0].Columns[0].MetaData
	values := int64(0)
	for p := rowfile.NewPages(bytes.NewReader(b), &meta); ; {
		page, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		values += page.Values
	}
	if values != 10 {
		t.Errorf("the pages hold %d values, want 10", values)
	}
	clear(b[meta.DataPageOffset : meta.DataPageOffset+meta.TotalCompressedSize])
	b[meta.DataPageOffset] = 0x19 // a list, and nothing but zeros in it
	if _, err := rowfile.NewPages(bytes.NewReader(b[:meta.DataPageOffset+2]), &meta).Next(); err == nil {
		t.Errorf("a page that is cut off: error = %v, want one", err)
	}
}

// Metadata cannot claim memory or stack that the file does not pay for.
func TestFooterBomb(t *testing.T) {
	for name, b := range map[string][]byte{
		"list of 2³¹ structs": {0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0},
		"structs in structs":  bytes.Repeat([]byte{0x1c}, 1<<20),
		"lists in lists":      append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1<<20)...),
		"text of 2³¹ bytes":   {0x68, 0xff, 0xff, 0xff, 0xff, 0x07},
	} {
		in := framed(b, uint32(len(b)))
		if err := rowfile.Footer(bytes.NewReader(in), int64(len(in))); !errors.Is(err, rowfile.ErrDamaged) {
			t.Errorf("%s: error = %v, want %v", name, err, rowfile.ErrDamaged)
		}
	}
}

// framed puts bytes between the ends of a Parquet file whose footer has n bytes.
func framed(b []byte, n uint32) []byte {
	in := append([]byte("PAR1"), b...)
	return append(binary.LittleEndian.AppendUint32(in, n), "PAR1"...)
}

// header is a page header of version 1 with 9 bytes of data behind it.
func header(uncompressed, compressed, values int64) []byte {
	b := []byte{0x15, 0, 0x15} // the kind is field 1, the sizes are 2 and 3
	b = append(binary.AppendVarint(b, uncompressed), 0x15)
	b = append(binary.AppendVarint(b, compressed), 0x2c, 0x15)
	b = append(binary.AppendVarint(b, values), 0x15, 0, 0, 0) // plain
	return append(b, "123456789"...)
}

func TestPageBounds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		in     []byte
		packed bool
		bytes  int64
		err    error
	}{
		{name: "good", in: header(9, 9, 2), bytes: 9},
		{name: "a size that is not used", in: header(99, 9, 2), bytes: 9},
		{name: "packed", in: header(99, 9, 2), packed: true, bytes: 99},
		{name: "larger than the chunk", in: header(9, 10, 2), err: rowfile.ErrPage},
		{name: "a size below 0", in: header(-1, 9, 2), err: rowfile.ErrPage},
		{name: "a packed size below 0", in: header(9, -1, 2), err: rowfile.ErrPage},
		{name: "fewer values than none", in: header(9, 9, -1), err: rowfile.ErrPage},
		{name: "unpacked too large", in: header(1<<30, 9, 2), packed: true, err: rowfile.ErrLarge},
		{name: "too many values", in: header(9, 9, 1<<30), err: rowfile.ErrLarge},
		{name: "no header", in: []byte{0x15}, err: rowfile.ErrPage},
		{name: "nothing", err: io.EOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := format.ColumnMetaData{TotalCompressedSize: int64(len(tt.in))}
			if tt.packed {
				m.Codec = format.Snappy
			}
			got, err := rowfile.NewPages(bytes.NewReader(tt.in), &m).Next()
			if !errors.Is(err, tt.err) {
				t.Fatalf("Next error = %v, want %v", err, tt.err)
			}
			if err == nil && (got.Bytes != tt.bytes || got.Values != 2 || got.Encoding != format.Plain) {
				t.Errorf("Next = %+v, want %d bytes and 2 values, plain", got, tt.bytes)
			}
		})
	}
}

// Neither panics, and what passes is bounded.
func FuzzCheck(f *testing.F) {
	b := file(f, 3)
	f.Add(b[4:len(b)-8], binary.LittleEndian.Uint32(b[len(b)-8:]))
	f.Add(header(9, 9, 2), uint32(3))
	f.Fuzz(func(t *testing.T, b []byte, n uint32) {
		in := framed(b, n)
		_ = rowfile.Footer(bytes.NewReader(in), int64(len(in)))
		p := rowfile.NewPages(bytes.NewReader(b), &format.ColumnMetaData{TotalCompressedSize: int64(len(b))})
		for range len(b) + 1 { // each page has a header of at least a byte
			page, err := p.Next()
			if err != nil {
				return
			}
			if page.Bytes < 0 || page.Bytes > int64(len(b)) || page.Values < 0 || page.Values > 1<<24 {
				t.Fatalf("Next = %+v of %d bytes", page, len(b))
			}
		}
		t.Fatalf("more pages than %d bytes can hold", len(b))
	})
}

func ExampleFooter() {
	in := bytes.NewReader([]byte("PAR1 cut off in the middle"))
	fmt.Println(rowfile.Footer(in, in.Size()))
	// Output: not a Parquet file, or encrypted
}
