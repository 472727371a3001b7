package table_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sotto/data/table"
)

// The mistakes that people make with files: each is refused, by an error that says
// what to do and never quotes what the file holds.
func TestBadInput(t *testing.T) {
	long := strings.Repeat("private ", 3<<20)
	for _, tt := range []struct {
		name, file, in string
		o              table.Options
		columns        []string
		want           string // how the error ends, or what it holds
	}{
		{"empty", "a.csv", "", table.Options{}, nil, "a.csv: it is empty, must begin with a line of names"},
		{"empty text", "a.txt", "", table.Options{}, nil, "a.txt: no row was found, must hold at least one"},
		{"empty JSON lines", "a.jsonl", "\n\n", table.Options{}, nil, "a.jsonl: no row was found, must hold at least one"},
		{"empty gzip", "a.csv.gz", zip(""), table.Options{}, nil, "it is empty, must begin with a line of names"},
		{"header only", "a.csv", "id,text\n", table.Options{}, nil, "a.csv: it has a line of names, but no row was found, must hold at least one"},
		{"header only with blank lines", "a.tsv", "id\ttext\n\n\n", table.Options{}, nil, "no row was found, must hold at least one"},
		{"too many fields", "a.csv", "id,text\n1,a\n2,private,b\n", table.Options{}, nil, "a.csv:3: it has 3 fields, must have 2"},
		{"too few fields", "a.csv", "id,text\n1,a\nprivate\n", table.Options{}, nil, "a.csv:3: it has 1 fields, must have 2"},
		{"too few fields of TSV", "a.tsv", "id\ttext\n1\ta\nprivate\n", table.Options{}, nil, "a.tsv:3: it has 1 fields, must have 2"},
		{"open quote", "a.csv", "id,text\n1,\"private\n2,b\n", table.Options{}, nil, "a.csv:2: a quote is left open, or text follows one"},
		{"open quote in a large file", "a.csv", "id,text\n1,\"" + strings.Repeat("private\n", 3<<20), table.Options{}, nil, "a row has more than 16 MiB, must have fewer: maybe a quote is left open"},
		{"name twice", "a.csv", "id,text,text\n1,a,b\n", table.Options{}, []string{"text"}, `a.csv: column is "text", which stands 2 times in the header, as columns 2 and 3 of id, text, text: must stand once`},
		{"no name", "a.csv", "id,\n1,a\n", table.Options{}, []string{""}, `a.csv: column is "", must be one of id, (column 2 has no name)`},
		{"another name", "a.csv", "id,review\n1,a\n", table.Options{}, []string{"reviews"}, `column is "reviews", must be one of id, review; did you mean "review"?`},
		{"a text for a header", "a.csv", "my private text,b\n1,a\n", table.Options{}, []string{"c"}, `column is "c", must be one of the 2 in the header; sotto data inspect lists them (--no-header if the first line is a row)`},
		{"columns of text", "a.txt", "id,text\n1,a\n", table.Options{}, []string{"id"}, `column is "id", must be one of text; each line is a text: --in-format csv reads columns`},
		{"a late key", "a.jsonl", strings.Repeat(`{"a":1}`+"\n", 1000) + `{"b":1}`, table.Options{}, []string{"b"}, `column is "b", must be one of a, the keys of the first 1000 objects`},
		{"a number too large", "a.csv", "1,a\n", table.Options{NoHeader: true}, []string{"3"}, `column is "3", must be a number from 1 to 2 where there is no header`},
		{"zero byte", "a.csv", "id,text\n1,pri\x00vate\n", table.Options{}, nil, "byte 14 is zero, which no text has"},
		{"control characters", "a.txt", strings.Repeat("\x01\x02\x03\x04abc", 20), table.Options{}, nil, "are control characters, so it is no text file"},
		{"PNG", "a.csv", "\x89PNG\r\n\x1a\n....", table.Options{}, nil, "it is a PNG image: export the texts as CSV"},
		{"workbook", "a.csv", "PK\x03\x04....", table.Options{}, nil, "an Excel workbook (.xlsx): export it as CSV"},
		{"workbook within gzip", "a.csv", zip("PK\x03\x04...."), table.Options{}, nil, "an Excel workbook (.xlsx): export it as CSV"},
		{"PDF", "a.txt", "%PDF-1.4 ...", table.Options{}, nil, "it is a PDF"},
		{"tar", "a.txt.gz", zip(strings.Repeat("x", 257) + "ustar\x00" + strings.Repeat("x", 300)), table.Options{}, nil, "it is a tar archive"},
		{"bzip2", "a.csv.bz2", "BZh91AY&SY....", table.Options{}, nil, "compressed by bzip2"},
		{"gzip twice", "a.csv", zip(zip("id,text\n1,a\n")), table.Options{}, nil, "it is compressed twice"},
		{"gzip cut off", "a.csv", zip(long)[:2000], table.Options{}, nil, "what is compressed by gzip is damaged or cut off"},
		{"gzip damaged", "a.csv", "\x1f\x8bprivate", table.Options{}, nil, "it begins as gzip and cannot be unpacked"},
		{"UTF-32", "a.csv", "\xff\xfe\x00\x00i\x00\x00\x00", table.Options{}, nil, "it is UTF-32, must be UTF-8 or UTF-16"},
		{"long line", "a.txt", "a\n" + long, table.Options{}, nil, "a.txt: line 2 has more than 16 MiB, must have fewer"},
		{"JSON array", "a.jsonl", `[{"a":"private"}]`, table.Options{}, nil, "it is a JSON array, must be JSON lines"},
		{"JSON array by another name", "a.json", `[["private"], ["x"]]`, table.Options{}, nil, "it is a JSON array, must be JSON lines"},
		{"no JSON", "a.jsonl", "private\n", table.Options{}, nil, "it does not begin with JSON lines"},
		{"bad JSON", "a.jsonl", `{"a":1}` + "\n" + `{"a":"private}` + "\n", table.Options{}, nil, "a.jsonl:2: not valid JSON"},
		{"no object", "a.jsonl", `{"a":1}` + "\n[1]\n", table.Options{}, nil, "a.jsonl:2: not an object, must be one"},
		{"no Parquet", "a.parquet", "private", table.Options{}, nil, "a.parquet: not a Parquet file"},
		{"cut Parquet", "a.csv", "PAR1 private", table.Options{}, nil, "a.csv: not a Parquet file, or encrypted"},
		{"no label", "a.txt", "__label__a b\nprivate\n", table.Options{Format: table.FastText}, nil, "a.txt:2: it has no label, must begin with __label__"},
		{"a file for a folder", "a.txt", "a\n", table.Options{Format: table.Folder}, nil, "it is a file and format is folder, must be a folder"},
		{"bad delimiter", "a.csv", "a\n", table.Options{Delimiter: '"'}, nil, "must be one character that is no quote"},
		{"delimiter of Parquet", "a.parquet", "a\n", table.Options{Delimiter: ';'}, nil, "must be csv or tsv"},
		{"bad encoding", "a.csv", "a\n", table.Options{Encoding: "ebcdic"}, nil, `encoding is "ebcdic", must be one of utf-8`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := read(t, tt.file, tt.in, tt.o, tt.columns...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "private") {
				t.Errorf("error %v quotes the file", err)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	if _, err := table.Open(filepath.Join(t.TempDir(), "absent.csv"), table.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error = %v, want %v", err, os.ErrNotExist)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a\n1\n"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Open(path, table.Options{}); os.Getuid() != 0 && !errors.Is(err, os.ErrPermission) {
		t.Errorf("error = %v, want %v", err, os.ErrPermission)
	}
	for _, format := range []table.Format{table.CSV, table.Text, table.JSONL, ""} {
		broken := io.MultiReader(strings.NewReader(`{"a":"b"}`+"\n"), &failing{})
		r, err := table.New(broken, table.Options{Format: format})
		if err == nil {
			_, err = all(r)
		}
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: error = %v, want %v", format, err, errBroken)
		}
	}
}

var errBroken = errors.New("the cable was pulled")

type failing struct{}

func (*failing) Read([]byte) (int, error) { return 0, errBroken }

func TestSkipBad(t *testing.T) {
	r, got, err := read(t, "a.csv", "id,text\n1,a\n2\n3,b,c\n4,d\n", table.Options{SkipBad: true})
	if err != nil || strings.Join(got, " ") != "1|a 4|d" || r.Skipped() != 2 || r.Line() != 5 {
		t.Errorf("rows %q, %v, %d skipped, want 1|a and 4|d", got, err, r.Skipped())
	}
	if notes := strings.Join(r.Notes(), "; "); notes != "2 bad rows were left out" {
		t.Errorf("notes are %q", notes)
	}
	// Without it, whoever reads may go on behind a bad row.
	r, err = table.New(strings.NewReader("a,b\n1\n2,3\n"), table.Options{Format: table.CSV})
	if err != nil {
		t.Fatal(err)
	}
	var bad *table.RowError
	if _, err = r.Next(); !errors.As(err, &bad) || bad.Line != 2 {
		t.Errorf("error = %v, want one about line 2", err)
	}
	if row, err := r.Next(); err != nil || row[1].Text != "3" || r.Bad("no").Error() != "stdin:3: no" {
		t.Errorf("row = %v, %v, want the third line", row, err)
	}
}

// lines yields a line of 200 MB, or many.
type lines struct {
	left int
	line string
}

func (l *lines) Read(b []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for ; l.left > 0 && n+len(l.line) <= len(b); l.left-- {
		n += copy(b[n:], l.line)
	}
	return n, nil
}

// heap reads to the end and returns the error and the largest live heap on the
// way.
func heap(t *testing.T, in io.Reader, o table.Options) (rows int64, grown int64, err error) {
	t.Helper()
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := table.New(in, o)
	for err == nil {
		if _, err = r.Next(); rows%(1<<19) == 0 {
			runtime.GC()
			runtime.ReadMemStats(&during)
			grown = max(grown, int64(during.HeapAlloc)-int64(before.HeapAlloc))
		}
		rows++
	}
	runtime.KeepAlive(r)
	return rows - 1, grown, err
}

// A line without an end must not fill the memory: what is live stays within four
// times the row that is allowed, which two buffers that double can take.
func TestOneLine(t *testing.T) {
	if testing.Short() {
		t.Skip("reading 200 MB takes seconds")
	}
	for format, begin := range map[table.Format]string{table.CSV: "a,b\n1,", table.TSV: "a\tb\n1\t", table.Text: "", table.JSONL: `{"a":1}` + "\n" + `{"a":"`} {
		in := io.MultiReader(strings.NewReader(begin), &lines{left: 200 << 20 / 10, line: "some words"})
		_, grown, err := heap(t, in, table.Options{Format: format})
		if err == nil || !strings.Contains(err.Error(), "more than 16 MiB") || grown > 64<<20 {
			t.Errorf("%s: error = %v with %d bytes live, want one about 16 MiB", format, err, grown)
		}
	}
}

func TestConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reading 60 MB takes seconds")
	}
	for format, line := range map[table.Format]string{
		table.CSV: "7,\"a text, of some length\"\n", table.TSV: "7\ta text of some length\n",
		table.Text: "a text of some length\n", table.JSONL: `{"id":7,"text":"a text of some length"}` + "\n",
		table.FastText: "__label__x a text of some length\n",
	} {
		const n = 1 << 19 // more than 8 MB of each, even without what holds a text
		rows, grown, err := heap(t, &lines{left: n, line: line}, table.Options{Format: format})
		if !errors.Is(err, io.EOF) || rows < n-1 || grown > 8<<20 {
			t.Errorf("%s: %d rows, %v, %d bytes live, want less than 8 MB", format, rows, err, grown)
		}
	}
}
