package errors_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// ranked is what scripts read of a list.
type ranked struct {
	Rows   int `json:"rows"`
	Ranked []struct {
		Row      int                            `json:"row"`
		ID       string                         `json:"id"`
		Chance   float64                        `json:"chance"`
		Answer   string                         `json:"predicted"`
		Reasons  []struct{ Feature string }     `json:"reasons"`
		Segments []struct{ Text, Features any } `json:"segments"`
	} `json:"ranked"`
}

const fresh = "key,text,answer,p,town\n" +
	"a,The room was fine and we liked it.,yes,0.9,Bonn\n" +
	"b,Could you tell me why the room was <b>not</b> ready?,no,0.6,Ulm\n" +
	"c,The room was fine and we liked it.,yes,0.8,Kiel\n"

// learnt makes a folder that ranks.
func learnt(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "watch")
	code, _, errs := program.Sotto(t, "", "errors", "--in", answersFile(t), "--text", "text", "--label", "label", "--predicted", "answer", "--confidence", "p", "--features", "town", "--splits", "1", "--out", dir)
	if code != command.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	return dir
}

func TestRank(t *testing.T) {
	with, dir := learnt(t), t.TempDir()
	in, list, html := clitest.TextFile(t, "new.csv", fresh), filepath.Join(dir, "list.csv"), filepath.Join(dir, "list.html")
	code, out, errs := program.Sotto(t, "", "errors", "rank", "--in", in, "--with", with, "--id", "key", "--out", list, "--html", html, "--json")
	if code != command.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var got ranked
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Rows != 3 || len(got.Ranked) != 3 || got.Ranked[0].ID != "b" || got.Ranked[0].Row != 2 || got.Ranked[0].Answer != "no" {
		t.Fatalf("ranked are %+v, want the question first", got)
	}
	if first := got.Ranked[0]; !(first.Chance > got.Ranked[1].Chance) || !(first.Chance < 1) || len(first.Reasons) == 0 || len(first.Segments) < 3 {
		t.Errorf("the first is %+v", first)
	}
	content, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(content))).ReadAll()
	if err != nil || len(rows) != 4 || rows[1][2] != "b" || rows[1][5] != "Could you tell me why the room was <b>not</b> ready?" || rows[1][7] != "" {
		t.Errorf("the file has %q (%v)", rows, err)
	}
	page, err := os.ReadFile(html)
	if err != nil || !strings.Contains(string(page), "&lt;") || strings.Contains(string(page), "<b>not<") {
		t.Errorf("the page does not show the text as text (%v)", err)
	}
	kept, err := os.ReadDir(with)
	if err != nil || len(kept) != 2 {
		t.Errorf("the folder holds %v (%v)", kept, err)
	}
	for _, f := range kept {
		if content, err := os.ReadFile(filepath.Join(with, f.Name())); err != nil || strings.Contains(string(content), "Could you tell") || strings.Contains(string(content), os.TempDir()) {
			t.Errorf("%s holds a text or a path (%v)", f.Name(), err)
		}
	}
	code, out, _ = program.Sotto(t, fresh, "errors", "rank", "--in", "-", "--with", with, "--top", "1")
	if code != command.ExitDone || !strings.Contains(out, "1. ") || !strings.Contains(out, "[Could]") || !strings.Contains(out, "and 2 more") {
		t.Errorf("exit %d: %s", code, out)
	}
	spreadsheet(t, with)
}

// spreadsheet: no cell of the list is a formula, and labels in the file change nothing.
func spreadsheet(t *testing.T, with string) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "list.csv")
	in := clitest.TextFile(t, "new.csv", "key,text,answer,p,town,label\n-5,=1+2,-1,0.9,Bonn,yes\n@me,@you thanks,+no,0.6,Ulm,no\n")
	if code, _, errs := program.Sotto(t, "", "errors", "rank", "--in", in, "--with", with, "--id", "key", "--out", list); code != command.ExitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	content, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(content))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	want := map[string][]string{"1": {"-5", "-1", "'=1+2"}, "2": {"'@me", "'+no", "'@you thanks"}}
	for _, row := range rows[1:] {
		if got := []string{row[2], row[4], row[5]}; !slices.Equal(got, want[row[1]]) || row[7] != "" {
			t.Errorf("row %s has %q and the label %q, want %q and none", row[1], got, row[7], want[row[1]])
		}
	}
}

// TestLexicon: words are looked up in a lexicon of one's own, and a list that was learnt
// with it is made with the same or not at all.
func TestLexicon(t *testing.T) {
	own, other := clitest.TextFile(t, "own.tsv", "room\tplace\t1\ntell\tspeech\t1\n"), clitest.TextFile(t, "other.tsv", "room\tplace\t1\n")
	dir, in := filepath.Join(t.TempDir(), "watch"), clitest.TextFile(t, "new.csv", fresh)
	args := []string{"errors", "--in", answersFile(t), "--text", "text", "--label", "label", "--predicted", "answer", "--splits", "1", "--json"}
	code, out, errs := program.Sotto(t, "", append(args, "--lexicon", own, "--out", dir)...)
	if code != command.ExitDone || !strings.Contains(out, "emotion:speech") || strings.Contains(out, "emotion:joy") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	for _, tt := range []struct {
		lexicon string
		want    int
	}{{own, command.ExitDone}, {other, command.ExitUse}, {"", command.ExitUse}, {"xed,opinion", command.ExitUse}} {
		args := []string{"errors", "rank", "--in", in, "--with", dir, "--json"}
		if tt.lexicon != "" {
			args = append(args, "--lexicon", tt.lexicon)
		}
		if code, out, errs = program.Sotto(t, "", args...); code != tt.want || tt.want == command.ExitUse && (out != "" || !strings.Contains(errs, "--lexicon")) {
			t.Errorf("with %q: exit %d, want %d: %s", tt.lexicon, code, tt.want, errs)
		}
	}
}

func TestRankRefuses(t *testing.T) {
	with, in := learnt(t), clitest.TextFile(t, "new.csv", fresh)
	spoilt := t.TempDir()
	clitest.Write(t, filepath.Join(spoilt, "worklist.forest"), "sotto-worklist-1\n{}\n")
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"--with", []string{"--in", in}},
		{"--top is -3", []string{"--in", in, "--with", with, "--top", "-3"}},
		{"worklist.forest", []string{"--in", in, "--with", t.TempDir()}},
		{"not a", []string{"--in", in, "--with", spoilt}},
		{`column is "p"`, []string{"--in", clitest.TextFile(t, "less.csv", "text,answer,town\nHi,no,Ulm\n"), "--with", with}},
		{"must be a number from 0 to 1", []string{"--in", clitest.TextFile(t, "bad.csv", "text,answer,p,town\nsecret words,no,much,Ulm\n"), "--with", with}},
		{"same", []string{"--in", in, "--with", with, "--out", in}},
		{"--out", []string{"--in", in, "--with", with, "--out", filepath.Join(t.TempDir(), "none", "x.csv")}},
	} {
		code, out, errs := program.Sotto(t, "", append([]string{"errors", "rank"}, tt.args...)...)
		if code == command.ExitDone || out != "" || !strings.Contains(errs, tt.want) || strings.Contains(errs, "secret") {
			t.Errorf("%v: exit %d, %s%s, want %q", tt.args, code, out, errs, tt.want)
		}
	}
}
