package reproduce_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/learn/experiment"
	"sotto/report"
	"sotto/study/reproduce"
)

// tiny is a table on the built-in corpus that takes a second.
const tiny = `{"name": "tiny", "about": "a test", "paper": "none", "notes": ["invented"],
	"runs": [
		{"name": "grid", "experiment": {"data": "reviews", "limit": 160, "encoder": "hash:16", "methods": ["unconstrained", "noise"], "variant": "released", "epsilons": [4, 8],
			"dims": [4], "hidden": [], "epochs": 3, "seeds": 2}, "quick": {"epsilons": [8], "seeds": 1}, "measures": ["mdl", "groups"]},
		{"name": "coded", "experiment": {"data": "reviews", "encoder": "hash:8", "methods": ["majority", "unconstrained"], "dims": [2], "hidden": [], "epochs": 1}, "full_only": true, "measures": ["mdl"]},
		{"name": "masked", "experiment": {"data": "reviews", "limit": 160, "encoder": "hash:32", "methods": ["noise"], "epsilons": [1], "dropout": 0.5,
			"dims": [4], "hidden": [], "epochs": 2, "seeds": 2}, "full_only": true, "measures": ["entities"]},
		{"name": "drawn", "draw": {"rows": 1000, "share": 0.5, "width": 1, "seeds": 2}, "full_only": true}
	],
	"rows": [
		{"name": "plain", "run": "grid", "match": {"method": "unconstrained"}, "published": {"accuracy": [80, 1], "accuracy:author=formal": 70, "difference:author": 0}},
		{"name": "noise", "setting": "ε = 8", "run": "grid", "match": {"method": "noise", "epsilon": 8}, "published": {"leakage": 60, "accuracy": 70}},
		{"name": "noise", "setting": "ε = 4", "run": "grid", "match": {"method": "noise", "epsilon": 4}, "published": {"accuracy": 60}},
		{"name": "noise", "setting": "selected", "run": "grid", "match": {"method": "noise"}, "published": {"accuracy": 60}},
		{"name": "masked", "run": "masked", "match": {"method": "noise"}, "published": {"accuracy": 50, "attack_absent:author": 50, "attack_present:author": 50, "privacy_f1": 30, "privacy_accuracy": 30}},
		{"name": "drawn", "run": "drawn", "published": {"mdl": [1.95, 0.1]}},
		{"name": "coded", "run": "coded", "match": {"method": "unconstrained"}, "published": {"mdl": 3}},
		{"name": "nothing", "run": "coded", "match": {"method": "majority"}, "published": {"mdl": 3, "accuracy": 50}},
		{"name": "limited", "run": "grid", "match": {"method": "unconstrained"}, "published": {"mdl": 3}}
	]}`

func tinySpec(t *testing.T) reproduce.Spec {
	t.Helper()
	s, err := reproduce.ParseSpec(t.Context(), []byte(tiny))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON renders a table, so that two can be compared with what is undefined.
func asJSON(t *testing.T, table *report.PublishedTable) string {
	t.Helper()
	b, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// jobs makes the table of a spec and tells what was done.
func jobs(t *testing.T, s reproduce.Spec, o reproduce.Options) (*report.PublishedTable, string) {
	t.Helper()
	var told strings.Builder
	o.Progress = func(e reproduce.Event) { fmt.Fprintf(&told, "%s %d/%d\n", e.Job, e.Done, e.Total) }
	table, err := reproduce.MakeTable(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return table, told.String()
}

func TestMake(t *testing.T) {
	store := t.TempDir()
	table, told := jobs(t, tinySpec(t), reproduce.Options{Store: store})
	if len(table.Rows) != 9 || table.Format != report.PublishedFormat || strings.Contains(told, "re-used") {
		t.Fatalf("the table has %d rows, want 9; told:\n%s", len(table.Rows), told)
	}
	plain, noise, masked, drawn := table.Rows[0], table.Rows[1], table.Rows[4], table.Rows[5]
	if plain.AsPublished != nil || plain.Honest != nil || len(plain.Cells) != 3 {
		t.Errorf("the row without protection promises %v and has %d cells, want nothing and 3", plain.AsPublished, len(plain.Cells))
	}
	for _, c := range plain.Cells {
		if c.AsPublished == nil || c.AsPublished.Seeds != 2 || c.Honest != nil || c.AsPublished.Difference != c.AsPublished.Mean-c.Published.Mean {
			t.Errorf("%s: ours is %+v and honest %+v, want two seeds, the difference, and nothing", c.Metric, c.AsPublished, c.Honest)
		}
	}
	// The released variant multiplies ε by √D, here √4; ε is rounded to the grid of the noise.
	if p := noise.AsPublished; p == nil || math.Abs(float64(p.True)-16) > 0.01 || math.Abs(float64(p.Claimed)-8) > 1e-9 {
		t.Errorf("as published the true ε is %+v, want 16 for a claim of 8", p)
	}
	if p := noise.Honest; p == nil || !(p.True <= 8) || noise.Cells[0].Metric != "accuracy" || noise.Cells[1].Honest == nil {
		t.Errorf("the honest row is %+v with cells %+v, want at most 8 and accuracy first", p, noise.Cells)
	}
	// ln(½e + ½) = 0.6201 at ε = 1, μ = ½.
	if p := masked.AsPublished; p == nil || p.Unit != "word" || math.Abs(float64(p.True)-0.6201) > 1e-3 || p.TextLevel == nil || masked.Honest != nil {
		t.Errorf("with masks %+v is promised, want 0.6201 at word level and the ε of texts beside it", p)
	}
	for _, c := range masked.Cells {
		if c.AsPublished == nil || c.AsPublished.Seeds != 2 || !(c.AsPublished.Mean >= 0 && c.AsPublished.Mean <= 100) {
			t.Errorf("with masks %s is %+v, want a percentage of two seeds", c.Metric, c.AsPublished)
		}
	}
	// A probe that learns nothing pays 2.002·1000/1024 = 1.955 kbit, one that memorises less.
	if c := drawn.Cells[0].AsPublished; c == nil || c.Seeds != 2 || !(c.Mean > 1.8 && c.Mean < 2.1) {
		t.Errorf("drawn: %+v, want about 1.95 kbit", c)
	}
	// Of 2,000 rows; half of the values are the second.
	if c := table.Rows[6].Cells[0].AsPublished; c == nil || !(c.Mean > 0.5 && c.Mean < 2.1*2000/1024) {
		t.Errorf("the description length is %+v, want at most that of one who learns nothing", c)
	}
	if nothing, limited := table.Rows[7].Cells, table.Rows[8].Cells; nothing[1].AsPublished != nil || nothing[0].AsPublished == nil || limited[0].AsPublished != nil {
		t.Errorf("what releases nothing, or of which rows were limited, has cells %+v and %+v, want no description length", nothing, limited)
	}
	again, told := jobs(t, tinySpec(t), reproduce.Options{Store: store})
	if strings.Count(told, "re-used") != 5 || strings.Contains(told, "epoch") || asJSON(t, again) != asJSON(t, table) {
		t.Errorf("a second time it is not the same, or something was trained:\n%s", told)
	}
	if left, err := filepath.Glob(filepath.Join(store, "*", "*", "*")); err != nil || len(left) != 0 {
		t.Errorf("models were left in the store: %v, %v", left, err)
	}
	var b strings.Builder
	if err := table.Print(&b); err != nil || !strings.Contains(b.String(), "80.00 ± 1.00") || !strings.Contains(b.String(), "claimed 8") || !strings.Contains(b.String(), "note: invented") {
		t.Errorf("printed: %v\n%s", err, b.String())
	}
}

func TestMakeQuickAndAgain(t *testing.T) {
	store := t.TempDir()
	table, told := jobs(t, tinySpec(t), reproduce.Options{Quick: true, Store: store})
	if len(table.Rows) != 4 || !table.Quick || !strings.Contains(strings.Join(table.Notes, "\n"), "5 of 9") {
		t.Errorf("in a hurry there are %d rows and notes %q, want 4 and a note of the others", len(table.Rows), table.Notes)
	}
	if _, again := jobs(t, tinySpec(t), reproduce.Options{Quick: true, Store: store, Again: true}); !strings.Contains(again, "epoch") || strings.Contains(again, "re-used") {
		t.Errorf("again it does\n%s, want what it did before\n%s", again, told)
	}
	if more, _ := jobs(t, tinySpec(t), reproduce.Options{Quick: true, Store: store, Seeds: 2}); more.Rows[0].Cells[0].AsPublished.Seeds != 2 {
		t.Errorf("with two seeds the first cell is %+v", more.Rows[0].Cells[0].AsPublished)
	}
}

// An interrupted table goes on to what it would have been.
func TestMakeResumes(t *testing.T) {
	want, _ := jobs(t, tinySpec(t), reproduce.Options{Quick: true, Store: t.TempDir()})
	store := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	events := 0
	table, err := reproduce.MakeTable(ctx, tinySpec(t), reproduce.Options{Quick: true, Store: store, Workers: 1, Progress: func(reproduce.Event) {
		if events++; events == 4 { // in the middle of the trainings
			stop()
		}
	}})
	if !errors.Is(err, experiment.ErrInterrupted) || table != nil {
		t.Fatalf("an interrupted table is %v, %v, want ErrInterrupted", table, err)
	}
	got, told := jobs(t, tinySpec(t), reproduce.Options{Quick: true, Store: store})
	if asJSON(t, got) != asJSON(t, want) || strings.Contains(told, "re-used") {
		t.Errorf("resumed it is\n%s, want\n%s", asJSON(t, got), asJSON(t, want))
	}
}

func TestMakeRefusesDamage(t *testing.T) {
	store := t.TempDir()
	s := tinySpec(t)
	whole, _ := jobs(t, s, reproduce.Options{Quick: true, Store: store})
	for _, tt := range []struct {
		name, file string
		damage     func(string) string
	}{
		{"cut off", experiment.ResultsFile, func(c string) string { return c[:len(c)/2] }},
		{"a field more", experiment.ResultsFile, func(c string) string { return strings.Replace(c, "{", `{"luck": 1,`, 1) }},
		{"of another spec", experiment.ResultsFile, func(c string) string { return strings.Replace(c, `"epochs": 3`, `"epochs": 4`, 1) }},
		{"without configurations", experiment.ResultsFile, func(c string) string {
			return strings.Replace(c, `"configurations": [`, `"configurations": [], "failed": [`, 1)
		}},
		{"measures cut off", "measures.json", func(c string) string { return c[:len(c)/2] }},
		{"measures of another format", "measures.json", func(c string) string { return strings.Replace(c, "sotto-measures-1", "sotto-measures-9", 1) }},
	} {
		files, err := filepath.Glob(filepath.Join(store, "*", tt.file))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v, want one file", files, err)
		}
		content, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		broken := tt.damage(string(content))
		if broken == string(content) {
			t.Fatalf("%s: nothing was damaged", tt.name)
		}
		if err := os.WriteFile(files[0], []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := reproduce.MakeTable(t.Context(), s, reproduce.Options{Quick: true, Store: store}); !errors.Is(err, reproduce.ErrCacheDamaged) {
			t.Errorf("%s: error %v, want ErrDamaged", tt.name, err)
		}
		if err := os.WriteFile(files[0], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if again, _ := jobs(t, s, reproduce.Options{Quick: true, Store: store, Again: true}); asJSON(t, again) != asJSON(t, whole) {
		t.Error("made again it is not the same table")
	}
}

func TestMakeRefuses(t *testing.T) {
	if _, err := reproduce.MakeTable(t.Context(), reproduce.Spec{}, reproduce.Options{Store: t.TempDir()}); err == nil {
		t.Error("an empty spec was made")
	}
	if _, err := reproduce.MakeTable(t.Context(), tinySpec(t), reproduce.Options{Store: t.TempDir(), Seeds: -1}); err == nil || !strings.Contains(err.Error(), "seeds is -1") {
		t.Errorf("with −1 seeds: error %v", err)
	}
}

func ExampleMakeTable() {
	s, err := reproduce.ParseSpec(context.Background(), []byte(`{"name": "example", "about": "chance", "paper": "nowhere",
		"runs": [{"name": "r", "experiment": {"data": "reviews", "methods": ["majority"], "attribute": "none"}}],
		"rows": [{"name": "MAJORITY", "run": "r", "match": {"method": "majority"}, "published": {"accuracy": 50}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := os.MkdirTemp("", "sotto")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(store)
	t, err := reproduce.MakeTable(context.Background(), s, reproduce.Options{Store: store})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := t.Rows[0].Cells[0]
	fmt.Printf("%s: published %v %s, ours %.1f\n", c.Metric, c.Published.Mean, c.Unit, c.AsPublished.Mean)
	// Output: accuracy: published 50 %, ours 49.3
}
