package errors_test

import (
	"bytes"
	"context"
	stderrors "errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/compute/forest"
	"sotto/compute/measure"
	"sotto/study/errors"
)

func worklist(tb testing.TB, a errors.Answers, trees int) *errors.Worklist {
	tb.Helper()
	w, err := errors.NewWorklist(context.Background(), &a, errors.Columns{Text: "t", Confidence: "p"}, forest.Options{Trees: trees, MinLeaf: 5}, 2)
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// part returns some rows of answers.
func part(a errors.Answers, lo, hi int) errors.Answers {
	rows := []int{}
	for i := lo; i < hi; i++ {
		rows = append(rows, i)
	}
	return errors.Answers{Wrong: a.Wrong[lo:hi], Features: a.Features.Pick(rows), Confidence: a.Confidence[lo:hi], Probabilities: a.Probabilities[lo:hi]}
}

// TestWorklist learns from one part and ranks another, whose columns stand in another
// order.
func TestWorklist(t *testing.T) {
	all := answers(t, 2000)
	known, fresh := part(all, 0, 1000), part(all, 1000, 2000)
	w := worklist(t, known, 40)
	truth := slices.Clone(fresh.Wrong)
	names, groups := slices.Clone(fresh.Features.Names), slices.Clone(fresh.Features.Groups)
	slices.Reverse(names)
	slices.Reverse(groups)
	fresh.Features = fresh.Features.Aligned(names, groups)
	ranked, err := w.Rank(&fresh, 2)
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, len(truth))
	sum, wrongs := 0.0, 0.0
	for i, k := range ranked {
		scores[k.Row] = k.Chance
		sum += k.Chance
		if truth[k.Row] {
			wrongs++
		}
		if i > 0 && k.Chance > ranked[i-1].Chance {
			t.Fatal("the list is not in order")
		}
	}
	// The best ranking there is, by the chance that rows were drawn with, has an area
	// of about 0.8; one by chance has 0.5 ± 0.018.
	if got := measure.AUC(truth, scores); !(got > 0.7) {
		t.Errorf("area of new rows is %v, want above 0.7", got)
	}
	// Chances are those of errors: the sum of 1,000 drawn ones has a deviation of at
	// most 16, and the rate was learnt with the same.
	if d := sum - wrongs; d > 120 || d < -120 {
		t.Errorf("%v errors are expected and %v are there", sum, wrongs)
	}
	best := w.Reasons(fresh.Features, ranked[0].Row)
	if best[0].Feature != "question" || !(best[0].Adds > 0) || !(best[0].Value > 0) || best[0].Group != "cue" {
		t.Errorf("the first reason is %+v, want the question", best[0])
	}
	if seen := w.Seen(); len(seen) != 1000 {
		t.Errorf("%d rows were seen", len(seen))
	}
	if rows, wrong := w.Learnt(); rows != 1000 || wrong != count(known.Wrong) {
		t.Errorf("learnt from %d rows, %d wrong", rows, wrong)
	}
}

func TestWorklistFile(t *testing.T) {
	a := answers(t, 200)
	w, dir := worklist(t, a, 5), t.TempDir()
	if err := w.Save(dir); err != nil {
		t.Fatal(err)
	}
	again, err := errors.LoadWorklist(dir)
	if err != nil {
		t.Fatal(err)
	}
	one, err := w.Rank(&a, 1)
	if err != nil {
		t.Fatal(err)
	}
	if two, failed := again.Rank(&a, 3); failed != nil || !reflect.DeepEqual(one, two) || !reflect.DeepEqual(again.Columns(), w.Columns()) {
		t.Errorf("what was read ranks otherwise: %v", failed)
	}
	content, err := os.ReadFile(filepath.Join(dir, errors.WorklistFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{3, 30, 200, len(content) / 2, len(content) - 3} {
		bad := slices.Clone(content)
		bad[at] ^= 1
		if got, failed := errors.ReadWorklist(bad); failed == nil && at > len(content)/2-1 {
			t.Errorf("a file with byte %d changed was read: %v", at, got.Columns())
		}
	}
	for name, bad := range map[string][]byte{
		"nothing":       nil,
		"half":          content[:len(content)/2],
		"more":          append(slices.Clone(content), 0),
		"another field": bytes.Replace(content, []byte(`{"format"`), []byte(`{"x":1,"format"`), 1),
		"fewer names":   bytes.Replace(content, []byte(`"noise b"`), []byte(`"noise a"`), 1),
		"no deviation":  bytes.Replace(content, []byte(`"deviation":[0`), []byte(`"deviation":[-0`), 1),
	} {
		if _, failed := errors.ReadWorklist(bad); failed == nil {
			t.Errorf("%s was read", name)
		}
	}
	if _, err = errors.LoadWorklist(t.TempDir()); err == nil || !strings.Contains(err.Error(), errors.WorklistFile) {
		t.Errorf("of an empty folder: %v", err)
	}
}

func TestWorklistRefuses(t *testing.T) {
	a := answers(t, 200)
	w := worklist(t, a, 5)
	unsure := part(a, 0, 20)
	unsure.Confidence, unsure.Probabilities = nil, nil
	if _, err := w.Rank(&unsure, 1); err == nil || !strings.Contains(err.Error(), "least-confidence") {
		t.Errorf("answers without confidence: %v", err)
	}
	right := part(a, 0, 100)
	right.Wrong = make([]bool, 100)
	if _, err := errors.NewWorklist(context.Background(), &right, errors.Columns{}, forest.Options{}, 1); err == nil || !strings.Contains(err.Error(), "0 of 100") {
		t.Errorf("no error to learn from: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := errors.NewWorklist(ctx, &a, errors.Columns{}, forest.Options{}, 1); !stderrors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// TestErrorTree holds the tree against the cohorts, which are its leaves.
func TestErrorTree(t *testing.T) {
	a := answers(t, 600)
	root, err := errors.ErrorTree(a.Features, a.Wrong, errors.TreeOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	cohorts, err := errors.Cohorts(a.Features, a.Wrong, errors.TreeOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var leaves [][2]int
	var walk func(n *errors.Node)
	walk = func(n *errors.Node) {
		if n.Children == nil {
			leaves = append(leaves, [2]int{n.Size, n.Errors})
			return
		}
		if c := n.Children; len(c) != 2 || c[0].Size+c[1].Size != n.Size || c[0].Errors+c[1].Errors != n.Errors || c[0].ErrorRate < c[1].ErrorRate {
			t.Errorf("%s is divided into %+v", n.Rule, c)
		}
		walk(n.Children[0])
		walk(n.Children[1])
	}
	walk(root)
	if root.Size != 600 || root.Errors != count(a.Wrong) || root.Rule != "all texts" || len(leaves) != len(cohorts) {
		t.Errorf("the root is %+v with %d leaves, want %d", root, len(leaves), len(cohorts))
	}
	for _, c := range cohorts {
		if !slices.Contains(leaves, [2]int{c.Size, c.Errors}) {
			t.Errorf("%s is no leaf of the tree", c.Rule)
		}
	}
}

func FuzzReadWorklist(f *testing.F) {
	var b bytes.Buffer
	if err := worklist(f, answers(f, 100), 2).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("sotto-worklist-1\n{}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		w, err := errors.ReadWorklist(content)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := w.Write(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := errors.ReadWorklist(again.Bytes()); err != nil {
			t.Fatal(err)
		}
	})
}
