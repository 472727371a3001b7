package bias_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/data/testenv"
	"sotto/study/bias"
	"sotto/study/bias/weat"
)

// workVectors has words of work that lean towards he or she, and a test of them.
func workVectors(t *testing.T) (vectors, words string) {
	t.Helper()
	dir := t.TempDir()
	text := ""
	for i, w := range strings.Fields("engineer driver soldier nurse aide teacher he him his she her hers") {
		female := float64(i / 3 % 2)
		text += fmt.Sprintf("%s %.3f %.3f 0.1\n", w, 1-female+0.05*float64(i%3), female+0.03*float64(i%4))
	}
	vectors, words = filepath.Join(dir, "work.txt"), filepath.Join(dir, "tests.json")
	clitest.Write(t, vectors, text)
	clitest.Write(t, words, `[{"name": "work", "X": ["engineer", "driver", "soldier"], "Y": ["nurse", "aide", "teacher"], "A": ["he", "him", "his"], "B": ["she", "her", "hers"]},
		{"name": "gone", "X": ["engineer", "pilot"], "Y": ["nurse", "aide"], "A": ["he", "him"], "B": ["she", "her"]}]`)
	return vectors, words
}

// weatJSON runs the command with --json and decodes what it prints.
func weatJSON(t *testing.T, wantCode int, args ...string) weat.Report {
	t.Helper()
	code, out, errs := program.Sotto(t, "", append([]string{"bias", "weat", "--json"}, args...)...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d: %s%s", code, wantCode, out, errs)
	}
	var r weat.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return r
}

func TestWeatOwnTests(t *testing.T) {
	vectors, words := workVectors(t)
	r := weatJSON(t, command.ExitDone, "--vectors", vectors, "--words", words)
	if len(r.Tests) != 2 || len(r.Models) != 1 || len(r.Summaries) != 1 {
		t.Fatalf("report is %+v", r)
	}
	work, gone := r.Tests[0], r.Tests[1]
	if !(work.Effect > 1) || work.P != 0 || work.Inclusive != 1.0/20 || work.Partitions != 20 || work.Lost == nil || len(work.Lost) != 0 || work.Name != "work" {
		t.Errorf("work: %+v", work)
	}
	if !math.IsNaN(float64(gone.Effect)) || !math.IsNaN(float64(gone.P)) || len(gone.Lost) != 1 || !strings.Contains(gone.Refused, "set X lost 1 of 2") {
		t.Errorf("gone: %+v", gone)
	}
	// The contract for scripts: what is undefined is null, and lists are lists.
	_, out, _ := program.Sotto(t, "", "bias", "weat", "--json", "--vectors", vectors, "--words", words)
	for _, want := range []string{`"effect": null`, `"p": null`, `"p_inclusive": null`, `"lost": []`, `"pilot"`} {
		if !strings.Contains(out, want) {
			t.Errorf("output has no %s", want)
		}
	}
	weatJSON(t, command.ExitNo, "--vectors", vectors, "--words", words, "--tests", "2")
	weatJSON(t, command.ExitNo, "--vectors", vectors, "--words", words, "--tests", "gone")
}

func TestWeatPopulation(t *testing.T) {
	vectors, words := workVectors(t)
	sample := weatJSON(t, command.ExitDone, "--vectors", vectors, "--words", words, "--tests", "work").Tests[0]
	population := weatJSON(t, command.ExitDone, "--vectors", vectors, "--words", words, "--tests", "work", "--population").Tests[0]
	if want := float64(sample.Effect) * math.Sqrt(6.0/5); math.Abs(float64(population.Effect)-want) > 1e-12 {
		t.Errorf("with N the effect is %v, want %v", population.Effect, want)
	}
	two := weatJSON(t, command.ExitDone, "--vectors", vectors, "--words", words, "--tests", "1", "--two-sided").Tests[0]
	if !two.TwoSided || two.Equal != 2 { // the partition and its mirror image
		t.Errorf("two-sided: %+v", two)
	}
}

func TestWeatFiles(t *testing.T) {
	vectors, words := workVectors(t)
	dir := t.TempDir()
	table, html := filepath.Join(dir, "weat.csv"), filepath.Join(dir, "weat.html")
	content, err := os.ReadFile(vectors)
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(dir, "again.vec")
	clitest.Write(t, again, string(content))
	code, out, errs := program.Sotto(t, "", "bias", "weat", "--vectors", vectors+","+again, "--words", words, "--measure", "all", "--statistic", "all", "--table", "--csv", table, "--html", html)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{"MEAN", "OPTIMUM", "magnitudes of effects", "significant tests at .01", "0 of 1 (", "test 2: refused: set X lost 1 of 2 words"} {
		if !strings.Contains(out, want) {
			t.Errorf("output has no %q: %s", want, out)
		}
	}
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+2*2*20 {
		t.Errorf("the table has %d rows, error %v, want a head and 80", len(rows), err)
	}
	page, err := os.ReadFile(html)
	if err != nil || !strings.Contains(string(page), "mahalanobis") || !strings.Contains(string(page), "refused") {
		t.Errorf("the page has %d bytes, error %v", len(page), err)
	}
}

// TestWeatBeforeAndAfter checks the interval over draws: hardly any noise leaves
// the effect, much noise leaves none on average.
func TestWeatBeforeAndAfter(t *testing.T) {
	vectors, words := workVectors(t)
	little := weatJSON(t, command.ExitDone, "--vectors", vectors, "--words", words, "--tests", "1", "--mechanism", "laplace-l2", "--epsilon", "100000", "--draws", "10").Tests[0]
	if p := little.Private; p == nil || p.Effect.Draws != 10 || math.Abs(float64(p.Effect.Mean-little.Effect)) > 0.2 || p.Effect.Low > p.Effect.Mean || p.Effect.High < p.Effect.Mean {
		t.Errorf("with little noise: raw %v, private %+v", little.Effect, p)
	}
	report := weatJSON(t, command.ExitDone, "--vectors", vectors, "--words", words, "--tests", "1", "--mechanism", "laplace-l2", "--epsilon", "0.01", "--draws", "40")
	// An effect lies within ±2·√(5/6) here, as sets have one size, and its law is
	// symmetric about 0 when noise is all there is: Hoeffding bounds the mean of
	// 40 at a rate of 10⁻⁵ by 1.826·√(2·ln(2·10⁵)/40) = 1.43. What is left of the
	// signal at ε = 0.01 is a thousandth of the noise.
	much := report.Tests[0].Private.Effect
	if math.Abs(float64(much.Mean)) > 1.43 || !(much.Low < 0) || !(much.High > 0) {
		t.Errorf("with much noise: private %+v", much)
	}
	if !report.Simulated || report.SimulatedNote != bias.SimulatedNote {
		t.Errorf("the report does not say that noise is simulated: %t, %q", report.Simulated, report.SimulatedNote)
	}
	if g := report.Models[0].Guarantee; g == nil || g.Mechanism != "laplace-l2" || !g.Honest() {
		t.Errorf("guarantee is %+v", g)
	}
	_, out, _ := program.Sotto(t, "", "bias", "weat", "--vectors", vectors, "--words", words, "--mechanism", "dpnr", "--variant", "paper", "--epsilon", "1", "--draws", "2")
	for _, want := range []string{"the claim is false", bias.SimulatedNote, "one release is one word's vector", "2.5th"} {
		if !strings.Contains(out, want) {
			t.Errorf("output has no %q: %s", want, out)
		}
	}
}

func TestWeatEncoder(t *testing.T) {
	r := weatJSON(t, command.ExitDone, "--encoder", "default", "--tests", "1")
	if len(r.Tests) != 1 || !(r.Tests[0].Effect > 0.5) || r.Models[0].Counts != nil {
		t.Errorf("the built-in encoder gave %+v", r.Tests)
	}
}

func TestWeatRefused(t *testing.T) {
	vectors, words := workVectors(t)
	for _, args := range [][]string{
		{},
		{"--vectors", "absent.txt"},
		{"--vectors", vectors, "--measure", "hamming"},
		{"--vectors", vectors, "--statistic", "mode"},
		{"--vectors", vectors, "--covariance", "sample"},
		{"--vectors", vectors, "--format", "elmo"},
		{"--vectors", vectors, "--tests", "11"},
		{"--vectors", vectors, "--tests", "3-2"},
		{"--vectors", vectors, "--tests", "x"},
		{"--vectors", vectors, "--words", vectors},
		{"--vectors", vectors, "--words", "absent.json"},
		{"--vectors", vectors, "--samples", "-1"},
		{"--vectors", vectors, "--epsilon", "1"},
		{"--vectors", vectors, "--draws", "5"},
		{"--vectors", vectors, "--mechanism", "laplace-l1"},
		{"--vectors", vectors, "--mechanism", "krr", "--epsilon", "1", "--classes", "2"},
		{"--vectors", vectors, "--mechanism", "laplace-l1", "--epsilon", "1", "--dim", "7"},
		{"--vectors", vectors, "--mechanism", "laplace-l1", "--epsilon", "1", "--draws", "0"},
		{"--vectors", vectors, "--csv", vectors},
		{"--vectors", vectors, "--words", words, "--html", words},
		{"--vectors", vectors + "," + vectors},
		{"--encoder", "hash", "--encoder", "hash"},
		{"--vectors", vectors, "--csv", "-", "--html", "-"},
		{"--vectors", vectors, "--csv", "-", "--json"},
		{"--vectors", vectors, "--html", "-", "--json"},
		{"--vectors", vectors, "--table", "--json"},
		{"--vectors", vectors, "--statistic", ""},
		{"--vectors", vectors, "--measure", ""},
		{"--vectors", vectors, "--tests", ""},
		{"--vectors", vectors, "--pooled"},
		{"--vectors", vectors, "--covariance", "glasso", "--measure", "cosine"},
		{"--encoder", "hash", "--format", "csv"},
		{"--vectors", vectors, "extra"},
	} {
		if code, out, errs := program.Sotto(t, "", append([]string{"bias", "weat"}, args...)...); code != command.ExitUse || out != "" || !strings.HasPrefix(errs, "sotto: ") {
			t.Errorf("%v: exit code %d, output %q, errors %q, want 2 and a reason", args, code, out, errs)
		}
	}
}

// TestWeatContract checks the published effect through the command.
func TestWeatContract(t *testing.T) {
	path := testenv.Data(t, "weat", "weat_w2v_300d.txt.gz")
	r := weatJSON(t, command.ExitDone, "--vectors", path, "--tests", "6,9", "--measure", "euclidean")
	for i, want := range []float64{-1.87796, -1.32} {
		if tolerance := []float64{1e-3, 1e-2}[i]; math.Abs(float64(r.Tests[i].Effect)-want) > tolerance {
			t.Errorf("test %d: effect is %v, want %v", r.Tests[i].Test, r.Tests[i].Effect, want)
		}
	}
}

// TestWeatLeavesNothing checks that no file appears if another cannot.
func TestWeatLeavesNothing(t *testing.T) {
	vectors, words := workVectors(t)
	dir := t.TempDir()
	table := filepath.Join(dir, "a.csv")
	code, out, errs := program.Sotto(t, "", "bias", "weat", "--vectors", vectors, "--words", words, "--csv", table, "--html", filepath.Join(dir, "nowhere", "b.html"))
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); code != command.ExitUse || out != "" || len(left) != 0 {
		t.Errorf("exit code %d, output %q, %s and the files %v; want %d and nothing", code, out, errs, left, command.ExitUse)
	}
	code, out, _ = program.Sotto(t, "", "bias", "weat", "--vectors", vectors, "--words", words, "--mechanism", "laplace-l2", "--epsilon", "9", "--draws", "2", "--html", "-")
	if code != command.ExitDone || !strings.HasPrefix(out, "<!DOCTYPE html>") || !strings.Contains(out, bias.SimulatedNote[1:]) {
		t.Errorf("exit code %d and a page of %d bytes, want one that says where the noise is from", code, len(out))
	}
}

// TestWeatSameWords checks that a word that counts in the raw test alone counts
// in the private one: not one whose vector is zero until there is noise on it, nor
// one in another spelling.
func TestWeatSameWords(t *testing.T) {
	dir := t.TempDir()
	vectors, words := filepath.Join(dir, "v.txt"), filepath.Join(dir, "t.json")
	text := "Zed 0 0 0\nzed 5 -9 1\n"
	for i, w := range strings.Fields("a b c d e f g h i j k l m n o p") {
		text += fmt.Sprintf("%s %d %d 1\n", w, 1+i%3, 2+i%5-i%2)
	}
	clitest.Write(t, vectors, text)
	clitest.Write(t, words, `[{"name": "t", "X": ["a", "b", "c", "d", "Zed"], "Y": ["e", "f", "g", "h"], "A": ["i", "j", "k", "l"], "B": ["m", "n", "o", "p"]},
		{"name": "u", "X": ["a", "b", "c", "d", "zed"], "Y": ["e", "f", "g", "h"], "A": ["i", "j", "k", "l"], "B": ["m", "n", "o", "p"]}]`)
	for _, row := range weatJSON(t, command.ExitDone, "--vectors", vectors, "--words", words, "--mechanism", "laplace-l2", "--epsilon", "1e6", "--draws", "3").Tests {
		if e := row.Private.Effect; math.Abs(float64(e.Mean-row.Effect)) > 1e-3 || e.Refused != 0 {
			t.Errorf("test %s, hardly any noise: the effect is %v raw and %+v private, want the same", row.Name, row.Effect, e)
		}
	}
}
