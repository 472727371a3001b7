package parse

import "math"

// maximum returns the heads of the best tree over m words: scores has a row a
// word and a column a head, the root first, and the heads are columns. Exactly
// one word depends on the root. It is the algorithm of Chu and Liu (1965) and
// Edmonds (1967), first without a limit on the root's words; if there are more
// than one, once more for each of them alone, and the best counts.
func maximum(scores [][]float32) []int {
	heads := branching(scores)
	roots := []int{}
	for i, h := range heads {
		if h == 0 {
			roots = append(roots, i)
		}
	}
	if len(roots) <= 1 {
		return heads
	}
	best, most := heads, math.Inf(-1)
	for _, root := range roots {
		only := make([][]float32, len(scores))
		for i, row := range scores {
			only[i] = append([]float32(nil), row...)
			if i != root {
				only[i][0] = float32(math.Inf(-1))
			}
		}
		tree, total := branching(only), 0.0
		for i, h := range tree {
			total += float64(only[i][h])
		}
		if total > most {
			best, most = tree, total
		}
	}
	return best
}

// branching returns the heads of the best tree without a limit on the words of
// the root. It contracts one cycle after another.
func branching(scores [][]float32) []int {
	heads := make([]int, len(scores))
	for i, row := range scores {
		heads[i] = greatest(row, i+1)
	}
	cycle := circle(heads)
	if cycle == nil {
		return heads
	}
	// What remains are the words outside of the cycle, and one in its place.
	in := make([]bool, len(scores))
	for _, i := range cycle {
		in[i] = true
	}
	outside := []int{}
	for i := range scores {
		if !in[i] {
			outside = append(outside, i)
		}
	}
	k := len(outside)
	smaller := make([][]float32, k+1)
	into, from := make([]int, k+1), make([]int, k) // the word of the cycle that gets the head; the one that is the best head
	for a := range smaller {
		smaller[a] = make([]float32, k+2)
	}
	for a, i := range outside {
		smaller[a][0] = scores[i][0]
		for b, j := range outside {
			smaller[a][b+1] = scores[i][j+1]
		}
		from[a] = cycle[0]
		for _, j := range cycle {
			if scores[i][j+1] > scores[i][from[a]+1] {
				from[a] = j
			}
		}
		smaller[a][k+1] = scores[i][from[a]+1]
	}
	column := func(b int) int { // of the k+1 heads outside of the cycle
		if b == 0 {
			return 0
		}
		return outside[b-1] + 1
	}
	for b := range k + 1 {
		best := float32(math.Inf(-1))
		into[b] = cycle[0]
		for _, i := range cycle {
			if gain := scores[i][column(b)] - scores[i][heads[i]]; gain > best {
				best, into[b] = gain, i
			}
		}
		smaller[k][b] = best
	}
	smaller[k][k+1] = float32(math.Inf(-1))
	tree := branching(smaller)
	for a, i := range outside {
		if tree[a] == k+1 {
			heads[i] = from[a] + 1
		} else {
			heads[i] = column(tree[a])
		}
	}
	heads[into[tree[k]]] = column(tree[k])
	return heads
}

// greatest returns the column of the largest number but that of column self.
func greatest(row []float32, self int) int {
	best := -1
	for j, v := range row {
		if j != self && (best < 0 || v > row[best]) {
			best = j
		}
	}
	return best
}

// circle returns the words of a cycle, or nil if there is none.
func circle(heads []int) []int {
	const (
		fresh = iota
		open
		done
	)
	mark := make([]int, len(heads))
	for i := range heads {
		at := i
		for at >= 0 && mark[at] == fresh {
			mark[at] = open
			at = heads[at] - 1
		}
		if at >= 0 && mark[at] == open {
			cycle := []int{at}
			for next := heads[at] - 1; next != at; next = heads[next] - 1 {
				cycle = append(cycle, next)
			}
			return cycle
		}
		for at = i; at >= 0 && mark[at] == open; at = heads[at] - 1 {
			mark[at] = done
		}
	}
	return nil
}
