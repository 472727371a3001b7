package measure

// What the tests of this package look at.
var Binomial = binomial

// Estimates lists the numbers of a comparison that have an interval.
func (f *Fairness) Estimates() []*Estimate { return f.estimates() }
