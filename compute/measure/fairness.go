package measure

import (
	"math"

	"sotto/compute/nn"
)

// Estimate is a number measured on a sample, with the interval that the
// bootstrap puts around it.
type Estimate struct {
	Value Number `json:"value"` // undefined where there was nothing to measure
	Low   Number `json:"low"`   // 95 % percentile interval, which holds Value: see [Holding]
	High  Number `json:"high"`
	// Resamples is the number of resamples in which the value is defined; the
	// interval rests on these alone.
	Resamples int `json:"resamples"`
}

// Share is a share of the rows of a cell. Without rows it is not defined,
// which is not 0.
type Share struct {
	Cell
	Estimate
}

// Rates are how often a class c is predicted, in one group or in all.
type Rates struct {
	Class     string `json:"class"`
	Selection Share  `json:"selection"` // P(ŷ = c)
	TPR       Share  `json:"tpr"`       // P(ŷ = c | y = c)
	FPR       Share  `json:"fpr"`       // P(ŷ = c | y ≠ c)
}

// GroupReport is how one group is served.
type GroupReport struct {
	Name     string  `json:"name"`
	Rows     int     `json:"rows"`
	Accuracy Share   `json:"accuracy"`
	Classes  []Rates `json:"classes"`
}

// ClassReport is how far groups differ in one class. A spread is the largest
// rate of a group less the smallest, in [0, 1], 0 being fair. Groups whose rate
// is not defined are left out, and with fewer than two others so is the spread.
type ClassReport struct {
	Overall             Rates    `json:"overall"` // of all groups together
	SelectionDifference Estimate `json:"selection_difference"`
	SelectionRatio      Estimate `json:"selection_ratio"` // smallest rate / largest, in [0, 1], 1 being fair
	TPRDifference       Estimate `json:"tpr_difference"`
	FPRDifference       Estimate `json:"fpr_difference"`
	// TPRGap is TPR of the first group − TPR of the second, with its sign; nil
	// unless there are two groups.
	TPRGap *Estimate `json:"tpr_gap,omitempty"`
	// TPRDeviation is Σ_g |TPR_g − TPR of all|, 0 being fair. For two groups it
	// is the size of the gap.
	TPRDeviation Estimate `json:"tpr_deviation"`
}

// Fairness is how differently groups are served. What is not defined (NaN, and
// null in JSON) was left out of the measures that take several classes or
// groups together.
type Fairness struct {
	Rows       int      `json:"rows"`     // whose label and group are known
	LeftOut    int      `json:"left_out"` // the others
	Accuracy   Share    `json:"accuracy"`
	Difference Estimate `json:"accuracy_difference"` // best group − worst
	// MacroF1, Balanced and Least count all classes alike, as [Balance] has them;
	// nil in results of an older version.
	MacroF1  *Estimate `json:"macro_f1,omitempty"`
	Balanced *Estimate `json:"balanced_accuracy,omitempty"`
	Least    *Estimate `json:"min_recall,omitempty"`
	// ParityDifference is the largest selection difference of a class. For two
	// classes both have the same.
	ParityDifference Estimate `json:"demographic_parity_difference"`
	// ParityRatio is, for two classes, the selection ratio of the second, which
	// counts as the positive one, and for more the smallest of a class.
	ParityRatio Estimate `json:"demographic_parity_ratio"`
	// OddsDifference is the largest TPR or FPR difference of a class. For two
	// classes it is the same for either being the positive one.
	OddsDifference Estimate `json:"equalized_odds_difference"`
	GRMS           Estimate `json:"grms"` // √ of the mean over classes of the squared TPR difference
	// DeviationRMS is √ of the mean over classes of the squared TPR deviation.
	DeviationRMS   Estimate      `json:"rms_deviation"`
	ClassesDefined int           `json:"classes_defined"` // that GRMS and DeviationRMS rest on
	Groups         []GroupReport `json:"groups"`
	Classes        []ClassReport `json:"classes"`
	Bootstrap      Bootstrap     `json:"bootstrap"`
	// Stratified says that resamples kept the size of each group, because one
	// has fewer than 30 rows.
	Stratified bool `json:"stratified"`
}

// CompareGroups measures how far predictions serve groups differently, with
// bootstrap intervals around every number. Rows whose label or group is unknown
// are left out; a negative prediction is never right and selects no class. The
// result has the same bits for every number of workers. It panics if the
// lengths differ.
//
// The intervals say how far the numbers may be off for want of rows. They do
// not correct for looking at many groups: of twenty intervals of equally
// treated groups one misses.
func CompareGroups(p *nn.Pool, o Outcomes, b Bootstrap) (*Fairness, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	b = b.withDefaults()
	f := newFairness(o)
	s := newSample(o)
	f.Rows, f.LeftOut, f.Bootstrap, f.Stratified = s.rows, len(o.Want)-s.rows, b, s.stratified
	if err := b.validate(len(f.estimates())); err != nil {
		return nil, err
	}
	newTally(o).fill(f, s.cells, s.counts)
	b.intervals(p, o, s, f.estimates())
	return f, nil
}

// newFairness returns a report with its names and without numbers.
func newFairness(o Outcomes) *Fairness {
	f := &Fairness{MacroF1: new(Estimate), Balanced: new(Estimate), Least: new(Estimate), Groups: make([]GroupReport, len(o.Groups)), Classes: make([]ClassReport, len(o.Classes))}
	for g, name := range o.Groups {
		f.Groups[g] = GroupReport{Name: name, Classes: make([]Rates, len(o.Classes))}
		for c, class := range o.Classes {
			f.Groups[g].Classes[c].Class = class
		}
	}
	for c, class := range o.Classes {
		f.Classes[c].Overall.Class = class
		if len(o.Groups) == 2 {
			f.Classes[c].TPRGap = new(Estimate)
		}
	}
	return f
}

// estimates returns all of a report's, always in the same order.
func (f *Fairness) estimates() []*Estimate {
	all := []*Estimate{
		&f.Accuracy.Estimate, &f.Difference, f.MacroF1, f.Balanced, f.Least, &f.ParityDifference, &f.ParityRatio, &f.OddsDifference, &f.GRMS, &f.DeviationRMS,
	}
	rates := func(r *Rates) {
		all = append(all, &r.Selection.Estimate, &r.TPR.Estimate, &r.FPR.Estimate)
	}
	for g := range f.Groups {
		all = append(all, &f.Groups[g].Accuracy.Estimate)
		for c := range f.Groups[g].Classes {
			rates(&f.Groups[g].Classes[c])
		}
	}
	for i := range f.Classes {
		c := &f.Classes[i]
		rates(&c.Overall)
		all = append(all, &c.SelectionDifference, &c.SelectionRatio, &c.TPRDifference, &c.FPRDifference, &c.TPRDeviation)
		if c.TPRGap != nil {
			all = append(all, c.TPRGap)
		}
	}
	return all
}

// summarise fills in what follows from the classes.
func (f *Fairness) summarise() {
	parity, ratio, odds, least := Undefined, Undefined, Undefined, Undefined
	f1, scored, recalls, present := 0.0, 0.0, 0.0, 0.0
	gaps, deviations := 0.0, 0.0
	f.ClassesDefined = 0
	for i := range f.Classes {
		c := &f.Classes[i]
		parity = larger(parity, c.SelectionDifference.Value)
		of, told := c.Overall.TPR, c.Overall.Selection
		if all := of.Rows + told.Hits; all > 0 {
			f1, scored = f1+2*float64(of.Hits)/float64(all), scored+1
		}
		if of.Rows > 0 {
			recalls, present = recalls+float64(of.Value), present+1
			least = -larger(-least, -of.Value)
		}
		odds = larger(larger(odds, c.TPRDifference.Value), c.FPRDifference.Value)
		if i == 1 || len(f.Classes) > 2 {
			ratio = -larger(-ratio, -c.SelectionRatio.Value)
		}
		if gap := float64(c.TPRDifference.Value); !math.IsNaN(gap) {
			f.ClassesDefined++
			gaps += gap * gap
			deviations += float64(c.TPRDeviation.Value * c.TPRDeviation.Value)
		}
	}
	f.MacroF1.Value, f.Balanced.Value, f.Least.Value = Number(f1/scored), Number(recalls/present), least
	defined := float64(f.ClassesDefined)
	f.ParityDifference.Value, f.ParityRatio.Value, f.OddsDifference.Value = parity, ratio, odds
	f.GRMS.Value, f.DeviationRMS.Value = Number(math.Sqrt(gaps/defined)), Number(math.Sqrt(deviations/defined))
}

// Alike returns the measures that count all classes alike, nil in results of an
// older version.
func (f *Fairness) Alike() *Balance {
	if f.MacroF1 == nil || f.Balanced == nil || f.Least == nil {
		return nil
	}
	return &Balance{
		MacroF1: f.MacroF1.Value, MacroF1Low: f.MacroF1.Low, MacroF1High: f.MacroF1.High,
		Balanced: f.Balanced.Value, BalancedLow: f.Balanced.Low, BalancedHigh: f.Balanced.High,
		Least: f.Least.Value, LeastLow: f.Least.Low, LeastHigh: f.Least.High,
	}
}

// larger returns the larger of two, passing over NaN.
func larger(best, v Number) Number {
	if v > best || math.IsNaN(float64(best)) {
		return v
	}
	return best
}
