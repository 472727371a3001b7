package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	mistakes "sotto/study/errors/command"
	link "sotto/study/link/command"
)

// stored makes a file of each kind that takes no training: audits, a
// comparison of groups and a release, as the commands write them.
func stored(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	code, out, errs := clitest.Sotto(t, "", strings.Fields("audit dpnr --variant released --dim 4 --epsilon 1 --draws 1000 --json")...)
	if code != command.ExitNo {
		t.Fatalf("audit: exit code %d, want %d: %s", code, command.ExitNo, errs)
	}
	files = append(files, write("audit.json", out))
	predictions := write("predictions.csv", "label,prediction,group\na,a,x\nb,b,x\na,b,y\nb,b,y\n")
	code, out, errs = clitest.Sotto(t, "", "measure", "fairness", "--predictions", predictions, "--json")
	if code != command.ExitDone {
		t.Fatalf("measure: exit code %d: %s", code, errs)
	}
	files = append(files, write("fairness.json", out))
	vectors, private := write("v.csv", "0.5,0.25\n1,0\n"), filepath.Join(dir, "private.csv")
	if code, _, errs = clitest.Sotto(t, "", "privatize", "laplace-l1", "--epsilon", "8", "--in", vectors, "--out", private); code != command.ExitDone {
		t.Fatalf("privatize: exit code %d: %s", code, errs)
	}
	return dir, append(files, private+".privacy.json")
}

func TestReport(t *testing.T) {
	dir, files := stored(t)
	for _, tt := range []struct {
		name   string
		flags  []string
		file   string // written; "" means standard output
		begins string
	}{
		{"page", []string{"--out", filepath.Join(dir, "r.html")}, "r.html", "<!DOCTYPE html>"},
		{"Markdown by its name", []string{"--out", filepath.Join(dir, "r.md")}, "r.md", "# Mine"},
		{"Markdown by --format", []string{"--out", filepath.Join(dir, "r.txt"), "--format", "md"}, "r.txt", "# Mine"},
		{"standard output", []string{"--out", "-"}, "", "<!DOCTYPE html>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := clitest.Sotto(t, "", append(append([]string{"report", "--title", "Mine"}, tt.flags...), files...)...)
			if code != command.ExitDone || errs != "" {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			if tt.file != "" {
				b, err := os.ReadFile(filepath.Join(dir, tt.file))
				if err != nil {
					t.Fatal(err)
				}
				out = string(b)
			}
			if !strings.HasPrefix(strings.TrimSpace(out), tt.begins) {
				t.Errorf("begins with %.40q, want %q", out, tt.begins)
			}
			for _, want := range []string{"Mine", "claim FALSE: keeps none", "dpnr released D=4", "private.csv.privacy.json", "predictions.csv, by group", "has spent ε = 8"} {
				if !strings.Contains(strings.NewReplacer("&#43;", "+", `\_`, "_", "\u00a0", " ").Replace(out), want) {
					t.Errorf("the report lacks %q", want)
				}
			}
		})
	}
}

func TestReportRefuses(t *testing.T) {
	dir, files := stored(t)
	other := filepath.Join(dir, "other.json")
	if err := os.WriteFile(other, []byte(`{"format":"theirs"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "want results"},
		{"no file", []string{filepath.Join(dir, "missing.json")}, "no such file"},
		{"another format", []string{other}, "format is"},
		{"an unknown format", []string{files[0], "--format", "pdf"}, `--format is "pdf", must be html or md`},
		{"a result as the page", []string{files[0], "--out", files[0]}, "must not be one of the results"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs := clitest.Sotto(t, "", append([]string{"report", "--out", filepath.Join(dir, "x.html")}, tt.args...)...)
			if code != command.ExitUse || !strings.Contains(errs, tt.want) {
				t.Errorf("exit code %d, %q, want %d and %q", code, errs, command.ExitUse, tt.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "x.html")); err == nil {
				t.Error("a page was written all the same")
			}
		})
	}
}

// TestReportHoldsNoRow: a page of what was found on private files holds no id, no person
// and no text of a row, and no digest of the files, and says that it stays inside.
func TestReportHoldsNoRow(t *testing.T) {
	program := clitest.Program{mistakes.Study(), link.Study()}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var rows, people strings.Builder
	var marks []string
	rows.WriteString("id,who,text,topic,answer,age\n")
	people.WriteString("id,name,street,entity\n")
	for i := range 200 {
		id, who, text := fmt.Sprintf("rowid%03d", i), fmt.Sprintf("person%03d", i/2), fmt.Sprintf("%s was it on day%03d and never again", []string{"awful", "lovely"}[i%2], i)
		name, street := fmt.Sprintf("Quasten Berg%03d", i/2), fmt.Sprintf("Lane%03d", i/2)
		fmt.Fprintf(&rows, "%s,%s,%s,%s,%s,%s\n", id, who, text, []string{"bad", "good"}[i%2], []string{"bad", "good", "good"}[i%3], []string{"old", "young"}[i/7%2])
		fmt.Fprintf(&people, "%s,%s,%s,e%03d\n", id, name, street, i/2)
		marks = append(marks, id, who, text, fmt.Sprintf("day%03d", i), name, street)
	}
	clitest.Write(t, at("rows.csv"), rows.String())
	clitest.Write(t, at("people.csv"), people.String())
	for _, c := range []struct{ to, command string }{
		{"", "train --in rows.csv --text text --label topic --attribute age --person who --method codes --epsilon 4 --encoder hash:16 --out model" + clitest.Quickly},
		{"attack.json", "attack --model model --in rows.csv --json"},
		{"errors.json", "errors --in rows.csv --text text --label topic --predicted answer --id id --splits 1 --json"},
		{"link.json", "link records --in people.csv --columns name,street --truth entity --json"},
		{"", "encode --in rows.csv --text text --person who --model model --include-trained --out out.jsonl"},
	} {
		args := strings.Fields(c.command)
		for i, a := range args {
			if a == "model" || strings.HasSuffix(a, ".csv") || strings.HasSuffix(a, ".jsonl") {
				args[i] = at(a)
			}
		}
		code, out, errs := program.Sotto(t, "", args...)
		if code != command.ExitDone {
			t.Fatalf("%s: exit code %d: %s", c.command, code, errs)
		}
		if c.to != "" {
			clitest.Write(t, at(c.to), out)
		}
	}
	result, err := os.ReadFile(at("model/results.json"))
	if err != nil {
		t.Fatal(err)
	}
	digests := regexp.MustCompile(`"[0-9a-f]{64}"`).FindAllString(string(result), -1)
	if len(digests) == 0 {
		t.Fatal("the result has no digest, so that there is nothing to look for")
	}
	for _, d := range digests {
		marks = append(marks, strings.Trim(d, `"`)[:16])
	}
	for _, format := range []string{"html", "md"} {
		code, page, errs := program.Sotto(t, "", "report", at("model"), at("attack.json"), at("errors.json"), at("link.json"), at("out.jsonl.privacy.json"), "--format", format, "--out", "-")
		if code != command.ExitDone || !strings.Contains(page, "It stays on the trusted side") {
			t.Fatalf("%s: exit code %d: %s", format, code, errs)
		}
		for _, m := range marks {
			if strings.Contains(page, m) {
				t.Errorf("%s: the page holds %q", format, m)
			}
		}
	}
}
