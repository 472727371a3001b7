package static_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/text/encode/static"
)

// again writes an encoder and reads it.
func again(tb testing.TB, e *static.Encoder) *static.Encoder {
	tb.Helper()
	read, err := static.Parse(bytesOf(tb, e))
	if err != nil {
		tb.Fatal(err)
	}
	return read
}

func bytesOf(tb testing.TB, e *static.Encoder) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := e.Write(&out); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// signed appends the checksum that a file ends in.
func signed(content []byte) []byte {
	sum := sha256.Sum256(content)
	return append(bytes.Clone(content), sum[:]...)
}

func TestRoundTrip(t *testing.T) {
	e := small(t)
	path := filepath.Join(t.TempDir(), "small.static")
	if err := e.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := static.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*static.Encoder{"Parse": again(t, e), "Load": loaded} {
		if got.Name() != e.Name() || got.Notice() != e.Notice() || got.Dim() != e.Dim() || !slices.Equal(got.WordPiece().Vocabulary(), e.WordPiece().Vocabulary()) {
			t.Errorf("%s gives %q, %q, %d, want %q, %q, %d", name, got.Name(), got.Notice(), got.Dim(), e.Name(), e.Notice(), e.Dim())
		}
		for _, s := range []string{"cats run", "dog", "", "bird"} {
			if a, b := vector(got, s), vector(e, s); !slices.Equal(a, b) {
				t.Errorf("%s: the vector of %q = %v, want %v", name, s, a, b)
			}
		}
		if !bytes.Equal(bytesOf(t, got), bytesOf(t, e)) {
			t.Errorf("%s: written again, the bytes are others", name)
		}
	}
}

// The table that is built in is what Write writes.
func TestRoundTripDefault(t *testing.T) {
	file, err := os.ReadFile("default.static")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, builtIn(t)), file) {
		t.Error("the built-in encoder, written again, has other bytes than default.static")
	}
}

// Not a byte of a file may change, be missing or follow.
func TestParseDamage(t *testing.T) {
	good := bytesOf(t, small(t))
	for i := range good {
		for _, x := range []byte{0x01, 0x80} {
			bad := bytes.Clone(good)
			bad[i] ^= x
			if _, err := static.Parse(bad); err == nil {
				t.Errorf("byte %d ^ %#x is accepted", i, x)
			}
		}
		if _, err := static.Parse(good[:i]); err == nil {
			t.Errorf("a file cut off after %d bytes is accepted", i)
		}
	}
	if _, err := static.Parse(append(good, 0)); err == nil {
		t.Error("a byte too many is accepted")
	}
}

// A file with the right checksum is still not believed.
func TestParseRefuses(t *testing.T) {
	const (
		first = "sotto static encoder 1\n"
		words = "[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n" // 27 bytes
		good  = `{"name":"x","notice":"","tokens":5,"dim":1,"vocabulary_bytes":27}`
	)
	scales := func(x float32) string {
		return strings.Repeat("\x00", 16) + string(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
	}
	const rows = "\x00\x00\x00\x00\x7f"
	swap := func(before, after string) string { return strings.Replace(good, before, after, 1) }
	for _, tt := range []struct {
		name, in string
		want     string // "" for none
	}{
		{"good", good + "\n" + words + scales(1) + rows, ""},
		{"no header", "", "no header"},
		{"header without end", good, "no header"},
		{"header too long", good + strings.Repeat(" ", 1<<20) + "\n" + words + scales(1) + rows, "no header"},
		{"header not JSON", "x\n" + words + scales(1) + rows, "header is damaged"},
		{"field unknown", swap(`"name"`, `"size":1,"name"`) + "\n" + words + scales(1) + rows, "header is damaged"},
		{"two headers", good + good + "\n" + words + scales(1) + rows, "something stands behind it"},
		{"no tokens", swap(`"tokens":5`, `"tokens":0`) + "\n" + words, "length"},
		{"fewer tokens than none", swap(`"tokens":5`, `"tokens":-5`) + "\n" + words, "length"},
		{"too many tokens", swap(`"tokens":5`, `"tokens":9223372036854775807`) + "\n" + words, "length"},
		{"tokens overflow", swap(`"tokens":5,"dim":1`, `"tokens":4611686018427387904,"dim":4`) + "\n" + words, "length"},
		{"no dimension", swap(`"dim":1`, `"dim":0`) + "\n" + words + scales(1), "length"},
		{"vocabulary longer than the file", swap(`:27`, `:270`) + "\n" + words + scales(1) + rows, "length"},
		{"vocabulary of no bytes", swap(`:27`, `:0`) + "\n" + scales(1) + rows, "length"},
		{"a row too few", good + "\n" + words + scales(1) + rows[1:], "length"},
		{"vocabulary lacks a token", good + "\n" + strings.Replace(words, "[MASK]", "[MASQ]", 1) + scales(1) + rows, "lacks [MASK]"},
		{"token missing", swap(`:27`, `:25`) + "\n" + words[:25] + scales(1) + rows, "not one of 5 tokens"},
		{"last line without end", swap(`:27`, `:26`) + "\n" + words[:26] + scales(1) + rows, "not one of 5 tokens"},
		{"scale below 0", good + "\n" + words + scales(-1) + rows, "a scale is out of range"},
		{"scale NaN", good + "\n" + words + scales(float32(math.NaN())) + rows, "a scale is out of range"},
		{"scale infinite", good + "\n" + words + scales(float32(math.Inf(1))) + rows, "a scale is out of range"},
		{"scale too large", good + "\n" + words + scales(1e17) + rows, "a scale is out of range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := static.Parse(signed([]byte(first + tt.in)))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Parse error = %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := static.Parse(signed([]byte("sotto static encoder 2\n" + good))); err == nil || !strings.Contains(err.Error(), "first line is another") {
		t.Errorf("another version: error = %v, want that the first line is another", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := static.Load(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error = %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := static.Load(dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: error = %v, want that it is no regular file", err)
	}
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := static.Load(bad); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("another file: error = %v, want its name", err)
	}
	if err := small(t).Save(filepath.Join(dir, "none", "x")); err == nil {
		t.Error("Save into a folder that is not there: no error")
	}
}

func TestWriteRefuses(t *testing.T) {
	w := piece(t, vocabulary)
	e, err := static.New("x", strings.Repeat("a", 1<<20), w, 1, make([]float32, len(w.Vocabulary())))
	if err != nil {
		t.Fatal(err)
	}
	if err = e.Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "must be at most") {
		t.Errorf("a notice that Parse would refuse: error = %v, want that it is too long", err)
	}
	closed, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if err := small(t).Write(closed); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write to a closed file: error = %v, want %v", err, fs.ErrClosed)
	}
}

func TestIs(t *testing.T) {
	file := bytesOf(t, small(t))
	if !static.Is(file) || static.Is(file[:10]) || static.Is(nil) || static.Is(file[1:]) {
		t.Error("Is does not tell a static encoder by how it begins")
	}
}

// What is accepted encodes to finite numbers, and is read again as it was.
func FuzzParse(f *testing.F) {
	file := bytesOf(f, small(f))
	f.Add(file[:len(file)-sha256.Size])
	f.Add([]byte("sotto static encoder 1\n{\"name\":\"x\",\"notice\":\"\",\"tokens\":4,\"dim\":1,\"vocabulary_bytes\":25}\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		_, _ = static.Parse(content) // no checksum
		e, err := static.Parse(signed(content))
		if err != nil {
			return
		}
		got := again(t, e)
		for _, s := range []string{"cats dog run", string(content)} {
			v := vector(e, s)
			if !slices.Equal(vector(got, s), v) { // not if one is NaN
				t.Errorf("the vector is %v, written and read again %v", v, vector(got, s))
			}
		}
	})
}
