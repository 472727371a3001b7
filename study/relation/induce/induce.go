// Package induce learns rules that find relations from sentences whose relations are known:
// patterns that people can read, edit and use again.
//
//	s, err := relation.Prepare(ctx, relation.Options{Data: "conll04"})
//	…
//	f, err := induce.Rules(ctx, s.Part(dataset.Train), induce.Options{})
//
// Each training instance gives all patterns that describe it: over the words between its
// arguments and one beside them, with words made lemmas, lemmas parts of speech, and others
// gaps; and over its way through the tree. Rules are then chosen by minimum description
// length: a rule is worth having where it saves more bits of saying which instance has which
// relation than it takes to be written down. It is not private: rules tell of the sentences
// that they are from.
package induce

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// Options of [Rules]. The zero value uses the defaults.
type Options struct {
	Support   int     // instances that a rule must be right about; 0 means 2
	Precision float64 // share that it must be right about; 0 means 0.5
	Price     float64 // of a bit of a rule, in bits of labels; 0 means 0.05
	Words     bool    // describe arguments by their words, not by their types
	Sentences bool    // put a training sentence beside each rule
	Most      int     // rules at most; 0 means 5,000
}

func (o Options) filled() (Options, error) {
	if o.Support == 0 {
		o.Support = 2
	}
	if o.Precision == 0 {
		o.Precision = 0.5
	}
	if o.Price == 0 {
		o.Price = 0.05
	}
	if o.Most == 0 {
		o.Most = 5000
	}
	if o.Support < 1 || !(o.Precision > 0 && o.Precision <= 1) || !(o.Price > 0) || math.IsInf(o.Price, 0) || o.Most < 1 {
		return o, fmt.Errorf("induce: support is %d, precision %v, price %v and most %d, must be at least 1, from 0 to 1, above 0 and at least 1", o.Support, o.Precision, o.Price, o.Most)
	}
	return o, nil
}

// candidate is a pattern, and what it is about.
type candidate struct {
	text     string
	bits     int
	relation int
	covers   []int32 // instances that fit it
	gain     float64
}

// learner chooses rules.
type learner struct {
	Options
	all       []relation.Instance
	relations []string // the first is none
	label     []int    // by instance
	prior     []float64
	covered   []float64 // by instance, bits that its label takes now
}

// Rules learns rules from instances, of which none may be of a test part. The best stand
// first. The same instances give the same rules.
func Rules(ctx context.Context, all []relation.Instance, o Options) (*rule.File, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(all, func(x relation.Instance) bool { return x.Part == dataset.Test }) {
		return nil, errors.New("induce: an instance is of the test part, must be of another: rules must not have seen what they are measured on")
	}
	l := &learner{Options: o, all: all, relations: []string{relation.None}}
	l.count()
	found, err := l.candidates(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := l.choose(ctx, found)
	if err != nil {
		return nil, err
	}
	return l.file(chosen)
}

// count gives relations numbers, and says what a label takes before there are rules.
func (l *learner) count() {
	for _, x := range l.all {
		if x.Relation != relation.None {
			l.relations = append(l.relations, x.Relation)
		}
	}
	slices.Sort(l.relations)
	l.relations = slices.Compact(l.relations)
	l.label, l.prior, l.covered = make([]int, len(l.all)), make([]float64, len(l.relations)), make([]float64, len(l.all))
	for k, x := range l.all {
		l.label[k], _ = slices.BinarySearch(l.relations, x.Relation)
		l.prior[l.label[k]]++
	}
	for k, n := range l.prior {
		l.prior[k] = -math.Log2((n + 1) / float64(len(l.all)+len(l.prior)))
	}
	for k, c := range l.label {
		l.covered[k] = l.prior[c]
	}
}

// candidates returns the patterns that enough instances of one relation fit, in two passes:
// most patterns are there once.
func (l *learner) candidates(ctx context.Context) ([]*candidate, error) {
	seed := maphash.MakeSeed()
	times := map[uint64]int32{}
	for k, x := range l.all {
		if l.label[k] == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		once := map[uint64]bool{}
		patterns(x, l.Words, func(text string, _ int) {
			if h := maphash.String(seed, text); !once[h] {
				once[h] = true
				times[h]++
			}
		})
	}
	byText := map[string]*candidate{}
	for k, x := range l.all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		patterns(x, l.Words, func(text string, bits int) {
			if times[maphash.String(seed, text)] < int32(l.Support) {
				return
			}
			c := byText[text]
			if c == nil {
				c = &candidate{text: text, bits: bits}
				byText[text] = c
			}
			if n := len(c.covers); n == 0 || c.covers[n-1] != int32(k) {
				c.covers = append(c.covers, int32(k))
			}
		})
	}
	var all []*candidate
	for _, c := range byText {
		if l.settle(c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *candidate) int { return strings.Compare(a.text, b.text) })
	return all, nil
}

// settle gives a candidate the relation that it is most often right about, and reports
// whether that is often enough.
func (l *learner) settle(c *candidate) bool {
	right := make([]int, len(l.relations))
	for _, k := range c.covers {
		right[l.label[k]]++
	}
	for k := 1; k < len(right); k++ {
		if c.relation == 0 || right[k] > right[c.relation] {
			c.relation = k
		}
	}
	n := right[c.relation]
	return n >= l.Support && smoothed(n, len(c.covers)) >= l.Precision*smoothed(n, n)
}

// smoothed is a share that few cases do not make certain.
func smoothed(right, tried int) float64 { return (float64(right) + 1) / (float64(tried) + 2) }

// worth returns how many bits a candidate saves.
func (l *learner) worth(c *candidate) float64 {
	right := 0
	for _, k := range c.covers {
		if l.label[k] == c.relation {
			right++
		}
	}
	yes, no := l.bits(right, len(c.covers))
	gain := -l.Price * float64(c.bits)
	for _, k := range c.covers {
		bits := no
		if l.label[k] == c.relation {
			bits = yes
		}
		switch saved := l.covered[k] - bits; {
		case l.label[k] == c.relation:
			gain += max(saved, 0) // a better rule keeps what it covers
		case l.covered[k] == l.prior[l.label[k]]: // what another rule covers costs nothing more
			gain += saved
		}
	}
	return gain
}

// bits returns what a label takes where a rule is right, and where it is wrong.
func (l *learner) bits(right, tried int) (yes, no float64) {
	p := smoothed(right, tried)
	return -math.Log2(p), -math.Log2((1 - p) / float64(max(1, len(l.relations)-1)))
}

// queue holds candidates, that of the largest gain first.
type queue []*candidate

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[j].gain, q[i].gain), cmp.Compare(q[i].bits, q[j].bits), strings.Compare(q[i].text, q[j].text)) < 0
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*candidate)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// choose takes candidates as long as one saves bits, the one that saves most first.
func (l *learner) choose(ctx context.Context, all []*candidate) ([]*candidate, error) {
	var q queue
	for _, c := range all {
		if c.gain = l.worth(c); c.gain > 0 {
			q = append(q, c)
		}
	}
	heap.Init(&q)
	var chosen []*candidate
	for len(q) > 0 && len(chosen) < l.Most {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := heap.Pop(&q).(*candidate)
		gain := l.worth(c)
		if gain <= 0 {
			continue
		}
		if gain < c.gain { // what was taken since covers some of it
			c.gain = gain
			heap.Push(&q, c)
			continue
		}
		l.take(c)
		chosen = append(chosen, c)
	}
	return chosen, nil
}

// take lets a rule cover its instances.
func (l *learner) take(c *candidate) {
	right := 0
	for _, k := range c.covers {
		if l.label[k] == c.relation {
			right++
		}
	}
	yes, no := l.bits(right, len(c.covers))
	for _, k := range c.covers {
		switch {
		case l.label[k] == c.relation:
			l.covered[k] = min(l.covered[k], yes)
		case l.covered[k] == l.prior[l.label[k]]:
			l.covered[k] = no
		}
	}
}
