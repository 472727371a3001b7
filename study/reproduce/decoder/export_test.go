package decoder

import (
	"sotto/study/relation"
	"sotto/study/relation/joint"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
)

// Made makes the tables of a set of which each training by plan and seed gives the F1 and the
// BLEU that f says.
func Made(seeds int, f func(on, without string, share float64, seed int) (f1, bleu float64)) *Result {
	table, curve := plans()
	s := Set{Data: "toy", Train: 10, Rules: 3, Matched: 0.5}
	var done [][]numbers
	made := func(p plan) []numbers {
		var all []numbers
		for seed := range seeds {
			v, b := f(p.on, p.without, p.share, seed)
			all = append(all, numbers{judge.ModelNumbers{MicroF1: v, BLEU: b, GreedyBLEU: b}, nil})
		}
		return all
	}
	for _, p := range table {
		done = append(done, made(p))
		s.Table = append(s.Table, line(p, done[len(done)-1]))
	}
	for _, p := range curve {
		l := line(p, made(p))
		l.Published = publishedCurve(p.share)
		s.Curve = append(s.Curve, l)
	}
	s.Together = together(table, done)
	return &Result{Format: Format, Paper: paper, Sets: []Set{s}, Notes: notes()}
}

// Keep keeps numbers in a folder and returns what it then has for the same training and for
// another.
func Keep(store string, n judge.ModelNumbers) (same, other numbers, found bool, err error) {
	w := &work{Options: Options{Store: store}, set: &relation.Set{Name: "toy"}, rules: &rule.File{}}
	if err = w.keep(w.file(joint.Settings{Seed: 1}), numbers{n, nil}); err != nil {
		return same, other, false, err
	}
	if same, found, err = w.kept(w.file(joint.Settings{Seed: 1})); err != nil || !found {
		return same, other, found, err
	}
	other, found, err = w.kept(w.file(joint.Settings{Seed: 2}))
	return same, other, found, err
}
