package bias_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/evidence/page/pagetest"
	"sotto/report"
)

// TestPages makes a report of each measure on private vectors: it explains the ε
// of the mechanism, holds every value within its interval, names files and tests
// instead of showing paths and numbers, and looks as it should in a browser.
func TestPages(t *testing.T) {
	work, words := workVectors(t)
	gendered := genderedWords(t, 60)
	german := filepath.Join(germanVectors(t), "de.txt")
	private := strings.Fields("--mechanism laplace-l1 --epsilon 4 --draws 5 --json")
	for _, tt := range []struct {
		name  string
		args  []string
		plots int
		wants []string
	}{
		{"weat", []string{"weat", "--vectors", work, "--words", words, "--tests", "1", "--statistic", "all"}, 1, []string{"Effects by test and statistic"}},
		{"direction", []string{"direction", "--vectors", german, "--language", "de"}, 1, []string{"Before and after release"}},
		{"erase", []string{"erase", "--method", "leace", "--shrinkage", "auto", "--vectors", gendered, "--out", filepath.Join(t.TempDir(), "out.txt")}, 1, []string{"What probes read"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := program.Sotto(t, "", append(append([]string{"bias"}, tt.args...), private...)...)
			if code != command.ExitDone {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			found, err := append(report.Kinds(), program[0].Kinds...).New()
			if err != nil {
				t.Fatal(err)
			}
			if err = found.Add("found.json", strings.NewReader(out)); err != nil {
				t.Fatal(err)
			}
			var html, text bytes.Buffer
			if err = report.HTML(&html, found); err != nil {
				t.Fatal(err)
			}
			if err = report.Markdown(&text, found); err != nil {
				t.Fatal(err)
			}
			if pagetest.Intervals(t, text.String()) == 0 {
				t.Error("no value has an interval")
			}
			pagetest.Paths(t, html.String())
			pagetest.Paths(t, text.String())
			for _, want := range append(tt.wants, "In plain words", "54.6-fold", "98.3 %") {
				if !strings.Contains(html.String(), want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			pagetest.Browser(t, html.String(), tt.plots)
		})
	}
}
