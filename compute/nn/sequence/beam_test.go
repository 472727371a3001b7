package sequence_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/sequence"
)

// TestBeam compares a beam that is wide enough to lose nothing with all sequences that there
// are, by their chances in a plain pass.
func TestBeam(t *testing.T) {
	const words, first, last, limit = 4, 0, 1, 3
	p, rng := nn.NewPool(1), generator()
	d, err := sequence.NewDecoder(sequence.Shape{Words: words, Embedding: 8, Memory: 16, Hidden: 16}, 0, 1, rng)
	if err != nil {
		t.Fatal(err)
	}
	from := sources(rng, 16, 16)
	type sequenceOf struct {
		words  []int
		chance float64
	}
	want := make([][]sequenceOf, len(from.Rows))
	var each func(before []int)
	each = func(before []int) {
		if n := len(before); n == limit || n > 0 && before[n-1] == last {
			for k := range want {
				chance := chanceOf(d, p, from.Pick([]int{k}), append([]int{first}, before...))
				want[k] = append(want[k], sequenceOf{slices.DeleteFunc(slices.Clone(before), func(w int) bool { return w == last }), chance})
			}
			return
		}
		for w := range words {
			each(append(slices.Clip(before), w))
		}
	}
	each(nil)
	const width = 64 // as many as there are sequences
	wide := d.Beam(p, from, first, last, limit, width)
	narrow := d.Beam(nn.NewPool(3), from, first, last, limit, 2)
	greedy := d.Greedy(p, from, first, last, limit)
	for k, all := range want {
		slices.SortStableFunc(all, func(x, y sequenceOf) int { return cmp.Compare(y.chance, x.chance) })
		if len(wide[k]) < 8 {
			t.Fatalf("a beam of %d writes %d sequences", width, len(wide[k]))
		}
		for i, got := range wide[k] {
			if !slices.Equal(got, all[i].words) {
				t.Fatalf("source %d: sequence %d is %v, want %v", k, i, got, all[i].words)
			}
		}
		if len(narrow[k]) != 2 {
			t.Errorf("a beam of 2 writes %v", narrow[k])
		}
		if one := d.Beam(p, from, first, last, limit, 1)[k]; !slices.Equal(one[0], greedy[k]) {
			t.Errorf("a beam of 1 writes %v, the greedy way %v", one, greedy[k])
		}
		alone := d.Beam(p, from.Pick([]int{k}), first, last, limit, 2)[0]
		if !slices.EqualFunc(alone, narrow[k], slices.Equal[[]int]) {
			t.Errorf("source %d alone has %v, among others and with three workers %v", k, alone, narrow[k])
		}
	}
	if none := d.Beam(p, from.Pick(nil), first, last, limit, 2); len(none) != 0 {
		t.Errorf("nothing to write about has %v", none)
	}
}

// chanceOf returns the logarithm of the chance of a sequence, the word that it begins with
// not counted.
func chanceOf(d *sequence.Decoder, p *nn.Pool, from sequence.Sources, ids []int) float64 {
	n := len(ids) - 1
	scores := d.Forward(p, nn.Infer, from, sequence.NewSteps([]int{n}), ids[:n])
	chance := 0.0
	for t := range n {
		sum := 0.0
		for _, v := range scores.Row(t) {
			sum += math.Exp(float64(v))
		}
		chance += float64(scores.Row(t)[ids[t+1]]) - math.Log(sum)
	}
	return chance
}
