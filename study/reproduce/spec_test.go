package reproduce_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/study/reproduce"
)

func TestSpecs(t *testing.T) {
	all, err := reproduce.ListSpecs()
	if err != nil || len(all) != 10 {
		t.Fatalf("List() = %d specs, %v, want 10", len(all), err)
	}
	for _, s := range all {
		if _, err := os.Stat(filepath.Join("specs", s.Name+".json")); err != nil {
			t.Errorf("%s does not lie in a file of its name: %v", s.Name, err)
		}
		b, err := json.MarshalIndent(s, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		again, err := reproduce.ParseSpec(t.Context(), b)
		if err != nil || again.Hash() != s.Hash() || len(s.Hash()) != 64 {
			t.Errorf("%s written and read has hash %s, %v, want %s", s.Name, again.Hash(), err, s.Hash())
		}
		again.Rows[0].Name += "!"
		if again.Hash() == s.Hash() {
			t.Errorf("%s: the hash does not depend on the rows", s.Name)
		}
	}
}

// What the papers print, copied from their text and not from the specs.
func TestPublished(t *testing.T) {
	none := math.NaN()
	all, err := reproduce.ListSpecs()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		spec, row, setting, metric string
		mean, deviation            float64
	}{
		{"federate-adult", "Unconstrained", "", "accuracy", 83.41, 0.32},
		{"federate-adult", "INLP", "", "mdl", 19.93, 0.35},
		{"federate-adult", "Noise", "", "leakage", 68.12, 0.94},
		{"federate-adult", "FEDERATE", "", "gap", 2.73, 2.18},
		{"federate-celeba", "Unconstrained", "", "mdl", 67.82, 1.46},
		{"federate-celeba", "Noise", "", "leakage", 59.01, 0.65},
		{"federate-celeba", "Adversarial", "", "accuracy", 85.34, 0.22},
		{"federate-celeba", "Adversarial + Multiple", "", "gap", 5.79, 1.44},
		{"dialect", "FEDERATE", "sentiment", "leakage", 61.74, 5.05},
		{"dialect", "INLP", "offensive tweets", "accuracy", 67.62, 0.57},
		{"dpnr-ag", "DPNR", "tables 2 and 4, ε = 0.05", "accuracy", 80.87, none},
		{"dpnr-ag", "DPNR", "table 2, ε = 5", "accuracy", 79.59, none},
		{"dpnr-ag", "DPNR", "table 3, ε = 1, μ = 0.8", "accuracy", 69.57, none},
		{"dpnr-ag", "NON-PRIV", "tables 2 to 4", "privacy_f1", 23.24, none},
		{"dpnr-ag", "DPNR", "tables 2 and 4, ε = 0.05", "privacy_f1", 23.24 + 31.13, none},
		{"dpnr-ag", "NON-PRIV", "table 5", "attack_present:Blair", 47.20, none},
		{"dpnr-ag", "DPNR", "table 5, ε = 0.05", "attack_absent:Arafat", 90.86, none},
		{"dpnr-ag", "DPNR", "table 7, ε = 0.05", "difference:Sharon", -6.04, none},
		{"dpnr-blog", "DPNR", "table 2, ε = 0.5", "accuracy", 96.84, none},
		{"dpnr-blog", "NON-PRIV", "table 6", "difference:gender", -2.18, none},
		{"dpnr-blog", "DPNR", "tables 2 and 4, ε = 0.05", "privacy_accuracy", 33.88 + 15.86, none},
		{"dpnr-ag-tuned", "NON-PRIV", "tables 2 to 4", "accuracy", 78.75, none},
		{"dpnr-ag-tuned", "DPNR", "table 3, ε = 1, μ = 0.5", "accuracy", 77.42, none},
		{"dpnr-trustpilot", "DPNR", "table 3, ε = 1, μ = 0.5", "accuracy", 83.51, none},
		{"dpnr-trustpilot", "DPNR", "table 6, ε = 0.05", "accuracy:gender=F", 85.90, none},
		{"ldpnn-table1", "NPNN", "Intent", "accuracy", 94.17, none},
		{"ldpnn-table1", "LDPNN", "Yelp, ε = 0.5, λ = 100", "accuracy", 64.54, none},
		{"ldpnn-table1", "LDPNN", "MRPC, ε = 10, λ = 100", "accuracy", 70.15, none},
		{"ldpnn-table1", "LDPNN", "Amazon, ε = 1, λ = 10", "accuracy", 65.46, none},
		{"ldpnn-table2", "SUE", "IMDb, ε = 1", "accuracy", 55.33, none},
		{"ldpnn-table2", "OUE", "Amazon, ε = 1", "accuracy", 54.00, none},
		{"mdl-random", "Random", "Adult, sex, 50 numbers", "mdl", 20.15, 0.083},
		{"mdl-random", "Random", "CelebA, sex, 50 numbers", "mdl", 104.64, 0.11},
		{"mdl-random", "Random", "Bias in Bios, gender, 50 numbers", "mdl", 265.44, 0.13},
		{"mdl-random", "Random", "Twitter, race, 2 numbers", "mdl", 31.3, 0.10},
	} {
		s := all[slices.IndexFunc(all, func(s reproduce.Spec) bool { return s.Name == tt.spec })]
		found := 0
		for _, r := range s.Rows {
			p, ok := r.Published[tt.metric]
			if r.Name != tt.row || r.Setting != tt.setting || !ok {
				continue
			}
			found++
			// Sums of two printed numbers differ in the last bits.
			same := math.Abs(float64(p.Mean)-tt.mean) < 1e-9 && (math.IsNaN(float64(p.Deviation)) && math.IsNaN(tt.deviation) || float64(p.Deviation) == tt.deviation)
			if !same {
				t.Errorf("%s, %s, %s: %s is %v ± %v, want %v ± %v", tt.spec, tt.row, tt.setting, tt.metric, p.Mean, p.Deviation, tt.mean, tt.deviation)
			}
		}
		if found != 1 {
			t.Errorf("%s has %d rows %s, %s with %s, want 1", tt.spec, found, tt.row, tt.setting, tt.metric)
		}
	}
}

// minimal is a spec that is right, to be made wrong.
const minimal = `{"name": "a", "about": "b", "paper": "c",
	"runs": [{"name": "r", "experiment": {"data": "reviews", "methods": ["unconstrained"]}}],
	"rows": [{"name": "u", "run": "r", "match": {"method": "unconstrained"}, "published": {"accuracy": [80, 1]}}]}`

func TestParseSpecRefuses(t *testing.T) {
	if _, err := reproduce.ParseSpec(t.Context(), []byte(minimal)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, now, want string }{
		{minimal, ``, "EOF"},
		{`}]}`, `}]} x`, "something behind"},
		{`"about"`, `"abuot"`, "unknown field"},
		{`"name": "a"`, `"name": "A b"`, "must be small letters"},
		{`"about": "b"`, `"about": ""`, "must not be empty"},
		{`"data": "reviews"`, `"data": "glue"`, "glue"},
		{`"methods"`, `"method"`, "unknown field"},
		{`["unconstrained"]`, `["noise"]`, "needs an epsilon"},
		{`"experiment": {"data": "reviews", "methods": ["unconstrained"]}`, `"measures": ["mdl"]`, "either an experiment or a draw"},
		{`"name": "r", "e`, `"name": "r", "quick": {"seed": 1}, "e`, "unknown field"},
		{`"name": "r", "e`, `"name": "r", "quick": {"seeds": -1}, "e`, "seeds is -1"},
		{`"name": "r", "e`, `"name": "r", "quick": {"seeds": 1}, "full_only": true, "e`, "no meaning with full_only"},
		{`"name": "r", "e`, `"name": "r", "measures": ["luck"], "e`, "measure is"},
		{`"name": "r", "e`, `"name": "s", "e`, "a row refers to"},
		{`"method": "unconstrained"`, `"method": "federate"`, "meets 0 of 0"},
		{`"method": "unconstrained"`, `"method": "unconstrained", "epsilon": 2`, "meets 0 of 1"},
		{`"published": {"accuracy": [80, 1]}`, `"published": {}`, "must not be empty"},
		{`"accuracy"`, `"luck"`, "metric is"},
		{`"accuracy"`, `"accuracy:"`, "metric is"},
		{`"accuracy"`, `"mdl"`, "mdl is not measured"},
		{`[80, 1]`, `[80]`, "neither a number nor"},
		{`[80, 1]`, `null`, "neither a number nor"},
		{`[80, 1]`, `[80, -1]`, "at least 0"},
		{`[80, 1]`, `1e7`, "must be a number"},
	} {
		content := strings.Replace(minimal, tt.old, tt.now, 1)
		if content == minimal {
			t.Fatalf("nothing to replace for %q", tt.old)
		}
		if _, err := reproduce.ParseSpec(t.Context(), []byte(content)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q for %q: error %v, want %q in it", tt.now, tt.old, err, tt.want)
		}
	}
}

func TestDrawRefuses(t *testing.T) {
	good := reproduce.SpecDraw{Rows: 1000, Share: 0.5, Width: 1, Seeds: 1}
	for _, tt := range []struct {
		change func(*reproduce.SpecDraw)
		want   string
	}{
		{func(*reproduce.SpecDraw) {}, ""},
		{func(d *reproduce.SpecDraw) { d.Rows = 10 }, "10 rows"},
		{func(d *reproduce.SpecDraw) { d.Share = math.NaN() }, "share of NaN"},
		{func(d *reproduce.SpecDraw) { d.Attribute = "sex" }, "without data"},
		{func(d *reproduce.SpecDraw) { d.Data = "adult" }, "with data"},
		{func(d *reproduce.SpecDraw) { *d = reproduce.SpecDraw{Data: "glue", Width: 1, Seeds: 1} }, "glue"},
		{func(d *reproduce.SpecDraw) { d.Width = 0 }, "width 0"},
		{func(d *reproduce.SpecDraw) { d.Seeds = 0 }, "0 seeds"},
	} {
		d := good
		tt.change(&d)
		if err := d.Validate(); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q in it", d, err, tt.want)
		}
	}
}

func TestFind(t *testing.T) {
	if _, err := reproduce.FindSpec(t.Context(), "glue"); !errors.Is(err, reproduce.ErrUnknown) || !strings.Contains(err.Error(), "dpnr-ag") {
		t.Errorf("Find of an unknown name: error %v, want ErrUnknown and the names", err)
	}
	file := filepath.Join(t.TempDir(), "own.json")
	if _, err := reproduce.FindSpec(t.Context(), file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Find of a file that is not there: error %v", err)
	}
	if err := os.WriteFile(file, []byte(minimal), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := reproduce.FindSpec(t.Context(), file); err != nil || s.Name != "a" {
		t.Errorf("Find(file) = %q, %v, want the spec in it", s.Name, err)
	}
}

func FuzzParseSpec(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte(strings.Replace(minimal, `[80, 1]`, `80.5`, 1)))
	f.Add([]byte(`{"name":"d","about":"b","paper":"c","runs":[{"name":"r","draw":{"rows":1000,"share":0.5,"width":2,"seeds":1},"quick":{"seeds":1}}],"rows":[{"name":"u","run":"r","published":{"mdl":3}}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := reproduce.ParseSpec(t.Context(), content)
		if err != nil {
			return
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("a spec that was read cannot be written: %v", err)
		}
		if again, err := reproduce.ParseSpec(t.Context(), b); err != nil || again.Hash() != s.Hash() {
			t.Errorf("written and read it has hash %s, %v, want %s", again.Hash(), err, s.Hash())
		}
	})
}
