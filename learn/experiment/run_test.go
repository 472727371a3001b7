package experiment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/data/dataset"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
)

// small is a spec that trains in a moment.
func small(methods ...string) experiment.Spec {
	return experiment.Spec{
		Data: "reviews", Limit: 400, Encoder: "hash:32", Methods: methods, Seeds: 2,
		Epsilons: []float64{4}, Epochs: 2, Hidden: []int{16}, Dims: []int{16},
	}
}

// idle is a spec that trains nothing.
func idle(method string) experiment.Spec {
	return experiment.Spec{Data: "reviews", Encoder: "hash:32", Methods: []string{method}}
}

// shared keeps the data of encoders that are always the same, which others made before.
var shared experiment.Sets

func run(t *testing.T, s experiment.Spec, o experiment.Options) *experiment.Result {
	t.Helper()
	if s.Encoder == "" || strings.HasPrefix(string(s.Encoder), "hash:") {
		o.Sets = &shared
	}
	if o.Workers == 0 {
		o.Workers = 1 // others wait for so little work longer than they take
	}
	r, err := experiment.Run(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// contents returns the models' files below a folder: everything that must not
// differ from run to run, which their secrets must.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains([]string{experiment.ResultsFile, model.SecretFile, model.TrainedFile}, d.Name()) {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	if len(a) != len(b) || len(a) == 0 {
		t.Errorf("%s: %d files, want %d", what, len(a), len(b))
	}
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

func TestRunIsTheSameForAnyWorkers(t *testing.T) {
	spec := small("federate", "ldpnn")
	one := t.TempDir()
	run(t, spec, experiment.Options{Out: one, Workers: 1})
	for _, workers := range []int{3, 2}[:dptest.Count(t, 1, 2)] {
		many := t.TempDir()
		run(t, spec, experiment.Options{Out: many, Workers: workers})
		same(t, fmt.Sprint(workers, " workers"), contents(t, one), contents(t, many))
	}
}

// A training that is stopped and resumed leaves the bytes of one that was not.
func TestResume(t *testing.T) {
	spec := small("federate", "inlp")
	spec.Epochs = 4
	whole, stopped := t.TempDir(), t.TempDir()
	run(t, spec, experiment.Options{Out: whole})
	if _, err := experiment.Run(t.Context(), spec, experiment.Options{Out: filepath.Join(stopped, "other"), Resume: true}); err == nil {
		t.Error("Run resumed an empty folder")
	}
	for stops := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		epochs := 0
		r, err := experiment.Run(ctx, spec, experiment.Options{Out: stopped, Resume: stops > 0, Progress: func(experiment.Event) {
			if epochs++; epochs == 5 {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			if stops < 2 {
				t.Errorf("the work ended after %d stops, want more", stops)
			}
			if r.Interrupted {
				t.Error("a finished result says that it was interrupted")
			}
			same(t, "resumed", contents(t, stopped), contents(t, whole))
			return
		}
		if !errors.Is(err, experiment.ErrInterrupted) || r == nil || !r.Interrupted {
			t.Fatalf("Run = %v, %v, want what there is and an interruption", r, err)
		}
		if _, err := os.Stat(filepath.Join(stopped, experiment.ResultsFile)); err != nil {
			t.Error(err)
		}
	}
	t.Error("the work never ended")
}

func TestOutIsGuarded(t *testing.T) {
	dir := t.TempDir()
	run(t, idle("majority"), experiment.Options{Out: dir})
	run(t, idle("majority"), experiment.Options{Out: dir}) // the same command may run again
	if _, err := experiment.Run(t.Context(), idle("random"), experiment.Options{Out: dir}); err == nil || !strings.Contains(err.Error(), "another command") {
		t.Errorf("another spec in the same folder: error = %v, want a refusal", err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.txt"), []byte("important"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Run(t.Context(), idle("majority"), experiment.Options{Out: foreign}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with other files: error = %v, want a refusal", err)
	}
}

// Every method runs on the built-in corpus, and nothing that is private beats
// the limit of its ε by more than chance: a binomial count of n rows is above its
// mean by 4.9·√(n/4) with probability below 10⁻⁵ (Hoeffding: e^{−2·4.9²/4} = 6·10⁻⁶
// for each of few comparisons; 5.6 gives 1.6·10⁻⁷).
func TestEveryMethodOnReviews(t *testing.T) {
	var names []string
	for _, m := range experiment.Methods() {
		names = append(names, m.Name)
	}
	spec := small(names...)
	spec.Epsilons, spec.Seeds, spec.Cells = []float64{0.5}, 1, hashCells(t)
	r := run(t, spec, experiment.Options{})
	if len(r.Configurations) != len(names) {
		t.Fatalf("Run gave %d configurations, want one for each of %d methods", len(r.Configurations), len(names))
	}
	slack := 5.6 / 2 / math.Sqrt(float64(r.Rows.Test))
	for _, c := range r.Configurations {
		m := c.Mean
		if !(m.Accuracy > 0.3 && m.Accuracy <= 1) {
			t.Errorf("%s: accuracy is %v", c.Name(), m.Accuracy)
		}
		if !math.IsNaN(float64(m.Limit)) && float64(m.Accuracy) > float64(m.Limit)+slack {
			t.Errorf("%s: accuracy is %v, above the limit %v", c.Name(), m.Accuracy, m.Limit)
		}
		if !math.IsNaN(float64(m.AttackLimit)) && float64(m.Leakage) > float64(m.AttackLimit)+slack {
			t.Errorf("%s: leakage is %v, above the limit %v", c.Name(), m.Leakage, m.AttackLimit)
		}
		private := c.Statement != nil
		if private != (c.Mechanism != "") || private != (m.Claimed != nil) {
			t.Errorf("%s: statement %v, claimed %v", c.Name(), c.Statement, m.Claimed)
		}
		if !private && c.Method != "majority" && c.Method != "random" && *m.True != dp.Infinite {
			t.Errorf("%s: true ε is %v, want infinite", c.Name(), *m.True)
		}
	}
}

// The corpus is generated so that the best attack on a text is known: no probe
// of what an unprotected model makes of it can be better, but by chance. The
// count of hits among 1000 rows exceeds its mean by 5.6·√n/2 with probability
// below 2·10⁻⁷.
func TestLeakageIsBelowTheBestAttack(t *testing.T) {
	spec := small("unconstrained")
	spec.Limit = 0 // what chance adds to a few rows is more than what leaks
	spec.Epsilons, spec.Epochs, spec.Encoder = nil, 5, "hash:256"
	r := run(t, spec, experiment.Options{})
	best := dataset.Reviews{}.BestAttack()
	slack := 5.6 / 2 / math.Sqrt(float64(r.Rows.Test))
	if leak := float64(r.Mean.Leakage); leak > best+slack || leak < float64(r.Mean.Majority) {
		t.Errorf("leakage is %v, want from the majority's %v to the best attack's %v", leak, r.Mean.Majority, best)
	}
}

func TestResultForScripts(t *testing.T) {
	dir := t.TempDir()
	spec := small("federate")
	spec.Limit, spec.Variant = 1000, "released" // of fewer rows nothing is told, and nothing selected
	run(t, spec, experiment.Options{Out: dir})
	content, err := os.ReadFile(filepath.Join(dir, experiment.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Seeds          []map[string]any
		Mean           map[string]any
		Configurations []map[string]any
	}
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Seeds) != 2 || len(got.Configurations) != 2 {
		t.Fatalf("%d seeds and %d configurations, want 2 and 2", len(got.Seeds), len(got.Configurations))
	}
	for _, s := range append(got.Seeds, got.Mean) {
		for _, key := range []string{"accuracy", "claimed", "true", "gap", "leakage", "limit", "seconds"} {
			if _, ok := s[key].(float64); !ok {
				t.Errorf("%s is %v, want a number", key, s[key])
			}
		}
	}
	if want := 4 * math.Sqrt(16); math.Abs(got.Mean["true"].(float64)-want) > 1e-3 {
		t.Errorf("true ε of the released code is %v, want ε·√D = %v", got.Mean["true"], want)
	}
}

func TestEvaluateFindsWhatTrainMeasured(t *testing.T) {
	dir := t.TempDir()
	spec := small("federate")
	spec.Lambdas = []float64{0.5, 2}
	r := run(t, spec, experiment.Options{Out: dir})
	e, err := experiment.Evaluate(t.Context(), dir, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Models) != 1 {
		t.Fatalf("Evaluate gave %d configurations, want the selected one", len(e.Models))
	}
	for _, pair := range [][2]measure.Number{
		{e.Mean.Accuracy, r.Mean.Accuracy},
		{e.Mean.Gap, r.Mean.Gap},
		{e.Mean.Leakage, r.Mean.Leakage},
		{e.Mean.Limit, r.Mean.Limit},
		{e.Mean.Yardstick, r.Mean.Yardstick},
		{e.Reference, r.Reference},
	} {
		if pair[0] != pair[1] {
			t.Errorf("Evaluate measured %v, train %v", pair[0], pair[1])
		}
	}
	if !(e.Interval[0] <= e.Mean.Accuracy && e.Mean.Accuracy <= e.Interval[1]) {
		t.Errorf("interval is %v around %v", e.Interval, e.Mean.Accuracy)
	}
	seed := filepath.Join(dir, r.Configurations[0].Folder, "seed-2")
	single, err := experiment.Evaluate(t.Context(), seed, "", 1)
	if err != nil || len(single.Models) != 1 || len(single.Models[0].Seeds) != 1 || single.Reference != r.Reference {
		t.Errorf("Evaluate of one model = %+v, %v", single, err)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	if _, err := experiment.Evaluate(t.Context(), t.TempDir(), "", 1); err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("an empty folder: error = %v", err)
	}
	whole := t.TempDir()
	spec := small("dpnr")
	spec.Seeds = 1
	r := run(t, spec, experiment.Options{Out: whole})
	for _, tt := range []struct{ name, file, from, to, want string }{
		{"other data", model.ManifestFile, `"hash": "`, `"hash": "0`, "not the one"},
		{"smaller epsilon", model.ManifestFile, `"true": 4`, `"true": 1`, "another guarantee"},
		{"damaged weights", model.WeightsFile, `"F32"`, `"F16"`, "damaged"},
	} {
		dir := filepath.Join(t.TempDir(), "changed")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{model.SecretFile, model.TrainedFile} { // which others may not read, and CopyFS lets them
			if err := os.Chmod(filepath.Join(dir, "seed-1", file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "seed-1", tt.file)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		from := tt.from
		if strings.HasPrefix(from, `"true"`) {
			from = fmt.Sprintf(`"true": %v`, float64(*r.Mean.True))
		}
		changed := strings.Replace(string(content), from, tt.to, 1)
		if changed == string(content) {
			t.Fatalf("%s: nothing to change in %s", tt.name, tt.file)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := experiment.Evaluate(t.Context(), dir, "", 1); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error = %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func ExampleRun() {
	r, err := experiment.Run(context.Background(), experiment.Spec{
		Data: "reviews", Encoder: "hash:64", Methods: []string{"noise"}, Epsilons: []float64{8}, Dims: []int{4}, Epochs: 3,
	}, experiment.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := r.Configurations[0]
	fmt.Println(c.Name(), "claims", *c.Mean.Claimed, "and has", *c.Mean.True, c.Mean.Accuracy > 0.6)
	// Output: noise-laplace-l1-e8-d4 claims 8 and has 8 true
}
