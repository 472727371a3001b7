package vectorise_test

import (
	"strings"
	"testing"

	"sotto/data/table"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/vectorise"
)

func TestPersons(t *testing.T) {
	who := func(s string) table.Value { return table.Value{Text: s, Kind: table.String} }
	p := vectorise.NewPersons(2)
	for i, tt := range []struct {
		who  string
		take bool
	}{{"a", true}, {"b", true}, {"a", true}, {"a", false}, {"b", true}, {"c", true}, {"a", false}} {
		if take, err := p.Take(who(tt.who)); take != tt.take || err != nil {
			t.Errorf("row %d of %s: taken %v, %v, want %v", i, tt.who, take, err, tt.take)
		}
	}
	if p.Rows() != 2 {
		t.Errorf("most rows are %d, want 2", p.Rows())
	}
	all := vectorise.NewPersons(0)
	for range 5 {
		if take, err := all.Take(who("a")); !take || err != nil {
			t.Error("a row was left out without a bound")
		}
	}
	if all.Rows() != 5 {
		t.Errorf("most rows are %d, want 5", all.Rows())
	}
	for _, v := range []table.Value{{}, {Kind: table.String}, {Kind: table.Nested, Text: "x"}} {
		if _, err := p.Take(v); err == nil || strings.Contains(err.Error(), "x,") {
			t.Errorf("a row of %v was counted", v)
		}
	}
}

// What stands beside the texts decides which rows take part and what is written.
func TestRows(t *testing.T) {
	in := "id,text,who\n1,good,a\n2,bad,b\n3,good food,a\n"
	persons := vectorise.NewPersons(1)
	got, s, err := run(t, "", func(j *vectorise.Job) {
		reader, failed := textfile.ReadDeclared(strings.NewReader(in), textfile.Options{Format: textfile.CSV, Column: "text", Beside: []string{"id", "who"}})
		if failed != nil {
			t.Fatal(failed)
		}
		j.In = reader
		j.Row = func(_ string, beside []table.Value) ([]vecfile.Field, bool, error) {
			take, err := persons.Take(beside[1])
			return []vecfile.Field{{Text: beside[0].Text}}, take, err
		}
	}, "id")
	if err != nil || s.Rows != 2 || s.Declined != 1 || persons.Rows() != 1 {
		t.Fatalf("Run = %q, %+v, %v, want two rows and one left out", got, s, err)
	}
	if !strings.HasPrefix(got, `{"id":"1","y":[`) || !strings.Contains(got, `{"id":"2",`) || strings.Contains(got, `"3"`) {
		t.Errorf("written is %q, want the first row of each", got)
	}
}
