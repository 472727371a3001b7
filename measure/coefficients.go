package measure

// Coefficients returns what an attacker without hidden layers looks at: for each
// class but the first, by how much its score rises above that of the first with
// each number of a row, in the units of the rows that it was fitted to. It
// returns nil for an attacker with hidden layers.
func (a *Attacker) Coefficients() [][]float64 {
	if len(a.model) > 1 {
		return nil
	}
	weight := a.model.Params()[0].Value // columns × scores
	of := make([][]float64, a.classes-1)
	for c := range of {
		of[c] = make([]float64, weight.Rows)
		for j := range of[c] {
			row := weight.Row(j)
			if a.classes == 2 { // one output, the second class's
				of[c][j] = float64(row[0]) * a.scale.factor[j]
			} else {
				of[c][j] = (float64(row[c+1]) - float64(row[0])) * a.scale.factor[j]
			}
		}
	}
	return of
}
