package vecfile_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sotto/data/vecfile"
)

// written writes two rows with fields and returns the file.
func written(t *testing.T, f vecfile.Format, o vecfile.WriterOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	o.Width, o.Beside = 2, []string{"who", "a,b", "rating"}
	w, err := vecfile.NewWriter(&b, f, o)
	if err != nil {
		t.Fatal(err)
	}
	fields := [][]vecfile.Field{
		{{Text: `O"Neil, 7`}, {Text: "x\ny"}, {Text: "5", Bare: true}},
		{{Text: "ß"}, {Missing: true}, {Text: "NaN", Bare: true}},
	}
	if err := w.WriteBeside([]float64{1, 2.5, -3, 4}, fields); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBeside(t *testing.T) {
	for f, want := range map[vecfile.Format]string{
		vecfile.JSONL: `{"who":"O\"Neil, 7","a,b":"x\ny","rating":5,"y":[1,2.5]}` + "\n" + `{"who":"ß","a,b":null,"rating":"NaN","y":[-3,4]}` + "\n",
		vecfile.CSV:   "who,\"a,b\",rating,v0,v1\n\"O\"\"Neil, 7\",\"x\ny\",5,1,2.5\nß,,NaN,-3,4\n",
	} {
		if got := string(written(t, f, vecfile.WriterOptions{})); got != want {
			t.Errorf("%s holds\n%s\nwant\n%s", f, got, want)
		}
	}
}

// What stands beside vectors does not keep them from being read.
func TestBesideIsRead(t *testing.T) {
	for _, f := range []vecfile.Format{vecfile.JSONL, vecfile.Parquet} {
		for _, single := range []bool{false, true} {
			file := written(t, f, vecfile.WriterOptions{Float32: single})
			r, err := vecfile.NewReader(bytes.NewReader(file), vecfile.Options{Format: f})
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]float64, 4)
			if n, err := r.ReadRows(rows); n == 0 || err != nil || rows[0] != 1 || rows[1] != 2.5 {
				t.Errorf("%s: ReadRows = %v rows %v, %v, want the vectors", f, n, rows, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestBesideInParquet(t *testing.T) {
	file := written(t, vecfile.Parquet, vecfile.WriterOptions{})
	type row struct {
		Who    *string   `parquet:"who,optional"`
		Comma  *string   `parquet:"rating,optional"`
		Vector []float64 `parquet:"y,list"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(file), int64(len(file)))
	if err != nil || len(rows) != 2 {
		t.Fatalf("Read = %v rows, %v, want 2", len(rows), err)
	}
	if *rows[0].Who != `O"Neil, 7` || *rows[1].Comma != "NaN" || rows[1].Vector[0] != -3 {
		t.Errorf("rows are %+v, want what was written", rows)
	}
}

func TestBesideRefuses(t *testing.T) {
	for _, tt := range []struct {
		format vecfile.Format
		beside []string
		want   string
	}{
		{vecfile.NPY, []string{"id"}, "numbers alone"},
		{vecfile.CSV, []string{""}, "no name"},
		{vecfile.JSONL, []string{"id", "y"}, "by which vectors are called"},
		{vecfile.Parquet, []string{"id", "id"}, "must differ"},
	} {
		_, err := vecfile.NewWriter(io.Discard, tt.format, vecfile.WriterOptions{Width: 1, Beside: tt.beside})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("NewWriter(%s, %q) error = %v, want %q", tt.format, tt.beside, err, tt.want)
		}
	}
}
