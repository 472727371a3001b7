package shard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/batch/shard"
	"sotto/compute/nn"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/mech"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// classes are those of the test's model, which knows all users but the last.
var classes = []string{"u0", "u1", "u2", "u3", "u4", "u5"}

// projection is the mechanism of the test's model, with a seed.
func projection(seed uint64) mech.Params {
	return mech.Params{Mechanism: "privemb", Epsilon: 4, Own: mech.PrivEmbParams{InputDim: 16, OutputDim: 16, Clip: 1, Seed: seed}}
}

// whole saves a model that takes releases of a spec, changed, and returns its folder.
func whole(t *testing.T, change func(*model.Architecture, *model.Manifest)) string {
	t.Helper()
	m, err := mech.New(projection(1))
	if err != nil {
		t.Fatal(err)
	}
	p := m.Params()
	a := model.Architecture{Inputs: 16, Release: &p, Classifier: []int{len(classes)}, Classes: len(classes)}
	info := model.Manifest{Method: "noise", Seed: 3, Data: model.DataRecord{Name: "own", Encoder: "hash:16", Label: "user", Classes: classes}}
	if change != nil {
		change(&a, &info)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	random := func(rows, cols int) nn.Matrix {
		x := nn.NewMatrix(rows, cols)
		for i := range x.Data {
			x.Data[i] = float32(rng.NormFloat64())
		}
		return x
	}
	tensors := model.Tensors{"classifier.0.weight": random(16, len(classes)), "classifier.0.bias": random(1, len(classes))}
	for i, width := range a.Encoder {
		tensors[fmt.Sprintf("encoder.%d.weight", i)], tensors[fmt.Sprintf("encoder.%d.bias", i)] = random(16, width), random(1, width)
	}
	made, err := model.New(a, tensors)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "model")
	if err = made.Save(dir, info); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asking adds to a spec everything that the trusted side can be told.
func asking(dir string) func(*shard.Spec) {
	return func(s *shard.Spec) {
		s.Mechanism = projection(1)
		s.Evaluate, s.Labels = dir, []string{"user"}
		s.Pairs, s.Attributes = filepath.Join(filepath.Dir(s.Out), "pairs"), []string{"user", "id"}
	}
}

// runAll begins, releases and finishes all chunks of a spec, each twice, as an engine
// does that loses what a bundle said, and returns what the trusted side was told.
func runAll(t *testing.T, s *shard.Spec, broke func(string) bool) (*shard.Set, shard.Learnt) {
	t.Helper()
	w, chunks := planned(t, s)
	if err := w.Begin(t.Context(), chunks); err != nil {
		t.Fatal(err)
	}
	var parts []shard.Part
	var all shard.Learnt
	for _, c := range chunks {
		p, learnt, failed := w.Release(t.Context(), c, broke)
		again, same, failed2 := w.Release(t.Context(), c, broke)
		if err := errors.Join(failed, failed2); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, again) || !reflect.DeepEqual(learnt, same) {
			t.Errorf("part %s is not the same when it is made again", p.File)
		}
		parts = append(parts, p)
		if err := all.Merge(learnt); err != nil {
			t.Fatal(err)
		}
	}
	set, err := w.Finish(t.Context(), parts, nil, all)
	if err != nil {
		t.Fatal(err)
	}
	return set, all
}

// released reads what a set holds: the id and the release of each row, in order.
func released(t *testing.T, s *shard.Spec, set *shard.Set) (ids []string, y nn.Matrix) {
	t.Helper()
	y.Cols = 16
	for _, p := range set.Parts {
		content, err := os.ReadFile(filepath.Join(s.Out, p.File))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			var r struct {
				ID string
				Y  []float64
			}
			if err = json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			ids, y.Rows = append(ids, r.ID), y.Rows+1
			for _, v := range r.Y {
				y.Data = append(y.Data, float32(v))
			}
		}
	}
	return ids, y
}

// TestTrusted: what a job counts is what the model answers to the releases that lie
// there, without the rows of a user who cannot pay; pairs are these releases and the
// vectors of the encoder; and nothing of either is among what leaves.
func TestTrusted(t *testing.T) {
	dir := whole(t, nil)
	s := spec(t, asking(dir))
	s.User = "user"
	rows := texts(500)
	input(t, s, "jsonl", rows)
	write(t, s.EvaluationFile(), []byte("an older one, which others can read"))
	set, learnt := runAll(t, s, func(user string) bool { return user == "u2" })
	ids, y := released(t, s, set)
	if set.Released != int64(len(ids)) || set.LeftOut != 72 || len(set.Parts) < 4 {
		t.Fatalf("released %d, left out %d in %d parts", set.Released, set.LeftOut, len(set.Parts))
	}
	head, err := model.LoadHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]row{}
	for _, r := range rows {
		at[r.ID] = r
	}
	scores, right, known := head.Logits(nn.NewPool(1), y), 0, 0
	for i, id := range ids {
		want := slices.Index(classes, at[id].User)
		if want >= 0 {
			known++
		}
		if nn.Argmax(scores.Row(i)) == want {
			right++
		}
	}
	content, err := os.ReadFile(s.EvaluationFile())
	if err != nil {
		t.Fatal(err)
	}
	var e experiment.Evaluation
	if err = evidence.Strictly(content, &e); err != nil {
		t.Fatal(err)
	}
	if e.Rows.Test != known || float64(e.Mean.Accuracy) != float64(right)/float64(known) || e.Seeds[0].Seed != 3 || e.Data.Label != "user" || e.Models[0].Method != "noise" {
		t.Errorf("the evaluation has %d rows and accuracy %v, want %d of %d", e.Rows.Test, e.Mean.Accuracy, right, known)
	}
	if !strings.Contains(e.Warning, "not private") || !slices.ContainsFunc(e.Notes, func(n string) bool {
		return strings.HasPrefix(n, "71 releases are of rows whose label user is no class")
	}) {
		t.Errorf("the evaluation says %q and %q", e.Warning, e.Notes)
	}
	checkPairs(t, s, set, ids, y, at)
	if len(learnt.Pairs) != len(set.Parts) {
		t.Errorf("%d parts have %d of pairs", len(set.Parts), len(learnt.Pairs))
	}
	held, err := os.ReadDir(s.Out)
	if err != nil || len(held) != len(set.Parts)+1 {
		t.Errorf("the folder that leaves holds %d files, %v, want the parts and their record", len(held), err)
	}
	record, err := os.ReadFile(filepath.Join(s.Out, shard.SetFile))
	if err != nil || strings.Contains(string(record), "evalua") || strings.Contains(string(record), "pairs") || strings.Contains(string(record), dir) {
		t.Errorf("the record of the set tells of what stays: %v", err)
	}
	for _, name := range []string{s.EvaluationFile(), filepath.Join(s.Pairs, evidence.PairsFile), filepath.Join(s.Pairs, learnt.Pairs[0].File)} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others, or is not there: %v", filepath.Base(name), err)
		}
	}
	plain := *s
	plain.Trusted, plain.Out = shard.Trusted{}, filepath.Join(t.TempDir(), "plain")
	without, _ := runAll(t, &plain, func(user string) bool { return user == "u2" })
	if !reflect.DeepEqual(without, set) {
		t.Error("the set is another one where the trusted side is told nothing")
	}
}

// checkPairs holds pairs against the releases that lie there and the encoder's vectors.
func checkPairs(t *testing.T, s *shard.Spec, set *shard.Set, ids []string, y nn.Matrix, at map[string]row) {
	t.Helper()
	said, parts, err := evidence.OpenPairs(s.Pairs)
	if err != nil {
		t.Fatal(err)
	}
	if said.Rows != set.Released || !slices.Equal(said.Attributes, s.Attributes) || !strings.Contains(said.Warning, "not private") {
		t.Errorf("the record of the pairs is %+v", said)
	}
	var all []string
	for _, id := range ids {
		all = append(all, at[id].Text)
	}
	e, err := catalogue.Open(t.Context(), catalogue.Said(s.Encoder), "")
	if err != nil {
		t.Fatal(err)
	}
	x, err := encode.Masked(t.Context(), e, all, make([]text.Masking, len(all)), 1)
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]nn.Matrix{evidence.RawColumn: x, evidence.ReleasedColumn: y} {
		var got []float32
		for _, path := range parts {
			r, err := vecfile.Open(path, vecfile.Options{Column: column})
			if err != nil {
				t.Fatal(err)
			}
			for block := make([]float64, 16*64); ; {
				n, failed := r.ReadRows(block)
				if errors.Is(failed, io.EOF) {
					break
				} else if failed != nil {
					t.Fatal(failed)
				}
				for _, v := range block[:n*16] {
					got = append(got, float32(v))
				}
			}
			if err = r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want.Data) {
			t.Errorf("column %s of the pairs is not what it should be", column)
		}
	}
}

// TestTrustedMissing: rows without a label, and classifiers that know of no encoder, are
// said and not counted; a job of which no row has a class is refused and has no record.
func TestTrustedMissing(t *testing.T) {
	whole, err := model.LoadHead(whole(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "head")
	if err = whole.Save(dir); err != nil {
		t.Fatal(err)
	}
	s := spec(t, asking(dir))
	rows := texts(60)
	for i := range rows[:20] {
		rows[i].User = ""
	}
	input(t, s, "jsonl", rows)
	runAll(t, s, nil)
	content, err := os.ReadFile(s.EvaluationFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"20 releases are of rows without the label user", "does not say which encoder", `"test": 34`} {
		if !strings.Contains(string(content), want) {
			t.Errorf("the evaluation does not say %q", want)
		}
	}
	none := spec(t, asking(dir))
	for i := range rows {
		rows[i].User = "nobody"
	}
	input(t, none, "jsonl", rows)
	w, chunks := planned(t, none)
	if err = w.Begin(t.Context(), chunks); err != nil {
		t.Fatal(err)
	}
	p, learnt, err := w.Release(t.Context(), chunks[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.Finish(t.Context(), []shard.Part{p}, nil, learnt); err == nil || !strings.Contains(err.Error(), "no row has a class of the label user") {
		t.Errorf("got %v, want that no row has a class", err)
	}
	if _, err = os.Stat(filepath.Join(none.Out, shard.SetFile)); err == nil {
		t.Error("a job that was refused has a record")
	}
	learnt.Answers[0].Other++
	if _, err = w.Finish(t.Context(), []shard.Part{p}, nil, learnt); err == nil || !strings.Contains(err.Error(), "must be one of each") {
		t.Errorf("got %v, want that one answer was counted twice", err)
	}
	if _, err = w.Finish(t.Context(), []shard.Part{p}, nil, shard.Learnt{Pairs: append(learnt.Pairs, learnt.Pairs...)}); err == nil || !strings.Contains(err.Error(), "must be those of the releases") {
		t.Errorf("got %v, want that a part of pairs is there twice", err)
	}
}

// TestTrustedBefore: what a model would answer without noise is what it answers to the
// vectors of the encoder, made to fit as the mechanism does; a projection has no such.
func TestTrustedBefore(t *testing.T) {
	m, err := mech.New(mech.Params{Mechanism: "laplace-l2", Epsilon: 4, Dim: 16})
	if err != nil {
		t.Fatal(err)
	}
	l := &model.Linear{Weight: nn.NewMatrix(16, len(classes)), Bias: make([]float32, len(classes))}
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range l.Weight.Data {
		l.Weight.Data[i] = float32(rng.NormFloat64())
	}
	head, err := model.ReleasedHead("test", m.Params(), model.LabelRecord{Name: "whose", Classes: classes}, l)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "head")
	if err = head.Save(dir); err != nil {
		t.Fatal(err)
	}
	s := spec(t, asking(dir))
	s.Mechanism = mech.Params{Mechanism: "laplace-l2", Epsilon: 4}
	rows := texts(300)
	input(t, s, "jsonl", rows)
	_, learnt := runAll(t, s, nil)
	e, err := catalogue.Open(t.Context(), catalogue.Said(s.Encoder), "")
	if err != nil {
		t.Fatal(err)
	}
	right := int64(0)
	for _, r := range rows {
		x, err := encode.Masked(t.Context(), e, []string{r.Text}, make([]text.Masking, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		norm := 0.0
		for _, v := range x.Data {
			norm += float64(v) * float64(v)
		}
		for i := range x.Data {
			x.Data[i] /= float32(math.Sqrt(norm))
		}
		if nn.Argmax(head.Logits(nn.NewPool(1), x).Row(0)) == slices.Index(classes, r.User) {
			right++
		}
	}
	got, k := int64(0), len(classes)
	for _, n := range learnt.Answers[0].Before[2*k : 3*k] { // rows, answers, and those that are right
		got += n
	}
	if got != right || right == 0 {
		t.Errorf("without noise %d answers are right, want %d", got, right)
	}
	p := spec(t, asking(whole(t, nil)))
	input(t, p, "jsonl", rows)
	if _, learnt = runAll(t, p, nil); learnt.Answers[0].Before != nil {
		t.Error("a projection was made without noise")
	}
}

// TestTrustedRefused: a model for other releases than the job's, and what would leave
// with them, are refused with the reason.
func TestTrustedRefused(t *testing.T) {
	good := whole(t, nil)
	list, err := text.ParseMaskList(strings.NewReader("friendly\n"))
	if err != nil {
		t.Fatal(err)
	}
	of := func(change func(*model.Architecture, *model.Manifest)) string { return whole(t, change) }
	for want, tt := range map[string]struct {
		model  string
		change func(*shard.Spec)
		masks  []text.Masker
	}{
		"the ε of the model is 4, must be that of the job, 5":                        {good, func(s *shard.Spec) { s.Mechanism.Epsilon = 5 }, nil},
		"the mechanism of the model is privemb, must be that of the job, laplace-l2": {good, func(s *shard.Spec) { s.Mechanism = mech.Params{Mechanism: "laplace-l2", Epsilon: 4} }, nil},
		"releases of another privemb":                                                {good, func(s *shard.Spec) { s.Mechanism = projection(2) }, nil},
		"the encoder hash:17, must be those of the job: hash:16":                     {of(func(_ *model.Architecture, m *model.Manifest) { m.Data.Encoder = "hash:17" }), nil, nil},
		"dropout 0 , must be that of the job: 0.5 bernoulli":                         {good, func(s *shard.Spec) { s.Dropout, s.Masks = 0.5, mech.Bernoulli }, nil},
		"must be masked as those of the job":                                         {good, nil, []text.Masker{list}},
		"has layers of its own": {of(func(a *model.Architecture, _ *model.Manifest) {
			a.Encoder, a.Release = []int{16}, &mech.Params{Mechanism: "laplace-l1", Epsilon: 4, Dim: 16}
		}), nil, nil},
		"was trained with texts masked by": {of(func(_ *model.Architecture, m *model.Manifest) {
			m.Masks.Rules = []string{"names"}
		}), nil, nil},
		"it was trained on a table":                        {of(func(_ *model.Architecture, m *model.Manifest) { m.Data.Encoder = "" }), nil, nil},
		"holds no model":                                   {t.TempDir(), nil, nil},
		`a column of labels is "usr", must be one of user`: {good, func(s *shard.Spec) { s.Labels = []string{"usr", "user"} }, nil},
		"must be both: --evaluate and --label":             {good, func(s *shard.Spec) { s.Labels = nil }, nil},
		"is also a label or an attribute":                  {good, func(s *shard.Spec) { s.Labels = []string{"text"} }, nil},
		"the evaluation would lie below":                   {good, func(s *shard.Spec) { s.Evaluation = filepath.Join(s.Out, "e.json") }, nil},
		"pairs and releases would lie in one folder":       {good, func(s *shard.Spec) { s.Pairs = filepath.Join(s.Out, "deep", "pairs") }, nil},
		"must stay in a folder of this machine":            {good, func(s *shard.Spec) { s.Pairs = "gs://bucket/pairs" }, nil},
		"there are attributes but no folder for pairs":     {good, func(s *shard.Spec) { s.Pairs = "" }, nil},
		"there is a file for an evaluation but no model":   {"", func(s *shard.Spec) { s.Evaluate, s.Labels, s.Evaluation = "", nil, "e.json" }, nil},
	} {
		s := spec(t, asking(tt.model))
		if tt.change != nil {
			tt.change(s)
		}
		if _, err = shard.Open(t.Context(), s, tt.masks, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	linked := spec(t, asking(good))
	if err = os.Symlink(linked.Out, linked.Pairs); err != nil {
		t.Skip(err)
	}
	if _, err = shard.Open(t.Context(), linked, nil, nil); err == nil || !strings.Contains(err.Error(), "would lie in one folder") {
		t.Errorf("got %v, want that pairs lie behind a link in the folder that leaves", err)
	}
}
