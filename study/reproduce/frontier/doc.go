// Package frontier measures how much accuracy a true ε allows: what the method
// auto reaches at each ε, beside the limit, what a model without protection
// reaches, and every other method at the same true ε.
//
// A [Task] is a data set with the labels that are wanted of it; a [Method] is
// something that is tried at it. Each task, method and ε is one experiment of
// package experiment, stored in a folder under what decides it, so that it is
// computed once: [Compute] does what is missing, or a share of it, so that
// several processes can share a folder, and [Collect] reads what is there and
// holds it against the aims of [Verdict]. No number of a [Result] is computed
// from anything but what is stored. The noise comes from seeds and protects
// nobody. The smallest use is
//
//	o := frontier.Options{Store: "results", Quick: true, Only: []string{"reviews-later"}}
//	if err := frontier.Compute(ctx, o); err != nil {
//		return err
//	}
//	r, err := frontier.Collect(ctx, o)
//
// It is apart because it has a resumable run, a format and options of its own.
package frontier

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sotto/internal/layout"
	"sotto/text/encode/catalogue"
)

// Options say which part of the frontier is meant, and how it is computed. The
// zero value but for Store is all of it.
type Options struct {
	Store string // folder of finished experiments; must be given

	Only    []string // tasks, or parts, by name; nil means all
	Methods []string // by name; nil means all
	// Encoder is the transformer of the methods that take one, as it comes and tuned:
	// the folder of one of the BERT family; "" means minilm.
	Encoder string
	// TuneEpochs is how often at most a transformer is trained on the texts; 0 means
	// what is usual for their number, and 1 if Quick.
	TuneEpochs int
	Epsilons   []float64 // nil means [Epsilons]
	Seeds      int       // 0 means 5, and 1 if Quick
	Limit      int       // rows to train on; 0 means the task's own number
	Quick      bool      // few rows and epochs, and two values of ε: a look, not a result

	// Shard and Shards let several processes share the work: this one takes
	// every Shards-th experiment, from the Shard-th, counted from 1. 0 and 0
	// mean all.
	Shard, Shards int
	Workers       int // cores; 0 means all. Results do not depend on it.
	// Progress, if not nil, is called now and then, never from two goroutines at
	// a time.
	Progress func(Event)

	without bool // the transformer is absent
}

// Event tells where the work stands.
type Event struct {
	Job         string  // what is being done
	Step        string  // of it; "" when the experiment is done
	Done, Total int     // experiments of this share that are done
	Share       float64 // of the experiment that is being done, from 0 to 1
	Found       bool    // it was in the store
}

// Epsilons are the values of ε that the frontier is measured at.
func Epsilons() []float64 { return []float64{0.5, 1, 2, 4, 8} }

const (
	quickLimit  = 600 // rows
	quickEpochs = 3
)

// filled returns o with its defaults, or every fault.
func (o Options) filled() (Options, error) {
	var errs []error
	if o.Store == "" {
		errs = append(errs, errors.New("frontier: store is empty, must be a folder"))
	}
	if o.Seeds < 0 || o.Limit < 0 || o.Workers < 0 || o.TuneEpochs < 0 {
		errs = append(errs, fmt.Errorf("frontier: seeds is %d, limit %d, workers %d and epochs of tuning %d, must be at least 1, or 0 for the default", o.Seeds, o.Limit, o.Workers, o.TuneEpochs))
	}
	if o.Shard == 0 && o.Shards == 0 {
		o.Shard, o.Shards = 1, 1
	}
	if o.Shard < 1 || o.Shard > o.Shards {
		errs = append(errs, fmt.Errorf("frontier: shard is %d of %d, must be from 1 to their number", o.Shard, o.Shards))
	}
	for _, name := range o.Only {
		if !slices.ContainsFunc(Tasks(), func(t Task) bool { return t.is(name) }) {
			errs = append(errs, fmt.Errorf("frontier: task is %.40q, must be one of %s%s", name, strings.Join(taskNames(), ", "), layout.Hint(name, taskNames())))
		}
	}
	for _, name := range o.Methods {
		if _, err := findMethod(name); err != nil {
			errs = append(errs, err)
		}
	}
	if o.Epsilons == nil && o.Quick {
		o.Epsilons = []float64{1, 4}
	} else if o.Epsilons == nil {
		o.Epsilons = Epsilons()
	}
	o.Epsilons = slices.Compact(slices.Sorted(slices.Values(o.Epsilons)))
	for _, e := range o.Epsilons {
		if !(e > 0 && e <= 100) {
			errs = append(errs, fmt.Errorf("frontier: epsilon is %v, must be above 0 and at most 100", e))
		}
	}
	if o.Seeds == 0 {
		o.Seeds = 5
		if o.Quick {
			o.Seeds = 1
		}
	}
	if info, err := catalogue.Find(minilm); o.Encoder == "" && (err != nil || !info.Present) {
		o.without = true
	}
	return o, errors.Join(errs...)
}
