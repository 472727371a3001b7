package measure_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

const predictionsCSV = `group,label,prediction
b,0,0
b,1,0
a,1,1
b,1,0
b,1,1
c,0,1
c,1,1
c,0,0
a,1,0
a,0,1
c,0,1
a,0,1
b,1,1
c,1,0
c,1,0
b,1,1
c,1,1
c,1,0
`

func TestMeasureFairness(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.csv")
	clitest.Write(t, path, predictionsCSV)
	var lines strings.Builder
	for i, line := range strings.Fields(predictionsCSV)[1:] {
		f := strings.Split(line, ",")
		switch i % 3 { // strings and numbers are the same classes
		case 0:
			lines.WriteString(`{"z":"` + f[0] + `","y":"` + f[1] + `","p":` + f[2] + "}\n")
		default:
			lines.WriteString(`{"p":"` + f[2] + `","other":[1],"y":` + f[1] + `,"z":"` + f[0] + "\"}\r\n\n")
		}
	}
	for _, c := range []struct{ name, stdin, args string }{
		{"CSV", "", "--predictions " + path},
		{"CSV from stdin", "\ufeff" + predictionsCSV, "--predictions -"},
		{"JSON lines", lines.String(), "--predictions - --label y --prediction p --group z --seed 3"},
	} {
		code, out, errs := clitest.Sotto(t, c.stdin, append(strings.Fields("measure fairness --json --resamples 100"), strings.Fields(c.args)...)...)
		if code != command.ExitDone {
			t.Fatalf("%s: exit code %d: %s", c.name, code, errs)
		}
		var got struct {
			Rows   int
			Parity struct{ Value, Low, High float64 } `json:"demographic_parity_difference"`
			Odds   struct{ Value float64 }            `json:"equalized_odds_difference"`
			Groups []struct {
				Name    string
				Rows    int
				Classes []struct {
					Class string
					TPR   struct{ Value float64 }
				}
			}
			Bootstrap struct{ Resamples int }
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if got.Rows != 18 || got.Parity.Value != 0.25 || got.Odds.Value != 1 || !(got.Parity.Low <= 0.25 && got.Parity.High >= 0.25) || got.Bootstrap.Resamples != 100 {
			t.Errorf("%s: %+v, want a parity difference of 0.25 within its interval and an odds difference of 1", c.name, got)
		}
		b := got.Groups[1]
		if b.Name != "b" || b.Rows != 6 || b.Classes[1].Class != "1" || math.Abs(b.Classes[1].TPR.Value-0.6) > 1e-12 {
			t.Errorf("%s: second group %+v, want b with 6 rows and TPR 0.6", c.name, b)
		}
	}
}

func TestMeasureFairnessText(t *testing.T) {
	in := "label,prediction,sex,age\nyes,yes,f,old\nno,yes,m,old\nyes,no,m,young\nno,no,m,young\n,no,m,young\n"
	code, out, errs := clitest.Sotto(t, in, strings.Fields("measure fairness --predictions - --group sex,age")...)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{
		"by sex: 4 rows, 1 left out", "by age: 4 rows", "by sex × age: 4 rows", "f × young", "not defined (0 rows)",
		"TPR gap of yes, f − m", "keep the size of each group", "GRMS over 1 of 2 classes",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
}

// Labels and groups may stand in a file of one's own, in another order and with
// more rows.
func TestMeasureFairnessJoined(t *testing.T) {
	own := clitest.TextFile(t, "own.csv", "key;verdict;city\nk1;yes;Rome\nk2;no;Oslo\nk3;yes;Rome\nk4;no;Oslo\nk5;yes;Oslo\n")
	want := ""
	for _, c := range []struct{ name, stdin, args string }{
		{"beside", "verdict,prediction,city\nyes,yes,Rome\nno,no,Oslo\nyes,no,Oslo\nyes,yes,Rome\nno,yes,Oslo\n", ""},
		{"by id", "key,prediction\nk3,yes\nk4,no\nk5,no\nk1,yes\nk2,yes\n", "--id key --in " + own},
		{"by order", "prediction\nyes\nyes\nyes\nno\nno\n", "--in " + own},
	} {
		code, out, errs := clitest.Sotto(t, c.stdin, append(strings.Fields("measure fairness --predictions - --label verdict --group city"), strings.Fields(c.args)...)...)
		if code != command.ExitDone {
			t.Fatalf("%s: exit code %d: %s", c.name, code, errs)
		}
		// The bootstrap draws rows by their order, so that intervals differ.
		shares := strings.Join(regexp.MustCompile(`\(\d+/\d+`).FindAllString(out, -1), " ")
		if want == "" {
			want = shares
		}
		if shares != want || !strings.Contains(shares, "(1/3") {
			t.Errorf("%s: shares are %s, want %s", c.name, shares, want)
		}
	}
}

// Names of a file cannot play tricks on the terminal.
func TestMeasureFairnessControl(t *testing.T) {
	in := "label,prediction,g\x1b[2J\n\x1b[31myes,\x1b[31myes,f\x1b]0;x\a\nno,\x1b[31myes,m\nno,no,m\n"
	for name, group := range map[string]string{"two groups": "m", "three": "n\x1b[1m"} {
		code, out, errs := clitest.Sotto(t, in+"no,no,"+group+"\n", "measure", "fairness", "--predictions", "-", "--group", "g\x1b[2J")
		if code != command.ExitDone || strings.ContainsAny(out+errs, "\x1b\a") || !strings.Contains(out, `\x1b[31myes`) {
			t.Errorf("%s: exit code %d, output %q, error %q, want names without control characters", name, code, out, errs)
		}
	}
}

func TestMeasureFairnessErrors(t *testing.T) {
	const head = "label,prediction,group\n"
	own := clitest.TextFile(t, "own.csv", "key,label,group\nk1,1,a\nk2,0,b\nk3,1,a\n")
	for _, c := range []struct{ name, stdin, args, want string }{
		{"no file", "", "", "want --predictions"},
		{"absent", "", "--predictions " + filepath.Join(t.TempDir(), "no.csv"), "no such file"},
		{"empty", "", "--predictions -", "empty"},
		{"no rows", head, "--predictions -", "no row"},
		{"no column", "y,prediction,group\n1,1,a\n", "--predictions -", `stdin:1: column is "label", must be one of y, prediction, group`},
		{"no names", "a secret,1,a\n1,1,a\n", "--predictions -", `stdin:1: column is "label", must be one of the 3 in the header`},
		{"column twice", "label,label,prediction,group\n1,1,1,a\n", "--predictions -", "the column \"label\" stands twice"},
		{"fields", head + "1,1,a\n1,secret\n", "--predictions -", "line 3"},
		{"quote", head + "1,se\"cret,a\n", "--predictions -", "line 2"},
		{"no key", `{"label":1,"prediction":1,"group":"a"}` + "\n" + `{"label":1,"secret":1}`, "--predictions -", `stdin:2: no key "prediction", must have one`},
		{"no object", `{"label":1,"prediction":1,"group":"a"}` + "\nsecret\n", "--predictions -", "stdin:2: not a JSON object"},
		{"array", `{"label":["secret"],"prediction":1,"group":"a"}`, "--predictions -", "stdin:1: the value of"},
		{"apart", head + "1,secret,a\n1,secret,b\n", "--predictions -", "no value in common"},
		{"one group", head + "1,1,secret\n0,1,secret\n", "--predictions -", "1 groups"},
		{"resamples", head + "1,1,a\n0,1,b\n", "--predictions - --resamples -4", "must be positive"},
		{"group twice", head + "1,1,a\n0,1,b\n", "--predictions - --group group,group", `--group names "group" twice`},
		{"id alone", head, "--predictions - --id key", "--id has no meaning without --in"},
		{"other rows", "prediction\n1\n", "--predictions - --in " + own, "1 rows and"},
		{"other id", "key,prediction\nsecret,1\n", "--predictions - --id key --in " + own, "the key of row 1 is none of"},
		{"same ids", "group,prediction\na,1\n", "--predictions - --id group --in " + own, "row 3 has the group of another row"},
		{"zero", head, "--predictions - --resamples 0", "--resamples is 0"},
	} {
		code, out, errs := clitest.Sotto(t, c.stdin, append(strings.Fields("measure fairness"), strings.Fields(c.args)...)...)
		if code != command.ExitUse || out != "" || !strings.Contains(errs, c.want) || strings.Contains(errs, "secret") {
			t.Errorf("%s: exit code %d, output %q, error %q, want 2 and %q without what the file holds", c.name, code, out, errs, c.want)
		}
	}
}
