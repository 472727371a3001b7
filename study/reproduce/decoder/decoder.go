// Package decoder reproduces the tables of Tang and Surdeanu, Interpretability Rules: Jointly
// Bootstrapping a Neural Relation Extractor with an Explanation Decoder (TrustNLP 2021): how
// well relations are told and rules written by rules alone, by networks that are trained on
// what rules match, and by networks that are trained on rules and labels, with classifier and
// decoder together and with either alone; and how that grows with the share of rules.
//
// The paper's data is licensed, and its rules derive from others': here are public sets with
// rules that were written or learnt, so published figures stand beside ours as those of other
// data. It measures nothing about privacy. The smallest use is
//
//	r, err := decoder.Run(ctx, decoder.Options{Data: []string{"conll04"}})
//
// It is apart from other tables because its published numbers are those of a paper of its own.
package decoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/study/relation"
	"sotto/study/relation/induce"
	"sotto/study/relation/joint"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
	"sotto/text/encode"
)

// Format is the format of a stored [Result].
const Format = "sotto-rule-decoder-1"

// Options says how the tables are made. The zero value uses the defaults.
type Options struct {
	Data    []string // sets; none means biographies and conll04
	Seeds   int      // 0 means 5, and 1 if quick
	Epochs  int      // of each training; 0 means as many as make Steps, and 2 if quick
	Steps   int      // of each training, about; 0 means what package joint takes
	Rate    float64  // of learning; 0 means what package joint takes
	Rows    int      // most pairs that are learnt from, drawn by sentence; 0 means all, and 300 if quick
	Quick   bool
	Workers int    // trainings at a time; 0 means all cores; no result depends on it
	Dir     string // folder of data sets; "" means dataset.Dir
	Store   string // folder of finished trainings; "" keeps nothing
	Again   bool   // train also what the store has

	Progress func(done, total int, words string) // may be nil
}

// Result is the tables beside what was published.
type Result struct {
	Format string   `json:"format"`
	Paper  string   `json:"paper"`
	Quick  bool     `json:"quick,omitempty"`
	Sets   []Set    `json:"sets"`
	Notes  []string `json:"notes"`
}

// Set is the tables of one data set.
type Set struct {
	Data    string  `json:"data"`
	Train   int     `json:"train"`            // pairs that are learnt from
	Rules   int     `json:"rules"`            // that were learnt from the training part
	Matched float64 `json:"matched"`          // share of its relations that a rule matches
	Epochs  int     `json:"epochs,omitempty"` // of each training; absent where steps decide
	Steps   int     `json:"steps,omitempty"`  // of each training, about; absent where package joint decides
	Rate    float64 `json:"rate,omitempty"`   // of learning; absent where package joint decides
	Table   []Line  `json:"table"`
	Curve   []Line  `json:"curve"` // on what rules match, by the share of rules
	// Together are the gains of training classifier and decoder together over either alone,
	// over seeds.
	Together []Gain `json:"together"`
}

// Line is a way to tell relations, and how it does on the test part.
type Line struct {
	Name      string          `json:"name"`
	On        string          `json:"on,omitempty"`
	Without   string          `json:"without,omitempty"`
	Share     float64         `json:"share,omitempty"` // of the rules
	Seeds     int             `json:"seeds"`
	Precision measure.Summary `json:"precision"`
	Recall    measure.Summary `json:"recall"`
	F1        measure.Summary `json:"f1"`
	MacroF1   measure.Summary `json:"macro_f1"`
	// F1 and the mean of F1 over relations on sentences that stand in no other part; absent
	// where all do.
	New      *measure.Summary `json:"f1_new_texts,omitempty"`
	NewMacro *measure.Summary `json:"macro_f1_new_texts,omitempty"`
	BLEU     measure.Summary  `json:"bleu"`
	// Greedy is BLEU of what is written with the likeliest piece each time, as the paper
	// decodes, and as every network here does that has no classifier.
	Greedy    measure.Summary `json:"bleu_greedy"`
	Faithful  measure.Summary `json:"faithful"`
	Published *Published      `json:"published,omitempty"`
}

// Gain is the mean of differences over seeds with the interval of 95 % that Student's t gives,
// and what that says.
type Gain struct {
	Name       string          `json:"name"`
	Difference measure.Summary `json:"difference"`
	Says       string          `json:"says"` // better, worse or not told
}

// plan is a line that is trained.
type plan struct {
	name, on, without string
	share             float64
}

// plans lists the lines of the table, and those of the curve.
func plans() (table, curve []plan) {
	for _, on := range []string{joint.RulesAlone, joint.RulesAndLabels} {
		for _, without := range []string{"", joint.Decoder, joint.Classifier} {
			name := "trained on rules"
			if on == joint.RulesAndLabels {
				name = "trained on rules and labels"
			}
			if without != "" {
				name += ", without " + without
			}
			table = append(table, plan{name, on, without, 1})
		}
	}
	for _, share := range []float64{0.2, 0.4, 0.6, 0.8, 1} {
		curve = append(curve, plan{fmt.Sprintf("%.0f %% of the rules", 100*share), joint.RulesAlone, "", share})
	}
	return table, curve
}

// Run makes the tables.
func Run(ctx context.Context, o Options) (*Result, error) {
	if len(o.Data) == 0 {
		o.Data = []string{"biographies", "conll04"}
	}
	seeds, epochs, rows := 5, 0, 0
	if o.Quick {
		seeds, epochs, rows = 1, 2, 300
	}
	o.Seeds, o.Epochs, o.Rows = cmp.Or(o.Seeds, seeds), cmp.Or(o.Epochs, epochs), cmp.Or(o.Rows, rows)
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	if o.Seeds < 1 || o.Epochs < 0 || o.Steps < 0 || o.Rows < 0 || o.Workers < 1 {
		return nil, fmt.Errorf("decoder: seeds is %d, epochs %d, steps %d, rows %d and workers %d, must be at least 1, and epochs, steps and rows not below 0", o.Seeds, o.Epochs, o.Steps, o.Rows, o.Workers)
	}
	for _, data := range o.Data {
		if !slices.Contains(dataset.RelationSets(), data) {
			return nil, fmt.Errorf("decoder: data is %.40q, must be some of %v", data, dataset.RelationSets())
		}
	}
	vectors, err := glove(o.Dir)
	if err != nil {
		return nil, err
	}
	r := &Result{Format: Format, Paper: paper, Quick: o.Quick, Notes: notes()}
	for k, data := range o.Data {
		s, err := o.set(ctx, data, vectors, func(done, total int, words string) {
			if o.Progress != nil {
				o.Progress(k*total+done, len(o.Data)*total, words)
			}
		})
		if err != nil {
			return nil, err
		}
		r.Sets = append(r.Sets, *s)
	}
	return r, nil
}

// glove returns the vectors with which words begin.
func glove(dir string) (joint.Vectors, error) {
	source, err := encode.Open("glove", cmp.Or(dir, dataset.Dir()))
	if err != nil {
		return nil, err
	}
	v, ok := source.(joint.Vectors)
	if !ok {
		return nil, errors.New("decoder: glove has no vectors of words, must be a file of them")
	}
	return v, nil
}

// work is a data set at hand.
type work struct {
	Options
	set     *relation.Set
	train   []relation.Instance
	rules   *rule.File
	vectors joint.Vectors
}

// set makes the tables of a data set.
func (o Options) set(ctx context.Context, data string, vectors joint.Vectors, tell func(done, total int, words string)) (*Set, error) {
	table, curve := plans()
	all := append(slices.Clone(table), curve[:len(curve)-1]...) // the whole of the rules stands in the table
	total := len(all) * o.Seeds
	tell(0, total, "reading "+data)
	set, err := relation.Prepare(ctx, relation.Options{Data: data, Dir: o.Dir, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	w := &work{Options: o, set: set, train: some(relation.Lessons(set.Part(dataset.Train)), o.Rows), vectors: vectors}
	tell(0, total, "learning rules of "+data)
	if w.rules, err = induce.Rules(ctx, w.train, induce.Options{}); err != nil {
		return nil, err
	}
	done, err := w.all(ctx, all, func(n int) { tell(n, total, "training on "+data) })
	if err != nil {
		return nil, err
	}
	s := &Set{Data: data, Train: len(w.train), Rules: len(w.rules.Rules), Epochs: o.Epochs, Steps: o.Steps, Rate: o.Rate}
	alone, err := w.alone(ctx)
	if err != nil {
		return nil, err
	}
	s.Matched = w.matched()
	s.Table = append(s.Table, *alone)
	for k, p := range table {
		s.Table = append(s.Table, line(p, done[k]))
	}
	for k, p := range curve {
		at := len(table) + k
		if p.share == 1 {
			at = 0
		}
		l := line(p, done[at])
		l.Published = publishedCurve(p.share)
		s.Curve = append(s.Curve, l)
	}
	s.Together = together(table, done)
	return s, nil
}

// some returns the instances of the first sentences that have so many; 0 means all.
func some(all []relation.Instance, rows int) []relation.Instance {
	if rows == 0 || rows >= len(all) {
		return all
	}
	for rows < len(all) && all[rows].Doc == all[rows-1].Doc {
		rows++
	}
	return all[:rows]
}

// all trains what is planned, some at a time, and returns the numbers by plan and seed.
func (w *work) all(ctx context.Context, plans []plan, tell func(done int)) ([][]numbers, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make([][]numbers, len(plans))
	for k := range done {
		done[k] = make([]numbers, w.Seeds)
	}
	var group sync.WaitGroup
	var mu sync.Mutex // guards count and failed
	count := 0
	var failed error
	next := make(chan [2]int)
	for range w.Workers {
		group.Go(func() {
			for at := range next {
				n, err := w.one(ctx, plans[at[0]], uint64(at[1]+1))
				mu.Lock()
				if err != nil && failed == nil {
					failed = err
					cancel()
				}
				done[at[0]][at[1]] = n
				count++
				tell(count)
				mu.Unlock()
			}
		})
	}
	for seed := range w.Seeds {
		for k := range plans {
			if ctx.Err() == nil {
				next <- [2]int{k, seed}
			}
		}
	}
	close(next)
	group.Wait()
	return done, cmp.Or(failed, ctx.Err())
}

// one trains a network and measures it, or takes what the store has.
func (w *work) one(ctx context.Context, p plan, seed uint64) (numbers, error) {
	s := joint.Settings{On: p.on, Without: p.without, Share: p.share, Epochs: w.Epochs, Steps: w.Steps, Rate: w.Rate, Seed: seed, Mask: relation.Typed(w.set.Name)}
	file := w.file(s)
	if n, ok, err := w.kept(file); ok || err != nil {
		return n, err
	}
	t, err := joint.New(joint.Data{Name: w.set.Name, Train: w.train, Dev: w.set.Part(dataset.Validation), Rules: w.rules, Vectors: w.vectors}, s)
	if err != nil {
		return numbers{}, err
	}
	if err = t.Run(ctx, joint.Options{Pool: nn.NewPool(1)}); err != nil {
		return numbers{}, err
	}
	m, err := t.Model()
	if err != nil {
		return numbers{}, err
	}
	r, err := judge.MeasureModel(ctx, m, w.set, judge.ModelOptions{Rules: w.rules})
	if err != nil {
		return numbers{}, err
	}
	n := numbers{r.ModelNumbers, r.New}
	return n, w.keep(file, n)
}

// alone measures the rules without a network.
func (w *work) alone(ctx context.Context) (*Line, error) {
	rules, err := relation.NewRules(w.rules)
	if err != nil {
		return nil, err
	}
	r, err := judge.MeasureModel(ctx, rules, w.set, judge.ModelOptions{Rules: w.rules})
	if err != nil {
		return nil, err
	}
	l := line(plan{name: "rules alone"}, []numbers{{r.ModelNumbers, r.New}})
	return &l, nil
}

// matched returns the share of the relations to learn from that a rule of theirs matches.
func (w *work) matched() float64 {
	rules, err := relation.NewRules(w.rules)
	if err != nil {
		return 0 // they were made ready before
	}
	n, found := 0, 0
	for k, at := range rules.ExplainAll(w.train, func(x relation.Instance) string { return x.Relation }) {
		if w.train[k].Relation != relation.None {
			n++
			if at >= 0 {
				found++
			}
		}
	}
	return relation.Tally{Right: found, Missed: n - found}.Score().Recall
}

// line makes means over seeds.
func line(p plan, all []numbers) Line {
	of := func(f func(numbers) float64) measure.Summary {
		var values []float64
		for _, n := range all {
			values = append(values, f(n))
		}
		return measure.Summarise(values)
	}
	l := Line{
		Name: p.name, On: p.on, Without: p.without, Share: p.share, Seeds: len(all), Published: published(p),
		Precision: of(func(n numbers) float64 { return n.Precision }),
		Recall:    of(func(n numbers) float64 { return n.Recall }),
		F1:        of(func(n numbers) float64 { return n.MicroF1 }),
		MacroF1:   of(func(n numbers) float64 { return n.MacroF1 }),
		BLEU:      of(func(n numbers) float64 { return n.BLEU }),
		Greedy:    of(func(n numbers) float64 { return n.GreedyBLEU }),
		Faithful:  of(func(n numbers) float64 { return n.Faithful }),
	}
	if all[0].New != nil {
		micro, macro := of(func(n numbers) float64 { return n.New.MicroF1 }), of(func(n numbers) float64 { return n.New.MacroF1 })
		l.New, l.NewMacro = &micro, &macro
	}
	return l
}

// together compares training both with training either, seed by seed.
func together(table []plan, done [][]numbers) []Gain {
	var all []Gain
	for k, p := range table {
		if p.without == "" {
			continue
		}
		both := slices.IndexFunc(table, func(q plan) bool { return q.on == p.on && q.without == "" })
		g := Gain{Name: "F1 " + p.name + ", and with it"}
		of := func(n numbers) float64 { return n.MicroF1 }
		if p.without == joint.Classifier {
			g.Name = "BLEU " + p.name + ", and with it"
			of = func(n numbers) float64 { return n.GreedyBLEU } // neither has a beam
		}
		var values []float64
		for seed := range done[k] {
			values = append(values, of(done[both][seed])-of(done[k][seed]))
		}
		g.Difference = measure.Summarise(values)
		switch d := g.Difference; {
		case d.Low > 0:
			g.Says = "better together"
		case d.High < 0:
			g.Says = "worse together"
		default:
			g.Says = "not told apart"
		}
		all = append(all, g)
	}
	return all
}
