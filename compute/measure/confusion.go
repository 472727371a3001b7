package measure

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
)

// Confusion counts how the rows of each class were answered: what accuracy hides
// when classes are not equally common. Where the law of the answers is known, a
// row adds the probability of each, and the counts are expectations.
type Confusion struct {
	rows, told, right []float64 // of each class: rows that have it, answers that say it, both
	cells             []float64 // want × answer, the last column for no class; nil for many classes
	law               bool      // some counts are expectations
}

// manyClasses is above how many classes the pairs of them are not counted, so
// that the F1 has no interval.
const manyClasses = 256

// NewConfusion returns the counts of no rows.
func NewConfusion(classes int) *Confusion {
	c := &Confusion{rows: make([]float64, classes), told: make([]float64, classes), right: make([]float64, classes)}
	if classes <= manyClasses {
		c.cells = make([]float64, classes*(classes+1))
	}
	return c
}

// Add counts rows by their label and prediction. A row whose label is unknown
// does not count; a negative prediction is never right. It panics if the lengths
// differ or there is no such class.
func (c *Confusion) Add(want, got []int) {
	sameLength("predictions", len(got), len(want))
	for i, y := range want {
		if y < 0 {
			continue
		}
		c.rows[y]++
		c.say(y, got[i], 1)
	}
}

// AddLaw counts one row by the probability with which each class is its answer.
// A negative label is unknown, and does not count. It panics if there is not one
// probability a class.
func (c *Confusion) AddLaw(want int, law []float64) {
	sameLength("probabilities", len(law), len(c.rows))
	if want < 0 {
		return
	}
	c.law = true
	c.rows[want]++
	for got, share := range law {
		c.say(want, got, share)
	}
}

// say counts a share of one answer.
func (c *Confusion) say(want, got int, share float64) {
	column := len(c.rows)
	if got >= 0 {
		column = got
		c.told[got] += share
	}
	if got == want {
		c.right[want] += share
	}
	if c.cells != nil {
		c.cells[want*(len(c.rows)+1)+column] += share
	}
}

// Balance is how well classes are told when each counts the same, however rare.
// A rare class can vanish from the answers with hardly a loss of accuracy, but
// not from these.
type Balance struct {
	// MacroF1 is the mean over classes of F1 = 2·right/(rows + answers), as in
	// scikit-learn: over the classes that rows have or that are answered, so that
	// a class without rows has F1 = 0 where somebody answers it, and does not
	// count otherwise. Of a law of answers it is the F1 of the expected counts.
	MacroF1     Number `json:"macro_f1"`
	MacroF1Low  Number `json:"macro_f1_low"` // 95 % interval: of one model by the bootstrap, of a mean over seeds after Student
	MacroF1High Number `json:"macro_f1_high"`
	// Balanced is the mean recall over the classes that rows have: see [BalancedAccuracy].
	Balanced     Number `json:"balanced_accuracy"`
	BalancedLow  Number `json:"balanced_accuracy_low"` // 95 % interval: of one model after Hoeffding, of a mean over seeds after Student
	BalancedHigh Number `json:"balanced_accuracy_high"`
	// Limit bounds the balanced accuracy as dp.AccuracyBound does the accuracy: it
	// is that of rows in which all classes are equally common. Nil without a
	// guarantee from which it follows.
	Limit *Number `json:"balanced_limit,omitempty"`
	// Least is the smallest recall of a class that rows have.
	Least     Number `json:"min_recall"`
	LeastLow  Number `json:"min_recall_low"` // of one model the smallest lower end of a class, of a mean over seeds after Student
	LeastHigh Number `json:"min_recall_high"`
	// Vanished counts the classes that rows have and that are never told rightly;
	// of several seeds the most.
	Vanished int `json:"vanished,omitempty"`
	// Recalls tells of each class, unless there are so many that their names
	// might name persons.
	Recalls []Recall `json:"recalls,omitempty"`
}

// Recall is the share of a class's rows that are answered with it, undefined
// for a class without rows.
type Recall struct {
	Class string `json:"class"`
	Rows  int    `json:"rows"`
	Value Number `json:"recall"`
	Low   Number `json:"low"` // 95 % interval: of one model after Clopper and Pearson, or Hoeffding where the law of the answers is known
	High  Number `json:"high"`
}

// Balance measures what was counted. Names are those of the classes; nil names
// none. It panics if there are others than one a class.
func (c *Confusion) Balance(names []string) Balance {
	b := c.Means()
	if names != nil {
		sameLength("names", len(names), len(c.rows))
	}
	squares, present := 0.0, 0.0
	for y, rows := range c.rows {
		r := c.recall(y)
		if names != nil {
			r.Class = names[y]
			b.Recalls = append(b.Recalls, r)
		}
		if rows == 0 {
			continue
		}
		if r.Value == 0 {
			b.Vanished++
		}
		squares += 1 / rows
		present++
		if !(b.Least <= r.Value) { // also if it is undefined
			b.Least, b.LeastHigh = r.Value, r.High
		}
		if !(b.LeastLow <= r.Low) {
			b.LeastLow = r.Low
		}
	}
	if present == 0 {
		return b
	}
	mean := float64(b.Balanced)
	// A row of a class of n moves the mean of C recalls by 1/(C·n) at most
	// (Hoeffding, JASA 1963, Theorem 2).
	half := math.Sqrt(math.Log(2/0.05) / 2 * squares / (present * present))
	b.BalancedLow, b.BalancedHigh = Number(max(mean-half, 0)), Number(min(mean+half, 1))
	b.MacroF1Low, b.MacroF1High = c.macroInterval()
	return b
}

// Means returns the macro-F1 and the balanced accuracy alone, which takes little
// time.
func (c *Confusion) Means() Balance {
	b := Balance{
		MacroF1: c.macroF1(), MacroF1Low: Undefined, MacroF1High: Undefined,
		Balanced: Undefined, BalancedLow: Undefined, BalancedHigh: Undefined,
		Least: Undefined, LeastLow: Undefined, LeastHigh: Undefined,
	}
	sum, present := 0.0, 0.0
	for y, rows := range c.rows {
		if rows > 0 {
			sum += min(c.right[y]/rows, 1)
			present++
		}
	}
	b.Balanced = Number(sum / present)
	return b
}

// recall returns that of a class, without its name.
func (c *Confusion) recall(class int) Recall {
	rows := int(c.rows[class])
	r := Recall{Rows: rows, Value: Undefined, Low: Undefined, High: Undefined}
	if rows == 0 {
		return r
	}
	value := min(c.right[class]/c.rows[class], 1)
	low, high := 0.0, 0.0
	if c.law {
		low, high = Hoeffding(value, rows, 0.95)
	} else {
		low, high = ClopperPearson(int(c.right[class]), rows, 0.95)
	}
	r.Value, r.Low, r.High = Number(value), Number(low), Number(high)
	return r
}

// Accuracy returns the share of right answers.
func (c *Confusion) Accuracy() Number {
	right, rows := 0.0, 0.0
	for y := range c.rows {
		right, rows = right+c.right[y], rows+c.rows[y]
	}
	return Number(right / rows)
}

func (c *Confusion) macroF1() Number {
	sum, counted := 0.0, 0.0
	for y := range c.rows {
		if all := c.rows[y] + c.told[y]; all > 0 {
			sum += 2 * c.right[y] / all
			counted++
		}
	}
	return Number(sum / counted)
}

// macroResamples is how often rows are drawn again for an interval of the F1.
const macroResamples = 400

// macroInterval returns the 95 % interval of the F1 by the bootstrap. What was
// counted by the law of the answers is drawn like answers that were given, which
// vary more, so that its interval is rather too wide.
func (c *Confusion) macroInterval() (low, high Number) {
	if c.cells == nil {
		return Undefined, Undefined
	}
	var places []int
	for i, n := range c.cells {
		if n > 0 {
			places = append(places, i)
		}
	}
	total := 0.0
	for _, n := range c.rows {
		total += n
	}
	values := make([]float64, macroResamples)
	for k := range values {
		rng := weakrand.New(weakrand.NewPCG(0x6631, uint64(k)))
		again := NewConfusion(len(c.rows))
		left, rest := int(total), total
		for at, i := range places {
			n := left // the last takes what the others leave, whatever rounding says
			if at < len(places)-1 {
				n = binomial(rng, left, min(c.cells[i]/rest, 1))
			}
			left, rest = left-n, rest-c.cells[i]
			want, got := i/(len(c.rows)+1), i%(len(c.rows)+1)
			if got == len(c.rows) {
				got = -1
			}
			again.rows[want] += float64(n)
			again.say(want, got, float64(n))
		}
		values[k] = float64(again.macroF1())
	}
	e := Estimate{Value: c.macroF1()}
	e.interval(values)
	return e.Low, e.High
}

// numbers lists the numbers of b of which a mean over seeds is taken, always in
// the same order.
func (b *Balance) numbers() [][3]*Number {
	return [][3]*Number{
		{&b.MacroF1, &b.MacroF1Low, &b.MacroF1High},
		{&b.Balanced, &b.BalancedLow, &b.BalancedHigh},
		{&b.Least, &b.LeastLow, &b.LeastHigh},
	}
}

// SummariseBalance returns the mean of what several seeds gave, and how far they
// deviate from it; nil if one of them has none. The intervals of the mean are
// after Student, as those of [Summarise], and those of the one model where there
// is one. The smallest recall is the mean of the seeds' smallest.
func SummariseBalance(all []*Balance) (mean, deviation *Balance) {
	if len(all) == 0 || slices.Contains(all, nil) {
		return nil, nil
	}
	mean, deviation = &Balance{Limit: all[0].Limit}, new(Balance)
	for i, of := range mean.numbers() {
		each := make([][3]Number, len(all))
		for k, b := range all {
			n := b.numbers()[i]
			each[k] = [3]Number{*n[0], *n[1], *n[2]}
		}
		var d Number
		*of[0], *of[1], *of[2], d = meanOf(each)
		from := deviation.numbers()[i]
		*from[0], *from[1], *from[2] = d, Undefined, Undefined
	}
	for _, b := range all {
		mean.Vanished = max(mean.Vanished, b.Vanished)
	}
	for c, r := range all[0].Recalls {
		each := make([][3]Number, len(all))
		for k, b := range all {
			if len(b.Recalls) != len(all[0].Recalls) {
				panic(fmt.Sprintf("measure: seeds have %d and %d classes, must have the same", len(b.Recalls), len(all[0].Recalls)))
			}
			each[k] = [3]Number{b.Recalls[c].Value, b.Recalls[c].Low, b.Recalls[c].High}
		}
		r.Value, r.Low, r.High, _ = meanOf(each)
		mean.Recalls = append(mean.Recalls, r)
	}
	return mean, deviation
}

// AcrossLabels returns what several labels come to: the means of their F1 and of
// their balanced accuracy, without intervals, and the smallest recall of any.
func AcrossLabels(each []*Balance) *Balance {
	all := &Balance{Least: Undefined, LeastLow: Undefined, LeastHigh: Undefined, MacroF1Low: Undefined, MacroF1High: Undefined, BalancedLow: Undefined, BalancedHigh: Undefined}
	for _, b := range each {
		all.MacroF1 += b.MacroF1 / Number(len(each))
		all.Balanced += b.Balanced / Number(len(each))
		all.Vanished += b.Vanished
		if !(all.Least <= b.Least) {
			all.Least, all.LeastHigh = b.Least, b.LeastHigh
		}
		if !(all.LeastLow <= b.LeastLow) {
			all.LeastLow = b.LeastLow
		}
	}
	return all
}

// Estimates returns the numbers by the names that they have in JSON, undefined
// where nothing was measured.
func (b *Balance) Estimates() map[string]Estimate {
	none := Estimate{Value: Undefined, Low: Undefined, High: Undefined}
	if b == nil {
		return map[string]Estimate{"macro_f1": none, "balanced_accuracy": none, "min_recall": none}
	}
	return map[string]Estimate{
		"macro_f1":          {Value: b.MacroF1, Low: b.MacroF1Low, High: b.MacroF1High},
		"balanced_accuracy": {Value: b.Balanced, Low: b.BalancedLow, High: b.BalancedHigh},
		"min_recall":        {Value: b.Least, Low: b.LeastLow, High: b.LeastHigh},
	}
}

// meanOf returns the mean of shares with its interval, and their deviation.
func meanOf(each [][3]Number) (value, low, high, deviation Number) {
	if len(each) == 1 {
		return each[0][0], each[0][1], each[0][2], Undefined
	}
	values := make([]float64, len(each))
	for k, v := range each {
		values[k] = float64(v[0])
	}
	s := Summarise(values)
	return s.Mean, max(s.Low, 0), min(s.High, 1), s.Deviation
}
