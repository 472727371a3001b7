package studio

import (
	"archive/zip"
	"context"
	"crypto/rand"
	_ "embed" // of the tab
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"sotto/compute/measure"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/service/httpserve"
)

var (
	//go:embed assets/train.html
	trainHTML string
	//go:embed assets/train.js
	trainScript string
)

// trainTab trains a model at the chosen ε.
func trainTab() Tab {
	return Tab{Name: "train", Title: "Train", HTML: trainHTML, Script: trainScript, Routes: map[string]func(*Studio, http.ResponseWriter, *http.Request) error{
		"POST start":   (*Studio).startTraining,
		"POST command": (*Studio).trainingCommand,
		"POST zip":     (*Studio).zipTraining,
	}}
}

// trainRequest is a training as the page asks for it.
type trainRequest struct {
	Choice  Choice  `json:"choice"`
	Epsilon float64 `json:"epsilon"`
	Seeds   int     `json:"seeds"`
}

// mostSeeds bounds what one click can ask for.
const mostSeeds = 20

// spec returns what is to be trained.
func (q trainRequest) spec(ctx context.Context, s *Studio) (experiment.Spec, error) {
	spec, err := s.Spec(q.Choice)
	if err != nil {
		return spec, err
	}
	if q.Seeds < 1 || q.Seeds > mostSeeds {
		return spec, &Problem{http.StatusBadRequest, fmt.Sprintf("seeds is %d, must be from 1 to %d", q.Seeds, mostSeeds)}
	}
	spec.Methods, spec.Epsilons, spec.Seeds = []string{"auto"}, []float64{q.Epsilon}, q.Seeds
	spec = spec.Fresh()
	_, err = spec.Filled(ctx) // which refuses what needs no look at the data
	return spec, err
}

// Run is a training that has come to its end.
type Run struct {
	ID     string
	Dir    string // as sotto train --out makes it
	Result *experiment.Result

	made map[string]bool // files and folders of the training itself, by their paths below Dir
}

// Model is the folder of the model that was selected, of the first seed.
func (r Run) Model() string {
	folder := ""
	for _, c := range r.Result.Configurations {
		if c.Selected {
			folder = c.Folder
		}
	}
	return filepath.Join(r.Dir, folder, fmt.Sprintf("seed-%d", r.Result.Spec.FirstSeed))
}

// runs are the trainings of a studio.
type runs struct {
	mu  sync.Mutex // guards all
	all map[string]Run
}

// Run returns a training by its name.
func (s *Studio) Run(id string) (Run, error) {
	s.runs.mu.Lock()
	defer s.runs.mu.Unlock()
	r, ok := s.runs.all[id]
	if !ok {
		return Run{}, &Problem{http.StatusNotFound, "this training is not known any more: train again"}
	}
	return r, nil
}

// trained is what the page shows of a training.
type trained struct {
	Run        string          `json:"run"`
	Kept       string          `json:"kept,omitempty"` // name of the folder below that of the trainings
	Label      string          `json:"label"`
	Classes    int             `json:"classes"`
	Attribute  string          `json:"attribute,omitempty"`
	Rows       experiment.Rows `json:"rows"`
	Seeds      int             `json:"seeds"`
	Guarantee  string          `json:"guarantee"`
	Person     string          `json:"person,omitempty"` // what is promised of all rows of one
	Epsilon    *dp.Epsilon     `json:"epsilon"`
	Unit       dp.Unit         `json:"unit"`
	Coverage   string          `json:"coverage"`
	Mechanism  string          `json:"mechanism"`
	Dim        int             `json:"dim"`
	Accuracy   measure.Number  `json:"accuracy"`
	Low        measure.Number  `json:"low"`
	High       measure.Number  `json:"high"`
	Limit      measure.Number  `json:"limit"`
	NonPrivate measure.Number  `json:"nonprivate"`
	Commonest  float64         `json:"commonest"`
	MacroF1    *measure.Number `json:"macro_f1"`

	Leakage      measure.Number `json:"leakage"`
	LeakageLimit measure.Number `json:"leakage_limit"`
	Blind        measure.Number `json:"blind"` // what an attacker has who sees nothing

	Notes   []string `json:"notes"`
	Seconds float64  `json:"seconds"`
}

// startTraining handles "POST start".
func (s *Studio) startTraining(w http.ResponseWriter, r *http.Request) error {
	var q trainRequest
	if err := Read(w, r, &q); err != nil {
		return err
	}
	spec, err := q.spec(r.Context(), s)
	if err != nil {
		return err
	}
	return s.Begin(w, "train", func(ctx context.Context, tell Tell) (any, error) { return s.train(ctx, spec, tell) })
}

// train trains in a folder that becomes one of the trainings when all is done,
// and is removed otherwise.
func (s *Studio) train(ctx context.Context, spec experiment.Spec, tell Tell) (_ any, err error) {
	parent := s.Out
	if parent == "" {
		parent = s.dir
	}
	dir, err := os.MkdirTemp(parent, ".sotto-studio-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	tell(0, "Reading and encoding the texts")
	result, err := experiment.Run(ctx, spec, experiment.Options{Out: dir, Workers: s.Workers, Sets: &s.sets, Progress: func(e experiment.Event) {
		tell(e.Done, describe(e))
	}})
	if err != nil {
		return nil, err
	}
	run := Run{ID: rand.Text(), Result: result}
	if run.made, err = contents(dir); err != nil {
		return nil, err
	}
	if run.Dir, err = settle(dir, parent); err != nil {
		return nil, err
	}
	s.runs.mu.Lock()
	defer s.runs.mu.Unlock()
	if s.runs.all == nil {
		s.runs.all = map[string]Run{}
	}
	s.runs.all[run.ID] = run
	return summary(run, s.Out != ""), nil
}

// contents returns the paths of what lies in a folder.
func contents(dir string) (map[string]bool, error) {
	all := map[string]bool{}
	return all, fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		all[path] = true
		return err
	})
}

// settle moves a finished training to the first free name.
func settle(dir, parent string) (string, error) {
	for i := 1; ; i++ {
		to := filepath.Join(parent, fmt.Sprintf("training-%d", i))
		if _, err := os.Lstat(to); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return to, os.Rename(dir, to)
	}
}

// describe says in words what a training does.
func describe(e experiment.Event) string {
	switch t := e.Trial; {
	case t != nil && t.Failed != "":
		return "Tried " + t.Name + ": came to nothing"
	case t != nil:
		return fmt.Sprintf("Tried %s: %.1f %% right", t.Name, 100*t.Accuracy)
	default:
		return fmt.Sprintf("Pass %d of %d over the texts: %.1f %% right", e.At.Epoch, e.At.Epochs, 100*e.At.Accuracy)
	}
}

// summary is what the page shows of a run.
func summary(run Run, kept bool) trained {
	r := run.Result
	t := trained{
		Run: run.ID, Label: r.Data.Label, Classes: len(r.Data.Classes), Attribute: r.Data.Attribute, Rows: r.Rows, Seeds: len(r.Seeds),
		Accuracy: r.Mean.Accuracy, Low: r.Mean.Low, High: r.Mean.High, NonPrivate: r.Reference, Epsilon: r.Mean.True, Unit: r.Mean.Unit,
		Limit: r.Mean.Limit, Leakage: r.Mean.Leakage, LeakageLimit: r.Mean.AttackLimit, Blind: r.Mean.Majority, Notes: r.Notes,
	}
	for _, p := range r.Priors {
		t.Commonest = max(t.Commonest, p)
	}
	for _, c := range r.Configurations {
		if c.Selected {
			t.Coverage, t.Mechanism, t.Dim = c.Coverage, c.Mechanism, c.Dim
			t.Leakage = max(t.Leakage, c.Strongest().Mean)
		}
	}
	if r.Mean.True != nil {
		g := dp.Guarantee{Unit: r.Mean.Unit, Epsilon: *r.Mean.True, Delta: r.Mean.Delta}
		t.Guarantee = g.String()
		if p := r.Data.Person(g); p != nil { // else nothing is promised, and nothing said
			t.Person = p.String()
		}
	}
	if h := r.Headline; h != nil {
		t.Limit, t.MacroF1 = h.Limit, h.MacroF1
	}
	if f := r.Frontier; f != nil {
		t.Mechanism, t.Dim, t.Seconds = f.Mechanism, f.Dim, f.Seconds
	}
	if kept {
		t.Kept = filepath.Base(run.Dir)
	}
	return t
}

// trainingCommand handles "POST command": the command that does the same.
func (s *Studio) trainingCommand(w http.ResponseWriter, r *http.Request) error {
	var q trainRequest
	if err := Read(w, r, &q); err != nil {
		return err
	}
	spec, err := q.spec(r.Context(), s)
	if err != nil {
		return err
	}
	flags, err := s.Flags(q.Choice, spec)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string][]string{"command": append([]string{"train"}, flags...)})
}

// zipTraining handles "POST zip": an address under which a training can be had.
func (s *Studio) zipTraining(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Run string `json:"run"`
	}
	if err := Read(w, r, &q); err != nil {
		return err
	}
	run, err := s.Run(q.Run)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"address": s.Show(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/zip")
		w.Header().Set("Content-Disposition", `attachment; filename="model.zip"`)
		z := zip.NewWriter(w)
		if err := errors.Join(z.AddFS(whole{os.DirFS(run.Dir), run.made}), z.Close()); err != nil {
			panic(http.ErrAbortHandler) // it has begun: a browser must see that it is not whole
		}
		return nil
	})})
}

// whole is a training as it was made, with all that the trusted side needs of it, the
// secret and what knows its rows again among it. What came into its folder later stays
// here, because it may know texts that the model does not, as the student of a model does.
type whole struct {
	fs.FS
	made map[string]bool
}

// ReadDir implements [fs.ReadDirFS].
func (f whole) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !f.made[path.Join(name, e.Name())] }), err
}
