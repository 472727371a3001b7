package pipeline_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sotto/batch/pipeline"
	"sotto/compute/nn"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/ledger"
)

// classifier saves one that tells the ten users of a folder from releases of the test's
// job, at random, and returns where.
func classifier(t *testing.T, dir string) string {
	t.Helper()
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Epsilon: 4, Dim: 256})
	if err != nil {
		t.Fatal(err)
	}
	label := model.LabelRecord{Name: "user"}
	for i := range 10 {
		label.Classes = append(label.Classes, fmt.Sprint("u", i))
	}
	l := &model.Linear{Weight: nn.NewMatrix(256, 10), Bias: make([]float32, 10)}
	rng := rand.New(rand.NewPCG(8, 8))
	for i := range l.Weight.Data {
		l.Weight.Data[i] = float32(rng.NormFloat64())
	}
	head, err := model.ReleasedHead("test", m.Params(), label, l)
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, "classifier")
	if err = head.Save(place); err != nil {
		t.Fatal(err)
	}
	return place
}

// TestTrustedKilled: a job that tells the trusted side everything, of which one user
// cannot pay, leaves the same bytes there whether it runs in peace, is killed while it
// writes and runs again, or has its parts made by processes of their own; nobody is
// counted twice, and who cannot pay is not counted.
func TestTrustedKilled(t *testing.T) {
	dir := folder(t, 3000, unique)
	head := classifier(t, dir)
	place, with := book(t, dir)
	with(func(l *ledger.Ledger) error {
		_, err := l.Spend(t.Context(), ledger.Request{Subject: "u3", Key: ledger.Digest{1}, Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 100}, Mechanism: "another"})
		return err
	}, ledger.Options{New: true, Budget: ledger.Budget{Unit: dp.Text, Epsilon: 1250, Window: time.Hour}})
	told := func(out string) *pipeline.Job {
		j := job(dir, out)
		j.User, j.Ledger, j.OnExhausted = "user", place, pipeline.LeaveOut
		j.Evaluate, j.Labels, j.Pairs, j.Attributes = head, []string{"user"}, filepath.Join(dir, out+"-pairs"), []string{"user"}
		return j
	}
	killed := 0
	for range 3 {
		if killWhen(t, told("killed"), written(told("killed"), 1+2*killed)) {
			killed++
		}
	}
	if killed == 0 {
		t.Fatal("the job ended before it could be killed: nothing was tested")
	}
	var want string
	for _, out := range []string{"calm", "killed", "killed", "hands"} {
		j := told(out)
		if out == "hands" {
			j.Processes = 2
		}
		set, err := pipeline.Run(t.Context(), j, "prism")
		if err != nil {
			t.Fatal(err)
		}
		evaluation, err := os.ReadFile(j.EvaluationFile())
		if err != nil {
			t.Fatal(err)
		}
		var e experiment.Evaluation
		if err = json.Unmarshal(evaluation, &e); err != nil {
			t.Fatal(err)
		}
		if set.Released != 2700 || e.Rows.Test != 2700 || e.Mean.Recalls[3].Rows != 0 || e.Mean.Recalls[4].Rows != 300 {
			t.Errorf("%s: %d of %d releases were counted, %d of who cannot pay; want 2700 and none", out, e.Rows.Test, set.Released, e.Mean.Recalls[3].Rows)
		}
		got := content(t, j.Out) + content(t, j.Pairs) + string(evaluation)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s: the job left other bytes than one that ran in peace", out)
		}
	}
}

// TestWatch: who looks at a job sees every row read once and released, and every part.
func TestWatch(t *testing.T) {
	dir := folder(t, 600, unique)
	for _, tt := range []struct {
		id        string
		processes int
	}{{"id", 0}, {"", 0}, {"id", 2}} {
		j := job(dir, fmt.Sprint("out", tt.id, tt.processes))
		j.ID, j.Processes = tt.id, tt.processes
		var last pipeline.Progress
		calls := 0
		j.Watch = func(p pipeline.Progress) {
			if p.Done != calls+1 || p.Read < last.Read || p.Released < last.Released {
				t.Errorf("%+v came after %+v", p, last)
			}
			last, calls = p, calls+1
		}
		set, err := pipeline.Run(t.Context(), j, "prism")
		if err != nil {
			t.Fatal(err)
		}
		if last.Read != 600 || last.Released != 600 || last.Parts != len(set.Parts) || last.Done != last.Chunks*last.Steps {
			t.Errorf("the last was %+v", last)
		}
	}
}
