package table_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/table"
)

// declared reads a file in the form that was declared, with | between the values of a row
// and an exclamation mark for a bad one.
func declared(t *testing.T, name, in string, o table.Options, columns ...string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := table.Declare(path, o)
	if err != nil {
		return "", err
	}
	r, err := d.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	if !r.Declared() {
		t.Error("a declared reader does not say so")
	}
	if err = r.Select(columns...); err != nil {
		return "", err
	}
	var rows []string
	for {
		row, err := r.Next()
		var bad *table.RowError
		switch {
		case errors.Is(err, io.EOF):
			return strings.Join(rows, " "), nil
		case errors.As(err, &bad):
			rows = append(rows, "!")
			continue
		case err != nil:
			return "", err
		}
		var values []string
		for _, v := range row {
			values = append(values, v.Text)
		}
		rows = append(rows, strings.Join(values, "|"))
	}
}

// TestDeclared: a file has the form that its name and options say, and no other, and what
// is wrong with a row is its own fault.
func TestDeclared(t *testing.T) {
	long := strings.Repeat("x", 17<<20)
	for _, tt := range []struct {
		name, file, in string
		o              table.Options
		columns        []string
		want, fault    string
	}{
		{"bytes of another encoding", "a.csv", "a,b\n\xe9\xe9\xe9,é\n1,é\n", table.Options{}, []string{"a", "b"}, "\ufffd|é 1|é", ""},
		{"another encoding", "a.csv", "a,b\n\xe9,\xe8\n", table.Options{Encoding: "latin-1"}, []string{"b"}, "è", ""},
		{"a mark of UTF-16 in a row", "a.txt", "\xff\xfeb\nc\n", table.Options{}, []string{"text"}, "\ufffdb c", ""},
		{"UTF-16", "a.csv", "\xff\xfea\x00\n\x00b\x00\n\x00", table.Options{Encoding: "utf-16"}, []string{"a"}, "b", ""},
		{"UTF-16 without a mark", "a.csv", "a\x00\n\x00b\x00\n\x00", table.Options{Encoding: "utf-16"}, nil, "", "utf-16le or utf-16be"},
		{"UTF-16 that begins small", "a.csv", "a\x00\n\x00b\x00\n\x00", table.Options{Encoding: "utf-16le"}, []string{"a"}, "b", ""},
		{"a mark", "a.csv", "\ufeffa\n\ufeffb\n", table.Options{}, []string{"a"}, "\ufeffb", ""},
		{"no mark inside", "a.txt", "\ufeffa\n", table.Options{Inside: true}, []string{"text"}, "\ufeffa", ""},
		{"zeros", "a.txt", strings.Repeat("\x00", 300) + "\nb\n", table.Options{}, []string{"text"}, strings.Repeat("\ufffd", 300) + " b", ""},
		{"gzip by its name", "a.csv.gz", zip("a\nb\n"), table.Options{}, []string{"a"}, "b", ""},
		{"gzip by its bytes", "a.csv", zip("a\nb\n"), table.Options{}, []string{"a"}, "", "must end in .gz or .zst"},
		{"gzip by its name alone", "a.csv.gz", "a\nb\n", table.Options{}, []string{"a"}, "", "not compressed so"},
		{"semicolons", "a.csv", "a;b\n1;2\n", table.Options{}, []string{"b"}, "", "--delimiter semicolon"},
		{"quotes of TSV", "a.tsv", "a\tb\n\"1\t2\"\n", table.Options{}, []string{"a", "b"}, `"1|2"`, ""},
		{"quotes with tabs", "a.csv", "a\tb\n\"1\t2\"\t3\n", table.Options{Delimiter: '\t'}, []string{"a", "b"}, "1\t2|3", ""},
		{"an open quote", "a.csv", "a,b\n1,\"2\n3,4\n", table.Options{SkipBad: true}, []string{"a"}, "", "line 2: a quote is left open"},
		{"too few fields", "a.csv", "a,b\n1\n3,4\n", table.Options{}, []string{"b"}, "! 4", ""},
		{"numbers for names", "a.csv", "1,2,3\n4\n5,6\n", table.Options{NoHeader: true}, []string{"2"}, "2 ! 6", ""},
		{"no number", "a.csv", "1,2\n", table.Options{NoHeader: true}, []string{"x"}, "", "must be a number from 1"},
		{"keys that are asked for", "a.jsonl", "{\"a\":1}\nnone\n{\"b\":2,\"a\":\"\xff\"}\n[1]\n", table.Options{}, []string{"b", "a"}, "|1 ! 2|\ufffd !", ""},
		{"a long line", "a.txt", "a\n" + long + "\nb\n", table.Options{}, []string{"text"}, "a ! b", ""},
		{"a long line of JSON", "a.jsonl", `{"a":1}` + "\n{\"a\":\"" + long + "\"}\n" + `{"a":2}`, table.Options{}, []string{"a"}, "1 ! 2", ""},
		{"another return", "a.txt", "a\rb", table.Options{}, []string{"text"}, "a\rb", ""},
		{"no name that tells", "a.dat", "a\n", table.Options{}, nil, "", "--in-format"},
		{"Parquet by its bytes", "a.csv", "PAR1\n", table.Options{}, []string{"PAR1"}, "", "no row was found"},
		{"Parquet in gzip", "a.parquet.gz", "", table.Options{}, nil, "", "must be unpacked first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := declared(t, tt.file, tt.in, tt.o, tt.columns...)
			if tt.fault == "" && (err != nil || got != tt.want) || tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
				t.Errorf("rows are %.80q, %v, want %.80q and an error with %q", got, err, tt.want, tt.fault)
			}
		})
	}
}

// TestDeclaredFolder: what one file of a folder is called changes no other's values.
func TestDeclaredFolder(t *testing.T) {
	read := func(names ...string) map[string]string {
		dir := t.TempDir()
		for _, name := range names {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("a "+name), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		d, err := table.Declare(dir, table.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		all := map[string]string{}
		for {
			row, err := r.Next()
			if errors.Is(err, io.EOF) {
				return all
			}
			if err != nil {
				t.Fatal(err)
			}
			all[row[1].Text] = row[0].Text + "|" + row[2].Text
		}
	}
	want := map[string]string{"train/pos/1.txt": "a train/pos/1.txt|train/pos", "test/neg/2.txt": "a test/neg/2.txt|test/neg"}
	for _, other := range []string{"test/neg/3.txt", "elsewhere/3.txt", "3.txt", "bare", "train/pos/deeper/3.txt"} {
		got := read("train/pos/1.txt", "test/neg/2.txt", other)
		for name, values := range want {
			if got[name] != values {
				t.Errorf("beside %s, %s is %q, want %q", other, name, got[name], values)
			}
		}
	}
}
