package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"sotto/learn/experiment"
	"sotto/report"
)

// outcome is what a run gave.
type outcome struct {
	configurations []*declaredFigures
	notes          []string
	task           *report.PublishedTask // nil of a draw
}

// declaredFigures are the numbers of one configuration, in the units of the table.
type declaredFigures struct {
	point     experiment.Point
	selected  bool
	promise   *report.PublishedPromise
	falsehood string               // why its claim is false; "" if it is true
	values    map[string][]float64 // by metric, one for each seed
}

// find returns the configuration that a row means, nil if it was not trained,
// and its honest companion, nil if it has none or needs none.
func (o *outcome) find(m SpecMatch) (honest, asPublished *declaredFigures) {
	asPublished = o.choose(func(p experiment.Point) bool { return !p.Companion && (m == SpecMatch{} || m.meets(p)) })
	if asPublished != nil && asPublished.falsehood != "" {
		honest = o.choose(func(p experiment.Point) bool { return p.Companion && m.meets(p) })
	}
	return honest, asPublished
}

// choose returns the one configuration that is wanted, or the selected one of
// several, or nil.
func (o *outcome) choose(wanted func(experiment.Point) bool) *declaredFigures {
	var found []*declaredFigures
	for _, f := range o.configurations {
		if wanted(f.point) {
			found = append(found, f)
		}
	}
	for _, f := range found {
		if f.selected || len(found) == 1 {
			return f
		}
	}
	return nil
}

// worker does one run of a spec.
type worker struct {
	Options
	table string // its digest
	run   specRun
	label string
	told  int // parts of a hundred
}

// do does the run, or takes what the store has of it.
func (w *worker) do(ctx context.Context) (*outcome, error) {
	if w.run.Draw != nil {
		return w.doDraw(ctx)
	}
	s, err := w.run.experiment(w.Quick)
	if err != nil {
		return nil, err
	}
	if w.Seeds > 0 {
		s.Seeds = w.Seeds
	}
	out := &outcome{}
	for _, part := range bySeed(s) {
		r, more, err := w.obtain(ctx, part)
		if err != nil {
			return nil, err
		}
		if err := out.take(r, more); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bySeed returns what is trained one after the other: a spec that masks words
// draws the masks by its first seed, and one that tunes an encoder trains it by
// that, so each seed has a spec of its own.
func bySeed(s experiment.Spec) []experiment.Spec {
	if s.Dropout == 0 && !s.Tune {
		return []experiment.Spec{s}
	}
	var all []experiment.Spec
	for i := range max(s.Seeds, 1) {
		one := s
		one.Seeds, one.FirstSeed = 1, max(s.FirstSeed, 1)+uint64(i)
		all = append(all, one)
	}
	return all
}

// take enters a result and what was measured beyond it.
func (o *outcome) take(r *experiment.Result, more *measured) error {
	o.task = &report.PublishedTask{Data: r.Data.Name, Label: r.Data.Label, Priors: r.Priors}
	for _, c := range r.Configurations {
		f := o.of(c)
		for _, s := range c.Seeds {
			for name, v := range map[string]float64{
				"accuracy": float64(s.Accuracy), "gap": float64(s.Gap), "grms": float64(s.GRMS), "leakage": float64(s.Leakage),
			} {
				if !math.IsNaN(v) {
					f.values[name] = append(f.values[name], 100*v)
				}
			}
		}
		for _, m := range more.Models {
			if m.Folder == c.Folder {
				for name, v := range m.Metrics {
					f.values[name] = append(f.values[name], v)
				}
			}
		}
		if err := f.promises(c, r.Spec.Dropout); err != nil {
			return err
		}
	}
	o.notes = append(o.notes, r.Notes...)
	for _, f := range r.Failed {
		o.notes = append(o.notes, fmt.Sprintf("%s of %s was left out of the means: %s", f.Job, r.Spec.Data, f.Reason))
	}
	return nil
}

// of returns the figures of a configuration, new ones if it was not met before.
func (o *outcome) of(c experiment.Configuration) *declaredFigures {
	for _, f := range o.configurations {
		if f.point.Name() == c.Name() && f.point.Companion == c.Companion {
			return f
		}
	}
	f := &declaredFigures{point: c.Point, selected: c.Selected, values: map[string][]float64{}}
	o.configurations = append(o.configurations, f)
	return f
}

// promises enters what a configuration promises.
func (f *declaredFigures) promises(c experiment.Configuration, dropout float64) error {
	if c.Statement == nil || c.Mean.True == nil || f.promise != nil {
		return nil
	}
	f.promise = &report.PublishedPromise{Configuration: c.Name(), Claimed: c.Statement.Claimed, True: *c.Mean.True, Delta: c.Mean.Delta, Unit: c.Mean.Unit}
	if !c.Statement.Honest() {
		f.falsehood = fmt.Sprintf("%s %s: the claim is false: %s", c.Mechanism, c.Statement.Variant, c.Statement.Reason)
	}
	if dropout > 0 {
		return wordLevel(f.promise, dropout)
	}
	return nil
}

// tell passes on where the run stands.
func (w *worker) tell(job string, share float64) {
	part := int(100 * share)
	if w.Progress == nil || part <= w.told {
		return
	}
	w.told = part
	w.Progress(Event{Job: w.label + ": " + job, Done: part, Total: 100})
}

// encoders is the folder of tuned encoders that the runs of a table share; "" where
// models are measured, which are opened with the encoder beside them.
func (w *worker) encoders(s experiment.Spec) string {
	if !s.Tune || len(w.run.Measures) > 0 {
		return ""
	}
	return encoders(w.Store, w.table)
}

func encoders(store, table string) string { return filepath.Join(store, "encoders-"+table) }

// measuresFile lies beside the results of an experiment.
const measuresFile = "measures.json"

// obtain returns the result of an experiment and what the run wants measured of
// its models: from the store, or trained now and stored. What was begun before
// goes on.
func (w *worker) obtain(ctx context.Context, s experiment.Spec) (*experiment.Result, *measured, error) {
	e, err := OpenCache(ctx, w.Store, s)
	if err != nil {
		return nil, nil, err
	}
	if w.Again {
		if err = e.Remove(); err != nil {
			return nil, nil, err
		}
	}
	r, err := e.Result()
	if err != nil {
		return nil, nil, err
	}
	more := &measured{Format: measuredFormat}
	if _, err = e.Read(measuresFile, more); err != nil {
		return nil, nil, err
	} else if more.Format != measuredFormat {
		return nil, nil, e.Damaged(measuresFile, errors.New("its format is not known"))
	}
	missing := slices.DeleteFunc(slices.Clone(w.run.Measures), func(m SpecMeasure) bool {
		return slices.Contains(more.Done, m) || m == mdl && s.Limit != 0 // it counts rows
	})
	w.told = 0
	if r != nil && len(missing) == 0 {
		w.tell("re-used", 1)
		return r, more, e.DropModels() // which are there if it was trained elsewhere, or just before an interruption
	}
	models, err := e.Models()
	if r == nil || err == nil && len(models) == 0 { // they go once a run is complete
		r, err = e.Run(ctx, experiment.Options{Workers: w.Workers, Encoders: w.encoders(s), Progress: func(e experiment.Event) {
			w.tell(fmt.Sprintf("%s, epoch %d of %d", e.Job, e.At.Epoch, e.At.Epochs), e.Done)
		}})
		if err != nil {
			return nil, nil, err
		}
	}
	for _, m := range missing {
		if err = w.measure(ctx, e.Dir, r, m, more); err != nil {
			return nil, nil, err
		}
		if err = e.Write(measuresFile, more); err != nil {
			return nil, nil, err
		}
	}
	return r, more, e.DropModels()
}
