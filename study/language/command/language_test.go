package language_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command/clitest"
	"sotto/compute/nn/transformer/tiny"
)

// tagged is what "sotto tag --json" prints of a text.
type tagged struct {
	Tokens []struct {
		Text              string
		Start, End        int
		UPOS, XPOS, Lemma string
		Head              int
		DepRel            string
		Sentence          int
	}
	Entities []struct {
		Type       string
		Start, End int
		Text       string
		Confidence float64
	}
	Language string
}

func TestTagJSON(t *testing.T) {
	texts := []string{"Ann didn't write to bob@example.com. She called.", "", "😀 שלום \u200b x"}
	code, out, stderr := program.Sotto(t, strings.Join(texts, "\n")+"\n", "tag", "--json")
	if code != 0 {
		t.Fatal(stderr)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(texts) {
		t.Fatalf("%d lines for %d texts:\n%s", len(lines), len(texts), out)
	}
	for i, line := range lines {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var got tagged
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		for _, token := range got.Tokens {
			if texts[i][token.Start:token.End] != token.Text || token.UPOS == "" || token.XPOS == "" || token.DepRel == "" || token.Lemma == "" {
				t.Errorf("text %d: token %+v", i, token)
			}
			if (token.Head == 0) != (token.DepRel == "root") {
				t.Errorf("text %d: %q has head %d and relation %s", i, token.Text, token.Head, token.DepRel)
			}
		}
		if i == 0 {
			if last := got.Tokens[len(got.Tokens)-1]; last.Sentence != 1 {
				t.Errorf("the last token is in sentence %d, want 1", last.Sentence)
			}
			if len(got.Entities) == 0 || got.Entities[len(got.Entities)-1].Text != "bob@example.com" || got.Entities[len(got.Entities)-1].Type != "email" {
				t.Errorf("entities are %+v, want an e-mail address", got.Entities)
			}
		}
	}
}

// treebank is two sentences, with a fused word and an empty node.
const treebank = "# sent_id = a\n" +
	"1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n" +
	"1\tDo\t_\t_\t_\tMood=Imp\t_\t_\t_\t_\n" +
	"2\tn't\t_\t_\t_\t_\t_\t_\t_\t_\n" +
	"3\tgo\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n" +
	"3.1\tthere\t_\t_\t_\t_\t_\t_\t_\t_\n" +
	"4\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n" +
	"1\tThe cat\t_\t_\t_\t_\t_\t_\t_\t_\n" +
	"2\tslept\t_\t_\t_\t_\t_\t_\t_\t_\n\n"

func TestTagGoldTokens(t *testing.T) {
	code, out, stderr := program.Sotto(t, treebank, "tag", "--format", "conllu", "--gold-tokens")
	if code != 0 {
		t.Fatal(stderr)
	}
	was, is := strings.Split(treebank, "\n"), strings.Split(out, "\n")
	if len(was) != len(is) {
		t.Fatalf("%d lines became\n%s", len(was), out)
	}
	for i := range was {
		a, b := strings.Split(was[i], "\t"), strings.Split(is[i], "\t")
		if len(a) < 10 || strings.ContainsAny(a[0], "-.") {
			if was[i] != is[i] {
				t.Errorf("%q became %q", was[i], is[i])
			}
			continue
		}
		for _, kept := range []int{0, 1, 5, 8, 9} {
			if a[kept] != b[kept] {
				t.Errorf("column %d of %q became %q", kept, was[i], b[kept])
			}
		}
		for _, filled := range []int{2, 3, 4, 6, 7} {
			if b[filled] == "_" {
				t.Errorf("column %d of %q was not filled", filled, is[i])
			}
		}
	}
	file := clitest.TextFile(t, "t.conllu", out)
	code, out, stderr = program.Sotto(t, "", "language", "evaluate", "--in", file, "--system", file, "--json")
	if code != 0 || !strings.Contains(out, `"f1": 1`) {
		t.Errorf("judged by itself: code %d, %s%s", code, out, stderr)
	}
}

func TestTagLanguage(t *testing.T) {
	code, out, stderr := program.Sotto(t, "Das ist leider gar kein englischer Satz, und dieser auch nicht.\n", "tag", "--json")
	if code != 0 || !strings.Contains(out, `"language":"de"`) || !strings.Contains(stderr, "not in English") {
		t.Errorf("code %d: %s%s", code, out, stderr)
	}
}

func TestTagCoNLLU(t *testing.T) {
	code, out, stderr := program.Sotto(t, "Mail a@b.com. It's fine.\n", "tag", "--format", "conllu")
	if code != 0 || !strings.Contains(out, "NER=B-email") || !strings.Contains(out, "-2\tIt's\t_") || strings.Count(out, "\n\n") != 2 {
		t.Errorf("code %d:\n%s%s", code, out, stderr)
	}
}

func TestTagRefuses(t *testing.T) {
	for _, tt := range []struct {
		args, stdin, want string
	}{
		{"tag --format xml", "", "must be one of table, json, conllu"},
		{"tag --json --format conllu", "", "must be json"},
		{"tag --gold-tokens", "", "must be conllu"},
		{"tag --gold-tokens --format conllu", "secret words\n", "line 1 has 1 columns"},
		{"tag --model none", "", "no such file"},
		{"language evaluate --in -", "", "no sentences"},
		{"language evaluate --system a --model b", "", "not both"},
		{"language train --in a", "", "--out"},
		{"language train --in none --out x --width 7", "", "width is 7"},
		{"language train --in none --out x --encoder none", "", "must be minilm or the folder"},
		{"language train --in none --out x --encoder .", "", "--dev"},
		{"language train --in none --dev none --out .. --encoder .", "", "must be a new folder"},
		{"tag --model .", "", "is no model of tags and trees"},
	} {
		code, out, stderr := program.Sotto(t, tt.stdin, strings.Fields(tt.args)...)
		if code != 2 || !strings.Contains(stderr, tt.want) || strings.Contains(stderr, "secret") || out != "" {
			t.Errorf("%s: code %d, %q, want 2 and %q", tt.args, code, stderr+out, tt.want)
		}
	}
}

// A model of one's own is trained, judged and used.
func TestTrain(t *testing.T) {
	_, filled, _ := program.Sotto(t, strings.Repeat(treebank, 3), "tag", "--format", "conllu", "--gold-tokens")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.conllu"), filepath.Join(dir, "out.model")
	clitest.Write(t, in, filled)
	code, stdout, stderr := program.Sotto(t, "", "language", "train", "--in", in, "--dev", in, "--out", out, "--width", "32", "--layers", "r", "--epochs", "2", "--json")
	if code != 0 || !strings.Contains(stdout, `"words": 18`) || !strings.Contains(stderr, "UPOS") {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = program.Sotto(t, "", "language", "evaluate", "--in", in, "--model", out)
	if code != 0 || !strings.Contains(stdout, "plain text") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = program.Sotto(t, "The cat slept.\n", "tag", "--model", out)
	if code != 0 || !strings.Contains(stdout, "slept") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
}

// A model behind a transformer is a folder, which is trained, judged and used as a file
// is, and replaced by its like alone.
func TestTrainEncoder(t *testing.T) {
	_, filled, _ := program.Sotto(t, strings.Repeat(treebank, 3), "tag", "--format", "conllu", "--gold-tokens")
	dir := t.TempDir()
	in, out, encoder := filepath.Join(dir, "in.conllu"), filepath.Join(dir, "mine"), filepath.Join(dir, "encoder")
	clitest.Write(t, in, filled)
	if err := os.Mkdir(encoder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := tiny.Even().Write(encoder); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		code, stdout, stderr := program.Sotto(t, "", "language", "train", "--encoder", encoder, "--in", in, "--dev", in, "--out", out, "--width", "32", "--layers", "r", "--epochs", "2", "--json")
		if code != 0 || !strings.Contains(stdout, `"words": 18`) || !strings.Contains(stderr, "pass 2 of 2") {
			t.Fatalf("code %d: %s%s", code, stdout, stderr)
		}
	}
	if manifest, err := os.ReadFile(filepath.Join(out, "manifest.json")); err != nil || strings.Contains(string(manifest), dir) || strings.Contains(string(manifest), "in.conllu") {
		t.Errorf("the manifest tells where the treebank lies: %s", manifest)
	}
	code, stdout, stderr := program.Sotto(t, "", "language", "evaluate", "--in", in, "--model", out)
	if code != 0 || !strings.Contains(stdout, "plain text") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = program.Sotto(t, "The cat slept.\n", "tag", "--model", out)
	if code != 0 || !strings.Contains(stdout, "slept") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr = program.Sotto(t, "", "tag", "--model", filepath.Join(out, "language.model")); code != 2 || !strings.Contains(stderr, "give its folder") {
		t.Errorf("the file alone: code %d: %s", code, stderr)
	}
	if code, _, stderr = program.Sotto(t, "", "language", "train", "--encoder", encoder, "--in", in, "--dev", in, "--out", encoder); code != 2 || !strings.Contains(stderr, "same") {
		t.Errorf("onto the encoder: code %d: %s", code, stderr)
	}
}

// TestNamesFlags: what does not go with --names is refused before anything is read,
// and a folder without corpora is an error that names the file.
func TestNamesFlags(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"language", "train", "--names", folder, "--in", "x", "--out", filepath.Join(folder, "out")}, "leave out --in"},
		{[]string{"language", "train", "--names", folder}, "--out"},
		{[]string{"language", "train", "--names", folder, "--width", "32", "--out", filepath.Join(folder, "out")}, "--epochs alone"},
		{[]string{"language", "evaluate", "--names", folder, "--in", "x"}, "leave out --in"},
		{[]string{"language", "train", "--names", folder, "--out", filepath.Join(folder, "out")}, "wnut17"},
		{[]string{"language", "evaluate", "--names", folder}, "wnut17"},
		{[]string{"language", "evaluate", "--names", folder, "--model", "language_test.go"}, "no model of names"},
	} {
		code, _, stderr := program.Sotto(t, "", c.args...)
		if code == 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %q, want an error about %s", c.args, code, stderr, c.want)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("something was written: %v %v", left, err)
	}
}
