package term_test

import (
	"strings"
	"testing"

	"sotto/command/term"
)

func FuzzReadColumns(f *testing.F) {
	f.Add("label,prediction,group\nyes,yes,a\nno,yes,b\n")
	f.Add(`{"label":1,"prediction":null,"group":"a"}` + "\n\n" + `{"group":true,"label":"","prediction":1e3}`)
	f.Add("\ufefflabel,prediction,group\n\"a\nb\",,\"\"\"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := term.ReadColumns(strings.NewReader(text), "file", []string{"label", "prediction", "group"})
		if err != nil {
			return
		}
		if len(c) != 3 || len(c[0]) == 0 || len(c[0]) != len(c[1]) || len(c[0]) != len(c[2]) {
			t.Fatalf("columns of %d, %d and %d rows, want as many in each", len(c[0]), len(c[1]), len(c[2]))
		}
		ids, names := term.NumberValues(c...)
		for k := range c {
			for i, v := range c[k] {
				if id := ids[k][i]; (id < 0) != (v == "") || id >= 0 && names[id] != v {
					t.Fatalf("row %d of column %d has number %d, want that of its value", i, k, id)
				}
			}
		}
	})
}
