package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/attack"
	"sotto/learn/experiment"
)

const measuredFormat = "sotto-measures-1"

// measured is what was measured of the models of a run beyond its result.
type measured struct {
	Format string          `json:"format"`
	Done   []SpecMeasure   `json:"done"`
	Models []measuredModel `json:"models"`
}

// measuredModel holds numbers of one model, in the units of tables.
type measuredModel struct {
	Folder  string             `json:"folder"` // of its configuration
	Seed    uint64             `json:"seed"`
	Metrics map[string]float64 `json:"metrics"`
}

// measure measures one thing on the selected models of a folder.
func (w *worker) measure(ctx context.Context, dir string, r *experiment.Result, m SpecMeasure, more *measured) error {
	models := 0
	for _, c := range r.Configurations {
		if c.Selected {
			models += len(c.Seeds)
		}
	}
	w.told = 0
	var found []measuredModel
	pool := nn.NewPool(w.Workers)
	for p, err := range experiment.Releases(ctx, dir, experiment.ReleaseOptions{Workers: w.Workers, In: w.run.Experiment.In}) {
		if err != nil {
			return interrupted(ctx, err)
		}
		w.tell(fmt.Sprintf("%s, %s seed %d", m, p.Folder, p.Seed), float64(len(found)+1)/float64(models+1))
		one := measuredModel{Folder: p.Folder, Seed: p.Seed, Metrics: map[string]float64{}}
		switch m {
		case mdl:
			err = one.description(ctx, pool, p, r.Data.Attribute)
		case groups:
			one.groups(p)
		case entities:
			err = one.entities(ctx, w.Workers, p)
		}
		if err != nil {
			return interrupted(ctx, err)
		}
		found = append(found, one)
	}
	more.Done, more.Models = append(more.Done, m), append(more.Models, found...)
	return nil
}

// interrupted says that an error comes of work that was stopped, if it does.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", experiment.ErrInterrupted, err)
	}
	return err
}

// description measures how many kbit the attribute takes in the code of the
// published tables, over both parts together. A model that releases nothing has
// no such number.
func (m *measuredModel) description(ctx context.Context, pool *nn.Pool, p *experiment.Released, attribute string) error {
	i := slices.IndexFunc(p.Columns, func(c dataset.Column) bool { return c.Name == attribute })
	if i < 0 {
		return fmt.Errorf("declared: description length needs an attribute, must not be %q", attribute)
	}
	fit, score := p.Fit.Vectors, p.Score.Vectors
	if score.Cols == 0 {
		return nil
	}
	all := measure.Labelled{
		X: nn.Matrix{Rows: fit.Rows + score.Rows, Cols: score.Cols, Data: slices.Concat(fit.Data, score.Data)},
		Z: dataset.Select(p.Columns[i].IDs, slices.Concat(p.Fit.Rows, p.Score.Rows)),
	}
	l, err := measure.Probe{Seed: p.Seed}.DescriptionLength(ctx, pool, all, len(p.Columns[i].Classes), measure.PrefixCoding)
	m.Metrics["mdl"] = l.Kbit
	return err
}

// groups measures the accuracy on the test part by group, and for attributes of
// two groups that of the second less that of the first.
func (m *measuredModel) groups(p *experiment.Released) {
	for _, a := range p.Columns {
		rates := make([]float64, len(a.Names()))
		for g, name := range a.Names() {
			want := make([]int, len(p.Score.Rows))
			for k, row := range p.Score.Rows {
				want[k] = dataset.Unknown // does not count
				if a.IDs[row] == g {
					want[k] = p.Label.IDs[row]
				}
			}
			rates[g] = 100 * measure.Accuracy(want, p.Answers)
			m.put("accuracy:"+a.Name+"="+name, rates[g])
		}
		if len(rates) == 2 {
			m.put("difference:"+a.Name, rates[1]-rates[0])
		}
	}
}

// put enters a number, unless it is not defined.
func (m *measuredModel) put(name string, v float64) {
	if !math.IsNaN(v) {
		m.Metrics[name] = v
	}
}

// entityAttacker is DPNR's: two layers of 512 units.
const entityAttacker = "mlp-512"

// entities attacks all attributes of two values after DPNR. Its empirical
// privacy is 1 less the F1 over all of them, or 1 less the mean accuracy.
func (m *measuredModel) entities(ctx context.Context, workers int, p *experiment.Released) error {
	if p.Score.Vectors.Cols == 0 {
		return nil
	}
	a, err := attack.Run(ctx, attack.Entities, attack.Target{Released: attack.One(&p.Released)}, attack.Options{Workers: workers})
	if err != nil {
		return err
	}
	var accuracies []float64
	for _, f := range a.Findings {
		if f.Attacker != entityAttacker {
			continue
		}
		v := 100 * float64(f.Value)
		switch together := strings.HasPrefix(f.Target, "all"); {
		case f.Metric == "f1" && together:
			m.put("privacy_f1", 100-v)
		case f.Metric == "accuracy" && !together:
			accuracies = append(accuracies, v)
		case f.Metric == "accuracy on absent":
			m.put("attack_absent:"+f.Target, v)
		case f.Metric == "accuracy on present":
			m.put("attack_present:"+f.Target, v)
		}
	}
	if len(accuracies) == 0 {
		return fmt.Errorf("declared: no attacker is called %s, must be one of the attack on entities", entityAttacker)
	}
	m.put("privacy_accuracy", 100-float64(measure.Summarise(accuracies).Mean))
	return nil
}
