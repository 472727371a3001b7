package learn_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sotto/dp"
	"sotto/internal/cli"
	"sotto/internal/cli/clitest"
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
		code, out, errs := clitest.Sotto(t, "", strings.Fields(args)...)
		var r struct {
			Configurations []struct{ Person *dp.Person }
		}
		if err := json.Unmarshal([]byte(out), &r); code != cli.ExitDone || err != nil {
			t.Fatalf("exit code %d, %v: %s", code, err, errs)
		}
		p := r.Configurations[0].Person
		if e := 2 * float64(want.rows); p == nil || p.Rows != want.rows || p.LeftOut != int64(want.left) || p.Column != "who" || !(float64(p.Epsilon) > e-0.001 && float64(p.Epsilon) < e+0.001) {
			t.Errorf("%q: a person has %+v, want %d rows with %d left out", flags, p, want.rows, want.left)
		}
		if strings.Contains(out, "secret0") {
			t.Error("the result names a person")
		}
		code, out, errs = clitest.Sotto(t, "", "evaluate", dir, "--in", in)
		if code != cli.ExitDone || !strings.Contains(out, "for all rows of a person together, who has at most "+fmt.Sprint(want.rows)) {
			t.Errorf("evaluate: exit code %d: %s%s", code, out, errs)
		}
	}
	code, _, errs := clitest.Sotto(t, "", strings.Fields("train --in "+in+" --text text --label label --max-rows 2 --method majority")...)
	if code != cli.ExitUse || !strings.Contains(errs, "--person") {
		t.Errorf("--max-rows without --person: exit code %d: %s", code, errs)
	}
}
