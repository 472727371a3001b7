package records

// What tests look at.
var (
	JaroWinkler = jaroWinkler
	Sound       = sound
)

// Features compares two fields, of a table that has no others.
func Features(a, b string) []float64 {
	all := [][]value{{parse(a)}, {parse(b)}}
	weigh(all, 0)
	out := make([]float64, perColumn)
	features(out, all[0][0], all[1][0])
	return out
}
