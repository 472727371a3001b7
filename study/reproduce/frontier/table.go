package frontier

import (
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence/page"
	"sotto/promise/dp"
)

// Table is a part of a result as words, for a terminal and a page alike.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string // each as long as Head
}

// Tables shows a task: what the methods reach at each ε, the limits, and what
// is known of the attribute.
func (r *Result) Tables(t *TaskResult) []Table {
	head := []string{"%, mean ± deviation"}
	for _, e := range r.Epsilons {
		head = append(head, fmt.Sprintf("ε = %v", e))
	}
	known := Table{Title: "accuracy", Head: head}
	if len(t.Labels) > 1 {
		known.Title = fmt.Sprintf("accuracy, mean of %d labels", len(t.Labels))
	}
	if t.Part == Later {
		known.Title += ", known labels"
	}
	r.fill(&known, t, accuracyOf)
	limits := func(p *Point) Search {
		if p.Search == nil {
			return Search{Limit: measure.Undefined, Bound: measure.Undefined}
		}
		return *p.Search
	}
	known.add(r.row(t, auto, "limit", func(p *Point) string { return percent(limits(p).Limit) }))
	known.add(r.row(t, auto, "bound", func(p *Point) string { return percent(limits(p).Bound) }))
	for _, encoder := range []string{frozen, tuned} {
		r.limit(&known, t, encoder)
	}
	tables := []Table{known}
	if t.Part == Later {
		unknown := Table{Title: "accuracy, labels unseen in training", Head: head}
		r.fill(&unknown, t, unknownOf)
		unknown.add(r.row(t, answered, "majority", func(*Point) string { return percent(t.UnknownMajority) }))
		tables = []Table{unknown, known}
	}
	if more := r.more(t, head); len(more.Rows) > 0 {
		tables = append(tables, more)
	}
	return tables
}

// limit adds the limits of an encoder: at each ε the highest of those that its methods
// were measured with, since each estimates it by a model of its own.
func (r *Result) limit(table *Table, t *TaskResult, encoder string) {
	row, some := []string{"limit, " + encoder}, false
	for _, e := range r.Epsilons {
		highest := measure.Number(math.NaN())
		for _, m := range Methods() {
			if p := t.At(m.Name, e); m.encoder == encoder && p != nil && p.Limit != nil && !(*p.Limit <= highest) {
				highest = *p.Limit
			}
		}
		some = some || !math.IsNaN(float64(highest))
		row = append(row, percent(highest))
	}
	if some {
		table.add(row)
	}
}

// seeds says how many a curve has, where that is not as many as were asked for.
func (r *Result) seeds(c *Curve) string {
	least := r.Seeds
	for _, p := range c.Points {
		least = min(least, len(p.Seeds))
	}
	if least == r.Seeds {
		return ""
	}
	return " (" + page.Plural(least, "seed", "seeds") + ")"
}

// fill adds a row for each method.
func (r *Result) fill(table *Table, t *TaskResult, of func(*Point) *Estimate) {
	for _, c := range t.Curves {
		table.add(r.row(t, c.Method, c.Title+r.seeds(&c), func(p *Point) string { return of(p).render() }))
	}
}

// add appends a row unless it is nil.
func (t *Table) add(row []string) {
	if row != nil {
		t.Rows = append(t.Rows, row)
	}
}

// row returns a row of what a method has at each ε; nil if it has nothing.
func (r *Result) row(t *TaskResult, method, title string, render func(*Point) string) []string {
	row, some := []string{title}, false
	for _, e := range r.Epsilons {
		text := "-"
		if p := t.At(method, e); p != nil {
			text = render(p)
		}
		some = some || text != "-"
		row = append(row, text)
	}
	if !some {
		return nil
	}
	return row
}

// more shows leakage and fairness of auto, fair codes and FEDERATE, and where
// auto is as accurate.
func (r *Result) more(t *TaskResult, head []string) Table {
	table := Table{Title: "leakage, fairness, and FEDERATE's accuracy", Head: head}
	for _, method := range []string{auto, fair, federate} {
		c := t.Curve(method)
		if c == nil {
			continue
		}
		table.add(r.row(t, method, fmt.Sprintf("%s: leakage of %s, ≤ limit", c.Title, t.Attribute), func(p *Point) string {
			if p.Leakage == nil {
				return "-"
			}
			return p.Leakage.render() + " ≤ " + atMost(p.LeakageLimit)
		}))
		table.add(r.row(t, method, c.Title+": TPR gap", func(p *Point) string { return p.Gap.render() }))
	}
	if len(t.Earlier) > 0 {
		table.add(r.row(t, federate, "auto is as accurate as FEDERATE from ε =", func(p *Point) string { return t.earlier(p.Epsilon) }))
	}
	return table
}

func (t *TaskResult) earlier(epsilon float64) string {
	for _, e := range t.Earlier {
		if e.Federate == epsilon && e.Auto != nil {
			return fmt.Sprint(*e.Auto)
		}
	}
	return "none"
}

// Worst returns for each task the check that is nearest to missing the aim, or
// misses it by most.
func (v Verdict) Worst() []Check {
	var worst []Check
	for _, c := range v.Checks {
		last := len(worst) - 1
		switch {
		case last < 0 || worst[last].Task != c.Task:
			worst = append(worst, c)
		case c.rank() < worst[last].rank() || c.rank() == worst[last].rank() && c.room() < worst[last].room():
			worst[last] = c
		}
	}
	return worst
}

// rank is the smaller the worse.
func (c Check) rank() int { return slices.Index(worstFirst(), c.Outcome) }

// room is how far the mean is from missing.
func (c Check) room() float64 { return float64(c.Difference.Mean) - c.AtLeast }

// String says what was found: the difference in points with its interval.
func (c Check) String() string {
	d := c.Difference
	text := fmt.Sprintf("ε = %v: %s", c.Epsilon, signed(float64(d.Mean)))
	if !math.IsNaN(float64(d.Low)) {
		text += fmt.Sprintf(" [%s, %s]", signed(float64(d.Low)), signed(float64(d.High)))
	}
	return fmt.Sprintf("%s points to %s, wanted at least %v", text, c.Against, c.AtLeast)
}

// signed renders points with their sign, and what rounds to 0 without.
func signed(v float64) string {
	if math.Abs(v) < 0.005 {
		return "0.00"
	}
	return fmt.Sprintf("%+.2f", v)
}

func (e *Estimate) render() string {
	if e == nil {
		return "-"
	}
	return (100 * e.Mean).PlusMinus(100*e.Deviation, "%.2f")
}

// atMost renders a share that nothing exceeds.
func atMost(v measure.Number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return dp.AtMost(float64(v))
}

func percent(v measure.Number) string { return (100 * v).Text("%.2f") }
