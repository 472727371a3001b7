package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/internal/regular"
	"sotto/learn/model"
	"sotto/text/encode/catalogue"
)

// EvaluationFormat is the format of a stored [Evaluation].
const EvaluationFormat = "sotto-evaluation-1"

// Evaluation is what stored models do on the test part of their data.
type Evaluation struct {
	Format string `json:"format"`
	// Warning says that the numbers were counted where releases are made, from what they
	// hide, and are not to leave with them; "" for those of "sotto evaluate".
	Warning   string           `json:"warning,omitempty"`
	Dir       string           `json:"dir"`
	Data      model.DataRecord `json:"data"`
	Rows      Rows             `json:"rows"`
	Reference measure.Number   `json:"reference"` // accuracy of the stored model without protection; null if there is none
	// Before is how well the first model tells the same rows from what would be released
	// without noise; nil if nobody counted that.
	Before *Score          `json:"before,omitempty"`
	Notes  []string        `json:"notes,omitempty"`
	Models []Configuration `json:"models"`
	// Seeds, Mean, Deviation and Interval are those of the first of Models.
	Seeds     []Score           `json:"seeds"`
	Mean      Score             `json:"mean"`
	Deviation Score             `json:"deviation"`
	Interval  [2]measure.Number `json:"interval"`
}

// Evaluate measures again the models of a folder that [Run] made: the one at
// dir itself, or the selected configurations below it, or all if none was
// selected yet. The data must be what the models were trained on.
// For models of a file of one's own it must be given.
func Evaluate(ctx context.Context, dir string, in Path, workers int) (*Evaluation, error) {
	stored, all, d, pool, err := openModels(ctx, dir, ReleaseOptions{Workers: workers, In: in})
	if err != nil {
		return nil, err
	}
	if err = catalogue.Agree(ctx, dir, d.Record.Encoder); err != nil {
		return nil, err
	}
	e := &Evaluation{Format: EvaluationFormat, Dir: dir, Data: d.Record, Rows: Rows{len(d.Train), len(d.Validation), len(d.Test)}, Reference: measure.Undefined}
	s := newScorer(d)
	m, info, err := model.Load(filepath.Join(rootOf(dir), ReferenceDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && sameRows(info.Data, d.Record) {
		mine, err := all.Of(ctx, info.Data)
		if err != nil {
			return nil, err
		}
		if err = fits(mine, m, ReferenceDir); err != nil {
			return nil, err
		}
		s.refer(pool, m, mine.X, info.Seed)
		score, err := s.score(ctx, pool, m, mine.X, info.Seed, false)
		if err != nil {
			return nil, err
		}
		e.Reference = score.Accuracy
	}
	for _, c := range stored {
		scored, err := s.evaluate(ctx, pool, c, all)
		if err != nil {
			return nil, err
		}
		e.Models, e.Notes = append(e.Models, scored), append(e.Notes, scored.Vanished(d.Record, "")...)
	}
	first := e.Models[0]
	e.Seeds, e.Mean, e.Deviation, e.Interval = first.Seeds, first.Mean, first.Deviation, first.Interval
	return e, nil
}

// rootOf returns the folder of the result that a model's folder is part of.
func rootOf(dir string) string {
	for _, root := range []string{dir, filepath.Join(dir, ".."), filepath.Join(dir, "..", "..")} {
		if _, err := os.Stat(filepath.Join(root, SpecFile)); err == nil {
			return root
		}
	}
	return dir
}

// storedModel is a model's folder, loaded.
type storedModel struct {
	model *model.Model
	info  model.Manifest
}

// storedModels are those of one configuration.
type storedModels struct {
	folder string
	models []storedModel
}

func (s *scorer) evaluate(ctx context.Context, pool *nn.Pool, c storedModels, all *storedSet) (Configuration, error) {
	out := Configuration{Folder: c.folder, Selected: true}
	for _, m := range c.models {
		d, err := all.Of(ctx, m.info.Data)
		if err != nil {
			return out, err
		}
		if !equalJSON(m.info.Data, d.Record) || !sameRows(d.Record, s.data.Record) {
			return out, fmt.Errorf("experiment: %s: the models are of different data", c.folder)
		}
		if slices.ContainsFunc(out.Seeds, func(s Score) bool { return s.Seed == m.info.Seed }) {
			return out, fmt.Errorf("experiment: %s: two models have seed %d, must have one each", c.folder, m.info.Seed)
		}
		if err = fits(d, m.model, c.folder); err != nil {
			return out, err
		}
		score, err := s.score(ctx, pool, m.model, d.X, m.info.Seed, true)
		if err != nil {
			return out, err
		}
		score.Interrupted = m.info.Interrupted
		out.Seeds = append(out.Seeds, score.Score)
		if len(out.Seeds) == 1 {
			out.Fairness = score.fairness
		}
	}
	first := c.models[0]
	out.Method = first.info.Method
	if a := first.model.Architecture(); len(a.Answers) > 0 {
		out.Dim = len(a.Answers)
	} else if len(a.Encoder) > 0 {
		out.Dim = a.Encoder[len(a.Encoder)-1]
	}
	if st, ok := first.model.Statement(); ok {
		out.Mechanism, out.Variant, out.Epsilon = st.Mechanism, st.Variant, float64(st.Claimed)
		out.Channel = channelOf(first.model)
		out.Statement, out.Coverage, out.Person = &st, first.model.Coverage(), s.data.Record.Person(first.model.Guarantee())
	}
	out.Mean, out.Deviation, out.Interval = Summarise(out.Seeds)
	return out, nil
}

// fits refuses a model that takes other vectors than the data has, or answers
// other labels.
func fits(d *TrainingSet, m *model.Model, folder string) error {
	a, classes := m.Architecture(), []int{d.Classes}
	for _, more := range d.More {
		classes = append(classes, more.Classes)
	}
	if a.Inputs != d.X.Cols || !slices.Equal(a.Labels(), classes) {
		return fmt.Errorf("experiment: %s: the model takes %d numbers and tells labels of %d classes, the data has %d and %d", folder, a.Inputs, a.Labels(), d.X.Cols, classes)
	}
	return nil
}

// FirstModel loads the model at dir, or the first seed's of the first selected
// configuration below it, and says in which folder it lies.
func FirstModel(dir string) (m *model.Model, info model.Manifest, folder string, err error) {
	all, err := findModels(dir)
	if err != nil {
		return nil, info, "", err
	}
	first := all[0].models[0]
	if _, err := os.Stat(filepath.Join(dir, model.ManifestFile)); err == nil {
		return first.model, first.info, dir, nil
	}
	return first.model, first.info, filepath.Join(dir, all[0].folder, fmt.Sprintf("seed-%d", first.info.Seed)), nil
}

// Open opens the model that [FirstModel] finds, for texts.
func Open(ctx context.Context, dir string) (*model.Opened, error) {
	m, info, folder, err := FirstModel(dir)
	if err != nil {
		return nil, err
	}
	return model.Opening(ctx, m, info, folder)
}

// findModels loads the models of a folder.
func findModels(dir string) ([]storedModels, error) {
	if _, err := os.Stat(filepath.Join(dir, model.ManifestFile)); err == nil {
		m, info, err := model.Load(dir)
		if err != nil {
			return nil, err
		}
		return []storedModels{{"", []storedModel{{m, info}}}}, nil
	}
	folders, err := selectedFolders(dir)
	if err != nil {
		return nil, err
	}
	var all []storedModels
	for _, folder := range folders {
		names, err := fs.Glob(os.DirFS(filepath.Join(dir, folder)), "seed-*")
		if err != nil {
			return nil, err
		}
		c := storedModels{folder: folder}
		for _, name := range names {
			m, info, err := model.Load(filepath.Join(dir, folder, name))
			if err != nil {
				return nil, err
			}
			if name != fmt.Sprintf("seed-%d", info.Seed) {
				return nil, fmt.Errorf("experiment: %s holds the model of seed %d", filepath.Join(dir, folder, name), info.Seed)
			}
			c.models = append(c.models, storedModel{m, info})
		}
		slices.SortFunc(c.models, func(a, b storedModel) int { return cmp.Compare(a.info.Seed, b.info.Seed) })
		if len(c.models) > 0 {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("experiment: %s holds no model; give the folder that sotto train --out made", dir)
	}
	return all, nil
}

// selectedFolders returns the folders of the selected configurations, that of
// the first method first, or of all where nothing was selected.
func selectedFolders(dir string) ([]string, error) {
	content, err := regular.Read(filepath.Join(dir, ResultsFile), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return allFolders(dir)
	} else if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	var r Result
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", filepath.Join(dir, ResultsFile), err)
	}
	var folders []string
	for _, c := range r.Configurations {
		if c.Selected && filepath.IsLocal(filepath.Join(".", c.Folder)) {
			folders = append(folders, c.Folder)
		}
	}
	return folders, nil
}

// allFolders returns the folders below dir that hold models of seeds, and dir
// itself as "".
func allFolders(dir string) ([]string, error) {
	found, err := fs.Glob(os.DirFS(dir), "*/seed-*")
	folders := []string{""}
	for _, name := range found {
		folders = append(folders, path.Dir(name))
	}
	return slices.Compact(folders), err
}
