package frontier

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/study/reproduce"
)

// Collect reads what the store holds of what o chooses, whichever process
// computed it, and computes nothing but means and verdicts.
func Collect(ctx context.Context, o Options) (*Result, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	r := &Result{Format: Format, Quick: o.Quick, Seeds: o.Seeds, Epsilons: o.Epsilons, Tasks: []TaskResult{}}
	there, absent := o.tasks()
	r.Absent = absent
	s := store{}
	for _, t := range there {
		c := collector{Options: o, store: s, task: TaskResult{Task: t, UnknownMajority: measure.Number(math.NaN())}}
		if err := c.collect(ctx); err != nil {
			return nil, err
		}
		r.Tasks = append(r.Tasks, c.task)
		r.Missing = append(r.Missing, c.missing...)
	}
	r.Notes = r.notes()
	if o.without {
		r.Notes = append(r.Notes, "methods with a transformer are left out, because minilm is absent: sotto encoder get minilm")
	}
	r.Verdicts = verdicts(r.Tasks)
	return r, nil
}

// notes says what cannot be seen from the numbers.
func (r *Result) notes() []string {
	notes := []string{
		"± is the deviation over seeds; intervals cover what differs between seeds, on one test part",
		fmt.Sprintf("PRIVEMB's metric ε is halved and vectors are clipped to norm %d, which makes its ε text-level like the others'", privembClip),
		"the limit is an estimate of what no release at that ε exceeds, given what the best model without protection knows of the test texts; the bound follows from ε and the shares of the classes alone",
	}
	has := func(f func(TaskResult) bool) bool { return slices.ContainsFunc(r.Tasks, f) }
	if has(func(t TaskResult) bool { return t.Limit == celebaRows && t.Rows.Train == celebaRows }) {
		notes = append(notes, fmt.Sprintf("of CelebA every method has %d rows to train on, and a quarter as many to validate and to test, since LDPNN's published settings take too long with all", celebaRows))
	}
	if has(func(t TaskResult) bool { return t.Part != Later && !t.attribute() }) {
		notes = append(notes, "where nothing is protected FEDERATE has no adversary: what is shown is its noise alone")
	}
	if has(func(t TaskResult) bool { return t.Part == Later }) {
		notes = append(notes, "label RR releases the first known label alone; the others are learnt from its releases")
	}
	if has(func(t TaskResult) bool { return t.tuned() }) {
		notes = append(notes, "the tuned transformer is trained by the labels on the trusted side, for each seed anew, and reads the first 128 tokens of a text; the limit moves with the model, and ε covers the texts that are released, not those that it was tuned on")
	}
	if r.Quick {
		notes = append(notes, fmt.Sprintf("--quick: %d rows and %d epochs, which decides nothing", quickLimit, quickEpochs))
	}
	return notes
}

// collector reads the results of one task.
type collector struct {
	Options
	store   store
	task    TaskResult
	missing []string
}

func (c *collector) collect(ctx context.Context) error {
	methods := c.methods(c.task.Task)
	for _, m := range methods {
		c.task.Curves = append(c.task.Curves, Curve{Method: m.Name, Title: m.Title, Private: m.Private, Points: []Point{}})
	}
	for _, j := range c.jobs(c.task.Task) {
		e, err := c.store.entry(ctx, c.Store, j)
		if err != nil {
			return err
		}
		r, err := e.Result()
		if err != nil {
			return err
		}
		if r == nil || len(r.Configurations[0].Seeds) == 0 {
			c.missing = append(c.missing, j.name())
			continue
		}
		c.describe(r)
		if curve := c.task.Curve(j.method.Name); curve != nil {
			curve.add(c.point(j, r))
		}
		if j.method.Name == answered {
			if err := c.splits(e, r); err != nil {
				return err
			}
		}
	}
	c.task.Earlier = earlier(&c.task)
	return nil
}

// add adds a point. One at the ε of the last has more seeds of the same.
func (c *Curve) add(p Point) {
	last := len(c.Points) - 1
	if last < 0 || c.Points[last].Epsilon != p.Epsilon {
		c.Points = append(c.Points, p)
		return
	}
	c.Points[last].join(p)
}

// join adds the seeds of another point at the same ε. Limits and accuracies by label
// are means over the seeds.
func (p *Point) join(q Point) {
	n := len(p.Seeds)
	p.Seeds, p.Failed = append(p.Seeds, q.Seeds...), p.Failed+q.Failed
	mean := func(a *measure.Number, b measure.Number, weight int) {
		*a = (measure.Number(n)**a + measure.Number(weight)*b) / measure.Number(n+weight)
	}
	joined := func(a, b *Estimate) *Estimate {
		if a == nil || b == nil {
			return nil
		}
		var values []float64
		for _, v := range slices.Concat(a.Values, b.Values) {
			values = append(values, float64(v))
		}
		e := estimate(values)
		return &e
	}
	p.Accuracy = *joined(&p.Accuracy, &q.Accuracy)
	p.Unknown, p.Gap, p.Leakage = joined(p.Unknown, q.Unknown), joined(p.Gap, q.Gap), joined(p.Leakage, q.Leakage)
	if p.Limit != nil && q.Limit != nil {
		mean(p.Limit, *q.Limit, len(q.Seeds))
	}
	for i := range min(len(p.Labels), len(q.Labels)) {
		mean(&p.Labels[i].Accuracy, q.Labels[i].Accuracy, len(q.Seeds))
	}
	p.Search = nil // which each seed has of its own
}

// describe takes over what all results say alike of their data.
func (c *collector) describe(r *experiment.Result) {
	if math.IsNaN(float64(c.task.UnknownMajority)) {
		shares := map[string]float64{}
		for _, l := range r.Configurations[0].Seeds[0].Unknown {
			shares[l.Name] = float64(l.Majority)
		}
		c.task.UnknownMajority = measure.Number(mean(shares, c.task.Unknown))
	}
	if c.task.Classes != nil {
		return
	}
	c.task.Rows, c.task.Attribute, c.task.Notes = r.Rows, r.Data.Attribute, r.Notes
	for _, priors := range slices.Concat([][]float64{r.Priors}, r.MorePriors) {
		c.task.Classes = append(c.task.Classes, len(priors))
	}
}

// point makes a point of a result.
func (c *collector) point(j job, r *experiment.Result) Point {
	configuration := r.Configurations[0]
	first := configuration.Seeds[0]
	p := Point{Epsilon: j.epsilon, True: first.True, Unit: first.Unit, Failed: len(r.Failed), Labels: configuration.Mean.Labels, LeakageLimit: first.AttackLimit}
	var known, unknown, gap, leakage []float64
	for _, s := range configuration.Seeds {
		p.Seeds = append(p.Seeds, s.Seed)
		scores := byName(r.Data.Label, s)
		known = append(known, mean(scores, c.task.Labels))
		unknown = append(unknown, mean(scores, c.task.Unknown))
		gap, leakage = append(gap, float64(s.Gap)), append(leakage, float64(s.Leakage))
	}
	p.Accuracy = estimate(known)
	p.Unknown, p.Gap, p.Leakage = measured(unknown), measured(gap), measured(leakage)
	if h := r.Headline; j.method.encoder != "" && j.method.Private && h != nil {
		p.Limit = &h.Limit
	}
	if f, h := r.Frontier, r.Headline; f != nil && h != nil {
		p.Search = &Search{Limit: min(h.Limit, f.Bound), Bound: f.Bound, NonPrivate: h.NonPrivate, Mechanism: f.Mechanism, Dim: f.Dim, Searched: len(f.Searched), Seconds: f.Seconds}
	}
	return p
}

// byName returns the accuracy of each label, known or learnt later.
func byName(label string, s experiment.Score) map[string]float64 {
	all := map[string]float64{label: float64(s.Accuracy)}
	for _, l := range slices.Concat(s.Labels, s.Unknown) {
		all[l.Name] = float64(l.Accuracy)
	}
	return all
}

// mean returns the mean over the named labels, NaN if there are none or one is
// not there.
func mean(scores map[string]float64, names []string) float64 {
	sum := 0.0
	for _, name := range names {
		v, ok := scores[name]
		if !ok {
			return math.NaN()
		}
		sum += v
	}
	return sum / float64(len(names))
}

// measured returns an estimate; nil if something was not measured.
func measured(values []float64) *Estimate {
	if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
		return nil
	}
	e := estimate(values)
	return &e
}

// splits adds what the answers of the model without protection reach when ε is
// split over the labels.
func (c *collector) splits(e *reproduce.CacheEntry, r *experiment.Result) error {
	curve := c.task.Curve(split)
	if curve == nil {
		return nil
	}
	s, err := readSplits(e)
	if err != nil {
		return err
	}
	for _, e := range c.Epsilons {
		seeds := s.at(e)
		if len(seeds) != len(r.Configurations[0].Seeds) {
			c.missing = append(c.missing, job{task: c.task.Task, method: Method{Name: split}, epsilon: e}.name())
			continue
		}
		spent := dp.Epsilon(e)
		p := Point{Epsilon: e, True: &spent, Unit: dp.Text, LeakageLimit: measure.Number(math.NaN())}
		var values []float64
		for i, labels := range seeds {
			p.Seeds = append(p.Seeds, r.Configurations[0].Seeds[i].Seed)
			sum := 0.0
			for l, v := range labels {
				sum += v / float64(len(labels))
				if i == 0 {
					p.Labels = append(p.Labels, experiment.LabelScore{Name: c.task.Labels[l], Majority: measure.Number(math.NaN())})
				}
				p.Labels[l].Accuracy += measure.Number(v / float64(len(seeds)))
			}
			values = append(values, sum)
		}
		p.Accuracy = estimate(values)
		curve.Points = append(curve.Points, p)
	}
	return nil
}
