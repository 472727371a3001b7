package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/data/table"
)

// FuzzSniff checks that whatever a file holds, nothing panics, values are UTF-8,
// rows have as many as there are columns, and skipping bad rows changes nothing
// that comes before the first.
func FuzzSniff(f *testing.F) {
	for _, s := range []string{
		"id,text\n1,\"a\"\"b\"\n", "id;text\r1;a\r", "\ufeffa\tb\n\"x\"\ty\n", "__label__a b\n", "pos\tgood one\nneg\tbad one\n",
		`{"a":"x","b":[1]}` + "\n", zip("a|b\n1|2\n"), utf16("a,b\n1,é\n", true), "caf\xe9\n", "PAR1", "PK\x03\x04", "\x28\xb5\x2f\xfd",
	} {
		f.Add([]byte(s), false, byte(0))
		f.Add([]byte(s), true, byte(0))
		f.Add([]byte(s), false, byte(';'))
	}
	f.Fuzz(func(t *testing.T, in []byte, bare bool, delimiter byte) {
		o := table.Options{NoHeader: bare, Delimiter: rune(delimiter)}
		read := func() (rows []string, notes string) {
			r, err := table.New(bytes.NewReader(in), o)
			if err != nil {
				return nil, ""
			}
			defer r.Close()
			columns := r.Columns()
			for {
				row, err := r.Next()
				if err != nil {
					return rows, strings.Join(r.Notes(), "\n")
				}
				if len(row) != len(columns) {
					t.Fatalf("a row of %d values under %d columns", len(row), len(columns))
				}
				var b strings.Builder
				for _, v := range row {
					if !utf8.ValidString(v.Text) {
						t.Fatalf("value %q is not UTF-8", v.Text)
					}
					b.WriteString(string(v.Kind) + v.Text + "\x00")
				}
				rows = append(rows, b.String())
			}
		}
		got, _ := read()
		o.SkipBad = true
		all, notes := read()
		if len(all) < len(got) || strings.Join(all[:len(got)], "\n") != strings.Join(got, "\n") {
			t.Errorf("skipping bad rows gives %q, else %q", all, got)
		}
		if !utf8.ValidString(notes) {
			t.Errorf("notes %q are not UTF-8", notes)
		}
	})
}

// FuzzDelimiter writes a table with a delimiter, with quotes where they are needed,
// and finds it again, provided that no other delimiter is in it.
func FuzzDelimiter(f *testing.F) {
	f.Add("id", "text", "1", "a \"text\"", byte(1))
	f.Add("a", "b", "\n", "é", byte(2))
	f.Fuzz(func(t *testing.T, a, b, c, d string, which byte) {
		all := strings.Join([]string{a, b, c, d}, "")
		for _, r := range all {
			if strings.ContainsRune(",;\t|\r\ufeff\ufffd", r) || r < '\n' || (r > '\n' && r < ' ') {
				t.Skip("another delimiter, or no text")
			}
		}
		if !utf8.ValidString(a+","+b+","+c+","+d) || strings.HasPrefix(a, "__label__") || strings.HasPrefix(a, "PAR1") || strings.TrimSpace(a+b) == "" || len(all) > 1<<16 {
			t.Skip("of another format")
		}
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		w.Comma = []rune(",;\t|")[which%4]
		rows := [][]string{{a, b}, {c, d}, {d, c}, {c, c}}
		if err := w.WriteAll(rows); err != nil {
			t.Skip(err)
		}
		r, err := table.New(bytes.NewReader(file.Bytes()), table.Options{Format: table.CSV, NoHeader: true, Encoding: "utf-8"})
		if err != nil {
			if strings.Contains(err.Error(), "it is ") {
				t.Skip("a text that begins as another format does")
			}
			t.Fatalf("%q: %v", file.String(), err)
		}
		if w.Comma == '\t' {
			return // where quotes are no quotes depends on what else is quoted
		}
		for _, want := range rows {
			got, err := r.Next()
			if err != nil || len(got) != 2 || got[0].Text != want[0] || got[1].Text != want[1] {
				t.Fatalf("%q: row %v, %v, want %q", file.String(), got, err, want)
			}
		}
	})
}

// FuzzObject holds our walk over objects against the standard library's.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{"a":"x\u00e9","b":[1,{"c":"]}"}],"a":-1.5e3}`, `{ "a" : null , "\u0061b":true}`, `{}`, `"x"`, `{"a":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\r\n\x00") || !utf8.Valid(line) || bytes.HasPrefix(line, []byte("\ufeff")) {
			t.Skip("no line")
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(line, &want) != nil || len(want) == 0 {
			t.Skip("no object")
		}
		r, err := table.New(bytes.NewReader(line), table.Options{Format: table.JSONL, Encoding: "utf-8"})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		columns := r.Columns()
		row, err := r.Next()
		if err != nil || len(columns) != len(want) {
			t.Fatalf("%s: columns %q, %v, want %d", line, columns, err, len(want))
		}
		for i, c := range columns {
			raw, ok := want[c]
			if !ok {
				t.Fatalf("%s: column %q is no key", line, c)
			}
			text := string(raw)
			switch raw[0] {
			case '"':
				if err := json.Unmarshal(raw, &text); err != nil {
					t.Fatal(err)
				}
			case '{', '[', 'n':
				text = ""
			}
			if row[i].Text != text {
				t.Errorf("%s: column %q is %q, want %q", line, c, row[i].Text, text)
			}
		}
	})
}
