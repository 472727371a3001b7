package experiment

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sotto/dp"
	"sotto/measure"
	"sotto/nn"
)

// Entity is something that may stand in a text, such as a name.
type Entity struct {
	Name    string
	Present []int // of each row: 1 if it is there, 0 if it is not, negative if unknown
}

// NewEntity makes an entity of a column with two values: the one that is called
// 1, true, yes, present or named means present, else the rarer one. It returns
// the name of that value. It is an error if there are not two values.
func NewEntity(name string, values []string, ids []int) (Entity, string, error) {
	if len(values) != 2 {
		return Entity{}, "", fmt.Errorf("experiment: %s has %d values, must have two: present and absent", name, len(values))
	}
	there := slices.IndexFunc(values, func(v string) bool {
		return slices.Contains([]string{"1", "true", "yes", "present", "named"}, strings.ToLower(v))
	})
	if there < 0 {
		there = 0
		if s := shares(ids, 2); s[1] < s[0] {
			there = 1
		}
	}
	e := Entity{Name: name, Present: make([]int, len(ids))}
	for i, v := range ids {
		switch {
		case v < 0:
			e.Present[i] = -1
		case v == there:
			e.Present[i] = 1
		}
	}
	return e, values[there], nil
}

// AttackEntities guesses which entities stand in the texts whose vectors
// somebody released, one row a release: each by a linear attacker, by one with
// two layers of 512 units, as in the DPNR paper, and by the reference perceptron
// on centred vectors, which noise that is the same in all coordinates does not
// hinder. Half of the rows, drawn by the seed, fits them, the other scores them.
// The guarantee is what is stated of one release, nil if nothing is.
//
// Findings are, for each entity, the accuracy, that on rows without and with it
// (Table 5 of the paper), and the F1 of its presence; and F1 over all entities
// together. The paper's empirical privacy 1−F is 1 less the last: its MAJORITY
// row, 49.34 %, is what that gives for naming Bush in every test text.
func AttackEntities(ctx context.Context, source string, released nn.Matrix, entities []Entity, g *dp.Guarantee, o AttemptOptions) (*Attempt, error) {
	o, pool, err := o.check()
	if err != nil {
		return nil, err
	}
	if len(entities) == 0 || released.Rows < 4 {
		return nil, fmt.Errorf("experiment: there are %d entities in %d rows, must be at least one in 4", len(entities), released.Rows)
	}
	a := &Attempt{Kind: Entities, Source: source, Guarantee: o.stated(g), Notes: entityNotes()}
	fit, score := halves(released.Rows, o.Seed)
	trials, err := a.entities(ctx, pool, gather(released, fit), gather(released, score), partition(entities, fit, score), o)
	if err != nil {
		return nil, err
	}
	return a.conclude(trials, o.Risk), nil
}

// entityNotes say what stands in the findings of entities.
func entityNotes() []string {
	return []string{
		"the baseline of F1 is that of the best guess without a release; of absent and present rows it is what a guess of the commoner answer reaches",
		"an interval of F1 is a bootstrap's, so F1 refutes nothing; accuracy does",
	}
}

// splitEntity is an entity in rows to fit and in rows to score.
type splitEntity struct {
	name       string
	fit, score []int
}

func partition(entities []Entity, fit, score []int) []splitEntity {
	var all []splitEntity
	for _, e := range entities {
		all = append(all, splitEntity{e.Name, pick(e.Present, fit), pick(e.Present, score)})
	}
	return all
}

// entities fits one attacker a core to releases and scores it on others.
func (a *Attempt) entities(ctx context.Context, pool *nn.Pool, fit, score nn.Matrix, all []splitEntity, o AttemptOptions) ([]trial, error) {
	list, err := AttackOptions{Seed: o.Seed, Attackers: []string{"linear", "mlp-100-centred", "mlp-512"}}.attackers(fit.Cols)
	if err != nil {
		return nil, err
	}
	guesses := make([][][]int, len(list)) // attacker × entity × row
	for k := range guesses {
		guesses[k] = make([][]int, len(all))
	}
	jobs := len(list) * len(all)
	faults := make([]error, jobs)
	done := counter(o.Progress, jobs)
	pool.Each(jobs, func(_, item int) {
		k, e := len(list)-1-item/len(all), item%len(all) // the slowest first, so that no core is left with it
		own := nn.NewPool(1)
		fitted, err := list[k].probe.Fit(ctx, own, list[k].see(measure.Labelled{X: fit}).X, all[e].fit, 2)
		if err != nil {
			faults[item] = fmt.Errorf("attacker %s of %s: %w", list[k].name, all[e].name, err)
			return
		}
		guesses[k][e] = fitted.Predict(own, list[k].see(measure.Labelled{X: score}).X)
		done()
	})
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	var trials []trial
	for k := range list {
		trials = append(trials, a.entityFindings(list[k].name, all, guesses[k], o.Seed)...)
	}
	return trials, nil
}

// entityFindings are those of one attacker.
func (a *Attempt) entityFindings(attacker string, all []splitEntity, got [][]int, seed uint64) []trial {
	epsilon := limitedBy(a.Guarantee)
	var trials []trial
	var want [][]int
	var priors []float64
	for k, e := range all {
		f := Finding{Attacker: attacker, Target: e.name, Baseline: undefined, Limit: undefined}
		of := shares(e.score, 2)
		hits, rows := hitsOf(e.score, got[k], func(int) bool { return true })
		accuracy := f
		accuracy.Metric, accuracy.Baseline, accuracy.Limit = "accuracy", measure.Number(max(of[0], of[1])), limit(epsilon, of)
		trials = append(trials, share(accuracy, hits, rows))
		for value, name := range []string{"accuracy on absent", "accuracy on present"} {
			part := f
			part.Metric, part.Baseline = name, 0
			if of[value] >= 0.5 {
				part.Baseline = 1
			}
			hits, rows := hitsOf(e.score, got[k], func(z int) bool { return z == value })
			t := share(part, hits, rows)
			t.below = nil // there is no limit: a constant guess reaches 1
			trials = append(trials, t)
		}
		trials = append(trials, f1(f, [][]int{e.score}, [][]int{got[k]}, of[1:2], epsilon, seed))
		want, priors = append(want, e.score), append(priors, of[1])
	}
	together := Finding{Attacker: attacker, Target: "all together"}
	return append(trials, f1(together, want, got, priors, epsilon, seed))
}

// f1 is a finding of F1.
func f1(f Finding, want, got [][]int, priors []float64, epsilon dp.Epsilon, seed uint64) trial {
	e := measure.Bootstrap{Seed: seed}.F1(want, got)
	f.Metric, f.Value, f.Low, f.High, f.Rows = "f1", e.Value, e.Low, e.High, len(want[0])
	f.Baseline = measure.Number(measure.F1Limit(0, priors))
	f.Limit = undefined
	if epsilon >= 0 {
		f.Limit = measure.Number(measure.F1Limit(epsilon, priors))
	}
	return trial{f, nil}
}

// hitsOf counts right guesses among the rows whose known value is one of some.
func hitsOf(want, got []int, of func(z int) bool) (hits, rows int) {
	for i, z := range want {
		if z >= 0 && of(z) {
			rows++
			if got[i] == z {
				hits++
			}
		}
	}
	return hits, rows
}

// AttackEntityModels is [AttackEntities] on the releases of the models of a
// folder that [Run] made, whose data set must have attributes of two values:
// attackers are fitted to releases of the validation part and scored on those of
// the test part. Models that release nothing are passed over; the others must
// all state the same guarantee.
func AttackEntityModels(ctx context.Context, dir string, o AttemptOptions) (*Attempt, error) {
	o, pool, err := o.check()
	if err != nil {
		return nil, err
	}
	stored, err := findModels(dir)
	if err != nil {
		return nil, err
	}
	record := stored[0].models[0].info.Data
	d, err := prepare(ctx, wanted(record), pool.Workers())
	if err != nil {
		return nil, err
	}
	entities, notes, err := d.entities()
	if err != nil {
		return nil, err
	}
	a := &Attempt{Kind: Entities, Source: dir, Notes: append(append(entityNotes(), notes...), simulated)}
	s, several := newScorer(d), len(stored) > 1 || len(stored[0].models) > 1
	var trials []trial
	for _, c := range stored {
		for _, m := range c.models {
			if m.model.Dim() == 0 {
				continue // it releases nothing
			}
			more, err := s.entities(ctx, pool, a, m, entities, o)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", c.folder, m.info.Seed, err)
			}
			for k := range more {
				if several {
					more[k].Model = strings.TrimPrefix(fmt.Sprintf("%s, seed %d", c.folder, m.info.Seed), ", ")
				}
			}
			trials = append(trials, more...)
		}
	}
	if len(trials) == 0 {
		return nil, fmt.Errorf("experiment: %s: no model releases anything that could be attacked", dir)
	}
	return a.conclude(trials, o.Risk), nil
}

// entities returns the attributes with two values.
func (d *prepared) entities() ([]Entity, []string, error) {
	var all []Entity
	var notes []string
	for _, c := range d.attributes {
		if len(c.Classes) != 2 {
			continue
		}
		e, value, err := NewEntity(c.Name, c.Classes, c.IDs)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, e)
		notes = append(notes, fmt.Sprintf("present means that %s is %q", c.Name, value))
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("experiment: %s has no attribute of two values, must have one to attack", d.record.Name)
	}
	return all, notes, nil
}

// entities attacks one model.
func (s *scorer) entities(ctx context.Context, pool *nn.Pool, a *Attempt, m storedModel, entities []Entity, o AttemptOptions) ([]trial, error) {
	record := s.data.record
	if m.info.Data.Hash != record.Hash || m.info.Data.Vectors != record.Vectors || m.model.Architecture().Inputs != s.data.X.Cols {
		return nil, errors.New("experiment: the data set or its encoder is not that of the model")
	}
	g := m.model.Guarantee()
	if stated := o.stated(&g); a.Guarantee == nil {
		a.Guarantee = stated
	} else if !reflect.DeepEqual(*a.Guarantee, *stated) {
		return nil, errors.New("experiment: the models of the folder state different guarantees, must be attacked folder by folder")
	}
	validation, err := s.release(pool, m.model, s.data.Validation, m.info.Seed, "validation")
	if err != nil {
		return nil, err
	}
	test, err := s.release(pool, m.model, s.data.test, m.info.Seed, "test")
	if err != nil {
		return nil, err
	}
	o.Seed += m.info.Seed
	return a.entities(ctx, pool, validation.released, test.released, partition(entities, validation.rows, test.rows), o)
}
