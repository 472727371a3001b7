package decoy

// What tests ask for.
var (
	Chooses  = chooses
	Expected = expected
	SignTest = signTest
)

// SPPickOrder returns the order of the pick for explanations of words and weights.
func SPPickOrder(words [][]string, weights [][]float64) []int {
	return spPick(readings(words, weights))
}

// ClusterOrder is the same for clusters.
func ClusterOrder(words [][]string, weights [][]float64, seed uint64) []int {
	return clusters(readings(words, weights), newPlanter(nil, seed, 0).rng)
}

func readings(words [][]string, weights [][]float64) (all []reading) {
	for i := range words {
		all = append(all, reading{words[i], weights[i]})
	}
	return all
}
