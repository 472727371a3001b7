package link_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// people writes a file of made-up persons, two rows each, and returns its path.
func people(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("who,name,street\n")
	names := []string{"anna quill", "bertram marsh", "cecilia thornton", "dorothy vexley", "edgar ashdown", "frida pemberley"}
	for k := range 36 {
		for _, form := range []string{"%[1]d,%[2]s,%[3]d %[4]s lane\n", "%[1]d,%.3[2]s,%[3]d %[4]s lane\n"} {
			fmt.Fprintf(&b, form, k, names[k%6], 10+k, names[(k+1)%5])
		}
	}
	return clitest.TextFile(t, "people.csv", b.String())
}

// refused runs commands that must be refused, each with a part of the reason.
func refused(t *testing.T, in string, cases map[string][]string) {
	t.Helper()
	for want, args := range cases {
		code, out, errs := program.Sotto(t, "", append([]string{"link", "records", "--in", in}, args...)...)
		if code != command.ExitUse || !strings.Contains(errs, want) || out != "" {
			t.Errorf("sotto link records %v: exit code %d, %q, %q; want %q", args, code, out, errs, want)
		}
	}
}

// Rows of a file are linked, and what is written has all of them.
func TestRecords(t *testing.T) {
	in := people(t)
	dir := filepath.Dir(in)
	out, golden := filepath.Join(dir, "out.csv"), filepath.Join(dir, "golden.csv")
	v := run(t, "link", "records", "--in", in, "--columns", "name,street", "--truth", "who", "--out", out, "--golden", golden)
	if v["rows"] != 72.0 || v["clusters"] != 36.0 || v["f1"] != 1.0 || v["optimal"] != true || v["format"] != "sotto-link-records-1" || v["learnt_from"] != "entities" {
		t.Errorf("%v", v)
	}
	rows, err := os.ReadFile(out)
	if err != nil || strings.Count(string(rows), "\n") != 73 || !strings.HasPrefix(string(rows), "row,cluster,who,name,street\n0,0,0,anna quill,") {
		t.Errorf("--out holds %.80q, %v", rows, err)
	}
	rows, err = os.ReadFile(golden)
	if err != nil || strings.Count(string(rows), "\n") != 37 || !strings.HasPrefix(string(rows), "cluster,rows,who,name,street\n0,2,0,anna quill,") {
		t.Errorf("--golden holds %.80q, %v", rows, err)
	}
	refused(t, in, map[string][]string{
		"want --in":                  {},
		"must not: what is compared": {"--columns", "name,who", "--truth", "who"},
		"must differ":                {"--columns", "name", "--truth", "who", "--out", in},
		`--unknown is "penalty"`:     {"--columns", "name", "--truth", "who", "--unknown", "penalty"},
		`has "name" twice`:           {"--columns", "name,name"},
		"nme":                        {"--columns", "nme", "--truth", "who"},
		"want --ask and --answers":   {"--columns", "name", "--ask"},
		"must be two numbers":        {"--columns", "name", "--pair", "1"},
		"must be two of 0 to 71":     {"--columns", "name", "--pair", "1,72"},
		"has no meaning":             {"--columns", "name", "--unsupervised", "--share", "0.3"},
		"must not be below 0":        {"--columns", "name", "--most-pairs", "-1"},
	})
}

// Small tables are tables, and one without a row is refused.
func TestRecordsSmall(t *testing.T) {
	for text, want := range map[string]float64{"a,b\nx,y\n": 1, "a,b\n,\n,\n": 2, "a,b\nx,y\nx,y\nv,z\n": 2} {
		if v := run(t, "link", "records", "--in", clitest.TextFile(t, "small.csv", text), "--columns", "a,b"); v["clusters"] != want {
			t.Errorf("%q: %v clusters, want %v", text, v["clusters"], want)
		}
	}
	refused(t, clitest.TextFile(t, "empty.csv", "a,b\n"), map[string][]string{"no row was found": {"--columns", "a,b"}})
}

// Without a label there is an estimate, which says that it is one.
func TestRecordsEstimated(t *testing.T) {
	in := people(t)
	v := run(t, "link", "records", "--in", in, "--columns", "name,street", "--truth", "who", "--unsupervised")
	if f1, _ := v["f1"].(float64); f1 < .9 || v["estimated"] != true || v["learnt_from"] != "nothing" {
		t.Errorf("F1 is %v, %v", v["f1"], v["learnt_from"])
	}
	code, out, _ := program.Sotto(t, "", "link", "records", "--in", in, "--columns", "name,street")
	if code != command.ExitDone || !strings.Contains(out, "estimated from the table alone") {
		t.Errorf("exit code %d, %q", code, out)
	}
}

// A model is stored and used again, and says of a pair what speaks for and against it.
func TestRecordsModel(t *testing.T) {
	in := people(t)
	model := filepath.Join(filepath.Dir(in), "model.json")
	first := run(t, "link", "records", "--in", in, "--columns", "name,street", "--truth", "who", "--save-model", model, "--pair", "0,1", "--explain", "1")
	again := run(t, "link", "records", "--in", in, "--with", model, "--truth", "who", "--pair", "0,1", "--explain", "1")
	if again["learnt_from"] != "a model" || again["clusters"] != first["clusters"] || fmt.Sprint(again["explained"]) != fmt.Sprint(first["explained"]) {
		t.Errorf("with the model: %v", again)
	}
	explained, _ := again["explained"].([]any)
	if len(explained) != 3 {
		t.Fatalf("%d pairs are explained, want 3", len(explained))
	}
	for _, e := range explained {
		e := e.(map[string]any)
		sum := e["constant"].(float64)
		for _, x := range e["terms"].([]any) {
			sum += x.(map[string]any)["contribution"].(float64)
		}
		if math.Abs(sum-e["logit"].(float64)) > 1e-9 {
			t.Errorf("terms add up to %v, logit is %v", sum, e["logit"])
		}
	}
	content, err := os.ReadFile(model)
	if err != nil || strings.Contains(string(content), "quill") {
		t.Errorf("the model holds what stands in rows, or cannot be read: %v", err)
	}
	code, out, _ := program.Sotto(t, "", "link", "records", "--in", in, "--with", model, "--pair", "0,1")
	if code != command.ExitDone || !strings.Contains(out, "Rows 0 and 1: joined, probability") || !strings.Contains(out, "sum, the logit") {
		t.Errorf("exit code %d, %q", code, out)
	}
	spoilt := clitest.TextFile(t, "spoilt.json", strings.Replace(string(content), `"constant"`, `"konstant"`, 1))
	refused(t, in, map[string][]string{
		"konstant":            {"--with", spoilt},
		"--labels":            {"--with", model, "--labels", "x.csv"},
		"model compares 2":    {"--with", model, "--columns", "name"},
		"must be that of the": {"--with", model, "--encoder", "default"},
	})
}

// Labelled pairs train as entities do, and links of one's own are kept to.
func TestRecordsLabels(t *testing.T) {
	in := people(t)
	dir := filepath.Dir(in)
	labels, must, bad := filepath.Join(dir, "labels.csv"), filepath.Join(dir, "must.csv"), filepath.Join(dir, "bad.csv")
	text := "i,j,same\n"
	for k := range 20 {
		text += fmt.Sprintf("%d,%d,1\n%d,%d,0\n", 2*k, 2*k+1, 2*k, 2*k+12)
	}
	clitest.Write(t, labels, text)
	clitest.Write(t, must, "i,j\n0,3\n")
	clitest.Write(t, bad, "i,j,same\n0,secret,1\n")
	out := filepath.Join(dir, "out.csv")
	v := run(t, "link", "records", "--in", in, "--columns", "name,street", "--labels", labels, "--must", must, "--out", out)
	if v["learnt_from"] != "labels" || v["pairs_trained_on"] != 40.0 {
		t.Errorf("%v from %v", v["pairs_trained_on"], v["learnt_from"])
	}
	rows, err := os.ReadFile(out)
	lines := strings.Split(string(rows), "\n")
	if err != nil || !strings.HasPrefix(lines[1], "0,0,") || !strings.HasPrefix(lines[4], "3,0,") {
		t.Errorf("rows 0 and 3 must be one: %q, %v", lines[:5], err)
	}
	code, _, errs := program.Sotto(t, "", "link", "records", "--in", in, "--columns", "name,street", "--labels", bad)
	if code != command.ExitUse || !strings.Contains(errs, "bad.csv:2") || strings.Contains(errs, "secret") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

// Questions are asked of lines that stand ready, answers are kept, and a second session
// goes on where the first ended.
func TestRecordsAsk(t *testing.T) {
	in := people(t)
	answers := filepath.Join(filepath.Dir(in), "answers.csv")
	args := []string{"link", "records", "--in", in, "--columns", "name,street", "--truth", "who", "--ask", "--answers", answers, "--json"}
	code, out, errs := program.Sotto(t, "maybe\ny\nu\nn\nq\n", args...)
	if code != command.ExitDone || !strings.Contains(errs, "are these the same?") || !strings.Contains(errs, "anna quill") && !strings.Contains(errs, "marsh") {
		t.Fatalf("exit code %d, %q", code, errs)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil || v["learnt_from"] != "answers" || v["pairs_trained_on"] != 2.0 {
		t.Errorf("%v, %v", v["learnt_from"], err)
	}
	read := func() []string {
		content, err := os.ReadFile(answers)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(content)), "\n")
	}
	kept := read()
	if len(kept) != 4 || kept[0] != "i,j,same,check" || !strings.Contains(kept[2], ",unsure,") {
		t.Fatalf("answers are %q", kept)
	}
	if code, _, errs = program.Sotto(t, "n\nn\n", args...); code != command.ExitDone || !strings.Contains(errs, "(1 yes, 1 no so far)") {
		t.Errorf("the second session: exit code %d, %q", code, errs)
	}
	more := read()
	pair := func(line string) string { return strings.Join(strings.Split(line, ",")[:2], ",") }
	if len(more) != 6 || !slices.Equal(more[:4], kept) || slices.ContainsFunc(kept, func(line string) bool { return pair(line) == pair(more[4]) || pair(line) == pair(more[5]) }) {
		t.Errorf("answers are %q after %q", more, kept)
	}
	content, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, in, strings.ReplaceAll(string(content), "lane", "road"))
	if code, _, errs = program.Sotto(t, "n\n", args...); code != command.ExitUse || !strings.Contains(errs, "are not those that were asked about") {
		t.Errorf("of another table: exit code %d, %q", code, errs)
	}
}

// A gate takes what is printed.
func TestRecordsGate(t *testing.T) {
	in := people(t)
	dir := filepath.Dir(in)
	edges, _, truth := files(t)
	found, graph, page := filepath.Join(dir, "found.json"), filepath.Join(dir, "graph.json"), filepath.Join(dir, "page.html")
	for path, args := range map[string][]string{
		found: {"link", "records", "--in", in, "--columns", "name,street", "--truth", "who", "--json"},
		graph: {"link", "graph", "--edges", edges, "--truth", truth, "--json"},
	} {
		code, out, errs := program.Sotto(t, "", args...)
		if code != command.ExitDone {
			t.Fatal(errs)
		}
		clitest.Write(t, path, out)
	}
	for policy, want := range map[string]int{
		`{"rules":[{"match":{"kind":"link-records","data":"people.csv"},"numbers":{"f1":{"min":0.9},"gap":{"max":0}}}]}`: command.ExitDone,
		`{"rules":[{"match":{"kind":"link-graph"},"numbers":{"f1":{"min":0.9}}}]}`:                                       command.ExitGate,
		`{"rules":[{"match":{"kind":"link-graph"},"numbers":{"gap":{"max":0.001}}}]}`:                                    command.ExitDone,
	} {
		code, out, errs := program.Sotto(t, "", "gate", "--policy", clitest.TextFile(t, "policy.json", policy), found, graph)
		if code != want {
			t.Errorf("%s: exit code %d, want %d: %s%s", policy, code, want, out, errs)
		}
	}
	code, _, errs := program.Sotto(t, "", "report", "--out", page, found, graph)
	content, err := os.ReadFile(page)
	if code != command.ExitDone || err != nil || !strings.Contains(string(content), "72 rows of people.csv are 36 clusters") || !strings.Contains(string(content), "4 nodes of") {
		t.Errorf("sotto report: exit code %d, %s, %v", code, errs, err)
	}
}
