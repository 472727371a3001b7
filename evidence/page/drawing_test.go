package page_test

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/evidence/page"
)

// area is a rectangle of a drawing.
type area struct {
	class, tip string
	opacity    float64
	x, y, w, h float64
}

var (
	areas  = regexp.MustCompile(`<rect class="([^"]*)"(?: fill-opacity="([\d.]+)")? x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)" height="([\d.-]+)"><title>([^<]*)</title>`)
	marked = regexp.MustCompile(`<path class="m c\d( hollow)?" d="M([\d.-]+) ([\d.-]+)m[^"]*"><title>([^<]*)</title>`)
	texts  = regexp.MustCompile(`<text [^>]*>([^<]*)</text>`)
	joined = regexp.MustCompile(`<path class="run c\d"( stroke-dasharray="[^"]*")? d="(M[^"]*)"`)
)

func number(t testing.TB, s string) float64 {
	t.Helper()
	if s == "" {
		return 1
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// areasOf returns the rectangles of a plot that have a tip.
func areasOf(t testing.TB, p page.Plot) []area {
	t.Helper()
	var all []area
	for _, m := range areas.FindAllStringSubmatch(drawn(t, p), -1) {
		all = append(all, area{m[1], html.UnescapeString(m[7]), number(t, m[2]), number(t, m[3]), number(t, m[4]), number(t, m[5]), number(t, m[6])})
	}
	return all
}

// wordsOf returns the texts of a plot, in order.
func wordsOf(t testing.TB, p page.Plot) []string {
	t.Helper()
	var all []string
	for _, m := range texts.FindAllStringSubmatch(drawn(t, p), -1) {
		all = append(all, html.UnescapeString(m[1]))
	}
	return all
}

// Bars begin at 0, are as long as their values and have the colour of their
// direction. Coordinates are rounded to tenths, so lengths are right to 0.1.
func TestBars(t *testing.T) {
	p := &page.Bars{
		Axis: page.Axis{Low: -1, High: 1}, Decimals: 2, Left: "male", Right: "female",
		Groups: []page.BarGroup{{Name: "English", Bars: []page.Bar{
			{Name: "she", Value: 0.8}, {Name: "he", Value: -0.4, Low: -0.5, High: -0.3}, {Name: "lost", Value: nan}, {Name: "beyond", Value: 7},
		}}},
	}
	all := areasOf(t, p)
	if len(all) != 3 {
		t.Fatalf("%d bars, want 3: one value is not defined", len(all))
	}
	she, he, beyond := all[0], all[1], all[2]
	if she.class != "m c1" || he.class != "m c0" {
		t.Errorf("classes = %q and %q, want those of the two directions", she.class, he.class)
	}
	if math.Abs(she.x-(he.x+he.w)) > 0.21 || math.Abs(she.w-2*he.w) > 0.31 {
		t.Errorf("bars = %+v and %+v, want both from 0, the first twice as long", she, he)
	}
	if math.Abs(beyond.w-she.w/0.8) > 0.31 {
		t.Errorf("a value beyond the axis is %v long, want it cut to %v", beyond.w, she.w/0.8)
	}
	if want := "he: −0.40 (−0.50 to −0.30)"; he.tip != want {
		t.Errorf("tip = %q, want %q", he.tip, want)
	}
	svg := drawn(t, p)
	if n := strings.Count(svg, `<path class="limit"`); n != 1 {
		t.Errorf("%d intervals, want 1", n)
	}
	for _, want := range []string{"← male", "→ female", "English", "0.80", "−0.40", "–", "7.00"} {
		if !slices.Contains(wordsOf(t, p), want) {
			t.Errorf("the drawing lacks %q", want)
		}
	}
}

// An axis without ends holds all values and 0, and the name of no direction
// leaves one colour.
func TestBarsOfOneColour(t *testing.T) {
	for _, a := range areasOf(t, confidence()) {
		if a.class != "m c0" {
			t.Errorf("class = %q, want one colour", a.class)
		}
	}
	if got := wordsOf(t, confidence()); !slices.Contains(got, "0 %") || !slices.Contains(got, "61.0 %") || slices.Contains(got, "← ") {
		t.Errorf("texts = %q, want an axis from 0 %% and no key", got)
	}
}

func TestHeatMap(t *testing.T) {
	p := &page.HeatMap{
		Rows: []string{"a", "b"}, Columns: []string{"c", "d", "e"}, Decimals: 2, Diverging: true,
		Values: [][]float64{{1, -0.5, nan}, {0, 0.25, -1}},
	}
	all := areasOf(t, p)
	cells := all[len(all)-6:] // after what the colours mean
	for i, want := range []struct {
		class   string
		opacity float64
		tip     string
	}{
		{"m c1", 0.55, "a, c: 1.00"},
		{"m c0", 0.28, "a, d: −0.50"},
		{"panel", 1, "a, e: not defined"},
		{"m c1", 0, "b, c: 0.00"},
		{"m c1", 0.14, "b, d: 0.25"},
		{"m c0", 0.55, "b, e: −1.00"},
	} {
		if got := cells[i]; got.class != want.class || math.Abs(got.opacity-want.opacity) > 0.011 || got.tip != want.tip {
			t.Errorf("cell %d = %+v, want %+v", i, got, want)
		}
	}
	got := wordsOf(t, p)
	for _, want := range []string{"a", "e", "1.00", "−0.50", "0.25", "−1.00"} {
		if !slices.Contains(got, want) {
			t.Errorf("texts = %q, want %q among them", got, want)
		}
	}
	if slices.Contains(got, page.Undefined) {
		t.Error("the empty cell has a text")
	}
}

// Numbers become shorter where cells are narrow, and never other numbers. Of n
// columns each has 692/n − 3, and 6/5 of that for small letters; a digit takes
// 7.7, the point 4.8 and the minus 10.2.
func TestHeatMapNumbers(t *testing.T) {
	for _, tt := range []struct {
		columns int
		value   float64
		want    string
	}{
		{5, 0.25, "0.25"},
		{5, -0.25, "−0.25"},
		{22, -0.25, "−.25"},
		{22, 10.25, "10.2"},
		{30, 10.25, ""},
		{30, 0.25, ".25"},
		{40, 0.25, ".2"},
		{60, 0.25, ""},
	} {
		p := &page.HeatMap{Rows: []string{"a"}, Decimals: 2, Low: -1, High: 1, Values: [][]float64{nil}}
		for range tt.columns {
			p.Columns, p.Values[0] = append(p.Columns, "c"), append(p.Values[0], tt.value)
		}
		all := wordsOf(t, p)
		got := ""
		if last := all[len(all)-1]; last != "c" && last != "a" {
			got = last
		}
		if got != tt.want {
			t.Errorf("%v in %d columns is written %q, want %q", tt.value, tt.columns, got, tt.want)
		}
	}
}

// Rows and columns are in the order of their trees, whose branches begin where
// those stand and meet in the middle.
func TestHeatMapTree(t *testing.T) {
	p := &page.HeatMap{
		Rows: []string{"a", "b", "c"}, Columns: []string{"x"}, Values: [][]float64{{1}, {2}, {3}},
		RowTree: []page.Merge{{A: 0, B: 2, Height: 1}, {A: 3, B: 1, Height: 2}},
	}
	all := areasOf(t, p)
	cells := all[len(all)-3:]
	var got []string
	for _, a := range cells {
		got = append(got, a.tip[:1])
	}
	if want := []string{"a", "c", "b"}; !slices.Equal(got, want) {
		t.Fatalf("rows = %q, want %q", got, want)
	}
	middle := func(a area) float64 { return a.y + a.h/2 }
	branches := joined.FindAllStringSubmatch(drawn(t, p), -1)
	if len(branches) != 2 {
		t.Fatalf("%d branches, want 2", len(branches))
	}
	a, c, b := middle(cells[0]), middle(cells[1]), middle(cells[2])
	for i, want := range []string{
		fmt.Sprintf("M72 %vL36.5 %vL36.5 %vL72 %v", a, a, c, c),
		fmt.Sprintf("M36.5 %vL1 %vL1 %vL72 %v", (a+c)/2, (a+c)/2, b, b),
	} {
		if got := branches[i][2]; got != want {
			t.Errorf("branch %d = %q, want %q", i, got, want)
		}
	}
}

// Ten series can be told apart without colours, and their names do not lie on
// each other where they end.
func TestNamedSeries(t *testing.T) {
	p := frontier()
	svg := drawn(t, p)
	shape := regexp.MustCompile(`<path class="m c\d" d="M[\d.-]+ [\d.-]+(m[^"]*)"><title>([^<]*)</title>`)
	end := regexp.MustCompile(`<text class="t" text-anchor="start" x="[\d.-]+" y="([\d.-]+)">([^<]*)</text>`)
	looks := map[string]string{}
	lines := joined.FindAllStringSubmatch(svg, -1)
	if len(lines) != len(p.Series) {
		t.Fatalf("%d lines, want %d", len(lines), len(p.Series))
	}
	for i, s := range p.Series {
		look := lines[i][1]
		for _, m := range shape.FindAllStringSubmatch(svg, -1) {
			if html.UnescapeString(m[2]) == s.Name {
				look += m[1]
			}
		}
		if other, ok := looks[look]; ok {
			t.Errorf("%s looks like %s", s.Name, other)
		}
		looks[look] = s.Name
	}
	var heights []float64
	for _, m := range end.FindAllStringSubmatch(svg, -1) {
		if slices.ContainsFunc(p.Series, func(s page.Series) bool { return s.Name == html.UnescapeString(m[2]) }) {
			heights = append(heights, number(t, m[1]))
		}
	}
	if len(heights) != len(p.Series) {
		t.Fatalf("%d names, want %d", len(heights), len(p.Series))
	}
	slices.Sort(heights)
	for i := 1; i < len(heights); i++ {
		if d := heights[i] - heights[i-1]; d < 14.8 {
			t.Errorf("two names are %v apart, want at least 15, apart from rounding", d)
		}
	}
}

// Points without a place are left out; a hollow mark may stand at 0.
func TestChartPoints(t *testing.T) {
	zero := 0.0
	p := &page.Chart{X: page.Axis{Log: true, Infinity: "none"}, Hollow: "claimed", Series: []page.Series{{Name: "s", Runs: [][]page.Dot{{
		{X: 1, Y: 0.2, Tip: "first"}, {X: 2, Y: nan, Tip: "no value"}, {X: nan, Y: 0.3, Tip: "no place"}, {X: 4, Y: 0.4, Hollow: &zero, Tip: "last"}, {X: math.Inf(1), Y: 0.5, Tip: "infinite"},
	}}}}}
	got := map[string][]float64{}
	for _, m := range marked.FindAllStringSubmatch(drawn(t, p), -1) {
		got[m[4]] = append(got[m[4]], number(t, m[2]))
	}
	if len(got["no value"]) > 0 || len(got["no place"]) > 0 {
		t.Error("points without a place are drawn")
	}
	if first, last, infinite := got["first"], got["last"], got["infinite"]; len(first) != 1 || len(last) != 2 || len(infinite) != 1 ||
		!(last[0] < first[0] && first[0] < last[1] && last[1] < infinite[0]) {
		t.Errorf("marks at %v, %v and %v, want the hollow one first, the infinite one last", first, last, infinite)
	}
	if words := wordsOf(t, p); !slices.Contains(words, "none") || !slices.Contains(words, "0") {
		t.Errorf("texts = %q, want the names of the columns", words)
	}
}

// An axis without ends holds what is drawn, with half a step of an eighth of it
// on both sides; there are at most thirteen ticks.
func TestAxes(t *testing.T) {
	for _, tt := range []struct {
		name        string
		a           page.Axis
		values      []float64
		first, last string // ticks
	}{
		{"linear", page.Axis{}, []float64{-3, 5}, "−3", "5"},
		{"logarithmic", page.Axis{Log: true}, []float64{0.01, 100}, "0.01", "100"},
		{"shares", page.Axis{Percent: true}, []float64{0.1, 0.9}, "10 %", "90 %"},
		{"its own ends", page.Axis{Low: 0, High: 10}, []float64{4, 5}, "0", "10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &page.Chart{X: tt.a, Series: []page.Series{{Runs: [][]page.Dot{nil}}}}
			for _, v := range tt.values {
				p.Series[0].Runs[0] = append(p.Series[0].Runs[0], page.Dot{X: v, Y: 1})
			}
			ticks := regexp.MustCompile(`text-anchor="middle" x="[\d.]+" y="[\d.]+">([^<]+)<`).FindAllStringSubmatch(drawn(t, p), -1)
			if len(ticks) < 2 {
				t.Fatalf("%d ticks, want some", len(ticks))
			}
			if first, last := ticks[0][1], ticks[len(ticks)-1][1]; first != tt.first || last != tt.last {
				t.Errorf("ticks from %q to %q, want %q to %q", first, last, tt.first, tt.last)
			}
		})
	}
}

// A limit above the axis is not drawn along its end, where it is not.
func TestLimitBeyondTheAxis(t *testing.T) {
	chart := func(high float64) *page.Chart {
		return &page.Chart{
			X: page.Axis{Low: 1, High: 10, Log: true}, Y: page.Axis{Low: 0, High: high},
			Limit: []page.Point{{X: 1, Y: 0.5}, {X: 5, Y: 0.9}, {X: 10, Y: 1}},
		}
	}
	for high, want := range map[float64]int{1: 3, 0.8: 2, 0.4: 0} {
		points := 0
		if m := regexp.MustCompile(`class="limit" d="([^"]*)"`).FindStringSubmatch(drawn(t, chart(high))); m != nil {
			points = strings.Count(m[1], "M") + strings.Count(m[1], "L")
		}
		if points != want {
			t.Errorf("up to %v the curve has %d points, want %d", high, points, want)
		}
	}
}
