package report_test

import (
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/report"
)

// point is a mark of a drawing.
type point struct {
	x, y   float64
	hollow bool
	tip    string
}

var (
	drawn  = regexp.MustCompile(`(?s)<svg [^>]*aria-labelledby="p0w-t.*?</svg>`)
	marked = regexp.MustCompile(`<path class="m c\d( hollow)?" d="M([\d.-]+) ([\d.-]+)m[^"]*"><title>([^<]*)</title>`)
	curve  = regexp.MustCompile(`<path class="limit" d="([^"]*)"`)
	step   = regexp.MustCompile(`[ML]([\d.-]+) ([\d.-]+)`)
)

// drawing returns the wide accuracy plot of some configurations and its marks.
func drawing(t *testing.T, priors []float64, configurations ...experiment.Configuration) (string, []point) {
	t.Helper()
	r := result()
	r.Priors, r.Configurations = priors, configurations
	svg := drawn.FindString(render(t, report.HTML, of(r)))
	var points []point
	for _, m := range marked.FindAllStringSubmatch(svg, -1) {
		if tip := html.UnescapeString(m[4]); strings.Contains(tip, "true ε") {
			points = append(points, point{number(t, m[2]), number(t, m[3]), m[1] != "", tip})
		}
	}
	return svg, points
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The axis of ε is logarithmic, and that of the accuracy points upwards.
func TestScales(t *testing.T) {
	_, p := drawing(t, []float64{0.5, 0.5},
		configuration("noise", "a", "true", 1, 1, 0.6), configuration("noise", "a", "true", 4, 4, 0.7), configuration("noise", "a", "true", 16, 16, 0.9))
	if len(p) != 3 {
		t.Fatalf("%d marks, want 3", len(p))
	}
	// Coordinates are rounded to tenths, so differences are right to 0.1 and
	// their ratios to 0.2 out of some hundred.
	if a, b := p[1].x-p[0].x, p[2].x-p[1].x; !(a > 0) || math.Abs(a-b) > 0.2 {
		t.Errorf("ε = 1, 4, 16 stand %v and %v apart, want the same", a, b)
	}
	if a, b := p[0].y-p[1].y, p[1].y-p[2].y; !(a > 0) || math.Abs(2*a-b) > 0.3 {
		t.Errorf("60, 70 and 90 %% stand %v and %v apart, want twice as far", a, b)
	}
}

// A false claim is a hollow mark at the same height, left of the truth.
func TestClaimIsJoined(t *testing.T) {
	svg, p := drawing(t, []float64{0.5, 0.5}, configuration("noise", "a", "released", 1, 10, 0.8), configuration("noise", "a", "true", 1, 1, 0.7))
	if len(p) != 3 {
		t.Fatalf("%d marks, want 3: two of the false claim and one of the true", len(p))
	}
	claim, truth, honest := p[0], p[1], p[2]
	if !claim.hollow || truth.hollow || honest.hollow || claim.y != truth.y || claim.x != honest.x || !(claim.x < truth.x) {
		t.Errorf("marks = %+v, want a hollow one above the honest one, joined to the right", p)
	}
	if n := strings.Count(svg, `class="tail `); n != 1 {
		t.Errorf("%d joins, want 1", n)
	}
	if want := "noise a released D=4: 80.0 % at a true ε of 10, claimed 1"; claim.tip != want {
		t.Errorf("tip = %q, want %q", claim.tip, want)
	}
}

// What has no ε stands in a column of its own, right of every finite ε.
func TestInfinityHasAColumn(t *testing.T) {
	svg, p := drawing(t, []float64{0.5, 0.5}, configuration("noise", "a", "released", 1, dp.Infinite, 0.8), configuration("noise", "a", "true", 1e6, 1e6, 0.7), configuration("unconstrained", "", "", 0, dp.Infinite, 0.9))
	var least, most float64 = math.Inf(1), 0
	for _, q := range p {
		if strings.Contains(q.tip, "ε of ∞") && !q.hollow {
			least = min(least, q.x)
		} else {
			most = max(most, q.x)
		}
	}
	if !(least > most) || !strings.Contains(svg, "∞ / none") {
		t.Errorf("the first without ε stands at %v, the last with one at %v, want a column to the right", least, most)
	}
}

// A configuration at the limit stands on the curve, and one a little above it,
// which its claim forbids, in the shaded part.
func TestLimitIsWhereItSays(t *testing.T) {
	priors := []float64{0.2, 0.3, 0.5}
	var all []experiment.Configuration
	for _, epsilon := range []dp.Epsilon{0.5, 1, 2, 4} {
		v, err := dp.AccuracyBound(epsilon, priors)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, configuration("noise", "a", "true", epsilon, epsilon, measure.Number(v)))
	}
	svg, p := drawing(t, priors, all...)
	if len(p) != 4 {
		t.Fatalf("%d marks, want 4", len(p))
	}
	m := curve.FindStringSubmatch(svg)
	if m == nil {
		t.Fatal("no limit is drawn")
	}
	var at [][2]float64
	for _, s := range step.FindAllStringSubmatch(m[1], -1) {
		at = append(at, [2]float64{number(t, s[1]), number(t, s[2])})
	}
	for _, q := range p {
		got := math.NaN()
		for i := 1; i < len(at); i++ {
			if a, b := at[i-1], at[i]; a[0] <= q.x && q.x <= b[0] {
				got = a[1] + (b[1]-a[1])*(q.x-a[0])/(b[0]-a[0])
			}
		}
		// Each of the numbers is rounded to a tenth; the curve falls by less
		// than three for one to the right, and bends little between two steps.
		if !(math.Abs(got-q.y) < 0.5) {
			t.Errorf("%s: the curve is at %v, the mark at %v, want the same", q.tip, got, q.y)
		}
	}
	if !strings.Contains(svg, `class="beyond"`) {
		t.Error("nothing is shaded")
	}
}

// Results on the same rows share a plot; those on other data do not.
func TestResultsShareAPlot(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*experiment.Result)
		want   int
	}{
		{"the same data", func(*experiment.Result) {}, 1},
		{"measured once", func(r *experiment.Result) { r.Reference = nan }, 1},
		{"other rows", func(r *experiment.Result) { r.Rows.Test++ }, 2},
		{"another label", func(r *experiment.Result) { r.Data.Label = "topic" }, 2},
		{"another hash", func(r *experiment.Result) { r.Data.Hash = "00" }, 2},
		{"another encoder", func(r *experiment.Result) { r.Data.Encoder = "words" }, 2},
		{"another model without protection", func(r *experiment.Result) { r.Reference = 0.9 }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := result(), result()
			tt.change(b)
			page := render(t, report.HTML, of(a, b))
			if got := len(regexp.MustCompile(`<title id="p\d+w-t">Accuracy against ε`).FindAllString(page, -1)); got != tt.want {
				t.Errorf("%d plots, want %d", got, tt.want)
			}
			if len(a.Configurations) != len(result().Configurations) {
				t.Error("the evidence was changed")
			}
		})
	}
}

// Intervals beyond the plot are cut, never drawn outside.
func TestNothingLeavesThePlot(t *testing.T) {
	c := configuration("noise", "a", "true", 1, 1, 0.6)
	c.Interval = [2]measure.Number{-3, 4}
	svg, _ := drawing(t, []float64{0.5, 0.5}, c, configuration("noise", "a", "true", 9, 9, 0.7))
	view := regexp.MustCompile(`viewBox="0 0 ([\d.]+) ([\d.]+)"`).FindStringSubmatch(svg)
	height := number(t, view[2])
	for _, m := range regexp.MustCompile(`<line class="bar[^>]*y1="([\d.-]+)"[^>]*y2="([\d.-]+)"`).FindAllStringSubmatch(svg, -1) {
		for _, s := range m[1:] {
			if y := number(t, s); y < 0 || y > height {
				t.Errorf("a bar reaches to %v, must stay within 0 and %v", y, height)
			}
		}
	}
}

// Published methods and ours stand in one plot, each said to be what it is, with
// what a paper printed of the same data at its claimed and at its true ε.
func TestPublishedAndOurs(t *testing.T) {
	theirs, ours := result(), result()
	theirs.Configurations = []experiment.Configuration{configuration("federate", "laplace-l1", "released", 8, 138.564, 0.82)}
	ours.Configurations, ours.Reference = []experiment.Configuration{configuration("codes", "codes", "true", 4, 4, 0.81)}, 0.97
	task := &report.PublishedTask{Data: "reviews", Label: "sentiment", Priors: ours.Priors}
	table := &report.PublishedTable{Format: report.PublishedFormat, Name: "federate-reviews", Rows: []report.PublishedRow{{
		Name: "FEDERATE", Task: task, AsPublished: &report.PublishedPromise{Claimed: 8, True: 138.564, Unit: dp.Text}, Honest: &report.PublishedPromise{Claimed: 8, True: 8, Unit: dp.Text},
		Cells: []report.PublishedCell{{
			Metric: "accuracy", Unit: "%", Published: report.PublishedNumber{Mean: 82.29, Deviation: nan},
			AsPublished: &report.PublishedOurs{Mean: 82.02, Deviation: nan}, Honest: &report.PublishedOurs{Mean: 78.71, Deviation: nan},
		}},
	}}}
	page := render(t, report.HTML, of(theirs, ours, table))
	for _, want := range []string{
		">published: federate laplace-l1<", ">ours: codes<", ">figure of the paper<", ">unprotected 97.0 %<", ">always the commonest class 52.0 %<", `class="limit"`,
		">ours, as published<", ">ours, honest<", // in the table's own plot
		"figure of the paper, federate-reviews: FEDERATE: 82.3 % at a true ε of 138.6, claimed 8",
		"<td class=\"\">figure of the paper, federate-reviews: FEDERATE</td>", "<td class=\"\">published</td>", "<td class=\"\">ours</td>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if got := len(regexp.MustCompile(`<title id="p\d+w-t">Accuracy against ε`).FindAllString(page, -1)); got != 2 {
		t.Errorf("%d plots of accuracy, want one of all methods and one of the table", got)
	}
	task.Priors = []float64{0.5, 0.5}
	if page = render(t, report.HTML, of(theirs, ours, table)); strings.Contains(page, "figure of the paper, federate-reviews") {
		t.Error("a figure of other rows stands in the plot")
	}
}
