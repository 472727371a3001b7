package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/dataset"
)

// reproduced runs "sotto reproduce" with the given arguments.
func reproduced(ctx context.Context, args ...string) (out, errs string, err error) {
	var stdout, stderr bytes.Buffer
	c := newReproduce(streams{strings.NewReader(""), &stdout, &stderr})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	err = c.ExecuteContext(ctx)
	return stdout.String(), stderr.String(), err
}

func needSTSB(t *testing.T) {
	t.Helper()
	if info, err := dataset.Find("stsb", ""); err != nil || !info.Present {
		t.Skipf("data set stsb is not in %s (%v)", dataset.Dir(), err)
	}
}

func TestReproduceList(t *testing.T) {
	out, _, err := reproduced(t.Context(), "list")
	if err != nil || !strings.Contains(out, "privemb") || !strings.Contains(out, "opinion_lexicon") {
		t.Errorf("list: %v\n%s", err, out)
	}
	var tables []struct {
		Name string
		Data []string
	}
	out, _, err = reproduced(t.Context(), "list", "--json")
	if err != nil || json.Unmarshal([]byte(out), &tables) != nil || len(tables) != 3 || len(tables[0].Data) != 1 {
		t.Errorf("list --json: %v\n%s", err, out)
	}
}

func TestReproduceForScripts(t *testing.T) {
	needSTSB(t)
	file := filepath.Join(t.TempDir(), "stsb.json")
	out, errs, err := reproduced(t.Context(), fields("stsb --encoder hash:64 --quick --json --out "+file)...)
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
	out, _, err := reproduced(t.Context(), fields("stsb --encoder default,hash:64 --quick")...)
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
		if _, _, err := reproduced(t.Context(), fields(tt.args)...); err == nil || !strings.Contains(err.Error(), tt.want) {
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
	out, _, err := reproduced(ctx, fields("stsb --encoder hash:64 --out "+file)...)
	if err == nil || !strings.Contains(err.Error(), "interrupted") || out != "" {
		t.Errorf("an interrupted run: error %v and output %q", err, out)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 0 {
		t.Errorf("an interrupted run left %v, %v", left, err)
	}
}
