package vecfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/vecfile"
	"sotto/internal/atomicfile"
)

func TestFormat(t *testing.T) {
	for path, want := range map[string]vecfile.Format{
		"a.jsonl": vecfile.JSONL, "b/a.ndjson": vecfile.JSONL, "A.CSV": vecfile.CSV, "a.b.npy": vecfile.NPY, "a.parquet": vecfile.Parquet,
	} {
		if got, err := vecfile.ByName(path); got != want || err != nil {
			t.Errorf("ByName(%q) = %q, %v, want %q", path, got, err, want)
		}
	}
	if _, err := vecfile.ByName("a.txt"); message(err) != `vecfile: extension of a.txt is ".txt", must be .jsonl, .ndjson, .csv, .npy or .parquet` {
		t.Errorf("ByName(a.txt) error = %v", err)
	}
	for _, want := range formats {
		if got, err := vecfile.ParseFormat(strings.ToUpper(string(want))); got != want || err != nil {
			t.Errorf("ParseFormat(%q) = %q, %v", want, got, err)
		}
	}
	if _, err := vecfile.ParseFormat("xml"); message(err) != `vecfile: format is "xml", must be jsonl, csv, npy or parquet` {
		t.Errorf("ParseFormat(xml) error = %v", err)
	}
}

// extremes are numbers that a careless format would change.
var extremes = []float64{0, negZero, 1, -1, 0.1, 1.0 / 3, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-30, 123456789, 1e21, 1e-7, math.Pi}

func TestRoundTrip(t *testing.T) {
	for _, f := range formats {
		for _, single := range []bool{false, true} {
			for _, width := range []int{1, 2, 7, 14} {
				t.Run(fmt.Sprintf("%s/%v/%d", f, single, width), func(t *testing.T) {
					want := append([]float64{}, extremes...)
					if single {
						for i, v := range want {
							want[i] = float64(float32(v))
						}
					} else {
						want = append(want, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1.fffffffffffffp-1, 1e300, 5e-324, 1, 2, 3, 4, 5, 6, 7, 8, 9)
					}
					in := encode(t, f, vecfile.WriterOptions{Width: width, Float32: single, Header: true}, want)
					got, r, err := parse(in, vecfile.Options{Format: f})
					if err != nil {
						t.Fatal(err)
					}
					text := f == vecfile.JSONL || f == vecfile.CSV
					for i, v := range got {
						if single && text { // its shortest form is exact only in 32 bits
							got[i] = float64(float32(v))
						}
					}
					if !same(got, want) {
						t.Errorf("read back %v, want %v", got, want)
					}
					if r.Width() != width || r.Float32() != (single && !text) || r.Header() != (f == vecfile.CSV) {
						t.Errorf("Width, Float32, Header = %d, %v, %v", r.Width(), r.Float32(), r.Header())
					}
					if rows := int64(len(want) / width); r.Rows() != rows && !text || r.Rows() != -1 && text {
						t.Errorf("Rows() = %d of %d", r.Rows(), rows)
					}
				})
			}
		}
	}
}

// TestLarge crosses blocks, buffers and row groups.
func TestLarge(t *testing.T) {
	const width, rows = 100, 90_000 // 34 MiB in 32 bits: two row groups
	want := numbers(rows * width)
	for _, f := range []vecfile.Format{vecfile.NPY, vecfile.Parquet} {
		in := encode(t, f, vecfile.WriterOptions{Width: width, Float32: true}, want)
		r, err := vecfile.NewReader(stream{strings.NewReader(in)}, vecfile.Options{Format: f})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(r, 1000)
		if err != nil || !same(got, want) {
			t.Errorf("%s: read back %d numbers, error %v, want %d", f, len(got), err, len(want))
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: Close: %v", f, err)
		}
	}
}

func TestOutputText(t *testing.T) {
	x := []float64{1, -0.5, 1e21, float64(float32(0.1))}
	for _, tt := range []struct {
		format vecfile.Format
		opt    vecfile.WriterOptions
		want   string
	}{
		{vecfile.JSONL, vecfile.WriterOptions{Width: 2}, "{\"y\":[1,-0.5]}\n{\"y\":[1e+21,0.10000000149011612]}\n"},
		{vecfile.JSONL, vecfile.WriterOptions{Width: 4, Float32: true, Header: true}, "{\"y\":[1,-0.5,1e+21,0.1]}\n"},
		{vecfile.CSV, vecfile.WriterOptions{Width: 2}, "1,-0.5\n1e+21,0.10000000149011612\n"},
		{vecfile.CSV, vecfile.WriterOptions{Width: 4, Float32: true, Header: true}, "v0,v1,v2,v3\n1,-0.5,1e+21,0.1\n"},
	} {
		if got := encode(t, tt.format, tt.opt, x); got != tt.want {
			t.Errorf("%s %+v writes %q, want %q", tt.format, tt.opt, got, tt.want)
		}
	}
}

// TestSkipBad has the same rows in every format: good, bad, good, bad, bad,
// good.
func TestSkipBad(t *testing.T) {
	nan := math.NaN()
	list := []listed{{"", []float32{1, 2}}, {"", []float32{3}}, {"", []float32{5, 6}}, {"", []float32{nan32, 0}}, {"", nil}, {"", []float32{7, 8}}}
	for _, tt := range []struct {
		name   string
		format vecfile.Format
		in     string
	}{
		{"jsonl", vecfile.JSONL, "[1,2]\n[3]\n[5,6]\n\nsecret\n[1,null]\n[7,8]\n"},
		{"csv", vecfile.CSV, "1,2\n3\n5,6\n\"\n1,nan\n7,8\n"},
		{"npy", vecfile.NPY, npy(1, dict("<f8", "False", "(6, 2)"), []float64{1, 2, nan, nan, 5, 6, 0, nan, nan, 0, 7, 8})},
		{"parquet", vecfile.Parquet, table(t, list)},
		{"parquet flat", vecfile.Parquet, table(t, []mixed{{1, ptr(2.0)}, {1, nil}, {5, ptr(6.0)}, {nan32, nil}, {inf32, ptr(1.0)}, {7, ptr(8.0)}})},
	} {
		for _, rowsAtOnce := range []int{1, 2, 10} {
			r, err := vecfile.NewReader(strings.NewReader(tt.in), vecfile.Options{Format: tt.format, SkipBad: true})
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			got, err := readAll(r, rowsAtOnce)
			if err != nil || !same(got, []float64{1, 2, 5, 6, 7, 8}) || r.Skipped() != 3 {
				t.Errorf("%s, %d rows at once: %v, error %v, %d skipped, want 1 2 5 6 7 8 and 3", tt.name, rowsAtOnce, got, err, r.Skipped())
			}
			r.Close()
		}
	}
}

// TestSkipBadFirst skips bad rows before the one that fixes the width.
func TestSkipBadFirst(t *testing.T) {
	got, r, err := parse("[]\nx\n[1,2]\n", vecfile.Options{Format: vecfile.JSONL, SkipBad: true})
	if err != nil || !same(got, []float64{1, 2}) || r.Skipped() != 2 || r.Width() != 2 {
		t.Errorf("got %v, %v", got, err)
	}
	_, r, err = parse("[]\nx\n", vecfile.Options{Format: vecfile.JSONL, SkipBad: true})
	if err != nil || r.Skipped() != 2 || r.Width() != 0 {
		t.Errorf("with no good row: %v", err)
	}
}

// TestRefuse checks that the caller can name the place of any row it was
// given, whatever was skipped before it.
func TestRefuse(t *testing.T) {
	for _, tt := range []struct {
		format vecfile.Format
		in     string
		want   string
	}{
		{vecfile.JSONL, "[1]\n\nx\n[2]\n[3]\n", "v:5: too long"},
		{vecfile.CSV, "a\n1\nx\n2\n3\n", "v:5: too long"},
		{vecfile.NPY, npy(1, dict("<f4", "False", "(5,)"), []float32{1, nan32, nan32, 2, 3}), "v: row 5: too long"},
	} {
		r, err := vecfile.NewReader(strings.NewReader(tt.in), vecfile.Options{Name: "v", Format: tt.format, SkipBad: true})
		if err != nil {
			t.Fatal(err)
		}
		var last *vecfile.RowError
		block := make([]float64, 10)
		for {
			n, err := r.ReadRows(block)
			if err != nil {
				break
			}
			var p vecfile.Places
			r.Mark(&p)
			last = p.Refuse(n-1, "too long")
		}
		if message(last) != tt.want {
			t.Errorf("%s: Refuse of the last row = %q, want %q", tt.format, message(last), tt.want)
		}
	}
}

// TestErrorIsFinal checks that nothing is read behind a bad row, and that it
// can be told from damage.
func TestErrorIsFinal(t *testing.T) {
	r, err := vecfile.NewReader(strings.NewReader("1\nx\n2\n"), vecfile.Options{Format: vecfile.CSV})
	if err != nil {
		t.Fatal(err)
	}
	block := make([]float64, 1)
	if n, err := r.ReadRows(block); n != 1 || err != nil {
		t.Fatalf("first ReadRows = %d, %v", n, err)
	}
	for range 2 {
		n, err := r.ReadRows(block)
		var bad *vecfile.RowError
		if n != 0 || !errors.As(err, &bad) || bad.Line != 2 || bad.Column != 1 || bad.Name != "stdin" {
			t.Errorf("ReadRows at the bad row = %d, %v", n, err)
		}
	}
	if err := r.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// TestNoQuotes checks that no error says what a file holds: each of these
// puts the same word wherever a format can hold one.
func TestNoQuotes(t *testing.T) {
	const word = "Zaphod"
	for _, in := range []string{
		word, "[" + word + "]", `["` + word + `"]`, `{"` + word + `":1}`, `{"x":` + word + `}`, `{"x":[1],"` + word + `":` + word + `}`,
		`{"x":[1],"` + word + `":1,"` + word + `":1}`, "[1]" + word, "1,2\n3," + word, "1\n\"" + word, "1\n\"1\"" + word,
		"\x93NUMPY" + word + word, npy(1, word, []float32{}), npy(1, "{'"+word+"': 1}", []float32{}),
		"PAR1" + word + "\x06\x00\x00\x00PAR1", "PAR1" + word + word,
	} {
		for _, f := range formats {
			_, _, err := parse(in, vecfile.Options{Format: f})
			if strings.Contains(message(err), word) {
				t.Errorf("%s: the error about %q quotes it: %v", f, in, err)
			}
		}
	}
}

// TestDevice checks that a failing device is a hard error, and is named.
func TestDevice(t *testing.T) {
	for _, f := range formats {
		in := encode(t, f, vecfile.WriterOptions{Width: 2}, numbers(20))
		for _, n := range []int{0, 1, len(in) / 2, len(in) - 1} {
			r, err := vecfile.NewReader(broken{strings.NewReader(in[:n])}, vecfile.Options{Format: f, SkipBad: true})
			if err == nil {
				_, err = readAll(r, 1)
				r.Close()
			}
			if !errors.Is(err, errDevice) {
				t.Errorf("%s cut after %d bytes: error = %v, want that of the device", f, n, err)
			}
		}
	}
}

// TestFileLost checks the same for a file that goes away while it is read.
func TestFileLost(t *testing.T) {
	for _, f := range formats {
		path := write(t, "in", encode(t, f, vecfile.WriterOptions{Width: 10}, numbers(200_000)))
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := vecfile.NewReader(file, vecfile.Options{Format: f, SkipBad: true})
		if err != nil {
			t.Fatal(err)
		}
		if err = file.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err = readAll(r, 100); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: error = %v, want ErrClosed", f, err)
		}
		r.Close()
	}
}

// full is a device without room.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errDevice
	}
	return len(p), nil
}

func TestDeviceFull(t *testing.T) {
	for _, f := range formats {
		for _, room := range []int{0, 200, 1000} {
			w, err := vecfile.NewWriter(&full{room}, f, vecfile.WriterOptions{Width: 100, Rows: 10, Header: true})
			if err == nil {
				err = errors.Join(w.WriteRows(numbers(1000)), w.Close())
			}
			if !errors.Is(err, errDevice) {
				t.Errorf("%s with room for %d bytes: error = %v, want that of the device", f, room, err)
			}
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, f := range formats {
		for _, tt := range []struct {
			v      float64
			single bool
			want   string
		}{
			{math.NaN(), false, "vecfile: output row 3, column 2 is not finite"},
			{math.Inf(-1), false, "vecfile: output row 3, column 2 is not finite"},
			{1e39, true, "vecfile: output row 3, column 2 is not finite in 32 bits"},
		} {
			w, err := vecfile.NewWriter(new(seekBuffer), f, vecfile.WriterOptions{Width: 2, Float32: tt.single})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.WriteRows([]float64{1, 2}); err != nil {
				t.Fatal(err)
			}
			if err := w.WriteRows([]float64{1, 2, 3, tt.v}); message(err) != tt.want {
				t.Errorf("%s: WriteRows error = %q, want %q", f, message(err), tt.want)
			}
			if err := w.Close(); message(err) != tt.want {
				t.Errorf("%s: Close after an error = %q, want %q", f, message(err), tt.want)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		opt  vecfile.Options
		want string
	}{
		{vecfile.Options{}, `vecfile: format is "", must be jsonl, csv, npy or parquet`},
		{vecfile.Options{Format: vecfile.CSV, Width: -1}, "vecfile: width is -1, must be between 0 and 1048576"},
		{vecfile.Options{Format: vecfile.CSV, Column: "a"}, `vecfile: column is "a" and format csv, must be parquet`},
	} {
		if _, err := vecfile.NewReader(strings.NewReader(""), tt.opt); message(err) != tt.want {
			t.Errorf("NewReader(%+v) error = %q, want %q", tt.opt, message(err), tt.want)
		}
	}
	for _, tt := range []struct {
		format vecfile.Format
		opt    vecfile.WriterOptions
		want   string
	}{
		{vecfile.CSV, vecfile.WriterOptions{}, "vecfile: width is 0, must be between 1 and 1048576"},
		{vecfile.CSV, vecfile.WriterOptions{Width: 1, Rows: -1}, "vecfile: rows is -1, must not be negative"},
		{"xml", vecfile.WriterOptions{Width: 1}, `vecfile: format is "xml", must be jsonl, csv, npy or parquet`},
	} {
		if _, err := vecfile.NewWriter(io.Discard, tt.format, tt.opt); message(err) != tt.want {
			t.Errorf("NewWriter(%s, %+v) error = %q, want %q", tt.format, tt.opt, message(err), tt.want)
		}
	}
	if _, err := vecfile.Open(filepath.Join(t.TempDir(), "a.csv"), vecfile.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of no file: error = %v, want ErrNotExist", err)
	}
	if _, err := vecfile.Open("a.txt", vecfile.Options{}); err == nil {
		t.Error("Open of a.txt: no error")
	}
}

func TestPanics(t *testing.T) {
	r, err := vecfile.NewReader(strings.NewReader("1,2\n"), vecfile.Options{Format: vecfile.CSV})
	if err != nil {
		t.Fatal(err)
	}
	w, err := vecfile.NewWriter(io.Discard, vecfile.CSV, vecfile.WriterOptions{Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"ReadRows(nil)": func() { _, _ = r.ReadRows(nil) },
		"ReadRows(3)":   func() { _, _ = r.ReadRows(make([]float64, 3)) },
		"WriteRows(3)":  func() { _ = w.WriteRows(make([]float64, 3)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}

// TestFiles copies a file to another format as the command does, and leaves
// nothing else behind.
func TestFiles(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	want := numbers(60)
	for _, from := range formats {
		for _, to := range formats {
			dir := t.TempDir()
			in := write(t, "in."+string(from), encode(t, from, vecfile.WriterOptions{Width: 3}, want))
			out := filepath.Join(dir, "out."+string(to))
			if err := convert(in, out); err != nil {
				t.Fatalf("%s to %s: %v", from, to, err)
			}
			r, err := vecfile.Open(out, vecfile.Options{})
			if err != nil {
				t.Fatalf("%s to %s: %v", from, to, err)
			}
			got, err := readAll(r, 4)
			if err = errors.Join(err, r.Close()); err != nil || !same(got, want) {
				t.Errorf("%s to %s: %d numbers, error %v, want %d", from, to, len(got), err, len(want))
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Errorf("%s to %s: %d files, want 1", from, to, len(entries))
			}
		}
	}
	if entries, _ := os.ReadDir(tmp); len(entries) != 0 {
		t.Errorf("%d temporary files left", len(entries))
	}
}

// convert copies the rows of one file to another.
func convert(in, out string) error {
	r, err := vecfile.Open(in, vecfile.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := vecfile.ByName(out)
	if err != nil {
		return err
	}
	file, err := atomicfile.Create(out)
	if err != nil {
		return err
	}
	defer file.Abort()
	w, err := vecfile.NewWriter(file, f, vecfile.WriterOptions{Width: r.Width(), Float32: r.Float32(), Header: r.Header()})
	if err != nil {
		return err
	}
	block := make([]float64, 16*r.Width())
	for {
		n, err := r.ReadRows(block)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := w.WriteRows(block[:n*r.Width()]); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Commit()
}
