package transformer

// Drop drops numbers of a row as the last pass does at a place.
func (e *Encoder) Drop(site, item int, x []float32) {
	if d, drops := e.dropAt(site); drops {
		e.vectors.Drop(x, x, d.At(uint64(item)))
	}
}
