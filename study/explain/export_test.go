package explain

// Drawn returns which different words each sample of a text has, and its weight.
func (l LIME) Drawn(s string) (ones [][]int, weights []float64, words int) {
	l = l.filled()
	b := newBag(s, Words(s))
	ones, _ = l.draw(s, b)
	for _, o := range ones {
		weights = append(weights, l.kernel(len(o), b.n))
	}
	return ones, weights, b.n
}
