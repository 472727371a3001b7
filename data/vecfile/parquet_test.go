package vecfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"sotto/data/vecfile"
)

// table writes rows of any type as a Parquet file.
func table[T any](tb testing.TB, rows []T, opts ...parquet.WriterOption) string {
	tb.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, opts...)
	if _, err := w.Write(rows); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

func ptr[T any](v T) *T { return &v }

// The shapes of file that are told apart.
type (
	listed struct {
		ID  string    `parquet:"id"`
		Vec []float32 `parquet:"vec,list"`
	}
	repeated struct {
		Vec []float64 `parquet:"vec"`
		ID  int64     `parquet:"id"`
	}
	nullable struct {
		Vec []*float32 `parquet:"vec,list,optional"`
	}
	two struct {
		A []float32 `parquet:"a,list"`
		B []float64 `parquet:"b,list"`
		C []int32   `parquet:"c,list"`
	}
	flat struct {
		Name string  `parquet:"name"`
		V0   float32 `parquet:"v0"`
		V1   float32 `parquet:"v1"`
	}
	mixed struct {
		A float32  `parquet:"a"`
		B *float64 `parquet:"b,optional"`
	}
	dictionary struct {
		V0 float32 `parquet:"v0,dict"`
		V1 float32 `parquet:"v1,dict"`
	}
	split struct {
		V0 float32 `parquet:"v0,split"`
		V1 float64 `parquet:"v1,split"`
	}
	words struct {
		Name string `parquet:"name"`
	}
)

func TestParquet(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tt := range []struct {
		name    string
		in      string
		opt     vecfile.Options
		want    []float64
		width   int
		single  bool
		dropped []string
		err     string
	}{
		{name: "list", in: table(t, []listed{{"a", []float32{1, 2}}, {"b", []float32{3, 4}}}), want: []float64{1, 2, 3, 4}, width: 2, single: true, dropped: []string{"id"}},
		{name: "repeated", in: table(t, []repeated{{[]float64{1, 2}, 1}, {[]float64{3, 4}, 2}}), want: []float64{1, 2, 3, 4}, width: 2, dropped: []string{"id"}},
		{name: "nullable", in: table(t, []nullable{{[]*float32{ptr[float32](1), ptr[float32](2)}}}), want: []float64{1, 2}, width: 2, single: true},
		{name: "chosen", in: table(t, []two{{[]float32{1}, []float64{2, 3}, nil}}), opt: vecfile.Options{Column: "b"}, want: []float64{2, 3}, width: 2, dropped: []string{"a", "c"}},
		{name: "flat", in: table(t, []flat{{"a", 1, 2}, {"b", 3, 4}}), want: []float64{1, 2, 3, 4}, width: 2, single: true, dropped: []string{"name"}},
		{name: "mixed", in: table(t, []mixed{{1, ptr(2.5)}}), want: []float64{1, 2.5}, width: 2},
		{name: "dictionary", in: table(t, []dictionary{{V0: 1, V1: 2}, {V0: 1, V1: 3}}), want: []float64{1, 2, 1, 3}, width: 2, single: true},
		{name: "byte stream split", in: table(t, []split{{1, 2}, {3, 4}}, parquet.Compression(&parquet.Lz4Raw)), want: []float64{1, 2, 3, 4}, width: 2},
		{name: "snappy", in: table(t, []listed{{"a", []float32{1, 2}}}, parquet.Compression(&parquet.Snappy)), want: []float64{1, 2}, width: 2, single: true, dropped: []string{"id"}},
		{name: "zstd", in: table(t, []listed{{"a", []float32{1, 2}}}, parquet.Compression(&parquet.Zstd)), want: []float64{1, 2}, width: 2, single: true, dropped: []string{"id"}},
		{name: "pages v1", in: table(t, []nullable{{[]*float32{ptr[float32](1), ptr[float32](2)}}}, parquet.DataPageVersion(1), parquet.Compression(&parquet.Gzip)), want: []float64{1, 2}, width: 2, single: true},
		{name: "no rows in a list", in: table(t, []listed{}), single: true, dropped: []string{"id"}},
		{name: "no rows in flat", in: table(t, []flat{}), width: 2, single: true, dropped: []string{"name"}},
		{name: "infinite", in: table(t, []listed{{"a", []float32{1, 2}}, {"b", []float32{3, inf}}}), want: []float64{1, 2}, width: 2, single: true, dropped: []string{"id"}, err: "v.parquet: row 2, column 2: infinite"},
		{name: "NaN in flat", in: table(t, []flat{{"a", 1, 2}, {"b", nan32, inf32}}), want: []float64{1, 2}, width: 2, single: true, dropped: []string{"name"}, err: "v.parquet: row 2, column 1: NaN"},
		{name: "null in a list", in: table(t, []nullable{{[]*float32{ptr[float32](1), nil}}}), err: "v.parquet: row 1, column 2: missing value"},
		{name: "null list", in: table(t, []nullable{{nil}}), err: "v.parquet: row 1: empty vector"},
		{name: "empty list", in: table(t, []listed{{"a", nil}}), err: "v.parquet: row 1: empty vector"},
		{name: "null in flat", in: table(t, []mixed{{1, ptr(2.0)}, {1, nil}}), want: []float64{1, 2}, width: 2, err: "v.parquet: row 2, column 2: missing value"},
		{name: "width", in: table(t, []listed{{"a", []float32{1, 2}}, {"b", []float32{3}}}), want: []float64{1, 2}, width: 2, single: true, dropped: []string{"id"}, err: "v.parquet: row 2: has 1 column, must have 2"},
		{name: "width asked of flat", in: table(t, []flat{{"a", 1, 2}}), opt: vecfile.Options{Width: 3}, err: "vecfile: v.parquet: has 2 columns, must have 3"},
		{name: "several lists", in: table(t, []two{{}}), err: "vecfile: v.parquet: has 2 columns with lists of floats, must be told which: one of a, b"},
		{name: "wrong column", in: table(t, []two{{}}), opt: vecfile.Options{Column: "c"}, err: `vecfile: v.parquet: column is "c", must be one of a, b, the lists of floats`},
		{name: "column of flat", in: table(t, []flat{{}}), opt: vecfile.Options{Column: "v0"}, err: `vecfile: v.parquet: column is "v0", must be a list of floats, of which there is none`},
		{name: "no floats", in: table(t, []words{{"secret"}}), err: "vecfile: v.parquet: has no column of floats and none with lists of them"},
		{name: "empty", err: "vecfile: v.parquet: not a Parquet file"},
		{name: "other file", in: "some secret text, long enough", err: "vecfile: v.parquet: not a Parquet file, or encrypted"},
		{name: "footer too long", in: "PAR1\xff\xff\xff\xffPAR1", err: "vecfile: v.parquet: footer has 4294967295 bytes, must have at most 0"},
		{name: "footer empty", in: "PAR1\x00\x00\x00\x00PAR1", err: "vecfile: v.parquet: metadata is damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opt.Name, tt.opt.Format = "v.parquet", vecfile.Parquet
			got, r, err := parse(tt.in, tt.opt)
			if message(err) != tt.err {
				t.Errorf("error = %q, want %q", message(err), tt.err)
			}
			if !same(got, tt.want) {
				t.Errorf("rows = %v, want %v", got, tt.want)
			}
			if r == nil {
				return
			}
			if r.Width() != tt.width || r.Float32() != tt.single || !slices.Equal(r.Dropped(), tt.dropped) {
				t.Errorf("Width, Float32, Dropped = %d, %v, %q, want %d, %v, %q", r.Width(), r.Float32(), r.Dropped(), tt.width, tt.single, tt.dropped)
			}
		})
	}
}

// TestParquetPages reads rows that pages and row groups cut in many places.
func TestParquetPages(t *testing.T) {
	const rows, width = 500, 7
	want := numbers(rows * width)
	list := make([]listed, rows)
	for i := range list {
		list[i].ID = fmt.Sprint(i)
		for _, v := range want[i*width : (i+1)*width] {
			list[i].Vec = append(list[i].Vec, float32(v))
		}
	}
	for _, version := range []int{1, 2} {
		in := table(t, list, parquet.DataPageVersion(version), parquet.PageBufferSize(100), parquet.MaxRowsPerRowGroup(64))
		got, r, err := parse(in, vecfile.Options{Format: vecfile.Parquet})
		if err != nil || !same(got, want) || r.Rows() != rows {
			t.Errorf("version %d: read %d numbers of %d rows, error %v, want %d of %d", version, len(got), r.Rows(), err, len(want), rows)
		}
	}
}

// TestParquetDamage flips every byte of a file, one at a time: no panic, and
// never a number that is not finite or a row too many.
func TestParquetDamage(t *testing.T) {
	rows := make([]flat, 20)
	for i := range rows {
		rows[i] = flat{Name: "secret", V0: float32(i), V1: 1}
	}
	list := make([]listed, 20)
	for i := range list {
		list[i] = listed{ID: "secret", Vec: []float32{float32(i), 1}}
	}
	for _, in := range []string{
		table(t, rows, parquet.Compression(&parquet.Snappy)),
		table(t, list, parquet.DataPageVersion(1)),
		table(t, list),
	} {
		for i := range in {
			for _, x := range []byte{0x01, 0x80, 0xff} {
				b := []byte(in)
				b[i] ^= x
				got, _, err := parse(string(b), vecfile.Options{Name: "v", Format: vecfile.Parquet, SkipBad: true})
				if len(got) > 2*len(rows) {
					t.Fatalf("byte %d ^ %#x: read %d numbers, want at most %d", i, x, len(got), 2*len(rows))
				}
				for _, v := range got {
					if v-v != 0 {
						t.Fatalf("byte %d ^ %#x: read a number that is not finite", i, x)
					}
				}
				if strings.Contains(message(err), "secret") {
					t.Fatalf("byte %d ^ %#x: error quotes the file: %v", i, x, err)
				}
			}
		}
		for n := range in {
			if _, _, err := parse(in[:n], vecfile.Options{Format: vecfile.Parquet, SkipBad: true}); err == nil {
				t.Fatalf("cut to %d of %d bytes: no error", n, len(in))
			}
		}
	}
}

// TestParquetBomb checks that metadata cannot claim memory or stack that the
// file does not pay for.
func TestParquetBomb(t *testing.T) {
	footer := func(b []byte) string {
		return "PAR1" + string(binary.LittleEndian.AppendUint32(b, uint32(len(b)))) + "PAR1"
	}
	for name, b := range map[string][]byte{
		"list of 2³¹ structs": {0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0},
		"structs in structs":  bytes.Repeat([]byte{0x1c}, 1<<20),
		"lists in lists":      append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1<<20)...),
		"text of 2³¹ bytes":   {0x68, 0xff, 0xff, 0xff, 0xff, 0x07},
	} {
		if _, _, err := parse(footer(b), vecfile.Options{Name: "v", Format: vecfile.Parquet}); message(err) != "vecfile: v: metadata is damaged" {
			t.Errorf("%s: error = %v, want metadata is damaged", name, err)
		}
	}
}

// TestParquetOverclaim has a page header and a row group that claim one value
// more than the page holds. The library would find the third in its buffer.
func TestParquetOverclaim(t *testing.T) {
	type one struct {
		V float32 `parquet:"v"`
	}
	in := table(t, []one{{1}, {2}})
	body, tail := in[:len(in)-8], in[len(in)-8:]
	n := int(binary.LittleEndian.Uint32([]byte(tail)))
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), []byte(body[len(body)-n:]), &meta); err != nil {
		t.Fatal(err)
	}
	meta.RowGroups[0].NumRows = 3
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	// Field 8 of the header, 4 behind the checksum, is a struct: values, nulls, rows.
	const before, after = "\x4c\x15\x04\x15\x00\x15\x04", "\x4c\x15\x06\x15\x00\x15\x06"
	pages := body[:len(body)-n]
	if strings.Count(pages, before) != 1 {
		t.Fatal("the page header is not as expected")
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	bad := strings.Replace(pages, before, after, 1) + string(footer) + "PAR1"
	_, _, err = parse(bad, vecfile.Options{Name: "v", Format: vecfile.Parquet})
	if want := `vecfile: v: row group 1, column "v": page cannot be decoded`; message(err) != want {
		t.Errorf("error = %q, want %q", message(err), want)
	}
}

func TestParquetMetadata(t *testing.T) {
	in := encode(t, vecfile.Parquet, vecfile.WriterOptions{Width: 1, Metadata: map[string]string{"epsilon": "1"}}, []float64{1})
	f, err := parquet.OpenFile(strings.NewReader(in), int64(len(in)))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := f.Lookup("epsilon"); got != "1" || !ok {
		t.Errorf("metadata epsilon = %q, %v, want 1", got, ok)
	}
	for _, o := range []vecfile.WriterOptions{{Width: 1}, {Width: 1, Beside: []string{"id"}, Metadata: map[string]string{"epsilon": "2"}}} {
		var b bytes.Buffer
		w, err := vecfile.NewWriter(&b, vecfile.Parquet, o)
		if err != nil {
			t.Fatal(err)
		}
		w.Describe("epsilon", "3")
		if err = w.Close(); err != nil {
			t.Fatal(err)
		}
		late, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := late.Lookup("epsilon"); got != "3" {
			t.Errorf("metadata epsilon = %q once all rows were written, want 3", got)
		}
	}
	if got, want := f.Schema().String(), "message vectors {\n\trequired group y (LIST) {\n\t\trepeated group list {\n\t\t\trequired double element;\n\t\t}\n\t}\n}"; got != want {
		t.Errorf("schema = %s, want %s", got, want)
	}
}
