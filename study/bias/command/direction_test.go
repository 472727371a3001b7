package bias_test

import (
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
)

// germanVectors has two pairs along the first axis, and forms of scientist that
// score −0.06 and 0.32, as published.
func germanVectors(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text := "frau 1 1 0\nmann -1 1 0\ntochter 1 0 1\nsohn -1 0 1\n"
	for _, f := range []struct {
		word   string
		cosine float64
	}{{"wissenschaftler", -0.06}, {"wissenschaftlerin", 0.32}, {"richter", -0.1}, {"lehrerin", 0.2}, {"soldat", -0.3}} {
		text += fmt.Sprintf("%s %.12f %.12f 0\n", f.word, f.cosine, math.Sqrt(1-f.cosine*f.cosine))
	}
	clitest.Write(t, filepath.Join(dir, "de.txt"), text)
	clitest.Write(t, filepath.Join(dir, "counts.tsv"), "Wissenschaftler\t32467\nWissenschaftlerin\t1354\n")
	return dir
}

// directionJSON runs the command with --json and decodes what it prints.
func directionJSON(t *testing.T, wantCode int, v any, args ...string) {
	t.Helper()
	code, out, errs := program.Sotto(t, "", append([]string{"bias", "direction", "--json"}, args...)...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d: %s%s", code, wantCode, out, errs)
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
}

// oneLanguage is what the tests read of a language.
type oneLanguage struct {
	Language    string   `json:"language"`
	Pairs       int      `json:"pairs"`
	Refused     string   `json:"refused"`
	Confidence  *float64 `json:"confidence"`
	DirectBias  *float64 `json:"direct_bias"`
	Random      *float64 `json:"random_direct_bias"`
	Weighting   string   `json:"weighting"`
	Professions []struct {
		Name  string   `json:"name"`
		Score *float64 `json:"score"`
		Plain *float64 `json:"plain"`
	} `json:"professions"`
	After *struct {
		Refused    float64 `json:"refused_share"`
		DirectBias struct {
			Mean, Low, High *float64
			Draws           int
		} `json:"direct_bias"`
		Null          struct{ Mean *float64 } `json:"null_direct_bias"`
		Agreement     struct{ Mean *float64 } `json:"agreement"`
		NullAgreement struct{ Mean *float64 } `json:"null_agreement"`
	} `json:"after"`
	Simulated     bool   `json:"simulated"`
	SimulatedNote string `json:"simulated_note"`
	Release       *struct {
		True float64 `json:"true"`
	} `json:"release"`
}

func (l oneLanguage) score(t *testing.T, name string) (score, plain float64) {
	t.Helper()
	for _, p := range l.Professions {
		if p.Name == name && p.Score != nil {
			return *p.Score, *p.Plain
		}
	}
	t.Fatalf("no score of %s", name)
	return 0, 0
}

func TestDirectionCounts(t *testing.T) {
	dir := germanVectors(t)
	vectors := filepath.Join(dir, "de.txt")
	for _, tt := range []struct {
		name      string
		flags     []string
		want      float64
		weighting string
	}{
		{"no counts", nil, 0.13, "unweighted: no counts given"},
		{"counts", []string{"--counts", filepath.Join(dir, "counts.tsv")}, -0.0448, "counts"},
		// Words 5 and 6 of the file weigh 1/5 and 1/6.
		{"ranks", []string{"--zipf"}, (-0.06/5 + 0.32/6) / (1.0/5 + 1.0/6), "an assumption: 1/rank in the file of vectors"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l oneLanguage
			directionJSON(t, command.ExitDone, &l, append([]string{"--vectors", vectors, "--language", "de"}, tt.flags...)...)
			score, plain := l.score(t, "scientist")
			if math.Abs(score-tt.want) > 0.0001 || math.Abs(plain-0.13) > 0.0001 || l.Weighting != tt.weighting {
				t.Errorf("scientist is %v, plain %v, weighted by %q; want %v, 0.13, %q", score, plain, l.Weighting, tt.want, tt.weighting)
			}
			if l.Pairs != 2 || l.Refused != "" || l.DirectBias == nil || *l.Confidence < 0.9 {
				t.Errorf("got %+v, want a direction from 2 pairs", l)
			}
		})
	}
}

func TestDirectionRefused(t *testing.T) {
	dir := t.TempDir()
	vectors := filepath.Join(dir, "v.txt")
	clitest.Write(t, vectors, "woman 1 0 0\nman -1 0 0\ngirl 0 1 0\nboy 0 -1 0\nnurse 1 1 1\n")
	var l oneLanguage
	directionJSON(t, command.ExitNo, &l, "--vectors", vectors)
	if l.Refused == "" || l.DirectBias != nil || l.Professions != nil {
		t.Errorf("pairs without a common direction give %+v, want a reason and no DirectBias", l)
	}
	code, out, _ := program.Sotto(t, "", "bias", "direction", "--vectors", vectors, "--force")
	if code != command.ExitNo || !strings.Contains(out, "NOT A GENDER DIRECTION") || !strings.Contains(out, "nurse") {
		t.Errorf("--force: exit code %d, %s; want %d and scores that are marked", code, out, command.ExitNo)
	}
	l = oneLanguage{}
	directionJSON(t, command.ExitNo, &l, "--vectors", vectors, "--language", "wo")
	if !strings.Contains(l.Refused, "0 of 7 pairs") || l.Confidence != nil {
		t.Errorf("words that are not there give %+v, want them refused and no confidence", l)
	}
}

func TestDirectionPrivate(t *testing.T) {
	dir := germanVectors(t)
	args := []string{"--vectors", filepath.Join(dir, "de.txt"), "--language", "de", "--mechanism", "laplace-l1", "--draws", "8", "--seed", "3"}
	var l, again oneLanguage
	directionJSON(t, command.ExitDone, &l, append(args, "--epsilon", "1e5")...)
	if a := l.After; a == nil || a.DirectBias.Draws != 8 || math.Abs(*a.DirectBias.Mean-*l.DirectBias) > 0.01 || *a.Agreement.Mean < 0.99 || !(l.Release.True <= 1e5) {
		t.Errorf("with hardly any noise %+v and DirectBias %v, want the same before and after", a, *l.DirectBias)
	}
	directionJSON(t, command.ExitDone, &again, append(args, "--epsilon", "1e5")...)
	if *again.After.DirectBias.Mean != *l.After.DirectBias.Mean {
		t.Errorf("the same seed gives %v and %v, want the same", *again.After.DirectBias.Mean, *l.After.DirectBias.Mean)
	}
	// Draws are shown though the raw direction is refused.
	vectors := filepath.Join(dir, "v.txt")
	clitest.Write(t, vectors, "woman 1 0 0\nman -1 0 0\ngirl 0 1 0\nboy 0 -1 0\nnurse 1 1 1\n")
	l = oneLanguage{}
	directionJSON(t, command.ExitNo, &l, "--vectors", vectors, "--mechanism", "privemb", "--epsilon", "10", "--output-dim", "2", "--draws", "4")
	if l.After == nil || l.After.DirectBias.Mean == nil || l.After.Agreement.Mean != nil || l.After.NullAgreement.Mean != nil {
		t.Errorf("fewer numbers give %+v, want a DirectBias and no cosine with the raw direction", l.After)
	}
	for _, f := range []string{"", "--force"} {
		flags := strings.Fields("bias direction --mechanism laplace-l1 --epsilon 10 --draws 4 " + f)
		code, out, errs := program.Sotto(t, "", append(flags, "--vectors", vectors)...)
		if code != command.ExitNo || !strings.Contains(out, "over 4 draws") || !strings.Contains(out, "one release is one word's vector") {
			t.Errorf("exit code %d, %s%s; want what the draws show and promise", code, out, errs)
		}
	}
}

// TestDirectionLanguages compares two languages and writes the page.
func TestDirectionLanguages(t *testing.T) {
	dir := germanVectors(t)
	clitest.Write(t, filepath.Join(dir, "en.txt"), "woman 1 1 0\nman -1 1 0\ndaughter 1 0 1\nson -1 0 1\nscientist -0.2 1 0\njudge -0.3 1 0\nteacher 0.3 1 0\nsoldier -0.5 1 0\n")
	html := filepath.Join(dir, "page.html")
	args := []string{"--vectors", "en=" + filepath.Join(dir, "en.txt") + ",de=" + filepath.Join(dir, "de.txt"), "--counts", "de=" + filepath.Join(dir, "counts.tsv"), "--html", html}
	var all struct {
		Languages   []oneLanguage
		Correlation struct {
			R      [][]*float64
			Shared [][]int
			Merges []struct{ Height float64 }
		}
	}
	directionJSON(t, command.ExitDone, &all, append(args, "--mechanism", "laplace-l1", "--epsilon", "100", "--draws", "4")...)
	c := all.Correlation
	if len(all.Languages) != 2 || c.Shared[0][1] != 4 || *c.R[0][1] < 0.8 || math.Abs(c.Merges[0].Height-(1-*c.R[0][1])) > 1e-12 {
		t.Errorf("got %+v, want a correlation over 4 professions and one merge", all)
	}
	text, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Defining words", "Female and male words", "Confidence", "Forms of professions", "Professions", "Languages compared", "Without each pair", "Before and after release", "Words", "Wissenschaftlerin"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	code, out, errs := program.Sotto(t, "", append([]string{"bias", "direction"}, args...)...)
	if code != command.ExitDone || !strings.Contains(out, "clusters (average linkage") {
		t.Errorf("exit code %d, %s%s; want clusters", code, out, errs)
	}
}

// keyedFolder has files keyed by English words for one language, and
// translations for another.
func keyedFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "occupations"), 0o755); err != nil {
		t.Fatal(err)
	}
	const pairs = "woman,N,1,1,0\nman,N,-1,1,0\ngirl,N,1,0,1\nboy,N,-1,0,1\n"
	clitest.Write(t, filepath.Join(dir, "occupations", "wiki.es_calculated_occupation.csv"), "word,gender,V2,V3,V4\n"+pairs+"nurse,F,1,1,0\nnurse,M,-1,2,0\njudge,F,NaN,NaN,NaN\njudge,M,-1,3,0\n")
	clitest.Write(t, filepath.Join(dir, "occupations", "wiki.ur_raw.csv"), "translation,"+"word,gender,V2,V3,V4\nx,woman,N,1,1,0\nx,man,N,-1,1,0\nx,girl,N,1,0,1\nx,boy,N,-1,0,1\n")
	return dir
}

func TestDirectionFolder(t *testing.T) {
	dir := keyedFolder(t)
	var all struct{ Languages []oneLanguage }
	directionJSON(t, command.ExitDone, &all, "--folder", dir)
	if len(all.Languages) != 9 { // those with words
		t.Fatalf("%d languages, want the nine", len(all.Languages))
	}
	for _, l := range all.Languages {
		switch l.Language {
		case "es":
			nurse, _ := l.score(t, "nurse")
			if l.Refused != "" || l.Pairs != 2 || math.Abs(nurse-(math.Sqrt(0.5)-math.Sqrt(0.2))/2) > 1e-3 {
				t.Errorf("es is %+v, want a direction along the first axis", l)
			}
		case "ur":
			if l.Refused != "" || l.DirectBias != nil {
				t.Errorf("ur is %+v, want a direction and no professions", l)
			}
		default:
			if !strings.Contains(l.Refused, "no vectors") {
				t.Errorf("%s is %+v, want it refused", l.Language, l)
			}
		}
	}
	all.Languages = nil
	directionJSON(t, command.ExitDone, &all, "--folder", dir, "--language", "es,tlh")
	if len(all.Languages) != 2 || all.Languages[1].Refused == "" {
		t.Errorf("a language without words and vectors gives %+v, want it refused", all.Languages)
	}
	// The same file by name, with pairs from a file of words.
	clitest.Write(t, filepath.Join(dir, "es.txt"), "mujer 1 1 0\nhombre -1 1 0\nmadre 1 0 1\npadre -1 0 1\n")
	var l oneLanguage
	directionJSON(t, command.ExitDone, &l, "--vectors", "es="+filepath.Join(dir, "es.txt"), "--vectors", "es="+filepath.Join(dir, "occupations", "wiki.es_calculated_occupation.csv"))
	if len(l.Professions) != 2 || l.Pairs != 2 {
		t.Errorf("words and occupations give %+v, want 2 pairs of words and 2 professions", l)
	}
}

func TestDirectionWrong(t *testing.T) {
	dir := germanVectors(t)
	vectors := filepath.Join(dir, "de.txt")
	folder := keyedFolder(t)
	own := filepath.Join(dir, "own.json")
	clitest.Write(t, own, `[{"language": "de", "pairs": [{"name": "p", "f": "frau", "m": "mann"}]}]`)
	before, err := os.ReadFile(vectors)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if after, _ := os.ReadFile(vectors); string(after) != string(before) {
			t.Error("the vectors were overwritten")
		}
	}()
	for _, tt := range []struct{ flags, want string }{
		{"", "want --vectors"},
		{"--vectors nowhere.txt", "nowhere.txt"},
		{"--vectors " + vectors + " --language tlh", "language is"},
		{"--vectors " + vectors + " --language de,fr", "--language names 2"},
		{"--vectors " + vectors + " --pairs some", "--pairs is"},
		{"--vectors " + vectors + " --language de --pairs bolukbasi", "the pairs are English"},
		{"--vectors " + vectors + " --language fr --words " + own, "has no words for the language"},
		{"--vectors " + vectors + " --words " + own + " --pairs seven", "--pairs has no meaning"},
		{"--vectors " + vectors + " --words " + vectors, "not a list"},
		{"--vectors " + vectors + " --counts " + vectors, "line 1"},
		{"--vectors " + vectors + " --counts fr=" + vectors, "no vectors"},
		{"--vectors " + vectors + " --zipf --counts x", "--zipf has no meaning"},
		{"--folder " + dir, "it holds no file"},
		{"--folder " + folder + " --vectors " + vectors, "--folder has no meaning"},
		{"--folder " + folder + " --zipf", "--zipf needs --vectors"},
		{"--folder " + folder + " --draws 3", "--draws has no meaning"},
		{"--vectors " + vectors + " --strictness -1 --language de", "strictness"},
		{"--vectors " + vectors + " --strictness 0 --language de", "--strictness is 0"},
		{"--vectors " + vectors + " --min-confidence 2 --language de", "least confidence"},
		{"--vectors " + vectors + " --language de --mechanism laplace-l1", "want --epsilon"},
		{"--vectors " + vectors + " --language de --html /nowhere/at/all.html", "/nowhere"},
		{"--vectors " + vectors + " --language de --html - --json", "both go to standard output"},
		{"--vectors " + vectors + " --html " + vectors, "are the same file"},
		{"--vectors de=" + vectors + ",fr=" + own + " --html " + vectors, "are the same file"},
		{"--vectors de=" + own + ",de=" + vectors + " --html " + vectors, "are the same file"},
		{"--vectors " + vectors + " --counts de=" + own + " --html " + own, "are the same file"},
		{"--vectors " + vectors + " --words " + own + " --html " + own, "are the same file"},
		{"--folder " + folder + " --html " + filepath.Join(folder, "occupations", "wiki.es_calculated_occupation.csv"), "are the same file"},
		{"--folder " + folder + " --words " + own, "--words has no meaning"},
		{"--folder " + folder + " --format csv", "--format has no meaning"},
		{"--vectors " + vectors + " --language de --mechanism krr --epsilon 1 --classes 2", "takes no vectors"},
	} {
		code, out, errs := program.Sotto(t, "", append([]string{"bias", "direction"}, strings.Fields(tt.flags)...)...)
		if code != command.ExitUse || !strings.Contains(errs, tt.want) || out != "" {
			t.Errorf("%s: exit code %d, %q, %q; want %d and it to say %q", tt.flags, code, out, errs, command.ExitUse, tt.want)
		}
	}
}

// TestDirectionNull checks that what random vectors have is found through the
// mechanism: one that releases no noisy copy has cosines of its own.
func TestDirectionNull(t *testing.T) {
	dir := germanVectors(t)
	for _, flags := range []string{"laplace-l1 --epsilon 0.01", "oue --epsilon 0.01"} {
		var l oneLanguage
		args := strings.Fields("--draws 200 --language de --mechanism " + flags)
		directionJSON(t, command.ExitDone, &l, append(args, "--vectors", filepath.Join(dir, "de.txt"))...)
		// DirectBias lies in [0, 1]. Where ε says nothing, both means over 200 draws
		// are of one law, and Hoeffding's bound at a rate of 10⁻⁵ for their
		// difference is √(ln(2·10⁵)/200) = 0.247.
		if a := l.After; a == nil || math.Abs(*a.DirectBias.Mean-*a.Null.Mean) > 0.247 || !l.Simulated || l.SimulatedNote != bias.SimulatedNote {
			t.Errorf("%s: after is %+v, want what random vectors have, and that it is simulated", flags, a)
		}
	}
}

// TestDirectionSameWords checks that a pair that is lost raw is lost with noise.
func TestDirectionSameWords(t *testing.T) {
	vectors := filepath.Join(t.TempDir(), "v.txt")
	clitest.Write(t, vectors, "woman 1 1 0\nman -1 1 0\ngirl 1 0 1\nboy -1 0 1\nmother 0 0 0\nfather 1 5 9\nnurse 1 1 1\n")
	var l oneLanguage
	directionJSON(t, command.ExitDone, &l, "--vectors", vectors, "--mechanism", "laplace-l1", "--epsilon", "1e6", "--draws", "1")
	if a := l.After; a == nil || math.Abs(*a.DirectBias.Mean-*l.DirectBias) > 1e-3 || *a.Agreement.Mean < 0.999 || a.DirectBias.Low != nil {
		t.Errorf("with hardly any noise %+v and DirectBias %v, want the same before and after, and no interval of one draw", a, *l.DirectBias)
	}
	_, out, _ := program.Sotto(t, "", "bias", "direction", "--json", "--vectors", vectors, "--mechanism", "laplace-l1", "--epsilon", "1", "--draws", "2", "--language", "wo")
	if strings.Contains(out, `"after"`) || strings.Contains(out, `"release"`) {
		t.Errorf("no pair gives %s, want nothing of private vectors", out)
	}
}

func TestDirectionPrinted(t *testing.T) {
	vectors := filepath.Join(t.TempDir(), "v.txt")
	text := "woman 1 1 0\nman -1 1 0\n"
	for _, p := range []string{"daughter son", "mother father", "girl boy", "queen king", "wife husband", "madam sir"} {
		f, m, _ := strings.Cut(p, " ")
		text += f + " 1 0 1\n" + m + " -1 0 1\n"
	}
	clitest.Write(t, vectors, text)
	own := filepath.Join(t.TempDir(), "w.json")
	clitest.Write(t, own, `[{"language": "en", "pairs": [{"name": "p", "f": "woman", "m": "man"}, {"name": "q", "f": "girl", "m": "boy"}]}]`)
	_, out, errs := program.Sotto(t, "", "bias", "direction", "--json", "--vectors", vectors, "--words", own)
	if !strings.Contains(out, `"lost": []`) {
		t.Errorf("nothing is lost and the output is %s%s, want an empty list", out, errs)
	}
	code, out, errs := program.Sotto(t, "", "bias", "direction", "--vectors", vectors, "--html", "-")
	if code != command.ExitDone || !strings.HasPrefix(out, "<!DOCTYPE html>") || !strings.HasSuffix(strings.TrimSpace(out), "</html>") {
		t.Errorf("exit code %d, %.80s%s; want the page alone", code, out, errs)
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a file named -")
	}
}

func TestDirectionEncoder(t *testing.T) {
	code, out, errs := program.Sotto(t, "", "bias", "direction", "--encoder", "hash", "--force")
	if code != command.ExitDone && code != command.ExitNo || !strings.Contains(out, "hash") {
		t.Errorf("exit code %d, %s%s; want what the encoder's vectors have", code, out, errs)
	}
}

// TestDirectionPublished runs on the published vectors of nine languages: seven
// have professions, Urdu has pairs alone, Wolof nothing.
func TestDirectionPublished(t *testing.T) {
	folder := testenv.Data(t, "multilingual_bias_vectors")
	var all struct {
		Languages   []oneLanguage
		Correlation struct {
			Clustered []int
			Merges    []struct{ Size int }
		}
	}
	directionJSON(t, command.ExitDone, &all, "--folder", folder)
	withProfessions, refused := 0, []string{}
	for _, l := range all.Languages {
		if l.DirectBias != nil {
			withProfessions++
		}
		if l.Refused != "" {
			refused = append(refused, l.Language)
		}
	}
	if withProfessions != 7 || strings.Join(refused, " ") != "wo" || len(all.Correlation.Merges) != 6 {
		t.Errorf("%d languages have professions, refused are %v, %d merges; want 7, wo and 6", withProfessions, refused, len(all.Correlation.Merges))
	}
}
