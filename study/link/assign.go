package link

import "math"

// assign returns the largest sum of a choice of entries of a table of numbers that are
// not below zero, at most one a row and one a column: the Hungarian method, by shortest
// augmenting paths, in time of rows² · columns.
func assign(gain [][]float64) float64 {
	rows := len(gain)
	if rows == 0 || len(gain[0]) == 0 {
		return 0
	}
	columns := len(gain[0])
	at := func(i, j int) float64 { return gain[i][j] }
	if rows > columns { // every row finds a column
		rows, columns = columns, rows
		at = func(i, j int) float64 { return gain[j][i] }
	}
	// Rows and columns count from 1; row and column 0 are none. Potentials keep what a
	// choice costs, −gain, at or above their sum, and equal to it where it is taken.
	u, v := make([]float64, rows+1), make([]float64, columns+1)
	taken := make([]int, columns+1) // the row that has each column
	for i := 1; i <= rows; i++ {
		taken[0] = i
		least, from, done := make([]float64, columns+1), make([]int, columns+1), make([]bool, columns+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		last := 0
		for taken[last] != 0 {
			done[last] = true
			row, next, step := taken[last], 0, math.Inf(1)
			for j := 1; j <= columns; j++ {
				if done[j] {
					continue
				}
				if c := -at(row-1, j-1) - u[row] - v[j]; c < least[j] {
					least[j], from[j] = c, last
				}
				if least[j] < step {
					step, next = least[j], j
				}
			}
			for j := range done {
				if done[j] {
					u[taken[j]] += step
					v[j] -= step
				} else {
					least[j] -= step
				}
			}
			last = next
		}
		for last != 0 {
			taken[last] = taken[from[last]]
			last = from[last]
		}
	}
	var sum float64
	for j := 1; j <= columns; j++ {
		if taken[j] != 0 {
			sum += at(taken[j]-1, j-1)
		}
	}
	return sum
}
