package learn_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/promise/dp"
	link "sotto/study/link/command"
)

// A training says what a person is promised by the most rows that one has, and a
// bound on them is kept; evaluate says so, too, and nothing names a person.
func TestTrainPerson(t *testing.T) {
	var b strings.Builder
	b.WriteString("who,text,label\n")
	for i := range 300 {
		who := i / 2
		if i < 9 {
			who = 0
		}
		fmt.Fprintf(&b, "secret%d,%s number %d,%s\n", who, []string{"bad dull", "good fine"}[i%2], i%7, []string{"no", "yes"}[i%2])
	}
	in := clitest.TextFile(t, "rows.csv", b.String())
	for flags, want := range map[string]struct{ rows, left int }{"": {9, 0}, " --max-rows 4": {4, 5}} {
		dir := filepath.Join(t.TempDir(), "model")
		args := "train --in " + in + " --text text --label label --person who --method codes --epsilon 2 --hidden 8 --epochs 2 --encoder hash:32 --json --out " + dir + flags
		code, out, errs := linking.Sotto(t, "", strings.Fields(args)...)
		var r struct {
			Configurations []struct{ Person *dp.Person }
		}
		if err := json.Unmarshal([]byte(out), &r); code != command.ExitDone || err != nil {
			t.Fatalf("exit code %d, %v: %s", code, err, errs)
		}
		p := r.Configurations[0].Person
		if e := 2 * float64(want.rows); p == nil || p.Rows != want.rows || p.LeftOut != int64(want.left) || p.Column != "who" || !(float64(p.Epsilon) > e-0.001 && float64(p.Epsilon) < e+0.001) {
			t.Errorf("%q: a person has %+v, want %d rows with %d left out", flags, p, want.rows, want.left)
		}
		if strings.Contains(out, "secret0") {
			t.Error("the result names a person")
		}
		code, out, errs = linking.Sotto(t, "", "evaluate", dir, "--in", in)
		if code != command.ExitDone || !strings.Contains(out, "for all rows of a person together, who has at most "+fmt.Sprint(want.rows)) {
			t.Errorf("evaluate: exit code %d: %s%s", code, out, errs)
		}
	}
	code, _, errs := linking.Sotto(t, "", strings.Fields("train --in "+in+" --text text --label label --max-rows 2 --method majority")...)
	if code != command.ExitUse || !strings.Contains(errs, "--person") {
		t.Errorf("--max-rows without --person: exit code %d: %s", code, errs)
	}
}

// crowd is a file of texts whose persons have names with errors and addresses: of each
// person three rows, one of which has another spelling.
func crowd(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("name,email,account,text,label\n")
	for who := range 80 {
		first := []string{"anna", "bo", "carla", "dmitri", "elena", "farid", "greta", "hugo"}[who%8]
		last := fmt.Sprintf("quill%c%cv%cn%ck", "bcdfghklmp"[who%10], "aeiou"[who/2%5], "aeiou"[who/10%5], "aeiou"[who%5])
		email := fmt.Sprintf("%s.%s@example.org", first, last)
		for k, name := range []string{first + " " + last, strings.ToUpper(first) + "  " + last, first + " " + last} {
			fmt.Fprintf(&b, "%s,%s,a%d,%s number %d,%s\n", name, email, 3*who+k, []string{"bad dull", "good fine"}[who%2], k, []string{"no", "yes"}[who%2])
		}
	}
	return clitest.TextFile(t, "crowd.csv", b.String())
}

// linking is the core with what links rows.
var linking = clitest.Program{link.Study()}

// Rows that are linked are of one person for the parts and for ε, which is said to be
// an estimate wherever it is said; nothing that is stored has what they were linked by.
func TestTrainLinked(t *testing.T) {
	in := crowd(t)
	dir := filepath.Join(t.TempDir(), "model")
	args := "train --in " + in + " --text text --label label --link-by name,email --method codes --epsilon 2 --hidden 8 --epochs 2 --encoder hash:32 --out " + dir
	code, out, errs := linking.Sotto(t, "", strings.Fields(args)...)
	for _, want := range []string{"for all rows of a cluster together, which has at most 3", "linked by name, email", "an estimate for a person", "per cluster", "pays for both", "share one budget"} {
		if code != command.ExitDone || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Fatalf("exit code %d: %s%s, want %q", code, out, errs, want)
		}
	}
	code, out, errs = linking.Sotto(t, "", "evaluate", dir, "--in", in, "--json")
	var r struct {
		Models []struct{ Person *dp.Person }
		Data   struct {
			File struct {
				Persons int
				LinkBy  []string `json:"link_by"`
				Linked  string
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &r); code != command.ExitDone || err != nil {
		t.Fatalf("evaluate: exit code %d, %v: %s", code, err, errs)
	}
	if p, f := r.Models[0].Person, r.Data.File; p == nil || p.Linked == nil || p.Rows != 3 || p.Linked.Clusters != 80 || len(f.LinkBy) != 2 || f.Persons != 80 || f.Linked == "" || p.Linked.By != f.Linked {
		t.Errorf("a person has %+v, of %+v", p, f)
	}
	code, page, errs := linking.Sotto(t, "", "report", dir, "--format", "md", "--out", "-")
	if code != command.ExitDone || !strings.Contains(page, "an estimate for a person") {
		t.Errorf("report: exit code %d: %s%s", code, page, errs)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(strings.ToLower(string(content)), "quill") || strings.Contains(string(content), "example.org") {
			t.Errorf("%s has what rows were linked by", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTrainLinkedRefuses(t *testing.T) {
	in := crowd(t)
	for flags, want := range map[string]string{
		"--link-by nobody":                         `"nobody"`,
		"--link-by text":                           "--text and --link-by",
		"--link-by name,name":                      "twice",
		"--link-by account --person account":       "--person and --link-by",
		"--link-model " + in + " --link-by name":   "not the JSON object of a model",
		"--link-model nowhere.json --link-by name": "nowhere.json",
		"--link-by label":                          "--label and --link-by",
	} {
		args := "train --in " + in + " --text text --label label --method majority " + flags
		code, _, errs := linking.Sotto(t, "", strings.Fields(args)...)
		if code != command.ExitUse || !strings.Contains(errs, want) || strings.Contains(errs, "quill") {
			t.Errorf("%s: exit code %d: %s, want %q", flags, code, errs, want)
		}
	}
}
