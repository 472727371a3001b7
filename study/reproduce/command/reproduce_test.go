package reproduce_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command/clitest"
	"sotto/command/term"
	"sotto/data/testenv"
	reproduce "sotto/study/reproduce/command"
)

// reproduced runs "sotto reproduce" with the given arguments.
func reproduced(ctx context.Context, args ...string) (out, errs string, err error) {
	var stdout, stderr bytes.Buffer
	c := reproduce.NewReproduce(term.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	err = c.ExecuteContext(ctx)
	return stdout.String(), stderr.String(), err
}

func needSTSB(t *testing.T) {
	t.Helper()
	testenv.Set(t, "stsb")
}

func TestReproduceList(t *testing.T) {
	out, _, err := reproduced(t.Context(), "list")
	if err != nil || !strings.Contains(out, "privemb") || !strings.Contains(out, "opinion_lexicon") || !strings.Contains(out, "\nxer ") {
		t.Errorf("list: %v\n%s", err, out)
	}
	var tables []struct {
		Name string
		Data []string
	}
	out, _, err = reproduced(t.Context(), "list", "--json")
	if err != nil || json.Unmarshal([]byte(out), &tables) != nil || len(tables) == 0 || len(tables[0].Data) != 1 {
		t.Fatalf("list --json: %v\n%s", err, out)
	}
	var got []string
	for _, table := range tables {
		got = append(got, table.Name)
	}
	want := strings.Fields("stsb senteval privemb dialect dpnr-ag dpnr-ag-tuned dpnr-blog dpnr-trustpilot federate-adult federate-celeba ldpnn-table1 ldpnn-table2 mdl-random frontier xer unseen rule-decoder aec shares")
	if !slices.Equal(got, want) {
		t.Errorf("the tables are %q, want %q", got, want)
	}
}

func TestReproduceForScripts(t *testing.T) {
	needSTSB(t)
	file := filepath.Join(t.TempDir(), "stsb.json")
	out, errs, err := reproduced(t.Context(), strings.Fields("stsb --encoder hash:64 --quick --json --out "+file)...)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Encoder  string
		Spearman float64
		Test     struct{ Spearman, Low, High float64 }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if got.Encoder != "hash:64" || got.Spearman != got.Test.Spearman || !(got.Test.Low < got.Spearman && got.Spearman < got.Test.High) {
		t.Errorf("got %+v", got)
	}
	if !strings.Contains(errs, "of 2: hash:64 on the test part") {
		t.Errorf("standard error tells nothing of the work: %s", errs)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != out {
		t.Errorf("--out wrote %q, %v, want what was printed", data, err)
	}
}

func TestReproduceForPeople(t *testing.T) {
	needSTSB(t)
	out, _, err := reproduced(t.Context(), strings.Fields("stsb --encoder default,hash:64 --quick")...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ENCODER", "hash:64", "0.744", "Reimers"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
}

func TestReproduceRefuses(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", "accepts 1 arg"},
		{"glue", "must be one of"},
		{"stsb --seeds 0", "--seeds is 0"},
		{"stsb --encoder hash:x", "hash"},
	} {
		if _, _, err := reproduced(t.Context(), strings.Fields(tt.args)...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("reproduce %s: error %v, want %q in it", tt.args, err, tt.want)
		}
	}
	t.Setenv("SOTTO_DATA", t.TempDir())
	if _, _, err := reproduced(t.Context(), "stsb", "--encoder", "hash:64"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "stsb") {
		t.Errorf("reproduce without data: error %v, want one that names stsb", err)
	}
}

func TestReproduceInterrupted(t *testing.T) {
	needSTSB(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(t.TempDir(), "stsb.json")
	out, _, err := reproduced(ctx, strings.Fields("stsb --encoder hash:64 --out "+file)...)
	if err == nil || !strings.Contains(err.Error(), "interrupted") || out != "" {
		t.Errorf("an interrupted run: error %v and output %q", err, out)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 0 {
		t.Errorf("an interrupted run left %v, %v", left, err)
	}
}

// ownTable is a table of the user's, made in a moment.
const ownTable = `{"name": "own", "about": "a test", "paper": "none",
	"runs": [{"name": "r", "experiment": {"encoder": "hash:16", "limit": 100, "methods": ["noise"], "variant": "released", "epsilons": [8], "dims": [4], "hidden": [], "epochs": 4, "seeds": 2}, "quick": {"seeds": 1}}],
	"rows": [{"name": "NOISE", "run": "r", "match": {"method": "noise"}, "published": {"accuracy": [70, 2]}}]}`

func TestReproduceDeclared(t *testing.T) {
	file, store := clitest.TextFile(t, "own.json", ownTable), t.TempDir()
	var got struct {
		Format string
		Rows   []struct {
			AsPublished struct{ True float64 } `json:"as_published"`
			Honest      struct{ True float64 }
			Cells       []struct {
				Published   [2]float64
				AsPublished struct{ Mean, Difference float64 } `json:"as_published"`
				Honest      struct{ Mean float64 }
			}
		}
	}
	written := filepath.Join(store, "table.json")
	out, errs, err := reproduced(t.Context(), file, "--quick", "--json", "--store", store, "--out", written)
	if err != nil || json.Unmarshal([]byte(out), &got) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got.Format != "sotto-table-1" || len(got.Rows) != 1 || got.Rows[0].Cells[0].Published != [2]float64{70, 2} || !(got.Rows[0].AsPublished.True > got.Rows[0].Honest.True) {
		t.Errorf("got %+v", got)
	}
	if !strings.Contains(errs, "100 of 100") || strings.Contains(errs, "re-used") {
		t.Errorf("standard error does not tell of the work: %s", errs)
	}
	if data, fault := os.ReadFile(written); fault != nil || string(data) != out {
		t.Errorf("--out wrote %q, %v, want what was printed", data, fault)
	}
	t.Setenv("SOTTO_RESULTS", store)
	again, errs, err := reproduced(t.Context(), file, "--quick")
	if err != nil || !strings.Contains(errs, "re-used") || !strings.Contains(again, "70.00 ± 2.00") {
		t.Errorf("a second time: %v, %s\n%s", err, errs, again)
	}
	if _, errs, err = reproduced(t.Context(), file, "--quick", "--again"); err != nil || strings.Contains(errs, "re-used") {
		t.Errorf("--again: %v, %s", err, errs)
	}
}

func TestReproduceDeclaredRefuses(t *testing.T) {
	t.Setenv("SOTTO_RESULTS", t.TempDir())
	file := clitest.TextFile(t, "own.json", ownTable)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{clitest.TextFile(t, "bad.json", `{"title": "x"}`)}, "unknown field"},
		{[]string{"nowhere.json"}, "nowhere.json"},
		{[]string{file, "--encoder", "hash"}, "names its encoders"},
	} {
		if _, _, err := reproduced(t.Context(), tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("reproduce %q: error %v, want %q in it", tt.args, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, _, err := reproduced(ctx, file); err == nil || !strings.Contains(err.Error(), "interrupted") || out != "" {
		t.Errorf("interrupted: error %v and output %q", err, out)
	}
}
