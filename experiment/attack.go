package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"sotto/dp"
	"sotto/measure"
	"sotto/nn"
)

// AttackOptions say how released vectors are attacked.
type AttackOptions struct {
	Seed    uint64       // of the split, the attackers and the shuffle of the code; a model's own is added
	Workers int          // cores; 0 means all
	Code    measure.Code // of the description length; empty leaves it out
	// Attackers are the names of those to try; nil means all: linear, mlp-100,
	// mlp-100-centred and mlp-512.
	Attackers []string
	// Coders are the names of those whose description length is computed, which
	// takes much longer than the attack; nil means all that attack.
	Coders []string
}

// Attack is what attackers learnt of an attribute from released vectors. They
// are adaptive: fitted to releases, and not to what the releases were made of.
type Attack struct {
	Attribute string   `json:"attribute"`
	Values    []string `json:"values,omitempty"` // its names, unless they are so many that they may name persons
	// Classes is the number of values that attackers tell apart. Of a model
	// these are the ones in the validation part, and one for all others.
	Classes   int               `json:"classes"`
	Attackers []AttackerOutcome `json:"attackers"`
	// Guarantee is what is stated of a release, nil if nothing is.
	Guarantee *dp.Guarantee `json:"guarantee,omitempty"`
	// Limit is the accuracy that no attacker exceeds if the guarantee is true,
	// for the shares of the values among the rows scored. It is known for a
	// text-level ε with δ = 0.
	Limit   measure.Number `json:"limit"`
	Refuted bool           `json:"refuted"` // an attacker did exceed it, beyond chance
}

// AttackerOutcome is what one attacker learnt.
type AttackerOutcome struct {
	Name string `json:"name"`
	measure.Leakage
	// Description is the length of the attribute in bits for this attacker, over
	// the rows to fit and to score together; nil if it was not asked for.
	Description *measure.DescriptionLength `json:"mdl,omitempty"`
	// Refutes says that the accuracy lies above the limit with a confidence of
	// 1 − 5 %/(2·attackers), and on stored models 1 − 5 %/(2·attackers·models),
	// so that all attackers of all models together refute a true guarantee in
	// at most one of forty attacks.
	Refutes bool `json:"refutes"`
}

// attacker is a probe, and what it does to a release before it looks.
type attacker struct {
	name    string
	probe   measure.Probe
	centred bool // subtracts the mean of a release's coordinates from each
}

// see returns the vectors as the attacker looks at them.
func (a attacker) see(d measure.Labelled) measure.Labelled {
	if !a.centred {
		return d
	}
	centred := measure.Labelled{X: nn.NewMatrix(d.X.Rows, d.X.Cols), Z: d.Z}
	for i := range d.X.Rows {
		mean := 0.0
		for _, v := range d.X.Row(i) {
			mean += float64(v)
		}
		mean /= float64(d.X.Cols)
		for j, v := range d.X.Row(i) {
			centred.X.Row(i)[j] = float32(float64(v) - mean)
		}
	}
	return centred
}

// attackers are those that every attack tries. The centred one knows that noise
// which is the same in all coordinates can be taken out again.
func attackers(seed uint64) []attacker {
	return []attacker{
		{"linear", measure.Probe{Hidden: []int{}, Seed: seed}, false},
		{"mlp-100", measure.Probe{Seed: seed}, false}, // the reference attacker of the FEDERATE tables
		{"mlp-100-centred", measure.Probe{Seed: seed}, true},
		{"mlp-512", measure.Probe{Hidden: []int{512, 512}, Epochs: 100, Seed: seed}, false}, // DPNR's two layers of 512 units
	}
}

// attackers returns those that were asked for, fit for vectors of so many
// coordinates.
func (o AttackOptions) attackers(coordinates int) ([]attacker, error) {
	var some []attacker
	var names []string
	for _, a := range attackers(o.Seed) {
		names = append(names, a.name)
		if a.centred && coordinates < 2 { // nothing would be left
			continue
		}
		if o.Attackers == nil || slices.Contains(o.Attackers, a.name) {
			some = append(some, a)
		}
	}
	for _, want := range slices.Concat(o.Attackers, o.Coders) {
		if !slices.Contains(names, want) {
			return nil, fmt.Errorf("experiment: attacker is %q, must be one of %s", want, strings.Join(names, ", "))
		}
	}
	if len(some) == 0 {
		return nil, errors.New("experiment: no attacker was chosen that suits the vectors, must be at least one")
	}
	return some, nil
}

// AttackVectors attacks an attribute, whose values have the given names, on
// vectors that somebody released, one row a release. Half of the rows, drawn by
// the seed, fits the attackers, the other scores them. The guarantee is what is
// stated of one release, nil if nothing is.
func AttackVectors(ctx context.Context, released measure.Labelled, attribute string, values []string, g *dp.Guarantee, o AttackOptions) (*Attack, error) {
	pool, err := o.pool()
	if err != nil {
		return nil, err
	}
	var known []int
	for i, z := range released.Z {
		if z >= 0 {
			known = append(known, i)
		}
	}
	if len(known) < 4 {
		return nil, fmt.Errorf("experiment: attribute is known in %d rows, must be known in at least 4", len(known))
	}
	// The second word keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(o.Seed, 0x61747461636b))
	rng.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	half := len(known) / 2
	a := &Attack{Attribute: attribute, Classes: len(values), Guarantee: g}
	if len(values) <= maxNamed {
		a.Values = values
	}
	return a, a.run(ctx, pool, take(released, known[:half]), take(released, known[half:]), 1, o)
}

// ModelAttack is an attack on the releases of one stored model.
type ModelAttack struct {
	Folder string `json:"folder"` // below the folder attacked; empty for that folder itself
	Seed   uint64 `json:"seed"`
	*Attack
}

// AttackModels attacks the models of a folder that [Run] made, as [Evaluate]
// finds them: attackers are fitted to releases of the validation part and scored
// on those of the test part, whose noise comes from the model's seed. Models that
// release nothing are passed over. An empty data or attribute is that of
// the model; another name of the data is an error.
func AttackModels(ctx context.Context, dir, data, attribute string, o AttackOptions) ([]ModelAttack, error) {
	pool, err := o.pool()
	if err != nil {
		return nil, err
	}
	stored, err := findModels(dir)
	if err != nil {
		return nil, err
	}
	record := stored[0].models[0].info.Data
	if data != "" && data != record.Name {
		return nil, fmt.Errorf("experiment: %s: the model was trained on %s, must be attacked on the same data", dir, record.Name)
	}
	if attribute != "" {
		record.Attribute = attribute
	}
	d, err := prepare(ctx, record, pool.Workers())
	if err != nil {
		return nil, err
	}
	if d.record.Hash != record.Hash {
		return nil, fmt.Errorf("experiment: %s: the data set %s is not the one the model was trained on, must have hash %.12s…", dir, record.Name, record.Hash)
	}
	if d.record.Vectors != record.Vectors {
		return nil, fmt.Errorf("experiment: %s: the encoder %s makes other vectors than those the model was trained on", dir, record.Encoder)
	}
	if d.Z == nil {
		return nil, fmt.Errorf("experiment: %s has no attribute to attack", record.Name)
	}
	var all []ModelAttack
	several := releasing(stored)
	for _, c := range stored {
		for _, m := range c.models {
			if m.model.Dim() == 0 {
				continue // it releases nothing
			}
			a, err := newScorer(d).attack(ctx, pool, m, several, o)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", c.folder, m.info.Seed, err)
			}
			all = append(all, ModelAttack{Folder: c.folder, Seed: m.info.Seed, Attack: a})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("experiment: %s: no model releases anything that could be attacked", dir)
	}
	return all, nil
}

// releasing counts the models that release something.
func releasing(stored []storedModels) int {
	n := 0
	for _, c := range stored {
		for _, m := range c.models {
			if m.model.Dim() > 0 {
				n++
			}
		}
	}
	return n
}

// attack attacks one of several models.
func (s *scorer) attack(ctx context.Context, pool *nn.Pool, m storedModel, several int, o AttackOptions) (*Attack, error) {
	if m.info.Data.Hash != s.data.record.Hash || m.info.Data.Vectors != s.data.record.Vectors || m.model.Architecture().Inputs != s.data.X.Cols {
		return nil, errors.New("experiment: the model is of other data")
	}
	validation, err := s.release(pool, m.model, s.data.Validation, m.info.Seed, "validation")
	if err != nil {
		return nil, err
	}
	test, err := s.release(pool, m.model, s.data.test, m.info.Seed, "test")
	if err != nil {
		return nil, err
	}
	fit, score, classes := s.attackable(validation, test)
	if classes == 0 {
		return nil, fmt.Errorf("experiment: no value of %s can be learnt from the validation part and scored on the test part", s.data.record.Attribute)
	}
	g := m.model.Guarantee()
	o.Seed += m.info.Seed // so that the reference attacker is that of Evaluate
	a := &Attack{Attribute: s.data.record.Attribute, Values: s.data.record.Groups, Classes: classes, Guarantee: &g}
	return a, a.run(ctx, pool, fit, score, several, o)
}

func (o AttackOptions) pool() (*nn.Pool, error) {
	if o.Workers < 0 {
		return nil, fmt.Errorf("experiment: workers is %d, must be at least 1", o.Workers)
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return nn.NewPool(o.Workers), nil
}

// run fits each attacker on a core of its own, and then codes the attribute. It
// is one of several attacks that share the chance of an error.
func (a *Attack) run(ctx context.Context, pool *nn.Pool, fit, score measure.Labelled, several int, o AttackOptions) error {
	a.Limit = undefined
	if g := a.Guarantee; g != nil && g.Unit == dp.Text && g.Delta == 0 {
		a.Limit = limit(g.Epsilon, shares(score.Z, a.Classes))
	}
	list, err := o.attackers(fit.X.Cols)
	if err != nil {
		return err
	}
	a.Attackers = make([]AttackerOutcome, len(list))
	faults := make([]error, len(list))
	pool.Each(len(list), func(_, item int) {
		k := len(list) - 1 - item // the slowest first, so that no core is left with it
		leak, err := measure.Leak(ctx, nn.NewPool(1), list[k].probe, list[k].see(fit), list[k].see(score), a.Classes)
		a.Attackers[k], faults[k] = AttackerOutcome{Name: list[k].name, Leakage: leak}, err
	})
	for k := range list {
		if faults[k] != nil {
			return fmt.Errorf("attacker %s: %w", list[k].name, faults[k])
		}
		a.Attackers[k].Refutes = exceeds(a.Attackers[k].Leakage, a.Limit, len(list)*several)
		a.Refuted = a.Refuted || a.Attackers[k].Refutes
	}
	if o.Code == "" {
		return nil
	}
	all := join(fit, score)
	for k := range list {
		if o.Coders != nil && !slices.Contains(o.Coders, list[k].name) {
			continue
		}
		l, err := list[k].probe.DescriptionLength(ctx, pool, list[k].see(all), a.Classes, o.Code)
		if err != nil {
			return fmt.Errorf("attacker %s: %w", list[k].name, err)
		}
		a.Attackers[k].Description = &l
	}
	return nil
}

// exceeds reports whether an accuracy lies above the limit beyond chance, with
// the chance of an error shared among several such tests.
func exceeds(l measure.Leakage, limit measure.Number, several int) bool {
	hits := int(math.Round(l.Accuracy * float64(l.RowsScored)))
	low, _ := measure.ClopperPearson(hits, l.RowsScored, 1-0.05/float64(several))
	return low > float64(limit) // never if there is none
}

// take returns some rows.
func take(d measure.Labelled, rows []int) measure.Labelled {
	some := measure.Labelled{X: nn.NewMatrix(len(rows), d.X.Cols), Z: pick(d.Z, rows)}
	for k, i := range rows {
		copy(some.X.Row(k), d.X.Row(i))
	}
	return some
}

// join returns the rows of both.
func join(a, b measure.Labelled) measure.Labelled {
	all := measure.Labelled{X: nn.NewMatrix(a.X.Rows+b.X.Rows, a.X.Cols)}
	copy(all.X.Data[copy(all.X.Data, a.X.Data):], b.X.Data)
	all.Z = append(append(all.Z, a.Z...), b.Z...)
	return all
}
