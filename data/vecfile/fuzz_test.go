package vecfile_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sotto/data/vecfile"
)

// check reads in, which nobody vouches for. It must yield finite numbers in
// whole rows or an error, the same ones whether streamed or not, and what it
// yields must survive being written and read. It reports whether all of in
// was good.
func check(t *testing.T, f vecfile.Format, in []byte) bool {
	rows, r, err := parse(string(in), vecfile.Options{Format: f})
	if r != nil && r.Width() > 0 && len(rows)%r.Width() != 0 {
		t.Fatalf("%d numbers in rows of %d", len(rows), r.Width())
	}
	for _, v := range rows {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatal("a number is not finite")
		}
	}
	again, r2, err2 := parse(string(in), vecfile.Options{Format: f, SkipBad: true})
	if len(again) < len(rows) || !same(again[:len(rows)], rows) {
		t.Fatalf("skipping bad rows gives %d numbers, error %v, else %d, %v", len(again), err2, len(rows), err)
	}
	if err != nil {
		return false
	}
	if err2 != nil || r2.Skipped() != 0 || len(again) != len(rows) {
		t.Fatalf("skipping bad rows where there are none gives %v, %d skipped", err2, r2.Skipped())
	}
	if len(rows) == 0 {
		return true
	}
	text := encode(t, f, vecfile.WriterOptions{Width: r.Width(), Header: r.Header()}, rows)
	if got, _, err := parse(text, vecfile.Options{Format: f, Width: r.Width()}); err != nil || !same(got, rows) {
		t.Fatalf("written and read back: %v, error %v, want %v", got, err, rows)
	}
	return true
}

func FuzzJSONL(f *testing.F) {
	for _, s := range []string{
		"[1,2.5e-3]\n\n[-0,1E5]\n", `{"x":[1],"a":{"b":[true,false,null,"\u00e9\\",-1.5]}}`, `{"vector":[1]}{`, "[1e999]", "[NaN]", "\ufeff[1]\r\n", `{"\u0078":[1],"x":[2]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if !check(t, vecfile.JSONL, in) {
			return
		}
		// What is accepted is JSON to others as well.
		for line := range bytes.Lines(bytes.TrimPrefix(in, []byte("\ufeff"))) {
			if line = bytes.Trim(line, " \t\r\n"); len(line) > 0 && !json.Valid(line) {
				t.Fatalf("%q was accepted and is not JSON", line)
			}
		}
	})
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"1,2\n3,4\n", "a,\"b\"\"\"\n1,\"2\"\r\n", "1,\n", "nan\n", " +1e5 ,\t\".5\"\n", "\"1\n", "0x1p3\n1_0\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) { check(t, vecfile.CSV, in) })
}

func FuzzNPY(f *testing.F) {
	for _, s := range []string{
		npy(1, dict("<f4", "False", "(2, 2)"), []float32{1, 2, 3, 4}),
		npy(2, dict(">f8", "True", "(2,)"), []float64{1, 2}),
		npy(3, dict("<f2", "False", "(1, 4)"), []uint16{0x3c00, 1, 0x7c00, 0}),
		npy(1, dict("<f8", "False", "(9223372036854775807, 1)"), []float64{math.NaN()}),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) { check(t, vecfile.NPY, in) })
}

// FuzzParquet varies what lies between the magic bytes, and the length of the
// footer apart from it: a file whose ends are wrong would not get far.
func FuzzParquet(f *testing.F) {
	for _, s := range []string{
		table(f, []listed{{"a", []float32{1, 2}}, {"b", []float32{3, 4}}}),
		table(f, []nullable{{[]*float32{ptr[float32](1), nil}}, {nil}}, parquet.DataPageVersion(1)),
		table(f, []repeated{{[]float64{1, 2}, 1}}, parquet.Compression(&parquet.Snappy)),
		table(f, []mixed{{1, ptr(2.5)}, {2, nil}}),
		table(f, []dictionary{{V0: 1, V1: 2}, {V0: 1, V1: 3}}, parquet.Compression(&parquet.Zstd)),
	} {
		end := len(s) - 8
		f.Add([]byte(s[4:end]), binary.LittleEndian.Uint32([]byte(s[end:])))
	}
	f.Fuzz(func(t *testing.T, body []byte, footer uint32) {
		in := append([]byte("PAR1"), body...)
		in = binary.LittleEndian.AppendUint32(in, footer)
		check(t, vecfile.Parquet, append(in, "PAR1"...))
	})
}
