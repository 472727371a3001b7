package wordfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"sotto/text/encode/wordfile"
)

var formats = []wordfile.Format{wordfile.Text, wordfile.Glove, wordfile.Word2vec, wordfile.FastText, wordfile.Word2vecBinary}

// readAll returns the words and numbers of a file.
func readAll(in io.Reader, f wordfile.Format) (words []string, rows [][]float32, err error) {
	r, err := wordfile.NewReader(in, f)
	if err != nil {
		return nil, nil, err
	}
	for {
		word, row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return words, rows, nil
		}
		if err != nil {
			return words, rows, err
		}
		words, rows = append(words, string(word)), append(rows, append([]float32(nil), row...))
	}
}

func TestFormats(t *testing.T) {
	const plain, headed = "a 1 2\nb 3 4\n", "2 2\na 1 2\nb 3 4\n"
	binary := "2 2\na \x00\x00\x80\x3f\x00\x00\x00\x40\nb \x00\x00\x40\x40\x00\x00\x80\x40\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(binary)) //nolint:errcheck // to memory
	z.Close()
	for _, tt := range []struct {
		format wordfile.Format
		in     string
	}{
		{wordfile.Text, plain},
		{wordfile.Text, headed},
		{wordfile.Glove, plain},
		{wordfile.Word2vec, headed},
		{wordfile.FastText, headed},
		{wordfile.Word2vecBinary, binary},
		{wordfile.Word2vecBinary, packed.String()},
	} {
		words, rows, err := readAll(strings.NewReader(tt.in), tt.format)
		if got := fmt.Sprint(words, rows, err); got != "[a b] [[1 2] [3 4]] <nil>" {
			t.Errorf("%s: read %s", tt.format, got)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range formats {
		if got, err := wordfile.ParseFormat(strings.ToUpper(string(f))); err != nil || got != f {
			t.Errorf("ParseFormat(%s) = %s, %v", f, got, err)
		}
	}
	if _, err := wordfile.ParseFormat("elmo"); err == nil {
		t.Error("ParseFormat(elmo) succeeded, want an error")
	}
}

// TestErrorIsFinal checks that a reader does not go on behind a fault.
func TestErrorIsFinal(t *testing.T) {
	r, err := wordfile.NewReader(strings.NewReader("a 1\nb x\nc 3\n"), wordfile.Glove)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = r.Next(); err != nil || r.Line() != 1 || r.Promised() != -1 {
		t.Fatalf("the first row: %v in line %d", err, r.Line())
	}
	_, _, first := r.Next()
	if _, _, again := r.Next(); first == nil || !errors.Is(again, first) || r.Line() != 2 {
		t.Errorf("errors %v and then %v in line %d, want the same in line 2", first, again, r.Line())
	}
}

// TestSpaces checks words with spaces, which GloVe 840B has, and that a row with
// a number too many is none of them.
func TestSpaces(t *testing.T) {
	words, rows, err := readAll(strings.NewReader("a 1 2\n. . . 3 4\nat b@c.d 5 6\n"), wordfile.Glove)
	if got := fmt.Sprintf("%q %v %v", words, rows, err); got != `["a" ". . ." "at b@c.d"] [[1 2] [3 4] [5 6]] <nil>` {
		t.Errorf("read %s", got)
	}
	for _, in := range []string{"a 1 2\nb 3 4 5\n", "a 1 2\nb c 3 4 5\n", "a 1 2\nb  3 4\n", "a 1 2\nb c d\n", "a 1\nb c\n"} {
		if _, _, err := readAll(strings.NewReader(in), wordfile.Glove); err == nil {
			t.Errorf("%q was read", in)
		}
	}
}

// TestSelect checks that rows are passed over in every format, and still
// counted.
func TestSelect(t *testing.T) {
	headed := "3 2\na 1 2\nb 3 4\nc 5 6\n"
	binary := "3 2\na \x00\x00\x80\x3f\x00\x00\x00\x40\nb \x00\x00\x40\x40\x00\x00\x80\x40\nc \x00\x00\x80\x3f\x00\x00\x00\x40\n"
	for format, in := range map[wordfile.Format]string{wordfile.Text: headed, wordfile.Glove: headed[4:], wordfile.Word2vecBinary: binary} {
		r, err := wordfile.NewReader(strings.NewReader(in), format)
		if err != nil {
			t.Fatal(err)
		}
		r.Select(func(word []byte) bool { return string(word) == "b" })
		word, row, err := r.Next()
		if got := fmt.Sprint(string(word), row, err, r.Dim()); got != "b[3 4] <nil> 2" {
			t.Errorf("%s: read %s", format, got)
		}
		if _, _, err = r.Next(); !errors.Is(err, io.EOF) || r.Rows() != 3 {
			t.Errorf("%s: then %v after %d rows, want the end after 3", format, err, r.Rows())
		}
	}
	for _, in := range []string{"a 1 2\nb 3\n", "a 1 2\nb 3 4 5\n", "a 1 2\nb\n", "3 2\na 1 2\n"} {
		r, err := wordfile.NewReader(strings.NewReader(in), wordfile.Text)
		if err != nil {
			t.Fatal(err)
		}
		r.Select(func([]byte) bool { return false })
		if _, _, err = r.Next(); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%q: error is %v, want one about the numbers of a row or of rows", in, err)
		}
	}
}

// FuzzReader checks that rows are whole and finite whatever the bytes are, and
// that nothing panics.
func FuzzReader(f *testing.F) {
	for i, s := range []string{"2 1\na 1\nb 2", "a 1 2\nb 3 4\n", "1 2\na 1e5 -.5 \r\n", "2 1\na 1\n", "1 1\na \x00\x00\x80\x3f\n"} {
		f.Add([]byte(s), byte(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, format byte) {
		words, rows, _ := readAll(bytes.NewReader(in), formats[int(format)%len(formats)])
		for i, row := range rows {
			if words[i] == "" || len(row) < 1 || len(row) != len(rows[0]) {
				t.Fatalf("word %q has %d numbers, want a word with %d", words[i], len(row), len(rows[0]))
			}
			for _, v := range row {
				if !(math.Abs(float64(v)) <= wordfile.MaxNumber) {
					t.Fatalf("a number is %v", v)
				}
			}
		}
		checkSelect(t, in, formats[int(format)%len(formats)], words, rows)
	})
}

// checkSelect reads the rows of the first word alone.
func checkSelect(t *testing.T, in []byte, f wordfile.Format, words []string, rows [][]float32) {
	t.Helper()
	r, err := wordfile.NewReader(bytes.NewReader(in), f)
	if err != nil || len(words) == 0 {
		return
	}
	r.Select(func(word []byte) bool { return string(word) == words[0] })
	for i, w := range words {
		if w != words[0] {
			continue
		}
		word, row, err := r.Next()
		if err != nil || string(word) != w || fmt.Sprint(row) != fmt.Sprint(rows[i]) {
			t.Fatalf("row %d is %q %v alone, error %v, want %q %v", i, word, row, err, w, rows[i])
		}
	}
}

func ExampleReader() {
	r, err := wordfile.NewReader(strings.NewReader("2 2\ngood 1 0\nbad -1 0\n"), wordfile.Word2vec)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		word, row, err := r.Next()
		if err != nil {
			break
		}
		fmt.Println(string(word), row)
	}
	// Output:
	// good [1 0]
	// bad [-1 0]
}
