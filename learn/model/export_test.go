package model

// Apply scales a vector in place.
func (s Scaling) Apply(x []float64) { s.apply(x) }
