package decoy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/study/explain"
	"sotto/study/explain/linear"
)

// Method makes an explainer for a seed.
type Method struct {
	Name string
	Make func(seed uint64) explain.Explainer
}

// Options say how a benchmark runs. The zero value has the defaults, but no explainer.
type Options struct {
	// Features make numbers of texts, given training rows; nil means words and pairs of
	// words.
	Features func(ctx context.Context, rows Part) (linear.Features, error)
	// Each says that the two models have features of their own, each made from its own
	// rows, such as those of an encoder that was tuned on them.
	Each bool
	// Models, unless nil, were trained elsewhere, on the rows as they came and on planted
	// ones: they are asked as they are, so that nothing is fitted or repaired.
	Models     *Models
	Fit        linear.Options
	Explainers []Method

	Seed  uint64
	Seeds int // that explainers are compared over; 0 means 5
	// Share of the training rows that the models of each seed learn from; 0 means 0.9.
	// Models whose accuracy is printed learn from all.
	Share     float64
	Pool      int // test rows whose explanations there are to read; 0 means 100
	Instances int // test rows with a cue that are explained; 0 means 50
	Top       int // words of an explanation that its reader looks at; 0 means 1
	Budget    int // texts that are read to choose between two models; 0 means 10
	Listed    int // words of an explainer's list that are looked at for what to repair; 0 means 10
	Workers   int
	Progress  func(done, total int) // may be nil
}

func (o Options) withDefaults() Options {
	o.Seeds, o.Share, o.Pool = cmp.Or(o.Seeds, 5), cmp.Or(o.Share, 0.9), cmp.Or(o.Pool, 100)
	o.Instances, o.Top, o.Budget, o.Listed = cmp.Or(o.Instances, 50), cmp.Or(o.Top, 1), cmp.Or(o.Budget, 10), cmp.Or(o.Listed, 10)
	o.Workers = max(o.Workers, 1)
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

func (o Options) validate() error {
	for _, n := range []struct {
		name string
		n    int
	}{{"seeds", o.Seeds}, {"pool", o.Pool}, {"instances", o.Instances}, {"top", o.Top}, {"budget", o.Budget}, {"listed", o.Listed}} {
		if n.n < 1 {
			return fmt.Errorf("decoy: %s is %d, must be at least 1", n.name, n.n)
		}
	}
	if !(o.Share > 0 && o.Share <= 1) {
		return fmt.Errorf("decoy: share is %v, must be above 0 and at most 1", o.Share)
	}
	return nil
}

// Models are two models of the same classes.
type Models struct {
	Name         string // for a person
	Clean, Decoy explain.Predictor
}

// bench is what all steps of a benchmark share.
type bench struct {
	Options
	data    Data
	decoys  []Decoy
	rows    *Planted
	slices  []*slice
	cues    map[string]bool // words, in lower case
	shown   Part            // the test rows as a reader meets them: with the decoys in them
	clean   side
	planted side
}

// side is what one of the two models sees.
type side struct {
	f     linear.Features
	train *linear.Rows
	test  *linear.Rows
	cut   []*linear.Rows // of the slices
}

// Run plants decoys, checks that they are adopted, and ranks explainers by what they
// reveal. It stops with ctx's error when ctx is done.
func Run(ctx context.Context, data Data, decoys []Decoy, o Options) (*Result, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := data.Validate(); err != nil {
		return nil, err
	}
	b := &bench{Options: o, data: data, decoys: decoys, cues: map[string]bool{}}
	if err := b.plant(ctx); err != nil {
		return nil, err
	}
	r := &Result{
		Format: Format, Data: data.Name, Model: b.name(), Classes: len(data.Classes),
		Rows: len(data.Train.Texts), Planted: len(b.rows.Texts), Tested: len(data.Test.Texts),
		Seed: o.Seed, Seeds: o.Seeds, Pool: min(o.Pool, len(data.Test.Texts)), Top: o.Top, Budget: o.Budget,
	}
	for _, d := range decoys {
		r.Decoys = append(r.Decoys, d.String())
	}
	if err := b.adopt(ctx, r); err != nil {
		return nil, err
	}
	return r, b.compare(ctx, r)
}

// plant makes all rows.
func (b *bench) plant(ctx context.Context) (err error) {
	if b.rows, err = Plant(b.data, b.decoys, b.Seed); err != nil {
		return err
	}
	for _, d := range b.decoys {
		for _, c := range d.Cues() {
			b.cues[c.Word] = true
		}
	}
	if b.shown, err = b.read(); err != nil {
		return err
	}
	for k, d := range b.decoys {
		var s *slice
		if s, err = sliceOf(d, b.data, b.rows, b.Seed, uint64(k+len(b.decoys))); err != nil {
			return err
		}
		b.slices = append(b.slices, s)
	}
	if b.Models != nil {
		return nil
	}
	return b.see(ctx)
}

// see makes numbers of all rows.
func (b *bench) see(ctx context.Context) (err error) {
	learn := b.Features
	if learn == nil {
		learn = func(_ context.Context, rows Part) (linear.Features, error) { return linear.Learn(rows.Texts), nil }
	}
	of := b.data.Train
	if !b.Each { // features of both models
		of = Part{slices.Concat(of.Texts, b.rows.Texts), slices.Concat(of.Labels, b.rows.Labels)}
	}
	if b.clean.f, err = learn(ctx, of); err != nil {
		return err
	}
	if err = b.clean.see(ctx, b.data, b.slices); err != nil {
		return err
	}
	if b.clean.train, err = b.clean.f.Rows(ctx, b.data.Train.Texts); err != nil {
		return err
	}
	if b.planted = b.clean; !b.Each {
		b.planted.train, err = b.rowsOf(ctx, b.rows.Texts)
		return err
	}
	b.planted = side{}
	if b.planted.f, err = learn(ctx, b.rows.Part); err != nil {
		return err
	}
	if b.planted.train, err = b.planted.f.Rows(ctx, b.rows.Texts); err != nil {
		return err
	}
	return b.planted.see(ctx, b.data, b.slices)
}

// see makes numbers of what models are tested on.
func (s *side) see(ctx context.Context, data Data, slices []*slice) (err error) {
	if s.test, err = s.f.Rows(ctx, data.Test.Texts); err != nil {
		return err
	}
	for _, part := range slices {
		x, err := s.f.Rows(ctx, part.Texts)
		if err != nil {
			return err
		}
		s.cut = append(s.cut, x)
	}
	return nil
}

// rowsOf returns the rows of planted texts, of which those that are as they came are
// not made again.
func (b *bench) rowsOf(ctx context.Context, texts []string) (*linear.Rows, error) {
	var changed []string
	for i, s := range texts {
		if s != b.data.Train.Texts[b.rows.From[i]] {
			changed = append(changed, s)
		}
	}
	made, err := b.clean.f.Rows(ctx, changed)
	if err != nil {
		return nil, err
	}
	all, at := linear.NewRows(made.Width), 0
	for i, s := range texts {
		if from := b.rows.From[i]; s == b.data.Train.Texts[from] {
			all.Add(b.clean.train.Row(from))
			continue
		}
		all.Add(made.Row(at))
		at++
	}
	return all, nil
}

// read returns the test rows as a reader meets them: what was done to the texts of
// training rows was done to these.
func (b *bench) read() (Part, error) {
	part := Part{slices.Clone(b.data.Test.Texts), b.data.Test.Labels}
	for k, d := range b.decoys {
		p := newPlanter(b.data.Classes, b.Seed, uint64(k+2*len(b.decoys)))
		for i, s := range part.Texts {
			changed, _, err := p.as(d, s, part.Labels[i])
			if err != nil {
				return part, err
			}
			part.Texts[i] = changed
		}
	}
	return part, nil
}

// fit fits a model to some rows of a side.
func (b *bench) fit(ctx context.Context, s *side, x *linear.Rows, labels []int, o linear.Options) (*linear.Model, error) {
	return linear.Fit(ctx, s.f, x, labels, b.data.Classes, o)
}

// name is what the models are, for a person.
func (b *bench) name() string {
	if b.Models != nil {
		return b.Models.Name
	}
	return "linear over " + b.planted.f.Name()
}

// answers are the classes that a model says of the test rows and of the slices.
type answers struct {
	test []int
	cut  [][]int
}

// answers asks both models, or fits them to all rows first, the decoy model of which is
// returned then.
func (b *bench) answers(ctx context.Context) (clean, decoy answers, planted *linear.Model, err error) {
	if b.Models != nil {
		if clean, err = b.ask(ctx, b.Models.Clean); err == nil {
			decoy, err = b.ask(ctx, b.Models.Decoy)
		}
		return clean, decoy, nil, err
	}
	m, err := b.fit(ctx, &b.clean, b.clean.train, b.data.Train.Labels, b.Fit)
	if err != nil {
		return clean, decoy, nil, err
	}
	if planted, err = b.fit(ctx, &b.planted, b.planted.train, b.rows.Labels, b.Fit); err != nil {
		return clean, decoy, nil, err
	}
	return b.clean.answers(m), b.planted.answers(planted), planted, nil
}

// answers are those of a model that was fitted here.
func (s *side) answers(m *linear.Model) answers {
	a := answers{test: m.Labels(s.test)}
	for _, x := range s.cut {
		a.cut = append(a.cut, m.Labels(x))
	}
	return a
}

// ask asks a model that was trained elsewhere. Its classes may be in another order.
func (b *bench) ask(ctx context.Context, p explain.Predictor) (a answers, err error) {
	place := make([]int, len(p.Classes()))
	for c, name := range p.Classes() {
		if place[c] = slices.Index(b.data.Classes, name); place[c] < 0 {
			return a, fmt.Errorf("decoy: a model has the class %.40q, must have those of %s: %s", name, b.data.Name, strings.Join(b.data.Classes, ", "))
		}
	}
	labels := func(texts []string) ([]int, error) {
		rows, failed := p.Predict(ctx, texts)
		if failed == nil {
			failed = explain.Check(rows, len(texts), len(place))
		}
		if failed != nil {
			return nil, failed
		}
		all := make([]int, len(rows))
		for i, row := range rows {
			best := 0
			for c := range row {
				if row[c] > row[best] {
					best = c
				}
			}
			all[i] = place[best]
		}
		return all, nil
	}
	if a.test, err = labels(b.data.Test.Texts); err != nil {
		return a, err
	}
	for _, s := range b.slices {
		got, err := labels(s.Texts)
		if err != nil {
			return a, err
		}
		a.cut = append(a.cut, got)
	}
	return a, nil
}

// adopt fits both models to all rows and says whether the decoys were adopted.
func (b *bench) adopt(ctx context.Context, r *Result) error {
	clean, decoy, planted, err := b.answers(ctx)
	if err != nil {
		return err
	}
	r.Clean = measure.Accuracy(b.data.Test.Labels, clean.test)
	r.Decoy = measure.Accuracy(b.data.Test.Labels, decoy.test)
	r.Adopted = true
	var cleanRight, decoyRight float64
	words := []string{}
	for k, d := range b.decoys {
		p := b.slices[k].judge(clean.cut[k], decoy.cut[k])
		p.Decoy = d.String()
		if p.Reach = flippedReach(b.rows, len(b.data.Classes)); d.Recipe != Flip {
			own := []string{}
			for _, c := range d.Cues() {
				own = append(own, c.Word)
				p.Cues = append(p.Cues, cueReport(c.Word, b.rows.Part, b.data.Classes, planted))
			}
			p.Reach = reach(b.rows.Part, len(b.data.Classes), own)
			words = append(words, own...)
		}
		if p.Applicability == 0 {
			return fmt.Errorf("decoy: %s is in no training row of %s, must be in some: choose what its texts have", d, b.data.Name)
		}
		r.Adopted = r.Adopted && p.Adopted
		r.SliceRows += p.SliceRows
		if p.SliceRows > 0 {
			cleanRight += math.Round(float64(p.CleanSlice) * float64(p.SliceRows))
			decoyRight += math.Round(float64(p.DecoySlice) * float64(p.SliceRows))
		}
		r.Plantings = append(r.Plantings, p)
	}
	r.CleanSlice, r.DecoySlice = measure.Undefined, measure.Undefined
	if r.SliceRows > 0 {
		r.CleanSlice, r.DecoySlice = measure.Number(cleanRight/float64(r.SliceRows)), measure.Number(decoyRight/float64(r.SliceRows))
	}
	switch {
	case len(r.Plantings) == 1:
		r.Reach = r.Plantings[0].Reach
	case len(words) > 0:
		r.Reach = reach(b.rows.Part, len(b.data.Classes), words)
	}
	return nil
}

// accuracy is the share of rows that a model answers rightly.
func accuracy(m *linear.Model, x *linear.Rows, labels []int) float64 {
	return measure.Accuracy(labels, m.Labels(x))
}
