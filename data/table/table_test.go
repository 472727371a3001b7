package table_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/data/table"
)

// all reads to the end, with a bar between the values of a row.
func all(r *table.Reader) ([]string, error) {
	var rows []string
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		var s []string
		for _, v := range row {
			switch v.Kind {
			case table.Missing:
				s = append(s, "∅")
			case table.Nested:
				s = append(s, "{}")
			default:
				s = append(s, v.Text)
			}
		}
		rows = append(rows, strings.Join(s, "|"))
	}
}

// read reads a file of that name and content.
func read(t *testing.T, name, content string, o table.Options, columns ...string) (*table.Reader, []string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Name = name
	r, err := table.Open(path, o)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { r.Close() })
	if len(columns) > 0 {
		if err = r.Select(columns...); err != nil {
			return r, nil, err
		}
	}
	rows, err := all(r)
	return r, rows, err
}

func zip(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s)) //nolint:errcheck // into memory
	w.Close()
	return b.String()
}

func utf16(s string, big bool) string {
	var b strings.Builder
	for _, r := range s {
		lo, hi := byte(r), byte(r>>8)
		if big {
			lo, hi = hi, lo
		}
		b.WriteByte(lo)
		b.WriteByte(hi)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name, file, in string
		o              table.Options
		columns        string // with commas
		want           []string
		note           string // in the notes; "" for none
	}{
		{"csv", "a.csv", "id,text\n1,\"so, so\"\n2,fine\n", table.Options{}, "id,text", []string{"1|so, so", "2|fine"}, ""},
		{"semicolons", "a.csv", "id;text\n1;so, so\n2;fine, really, it is\n", table.Options{}, "id,text", []string{"1|so, so", "2|fine, really, it is"}, "its delimiter is a semicolon"},
		{"bars", "a.csv", "id|text\n1|so; so\n", table.Options{}, "id,text", []string{"1|so; so"}, "a vertical bar"},
		{"tabs in csv", "a.csv", "id\ttext\n1\tso, so\n", table.Options{}, "id,text", []string{"1|so, so"}, "a tab"},
		{"given delimiter", "a.csv", "id:text\n1:so\n", table.Options{Delimiter: ':'}, "id,text", []string{"1|so"}, ""},
		{"tsv", "a.tsv", "id\ttext\n1\the said \"so\"\n2\t\"it begins\n", table.Options{}, "id,text", []string{"1|he said \"so\"", "2|\"it begins"}, ""},
		{"tsv with quotes", "a.tsv", "id\ttext\n1\t\"a\"\"b\nc\"\n2\tx\n", table.Options{}, "id,text", []string{"1|a\"b\nc", "2|x"}, ""},
		{"no header", "a.csv", "1,a\n2,b\n", table.Options{NoHeader: true}, "1,2", []string{"1|a", "2|b"}, ""},
		{"gzip by another name", "a.csv", zip("id,text\n1,a\n"), table.Options{}, "id,text", []string{"1|a"}, "compressed by gzip"},
		{"mark", "a.csv", "\ufeffid,text\r\n1,é\r\n", table.Options{}, "id,text", []string{"1|é"}, ""},
		{"UTF-16 with a mark", "a.csv", utf16("\ufeffid;text\r\n1;é\r\n", false), table.Options{}, "id,text", []string{"1|é"}, "UTF-16LE"},
		{"UTF-16 without a mark", "a.csv", utf16("id,text\n1,é is\n", true), table.Options{}, "id,text", []string{"1|é is"}, "UTF-16BE"},
		{"Windows", "a.csv", "id,text\n1,caf\xe9 \x80\n", table.Options{}, "id,text", []string{"1|café €"}, "Windows-1252"},
		{"given encoding", "a.csv", "id,text\n1,caf\xe9\n", table.Options{Encoding: "UTF8"}, "id,text", []string{"1|caf\ufffd"}, "1 values held bytes"},
		{"old lines", "a.csv", "id,text\r1,a\r2,b\r", table.Options{}, "id,text", []string{"1|a", "2|b"}, "carriage return"},
		{"jsonl", "a.jsonl", `{"a":"x","b":1.50,"c":null}` + "\n\n" + `{"b":true,"d":[1,{"x":"}"}], "a\u0062":"y"}` + "\n", table.Options{}, "a,b,c,d,ab", []string{"x|1.50|∅|∅|∅", "∅|true|∅|{}|y"}, ""},
		{"jsonl by content", "a.dat", `{"a":"x"}` + "\n", table.Options{}, "a", []string{"x"}, ""},
		{"text", "a.txt", "one, two\n\nthree\n", table.Options{}, "text", []string{"one, two", "", "three"}, ""},
		{"labels before texts", "a.txt", "pos\tgood one\nneg\tbad one\npos\tfine\nneg\tno\n", table.Options{}, "label,text", []string{"pos|good one", "neg|bad one", "pos|fine", "neg|no"}, "a label and a text"},
		{"labels after texts", "a.txt", "good one\t1\nbad one\t0\nfine thing\t1\nno\t0\n", table.Options{}, "text,label", []string{"good one|1", "bad one|0", "fine thing|1", "no|0"}, "a label and a text"},
		{"fastText", "a.txt", "__label__pos good one\n__label__neg __label__rude bad one\n", table.Options{}, "label,text", []string{"pos|good one", "neg,rude|bad one"}, "fastText"},
		{"columns in text", "a.txt", "id\tlabel\ttext\n1\tx\tone, two\n2\ty\t\n", table.Options{}, "id,label,text", []string{"1|x|one, two", "2|y|"}, "read as TSV"},
		{"commas in text", "a.txt", "id,text\n1,a\n2,b\n", table.Options{}, "text", []string{"id,text", "1,a", "2,b"}, "--in-format csv"},
		{"csv by content", "a.dat", "id,text\n1,a\n2,b\n", table.Options{}, "id,text", []string{"1|a", "2|b"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, got, err := read(t, tt.file, tt.in, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if columns := strings.Join(r.Columns(), ","); columns != tt.columns || !slices.Equal(got, tt.want) {
				t.Errorf("columns %s, rows %q, want %s, %q", columns, got, tt.columns, tt.want)
			}
			notes := strings.Join(r.Notes(), "; ")
			if !strings.Contains(notes, tt.note) || (tt.note == "" && notes != "") {
				t.Errorf("notes are %q, want %q", notes, tt.note)
			}
		})
	}
}

func ExampleReader() {
	in := strings.NewReader("id;review;rating\n1;Fine!;5\n2;Well, no.;2\n")
	r, err := table.New(in, table.Options{Format: table.CSV})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	if err := r.Select("rating", "review"); err != nil {
		fmt.Println(err)
		return
	}
	for {
		row, err := r.Next()
		if err != nil {
			break
		}
		fmt.Println(r.Line(), row[0].Text, row[1].Text)
	}
	// Output:
	// 2 5 Fine!
	// 3 2 Well, no.
}
