package frontier_test

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

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/learn/experiment"
	"sotto/promise/dp/dptest"
	"sotto/study/reproduce"
	"sotto/study/reproduce/frontier"
)

// small is a part of the frontier that needs no data and takes a second.
func small(store string) frontier.Options {
	return frontier.Options{
		Store: store, Quick: true, Limit: 160, Seeds: 2, Only: []string{"reviews-later"},
		Methods: []string{"plain", "label", "laplace-8"}, Epsilons: []float64{1, 4},
	}
}

// computed computes what o chooses and tells what was done.
func computed(t *testing.T, o frontier.Options) (told string) {
	t.Helper()
	var b strings.Builder
	o.Progress = func(e frontier.Event) {
		if e.Step == "" {
			fmt.Fprintf(&b, "%s %d/%d found %v\n", e.Job, e.Done, e.Total, e.Found)
		}
	}
	if err := frontier.Compute(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// read collects what o chooses, as JSON, so that two can be compared with what
// is undefined.
func read(t *testing.T, o frontier.Options) (*frontier.Result, string) {
	t.Helper()
	r, err := frontier.Collect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(b)
}

func TestCompute(t *testing.T) {
	o := small(t.TempDir())
	if r, _ := read(t, o); len(r.Missing) != 5 || len(r.Tasks) != 1 {
		t.Errorf("of an empty store %q are missing, want 5 experiments of one task", r.Missing)
	}
	told := computed(t, o)
	if strings.Count(told, "found false") != 5 {
		t.Errorf("computed:\n%swant five experiments", told)
	}
	r, first := read(t, o)
	if len(r.Missing) != 0 || len(r.Absent) != 0 || len(r.Tasks[0].Curves) != 3 {
		t.Fatalf("missing %q, absent %q, %d curves, want none, none and 3", r.Missing, r.Absent, len(r.Tasks[0].Curves))
	}
	task := r.Tasks[0]
	p := task.At("label", 4)
	if p == nil || len(p.Seeds) != 2 || p.Unknown == nil || p.True == nil || math.Abs(float64(*p.True)-4) > 1e-6 || len(p.Accuracy.Values) != 2 {
		t.Fatalf("label RR at 4 is %+v, want two seeds, a true ε of 4 and the unknown label", p)
	}
	if plain := task.At("plain", 1); plain == nil || plain.Epsilon != 0 || plain != task.At("plain", 4) {
		t.Errorf("without protection there is %+v at 1, want one point for every ε", plain)
	}
	if v := float64(task.UnknownMajority); !(v >= 0.5 && v <= 1) {
		t.Errorf("the commonest author has %v, want a share of at least a half", v)
	}
	if again := computed(t, o); strings.Count(again, "found true") != 5 {
		t.Errorf("a second time:\n%swant all found", again)
	}
	if _, second := read(t, o); second != first {
		t.Error("a second time the result is another")
	}
	if left, err := filepath.Glob(filepath.Join(o.Store, "*", "*", "*")); err != nil || len(left) != 0 {
		t.Errorf("models were left in the store: %v, %v", left, err)
	}
	var b strings.Builder
	if err := r.Print(&b); err != nil || !strings.Contains(b.String(), "label RR") || !strings.Contains(b.String(), "NOT MEASURED") || !strings.Contains(b.String(), "majority") {
		t.Errorf("printed: %v\n%s", err, b.String())
	}
}

// Processes that share the work fill the store with what one would.
func TestComputeShards(t *testing.T) {
	if !dptest.Long() {
		t.Skip("computes everything twice: SOTTO_LONG=1 runs it")
	}
	whole, shared := small(t.TempDir()), small(t.TempDir())
	whole.Methods, shared.Methods = []string{"plain", "label"}, []string{"plain", "label"}
	computed(t, whole)
	shared.Shards = 2
	for i := range 2 {
		shared.Shard = i + 1
		if told := computed(t, shared); strings.Contains(told, "found true") {
			t.Errorf("share %d found\n%swant all of it new", i+1, told)
		}
	}
	_, want := read(t, whole)
	if _, got := read(t, shared); got != want {
		t.Errorf("in two shares it is\n%s, want\n%s", got, want)
	}
}

// What is interrupted goes on to what it would have been.
func TestComputeResumes(t *testing.T) {
	whole, broken := small(t.TempDir()), small(t.TempDir())
	whole.Methods, broken.Methods = []string{"laplace-8"}, []string{"laplace-8"}
	computed(t, whole)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	steps := 0
	broken.Workers, broken.Progress = 1, func(frontier.Event) {
		if steps++; steps == 5 { // in the middle of the trainings
			stop()
		}
	}
	if err := frontier.Compute(ctx, broken); !errors.Is(err, experiment.ErrInterrupted) {
		t.Fatalf("interrupted: error %v, want ErrInterrupted", err)
	}
	if r, _ := read(t, broken); len(r.Missing) != 2 {
		t.Errorf("after the interruption %q are missing, want both", r.Missing)
	}
	broken.Progress = nil
	computed(t, broken)
	_, want := read(t, whole)
	if _, got := read(t, broken); got != want {
		t.Errorf("resumed it is\n%s, want\n%s", got, want)
	}
}

func TestRefusesDamage(t *testing.T) {
	o := small(t.TempDir())
	o.Methods = []string{"plain"}
	computed(t, o)
	files, err := filepath.Glob(filepath.Join(o.Store, "*", experiment.ResultsFile))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v, want one file", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, broken := range map[string]string{
		"cut off":         string(content[:len(content)/2]),
		"a field more":    strings.Replace(string(content), "{", `{"luck": 1,`, 1),
		"of another spec": strings.Replace(string(content), `"limit": 160`, `"limit": 200`, 1),
	} {
		if err := os.WriteFile(files[0], []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{"Compute": frontier.Compute(t.Context(), o), "Collect": collected(t.Context(), o)} {
			if !errors.Is(err, reproduce.ErrCacheDamaged) {
				t.Errorf("%s: %s: error %v, want ErrDamaged", name, what, err)
			}
		}
	}
}

// Two labels of two classes: at ε = 4 each answer has 2, and is kept with
// probability e²/(1+e²) = 0.8808.
func TestSplitAccuracies(t *testing.T) {
	logits := nn.NewMatrix(4, 4)
	labels := []dataset.Column{
		{Name: "a", Classes: []string{"0", "1"}, IDs: []int{9, 0, 1, 0, 1}},
		{Name: "b", Classes: []string{"0", "1"}, IDs: []int{9, 0, 1, 1, 0}},
	}
	rows := []int{1, 2, 3, 4}
	for i, row := range rows { // the first is always right, the second in three of four
		logits.Row(i)[labels[0].IDs[row]] = 1
		logits.Row(i)[2+labels[1].IDs[row]] = 1
	}
	logits.Row(3)[2], logits.Row(3)[3] = 0, 1
	got, err := frontier.SplitAccuracies(4, logits, labels, rows)
	if err != nil {
		t.Fatal(err)
	}
	kept := math.Exp(2) / (1 + math.Exp(2))
	for l, want := range []float64{kept, 0.75*kept + 0.25*(1-kept)} {
		if len(got) != 2 || math.Abs(got[l]-want) > 1e-9 {
			t.Errorf("accuracies are %v, want %v for label %d", got, want, l)
		}
	}
}

// On real data: the split is there at each ε, below the model without
// protection, and grows with ε.
func TestSplit(t *testing.T) {
	testenv.Set(t, "adult")
	if testing.Short() {
		t.Skip("loads a data set four times")
	}
	o := frontier.Options{Store: t.TempDir(), Quick: true, Limit: 2000, Only: []string{"adult-3"}, Methods: []string{"split"}, Epsilons: []float64{1, 8}}
	computed(t, o)
	r, _ := read(t, o)
	task := r.Tasks[0]
	if len(r.Missing) != 0 || len(task.Curves) != 1 {
		t.Fatalf("missing %q, %d curves, want none and one", r.Missing, len(task.Curves))
	}
	low, high := task.At("split", 1), task.At("split", 8)
	if low == nil || high == nil || len(high.Labels) != 3 || !(low.Accuracy.Mean <= high.Accuracy.Mean) {
		t.Errorf("at 1 there is %+v, at 8 %+v, want three labels and no less", low, high)
	}
	o.Epsilons = []float64{2} // of another time: the models are trained again
	computed(t, o)
	if r, _ = read(t, o); len(r.Missing) != 0 || r.Tasks[0].At("split", 2) == nil {
		t.Errorf("at another ε %q are missing, want none", r.Missing)
	}
}

func ExampleCollect() {
	store, err := os.MkdirTemp("", "sotto")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(store)
	o := frontier.Options{Store: store, Quick: true, Limit: 400, Only: []string{"reviews-later"}, Methods: []string{"label"}}
	if err = frontier.Compute(context.Background(), o); err != nil {
		fmt.Println(err)
		return
	}
	r, err := frontier.Collect(context.Background(), o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Tasks[0].Curve("label").Points {
		fmt.Printf("ε = %v: better than a coin: %v\n", p.Epsilon, p.Accuracy.Mean > 0.5)
	}
	// Output:
	// ε = 1: better than a coin: true
	// ε = 4: better than a coin: true
}

// A tuned encoder is trained once for each seed, however many methods and ε learn from
// it, and goes when they are done. Its points have the seeds of all its experiments.
func TestComputeTuned(t *testing.T) {
	testenv.Set(t, "amazon")
	dir := t.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		t.Fatal(err)
	}
	o := frontier.Options{
		Store: t.TempDir(), Quick: true, Limit: 64, Seeds: 2, Only: []string{"amazon"}, Encoder: dir,
		Methods: []string{"plain-frozen", "plain-tuned", "label-tuned"}, Epsilons: []float64{1, 4},
	}
	begun := 0
	o.Progress = func(e frontier.Event) {
		if strings.Contains(e.Step, "tuning the encoder") {
			begun++
		}
	}
	if err := frontier.Compute(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if begun != 2*3 { // two steps and the end of an epoch, for each seed
		t.Errorf("tuning was told of %d times, want 6", begun)
	}
	if left, err := filepath.Glob(filepath.Join(o.Store, "encoder-*")); err != nil || len(left) != 0 {
		t.Errorf("encoders were left in the store: %v, %v", left, err)
	}
	o.Progress = nil
	r, _ := read(t, o)
	if len(r.Missing) != 0 || len(r.Tasks) != 1 {
		t.Fatalf("missing %q of %d tasks, want none of one", r.Missing, len(r.Tasks))
	}
	p := r.Tasks[0].At("label-tuned", 4)
	if p == nil || fmt.Sprint(p.Seeds) != "[1 2]" || len(p.Accuracy.Values) != 2 || p.Limit == nil || !(*p.Limit >= p.Accuracy.Mean) {
		t.Errorf("at ε = 4 there is %+v, want two seeds and a limit that they do not pass", p)
	}
	o.Seeds = 3
	more, _ := read(t, o)
	var b strings.Builder
	if err := more.Print(&b); err != nil || !strings.Contains(b.String(), "label RR, tuned transformer (2 seeds)") || !strings.Contains(b.String(), "limit, tuned transformer") {
		t.Errorf("with a seed missing it prints: %v\n%s", err, b.String())
	}
}
