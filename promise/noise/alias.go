package noise

// aliasTable fills columns with an alias table for the integer weights w: a
// column j holds threshold<<indexBits | j^other. Drawing a column uniformly and
// a number below unit uniformly, j is the sample if the number lies below the
// threshold and other is if not; that gives each j exactly the probability
// w[j]/(len(w)·unit). The weights must sum to len(w)·unit.
func aliasTable(columns, w []uint64, unit uint64, indexBits int) {
	left := make([]uint64, len(w))
	copy(left, w)
	var small, large []int
	for j := range left {
		if left[j] < unit {
			small = append(small, j)
		} else {
			large = append(large, j)
		}
	}
	for len(small) > 0 {
		j := small[len(small)-1]
		small = small[:len(small)-1]
		k := large[len(large)-1] // there is one: the weights left sum to unit a column
		columns[j] = left[j]<<indexBits | uint64(j^k)
		left[k] -= unit - left[j]
		if left[k] < unit {
			large = large[:len(large)-1]
			small = append(small, k)
		}
	}
	for _, j := range large {
		columns[j] = unit << indexBits
	}
}

// sumExactly adds with Kahan's compensation: a plain sum of 16384 terms would
// be off by a hundred units in the last place, and all weights with it.
func sumExactly(p []float64) float64 {
	sum, lost := 0.0, 0.0
	for _, v := range p {
		y := v - lost
		t := sum + y
		lost = (t - sum) - y
		sum = t
	}
	return sum
}

// integerWeights rounds the probabilities p to integers that sum to total,
// giving what rounding leaves over to the first ones, one each.
func integerWeights(p []float64, total uint64) []uint64 {
	sum := sumExactly(p)
	w := make([]uint64, len(p))
	rest := int64(total)
	for j, v := range p {
		w[j] = uint64(float64(v/sum*float64(total)) + 0.5)
		rest -= int64(w[j])
	}
	for j := 0; rest != 0; j = (j + 1) % len(w) {
		if rest > 0 {
			w[j]++
			rest--
		} else if w[j] > 0 {
			w[j]--
			rest++
		}
	}
	return w
}
