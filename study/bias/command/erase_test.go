package bias_test

import (
	"encoding/json"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/term"
	"sotto/data/vecfile"
	"sotto/study/bias"
	"sotto/study/bias/erase"
)

// genderedWords writes a file of word vectors of five numbers: she and he, woman
// and man, and n words with a share of their difference.
func genderedWords(t *testing.T, n int) string {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	var b strings.Builder
	b.WriteString("she 1 1 0 0 1\nhe -1 1 0 0 1\nwoman 1 0 1 0 1\nman -1 0 1 0 1\n")
	for i := range n {
		fmt.Fprintf(&b, "%c%c%c", 'a'+i/676, 'a'+i/26%26, 'a'+i%26)
		side := float64(i%2)*2 - 1
		for j := range 5 {
			v := rng.NormFloat64()
			if j == 0 {
				v = side * (1 + v*v)
			}
			fmt.Fprintf(&b, " %.4f", v)
		}
		b.WriteByte('\n')
	}
	return clitest.TextFile(t, "words.txt", b.String())
}

func TestEraseWords(t *testing.T) {
	in := genderedWords(t, 600)
	defining := clitest.TextFile(t, "pairs.json", `[["she", "he"], ["woman", "man"]]`)
	for _, method := range []string{"leace", "inlp", "hard"} {
		t.Run(method, func(t *testing.T) {
			folder := t.TempDir()
			out, saved, again := filepath.Join(folder, "out.txt"), filepath.Join(folder, "e.json"), filepath.Join(folder, "again.txt.gz")
			args := []string{"bias", "erase", "--method", method, "--vectors", in, "--out", out, "--save", saved, "--units", "8", "--words", "290", "--json"}
			if method == "hard" {
				args = append(args, "--defining", defining)
			}
			code, stdout, errs := program.Sotto(t, "", args...)
			var got erase.Report
			if err := json.Unmarshal([]byte(stdout), &got); code != command.ExitDone || err != nil {
				t.Fatalf("exit code %d, %v: %s", code, err, errs)
			}
			if got.Privacy != erase.Privacy || string(got.Method) != method || got.Rows != 604 || got.Dim != 5 || got.RankRemoved < 1 || got.RankLeft != 5-got.RankRemoved {
				t.Errorf("report = %+v", got)
			}
			if p := got.Probes; p.Before.Linear.Accuracy < 0.9 || !(p.After.Linear.Accuracy < p.Before.Linear.Accuracy) || p.Units != 8 {
				t.Errorf("probes = %+v, want a fall from more than .9", p)
			}
			c := got.Concept
			if c.ForEraser+c.ForProbes+c.ForScore != 580 || c.Rows[0] != 290 || c.Rows[1] != 290 || got.Clusters.Rows != 580 {
				t.Errorf("concept = %+v of clusters %+v, want 580 rows", c, got.Clusters)
			}
			if (method == "hard") != (got.Direction != nil) || (method == "inlp") != (len(got.Iterations) > 0) {
				t.Errorf("direction %v and %d classifiers", got.Direction, len(got.Iterations))
			}
			raw, _, err := bias.Read(in, bias.Options{})
			if err != nil {
				t.Fatal(err)
			}
			erased, _, err := bias.Read(out, bias.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range raw.Len() {
				if erased.Word(i) != raw.Word(i) {
					t.Fatalf("word %d = %q, want %q", i, erased.Word(i), raw.Word(i))
				}
			}
			code, _, errs = program.Sotto(t, "", "bias", "erase", "--apply", saved, "--vectors", in, "--out", again)
			if code != command.ExitDone {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			applied, _, err := bias.Read(again, bias.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range erased.Len() {
				for j, v := range erased.Row(i) {
					if applied.Row(i)[j] != v {
						t.Fatalf("number %d of word %d = %v, was %v", j, i, applied.Row(i)[j], v)
					}
				}
			}
		})
	}
}

func TestEraseText(t *testing.T) {
	in := genderedWords(t, 600)
	out := filepath.Join(t.TempDir(), "out.txt")
	args := strings.Fields("bias erase --method inlp --iterations 3 --units 4 --epochs 5 --words 200 --mechanism laplace-l1 --epsilon 5 --draws 2")
	code, stdout, errs := program.Sotto(t, "", append(args, "--vectors", in, "--out", out)...)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{
		"inlp removed", "200 female, 200 male", "LINEAR PROBE", "MLP, 4 UNITS", "erased, then private", "V-measure",
		"one release is one word's vector", "ε = 5", "2 draws", "eraser fixed beforehand", bias.SimulatedNote, erase.Privacy,
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
	if _, err := os.Stat(out + ".raw.json"); err == nil {
		t.Error("word vectors, which are public, have a warning beside them")
	}
}

func TestEraseConcept(t *testing.T) {
	in := genderedWords(t, 100)
	var list strings.Builder
	for i := range 90 {
		fmt.Fprintf(&list, "a%c%c\tkind%d\n", 'a'+i/26, 'a'+i%26, i%3)
	}
	list.WriteString("nowhere\tkind0\n")
	code, stdout, errs := program.Sotto(t, "", "bias", "erase", "--method", "leace", "--shrinkage", "auto", "--vectors", in, "--concept", clitest.TextFile(t, "c.tsv", list.String()),
		"--out", filepath.Join(t.TempDir(), "o.txt"), "--units", "4", "--epochs", "5", "--json")
	var got erase.Report
	if err := json.Unmarshal([]byte(stdout), &got); code != command.ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, errs)
	}
	if got.Concept.Lost != 1 || len(got.Concept.Classes) != 3 || got.RankRemoved != 2 {
		t.Errorf("concept = %+v and %d directions removed, want 3 classes, a lost word and 2", got.Concept, got.RankRemoved)
	}
}

// labelledRows writes rows of twelve numbers, and classes that the first three of
// them tell; every tenth is unknown.
func labelledRows(t *testing.T, n int) (rows, labels string) {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(2, 1))
	folder := t.TempDir()
	rows, labels = filepath.Join(folder, "rows.npy"), filepath.Join(folder, "labels.txt")
	f, err := os.Create(rows)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := vecfile.NewWriter(f, vecfile.NPY, vecfile.WriterOptions{Width: 12})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range n {
		row := make([]float64, 12)
		for j := range row {
			row[j] = rng.NormFloat64()
			if j == i%3 {
				row[j] += 5
			}
		}
		if err := w.WriteRows(row); err != nil {
			t.Fatal(err)
		}
		if i%10 != 0 {
			fmt.Fprintf(&b, "class %d", i%3)
		}
		b.WriteByte('\n')
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, labels, b.String())
	return rows, labels
}

func TestEraseRows(t *testing.T) {
	rows, labels := labelledRows(t, 1000)
	for _, method := range []string{"leace", "inlp"} {
		folder := t.TempDir()
		out, saved, again := filepath.Join(folder, "out.npy"), filepath.Join(folder, "e.json"), filepath.Join(folder, "again.jsonl")
		code, stdout, errs := program.Sotto(t, "", "bias", "erase", "--method", method, "--vectors", rows, "--labels", labels, "--out", out, "--save", saved,
			"--units", "8", "--mechanism", "laplace-l1", "--epsilon", "5", "--draws", "2", "--json")
		var got erase.Report
		if err := json.Unmarshal([]byte(stdout), &got); code != command.ExitDone || err != nil {
			t.Fatalf("exit code %d, %v: %s", code, err, errs)
		}
		c := got.Concept
		if got.Rows != 1000 || c.Unknown != 100 || c.ForEraser+c.ForProbes+c.ForScore != 900 || len(c.Classes) != 3 || got.Clusters == nil {
			t.Errorf("report = %+v of %+v", got, c)
		}
		if p := got.Probes; p.Before.Linear.Accuracy < 0.95 || p.After.Linear.Accuracy > 0.6 {
			t.Errorf("probes = %+v, want a fall from nearly 1 to a third", p)
		}
		if p := got.Private; p == nil || p.Raw.MLP.Draws != 2 || math.Abs(float64(p.Guarantee.True)-5) > 1e-6 || p.Note == "" || !p.Simulated || p.SimulatedNote != bias.SimulatedNote {
			t.Errorf("private = %+v", p)
		}
		note, err := os.ReadFile(out + ".raw.json")
		if err != nil || !strings.Contains(string(note), `"private": false`) || !strings.Contains(string(note), "not a privacy guarantee") {
			t.Errorf("the note is %s, %v, want a warning", note, err)
		}
		if _, err := os.Stat(out + ".privacy.json"); err == nil {
			t.Error("erased vectors have a record of privacy")
		}
		code, stdout, errs = program.Sotto(t, "", "bias", "erase", "--apply", saved, "--vectors", rows, "--out", again)
		if code != command.ExitDone || !strings.Contains(stdout, erase.Privacy) {
			t.Fatalf("exit code %d: %s%s", code, stdout, errs)
		}
		first, second := readRows(t, out), readRows(t, again)
		if len(first) != 12000 || len(second) != 12000 {
			t.Fatalf("%d and %d numbers, want 12000", len(first), len(second))
		}
		for i := range first {
			if math.Abs(first[i]-second[i]) > 1e-12 {
				t.Fatalf("number %d = %v, was %v", i, second[i], first[i])
			}
		}
	}
}

func readRows(t *testing.T, path string) []float64 {
	t.Helper()
	rows, err := term.ReadVectors(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for _, r := range rows {
		all = append(all, r...)
	}
	return all
}

func TestEraseRefuses(t *testing.T) {
	words := genderedWords(t, 100)
	rows, labels := labelledRows(t, 50)
	folder := t.TempDir()
	out := filepath.Join(folder, "out.txt")
	promised := filepath.Join(folder, "promised.npy")
	clitest.Write(t, promised+".privacy.json", "{}")
	saved := clitest.TextFile(t, "e.json", `{"format":"sotto-eraser-1","privacy":"","method":"inlp","dim":2,"mean":[0,0],"away":[],"by":[]}`)
	for want, args := range map[string][]string{
		"want --vectors":                   strings.Fields("--method leace --out " + out),
		"want --out":                       strings.Fields("--method leace --vectors " + words),
		"must be inlp, leace or hard":      strings.Fields("--method magic --vectors " + words + " --out " + out),
		"want one file":                    strings.Fields("--method leace --vectors " + words + "," + words + " --out " + out),
		"want --labels":                    strings.Fields("--method leace --vectors " + rows + " --out " + out),
		"--labels has no meaning with":     strings.Fields("--method hard --vectors " + rows + " --labels " + labels + " --out " + out),
		"--pairs has no meaning":           strings.Fields("--method leace --pairs x --vectors " + words + " --out " + out),
		"--shrinkage has no meaning":       strings.Fields("--method inlp --shrinkage 1 --vectors " + words + " --out " + out),
		"--words has no meaning with":      strings.Fields("--method leace --words 9 --concept x --vectors " + words + " --out " + out),
		"want --concept with --encoder":    strings.Fields("--method leace --encoder default --out " + out),
		"--epsilon has no meaning without": strings.Fields("--method leace --epsilon 1 --vectors " + words + " --out " + out),
		"want --epsilon":                   strings.Fields("--method leace --mechanism laplace-l1 --vectors " + words + " --out " + out),
		"must be auto or a number":         strings.Fields("--method leace --shrinkage 2 --vectors " + words + " --out " + out),
		"are the same file":                strings.Fields("--method leace --vectors " + words + " --out " + words),
		"would promise what erased":        strings.Fields("--method leace --vectors " + rows + " --labels " + labels + " --out " + promised),
		"fewer than":                       strings.Fields("--method leace --vectors " + rows + " --labels " + clitest.TextFile(t, "l", "a\nb\n") + " --out " + out + ".npy"),
		"must be at least 2":               strings.Fields("--method leace --vectors " + rows + " --labels " + clitest.TextFile(t, "l", strings.Repeat("a\n", 50)) + " --out " + out + ".npy"),
		"more lines than":                  strings.Fields("--method leace --vectors " + rows + " --labels " + clitest.TextFile(t, "l", strings.Repeat("a\nb\n", 50)) + " --out " + out + ".npy"),
		"no direction of gender":           strings.Fields("--method hard --words 40 --defining " + clitest.TextFile(t, "p", `[["nowhere","here"]]`) + " --vectors " + words + " --out " + out),
		"has 3 words, must have 2":         strings.Fields("--method hard --words 40 --defining " + clitest.TextFile(t, "p", `[["a","b","c"]]`) + " --vectors " + words + " --out " + out),
		"--method has no meaning with":     strings.Fields("--apply " + saved + " --method leace --vectors " + words + " --out " + out),
		"the eraser is for 2 numbers, but": strings.Fields("--apply " + saved + " --vectors " + words + " --out " + out),
		"must be one of format":            strings.Fields("--apply " + labels + " --vectors " + words + " --out " + out),
		"is not a word, a tab and a class": strings.Fields("--method leace --vectors " + words + " --concept " + words + " --out " + out),
		"--iterations is 0, must be":       strings.Fields("--method inlp --iterations 0 --vectors " + words + " --out " + out),
		"must be positive":                 strings.Fields("--method inlp --units -1 --vectors " + words + " --out " + out),
		"put an underscore":                strings.Fields("--method leace --vectors " + clitest.TextFile(t, "w.json", `{"a b": [1]}`) + " --out " + out),
		"want --defining with --method":    strings.Fields("--method hard --concept " + labels + " --vectors " + words + " --out " + out),
		"word vectors are written as text": strings.Fields("--method leace --vectors " + words + " --out " + out + ".npy"),
		"--out ends in .svec, but":         strings.Fields("--method leace --vectors " + words + " --out " + out + ".SVEC.gz"),
		"extension of":                     strings.Fields("--method leace --vectors " + rows + " --labels " + labels + " --out " + out),
		"the file goes on after its list":  strings.Fields("--method hard --words 40 --defining " + clitest.TextFile(t, "p", `[["she","he"]] junk`) + " --vectors " + words + " --out " + out),
		"krr releases a class and takes":   strings.Fields("--method leace --mechanism krr --epsilon 1 --classes 2 --words 40 --vectors " + words + " --out " + out),
		"too few rows":                     strings.Fields("--method leace --vectors " + clitest.TextFile(t, "six.csv", "1,2\n2,1\n3,5\n4,1\n5,2\n6,6\n") + " --labels " + clitest.TextFile(t, "l", strings.Repeat("a\nb\n", 3)) + " --out " + out + ".csv"),
		"nothing would be left":            strings.Fields("--method inlp --vectors " + clitest.TextFile(t, "one.csv", strings.Repeat("1\n-1\n1.5\n-2\n", 50)) + " --labels " + clitest.TextFile(t, "l", strings.Repeat("a\nb\n", 100)) + " --out " + out + ".csv"),
		"--save is -, must be a file":      strings.Fields("--method leace --vectors " + words + " --out " + out + " --save -"),
		"--vectors is empty":               {"--vectors", "", "--method", "leace", "--out", out},
		"lacks she or he":                  strings.Fields("--method leace --vectors " + clitest.TextFile(t, "w.txt", "a 1 2\nb 2 1\n") + " --out " + out),
	} {
		code, _, errs := program.Sotto(t, "", append(strings.Fields("bias erase"), args...)...)
		if code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("%v: exit code %d: %s, want %d and %q", args, code, errs, command.ExitUse, want)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 {
			t.Fatalf("%v: %v are there, want nothing to be written", args, left)
		}
	}
}

// TestEraseLeavesNothing checks that a run that cannot write one of its files
// leaves none of the others, nor a part of it.
func TestEraseLeavesNothing(t *testing.T) {
	words := genderedWords(t, 100)
	rows, labels := labelledRows(t, 200)
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := os.MkdirAll(in("blocked.npy.raw.json/x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		strings.Fields("--method leace --words 40 --vectors " + words + " --out " + in("nowhere/x.txt") + " --save " + in("saved.json")),
		strings.Fields("--method leace --words 40 --vectors " + words + " --out " + in("x.txt") + " --save " + in("nowhere/saved.json")),
		strings.Fields("--method leace --vectors " + rows + " --labels " + labels + " --out " + in("blocked.npy") + " --save " + in("saved.json")),
		strings.Fields("--method leace --words 40 --mechanism krr --epsilon 1 --classes 2 --vectors " + words + " --out " + in("x.txt") + " --save " + in("saved.json")),
	} {
		code, _, errs := program.Sotto(t, "", append(strings.Fields("bias erase"), args...)...)
		if left, _ := filepath.Glob(in("*")); code != command.ExitUse || len(left) != 1 {
			t.Errorf("%v: exit code %d, %s and the files %v; want %d and no file", args, code, errs, left, command.ExitUse)
		}
	}
}

// In narrow rows INLP leaves what says nothing of the concept, and says so where
// little is left.
func TestEraseNarrow(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(5, 1))
	var rows, labels strings.Builder
	for i := range 3000 {
		for j := range 8 {
			v := rng.NormFloat64()
			if j == 0 {
				v += 6 * float64(i%2)
			}
			if j > 0 {
				rows.WriteByte(',')
			}
			fmt.Fprintf(&rows, "%.4f", v)
		}
		rows.WriteByte('\n')
		fmt.Fprintf(&labels, "%d\n", i%2)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	code, stdout, errs := program.Sotto(t, "", "bias", "erase", "--method", "inlp", "--vectors", clitest.TextFile(t, "rows.csv", rows.String()), "--labels", clitest.TextFile(t, "l", labels.String()),
		"--out", out, "--units", "4", "--epochs", "5", "--json")
	var got erase.Report
	if err := json.Unmarshal([]byte(stdout), &got); code != command.ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, errs)
	}
	// One direction tells the classes and one is to spare; a third would be removed
	// if a classifier of noise were clearly better, in one case of a hundred. Half
	// takes three such, one case in a million.
	if got.RankRemoved > 4 || got.Note != "" {
		t.Errorf("%d of 8 directions are removed, note %q; want few", got.RankRemoved, got.Note)
	}
	// A concept of four classes takes three of four directions.
	rows.Reset()
	labels.Reset()
	for i := range 600 {
		for j := range 4 {
			v := rng.NormFloat64()
			if j == i%4 {
				v += 9
			}
			if j > 0 {
				rows.WriteByte(',')
			}
			fmt.Fprintf(&rows, "%.4f", v)
		}
		rows.WriteByte('\n')
		fmt.Fprintf(&labels, "%d\n", i%4)
	}
	code, stdout, errs = program.Sotto(t, "", "bias", "erase", "--method", "leace", "--vectors", clitest.TextFile(t, "rows.csv", rows.String()), "--labels", clitest.TextFile(t, "l", labels.String()),
		"--out", out, "--units", "4", "--epochs", "5")
	if code != command.ExitDone || !strings.Contains(stdout, "note: 3 of 4 directions are removed, more than half") {
		t.Errorf("exit code %d: %s%s, want a note", code, stdout, errs)
	}
}
