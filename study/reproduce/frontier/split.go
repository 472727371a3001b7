package frontier

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/study/reproduce"
)

// splitFile lies beside the result of the model without protection.
const splitFile = "split.json"

// splitFormat is the format of that file.
const splitFormat = "sotto-split-1"

// splits is what the answers of a model without protection reach when ε is
// split evenly over the labels, each answer being released for itself.
type splits struct {
	Format string     `json:"format"`
	At     []splitsAt `json:"at"`
}

type splitsAt struct {
	Epsilon float64 `json:"epsilon"` // over all labels
	// Seeds holds, for each seed of the model, the accuracy of each label. It is
	// exact for the test rows: an expectation over the noise, not a sample.
	Seeds [][]float64 `json:"seeds"`
}

// at returns what is known for an ε; nil if nothing is.
func (s splits) at(epsilon float64) [][]float64 {
	for _, a := range s.At {
		if a.Epsilon == epsilon {
			return a.Seeds
		}
	}
	return nil
}

// readSplits reads what was computed before; nothing if nothing was.
func readSplits(e *reproduce.CacheEntry) (splits, error) {
	s := splits{Format: splitFormat}
	if _, err := e.Read(splitFile, &s); err != nil {
		return s, err
	}
	if s.Format != splitFormat {
		return s, e.Damaged(splitFile, errors.New("its format is not known"))
	}
	return s, nil
}

// addSplits computes what is missing of the given values of ε from the models
// of the entry.
func addSplits(ctx context.Context, entry *reproduce.CacheEntry, t Task, epsilons []float64, workers int) error {
	s, err := readSplits(entry)
	if err != nil {
		return err
	}
	var missing []splitsAt
	for _, e := range epsilons {
		if s.at(e) == nil {
			missing = append(missing, splitsAt{Epsilon: e})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	set, err := dataset.Load(t.Data, dataset.Options{Labels: t.Labels})
	if err != nil {
		return err
	}
	columns := append([]dataset.Column{set.Label}, set.More...)
	pool := nn.NewPool(workers)
	for r, err := range experiment.Releases(ctx, entry.Dir, experiment.ReleaseOptions{Workers: workers}) {
		if err == nil {
			err = addSeed(missing, filepath.Join(entry.Dir, r.Folder, fmt.Sprintf("seed-%d", r.Seed)), r.Score, columns, pool)
		}
		if err != nil {
			return err
		}
	}
	s.At = append(s.At, missing...)
	return entry.Write(splitFile, s)
}

// addSeed adds the accuracies of one model, which lies in a folder. What a model
// without protection releases is the vector itself.
func addSeed(to []splitsAt, folder string, test attack.Part, labels []dataset.Column, pool *nn.Pool) error {
	m, _, err := model.Load(folder)
	if err != nil {
		return err
	}
	logits := m.Logits(pool, test.Vectors)
	for i := range to {
		accuracies, failed := splitAccuracies(to[i].Epsilon, logits, labels, test.Rows)
		if failed != nil {
			return failed
		}
		to[i].Seeds = append(to[i].Seeds, accuracies)
	}
	return nil
}

// splitAccuracies returns the expected accuracy of each label whose answer is
// released at its share of ε. The logits of the labels stand side by side.
func splitAccuracies(epsilon float64, logits nn.Matrix, labels []dataset.Column, rows []int) ([]float64, error) {
	var all []float64
	from := 0
	for _, c := range labels {
		scores := logits.Columns(from, len(c.Classes))
		from += len(c.Classes)
		a, err := measure.AnswerAccuracy(dp.Epsilon(epsilon/float64(len(labels))), scores, dataset.Select(c.IDs, rows))
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}
