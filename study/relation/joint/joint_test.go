package joint_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/joint"
	"sotto/study/relation/rule"
)

func small() joint.Settings {
	return joint.Settings{Epochs: 25, Batch: 10, Rate: 0.01, Hidden: 24, Seed: 1}
}

func data(n int) joint.Data {
	all, rules := toy(n+12, 0)
	return joint.Data{Name: "toy", Train: all[:n], Dev: all[n:], Rules: rules, Vectors: vectors{24}}
}

// The gradient of every parameter is that of finite differences. Single precision leaves
// some four digits of a difference of losses at a step of 0.01; where the largest of a set
// changes within the step, there is no gradient to compare, so that a few may differ.
func TestGradients(t *testing.T) {
	s := small()
	s.Hidden = 3
	g := joint.NewGraph(data(4), s)
	p := nn.NewPool(1)
	g.Learn(p)
	var grads []nn.Matrix
	for _, q := range g.Params() {
		m := nn.NewMatrix(q.Value.Rows, q.Value.Cols)
		if q.Touched == nil {
			copy(m.Data, q.Grad.Data)
		} else {
			for k, row := range q.Touched.Rows {
				copy(m.Row(row), q.Touched.Grad.Row(k))
			}
		}
		grads = append(grads, m)
	}
	compared, off := 0, 0
	for k, q := range g.Params() {
		for i := 0; i < len(q.Value.Data); i += 1 + len(q.Value.Data)/60 {
			kept := q.Value.Data[i]
			q.Value.Data[i] = kept + 0.01
			up := g.Learn(p)
			q.Value.Data[i] = kept - 0.01
			down := g.Learn(p)
			q.Value.Data[i] = kept
			want, got := (up-down)/0.02, float64(grads[k].Data[i])
			compared++
			if math.Abs(want-got) > 2e-3+0.02*math.Abs(want) {
				off++
				t.Logf("%s[%d]: gradient %v, by differences %v", q.Name, i, got, want)
			}
		}
	}
	if compared < 500 || off > compared/50 {
		t.Errorf("%d of %d gradients are not those of differences", off, compared)
	}
}

// train runs a training to its end and writes it.
func train(t *testing.T, d joint.Data, s joint.Settings, o joint.Options) string {
	t.Helper()
	tr, err := joint.New(d, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "model")
	if err := tr.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// files returns the contents of a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTrain learns a relation and its rule, and says them of sentences it has not seen, one
// by one as together.
func TestTrain(t *testing.T) {
	d := data(60)
	dir := train(t, d, small(), joint.Options{Pool: nn.NewPool(2)})
	m, err := joint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Relations(); !slices.Equal(got, []string{"Live_In", "Work_For"}) {
		t.Errorf("relations are %q", got)
	}
	if !m.Knows(language.Person, language.Organisation) || m.Knows(language.Organisation, language.Person) {
		t.Error("it must know persons and organisations, in this order alone")
	}
	together, err := m.Judge(t.Context(), d.Dev)
	if err != nil {
		t.Fatal(err)
	}
	quick, err := m.Quick().Judge(t.Context(), d.Dev)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for k, x := range d.Dev {
		v := together[k]
		if q := quick[k]; q.Relation != v.Relation || q.Confidence != v.Confidence || q.Source == relation.Decoded && q != v {
			t.Errorf("in less time it says %+v, want the relation of %+v", q, v)
		}
		if v.Relation == x.Relation {
			right++
		}
		if v.Relation != relation.None && v.Source == relation.Decoded {
			if ok, err := relation.Faithful(v.Rule, x); err != nil || !ok {
				t.Errorf("rule %q is shown and does not match", v.Rule)
			}
		}
		alone, err := m.Judge(t.Context(), d.Dev[k:k+1])
		if err != nil || alone[0] != v {
			t.Errorf("alone it says %+v, with others %+v", alone[0], v)
		}
	}
	if right != len(d.Dev) {
		t.Errorf("%d of %d are right", right, len(d.Dev))
	}
	if v := together[0]; v.Relation != "Work_For" || v.Source != relation.Decoded || v.Rule != "tokens <person>=subject works for <org>=object" && v.Rule != "tokens <person>=subject works for <organisation>=object" {
		t.Errorf("of the first it says %+v", v)
	}
	for name, content := range files(t, dir) {
		if strings.Contains(content, "Ann works") || strings.Contains(content, d.Train[0].Doc.Text) {
			t.Errorf("%s holds a sentence", name)
		}
	}
}

// TestResume stops a training within an epoch and goes on, on other workers, to the same
// bytes; and refuses the state of another.
func TestResume(t *testing.T) {
	d, s := data(40), small()
	s.Epochs = 3
	want := files(t, train(t, d, s, joint.Options{Pool: nn.NewPool(3)}))
	tr, err := joint.New(d, s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "state")
	o := joint.Options{
		Progress: func(p joint.Progress) {
			if p.Step == 6 {
				cancel()
			}
		},
		Save: func(s *joint.State) error {
			var b bytes.Buffer
			return errors.Join(s.Write(&b), os.WriteFile(path, b.Bytes(), 0o600))
		},
	}
	if err = tr.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("a training that was stopped returns %v", err)
	}
	state, err := joint.ReadState(path)
	if err != nil {
		t.Fatal(err)
	}
	if state.Epoch != 1 || state.Step != 2 {
		t.Errorf("stopped after %d epochs and %d steps, want 1 and 2", state.Epoch, state.Step)
	}
	got := files(t, train(t, d, s, joint.Options{Resume: state}))
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is another after a stop", name)
		}
	}
	s.Seed++
	other, err := joint.New(d, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Run(t.Context(), joint.Options{Resume: state}); !errors.Is(err, joint.ErrState) {
		t.Errorf("the state of another training gives %v", err)
	}
}

// TestApart trains on rules alone, masked, and without each of the parts.
func TestApart(t *testing.T) {
	d := data(60)
	for k, x := range d.Train { // labels are not looked at
		if d.Train[k].Relation = "Kill"; x.Relation == relation.None {
			d.Train[k].Relation = relation.None
		}
	}
	for _, without := range []string{"", joint.Decoder, joint.Classifier} {
		s := small()
		s.On, s.Without, s.Mask = joint.RulesAlone, without, true
		dir := train(t, d, s, joint.Options{})
		m, err := joint.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		said, err := m.Judge(t.Context(), d.Dev[:3])
		if err != nil {
			t.Fatal(err)
		}
		if without == joint.Classifier { // a relation is told only where the rule that was written matches
			for k, v := range said {
				if v.Relation != relation.None && (v.Relation != d.Dev[k].Relation || v.Source != relation.Decoded || v.Rule != v.Wrote) {
					t.Errorf("without a classifier it says %+v", v)
				}
			}
			continue
		}
		if said[0].Relation != "Work_For" || said[1].Relation != "Live_In" || said[2].Relation != relation.None {
			t.Errorf("without %q it says %+v", without, said)
		}
		if without == joint.Decoder && (said[0].Wrote != "" || said[0].Source != relation.Stored) {
			t.Errorf("without a decoder the rule is %+v, want one that is stored", said[0])
		}
		if slices.Contains(strings.Split(files(t, dir)["words.txt"], "\n"), "acme") {
			t.Error("a masked word is in the model")
		}
	}
}

func TestRefuses(t *testing.T) {
	d := data(12)
	for name, tt := range map[string]struct {
		data joint.Data
		s    joint.Settings
		want string
	}{
		"no rules":   {joint.Data{Train: d.Train, Dev: d.Dev, Vectors: d.Vectors, Rules: &rule.File{}}, small(), "no rules"},
		"no dev":     {joint.Data{Train: d.Train, Vectors: d.Vectors, Rules: d.Rules}, small(), "to choose by"},
		"no vectors": {joint.Data{Train: d.Train, Dev: d.Dev, Rules: d.Rules}, small(), "vectors"},
		"on":         {d, joint.Settings{On: "labels"}, `must be one of "rules", "rules+labels"`},
		"share":      {d, joint.Settings{Share: 2}, "share of rules is 2"},
		"nan":        {d, joint.Settings{Rate: math.NaN()}, "rate is NaN"},
	} {
		if _, err := joint.New(tt.data, tt.s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want %q in it", name, err, tt.want)
		}
	}
	s := small()
	s.Epochs = 1
	dir := train(t, d, s, joint.Options{})
	for name, content := range files(t, dir) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(content, "e", "f", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := joint.Open(dir); err == nil {
			t.Errorf("a damaged %s is opened", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A development part that is larger than what is learnt from is looked at every few epochs,
// and behind the last; steps say how many epochs there are.
func TestLooks(t *testing.T) {
	for _, c := range []struct {
		lessons int
		set     func(*joint.Settings)
		want    []int
		steps   int
	}{
		{4, func(s *joint.Settings) { s.Epochs = 20 }, []int{9, 18, 20}, 20},
		{40, func(s *joint.Settings) { s.Epochs = 3 }, []int{1, 2, 3}, 12},
		{40, func(s *joint.Settings) { s.Epochs, s.Steps = 0, 11 }, []int{1, 2, 3}, 12},
		{40, func(s *joint.Settings) { s.Epochs, s.Steps = 0, 1 }, []int{1}, 4},
	} {
		s := small()
		c.set(&s)
		tr, err := joint.New(data(c.lessons), s)
		if err != nil {
			t.Fatal(err)
		}
		var looked []int
		steps := 0
		if err = tr.Run(t.Context(), joint.Options{Progress: func(p joint.Progress) {
			if steps = p.Steps; p.Ended {
				looked = append(looked, p.Number)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		if _, kept := tr.Kept(); !slices.Equal(looked, c.want) || steps != c.steps || !slices.Contains(looked, kept) {
			t.Errorf("with %+v it has %d steps, looks at %v and keeps %d, want %d steps and %v", s, steps, looked, kept, c.steps, c.want)
		}
	}
}
