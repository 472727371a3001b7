package measure

import "math"

// tally holds the counts that all rates are made of, as table[class][group].
// One serves many resamples.
type tally struct {
	rows                Table // of one class: the rows of each group, and the right ones
	selected, tpr, fpr  Table
	labelled, predicted [][]int
}

func newTally(o Outcomes) *tally {
	classes, groups := len(o.Classes), len(o.Groups)
	t := &tally{
		rows: newTable(1, groups), selected: newTable(classes, groups), tpr: newTable(classes, groups), fpr: newTable(classes, groups),
		labelled: make([][]int, classes), predicted: make([][]int, classes),
	}
	for c := range classes {
		t.labelled[c], t.predicted[c] = make([]int, groups), make([]int, groups)
	}
	return t
}

func newTable(classes, groups int) Table {
	t := make(Table, classes)
	for c := range t {
		t[c] = make([]Cell, groups)
	}
	return t
}

// fill sets the values of a report to those of a sample with the given count of
// each cell.
func (t *tally) fill(f *Fairness, cells []outcome, counts []int) {
	t.count(cells, counts)
	for g, cell := range t.rows[0] {
		f.Groups[g].Rows = cell.Rows
		f.Groups[g].Accuracy.set(cell)
		for c := range f.Classes {
			f.Groups[g].Classes[c].set(t.selected[c][g], t.tpr[c][g], t.fpr[c][g])
		}
	}
	f.Accuracy.set(total(t.rows[0]))
	f.Difference.Value, _ = contrast(t.rows[0])
	for i := range f.Classes {
		c := &f.Classes[i]
		c.Overall.set(total(t.selected[i]), total(t.tpr[i]), total(t.fpr[i]))
		c.SelectionDifference.Value, c.SelectionRatio.Value = contrast(t.selected[i])
		c.TPRDifference.Value, _ = contrast(t.tpr[i])
		c.FPRDifference.Value, _ = contrast(t.fpr[i])
		c.TPRDeviation.Value = deviation(t.tpr[i])
		if c.TPRGap != nil {
			c.TPRGap.Value = Number(t.tpr[i][0].Rate() - t.tpr[i][1].Rate())
		}
	}
	f.summarise()
}

// count adds up the cells of a sample.
func (t *tally) count(cells []outcome, counts []int) {
	clear(t.rows[0])
	for c := range t.tpr {
		clear(t.tpr[c])
		clear(t.labelled[c])
		clear(t.predicted[c])
	}
	for i, o := range cells {
		n := counts[i]
		t.rows[0][o.group].Rows += n
		t.labelled[o.want][o.group] += n
		if o.got >= 0 {
			t.predicted[o.got][o.group] += n
		}
		if o.got == o.want {
			t.rows[0][o.group].Hits += n
			t.tpr[o.want][o.group].Hits += n
		}
	}
	for c := range t.tpr {
		for g := range t.tpr[c] {
			rows, right := t.rows[0][g].Rows, t.tpr[c][g].Hits
			t.selected[c][g] = Cell{Rows: rows, Hits: t.predicted[c][g]}
			t.tpr[c][g].Rows = t.labelled[c][g]
			t.fpr[c][g] = Cell{Rows: rows - t.labelled[c][g], Hits: t.predicted[c][g] - right}
		}
	}
}

func (s *Share) set(c Cell) { s.Cell, s.Value = c, Number(c.Rate()) }

func (r *Rates) set(selection, tpr, fpr Cell) {
	r.Selection.set(selection)
	r.TPR.set(tpr)
	r.FPR.set(fpr)
}

// total returns the cell of all groups together.
func total(cells []Cell) Cell {
	var sum Cell
	for _, c := range cells {
		sum.Rows += c.Rows
		sum.Hits += c.Hits
	}
	return sum
}

// contrast returns the largest rate less the smallest, and the smallest over the
// largest, of the cells with rows; both are undefined for fewer than two, and
// the ratio if all rates are 0.
func contrast(cells []Cell) (difference, ratio Number) {
	low, high, present := math.Inf(1), math.Inf(-1), 0
	for _, c := range cells {
		if c.Rows > 0 {
			low, high = min(low, c.Rate()), max(high, c.Rate())
			present++
		}
	}
	if present < 2 {
		return Number(undefined), Number(undefined)
	}
	return Number(high - low), Number(low / high)
}

// deviation returns the sum of |rate − rate of all| over the cells with rows,
// undefined for fewer than two.
func deviation(cells []Cell) Number {
	all, sum, present := total(cells).Rate(), 0.0, 0
	for _, c := range cells {
		if c.Rows > 0 {
			sum += math.Abs(c.Rate() - all)
			present++
		}
	}
	if present < 2 {
		return Number(undefined)
	}
	return Number(sum)
}
