package report_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page/pagetest"
	"sotto/learn/experiment"
	"sotto/promise/dp/dptest"
	"sotto/report"
	"sotto/text/encode/catalogue"
)

// scramble sets every number that was measured below v to another, so that
// nothing fits anything else, and one of ten to none.
func scramble(v reflect.Value, rng *rand.Rand) {
	switch v.Kind() { //nolint:exhaustive // numbers are of one kind, and the others hold them
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scramble(v.Elem(), rng)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				scramble(v.Field(i), rng)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scramble(v.Index(i), rng)
		}
	case reflect.Float64:
		switch {
		case v.Type() == reflect.TypeFor[measure.Number]() && rng.IntN(10) == 0:
			v.SetFloat(float64(nan))
		case v.Type() == reflect.TypeFor[measure.Number]():
			v.SetFloat(rng.Float64())
		}
	}
}

// Whatever evidence says, a page shows no value outside of its own interval.
func TestIntervalsHoldTheirValue(t *testing.T) {
	pairs, seeds := 0, dptest.Count(t, 20, 200)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 0))
		e := sample()
		for _, of := range [][]any{all[experiment.Result](e), all[evidence.Fairness](e)} {
			for _, v := range of {
				scramble(reflect.ValueOf(v), rng)
			}
		}
		for _, infer := range []bool{true, false} {
			for _, a := range attacks(e, infer) {
				scramble(reflect.ValueOf(a), rng)
			}
		}
		render(t, report.HTML, e) // which refuses such a plot
		pairs += pagetest.Intervals(t, render(t, report.Markdown, e))
	}
	if pairs < 10*seeds {
		t.Errorf("looked at %d pairs, want at least %d", pairs, 10*seeds)
	}
}

func all[T any](e *evidence.Evidence) []any {
	var list []any
	for _, v := range evidence.All[T](e) {
		list = append(list, v)
	}
	return list
}

// What was named by a path is shown by its name, on any system.
func TestNoPaths(t *testing.T) {
	for _, folder := range []string{"/tmp/a b/", "/home/someone/", `C:\Users\someone\`, `\\server\share\`, "/tmp/"} {
		e := sample()
		e.Title = folder + "title.json"
		for _, infer := range []bool{true, false} {
			for _, a := range attacks(e, infer) {
				a.Source = folder + "vectors.npy"
				for _, m := range a.Models {
					m.Folder = folder + "model"
				}
			}
		}
		r, f := first[experiment.Result](e), first[evidence.Fairness](e)
		r.Data.Name, r.Data.Encoder, r.Notes, r.Spec.Data = folder+"reviews.csv", catalogue.Name(folder+"encoder"), []string{"read from " + folder + "reviews.csv"}, folder+"reviews.csv"
		f.Source = folder + "predictions.csv"
		first[evidence.Release](e).Name = folder + "a.npy"
		first[experiment.Picture](e).Title = folder + "picture"
		for name, text := range map[string]string{"page": unescape(render(t, report.HTML, e)), "text": unescape(render(t, report.Markdown, e))} {
			t.Run(name, func(t *testing.T) { pagetest.Paths(t, text) })
		}
		for _, s := range e.Subjects() {
			pagetest.Paths(t, s.Name)
		}
	}
}
