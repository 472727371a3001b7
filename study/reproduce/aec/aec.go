// Package aec reproduces the case of Misra, Liu and Mahmud, Accountable Error
// Characterization (TrustNLP 2021): a classifier of sentiment that learnt from
// sentences about films is asked about tweets to airlines, and a forest of readable
// features tells which of its answers are wrong.
//
// What was published is one split; ours are means over many, with their deviations.
// The paper's base, features and tweets are not public: what differs is said in
// [Result].Notes. It measures nothing about privacy. The smallest use is
//
//	r, err := aec.Run(ctx, aec.Options{Quick: true})
//
// It is apart from other tables because its published numbers are those of a paper of its own.
package aec

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"sotto/compute/forest"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/study/errors"
	"sotto/study/errors/feature"
)

// Format is the format of a stored [Result].
const Format = "sotto-aec-1"

// Options says how the case is made. The zero value uses the defaults.
type Options struct {
	Splits  int    // 0 means 20, and 5 if quick
	Quick   bool   // a quarter of the tweets, and no ablation
	Seed    uint64 // of bases, splits and forests
	Workers int    // 0 means all cores; no result depends on it
	Dir     string // folder of data sets; "" means dataset.Dir
	Store   string // folder of what bases answered; "" keeps nothing
	Again   bool   // train bases also if the store has their answers

	Progress func(done, total int, words string) // may be nil
}

// Result is the case beside what was published.
type Result struct {
	Format   string   `json:"format"`
	Paper    string   `json:"paper"`
	Quick    bool     `json:"quick,omitempty"`
	Splits   int      `json:"splits"`
	Films    Sizes    `json:"films"`
	Tweets   Sizes    `json:"tweets"`
	Features int      `json:"features"` // that enough tweets have
	Cases    []Case   `json:"bases"`
	Notes    []string `json:"notes"`
}

// Sizes are the texts of each class: negative, neutral, positive.
type Sizes struct {
	Ours      [3]int `json:"ours"`
	Published [3]int `json:"published"`
}

// Case is what was found of one base.
type Case struct {
	Base
	Rankings errors.Rankings  `json:"rankings"`
	Table    []Precision      `json:"table"` // table 4
	Ablation []Ablation       `json:"ablation,omitempty"`
	Groups   []Worth          `json:"groups"`
	Features []errors.Feature `json:"features"` // the most important
	Tops     []Top            `json:"published_features"`
	Examples []Example        `json:"examples"`
}

// Precision is a line of table 4: the share of errors among the first K.
type Precision struct {
	K               int            `json:"k"`
	Forest          errors.Spread  `json:"forest"`
	Doubt           errors.Spread  `json:"uncertainty"`
	Combined        errors.Spread  `json:"combined"`
	PublishedForest measure.Number `json:"published_forest"`
	PublishedDoubt  measure.Number `json:"published_uncertainty"`
}

// Ablation is what is left of the forest without a kind of features, or with it alone.
type Ablation struct {
	Group    string         `json:"group"` // "" for all
	Alone    bool           `json:"alone"`
	Features int            `json:"features"`
	AUC      measure.Number `json:"auc"`
	AUCSD    measure.Number `json:"auc_sd"`
	P50      errors.Spread  `json:"p_at_50"`
}

// Worth is what a kind of features is worth.
type Worth struct {
	Name       string         `json:"name"`
	Features   int            `json:"features"`
	Among      int            `json:"among_100"`     // how many are among the 100 most important
	Decrease   measure.Number `json:"mean_decrease"` // their share in making nodes purer
	Importance measure.Number `json:"importance"`    // the sum of those that are positive
}

// Example is a tweet as in table 5: an error among those that the forest, which has
// not seen it, holds for the likeliest. Names of users are masked.
type Example struct {
	Segments []feature.Segment `json:"segments"`
	Answer   string            `json:"prediction"`
	Label    string            `json:"label"`
	Chance   measure.Number    `json:"chance"` // of an error
	Reasons  []errors.Reason   `json:"reasons"`
}

// run is a case being made.
type run struct {
	Options
	pool  *nn.Pool
	done  int
	total int
	test  sample
	texts []feature.Text
	table *errors.Features
}

// tell says that a step begins.
func (r *run) tell(words string) {
	if r.Progress != nil {
		r.Progress(r.done, r.total, words)
	}
	r.done++
}

// Run makes the case. An error about data that is absent wraps fs.ErrNotExist.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Splits < 0 || o.Workers < 0 {
		return nil, fmt.Errorf("aec: splits is %d and workers %d, must be at least 1, or 0 for the default", o.Splits, o.Workers)
	}
	o.Workers, o.Dir, o.Seed = cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), cmp.Or(o.Dir, dataset.Dir()), cmp.Or(o.Seed, 1)
	splits := 20
	if o.Quick {
		splits = 5
	}
	o.Splits = cmp.Or(o.Splits, splits)
	r := &run{Options: o, pool: nn.NewPool(o.Workers), total: 6}
	out := &Result{Format: Format, Paper: paper, Quick: o.Quick, Splits: o.Splits, Notes: notes()}
	train, dev, err := films(o.Dir)
	if err != nil {
		return nil, err
	}
	if r.test, err = tweets(o.Dir, o.Seed); err != nil {
		return nil, err
	}
	out.Films, out.Tweets = Sizes{train.counts(), publishedFilms}, Sizes{r.test.counts(), publishedTweets}
	bases, err := r.bases(ctx, train, dev)
	if err != nil {
		return nil, err
	}
	if o.Quick {
		r.shorten(bases)
		out.Tweets.Ours = r.test.counts()
	}
	if err = r.describe(ctx); err != nil {
		return nil, err
	}
	out.Features = len(r.table.Names)
	for _, b := range bases {
		c, err := r.judge(ctx, b)
		if err != nil {
			return nil, err
		}
		out.Cases = append(out.Cases, *c)
	}
	return out, nil
}

// bases trains both bases, or takes what they answered before.
func (r *run) bases(ctx context.Context, train, dev sample) ([]*Base, error) {
	r.tell("training the convolution on sentences about films")
	cnn, err := r.kept(CNN, r.test, r.file(CNN, train, dev, r.test), func() (*Base, error) {
		v, err := openVectors(r.Dir)
		if err != nil {
			return nil, err
		}
		return convolution(ctx, r.pool, v, train, dev, r.test, r.Seed, func(training, epoch int) {
			if r.Progress != nil {
				r.Progress(r.done-1, r.total, fmt.Sprintf("training the convolution, %d of %d, epoch %d done", training, trainings, epoch))
			}
		})
	})
	if err != nil {
		return nil, err
	}
	r.tell("training the linear base")
	lin, err := r.kept(Linear, r.test, r.file(Linear, train, dev, r.test), func() (*Base, error) { return linear(ctx, train, dev, r.test, r.Seed) })
	if err != nil {
		return nil, err
	}
	return []*Base{cnn, lin}, nil
}

// shorten keeps every fourth tweet, for a quick look.
func (r *run) shorten(bases []*Base) {
	var rows []int
	for i := 0; i < len(r.test.texts); i += 4 {
		rows = append(rows, i)
	}
	r.test = sample{nn.Pick(r.test.texts, rows), nn.Pick(r.test.labels, rows)}
	for _, b := range bases {
		b.probabilities = b.probabilities.Gather(rows)
		b.judge(r.test) //nolint:errcheck // the rows were finite before
	}
}

// describe finds the features of the tweets, of which those that enough have stay.
func (r *run) describe(ctx context.Context) error {
	r.tell("finding features of the tweets")
	reader, err := feature.New(feature.Options{})
	if err != nil {
		return err
	}
	if r.texts, err = reader.All(ctx, r.test.texts, errors.Work{Workers: r.Workers}); err != nil {
		return err
	}
	r.table = feature.Table(r.texts).Frequent(minRows)
	return nil
}

// leaf is the fewest rows of a leaf: trees with leaves of one row take several times as
// long, and folds prefer now one and now the other.
const leaf = 10

// minRows is how many tweets must have a feature.
const minRows = 10

// answers is what a base said, with features.
func (r *run) answers(b *Base, f *errors.Features) errors.Answers {
	a := errors.Answers{Wrong: b.wrong, Features: f}
	for i := range b.probabilities.Rows {
		row := make([]float64, b.probabilities.Cols)
		for c, p := range b.probabilities.Row(i) {
			row[c] = float64(p)
		}
		a.Probabilities = append(a.Probabilities, row)
	}
	return a
}

// judge makes the tables of one base.
func (r *run) judge(ctx context.Context, b *Base) (*Case, error) {
	r.tell("ranking the answers of the base " + b.Name)
	c := &Case{Base: *b}
	o := errors.Options{Splits: r.Splits, Seed: r.Seed, MinRows: minRows, Leaves: []int{leaf}, Top: len(r.table.Names), Work: errors.Work{Workers: r.Workers, Progress: func(done, total int) {
		if r.Progress != nil {
			r.Progress(r.done-1, r.total, fmt.Sprintf("ranking the answers of the base %s, split %d of %d", b.Name, done, total))
		}
	}}}
	j, err := errors.Judge(ctx, r.answers(b, r.table), o)
	if err != nil {
		return nil, err
	}
	c.Rankings = j.Rankings
	c.Table = table(j.Rankers)
	c.rank(j)
	if !r.Quick && b.Name == CNN { // as in the paper
		r.tell("leaving out kinds of features, base " + b.Name)
		if c.Ablation, err = r.ablate(ctx, b, o); err != nil {
			return nil, err
		}
	}
	c.Examples, err = r.examples(ctx, b)
	return c, err
}

// table makes table 4 of rankers.
func table(rankers []errors.Ranker) []Precision {
	find := func(name string) errors.Ranker {
		for _, k := range rankers {
			if k.Name == name {
				return k
			}
		}
		return errors.Ranker{}
	}
	f, d, both := find(errors.Forest), find(errors.LeastConfidence), find(errors.Combined)
	var all []Precision
	for i, k := range ks {
		at := fmt.Sprint(k)
		all = append(all, Precision{K: k, Forest: f.PAt[at], Doubt: d.PAt[at], Combined: both.PAt[at], PublishedForest: publishedForest[i], PublishedDoubt: publishedDoubt[i]})
	}
	return all
}

// among is how many features table 6 is a subset of, and most how many are kept.
const among, most = 100, 30

// rank fills in what features and kinds of them are worth. The paper ranks by the
// mean decrease, which favours what many texts have; permutation does not.
func (c *Case) rank(j *errors.Judged) {
	c.Tops = tops()
	pure := slices.Clone(j.Features)
	slices.SortStableFunc(pure, func(a, b errors.Feature) int { return cmp.Compare(b.Decrease, a.Decrease) })
	for k := range c.Tops {
		t := &c.Tops[k]
		is := func(f errors.Feature) bool { return f.Name == t.Ours }
		if at := slices.IndexFunc(j.Features, is); at >= 0 {
			t.Permuted, t.Value = at+1, j.Features[at].Importance
			t.Rank = slices.IndexFunc(pure, is) + 1
			t.Among = t.Rank <= among
		}
	}
	for _, g := range j.Groups {
		k := Worth{Name: g.Name, Features: g.Features, Decrease: g.Decrease}
		for i, f := range j.Features {
			if f.Group == g.Name {
				k.Importance += max(0, f.Importance)
				if i < among {
					k.Among++
				}
			}
		}
		c.Groups = append(c.Groups, k)
	}
	c.Features = j.Features[:min(most, len(j.Features))]
}

// ablate leaves out each kind of features, and takes each alone.
func (r *run) ablate(ctx context.Context, b *Base, o errors.Options) ([]Ablation, error) {
	o.Splits, o.Progress, o.Bare = min(r.Splits, 5), nil, true
	var all []Ablation
	for _, s := range append([]Ablation{{}}, slices.Concat(each(false), each(true))...) {
		var names, groups []string
		for k, g := range r.table.Groups {
			if s.Group == "" || (g == s.Group) == s.Alone {
				names, groups = append(names, r.table.Names[k]), append(groups, g)
			}
		}
		a := r.answers(b, r.table.Aligned(names, groups))
		a.Probabilities = nil // the forest alone
		j, err := errors.Judge(ctx, a, o)
		if err != nil {
			return nil, err
		}
		f := j.Rankers[0]
		s.Features, s.AUC, s.AUCSD, s.P50 = len(names), f.AUC, f.AUCSD, f.PAt["50"]
		all = append(all, s)
	}
	return all, nil
}

func each(alone bool) (all []Ablation) {
	for _, g := range feature.Groups() {
		all = append(all, Ablation{Group: g, Alone: alone})
	}
	return all
}

// examples learns from four fifths of the tweets and shows the likeliest errors among
// the others that are errors.
func (r *run) examples(ctx context.Context, b *Base) ([]Example, error) {
	var known, fresh []int
	for i := range r.test.texts {
		if i%5 == 0 {
			fresh = append(fresh, i)
		} else {
			known = append(known, i)
		}
	}
	part := func(rows []int) *errors.Answers {
		a := r.answers(b, r.table.Pick(rows))
		return &errors.Answers{Wrong: nn.Pick(a.Wrong, rows), Features: a.Features, Probabilities: nn.Pick(a.Probabilities, rows)}
	}
	w, err := errors.NewWorklist(ctx, part(known), errors.Columns{}, forest.Options{Seed: r.Seed}, r.Workers)
	if err != nil {
		return nil, err
	}
	ranked, err := w.Rank(part(fresh), r.Workers)
	if err != nil {
		return nil, err
	}
	const shown, reasons = 5, 6
	var all []Example
	for _, k := range ranked {
		i := fresh[k.Row]
		if !b.wrong[i] {
			continue
		}
		why := w.Reasons(r.table, i)
		e := Example{Answer: classes[nn.Argmax(b.probabilities.Row(i))], Label: classes[r.test.labels[i]], Chance: measure.Number(k.Chance)}
		why = slices.DeleteFunc(why, func(x errors.Reason) bool { return !(x.Adds > 0) || x.Value == 0 })
		e.Reasons = why[:min(reasons, len(why))]
		e.Segments = masked(feature.Mark(r.test.texts[i], r.texts[i], e.Reasons))
		if all = append(all, e); len(all) == shown {
			break
		}
	}
	return all, nil
}
