package erase_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/study/bias"
	"sotto/study/bias/erase"
)

// Words and rows with the same numbers and classes are erased by one study.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	var words, classes []string
	var rows []float64
	var lines, labels strings.Builder
	c := erase.Concept{Classes: []string{"even", "odd"}}
	for i := range 400 {
		z := i % 2
		words, classes = append(words, strings.Repeat("w", i+1)), append(classes, c.Classes[z])
		rows = append(rows, float64(10*z+i%3), float64(i%7), float64(i%5))
		c.Rows, c.Z = append(c.Rows, i), append(c.Z, z)
		lines.WriteString(strings.Join([]string{digit(10*z + i%3), digit(i % 7), digit(i % 5)}, ",") + "\n")
		labels.WriteString(classes[i] + "\n")
	}
	table, err := bias.NewTable(3, words, rows)
	if err != nil {
		t.Fatal(err)
	}
	file, names := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "labels.txt")
	for path, text := range map[string]string{file: lines.String(), names: labels.String()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	study := erase.Study{Method: erase.MethodLEACE, Probes: erase.Probes{Units: 4}}
	for name, source := range map[string]erase.Source{
		"words": erase.Words{Table: table, Concept: c, From: "parity"},
		"rows":  erase.Rows{Path: file, Labels: names, ProbeRows: 100},
	} {
		e, r, err := source.Fit(t.Context(), study)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var width int
		if width, err = source.Width(); err != nil || width != 3 || r.RankRemoved != 1 || r.Format != erase.ReportFormat {
			t.Errorf("%s: width %d, %v and report %+v, want 3 numbers and one direction removed", name, width, err, r)
		}
		if p := r.Probes; !(p.Before.Linear.Accuracy > 0.95) || !(p.After.Linear.Accuracy < 0.75) {
			t.Errorf("%s: a linear probe reads %v before and %v after, want all and next to nothing", name, p.Before.Linear.Accuracy, p.After.Linear.Accuracy)
		}
		out, err := os.Create(filepath.Join(dir, "erased-"+name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		if err = source.Erase(t.Context(), e, out, out.Name(), "", r, nil); err != nil || r.Rows != 400 {
			t.Errorf("%s: Erase = %v, %d rows, want 400", name, err, r.Rows)
		}
		if err = out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func digit(v int) string { return string(rune('0'+v/10)) + string(rune('0'+v%10)) }
