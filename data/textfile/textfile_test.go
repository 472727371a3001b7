package textfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"sotto/data/textfile"
)

// readAll returns the texts of r up to its error, nil at the end.
func readAll(r *textfile.Reader) ([]string, error) {
	var all []string
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
}

// parse reads a whole file given as a string.
func parse(in string, o textfile.Options) ([]string, *textfile.Reader, error) {
	r, err := textfile.NewReader(bytes.NewReader([]byte(in)), o)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	all, err := readAll(r)
	return all, r, err
}

// table writes rows as a Parquet file.
func table[T any](tb testing.TB, rows []T, opts ...parquet.WriterOption) string {
	tb.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, opts...)
	for len(rows) > 0 { // a row group each two rows
		n := min(2, len(rows))
		if _, err := w.Write(rows[:n]); err != nil {
			tb.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			tb.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

type (
	review struct {
		ID   int64  `parquet:"id"`
		Text string `parquet:"text"`
	}
	named struct {
		Text string   `parquet:"text,dict"`
		User string   `parquet:"user"`
		Tags []string `parquet:"tags,list"`
	}
	nullable struct {
		Text *string `parquet:"text,optional"`
	}
)

func reviews(n int) (rows []review, texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprint("text ", i, strings.Repeat(" é", i%5)))
		rows = append(rows, review{int64(i), texts[i]})
	}
	return rows, texts
}

func ptr(s string) *string { return &s }

func TestRead(t *testing.T) {
	rows, fifty := reviews(50)
	for _, tt := range []struct {
		name, in string
		o        textfile.Options
		want     []string
		invalid  int64
	}{
		{"text", "one\n\ntwo three\r\nfour", textfile.Options{Format: textfile.Text}, []string{"one", "", "two three", "four"}, 0},
		{"text with a mark", "\ufeffone\n", textfile.Options{Format: textfile.Text}, []string{"one"}, 0},
		{"nothing", "", textfile.Options{Format: textfile.Text}, nil, 0},
		{"an empty line", "\n", textfile.Options{Format: textfile.Text}, []string{""}, 0},
		{"not UTF-8", "a\xff\xfeb\nc\n\xc3\n", textfile.Options{Format: textfile.Text, Encoding: "utf-8"}, []string{"a\ufffdb", "c", "\ufffd"}, 2},
		{"long line", strings.Repeat("long ", 1<<16) + "\nshort\n", textfile.Options{Format: textfile.Text}, []string{strings.Repeat("long ", 1<<16), "short"}, 0},
		{"csv of one column", "review\nfine\n\"so, \"\"so\"\"\nand so\"\n\"\"\n", textfile.Options{Format: textfile.CSV}, []string{"fine", "so, \"so\"\nand so", ""}, 0},
		{"csv", "\ufeffid,review\r\n1,fine\r\n2,\xff\r\n", textfile.Options{Format: textfile.CSV, Column: "review"}, []string{"fine", "\ufffd"}, 1},
		{"csv without a header", "1,fine\n2,bad\n", textfile.Options{Format: textfile.CSV, Column: "2", NoHeader: true}, []string{"fine", "bad"}, 0},
		{"csv of one column without a header", "fine\nbad\n", textfile.Options{Format: textfile.CSV, NoHeader: true}, []string{"fine", "bad"}, 0},
		{"jsonl", `{"text":"a\nb","x":1}` + "\n\n" + ` {"text":"\u00e9"} ` + "\n", textfile.Options{Format: textfile.JSONL}, []string{"a\nb", "é"}, 0},
		{"jsonl of strings", "\"a\"\n\"\\u0041\"\n", textfile.Options{Format: textfile.JSONL}, []string{"a", "A"}, 0},
		{"jsonl of another key", `{"text":1,"body":"a"}`, textfile.Options{Format: textfile.JSONL, Column: "body"}, []string{"a"}, 0},
		{"jsonl that is not UTF-8", "{\"text\":\"\xff\"}\n{\"x\":\"\xff\",\"text\":\"b\"}\n", textfile.Options{Format: textfile.JSONL, Encoding: "utf-8"}, []string{"\ufffd", "b"}, 1},
		{"parquet", table(t, rows), textfile.Options{Format: textfile.Parquet}, fifty, 0},
		{"parquet of pages", table(t, rows, parquet.PageBufferSize(64), parquet.Compression(&parquet.Zstd)), textfile.Options{Format: textfile.Parquet}, fifty, 0},
		{"parquet of a dictionary", table(t, []named{{"a", "x", nil}, {"a", "y", []string{"t"}}, {"b\xff", "x", nil}}), textfile.Options{Format: textfile.Parquet, Column: "text"}, []string{"a", "a", "b\ufffd"}, 1},
		{"parquet of optional texts", table(t, []nullable{{ptr("a")}, {ptr("")}}), textfile.Options{Format: textfile.Parquet}, []string{"a", ""}, 0},
		{"parquet without rows", table(t, []review{}), textfile.Options{Format: textfile.Parquet}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, r, err := parse(tt.in, tt.o)
			if err != nil || !slices.Equal(got, tt.want) || r.Invalid() != tt.invalid {
				t.Errorf("read %q, %v, want %q with %d invalid", got, err, tt.want, tt.invalid)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		o        textfile.Options
		want     string // the whole error
		kept     int    // texts that are left if bad rows are skipped; −1 if they cannot be
	}{
		{"long line", "a\n" + strings.Repeat("private", 3<<20), textfile.Options{Format: textfile.Text}, "textfile: stdin: line 2 has more than 16 MiB, must have fewer", -1},
		{"empty csv", "", textfile.Options{Format: textfile.CSV}, "textfile: stdin: it is empty, must begin with a line of names", -1},
		{"csv without a row", "private,b\n", textfile.Options{Format: textfile.CSV, Column: "b"}, "textfile: stdin: it has a line of names, but no row was found, must hold at least one", -1},
		{"which column", "private,b\n1,2\n", textfile.Options{Format: textfile.CSV}, "textfile: stdin: it has 2 columns, must be told which holds the texts: one of private, b", -1},
		{"which of two columns", "private,2\n", textfile.Options{Format: textfile.CSV, NoHeader: true}, "textfile: stdin: it has 2 columns, must be told which holds the texts by its number", -1},
		{"no such column", "private,b\n1,2\n", textfile.Options{Format: textfile.CSV, Column: "c"}, `textfile: stdin: column is "c", must be one of private, b`, -1},
		{"no such column among texts", "a private text,b\n1,2\n", textfile.Options{Format: textfile.CSV, Column: "c"}, `textfile: stdin: column is "c", must be one of the 2 in the header; sotto data inspect lists them (--no-header if the first line is a row)`, -1},
		{"many columns", strings.Repeat("a,", 20) + "b\n", textfile.Options{Format: textfile.CSV, Column: "c"}, `textfile: stdin: column is "c", must be one of ` + strings.Repeat("a, ", 20) + "…", -1},
		{"no such number", "private,b\n1,2\n", textfile.Options{Format: textfile.CSV, Column: "3", NoHeader: true}, `textfile: stdin: column is "3", must be a number from 1 to 2 where there is no header`, -1},
		{"no number", "private,b\n", textfile.Options{Format: textfile.CSV, Column: "b", NoHeader: true}, `textfile: stdin: column is "b", must be a number from 1 to 2 where there is no header`, -1},
		{"column twice", "b,b\n1,2\n", textfile.Options{Format: textfile.CSV, Column: "b"}, `textfile: stdin: column is "b", which stands 2 times in the header, as columns 1 and 2 of b, b: must stand once`, -1},
		{"ragged csv", "a,b\n1,2\n3,private,4\n5,6\n", textfile.Options{Format: textfile.CSV, Column: "b"}, "stdin:3: it has 3 fields, must have 2", 2},
		{"bare quote", "a\nx\npri\"vate\ny\n", textfile.Options{Format: textfile.CSV}, "stdin:3: a quote stands inside a field that has none around it", 2},
		{"open quote", "a\nx\n\"private\ny\n", textfile.Options{Format: textfile.CSV}, "stdin:3: a quote is left open, or text follows one", 1},
		{"endless quote", "a\n\"" + strings.Repeat("private\n", 3<<20), textfile.Options{Format: textfile.CSV}, "textfile: stdin: a row has more than 16 MiB, must have fewer: maybe a quote is left open", -1},
		{"no JSON", `{"text":"a"}` + "\n" + `{"text":"private"` + "\n" + `{"text":"b"}`, textfile.Options{Format: textfile.JSONL}, "stdin:2: not valid JSON", 2},
		{"no key", `{"Text":"private"}`, textfile.Options{Format: textfile.JSONL}, `textfile: stdin: column is "text", must be one of Text, the keys of the first 1 objects; did you mean "Text"?`, -1},
		{"no key in a row", `{"text":"a"}` + "\n" + `{"Text":"private"}`, textfile.Options{Format: textfile.JSONL}, "stdin:2: the text is missing", 1},
		{"null", `{"text":null}`, textfile.Options{Format: textfile.JSONL}, "stdin:1: the text is missing", 0},
		{"no string", `{"text":1}`, textfile.Options{Format: textfile.JSONL}, "stdin:1: the text is not a string", 0},
		{"an array", "\n" + `["private"]`, textfile.Options{Format: textfile.JSONL}, "textfile: stdin: it does not begin with JSON lines, must hold an object with keys in each", -1},
		{"an array among objects", `{"text":"a"}` + "\n" + `["private"]`, textfile.Options{Format: textfile.JSONL}, "stdin:2: not an object, must be one", 1},
		{"a string where a key is named", `"private"`, textfile.Options{Format: textfile.JSONL, Column: "x"}, `textfile: stdin: column is "x", must be one of text, the keys of the first 1 objects`, -1},
		{"no parquet", "private", textfile.Options{Format: textfile.Parquet}, "textfile: stdin: not a Parquet file", -1},
		{"which strings", table(t, []named{{"a", "b", nil}}), textfile.Options{Format: textfile.Parquet}, "textfile: stdin: it has 2 columns of strings, must be told which holds the texts: one of text, user", -1},
		{"no strings", table(t, []named{{"a", "b", nil}}), textfile.Options{Format: textfile.Parquet, Column: "tags"}, `textfile: stdin: column is "tags", must be one of text, user, the columns of strings`, -1},
		{"no text", table(t, []nullable{{ptr("a")}, {nil}, {ptr("b")}}), textfile.Options{Format: textfile.Parquet}, "stdin: row 2: the text is missing", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := parse(tt.in, tt.o)
			if fmt.Sprint(err) != tt.want {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
			tt.o.SkipBad = true
			got, r, err := parse(tt.in, tt.o)
			if tt.kept < 0 {
				if err == nil {
					t.Error("skipping bad rows gives no error, want one")
				}
				return
			}
			if err != nil || len(got) != tt.kept || r.Skipped() != 1 {
				t.Errorf("skipping bad rows gives %d texts, %v, %d skipped, want %d and 1", len(got), err, r.Skipped(), tt.kept)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		o    textfile.Options
		want string
	}{
		{textfile.Options{}, `format is ""`},
		{textfile.Options{Format: "xml"}, `format is "xml", must be one of csv, tsv, jsonl, parquet, text, fasttext, folder`},
		{textfile.Options{Format: textfile.Text, Column: "a"}, `column is "a" and format text`},
		{textfile.Options{Format: textfile.JSONL, NoHeader: true}, "format is jsonl, must be csv or tsv"},
	} {
		if _, err := textfile.NewReader(strings.NewReader(""), tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("NewReader with %+v: error = %v, want one with %q", tt.o, err, tt.want)
		}
	}
	for path, want := range map[string]textfile.Format{"a.TXT": textfile.Text, "a.ndjson": textfile.JSONL, "a.csv": textfile.CSV, "x/a.parquet": textfile.Parquet, "a.json": ""} {
		if got, err := textfile.ByName(path); got != want || (err == nil) != (want != "") {
			t.Errorf("ByName(%s) = %q, %v, want %q", path, got, err, want)
		}
	}
}

func TestOpen(t *testing.T) {
	rows, texts := reviews(3)
	path := filepath.Join(t.TempDir(), "reviews.parquet")
	if err := os.WriteFile(path, []byte(table(t, rows)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := textfile.Open(path, textfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, failed := readAll(r); failed != nil || !slices.Equal(got, texts) || r.Line() != 3 {
		t.Errorf("read %q, %v up to row %d, want %q", got, failed, r.Line(), texts)
	}
	if err = r.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err = textfile.Open(filepath.Join(t.TempDir(), "absent.txt"), textfile.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error = %v, want ErrNotExist", err)
	}
	if _, err = textfile.NewReader(io.MultiReader(), textfile.Options{Format: textfile.Parquet}); err == nil || !strings.Contains(err.Error(), "must be a file") {
		t.Errorf("error = %v, want one about a stream", err)
	}
}

// endless yields a line again and again.
type endless struct{ left int }

func (e *endless) Read(b []byte) (int, error) {
	const line = "\"a text of some length\"\n"
	if e.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for ; e.left > 0 && n+len(line) <= len(b); e.left-- {
		n += copy(b[n:], line)
	}
	return n, nil
}

// TestConstantMemory reads 50 MB and looks at what is in use: the live heap must
// not grow with the input, so it is held to a tenth of it.
func TestConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reading 50 MB takes seconds")
	}
	for _, f := range []textfile.Format{textfile.Text, textfile.CSV, textfile.JSONL} {
		r, err := textfile.NewReader(&endless{left: 2 << 20}, textfile.Options{Format: f})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		n := 0
		for ; ; n++ {
			if _, err = r.Next(); err != nil {
				break
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 5<<20 || n < 2<<20-1 || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %d texts and %v, and the heap grew by %d bytes", f, n, err, grown)
		}
		runtime.KeepAlive(r)
	}
}

// FuzzRead checks that whatever a file holds, texts are UTF-8, that skipping bad
// rows changes nothing for good files, and that nothing panics.
func FuzzRead(f *testing.F) {
	formats := []textfile.Format{textfile.Text, textfile.CSV, textfile.JSONL}
	for i, s := range []string{"one\n\xfftwo\r\n", "a,text\n1,\"x\"\"y\"\n\"", `{"text":"a\ud800"}` + "\n\n\"b\"\n[1]"} {
		for _, column := range []string{"", "text", "1"} {
			f.Add([]byte(s), byte(i), column, false)
			f.Add([]byte(s), byte(i), column, true)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, format byte, column string, bare bool) {
		o := textfile.Options{Format: formats[int(format)%len(formats)], Column: column, NoHeader: bare}
		got, r, err := parse(string(in), o)
		for _, s := range got {
			if !utf8.ValidString(s) {
				t.Errorf("text %q is not UTF-8", s)
			}
		}
		o.SkipBad = true
		again, r2, err2 := parse(string(in), o)
		if len(again) < len(got) || !slices.Equal(again[:len(got)], got) {
			t.Errorf("skipping bad rows gives %q, %v, else %q, %v", again, err2, got, err)
		}
		if err == nil && (err2 != nil || len(again) != len(got) || r2.Skipped() != 0 || r.Invalid() != r2.Invalid()) {
			t.Errorf("skipping bad rows where there are none gives %q, %v, want %q", again, err2, got)
		}
	})
}

// FuzzParquet varies what lies between the magic bytes, and the length of the
// footer apart from it: a file whose ends are wrong would not get far.
func FuzzParquet(f *testing.F) {
	rows, _ := reviews(5)
	for _, s := range []string{
		table(f, rows), table(f, rows, parquet.Compression(&parquet.Zstd)), table(f, rows, parquet.DataPageVersion(1)),
		table(f, []named{{"a", "x", nil}, {"a", "y", []string{"t"}}}), table(f, []nullable{{ptr("a")}, {nil}}),
	} {
		end := len(s) - 8
		f.Add([]byte(s[4:end]), binary.LittleEndian.Uint32([]byte(s[end:])))
	}
	f.Fuzz(func(_ *testing.T, body []byte, footer uint32) {
		in := append([]byte("PAR1"), body...)
		in = binary.LittleEndian.AppendUint32(in, footer)
		parse(string(append(in, "PAR1"...)), textfile.Options{Format: textfile.Parquet, Column: "text", SkipBad: true}) //nolint:errcheck // it must come back, no more
	})
}

// TestDamagedParquet changes bytes of good files at random: nothing panics, and
// nothing takes memory without end.
func TestDamagedParquet(t *testing.T) {
	rows, _ := reviews(20)
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	for _, s := range []string{table(t, rows), table(t, rows, parquet.Compression(&parquet.Zstd)), table(t, []named{{"a", "x", nil}, {"a", "y", nil}})} {
		for range 500 {
			b := []byte(s)
			for range 1 + rng.IntN(3) {
				b[rng.IntN(len(b))] = byte(rng.Uint32())
			}
			parse(string(b), textfile.Options{Format: textfile.Parquet, Column: "text"}) //nolint:errcheck // most are refused
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, f := range []textfile.Format{textfile.Text, textfile.CSV, textfile.JSONL} {
		b.Run(string(f), func(b *testing.B) {
			const n = 10_000
			b.SetBytes(n * 25)
			for b.Loop() {
				r, err := textfile.NewReader(&endless{left: n}, textfile.Options{Format: f})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := readAll(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleReader() {
	in := strings.NewReader("id,review\n1,Fine!\n2,\"Well, no.\"\n")
	r, err := textfile.NewReader(in, textfile.Options{Format: textfile.CSV, Column: "review"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for {
		text, err := r.Next()
		if err != nil {
			break
		}
		fmt.Println(r.Line(), text)
	}
	// Output:
	// 2 Fine!
	// 3 Well, no.
}
