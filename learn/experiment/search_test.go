package experiment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/evidence"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/report"
	"sotto/report/gate"
)

// few is a spec of few rows, for one seed, that attacks nothing.
func few(methods ...string) experiment.Spec {
	s := small(methods...)
	s.Seeds, s.Limit, s.Hidden, s.Dims, s.Attribute = 1, 200, []int{8}, nil, "none"
	return s
}

// both is few for two labels.
func both(methods ...string) experiment.Spec {
	s := few(methods...)
	s.Labels = []string{"sentiment", "author"}
	return s
}

func TestLabelsRefused(t *testing.T) {
	change := func(s experiment.Spec, change func(*experiment.Spec)) experiment.Spec {
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		spec experiment.Spec
		want string
	}{
		"both ways":        {change(both("codes"), func(s *experiment.Spec) { s.Label = "sentiment" }), "must be one of them"},
		"no such label":    {change(both("codes"), func(s *experiment.Spec) { s.Labels[1] = "mood" }), `no label "mood"`},
		"no such unknown":  {change(few("codes"), func(s *experiment.Spec) { s.Unknown = []string{"mood"} }), `no label "mood"`},
		"twice":            {change(both("codes"), func(s *experiment.Spec) { s.Labels[1] = "sentiment" }), "once"},
		"known unknown":    {change(both("codes"), func(s *experiment.Spec) { s.Unknown = []string{"author"} }), "once"},
		"negative reserve": {change(few("codes"), func(s *experiment.Spec) { s.Reserve = -0.1 }), "reserve is -0.1"},
		"all reserved":     {change(few("codes"), func(s *experiment.Spec) { s.Reserve = 1 }), "reserve is 1"},
		"NaN reserve":      {change(few("codes"), func(s *experiment.Spec) { s.Reserve = math.NaN() }), "reserve is NaN"},
		"selected":         {change(few("noise"), func(s *experiment.Spec) { s.Selected = 1 }), "selected has no meaning"},
		"fair noise":       {change(few("noise"), func(s *experiment.Spec) { s.Fair = true }), "fair has no meaning"},
		"fair auto":        {change(few("auto"), func(s *experiment.Spec) { s.Fair = true }), "fair has no meaning"},
		"fair to nobody":   {change(few("codes"), func(s *experiment.Spec) { s.Fair = true }), "no attribute"},
		"none selected":    {change(few("codes"), func(s *experiment.Spec) { s.Selected = -1 }), "selected"},
		"all selected":     {change(few("codes"), func(s *experiment.Spec) { s.Selected = 2 }), "selected is 2 of 2"},
		"one code":         {change(few("codes"), func(s *experiment.Spec) { s.Dims = []int{1} }), "dim"},
		"anneal":           {change(few("codes"), func(s *experiment.Spec) { s.Anneal = 2 }), "anneal has no meaning"},
		"annealed less":    {change(few("noise"), func(s *experiment.Spec) { s.Anneal = 0.5 }), "anneal is 0.5"},
		"several released": {both("label"), "several labels"},
		"auto dims":        {change(few("auto"), func(s *experiment.Spec) { s.Dims = []int{4} }), "dim has no meaning"},
	} {
		if _, err := experiment.Run(t.Context(), c.spec, experiment.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error = %v, want one with %q", name, err, c.want)
		}
	}
	one := few("codes")
	one.Labels = []string{"author"}
	filled, err := one.Filled(t.Context())
	other := few("codes")
	other.Label = "author"
	same, err2 := other.Filled(t.Context())
	if err != nil || err2 != nil || filled.Hash() != same.Hash() {
		t.Errorf("one of several labels is %+v, %v, want the same as a label, %+v, %v", filled, err, same, err2)
	}
}

// TestLabelsRoundTrip: what is stored of models for several labels, and for
// labels unknown in training, is measured again as it was.
func TestLabelsRoundTrip(t *testing.T) {
	annealed := both("noise")
	annealed.Anneal, annealed.Dims = 4, []int{4}
	selected := both("codes")
	selected.Selected = 1
	kept := few("codes")
	kept.Label, kept.Unknown, kept.Reserve = "sentiment", []string{"author"}, 0.3
	specs := map[string]experiment.Spec{"selected": selected, "unknown": kept}
	if !testing.Short() {
		specs["codes"], specs["annealed"], specs["plain"] = both("codes"), annealed, withoutEpsilon(both("plain", "majority"))
	}
	for name, spec := range specs {
		dir := t.TempDir()
		r := run(t, spec, experiment.Options{Out: dir})
		e, err := experiment.Evaluate(t.Context(), dir, "", 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a, b := r.Mean, e.Mean
		if a.Accuracy != b.Accuracy || !reflect.DeepEqual(a.Labels, b.Labels) || !reflect.DeepEqual(a.Unknown, b.Unknown) || fmt.Sprint(a.Limit, a.Yardstick) != fmt.Sprint(b.Limit, b.Yardstick) {
			t.Errorf("%s: Evaluate measured %+v, train %+v", name, b, a)
		}
		if fmt.Sprint(r.Reference) != fmt.Sprint(e.Reference) {
			t.Errorf("%s: the reference has %v, and %v in training", name, e.Reference, r.Reference)
		}
		if name == "unknown" {
			checkUnknown(t, r)
			continue
		}
		checkLabels(t, name, r)
		if got := e.Models[0].Dim; name == "selected" && (got != r.Configurations[0].Statement.Parameters.Dim || got < 2) {
			t.Errorf("%s: dim is %d, want the number of codes, %d", name, got, r.Configurations[0].Statement.Parameters.Dim)
		}
	}
}

func withoutEpsilon(s experiment.Spec) experiment.Spec {
	s.Epsilons = nil
	return s
}

// checkLabels: accuracy and limit are the mean over the labels.
func checkLabels(t *testing.T, name string, r *experiment.Result) {
	t.Helper()
	if len(r.Mean.Labels) != 2 || len(r.MorePriors) != 1 || len(r.Data.More) != 1 || r.Data.More[0].Name != "author" {
		t.Fatalf("%s: labels are %+v of %+v, want sentiment and author", name, r.Mean.Labels, r.Data)
	}
	mean := (r.Mean.Labels[0].Accuracy + r.Mean.Labels[1].Accuracy) / 2
	if math.Abs(float64(mean-r.Mean.Accuracy)) > 1e-12 || r.Mean.Labels[0].Name != "sentiment" || r.Mean.Labels[1].Name != "author" {
		t.Errorf("%s: accuracy is %v, want the mean of %+v", name, r.Mean.Accuracy, r.Mean.Labels)
	}
	for l, priors := range append([][]float64{r.Priors}, r.MorePriors...) {
		if want := slices.Max(priors); math.Abs(float64(r.Mean.Labels[l].Majority)-want) > 1e-12 {
			t.Errorf("%s: majority of label %d is %v, want %v", name, l+1, r.Mean.Labels[l].Majority, want)
		}
	}
}

// checkUnknown: the label that nobody knew is scored, and is none of the labels.
func checkUnknown(t *testing.T, r *experiment.Result) {
	t.Helper()
	if len(r.Mean.Unknown) != 1 || r.Mean.Unknown[0].Name != "author" || !(r.Mean.Unknown[0].Accuracy >= 0 && r.Mean.Unknown[0].Accuracy <= 1) {
		t.Errorf("unknown labels are %+v, want the author's", r.Mean.Unknown)
	}
	if r.Mean.Labels != nil || len(r.Data.More) != 0 || r.Data.Reserve != 0.3 || !slices.Equal(r.Data.Unknown, []string{"author"}) {
		t.Errorf("labels are %+v of %+v, want sentiment alone and a reserve", r.Mean.Labels, r.Data)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "0.3 of the release is reserved") {
		t.Errorf("notes are %q, want one of the reserve", r.Notes)
	}
}

// TestOtherLabelsRefused: a model of one label in the folder of two is an error,
// not a crash.
func TestOtherLabelsRefused(t *testing.T) {
	two, one := t.TempDir(), t.TempDir()
	run(t, both("codes"), experiment.Options{Out: two})
	run(t, few("codes"), experiment.Options{Out: one})
	for _, place := range []string{"seed-1", experiment.ReferenceDir} {
		_, info, err := model.Load(filepath.Join(two, place))
		if err != nil {
			t.Fatal(err)
		}
		foreign, _, err := model.Load(filepath.Join(one, place))
		if err != nil {
			t.Fatal(err)
		}
		if err := foreign.Save(filepath.Join(two, place), info); err != nil {
			t.Fatal(err)
		}
		if _, err := experiment.Evaluate(t.Context(), two, "", 1); err == nil || !strings.Contains(err.Error(), "tells labels") {
			t.Errorf("%s of other labels: error = %v, want a refusal", place, err)
		}
	}
}

// contract is what scripts read of the method auto, and headline of every method.
var (
	contract = []string{"true", "mechanism", "dim", "searched", "seconds"}
	headline = []string{"nonprivate", "accuracy", "macro_f1", "limit", "majority"}
)

// fields returns the names at the top of a stored result.
func fields(t *testing.T, dir string) map[string]any {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, experiment.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAutoForScripts(t *testing.T) {
	dir := t.TempDir()
	r := run(t, both("auto"), experiment.Options{Out: dir, Workers: 1})
	all := fields(t, dir)
	for _, name := range append(headline, contract...) {
		switch v := all[name].(type) {
		case float64, string:
		case []any:
			if name != "searched" || len(v) < 10 {
				t.Errorf("%s is a list of %d, want one only of what was searched", name, len(v))
			}
		default:
			t.Errorf("%s is %v, want a value", name, all[name])
		}
	}
	f, h := r.Frontier, r.Headline
	if f == nil || h == nil {
		t.Fatal("there is no frontier, or no headline")
	}
	s := r.Configurations[0].Statement
	if h.Accuracy != r.Mean.Accuracy || h.NonPrivate != r.Reference || f.True != *r.Mean.True || f.Bound != r.Mean.Limit || f.Mechanism != s.Mechanism || f.Dim != s.Parameters.Dim {
		t.Errorf("frontier is %+v, want what was measured, %+v", f, r.Mean)
	}
	if !(f.True <= 4 && f.True > 0 && h.Limit > 0.4 && h.Limit <= 1+1e-6 && f.Seconds > 0) || f.Advice != "" {
		t.Errorf("frontier is %+v, want at most ε = 4 and no advice for two labels", f)
	}
	chosen := 0
	for _, trial := range f.Searched {
		if trial.Chosen && trial.Mechanism != "" {
			chosen++
			if trial.Mechanism != f.Mechanism {
				t.Errorf("%s was chosen, want %s", trial.Name, f.Mechanism)
			}
		}
	}
	if chosen != 1 {
		t.Errorf("%d releases were chosen, want one", chosen)
	}
	other := t.TempDir()
	run(t, both("auto"), experiment.Options{Out: other, Workers: 2})
	same(t, "two workers", contents(t, dir), contents(t, other))
	checkStored(t, dir)
}

// checkStored reads a result of auto as reports and gates do.
func checkStored(t *testing.T, dir string) {
	t.Helper()
	found, err := report.Load(filepath.Join(dir, experiment.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if all := evidence.All[experiment.Result](found); len(all) != 1 || all[0].Frontier == nil || len(all[0].Searched) == 0 {
		t.Errorf("the evidence is %+v, want the search in it", all)
	}
	if err := errors.Join(report.HTML(io.Discard, found), report.Markdown(io.Discard, found)); err != nil {
		t.Errorf("report: %v", err)
	}
	for most, want := range map[string]bool{"4": true, "3": false} {
		policy, err := gate.Parse(strings.NewReader(`{"rules": [{"match": {"kind": "training"}, "epsilon": {"max": ` + most + `}, "claim": "true"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if verdict, err := policy.Judge(found); err != nil || verdict.Passed != want {
			t.Errorf("a gate at ε = %s says %+v, %v, want %t", most, verdict, err, want)
		}
	}
}

// TestHeadlineForScripts: whatever the method, scripts find what it comes to.
func TestHeadlineForScripts(t *testing.T) {
	for _, m := range experiment.Methods() {
		if m.Name == "auto" {
			continue // see TestAutoForScripts
		}
		t.Run(m.Name, func(t *testing.T) {
			s := experiment.Spec{Data: "reviews", Limit: 100, Encoder: "hash:32", Methods: []string{m.Name}, Alone: true}
			if m.Mechanisms != nil {
				s.Epsilons = []float64{4}
			}
			if slices.Contains(m.Uses, "epochs") {
				s.Epochs = 2
			}
			if slices.Contains(m.Uses, "hidden") {
				s.Hidden = []int{16}
			}
			if slices.Contains(m.Uses, "cells") {
				s.Cells = hashCells(t)
			}
			if slices.Contains(m.Uses, "clip") {
				s.Clip = 1 // without which no limit of a text is proved
			}
			dir := t.TempDir()
			r := run(t, s, experiment.Options{Out: dir, Reference: true})
			all := fields(t, dir)
			for _, name := range headline {
				v, ok := all[name].(float64)
				if !ok || !(v >= 0 && v <= 1) {
					t.Errorf("%s is %v, want a share", name, all[name])
				}
			}
			if all["accuracy"] != float64(r.Mean.Accuracy) || all["macro_f1"] != float64(r.Mean.MacroF1) || all["majority"] != slices.Max(r.Priors) {
				t.Errorf("the headline is %+v, want what was measured, %+v", r.Headline, r.Mean)
			}
		})
	}
}

// TestLimitOfSeveralSeeds: what other seeds reach is within the limit, which is
// that of one model.
func TestLimitOfSeveralSeeds(t *testing.T) {
	s := experiment.Spec{Data: "reviews", Limit: 200, Methods: []string{"codes"}, Epsilons: []float64{8}, Seeds: 3, Epochs: 3, Attribute: "none"}
	for first := range dptest.Count(t, 2, 4) {
		s.FirstSeed = uint64(first) + 1
		h := run(t, s, experiment.Options{Reference: true}).Headline
		if !(h.Accuracy <= h.Limit) {
			t.Errorf("from seed %d, accuracy is %v and the limit %v, want no less", s.FirstSeed, h.Accuracy, h.Limit)
		}
	}
}

// TestVanishedClass: a class that is never told is named.
func TestVanishedClass(t *testing.T) {
	s := few("codes")
	s.Epsilons = []float64{0.001}
	r := run(t, s, experiment.Options{})
	b := r.Mean.Balance
	if b == nil || len(b.Recalls) != 2 || math.Abs(float64(b.Recalls[0].Value+b.Recalls[1].Value-2*b.Balanced)) > 1e-6 {
		t.Fatalf("the balance is %+v, want a recall for each of two classes", b)
	}
	for _, recall := range b.Recalls {
		warned := slices.ContainsFunc(r.Notes, func(n string) bool {
			return strings.Contains(n, "never tells "+strconv.Quote(recall.Class)) && strings.Contains(n, "--objective balanced")
		})
		if warned != (recall.Value == 0) {
			t.Errorf("recall of %s is %v and the notes are %q", recall.Class, recall.Value, r.Notes)
		}
	}
	if b.Vanished != 1 {
		t.Errorf("%d classes vanished at ε = 0.001, want one: the release tells nothing", b.Vanished)
	}
}

// TestNoSearchNoFrontier: the fields of auto are absent elsewhere.
func TestNoSearchNoFrontier(t *testing.T) {
	dir := t.TempDir()
	r := run(t, few("codes"), experiment.Options{Out: dir})
	all := fields(t, dir)
	for _, name := range contract {
		if v, there := all[name]; there {
			t.Errorf("%s is %v without a search, want it absent", name, v)
		}
	}
	if r.Frontier != nil {
		t.Errorf("frontier is %+v without a search, want none", r.Frontier)
	}
}

// TestAutoAdvises: of one label the simpler method is recommended, and its
// accuracy on average over everything that can be released is within chance of
// what auto finds.
func TestAutoAdvises(t *testing.T) {
	r := run(t, few("auto", "label"), experiment.Options{})
	if r.Frontier == nil || !strings.Contains(r.Advice, "--method label") {
		t.Fatalf("frontier is %+v, want the advice to release the label", r.Frontier)
	}
	for _, c := range r.Configurations {
		if !(c.Mean.Accuracy > 0 && c.Mean.Accuracy <= 1) || math.IsNaN(float64(c.Mean.Yardstick)) {
			t.Errorf("%s: accuracy is %v and yardstick %v, want both", c.Name(), c.Mean.Accuracy, c.Mean.Yardstick)
		}
	}
}

// TestAutoInterrupted: a search that is stopped says so, and one that goes on
// leaves the models of one that was not stopped.
func TestAutoInterrupted(t *testing.T) {
	whole, stopped := t.TempDir(), t.TempDir()
	run(t, few("auto"), experiment.Options{Out: whole, Workers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	trials, last := 0, measure.Number(0)
	_, err := experiment.Run(ctx, few("auto"), experiment.Options{Out: stopped, Workers: 1, Progress: func(e experiment.Event) {
		if e.Trial == nil || !(e.Done >= 0 && e.Done <= 1 && measure.Number(e.Done) >= last) {
			t.Errorf("event is %+v after %v, want a trial", e, last)
		}
		last = measure.Number(e.Done)
		if trials++; trials == 6 {
			cancel()
		}
	}})
	if !errors.Is(err, experiment.ErrInterrupted) || trials != 6 {
		t.Fatalf("Run ended after %d trials with %v, want an interruption after 6", trials, err)
	}
	run(t, few("auto"), experiment.Options{Out: stopped, Resume: true, Workers: 1})
	same(t, "resumed", contents(t, stopped), contents(t, whole))
}

// TestManyLabelsHaveALimit: eleven labels of two classes have more combinations
// than a channel has answers. Their limit is above what a channel of some answers
// has, and not above what could be told without protection.
func TestManyLabelsHaveALimit(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	classes := slices.Repeat([]int{2}, 11)
	scores := nn.NewMatrix(60, 22)
	for i := range scores.Data {
		scores.Data[i] = float32(rng.NormFloat64())
	}
	posteriors := channel.Posteriors(scores, classes)
	open := 0.0
	for i := range posteriors.Rows {
		for pair := range slices.Chunk(posteriors.Row(i), 2) {
			open += float64(max(pair[0], pair[1])) / float64(len(classes)*posteriors.Rows)
		}
	}
	some := channel.Scores(posteriors, classes, nil, channel.Common(posteriors, classes, 0))
	for _, epsilon := range []dp.Epsilon{1, 4} {
		s, err := channel.Solve(t.Context(), some, epsilon, channel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(experiment.SeveralBound(t.Context(), scores, classes, epsilon)); !(got >= s.Value && got <= open+1e-6) {
			t.Errorf("ε = %v: the limit is %v, want from %v to %v", epsilon, got, s.Value, open)
		}
	}
	if got := experiment.SeveralBound(t.Context(), nn.Matrix{}, classes, 1); got == got {
		t.Errorf("the limit without a reference is %v, want none", got)
	}
}
