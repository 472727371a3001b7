package vecfile_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"sotto/data/vecfile"
)

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name   string
		format vecfile.Format
		in     string
		opt    vecfile.Options
		want   []float64
		width  int
		err    string
	}{
		// JSON lines.
		{name: "arrays", format: vecfile.JSONL, in: "[1, 2.5]\n[-0.0,1e-3]\n", width: 2, want: []float64{1, 2.5, negZero, 1e-3}},
		{name: "objects", format: vecfile.JSONL, in: `{"x":[1,2]}` + "\n" + `{"vector" : [3 ,4]}` + "\n" + `{"embedding":[5,6]}` + "\n" + `{"y":[7,8]}`, width: 2, want: []float64{1, 2, 3, 4, 5, 6, 7, 8}},
		{name: "other keys", format: vecfile.JSONL, in: `{"id":7,"a":{"b":[{},[],"\u00e9\n",true,false,null,-1.5E+3]},"x":[1],"text":"secret"}`, width: 1, want: []float64{1}},
		{name: "escaped key", format: vecfile.JSONL, in: `{"\u0078":[1]}`, width: 1, want: []float64{1}},
		{name: "blank lines and CRLF", format: vecfile.JSONL, in: "\n[1]\r\n \t\r\n[2]\r\n", width: 1, want: []float64{1, 2}},
		{name: "byte order mark", format: vecfile.JSONL, in: "\ufeff[1]", width: 1, want: []float64{1}},
		{name: "no rows", format: vecfile.JSONL, in: "\n\n"},
		{name: "no rows, width asked", format: vecfile.JSONL, opt: vecfile.Options{Width: 3}, width: 3},
		{name: "underflow", format: vecfile.JSONL, in: "[1e-999]", width: 1, want: []float64{0}},
		{name: "overflow", format: vecfile.JSONL, in: "[1,2]\n[1,1e999]", width: 2, want: []float64{1, 2}, err: "v.jsonl:2:4: number out of range"},
		{name: "NaN", format: vecfile.JSONL, in: "[1]\n[NaN]", width: 1, want: []float64{1}, err: "v.jsonl:2:2: not a finite number"},
		{name: "Infinity", format: vecfile.JSONL, in: "[1]\n[-Infinity]", width: 1, want: []float64{1}, err: "v.jsonl:2:2: not a finite number"},
		{name: "null", format: vecfile.JSONL, in: "[1,2]\n\n[3,null]", width: 2, want: []float64{1, 2}, err: "v.jsonl:3:4: missing value"},
		{name: "text", format: vecfile.JSONL, in: `["secret"]`, err: "v.jsonl:1:2: not a number"},
		{name: "leading zero", format: vecfile.JSONL, in: "[01]", err: "v.jsonl:1:3: not valid JSON"},
		{name: "plus", format: vecfile.JSONL, in: "[+1]", err: "v.jsonl:1:2: not a number"},
		{name: "bare dot", format: vecfile.JSONL, in: "[1.]", err: "v.jsonl:1:2: not a number"},
		{name: "bare exponent", format: vecfile.JSONL, in: "[1e]", err: "v.jsonl:1:2: not a number"},
		{name: "hexadecimal", format: vecfile.JSONL, in: "[0x1]", err: "v.jsonl:1:3: not valid JSON"},
		{name: "nested", format: vecfile.JSONL, in: "[[1]]", err: "v.jsonl:1:2: not a number"},
		{name: "trailing comma", format: vecfile.JSONL, in: "[1,]", err: "v.jsonl:1:4: not a number"},
		{name: "cut off", format: vecfile.JSONL, in: "[1\n", err: "v.jsonl:1:3: not valid JSON"},
		{name: "more text", format: vecfile.JSONL, in: "[1] x", err: "v.jsonl:1:5: more text after the value"},
		{name: "two values", format: vecfile.JSONL, in: `{"x":[1]}{"x":[1]}`, err: "v.jsonl:1:10: more text after the value"},
		{name: "number alone", format: vecfile.JSONL, in: "  1", err: "v.jsonl:1:3: neither an array nor an object"},
		{name: "empty vector", format: vecfile.JSONL, in: "[ ]", err: "v.jsonl:1: empty vector"},
		{name: "width", format: vecfile.JSONL, in: "[1,2]\n[1]\n", width: 2, want: []float64{1, 2}, err: "v.jsonl:2: has 1 column, must have 2"},
		{name: "width asked", format: vecfile.JSONL, opt: vecfile.Options{Width: 3}, in: "[1,2]\n", err: "v.jsonl:1: has 2 columns, must have 3"},
		{name: "no key", format: vecfile.JSONL, in: `{"a":1}`, err: "v.jsonl:1:1: none of the keys x, vector, embedding or y"},
		{name: "empty object", format: vecfile.JSONL, in: `{ }`, err: "v.jsonl:1:1: none of the keys x, vector, embedding or y"},
		{name: "two keys", format: vecfile.JSONL, in: `{"x":[1], "y":[1]}`, err: "v.jsonl:1:11: more than one of the keys x, vector, embedding or y"},
		{name: "duplicate key", format: vecfile.JSONL, in: `{"a":1,"x":[1],"\u0061":2}`, err: "v.jsonl:1:16: duplicate key"},
		{name: "not an array", format: vecfile.JSONL, in: `{"x":{"x":[1]}}`, err: "v.jsonl:1:6: not an array of numbers"},
		{name: "bad dropped value", format: vecfile.JSONL, in: `{"x":[1],"a":[01]}`, err: "v.jsonl:1:16: not valid JSON"},
		{name: "bad dropped word", format: vecfile.JSONL, in: `{"x":[1],"a":tru}`, err: "v.jsonl:1:14: not valid JSON"},
		{name: "bad escape", format: vecfile.JSONL, in: `{"x":[1],"a":"\x"}`, err: "v.jsonl:1:16: not valid JSON"},
		{name: "bad unicode escape", format: vecfile.JSONL, in: `{"x":[1],"a":"\u12g4"}`, err: "v.jsonl:1:19: not valid JSON"},
		{name: "control character", format: vecfile.JSONL, in: "{\"x\":[1],\"a\":\"\x01\"}", err: "v.jsonl:1:15: not valid JSON"},
		{name: "object cut off", format: vecfile.JSONL, in: `{"x":[1]`, err: "v.jsonl:1:9: not valid JSON"},
		{name: "key cut off", format: vecfile.JSONL, in: `{"x`, err: "v.jsonl:1:4: not valid JSON"},
		{name: "no colon", format: vecfile.JSONL, in: `{"x" [1]}`, err: "v.jsonl:1:6: not valid JSON"},
		{name: "comma first", format: vecfile.JSONL, in: `{,"x":[1]}`, err: "v.jsonl:1:2: not valid JSON"},
		{name: "comma last", format: vecfile.JSONL, in: `{"x":[1],}`, err: "v.jsonl:1:10: not valid JSON"},
		{name: "too deep", format: vecfile.JSONL, in: `{"a":` + strings.Repeat("[", 300), err: "v.jsonl:1:262: nested too deeply"},
		{name: "too many keys", format: vecfile.JSONL, in: `{` + manyKeys(1025) + `}`, err: "v.jsonl:1:9218: too many keys"},

		// Comma separated numbers.
		{name: "plain", format: vecfile.CSV, in: "1,2\n-3.5,+.5e1\n", width: 2, want: []float64{1, 2, -3.5, 5}},
		{name: "header", format: vecfile.CSV, in: "a,\"b,\"\"c\"\"\"\n1,2\n", width: 2, want: []float64{1, 2}},
		{name: "header only", format: vecfile.CSV, in: "a,b\n", width: 2},
		{name: "quotes and space", format: vecfile.CSV, in: " \"1\" , 2\t\r\n\r\n3,\"4\"", width: 2, want: []float64{1, 2, 3, 4}},
		{name: "no rows", format: vecfile.CSV},
		{name: "not a number", format: vecfile.CSV, in: "1,2\n3, secret\n", width: 2, want: []float64{1, 2}, err: "v.csv:2:4: not a number"},
		{name: "missing", format: vecfile.CSV, in: "1,2\n3,\n", width: 2, want: []float64{1, 2}, err: "v.csv:2:3: missing value"},
		{name: "NaN", format: vecfile.CSV, in: "1\nnan\n", width: 1, want: []float64{1}, err: "v.csv:2:1: not a finite number"},
		{name: "infinite", format: vecfile.CSV, in: "1\n-inf\n", width: 1, want: []float64{1}, err: "v.csv:2:1: not a finite number"},
		{name: "overflow", format: vecfile.CSV, in: "1\n1e999\n", width: 1, want: []float64{1}, err: "v.csv:2:1: number out of range"},
		{name: "hexadecimal", format: vecfile.CSV, in: "1\n0x1p3\n", width: 1, want: []float64{1}, err: "v.csv:2:1: not a number"},
		{name: "hexadecimal overflow", format: vecfile.CSV, in: "1\n0x1p9999\n", width: 1, want: []float64{1}, err: "v.csv:2:1: not a number"},
		{name: "underscore", format: vecfile.CSV, in: "1\n1_0\n", width: 1, want: []float64{1}, err: "v.csv:2:1: not a number"},
		{name: "width", format: vecfile.CSV, in: "1,2\n1,2,3\n", width: 2, want: []float64{1, 2}, err: "v.csv:2: has 3 columns, must have 2"},
		{name: "header decides width", format: vecfile.CSV, in: "a,b,c\n1,2\n", err: "v.csv:2: has 2 columns, must have 3"},
		{name: "width asked", format: vecfile.CSV, opt: vecfile.Options{Width: 3}, in: "a,b\n", err: "vecfile: v.csv: has 2 columns, must have 3"},
		{name: "quote left open", format: vecfile.CSV, in: "1\n\"2\n", width: 1, want: []float64{1}, err: "v.csv:2:1: quote left open"},
		{name: "text after quote", format: vecfile.CSV, in: "1\n\"2\" 3\n", width: 1, want: []float64{1}, err: "v.csv:2:5: text after a quoted field"},
		{name: "half a header", format: vecfile.CSV, in: "id,0,1\n7,1,2\n", err: "v.csv:1:1: not a number"},
		{name: "row names", format: vecfile.CSV, in: ",0,1\n7,1,2\n", err: "v.csv:1:1: missing value"},
		{name: "first row of NaN", format: vecfile.CSV, in: "nan,NaN\n1,2\n", err: "v.csv:1:1: not a finite number"},
	} {
		t.Run(string(tt.format)+"/"+tt.name, func(t *testing.T) {
			tt.opt.Name, tt.opt.Format = "v."+string(tt.format), tt.format
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
			if strings.Contains(message(err), "secret") {
				t.Errorf("error %q quotes the input", err)
			}
		})
	}
}

// manyKeys returns n members of an object, nine bytes each with the comma.
func manyKeys(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"%04d":1`, i)
	}
	return strings.Join(members, ",")
}

func TestLineTooLong(t *testing.T) {
	for _, f := range []vecfile.Format{vecfile.JSONL, vecfile.CSV} {
		in := io.MultiReader(strings.NewReader("1\n"), io.LimitReader(spaces{}, 65<<20), strings.NewReader("1\n"))
		if f == vecfile.JSONL {
			in = io.MultiReader(strings.NewReader("[1]"), in)
		}
		r, err := vecfile.NewReader(in, vecfile.Options{Name: "v", Format: f, SkipBad: true})
		if err == nil {
			defer r.Close()
			_, err = readAll(r, 1)
		}
		if want := "vecfile: v: line 2 is longer than 64 MiB"; message(err) != want {
			t.Errorf("%s: error = %q, want %q", f, message(err), want)
		}
	}
}

// TestLongLine reads a line that does not fit the buffer, but the bounds.
func TestLongLine(t *testing.T) {
	want := numbers(100_000)
	for _, f := range []vecfile.Format{vecfile.JSONL, vecfile.CSV} {
		in := encode(t, f, vecfile.WriterOptions{Width: len(want)}, want)
		got, _, err := parse(in, vecfile.Options{Format: f})
		if err != nil || !same(got, want) {
			t.Errorf("%s: a row of %d numbers gives %d, error %v", f, len(want), len(got), err)
		}
	}
}

// spaces is white space without end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestTooWide(t *testing.T) {
	line := strings.Repeat("1,", 1<<20)
	for f, in := range map[vecfile.Format]string{vecfile.JSONL: "[" + line + "1]", vecfile.CSV: line + "1"} {
		_, _, err := parse(in, vecfile.Options{Name: "v", Format: f})
		if want := ": has more than 1048576 columns"; !strings.HasSuffix(message(err), want) {
			t.Errorf("%s: error = %q, want one with %q", f, message(err), want)
		}
	}
}

func TestDropped(t *testing.T) {
	long := strings.Repeat("é", 40)
	in := `{"x":[1],"id":1,"` + long + `":2}` + "\n" + `{"id":1,"text":3,"x":[1],"` + long + `":2}`
	_, r, err := parse(in, vecfile.Options{Format: vecfile.JSONL})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"id", strings.Repeat("é", 32) + "…", "text"}
	if got := r.Dropped(); !slices.Equal(got, want) {
		t.Errorf("Dropped() = %q, want %q", got, want)
	}
	if _, r, err = parse("{"+manyKeys(1000)+`,"x":[1]}`, vecfile.Options{Format: vecfile.JSONL}); err != nil {
		t.Fatal(err)
	}
	if got := len(r.Dropped()); got != 32 {
		t.Errorf("len(Dropped()) = %d, want 32", got)
	}
}

func TestHeader(t *testing.T) {
	for in, want := range map[string]bool{"a,b\n1,2\n": true, "1,2\n": false, "": false} {
		if _, r, err := parse(in, vecfile.Options{Format: vecfile.CSV}); err != nil || r.Header() != want {
			t.Errorf("Header() after %q = %v, %v, want %v", in, r.Header(), err, want)
		}
	}
}

// TestRowsArrive checks that a row passes before the next one is written.
func TestRowsArrive(t *testing.T) {
	in, out := io.Pipe()
	go func() { _, _ = io.WriteString(out, "1,2\n") }() // and nothing more
	r, err := vecfile.NewReader(in, vecfile.Options{Format: vecfile.CSV})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.ReadRows(make([]float64, 20)); n != 1 || err != nil {
		t.Errorf("ReadRows = %d, %v, want 1 row", n, err)
	}
}
