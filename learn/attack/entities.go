package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/promise/dp"
)

// entity makes something that may stand in a text, such as a name, of a column
// with two values. The one that is called 1, true, yes, present or named means
// present, else the rarer one: it becomes class 1, and the other class 0. It is an
// error if there are not two values.
func entity(c dataset.Column) (dataset.Column, error) {
	if len(c.Classes) != 2 {
		return c, fmt.Errorf("attack: %s has %d values, must have two: present and absent", c.Name, len(c.Classes))
	}
	there := slices.IndexFunc(c.Classes, func(v string) bool {
		return slices.Contains([]string{"1", "true", "yes", "present", "named"}, strings.ToLower(v))
	})
	if s := measure.Shares(c.IDs, 2); there == 1 || there < 0 && s[1] < s[0] {
		return c, nil
	}
	e := dataset.Column{Name: c.Name, Classes: []string{c.Classes[1], c.Classes[0]}, IDs: slices.Clone(c.IDs)}
	for i, v := range c.IDs {
		if v >= 0 {
			e.IDs[i] = 1 - v
		}
	}
	return e, nil
}

// entities guesses which entities stand in the texts whose vectors were
// released: each by a linear attacker, by one with two layers of 512 units, as in
// the DPNR paper, and by the reference perceptron on centred vectors, which noise
// that is the same in all coordinates does not hinder. Half of the rows, drawn by
// the seed, fits them, the other scores them; where the releases are those of
// stored models, these say which rows do, and the entities are the columns of two
// values. All must state the same guarantee.
//
// Findings are, for each entity, the accuracy, that on rows without and with it
// (Table 5 of the paper), and the F1 of its presence; and F1 over all entities
// together. The paper's empirical privacy 1−F is 1 less the last: its MAJORITY
// row, 49.34 %, is what that gives for naming Bush in every test text.
func (a *attempt) entities(ctx context.Context) error {
	a.note(
		"the baseline of F1 is that of the best guess without a release; of absent and present rows it is what a guess of the commoner answer reaches",
		"an interval of F1 is a bootstrap's, so F1 refutes nothing; accuracy does",
	)
	first := true
	return a.released(func(r *Released) error {
		entities, notes, err := r.entities()
		if err != nil {
			return err
		}
		stated := cmp.Or(a.Claim, r.Guarantee)
		if first {
			a.note(notes...)
			a.result.Guarantee, first = stated, false
		} else if !reflect.DeepEqual(a.result.Guarantee, stated) {
			return errors.New("attack: the models of the folder state different guarantees, must be attacked folder by folder")
		}
		fit, score := r.Fit, r.Score
		if score.Vectors.Rows == 0 {
			if fit.Vectors.Rows < 4 {
				return fmt.Errorf("attack: there are releases of %d rows, must be at least 4", fit.Vectors.Rows)
			}
			first, second := halves(fit.Vectors.Rows, a.Seed)
			fit, score = r.Fit.gather(first), r.Fit.gather(second)
		}
		findings, err := a.recognised(ctx, fit, score, entities, a.Seed+r.Seed)
		for i := range findings {
			findings[i].Model = r.Name
		}
		a.find(findings...)
		return err
	})
}

// entities makes an entity of each column, and says what means present. A stored
// model's data set may have columns of other kinds.
func (r *Released) entities() ([]dataset.Column, []string, error) {
	var all []dataset.Column
	var notes []string
	for _, c := range r.Columns {
		if len(c.Classes) != 2 && r.Score.Vectors.Rows > 0 {
			continue
		}
		e, err := entity(c)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, e)
		notes = append(notes, fmt.Sprintf("present means that %s is %q", c.Name, e.Classes[1]))
	}
	if r.Score.Vectors.Rows > 0 {
		notes = append(notes, simulated)
	}
	if len(all) == 0 {
		return nil, nil, errors.New("attack: there is no attribute of two values, must be one to attack")
	}
	return all, notes, nil
}

// recognised fits one attacker a core to releases and scores it on others.
func (a *attempt) recognised(ctx context.Context, fit, score Part, all []dataset.Column, seed uint64) ([]Finding, error) {
	list, err := choose([]string{"linear", "mlp-100-centred", "mlp-512"}, seed, fit.Vectors.Cols)
	if err != nil {
		return nil, err
	}
	guesses := make([][][]int, len(list)) // attacker × entity × row
	for k := range guesses {
		guesses[k] = make([][]int, len(all))
	}
	jobs := len(list) * len(all)
	done := a.counter(jobs)
	if err := a.each(ctx, jobs, func(ctx context.Context, item int) error {
		k, e := len(list)-1-item/len(all), item%len(all) // the slowest first, so that no core is left with it
		own := nn.NewPool(1)
		fitted, err := list[k].probe.Fit(ctx, own, list[k].see(fit.Vectors), fit.of(all[e].IDs), 2)
		if err != nil {
			return fmt.Errorf("attacker %s of %s: %w", list[k].name, all[e].Name, err)
		}
		guesses[k][e] = fitted.Predict(own, list[k].see(score.Vectors))
		done()
		return nil
	}); err != nil {
		return nil, err
	}
	var findings []Finding
	for k := range list {
		findings = append(findings, a.entityFindings(list[k].name, score, all, guesses[k], seed)...)
	}
	return findings, nil
}

// entityFindings are those of one attacker.
func (a *attempt) entityFindings(attacker string, score Part, all []dataset.Column, got [][]int, seed uint64) []Finding {
	epsilon := limitedBy(a.result.Guarantee)
	var findings []Finding
	var want [][]int
	var priors []float64
	for k, e := range all {
		f := Finding{Attacker: attacker, Target: e.Name, Baseline: measure.Undefined, Limit: measure.Undefined}
		present := score.of(e.IDs)
		of := measure.Shares(present, 2)
		hits, rows := measure.Hits(present, got[k])
		accuracy := f
		accuracy.Metric, accuracy.Baseline, accuracy.Limit = "accuracy", measure.Number(max(of[0], of[1])), measure.AccuracyLimit(epsilon, of)
		findings = append(findings, share(accuracy, hits, rows))
		for value, name := range []string{"accuracy on absent", "accuracy on present"} {
			part := f // without a limit: a constant guess reaches 1
			part.Metric, part.Baseline = name, 0
			if of[value] >= 0.5 {
				part.Baseline = 1
			}
			own := slices.Clone(present)
			for i, z := range own {
				if z != value {
					own[i] = dataset.Unknown
				}
			}
			hits, rows := measure.Hits(own, got[k])
			findings = append(findings, share(part, hits, rows))
		}
		findings = append(findings, f1(f, [][]int{present}, [][]int{got[k]}, of[1:2], epsilon, seed))
		want, priors = append(want, present), append(priors, of[1])
	}
	together := Finding{Attacker: attacker, Target: "all together"}
	return append(findings, f1(together, want, got, priors, epsilon, seed))
}

// f1 is a finding of F1.
func f1(f Finding, want, got [][]int, priors []float64, epsilon dp.Epsilon, seed uint64) Finding {
	e := measure.Bootstrap{Seed: seed}.F1(want, got)
	f.Metric, f.Value, f.Low, f.High, f.Rows = "f1", e.Value, e.Low, e.High, len(want[0])
	f.Baseline, f.Limit = measure.Number(measure.F1Limit(0, priors)), measure.Undefined
	if epsilon >= 0 {
		f.Limit = measure.Number(measure.F1Limit(epsilon, priors))
	}
	return f
}
