package plan

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Size of the drawing, which fits a terminal of 80 columns.
const (
	plotWidth, plotHeight = 66, 14
	plotMargin            = 7 // of the axis's numbers
)

// Draw draws the curve in characters, without colour: accuracy, what no release
// exceeds, and the two levels between which a release lies.
func (r *Result) Draw(w io.Writer) error {
	low, high := r.span()
	rows := make([][]rune, plotHeight)
	for i := range rows {
		rows[i] = []rune(strings.Repeat(" ", plotWidth))
	}
	first, last := r.Curve[0].Epsilon, r.Curve[len(r.Curve)-1].Epsilon
	column := func(e float64) int {
		if last <= first {
			return 0
		}
		return int(math.Round(math.Log(e/first) / math.Log(last/first) * (plotWidth - 1)))
	}
	put := func(x int, v float64, mark rune) {
		y := int(math.Round((high - v) / (high - low) * (plotHeight - 1)))
		if !math.IsNaN(v) && y >= 0 && y < plotHeight {
			rows[y][x] = mark
		}
	}
	for x := range plotWidth {
		put(x, float64(r.NonPrivate), '═')
		put(x, float64(r.Majority), '─')
	}
	for i, at := range r.Curve {
		if i > 0 { // between the points both are near straight
			before := r.Curve[i-1]
			from, to := column(before.Epsilon), column(at.Epsilon)
			for x := from + 1; x < to; x++ {
				share := float64(x-from) / float64(to-from)
				put(x, between(float64(before.Limit), float64(at.Limit), share), '·')
				put(x, between(float64(before.Accuracy), float64(at.Accuracy), share), '•')
			}
		}
		put(column(at.Epsilon), float64(at.Limit), '·')
		put(column(at.Epsilon), float64(at.Accuracy), '•')
	}
	if r.Reached != nil && r.Reached.Epsilon >= first && r.Reached.Epsilon <= last {
		put(column(r.Reached.Epsilon), float64(r.Reached.Accuracy), '◆')
	}
	return r.frame(w, rows, low, high, column)
}

// span returns the ends of the accuracy axis.
func (r *Result) span() (low, high float64) {
	low, high = float64(r.Majority), float64(r.NonPrivate)
	for _, at := range r.Curve {
		low, high = min(low, float64(at.Accuracy)), max(high, float64(at.Accuracy))
		if !math.IsNaN(float64(at.Limit)) {
			high = max(high, float64(at.Limit))
		}
	}
	low, high = math.Floor(20*low)/20, math.Ceil(20*high)/20
	if high <= low {
		high = low + 0.05
	}
	return low, high
}

func between(a, b, share float64) float64 { return a + share*(b-a) }

// frame writes the drawing with its axes.
func (r *Result) frame(w io.Writer, rows [][]rune, low, high float64, column func(float64) int) error {
	var b strings.Builder
	for y, row := range rows {
		name := ""
		if y%4 == 0 || y == plotHeight-1 {
			name = fmt.Sprintf("%.0f %%", 100*(high-(high-low)*float64(y)/(plotHeight-1)))
		}
		fmt.Fprintf(&b, "%*s ┤%s\n", plotMargin-2, name, strings.TrimRight(string(row), " "))
	}
	axis := []rune(strings.Repeat("─", plotWidth))
	names := []rune(strings.Repeat(" ", plotWidth+plotMargin))
	free := 0
	for _, e := range []float64{0.25, 0.5, 1, 2, 4, 8, 16} {
		if e < r.Curve[0].Epsilon || e > r.Curve[len(r.Curve)-1].Epsilon {
			continue
		}
		x, name := column(e), []rune(fmt.Sprint(e))
		axis[x] = '┬'
		if at := max(x-len(name)/2, 0); at >= free {
			copy(names[at+plotMargin-1:], name)
			free = at + len(name) + 1
		}
	}
	fmt.Fprintf(&b, "%s└%s\n%s\n", strings.Repeat(" ", plotMargin-1), string(axis), strings.TrimRight(string(names), " "))
	b.WriteString("       ε of a release:  • accuracy  · limit  ═ no protection  ─ commonest class")
	if r.Reached != nil {
		b.WriteString("\n       ◆ the least ε that reaches the target")
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}
