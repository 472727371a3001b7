package vecfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"sotto/data/vecfile"
)

// npy returns a file of the given version, dictionary and numbers.
func npy(major byte, dict string, data any) string {
	b := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', major, 0}
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	b = append(b, dict...)
	b, err := binary.Append(b, binary.LittleEndian, data)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// dict returns a header as NumPy writes it.
func dict(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }  \n", descr, fortran, shape)
}

var nan32, inf32 = float32(math.NaN()), float32(math.Inf(1))

func TestNPY(t *testing.T) {
	const mangled = "vecfile: v.npy: header is not the dictionary of an NPY file"
	four := []float32{1, 2, 3, 4}
	for _, tt := range []struct {
		name  string
		in    string
		opt   vecfile.Options
		want  []float64
		width int
		err   string
	}{
		{name: "version 1", in: npy(1, dict("<f4", "False", "(2, 2)"), four), width: 2, want: []float64{1, 2, 3, 4}},
		{name: "version 2", in: npy(2, dict("<f4", "False", "(2, 2)"), four), width: 2, want: []float64{1, 2, 3, 4}},
		{name: "version 3", in: npy(3, dict("<f4", "False", "(2, 2)"), four), width: 2, want: []float64{1, 2, 3, 4}},
		{name: "other order and quotes", in: npy(1, `{"shape":(1,2),"fortran_order":False,"descr":"<f8"}`, []float64{1, negZero}), width: 2, want: []float64{1, negZero}},
		{name: "big endian 4", in: npy(1, dict(">f4", "False", "(1, 1)"), []byte{0x3f, 0xc0, 0, 0}), width: 1, want: []float64{1.5}},
		{name: "big endian 8", in: npy(1, dict(">f8", "False", "(1, 1)"), []byte{0x3f, 0xf8, 0, 0, 0, 0, 0, 0}), width: 1, want: []float64{1.5}},
		{name: "half", in: npy(1, dict("<f2", "False", "(1, 7)"), []uint16{0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x0400, 0x3555}), width: 7, want: []float64{1, -2, 65504, 0x1p-24, negZero, 0x1p-14, 0x1.554p-2}},
		{name: "half big endian", in: npy(1, dict(">f2", "False", "(1, 1)"), []byte{0x3c, 0}), width: 1, want: []float64{1}},
		{name: "one dimension", in: npy(1, dict("<f4", "False", "(4,)"), four), width: 1, want: []float64{1, 2, 3, 4}},
		{name: "one column in Fortran order", in: npy(1, dict("<f4", "True", "(4, 1)"), four), width: 1, want: []float64{1, 2, 3, 4}},
		{name: "one row in Fortran order", in: npy(1, dict("<f4", "True", "(1, 4)"), four), width: 4, want: []float64{1, 2, 3, 4}},
		{name: "no rows", in: npy(1, dict("<f4", "False", "(0, 3)"), []float32{}), width: 3},
		{name: "width asked", in: npy(1, dict("<f4", "False", "(2, 2)"), four), opt: vecfile.Options{Width: 2}, width: 2, want: []float64{1, 2, 3, 4}},
		{name: "NaN", in: npy(1, dict("<f4", "False", "(2, 2)"), []float32{1, 2, 3, nan32}), width: 2, want: []float64{1, 2}, err: "v.npy: row 2, column 2: NaN"},
		{name: "infinite", in: npy(1, dict("<f8", "False", "(2, 2)"), []float64{1, 2, math.Inf(-1), 4}), width: 2, want: []float64{1, 2}, err: "v.npy: row 2, column 1: infinite"},
		{name: "half NaN", in: npy(1, dict("<f2", "False", "(1,)"), []uint16{0x7e00}), width: 1, err: "v.npy: row 1, column 1: NaN"},
		{name: "half infinite", in: npy(1, dict("<f2", "False", "(1,)"), []uint16{0xfc00}), width: 1, err: "v.npy: row 1, column 1: infinite"},
		{name: "big endian NaN", in: npy(1, dict(">f4", "False", "(1,)"), []byte{0x7f, 0xc0, 0, 0}), width: 1, err: "v.npy: row 1, column 1: NaN"},
		{name: "big endian infinite", in: npy(1, dict(">f8", "False", "(1,)"), []byte{0x7f, 0xf0, 0, 0, 0, 0, 0, 0}), width: 1, err: "v.npy: row 1, column 1: infinite"},
		{name: "empty", err: "vecfile: v.npy: ends within its header"},
		{name: "other file", in: "not a NumPy array", err: "vecfile: v.npy: not an NPY file"},
		{name: "header cut off", in: npy(1, dict("<f4", "False", "(2, 2)"), four)[:40], err: "vecfile: v.npy: ends within its header"},
		{name: "version 4", in: npy(4, dict("<f4", "False", "(2, 2)"), four), err: "vecfile: v.npy: version is 4.0, must be 1.0, 2.0 or 3.0"},
		{name: "header too long", in: "\x93NUMPY\x02\x00\x00\x00\x02\x00", err: "vecfile: v.npy: header has 131072 bytes, must have at most 65536"},
		{name: "integers", in: npy(1, dict("<i8", "False", "(2, 2)"), four), err: `vecfile: v.npy: type is "<i8", must be a float of 2, 4 or 8 bytes: f2, f4 or f8`},
		{name: "fields", in: npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", four), err: "vecfile: v.npy: has fields, must be an array of plain numbers"},
		{name: "Fortran order", in: npy(1, dict("<f4", "True", "(2, 2)"), four), err: "vecfile: v.npy: array is in Fortran order, must be in C order: save numpy.ascontiguousarray of it"},
		{name: "no dimensions", in: npy(1, dict("<f4", "False", "()"), four[:1]), err: "vecfile: v.npy: array has 0 dimensions, must have 1 or 2"},
		{name: "three dimensions", in: npy(1, dict("<f4", "False", "(1, 2, 2)"), four), err: "vecfile: v.npy: array has 3 dimensions, must have 1 or 2"},
		{name: "no columns", in: npy(1, dict("<f4", "False", "(4, 0)"), []float32{}), err: "vecfile: v.npy: has 0 columns, must have between 1 and 1048576"},
		{name: "too wide", in: npy(1, dict("<f4", "False", "(1, 9999999999)"), four), err: "vecfile: v.npy: has more than 1048576 columns"},
		{name: "too many rows", in: npy(1, dict("<f8", "False", "(9223372036854775807, 2)"), four), err: "vecfile: v.npy: header promises 9223372036854775807 rows, more than a file can hold"},
		{name: "wrong width", in: npy(1, dict("<f4", "False", "(2, 2)"), four), opt: vecfile.Options{Width: 3}, err: "vecfile: v.npy: has 2 columns, must have 3"},
		{name: "truncated", in: npy(1, dict("<f4", "False", "(3, 2)"), four), err: "vecfile: v.npy: holds 16 bytes after its header, must hold 24 for 3 rows of 2 columns"},
		{name: "bytes left over", in: npy(1, dict("<f4", "False", "(1, 2)"), four), err: "vecfile: v.npy: holds 16 bytes after its header, must hold 8 for 1 rows of 2 columns"},
		{name: "no dictionary", in: npy(1, "[]", four), err: mangled},
		{name: "missing key", in: npy(1, "{'descr': '<f4', 'shape': (2, 2)}", four), err: mangled},
		{name: "unknown key", in: npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'a': 1}", four), err: mangled},
		{name: "duplicate key", in: npy(1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}", four), err: mangled},
		{name: "duplicate key at the end", in: npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'descr'", four), err: mangled},
		{name: "not closed", in: npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)", four), err: mangled},
		{name: "text after", in: npy(1, dict("<f4", "False", "(2, 2)")+"x", four), err: mangled},
		{name: "text not closed", in: npy(1, "{'descr: 1}", four), err: mangled},
		{name: "escape", in: npy(1, `{'d\x65scr': '<f4', 'fortran_order': False, 'shape': (2, 2)}`, four), err: mangled},
		{name: "negative", in: npy(1, dict("<f4", "False", "(-2, 2)"), four), err: mangled},
		{name: "overflow", in: npy(1, dict("<f4", "False", "(99999999999999999999, 2)"), four), err: mangled},
		{name: "parentheses", in: npy(1, dict("<f4", "False", "(4)"), four), err: mangled},
		{name: "not a boolean", in: npy(1, dict("<f4", "false", "(4,)"), four), err: mangled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opt.Name, tt.opt.Format = "v.npy", vecfile.NPY
			got, r, err := parse(tt.in, tt.opt)
			if message(err) != tt.err {
				t.Errorf("error = %q, want %q", message(err), tt.err)
			}
			if !same(got, tt.want) {
				t.Errorf("rows = %v, want %v", got, tt.want)
			}
			if r != nil && r.Width() != tt.width {
				t.Errorf("Width() = %d, want %d", r.Width(), tt.width)
			}
		})
	}
}

// TestNPYStream reads what cannot be measured beforehand.
func TestNPYStream(t *testing.T) {
	head := dict("<f4", "False", "(3, 2)")
	for _, tt := range []struct {
		name string
		n    int // numbers in the file
		want int // numbers read
		err  string
	}{
		{name: "complete", n: 6, want: 6},
		{name: "truncated", n: 5, err: "vecfile: stdin: ends after row 2, must hold 3"},
		{name: "nothing", n: 0, err: "vecfile: stdin: ends after row 0, must hold 3"},
		{name: "left over", n: 7, want: 6, err: "vecfile: stdin: holds more than the 3 rows that its header promises"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.NewReader(npy(1, head, make([]float32, tt.n)))
			r, err := vecfile.NewReader(stream{in}, vecfile.Options{Format: vecfile.NPY, SkipBad: true})
			if err != nil {
				t.Fatalf("NewReader: %v", err)
			}
			got, err := readAll(r, 2)
			if message(err) != tt.err || len(got) != tt.want {
				t.Errorf("read %d numbers, error %q, want %d, %q", len(got), message(err), tt.want, tt.err)
			}
		})
	}
}

// TestNPYFile checks that a file cut short is refused before any row is read.
func TestNPYFile(t *testing.T) {
	content := npy(1, dict("<f4", "False", "(3, 2)"), make([]float32, 6))
	path := write(t, "a.npy", content[:len(content)-1])
	if _, err := vecfile.Open(path, vecfile.Options{SkipBad: true}); err == nil || !strings.HasSuffix(err.Error(), "holds 23 bytes after its header, must hold 24 for 3 rows of 2 columns") {
		t.Errorf("Open error = %v, want one about 23 bytes", err)
	}
}

// TestNPYPipe writes where the header cannot be corrected.
func TestNPYPipe(t *testing.T) {
	var out strings.Builder
	if _, err := vecfile.NewWriter(&out, vecfile.NPY, vecfile.WriterOptions{Width: 1}); err == nil {
		t.Error("NewWriter to a pipe without the number of rows: no error")
	}
	r, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer pipe.Close()
	if _, err = vecfile.NewWriter(pipe, vecfile.NPY, vecfile.WriterOptions{Width: 1}); err == nil {
		t.Error("NewWriter to an os.Pipe without the number of rows: no error")
	}
	w, err := vecfile.NewWriter(&out, vecfile.NPY, vecfile.WriterOptions{Width: 1, Rows: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err = w.WriteRows([]float64{1}); err != nil {
		t.Fatal(err)
	}
	if err = w.Close(); message(err) != "vecfile: 1 rows were written, must be 2 as the header already says" {
		t.Errorf("Close after 1 of 2 rows: error = %v", err)
	}
	out.Reset()
	if w, err = vecfile.NewWriter(&out, vecfile.NPY, vecfile.WriterOptions{Width: 1, Rows: 2}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteRows([]float64{1, 2}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got, _, err := parse(out.String(), vecfile.Options{Format: vecfile.NPY}); err != nil || !same(got, []float64{1, 2}) {
		t.Errorf("read back %v, %v, want [1 2]", got, err)
	}
}

// TestNPYOffset writes behind what a file already holds, and to one that only
// appends, where the header cannot be corrected.
func TestNPYOffset(t *testing.T) {
	path := write(t, "a", "before")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err = f.Seek(6, 0); err != nil {
		t.Fatal(err)
	}
	w, err := vecfile.NewWriter(f, vecfile.NPY, vecfile.WriterOptions{Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err = errors.Join(w.WriteRows([]float64{1, 2}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err = f.WriteString("after"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "before" + encode(t, vecfile.NPY, vecfile.WriterOptions{Width: 1}, []float64{1, 2}) + "after"; string(got) != want {
		t.Errorf("file holds %q, want %q", got, want)
	}

	a, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if w, err = vecfile.NewWriter(a, vecfile.NPY, vecfile.WriterOptions{Width: 1}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteRows([]float64{1}), w.Close()); err == nil {
		t.Error("Close of a file that only appends: no error")
	}
}

// TestNPYPart reads some rows of a file, and refuses rows that it does not have.
func TestNPYPart(t *testing.T) {
	content := npy(1, dict("<f8", "False", "(4, 1)"), []float64{10, 11, 12, 13})
	for _, c := range []struct {
		from, count int64
		want        string
	}{{0, 0, "[10 11 12 13]"}, {1, 2, "[11 12]"}, {3, 1, "[13]"}, {2, 0, "[12 13]"}, {2, 3, "refused"}, {-1, 0, "refused"}} {
		got := "refused"
		r, err := vecfile.NewReader(bytes.NewReader([]byte(content)), vecfile.Options{Format: vecfile.NPY, From: c.from, Count: c.count})
		if err == nil {
			rows := make([]float64, 8)
			n, failed := r.ReadRows(rows)
			if _, end := r.ReadRows(rows[4:]); failed != nil || !errors.Is(end, io.EOF) {
				t.Errorf("from %d: %v, then %v", c.from, failed, end)
			}
			got = fmt.Sprint(rows[:n])
		}
		if got != c.want {
			t.Errorf("%d rows behind %d are %s, want %s", c.count, c.from, got, c.want)
		}
	}
}
