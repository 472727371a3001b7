package errors_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// answersFile writes a file in which texts that ask are wrong more often than others,
// and private answers lose in one town.
func answersFile(t *testing.T) string {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(3, 3))
	var b strings.Builder
	b.WriteString("key,text,label,answer,private,p,no,yes,town,age,who\n")
	for i := range 260 {
		text, chance := "The room was fine and we liked it.", 0.15
		if i%3 == 0 {
			text, chance = "Could you tell me why the room was not ready?", 0.7
		}
		label := []string{"no", "yes"}[rng.IntN(2)]
		other := map[string]string{"no": "yes", "yes": "no"}[label]
		answer := label
		if rng.Float64() < chance {
			answer = other
		}
		town := []string{"Bonn", "Kiel", "Ulm"}[rng.IntN(3)]
		private := answer
		if town == "Ulm" && rng.IntN(2) == 0 {
			private = other
		}
		p := 0.5 + float64(rng.IntN(50))/100
		fmt.Fprintf(&b, "k%d,%s,%s,%s,%s,%.2f,%.2f,%.2f,%s,%d,w%d\n", i, text, label, answer, private, p, p, 1-p, town, 20+rng.IntN(50), i%90)
	}
	b.WriteString("last,No label here.,,yes,yes,0.5,0.5,0.5,Bonn,3,w\n")
	return clitest.TextFile(t, "answers.csv", b.String())
}

// found is what scripts read.
type found struct {
	Format  string `json:"format"`
	Rows    int    `json:"rows"`
	LeftOut int    `json:"left_out"`
	Rankers []struct {
		Name string                        `json:"name"`
		PAt  map[string]map[string]float64 `json:"p_at"`
		AUC  *float64                      `json:"auc"`
	} `json:"rankers"`
	Cohorts []struct {
		Rule      string  `json:"rule"`
		Size      int     `json:"size"`
		ErrorRate float64 `json:"error_rate"`
		Share     float64 `json:"share"`
	} `json:"cohorts"`
	Features []struct {
		Name       string   `json:"name"`
		Importance *float64 `json:"importance"`
	} `json:"features"`
	Privacy *struct {
		Cohorts []struct {
			Rule string `json:"rule"`
		} `json:"cohorts"`
	} `json:"privacy"`
}

func TestContract(t *testing.T) {
	in, dir := answersFile(t), t.TempDir()
	cohorts, rules := filepath.Join(dir, "cohorts.csv"), filepath.Join(dir, "rules.json")
	code, out, errs := program.Sotto(t, "", "errors", "--in", in, "--text", "text", "--label", "label", "--prediction", "answer", "--confidence", "p", "--probabilities", "no,yes",
		"--private-predicted", "private", "--features", "town,age", "--splits", "2", "--cohorts-out", cohorts, "--rules-out", rules, "--id", "key", "--json")
	if code != command.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var r found
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Format != "sotto-errors-1" || r.Rows != 260 || r.LeftOut != 1 || len(r.Rankers) != 5 {
		t.Errorf("format %s of %d rows, %d left out, %d rankers", r.Format, r.Rows, r.LeftOut, len(r.Rankers))
	}
	for _, k := range r.Rankers {
		if at := k.PAt["10"]; k.AUC == nil || len(at) != 2 || !(at["mean"] >= 0 && at["mean"] <= 1) {
			t.Errorf("%s has %v and p_at %v", k.Name, k.AUC, at)
		}
	}
	if len(r.Cohorts) < 2 || len(r.Features) == 0 || r.Features[0].Importance == nil || r.Privacy == nil || !strings.Contains(r.Privacy.Cohorts[0].Rule, "town = Ulm") {
		t.Errorf("cohorts %v, features %v, private %v", r.Cohorts, r.Features, r.Privacy)
	}
	f, err := os.Open(cohorts)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 261 || rows[1][0] != "k0" || rows[1][2] == "0" {
		t.Errorf("%d rows of cohorts: %v", len(rows), err)
	}
	result := filepath.Join(dir, "errors.json")
	clitest.Write(t, result, out)
	code, out, errs = program.Sotto(t, "", "report", result, "--out", "-", "--format", "html")
	if code != command.ExitDone || !strings.Contains(out, "what privacy costs") || !strings.Contains(out, "town = Ulm") {
		t.Errorf("report: exit %d: %s", code, errs)
	}
	for limit, want := range map[string]int{"0.9": command.ExitDone, "0.1": command.ExitGate} {
		policy := clitest.TextFile(t, "policy.json", `{"rules":[{"match":{"kind":"errors"},"numbers":{"cohort_loss_above_50":{"max":`+limit+`}}}]}`)
		if code, out, errs = program.Sotto(t, "", "gate", result, "--policy", policy); code != want {
			t.Errorf("a gate at %s: exit %d, want %d: %s%s", limit, code, want, out, errs)
		}
	}
}

func TestColumnsAlone(t *testing.T) {
	in := answersFile(t)
	content, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := program.Sotto(t, string(content), "errors", "--in", "-", "--label", "label", "--predicted", "answer", "--features", "town,age", "--splits", "2", "--heat", "age,town = Ulm")
	if code != command.ExitDone || !strings.Contains(out, "forest") || !strings.Contains(out, "least-confidence is not here") || !strings.Contains(out, "age from top to bottom") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// TestSeveralEpsilons: rules of who loses may speak of ε where a file has several, and
// where it has one it is said why they do not.
func TestSeveralEpsilons(t *testing.T) {
	var b strings.Builder
	b.WriteString("label,answer,private,e,one\n")
	for i := range 200 {
		private, e := "yes", "8"
		if i%2 == 0 {
			e = "0.5"
			if i%4 == 0 {
				private = "no"
			}
		}
		fmt.Fprintf(&b, "yes,yes,%s,%s,2\nno,no,no,%s,2\n", private, e, e)
	}
	in := clitest.TextFile(t, "several.csv", b.String())
	for column, want := range map[string]string{"e": "privacy:epsilon ≤ ", "one": "privacy:epsilon is no feature: it is 2 for every text"} {
		code, out, errs := program.Sotto(t, "", "errors", "--in", in, "--label", "label", "--predicted", "answer", "--private-predicted", "private", "--private-epsilon", column, "--features", "one", "--splits", "1")
		if code != command.ExitDone || !strings.Contains(out, want) || strings.Contains(out, "ε = 2 as stated") != (column == "one") {
			t.Errorf("%s: exit %d: %s%s", column, code, out, errs)
		}
	}
}

func TestReleased(t *testing.T) {
	in := answersFile(t)
	rules := clitest.TextFile(t, "rules.json", `{"format":"sotto-rules-1","rules":[[{"feature":"town = Ulm","above":0}],[{"feature":"age","above":40}]]}`)
	args := []string{"errors", "--in", in, "--label", "label", "--predicted", "answer", "--features", "town,age", "--rules", rules}
	code, out, errs := program.Sotto(t, "", append(args, "--epsilon", "50", "--person", "who", "--rows-per-person", "2", "--json")...)
	var r struct {
		Epsilon float64 `json:"epsilon"`
		Counts  []struct {
			Rule         string
			Right, Wrong int
		} `json:"counts"`
	}
	if err := json.Unmarshal([]byte(out), &r); code != command.ExitDone || err != nil || len(r.Counts) != 3 || r.Epsilon > 50.001 {
		t.Fatalf("exit %d: %v %s%s", code, err, out, errs)
	}
	all := 0
	for _, c := range r.Counts {
		all += c.Right + c.Wrong
	}
	// 90 persons, the noise of six counts of scale 0.04 each rounded: 30 is out of reach.
	if all < 150 || all > 210 {
		t.Errorf("%d rows were counted, want two of each of 90 persons", all)
	}
	if strings.Contains(out, "260") || strings.Contains(out, "rankers") {
		t.Errorf("more than counts was printed: %s", out)
	}
	if code, out, errs = program.Sotto(t, "", append(args, "--splits", "1")...); code != command.ExitDone || !strings.Contains(out, "none of the rules") {
		t.Errorf("cohorts of rules: exit %d: %s%s", code, out, errs)
	}
}

func TestRefusals(t *testing.T) {
	in := answersFile(t)
	base := []string{"errors", "--in", in, "--label", "label", "--predicted", "answer", "--features", "town"}
	for _, tt := range []struct{ args, want string }{
		{"--epsilon 1", "--epsilon needs --rules"},
		{"--features label", "which is --label"},
		{"--features age,age", "twice"},
		{"--confidence age", "must be a number from 0 to 1"},
		{"--confidence nope", "column"},
		{"--probabilities p", "--confidence"},
		{"--heat age", "must name two"},
		{"--heat age,towm", "is not there"},
		{"--private-predicted answer", "must differ"},
		{"--private-predicted text", "no value in common"},
		{"--rows-per-person 2", "without --epsilon"},
		{"--private-epsilon 1", "--private-predicted"},
		{"--private-predicted private --private-epsilon 0", "must be positive"},
		{"--private-predicted private --private-epsilon town", "has no ε"},
		{"--lexicon xed", "--lexicon needs --text"},
		{"--splits -1", "splits"},
		{"--features key", "different texts"},
		{"--cohorts-out " + in, "same file"},
		{"--cohorts-out /nowhere/x.csv", "--cohorts-out: "},
	} {
		code, out, errs := program.Sotto(t, "", append(base, strings.Fields(tt.args)...)...)
		if code != command.ExitUse || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d, %q, want %q", tt.args, code, out+errs, tt.want)
		}
		if strings.Contains(errs, "Could you tell me") {
			t.Errorf("%s: an error quotes a text", tt.args)
		}
	}
	if code, _, errs := program.Sotto(t, "", "errors", "--in", in, "--label", "label"); code != command.ExitUse || !strings.Contains(errs, "--predicted") {
		t.Errorf("without answers: exit %d: %s", code, errs)
	}
}

// TestOneRowMore: under ε a table with one row more has one count that is greater by one,
// whatever the row holds. At ε = 50 a count has other noise than 0 with probability
// 2/(e⁵⁰+1), far below 10⁻⁵ for all.
func TestOneRowMore(t *testing.T) {
	rules := clitest.TextFile(t, "rules.json", `{"format":"sotto-rules-1","rules":[[{"feature":"town = Köln","above":0}],[{"feature":"age","above":40}],[{"feature":"cue:question","above":0}]]}`)
	var b strings.Builder
	b.WriteString("text,label,answer,town,age\n")
	for i := range 40 {
		fmt.Fprintf(&b, "\"Could you tell me, where the café %d is?\",%c,%c,%s,%d\n", i, 'a'+i%2, 'a'+i%3, []string{"Köln", "Ulm"}[i%2], 20+i)
	}
	counts := func(content string, more ...string) (all []int) {
		args := append(strings.Fields("errors --text text --label label --predicted answer --features town,age --epsilon 50 --json --rules"), rules)
		code, out, errs := program.Sotto(t, content, append(args, more...)...)
		var r struct{ Counts []struct{ Right, Wrong int } }
		if err := json.Unmarshal([]byte(out), &r); code != command.ExitDone || err != nil {
			t.Fatalf("exit %d, %v: %s", code, err, errs)
		}
		for _, c := range r.Counts {
			all = append(all, c.Right, c.Wrong)
		}
		return all
	}
	want := counts("", "--in", clitest.TextFile(t, "a.csv", b.String()))
	for _, row := range []string{"caf\xe9 \xff,a,b,K\xf6ln,x", "a;b;c;d,a,a,1,2", "\"a\nb\",zz,b,\"\"\"\",NaN", "\x00\x00\x00,a,a,\x00,0", "{},a,,[1],1e999"} {
		got := counts("", "--in", clitest.TextFile(t, "a.csv", b.String()+row+"\n"))
		if again := counts(b.String()+row+"\n", "--in", "-", "--in-format", "csv"); !slices.Equal(got, again) {
			t.Errorf("with the row %q: %v from a file and %v from standard input", row, got, again)
		}
		changed := 0
		for k := range want {
			changed += max(got[k]-want[k], want[k]-got[k])
		}
		if changed != 1 {
			t.Errorf("with the row %q counts are %v, want one more than %v", row, got, want)
		}
	}
	// Nothing in common, and no rows at all, are counts like any others.
	for _, content := range []string{"text,label,answer,town,age\n,a,b,c,d\n", "text,label,answer,town,age\n,,b,c,d\n"} {
		counts("", "--in", clitest.TextFile(t, "b.csv", content))
	}
}
