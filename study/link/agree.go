package link

import "math"

// This part of the package measures how well a division of records into clusters agrees with
// the true one.
//
//	s := Compare(truth, found) // labels of the same records
//	fmt.Println(s.F1)

// Agreement is how well two divisions agree. Each figure but Adjusted is from 0 to 1,
// and each is 1 if the divisions are the same.
type Agreement struct {
	Items   int `json:"items"`
	Found   int `json:"pairs_found"`   // pairs that share a cluster
	True    int `json:"pairs_true"`    // pairs that should
	Correct int `json:"pairs_correct"` // pairs that do and should

	Precision float64 `json:"precision"` // of the pairs found, those that are true; 1 if none is found
	Recall    float64 `json:"recall"`    // of the true pairs, those that are found; 1 if none is true
	F1        float64 `json:"f1"`        // harmonic mean of the two

	// Homogeneity is 1 if a cluster holds one entity alone, completeness if an
	// entity is in one cluster alone: 1 − H(entity | cluster)/H(entity), and the
	// other way round. V is their harmonic mean (Rosenberg and Hirschberg, 2007).
	Homogeneity  float64 `json:"homogeneity"`
	Completeness float64 `json:"completeness"`
	V            float64 `json:"v_measure"`

	// Adjusted is the Rand index, of pairs treated alike, adjusted so that chance
	// has 0 (Hubert and Arabie, 1985); FowlkesMallows is √(precision·recall).
	Adjusted       float64 `json:"ari"`
	FowlkesMallows float64 `json:"fowlkes_mallows"`
}

// Compare measures found labels against true ones, of the same items in the same
// order. It panics if there are not as many of the ones as of the others.
func Compare(truth, found []int) Agreement {
	if len(truth) != len(found) {
		panic("agree: truth and found have unequal lengths")
	}
	s := Agreement{Items: len(truth)}
	both, rows, columns := map[[2]int]int{}, map[int]int{}, map[int]int{}
	for k, t := range truth {
		both[[2]int{t, found[k]}]++
		rows[t]++
		columns[found[k]]++
	}
	s.True, s.Found = pairs(rows), pairs(columns)
	for _, n := range both {
		s.Correct += n * (n - 1) / 2
	}
	s.Precision, s.Recall = ratio(s.Correct, s.Found), ratio(s.Correct, s.True)
	s.F1 = harmonic(s.Precision, s.Recall)
	s.FowlkesMallows = math.Sqrt(s.Precision * s.Recall)
	s.Adjusted = adjusted(float64(s.Correct), float64(s.Found), float64(s.True), float64(s.Items))
	joint := entropy(both, s.Items)
	s.Homogeneity = explained(entropy(rows, s.Items), joint-entropy(columns, s.Items))
	s.Completeness = explained(entropy(columns, s.Items), joint-entropy(rows, s.Items))
	s.V = harmonic(s.Homogeneity, s.Completeness)
	return s
}

// pairs counts pairs inside of groups.
func pairs(sizes map[int]int) int {
	sum := 0
	for _, n := range sizes {
		sum += n * (n - 1) / 2
	}
	return sum
}

// ratio is 1 if there is nothing to be a part of.
func ratio(part, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(part) / float64(of)
}

func harmonic(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}

// adjusted is (index − expected)/(largest − expected).
func adjusted(correct, found, truth, items float64) float64 {
	all := items * (items - 1) / 2
	if all == 0 {
		return 1
	}
	expected := found * truth / all
	largest := float64((found + truth) / 2) // is not fused with what is taken from it
	if largest == expected {
		return 1
	}
	return (correct - expected) / (largest - expected)
}

// entropy is that of a draw among n items, of the group it falls into, summed over
// sizes in order, so that it is the same on every run.
func entropy[K comparable](sizes map[K]int, n int) float64 {
	count := map[int]int{}
	largest := 0
	for _, s := range sizes {
		count[s]++
		largest = max(largest, s)
	}
	var sum float64
	for s := 1; s <= largest; s++ {
		if count[s] > 0 {
			p := float64(s) / float64(n)
			sum -= float64(float64(count[s]) * p * math.Log(p))
		}
	}
	return sum
}

// explained is 1 − rest/all, and 1 if there is nothing to explain.
func explained(all, rest float64) float64 {
	if all == 0 {
		return 1
	}
	return min(1, max(0, 1-rest/all))
}
