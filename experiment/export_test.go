package experiment

// What the tests of this package look at.
var (
	Choose    = choose
	Halves    = halves
	Summarise = summarise
)

// Points lists the grid of a spec.
func (s Spec) Points() ([]Point, error) { return s.points() }
