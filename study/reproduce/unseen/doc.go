// Package unseen measures what releases tell of questions that nobody had asked when
// they were made: classes of nine sets of texts, the similarity of sentences and the
// nearest of many texts, by the cells of public texts and by what else there is, at
// the same ε.
//
// A text is released once, knowing no label. The classifier is fitted to releases of
// the training part, with labels that are no secret, its penalty chosen on releases of
// the validation part, and judged on releases of the test part. The noise comes from
// seeds, so that a table can be repeated, and protects nobody. The smallest use is
//
//	r, err := unseen.Run(ctx, unseen.Options{Only: []string{"trec"}, Encoders: []string{"default"}})
//	if err != nil {
//		return err
//	}
//	return r.Print(os.Stdout)
//
// It is apart because it has a format and options of its own.
package unseen

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/internal/layout"
	"sotto/text/encode/catalogue"
)

// Options say what is measured. The zero value measures everything.
type Options struct {
	Only     []string  // tasks; nil means all
	Methods  []string  // nil means all
	Epsilons []float64 // nil means 1, 2, 4 and 8
	Encoders []string  // nil means minilm and default
	Seeds    int       // 0 means 5
	Limit    int       // rows to train on, and of a public set, at most, with a quarter as many to validate and to test; 0 means all
	Dir      string    // of data sets; "" means that of package dataset
	Store    string    // folder in which vectors are kept; must not be ""
	Workers  int       // 0 means all cores; results do not depend on it
	Progress func(Event)

	sources []Source // that cells are made of; nil means all
}

// Event is a piece of work that is done.
type Event struct {
	Job         string
	Done, Total int
}

// fill fills in what the options leave out, and refuses what cannot be measured.
func (o Options) fill() (Options, []Task, []Method, error) {
	if o.Seeds < 0 || o.Workers < 0 || o.Store == "" || o.Limit != 0 && o.Limit < fewest {
		return o, nil, nil, fmt.Errorf("unseen: seeds are %d, workers %d, the limit %d and the store %q, must be at least 1, 1 and %d, or 0 for the default, and a folder", o.Seeds, o.Workers, o.Limit, o.Store, fewest)
	}
	o.Seeds, o.Workers, o.Dir = cmp.Or(o.Seeds, 5), cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), cmp.Or(o.Dir, dataset.Dir())
	if o.sources == nil {
		o.sources = Sources()
	}
	if o.Limit > 0 {
		o.sources = slices.Clone(o.sources)
		for i := range o.sources {
			o.sources[i].most = min(o.sources[i].most, o.Limit)
		}
	}
	if o.Epsilons == nil {
		o.Epsilons = []float64{1, 2, 4, 8}
	}
	if o.Encoders == nil {
		o.Encoders = []string{"minilm", "default"}
	}
	for i, e := range o.Epsilons {
		if !(e > 0 && e <= maxEpsilon) || slices.Contains(o.Epsilons[:i], e) {
			return o, nil, nil, fmt.Errorf("unseen: epsilon is %v, must be above 0 and at most %v, and there once", e, maxEpsilon)
		}
	}
	if len(o.Epsilons) == 0 || len(o.Encoders) == 0 {
		return o, nil, nil, fmt.Errorf("unseen: there are %d values of epsilon and %d encoders, must be at least one of each", len(o.Epsilons), len(o.Encoders))
	}
	tasks, err := find(o.Only)
	if err != nil {
		return o, nil, nil, err
	}
	methods := Methods()
	names := each(methods, func(m Method) string { return m.Name })
	for _, name := range o.Methods {
		if !slices.Contains(names, name) {
			return o, nil, nil, fmt.Errorf("unseen: method is %.40q, must be one of %s%s", name, strings.Join(names, ", "), layout.Hint(name, names))
		}
	}
	if o.Methods != nil {
		methods = slices.DeleteFunc(methods, func(m Method) bool { return !slices.Contains(o.Methods, m.Name) })
	}
	return o, tasks, methods, nil
}

// fewest is how many rows make a table that says anything.
const fewest = 100

// maxEpsilon is where nothing is hidden any more, and cells would be too many.
const maxEpsilon = 12.0

// Run measures. An error about data that is absent wraps fs.ErrNotExist and says what
// is missing. When ctx is done it returns the error of ctx; vectors that were computed
// by then are kept.
func Run(ctx context.Context, o Options) (*Result, error) {
	o, tasks, methods, err := o.fill()
	if err != nil {
		return nil, err
	}
	r := newResult(o, methods)
	for _, spec := range o.Encoders {
		e, err := catalogue.OpenNamed(ctx, catalogue.Name(spec), catalogue.Roots{From: "the list of encoders", Data: o.Dir})
		if err != nil {
			return nil, err
		}
		b := &bench{Options: o, encoder: spec, methods: methods, from: vectors{e, o.Store, o.Workers}}
		err = b.run(ctx, tasks, r)
		if c, ok := e.(io.Closer); ok {
			c.Close() //nolint:errcheck // nothing more is asked of it
		}
		if err != nil {
			return nil, err
		}
	}
	r.average()
	return r, nil
}
