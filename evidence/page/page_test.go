package page_test

import (
	"bytes"
	"errors"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sotto/evidence/page"
	"sotto/evidence/page/pagetest"
)

// render returns what a renderer writes.
func render(t testing.TB, f func(io.Writer, page.Page) error, p page.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, p); err != nil {
		t.Fatalf("error = %v, want a page", err)
	}
	return b.String()
}

// one is a page of some blocks.
func one(blocks ...page.Block) page.Page {
	return page.Page{Title: "One", Sections: []page.Section{{Title: "Section", Blocks: blocks}}}
}

// drawn returns the drawing of a plot.
func drawn(t testing.TB, p page.Plot) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.SVG(&b, p); err != nil {
		t.Fatalf("SVG = %v, want a drawing", err)
	}
	return b.String()
}

func TestContent(t *testing.T) {
	got, text := render(t, page.HTML, everything()), render(t, page.Markdown, everything())
	for _, want := range []string{
		"Everything", "Two of ten tests", "found", "test 10", "What is associated with what.", "How it was measured", "flowers and insects", "1.54",
		"A note.", "a warning.", "Words:", "no name", `"tests": 10`,
	} {
		if !strings.Contains(strings.ReplaceAll(html.UnescapeString(got), "\u00a0", " "), want) {
			t.Errorf("the page lacks %q", want)
		}
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	for _, want := range []string{`<section id="tests">`, `<section id="section-2">`, `href="#section-3"`, `<td class="bad">found</td>`, "Written by a test. This page loads nothing", "prefers-color-scheme: dark"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, unwanted := range []string{"<script", "http://", "https://", "url(", "@import", "src=", "ZgotmplZ"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("the page holds %q, must load and run nothing", unwanted)
		}
	}
	if strings.Contains(text, "<svg") || strings.Contains(text, "\n\n\n") {
		t.Error("the text holds a drawing or a paragraph of nothing")
	}
	if again := render(t, page.HTML, everything()); again != got {
		t.Error("the page differs between two runs")
	}
}

var (
	identifier = regexp.MustCompile(` id="([^"]*)"`)
	label      = regexp.MustCompile(`aria-labelledby="([^" ]+) ([^" ]+)"`)
)

// Every drawing has a name and a description of its own, the same plot shown
// twice too.
func TestIdentifiers(t *testing.T) {
	p, twice := everything(), confidence()
	p.Sections[0].Blocks = append(p.Sections[0].Blocks, page.Block{Figure: &page.Figure{Plots: []page.Plot{twice, twice}}})
	text := render(t, page.HTML, p)
	var ids []string
	for _, m := range identifier.FindAllStringSubmatch(text, -1) {
		if slices.Contains(ids, m[1]) {
			t.Errorf("the identifier %q stands twice", m[1])
		}
		ids = append(ids, m[1])
	}
	drawings := strings.Count(text, "<svg ")
	for _, m := range label.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(ids, m[1]) || !slices.Contains(ids, m[2]) {
			t.Errorf("a drawing is named by %q and %q, which do not exist", m[1], m[2])
		}
		drawings--
	}
	if want := strings.Count(text, "<svg "); drawings != 0 || strings.Count(text, `role="img"`) != want {
		t.Errorf("%d of %d drawings have no name", drawings, want)
	}
}

func TestRefused(t *testing.T) {
	square := func() *page.HeatMap {
		return &page.HeatMap{Rows: []string{"a", "b"}, Columns: []string{"c", "d"}, Values: [][]float64{{1, 2}, {3, 4}}}
	}
	with := func(change func(*page.HeatMap)) page.Plot {
		p := square()
		change(p)
		return p
	}
	tree := func(merges ...page.Merge) page.Plot {
		return with(func(p *page.HeatMap) { p.RowTree = merges })
	}
	for _, tt := range []struct {
		name string
		plot page.Plot
		want string
	}{
		{"nil", nil, "a plot is nil"},
		{"few rows", with(func(p *page.HeatMap) { p.Values = p.Values[:1] }), "1 rows of values"},
		{"few values", with(func(p *page.HeatMap) { p.Values[1] = p.Values[1][:1] }), "row 2 of a heat map"},
		{"few texts", with(func(p *page.HeatMap) { p.Texts = [][]string{{"a", "b"}} }), "and 1 of texts"},
		{"short texts", with(func(p *page.HeatMap) { p.Texts = [][]string{{"a", "b"}, {"a"}} }), "row 2 of a heat map"},
		{"many merges", tree(page.Merge{A: 0, B: 1}, page.Merge{A: 2, B: 0}), "has 2 merges, must have 1"},
		{"a cluster of the future", tree(page.Merge{A: 0, B: 2}), "joins cluster 2"},
		{"a cluster twice", tree(page.Merge{A: 1, B: 1}), "joins cluster 1"},
		{"a negative cluster", tree(page.Merge{A: -1, B: 1}), "joins cluster -1"},
		{"a negative height", tree(page.Merge{A: 0, B: 1, Height: -1}), "height -1"},
		{"no height", tree(page.Merge{A: 0, B: 1, Height: nan}), "height NaN"},
		{"columns", with(func(p *page.HeatMap) { p.ColumnTree = []page.Merge{{A: 0, B: 7}} }), "joins cluster 7"},
		{"points without groups", &page.Scatter{Points: []page.Point{{}}}, "0 groups of 1 points"},
		{"a key too many", &page.Dots{Keys: []string{"a"}, Rows: []page.Row{{Marks: []page.Mark{{Key: 1}}}}}, "key 1, must be one of 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := one(page.Block{Figure: &page.Figure{Plots: []page.Plot{tt.plot}}})
			for name, f := range map[string]func(io.Writer) error{
				"HTML": func(w io.Writer) error { return page.HTML(w, p) }, "Markdown": func(w io.Writer) error { return page.Markdown(w, p) },
				"SVG": func(w io.Writer) error { return page.SVG(w, tt.plot) },
			} {
				var b bytes.Buffer
				if err := f(&b); err == nil || !strings.Contains(err.Error(), tt.want) || b.Len() > 0 {
					t.Errorf("%s: error = %v after %d bytes, want one with %q and no output", name, err, b.Len(), tt.want)
				}
			}
		})
	}
	table := &page.Table{Head: page.Heads("a", "#b")}
	table.Add("1")
	if err := page.HTML(io.Discard, one(page.Block{Table: table})); err == nil || !strings.Contains(err.Error(), "1 cells, must have 2") {
		t.Errorf("error = %v, want one of a row of 1 cell", err)
	}
}

// broken cannot be written to.
type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrors(t *testing.T) {
	for name, err := range map[string]error{
		"HTML": page.HTML(broken{}, everything()), "Markdown": page.Markdown(broken{}, everything()), "SVG": page.SVG(broken{}, words()),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: error = %v, want that of the writer", name, err)
		}
	}
}

// Long tables fold, and those that no page can hold are cut and counted.
func TestLongTables(t *testing.T) {
	for _, tt := range []struct {
		rows         int
		folded       bool
		open, counts string
	}{
		{16, false, "", ""},
		{17, false, "5 more rows", ""},
		{5, true, "Long: 5 rows", ""},
		{401, false, "388 more rows", "1 more row is in the results and not shown here."},
	} {
		table := &page.Table{Caption: "Long", Head: page.Heads("#n"), Folded: tt.folded}
		for range tt.rows {
			table.Add("1")
		}
		text := render(t, page.HTML, one(table.Blocks()...))
		if got := strings.Count(text, "<td "); got != min(tt.rows, 400) {
			t.Errorf("%d rows: %d cells, want %d", tt.rows, got, min(tt.rows, 400))
		}
		if want := "<summary>" + tt.open; strings.Contains(text, "<summary>") != (tt.open != "") || tt.open != "" && !strings.Contains(text, want) {
			t.Errorf("%d rows: the page lacks %q, or folds without need", tt.rows, want)
		}
		if !strings.Contains(text, tt.counts) {
			t.Errorf("%d rows: the page lacks %q", tt.rows, tt.counts)
		}
	}
}

func TestClean(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"a name", 10, "a name"},
		{"  two\n\t lines ", 10, "two lines"},
		{"abcdef", 3, "abc…"},
		{"abc…", 3, "abc…"},
		{"a\u202eb\x00c\xff", 10, "abc"},
		{"\ufffe\uffffa", 10, "a"},
		{"می\u200cخواهم", 10, "می\u200cخواهم"},
		{"", 10, ""},
	} {
		if got := page.Clean(tt.in, tt.n); got != tt.want {
			t.Errorf("Clean(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, tt := range []struct {
		v        float64
		decimals int
		want     string
	}{{1.006, 2, "1.01"}, {-0.5, 2, "−0.50"}, {-0.001, 2, "0.00"}, {0, 0, "0"}, {nan, 2, page.Undefined}} {
		if got := page.Decimal(tt.v, tt.decimals); got != tt.want {
			t.Errorf("Decimal(%v, %d) = %q, want %q", tt.v, tt.decimals, got, tt.want)
		}
	}
}

func TestBrowser(t *testing.T) {
	for name, p := range map[string]page.Page{"everything": everything(), "hostile": hostile(pagetest.Evil)} {
		t.Run(name, func(t *testing.T) { pagetest.Browser(t, render(t, page.HTML, p), 8) })
	}
}

func BenchmarkHTML(b *testing.B) {
	p := everything()
	for b.Loop() {
		if err := page.HTML(io.Discard, p); err != nil {
			b.Fatal(err)
		}
	}
}

// What sections say of their sources stands once, for those that share one
// together, in the section of that name if there is one.
func TestSourcesStandOnce(t *testing.T) {
	p := page.Page{Title: "T", Sections: []page.Section{
		{Title: "First", Source: "a program", Blocks: []page.Block{{Note: "one"}}},
		{Title: "Second", Source: "another", Blocks: []page.Block{{Note: "two"}}},
		{Title: "Third", Source: "a program", Blocks: []page.Block{{Note: "three"}}},
	}}
	for _, own := range []bool{false, true} {
		if own {
			p.Sections = append(p.Sections, page.Section{ID: "measured", Title: "How it was measured", Blocks: []page.Block{{Note: "seeds"}}})
		}
		text := render(t, page.Markdown, p)
		for _, want := range []string{"- **First; Third:** a program\n", "- **Second:** another\n", "## How it was measured\n"} {
			if strings.Count(text, want) != 1 || strings.Count(render(t, page.HTML, p), "a program") != 1 {
				t.Errorf("%q does not stand once in\n%s", want, text)
			}
		}
	}
	if p.Sections[0].Source == "" {
		t.Error("the page was changed by being shown")
	}
}

func TestWithoutPaths(t *testing.T) {
	for _, c := range [][2]string{
		{"/tmp/a/b.npy", "b.npy"},
		{"read from /tmp/b.npy, then (/home/x/y)", "read from b.npy, then (y)"},
		{`C:\Users\x\b.npy`, "b.npy"},
		{`{"in": "C:\\Users\\b.csv"}`, `{"in": "b.csv"}`},
		{`\\server\share\b`, "b"},
		{"file:///tmp/b.npy", "b.npy"},
		{"and/or, 1/2, (k+1)/(N+1), ∞ / none, a/b/c", "and/or, 1/2, (k+1)/(N+1), ∞ / none, a/b/c"},
		{"https://host/a/b", "https://host/a/b"},
	} {
		if got := page.WithoutPaths(c[0]); got != c[1] {
			t.Errorf("WithoutPaths(%q) = %q, want %q", c[0], got, c[1])
		}
	}
	for _, c := range [][2]string{{"/tmp/a b/c.npy", "c.npy"}, {`C:\a b\c.npy`, "c.npy"}, {"a/", "a"}, {"c.npy", "c.npy"}, {"/", ""}} {
		if got := page.FileName(c[0]); got != c[1] {
			t.Errorf("FileName(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

// A value outside of its interval is refused, whichever plot it stands in.
func TestValuesWithinIntervals(t *testing.T) {
	for name, p := range map[string]page.Plot{
		"chart": &page.Chart{Series: []page.Series{{Runs: [][]page.Dot{{{X: 1, Y: 0.3, Low: 0.4, High: 0.5}}}}}},
		"dots":  &page.Dots{Rows: []page.Row{{Marks: []page.Mark{{Value: 0.6, Low: 0.4, High: 0.5}}}}},
		"bars":  &page.Bars{Groups: []page.BarGroup{{Bars: []page.Bar{{Value: 0.6, Low: 0.4, High: 0.5}}}}},
	} {
		if err := page.SVG(io.Discard, p); err == nil || !strings.Contains(err.Error(), "must be within its interval") {
			t.Errorf("%s: error = %v, want one that names the interval", name, err)
		}
	}
}
