package measure

import "fmt"

// Accuracy is the share of rows whose prediction is right, in [0, 1]. Rows
// whose label is unknown do not count; without any other row it is NaN. It
// panics if the lengths differ.
func Accuracy(want, got []int) float64 {
	hits, rows := Hits(want, got)
	return float64(hits) / float64(rows)
}

// Hits returns how many predictions are right, and of how many known rows. It
// panics if the lengths differ.
func Hits(want, got []int) (hits, rows int) {
	sameLength("predictions", len(got), len(want))
	for i, y := range want {
		if y >= 0 {
			rows++
			if got[i] == y {
				hits++
			}
		}
	}
	return hits, rows
}

// BalancedAccuracy is the mean over the classes that occur in want of the share
// of the class's rows whose prediction is right: what [Accuracy] would be if
// these classes were equally common. It is in [0, 1], and 1/K for whoever
// ignores the input, K being the number of classes. Without any known row it is
// NaN. It panics if the lengths differ.
func BalancedAccuracy(want, got []int) float64 {
	sameLength("predictions", len(got), len(want))
	cells := make([]Cell, largest(want)+1)
	for i, y := range want {
		if y >= 0 {
			cells[y].add(got[i] == y)
		}
	}
	sum, present := 0.0, 0
	for _, c := range cells {
		if c.Rows > 0 {
			sum += c.Rate()
			present++
		}
	}
	return sum / float64(present)
}

// Majority is the share of the commonest class among the rows with a known
// label: the accuracy of whoever always names it. Without any known row it is
// NaN.
func Majority(labels []int) float64 {
	counts := make([]int, largest(labels)+1)
	most, rows := 0, 0
	for _, y := range labels {
		if y >= 0 {
			rows++
			counts[y]++
			most = max(most, counts[y])
		}
	}
	return float64(most) / float64(rows)
}

// largest returns the largest label, −1 if all are unknown.
func largest(labels []int) int {
	top := -1
	for _, y := range labels {
		top = max(top, y)
	}
	return top
}

// sameLength panics unless there are as many of a thing as labels.
func sameLength(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("measure: %d %s for %d labels", got, what, want))
	}
}
