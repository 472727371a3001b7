package vectors_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/vectors"
	"sotto/data/vecfile"
)

// feedback is a file of texts with ids, persons and labels; three rows in four
// are of one of two persons each.
func feedback(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,who,text,stars,n\n")
	for i := range 240 {
		words := []string{"awful broken slow", "lovely quick clean"}[i%2]
		fmt.Fprintf(&b, "r%d,p%d,%s thing %d,%s,%d\n", i, i/3, words, i%5, []string{"bad", "good"}[i%2], i)
	}
	return clitest.TextFile(t, "feedback.csv", b.String())
}

// trained trains a model on a file.
func trained(t *testing.T, in, more string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	args := append(strings.Fields("train --in "+in+" --text text --label stars --epochs 5 --encoder hash:32 --out "+dir), strings.Fields(more)...)
	if code, _, errs := program.Sotto(t, "", args...); code != command.ExitDone {
		t.Fatalf("train: exit code %d: %s", code, errs)
	}
	return dir
}

// encoded runs the command with --json.
func encoded(t *testing.T, args ...string) vectors.EncodeSummary {
	t.Helper()
	code, out, errs := program.Sotto(t, "", append([]string{"encode", "--json"}, args...)...)
	var got vectors.EncodeSummary
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil {
		t.Fatalf("encode %q: exit code %d, %v: %s", args, code, err, errs)
	}
	return got
}

func TestEncodeModel(t *testing.T) {
	in := feedback(t)
	dir := trained(t, in, "--method codes --epsilon 5 --hidden 16")
	for _, folder := range []string{dir, filepath.Join(dir, "seed-1")} {
		for _, format := range []string{"jsonl", "csv", "npy", "parquet"} {
			out := filepath.Join(t.TempDir(), "private."+format)
			got := encoded(t, "--include-trained", "--model", folder, "--in", in, "--text", "text", "--out", out)
			r := got.Record
			if got.Rows != 240 || !r.Private || r.Dim != 1 || r.Model == "" || r.SHA256 == "" || len(r.Codes) != 2 || r.Release.Mechanism.Mechanism != "codes" {
				t.Fatalf("%s: the record is %+v, want a release of codes", format, r)
			}
			read, err := vecfile.Open(out, vecfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]float64, 240)
			if n, err := read.ReadRows(rows); n == 0 || err != nil || rows[0] != 0 && rows[0] != 1 {
				t.Errorf("%s: read %d rows, first %v, %v, want codes", format, n, rows[0], err)
			}
			read.Close()
			if code, _, errs := program.Sotto(t, "", "report", out+".privacy.json", "--format", "md", "--out", "-"); code != command.ExitDone {
				t.Errorf("report: exit code %d: %s", code, errs)
			}
		}
	}
}

// What was released tells the label as often as the model says: at ε = 5 two
// codes are right with probability 0.993 of rows that the model knows, so that of
// 240 fewer than 200 are right with probability below 10⁻⁵.
func TestEncodeModelTells(t *testing.T) {
	in := feedback(t)
	out := filepath.Join(t.TempDir(), "private.jsonl")
	got := encoded(t, "--include-trained", "--model", trained(t, in, "--method codes --epsilon 5 --hidden 16"), "--in", in, "--text", "text", "--keep", "id,stars", "--out", out)
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		var row struct {
			ID, Stars string
			Y         []int
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.ID != fmt.Sprintf("r%d", i) || len(row.Y) != 1 {
			t.Fatalf("line %d is %s, %v", i+1, line, err)
		}
		if got.Record.Codes[row.Y[0]].Classes["stars"] == row.Stars {
			right++
		}
	}
	if right < 200 {
		t.Errorf("%d of 240 codes say the label, want at least 200", right)
	}
	assumed := strings.Join(got.Record.Release.Guarantee.Assumptions, "; ")
	if !strings.Contains(assumed, "released as they are") || !strings.Contains(assumed, "id, stars") || !strings.Contains(assumed, "trained") {
		t.Errorf("it assumes %s, want the kept columns and the texts of the training", assumed)
	}
	if strings.Contains(string(content), "lovely") || strings.Contains(string(content), "p7") {
		t.Error("what nobody asked to keep was kept")
	}
}

// A model of noise releases the vectors that its mechanism makes.
func TestEncodeModelOfNoise(t *testing.T) {
	in := feedback(t)
	dir := trained(t, in, "--method noise --mechanism laplace-l1 --epsilon 8 --dim 4 --dropout 0.3")
	out := filepath.Join(t.TempDir(), "private.npy")
	got := encoded(t, "--include-trained", "--model", dir, "--in", in, "--text", "text", "--out", out)
	if r := got.Record; r.Dim != 4 || r.Dropout != 0.3 || r.Word == nil || r.Codes != nil || got.Masked["dropout"] == 0 {
		t.Errorf("the record is %+v with %v masked, want four numbers and the dropout of the model", r, got.Masked)
	}
}

func TestEncodePerson(t *testing.T) {
	in, out := feedback(t), filepath.Join(t.TempDir(), "private.jsonl")
	args := []string{"--in", in, "--text", "text", "--mechanism", "laplace-l1", "--epsilon", "2", "--person", "who", "--out", out}
	got := encoded(t, args...)
	if p := got.Record.Person; p == nil || p.Rows != 3 || p.Column != "who" || !(p.Epsilon > 5.999 && p.Epsilon < 6.001) || p.LeftOut != 0 {
		t.Errorf("a person has %+v, want three times ε", p)
	}
	got = encoded(t, append(args, "--max-rows", "2")...)
	if p := got.Record.Person; p == nil || p.Rows != 2 || !(p.Epsilon > 3.999 && p.Epsilon < 4.001) || p.LeftOut != 80 || got.Rows != 160 {
		t.Errorf("a person has %+v of %d rows, want twice ε and 80 left out", p, got.Rows)
	}
	content, err := os.ReadFile(out + ".privacy.json")
	if err != nil || strings.Contains(string(content), "p7") {
		t.Errorf("the record names a person, or %v", err)
	}
	code, report, errs := program.Sotto(t, "", "report", out+".privacy.json", "--format", "md", "--out", "-")
	if code != command.ExitDone || !strings.Contains(report, "for all rows of a person together, who has at most 2") {
		t.Errorf("report: exit code %d: %s%s", code, report, errs)
	}
	policy := clitest.TextFile(t, "policy.json", `{"rules": [{"match": {"kind": "release"}, "numbers": {"person_epsilon": {"max": 3}}}]}`)
	if code, _, errs := program.Sotto(t, "", "gate", "--policy", policy, out+".privacy.json"); code != command.ExitGate {
		t.Errorf("gate: exit code %d: %s, want it closed", code, errs)
	}
	// A record that promises a person less than its rows add up to is refused.
	forged := strings.Replace(string(content), `"rows": 2,`, `"rows": 9,`, 1)
	clitest.Write(t, out+".privacy.json", forged)
	if code, _, errs := program.Sotto(t, "", "report", out+".privacy.json", "--format", "md", "--out", "-"); code != command.ExitUse || !strings.Contains(errs, "must be at least that of 9 rows") {
		t.Errorf("forged: exit code %d: %s, want it refused", code, errs)
	}
}

// Rows are linked by what they have in common, and what is promised is an estimate,
// in the record, the answer and the report.
func TestEncodeLinked(t *testing.T) {
	var b strings.Builder
	b.WriteString("name,mail,account,text\n")
	for who := range 40 {
		for k, name := range []string{"Anna Quill%d", "anna  QUILL%d", "Anna Quill%d."} {
			fmt.Fprintf(&b, name+",q%d@example.org,a%d,good food %d\n", who, who, (3*who+k)/2, k)
		}
	}
	in, out := clitest.TextFile(t, "linked.csv", b.String()), filepath.Join(t.TempDir(), "private.jsonl")
	args := []string{"--in", in, "--text", "text", "--mechanism", "laplace-l1", "--epsilon", "2", "--link-by", "name,mail", "--out", out}
	got := encoded(t, args...)
	if p := got.Record.Person; p == nil || p.Linked == nil || p.Rows != 3 || p.Linked.Clusters != 40 || !(p.Epsilon > 5.999 && p.Epsilon < 6.001) || !(p.Linked.Twice > 11.999 && p.Linked.Twice < 12.001) {
		t.Fatalf("a cluster has %+v, want three times ε", p)
	}
	// Which rows are left out must not follow from what all of them tell together.
	if code, _, errs := program.Sotto(t, "", append([]string{"encode", "--max-rows", "1"}, args...)...); code != command.ExitUse || !strings.Contains(errs, "needs --link-model") {
		t.Errorf("--max-rows without --link-model: exit code %d: %s", code, errs)
	}
	model, known := filepath.Join(t.TempDir(), "links.json"), strings.Builder{}
	known.WriteString("name,mail,who\n")
	for who := range 60 {
		fmt.Fprintf(&known, "Ben Reed%d,r%d@example.org,%d\nben  REED%d,r%d@example.org,%d\n", who, who, who, who, who, who)
	}
	if code, _, errs := program.Sotto(t, "", "link", "records", "--in", clitest.TextFile(t, "known.csv", known.String()), "--columns", "name,mail", "--truth", "who", "--save-model", model, "--json"); code != command.ExitDone {
		t.Fatalf("link: exit code %d: %s", code, errs)
	}
	got = encoded(t, append(args, "--max-rows", "1", "--link-model", model)...)
	if p := got.Record.Person; p.Rows != 1 || p.LeftOut != 80 || got.Rows != 40 || !strings.Contains(strings.Join(got.Record.Release.Guarantee.Assumptions, ";"), "was not learnt from these rows") {
		t.Errorf("a cluster has %+v of %d rows, want one, and 80 left out; it assumes %q", p, got.Rows, got.Record.Release.Guarantee.Assumptions)
	}
	content, err := os.ReadFile(out + ".privacy.json")
	if err != nil || strings.Contains(strings.ToLower(string(content)), "quill") || !strings.Contains(string(content), "an estimate for a person") {
		t.Errorf("the record names a person, does not say that it is an estimate, or %v: %s", err, content)
	}
	code, report, errs := program.Sotto(t, "", "report", out+".privacy.json", "--format", "md", "--out", "-")
	if code != command.ExitDone || !strings.Contains(report, "an estimate for a person") {
		t.Errorf("report: exit code %d: %s%s", code, report, errs)
	}
	// Accounts of two rows each join clusters: all of them, one to the next.
	got = encoded(t, append(args, "--person", "account")...)
	if p := got.Record.Person; p.Linked.Clusters != 20 || p.Rows != 6 {
		t.Errorf("with accounts there are %d clusters of %d rows at most, want 20 of 6", p.Linked.Clusters, p.Rows)
	}
}

// A model that takes numbers beside texts gets them from the columns of its
// training, also where these are kept or stand elsewhere. The texts tell nothing
// here, and of 240 codes fewer than 200 are right with probability below 10⁻⁵.
func TestEncodeModelOfNumbers(t *testing.T) {
	rows := func(header, format string, order func(i int) []any) string {
		var b strings.Builder
		b.WriteString(header)
		for i := range 240 {
			fmt.Fprintf(&b, format, order(i)...)
		}
		return clitest.TextFile(t, "n.csv", b.String())
	}
	stars := func(i int) string { return []string{"bad", "good"}[i%2] }
	size := func(i int) int { return 5 + 90*(i%2) }
	in := rows("text,stars,n,m\n", "a thing,%s,%d,%d\n", func(i int) []any { return []any{stars(i), size(i), i % 7} })
	dir := trained(t, in, "--method codes --epsilon 5 --hidden 16 --numbers n,m")
	again := rows("m,n,text,stars\n", "%d,%d,a thing,%s\n", func(i int) []any { return []any{i % 7, size(i), stars(i)} })
	for _, keep := range []string{"stars", "n,stars"} {
		out := filepath.Join(t.TempDir(), "private.jsonl")
		got := encoded(t, "--include-trained", "--model", dir, "--in", again, "--text", "text", "--keep", keep, "--out", out)
		content, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for line := range strings.Lines(string(content)) {
			var row struct {
				Stars string
				Y     []int
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			if got.Record.Codes[row.Y[0]].Classes["stars"] == row.Stars {
				right++
			}
		}
		if right < 200 || strings.Contains(string(content), `"m"`) {
			t.Errorf("--keep %s: %d of 240 codes say the label, want at least 200, and no number but what is kept", keep, right)
		}
	}
	for content, want := range map[string]string{"text,n\na,1\n": "m", "text,n,m\na,1,x\n": `line 2: column "m" holds no number`} {
		out := filepath.Join(t.TempDir(), "x.jsonl")
		code, _, errs := program.Sotto(t, "", "encode", "--model", dir, "--in", clitest.TextFile(t, "x.csv", content), "--text", "text", "--out", out)
		if code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d: %s, want %q", content, code, errs, want)
		}
	}
}

// TestEncodeModelBadNumber: a number that is none is a fault of its row alone.
func TestEncodeModelBadNumber(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "a thing,%s,%d\n", []string{"bad", "good"}[i%2], 5+90*(i%2))
	}
	dir := trained(t, clitest.TextFile(t, "n.csv", "text,stars,n\n"+b.String()), "--method codes --epsilon 5 --hidden 4 --numbers n")
	in := clitest.TextFile(t, "bad.csv", "text,n,stars\na,1,good\nb,x,bad\nc,1e99,bad\nd,4,bad\n")
	got := encoded(t, "--model", dir, "--in", in, "--text", "text", "--label", "stars", "--keep", "stars", "--skip-bad", "--out", filepath.Join(t.TempDir(), "o.jsonl"))
	if got.Rows != 2 || got.Skipped != 2 {
		t.Errorf("%d rows were released and %d left out, want 2 and 2", got.Rows, got.Skipped)
	}
}

func TestEncodeModelRefuses(t *testing.T) {
	in := feedback(t)
	plain := trained(t, in, "--method plain --hidden 8")
	nobody := clitest.TextFile(t, "n.csv", "text,who\na,x\nb,\n")
	for args, want := range map[string]string{
		"--model " + plain:                              "no mechanism",
		"--model nowhere":                               "holds no model",
		"--model x --mechanism codebook":                "--mechanism has no meaning with --model",
		"--model x --dropout 0.2":                       "--dropout has no meaning with --model",
		"--model x --skip-trained --include-trained":    "must be one of them",
		"--skip-trained":                                "without --model",
		"--include-trained":                             "without --model",
		"--keep text":                                   "names the column of the texts",
		"--keep colour":                                 "colour",
		"--keep id,id":                                  "must differ",
		"--keep id --format npy":                        "numbers alone",
		"--person who":                                  "raw vectors promise nothing",
		"--mechanism codebook --epsilon 2 --max-rows 2": "without --person or --link-by",
		"--link-by who":                                 "raw vectors promise nothing",
		"--mechanism codebook --epsilon 2 --link-by who,colour":         "colour",
		"--mechanism codebook --epsilon 2 --link-by text":               "names the column of the texts",
		"--mechanism codebook --epsilon 2 --link-by who,who":            "twice",
		"--mechanism codebook --epsilon 2 --link-by who --person who":   "which is --person",
		"--mechanism codebook --epsilon 2 --link-by who --in -":         "must be a file",
		"--mechanism codebook --epsilon 2 --link-model " + in:           "not the JSON object of a model",
		"--mechanism codebook --epsilon 2 --link-by who --in " + nobody: "1 of 2 rows have nothing",
		"--mechanism codebook --epsilon 2 --person who --max-rows -1":   "--max-rows is -1",
		"--mechanism codebook --epsilon 2 --person nobody":              "nobody",
		"--mechanism privemb --output-dim 8 --epsilon 2 --person who":   "unit",
		"--mechanism codebook --epsilon 2 --person who --in " + nobody:  "line 3",
	} {
		out := filepath.Join(t.TempDir(), "x.jsonl")
		all := append([]string{"encode", "--in", in, "--text", "text", "--out", out}, strings.Fields(args)...)
		code, _, errs := program.Sotto(t, "", all...)
		if code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("encode %s: exit code %d: %s, want %q", args, code, errs, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("encode %s left a file", args)
		}
	}
}
