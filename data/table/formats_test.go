package table_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"sotto/data/table"
)

type record struct {
	Text  string    `parquet:"text"`
	Stars int32     `parquet:"stars"`
	ID    uint64    `parquet:"id"`
	Price float64   `parquet:"price"`
	Small float32   `parquet:"small"`
	Good  bool      `parquet:"good"`
	Maybe *bool     `parquet:"maybe,optional"`
	Day   int32     `parquet:"day,date"`
	When  time.Time `parquet:"when,timestamp(microsecond)"`
	Tags  []string  `parquet:"tags,list"`
	Kind  string    `parquet:"kind,dict"`
}

func parquetFile(t *testing.T, rows []record, options ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[record](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestParquet(t *testing.T) {
	yes := true
	var rows []record
	var want []string
	for i := range 40 { // more than a byte of booleans
		r := record{Text: "é", Stars: int32(-i), ID: 1<<63 + 5, Price: 0.25, Small: 0.1, Good: i%3 == 0, Day: 19_000, When: time.Unix(1_700_000_000, 250_000_000), Kind: []string{"x", "y"}[i%2]}
		line := "é|-" + itoa(i) + "|9223372036854775813|0.25|0.1|" + map[bool]string{true: "true", false: "false"}[r.Good]
		if i == 0 {
			line = strings.Replace(line, "-0", "0", 1)
		}
		if i%4 == 0 {
			r.Maybe = &yes
			line += "|true"
		} else {
			line += "|∅"
		}
		rows = append(rows, r)
		want = append(want, line+"|2022-01-08|2023-11-14T22:13:20.25Z|{}|"+r.Kind)
	}
	for name, in := range map[string]string{
		"plain":  parquetFile(t, rows),
		"pages":  parquetFile(t, rows, parquet.PageBufferSize(40), parquet.Compression(&parquet.Zstd)),
		"groups": parquetFile(t, rows, parquet.MaxRowsPerRowGroup(7)),
	} {
		r, got, err := read(t, "a.parquet", in, table.Options{})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: read\n%s\n%v, want\n%s", name, strings.Join(got, "\n"), err, strings.Join(want, "\n"))
		}
		sum := sha256.Sum256([]byte(in))
		if got, failed := r.SHA256(); failed != nil || got != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: SHA256 = %s, %v", name, got, failed)
		}
		if r, got, err = read(t, "a.csv", in, table.Options{}, "good", "stars"); err != nil || got[1] != "false|-1" || len(r.Notes()) != 1 {
			t.Errorf("%s by another name: rows %q, %v, notes %q", name, got, err, r.Notes())
		}
		kinds := []table.Kind{table.String, table.Number, table.Number, table.Number, table.Number, table.Bool, table.Bool, table.String, table.String, table.Nested, table.String}
		if !slices.Equal(r.Kinds(), kinds) {
			t.Errorf("Kinds = %v, want %v", r.Kinds(), kinds)
		}
	}
	if _, err := table.New(io.MultiReader(strings.NewReader(parquetFile(t, rows))), table.Options{}); err == nil || !strings.Contains(err.Error(), "must be a file") {
		t.Errorf("error = %v, want one about a stream", err)
	}
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}

// tree writes files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFolder(t *testing.T) {
	for _, tt := range []struct {
		name    string
		files   map[string]string
		columns string
		want    []string
		note    string
	}{
		{"flat", map[string]string{"b.txt": "second\n", "a.txt": "first\nof two lines\n"}, "text,file", []string{"first\nof two lines|a.txt", "second|b.txt"}, ""},
		{"labels", map[string]string{"pos/1.txt": "good", "neg/2.txt": "bad\r\n"}, "text,file,label", []string{"bad|neg/2.txt|neg", "good|pos/1.txt|pos"}, ""},
		{"parts", map[string]string{"train/pos/1.txt": "good", "test/neg/2.txt": "bad", "README": "no", "train/words.feat": "no"}, "text,file,label,split", []string{"bad|test/neg/2.txt|neg|test", "good|train/pos/1.txt|pos|train"}, "2 files are no texts"},
		{"parts without labels", map[string]string{"train/1.txt": "good", "dev/2.txt": "bad"}, "text,file,split", []string{"bad|dev/2.txt|dev", "good|train/1.txt|train"}, ""},
		{"no extensions", map[string]string{"sci.med/1": "a", "sci.space/2": "b", ".git/x": "no", "sci.med/.hidden": "no"}, "text,file,label", []string{"a|sci.med/1|sci.med", "b|sci.space/2|sci.space"}, ""},
		{"one without a label", map[string]string{"pos/1.txt": "good", "2.txt": ""}, "text,file,label", []string{"|2.txt|∅", "good|pos/1.txt|pos"}, ""},
		{"encodings", map[string]string{"a/1.txt": zip("packed"), "a/2.txt": utf16("\ufeffwide", false), "b/3.txt": "caf\xe9"}, "text,file,label", []string{"packed|a/1.txt|a", "wide|a/2.txt|a", "café|b/3.txt|b"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, tt.files)
			r, err := table.Open(root, table.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := all(r)
			if err != nil || strings.Join(r.Columns(), ",") != tt.columns || !slices.Equal(got, tt.want) {
				t.Errorf("columns %v, rows %q, %v, want %s, %q", r.Columns(), got, err, tt.columns, tt.want)
			}
			if notes := strings.Join(r.Notes(), "; "); !strings.Contains(notes, tt.note) {
				t.Errorf("notes are %q, want %q", notes, tt.note)
			}
			read, err := r.SHA256()
			if err != nil {
				t.Fatal(err)
			}
			if r, err = table.Open(root, table.Options{}); err != nil {
				t.Fatal(err)
			}
			if unread, err := r.SHA256(); err != nil || unread != read {
				t.Errorf("hash is %s, %v before reading and %s after", unread, err, read)
			}
		})
	}
}

func TestFolderRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", map[string]string{".x": ""}, "it is a folder without files that end in .txt: no row was found"},
		{"pictures", map[string]string{"a.png": "x", "b/c.jpg": "y"}, "it is a folder without files that end in .txt"},
		{"tables", map[string]string{"a.csv": "x", "b/c.tsv.gz": "y", "c.png": ""}, "of tables such as its 2, one must be named"},
		{"a picture by another name", map[string]string{"a.txt": "text", "b.txt": "\x89PNG...."}, "row 2: b.txt: it is a PNG image"},
		{"zeros", map[string]string{"a.txt": strings.Repeat("a\x00\x00b", 9)}, "row 1: a.txt: byte 2 is zero"},
		{"Parquet", map[string]string{"a.txt": "PAR1...."}, "row 1: a.txt: it is Parquet, must be a text"},
		{"large", map[string]string{"a.txt": strings.Repeat("x", 16<<20+1)}, "row 1: a.txt: it has more than 16 MiB"},
		{"a bomb", map[string]string{"a.txt": zip(strings.Repeat("x", 16<<20+1))}, "row 1: a.txt: it has more than 16 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := table.Open(tree(t, tt.files), table.Options{Name: "folder"})
			if err == nil {
				_, err = all(r)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := table.Open(t.TempDir(), table.Options{Format: table.CSV}); err == nil || !strings.Contains(err.Error(), "it is a folder and format is csv") {
		t.Errorf("error = %v, want one about the format", err)
	}
}

func TestZstandard(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := read(t, "a.csv", string(w.EncodeAll([]byte("id;text\n1;a\n"), nil)), table.Options{})
	if err != nil || !slices.Equal(got, []string{"1|a"}) {
		t.Errorf("rows %q, %v", got, err)
	}
}

// The encoding is decided where the first byte says something, however late.
func TestLateEncoding(t *testing.T) {
	ascii := strings.Repeat("1,a plain text\n", 300_000)
	for _, tt := range []struct{ end, want, note string }{
		{"2,caf\xe9\n", "2|café", "Windows-1252"},
		{"2,café\n", "2|café", ""},
		{"2,café ça \xff\n", "2|café ça \ufffd", "1 values held bytes"},
		{"2,pri\x00vate\n", "2|pri\ufffdvate", "1 values held bytes"},
	} {
		r, got, err := read(t, "a.csv", "id,text\n"+ascii+tt.end, table.Options{})
		if err != nil || len(got) != 300_001 || got[300_000] != tt.want {
			t.Errorf("%q: %d rows, %v, the last %q, want %q", tt.end, len(got), err, got[len(got)-1], tt.want)
			continue
		}
		if notes := strings.Join(r.Notes(), "; "); !strings.Contains(notes, tt.note) || (tt.note == "") != (notes == "") {
			t.Errorf("%q: notes are %q, want %q", tt.end, notes, tt.note)
		}
	}
}

// Somebody who types gets an answer to each line before the next.
func TestTyping(t *testing.T) {
	in, out := io.Pipe()
	go io.WriteString(out, "één\n") //nolint:errcheck // a failure shows below
	r, err := table.New(in, table.Options{Format: table.Text})
	if err != nil {
		t.Fatal(err)
	}
	if row, failed := r.Next(); failed != nil || row[0].Text != "één" {
		t.Errorf("row = %v, %v, want the first line", row, failed)
	}
	go func() {
		io.WriteString(out, "two\n") //nolint:errcheck // a failure shows below
		out.Close()
	}()
	if row, failed := r.Next(); failed != nil || row[0].Text != "two" {
		t.Errorf("row = %v, %v, want the second line", row, failed)
	}
	if _, err = r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("error = %v, want the end", err)
	}
}

func TestHash(t *testing.T) {
	in := zip("id,text\n1,a\n")
	sum := sha256.Sum256([]byte(in))
	want := hex.EncodeToString(sum[:])
	r, _, err := read(t, "a.csv", in, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, failed := r.SHA256(); failed != nil || got != want {
		t.Errorf("SHA256 = %s, %v, want %s", got, failed, want)
	}
	if r, err = table.New(strings.NewReader(in), table.Options{Format: table.CSV}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.SHA256(); err != nil || got != want {
		t.Errorf("SHA256 before reading = %s, %v, want %s", got, err, want)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("Next after SHA256 = %v, want the end", err)
	}
}

// TestGroups reads row groups of Parquet alone, with the places of rows in the file.
func TestGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	rows := []record{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}
	if err := os.WriteFile(path, []byte(parquetFile(t, rows, parquet.MaxRowsPerRowGroup(2))), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := table.Groups(path); n != 2 || err != nil {
		t.Fatalf("%d groups, %v; want 2", n, err)
	}
	r, err := table.Open(path, table.Options{Format: table.Parquet, Group: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err = r.Select("kind"); err != nil {
		t.Fatal(err)
	}
	v, err := r.Next()
	if err != nil || v[0].Text != "c" || r.Line() != 3 {
		t.Errorf("the second group begins with %v at %d, %v; want c at 3", v, r.Line(), err)
	}
	if _, err = r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("then comes %v, want the end", err)
	}
	if _, err = table.Open(path, table.Options{Format: table.Parquet, Group: 3}); err == nil {
		t.Error("a third group is read")
	}
}
