package report_test

import (
	"bytes"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/report"
)

// render returns what a renderer writes.
func render(t testing.TB, f func(io.Writer, *evidence.Evidence) error, e *evidence.Evidence) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, e); err != nil {
		t.Fatalf("error = %v, want a report", err)
	}
	return b.String()
}

var headings = regexp.MustCompile(`(?m)^## (.*)$`)

func TestSections(t *testing.T) {
	all := sample()
	for _, tt := range []struct {
		name string
		e    *evidence.Evidence
		want []string
	}{
		{"everything", all, []string{
			"In plain words", "What was promised", "Accuracy against ε", "Leakage", "Other attacks", "Description length", "Fairness by group",
			"Vectors before and after", "Spend", "How it was measured",
		}},
		{"a result", only[experiment.Result](all), []string{"In plain words", "What was promised", "Accuracy against ε", "Leakage", "Fairness by group", "How it was measured"}},
		{"an attack", onlyAttacks(all, true), []string{"In plain words", "What was promised", "Leakage", "Description length", "How it was measured"}},
		{"an attempt", onlyAttacks(all, false), []string{"In plain words", "Other attacks", "How it was measured"}},
		{"a comparison", only[evidence.Fairness](all), []string{"In plain words", "Fairness by group", "How it was measured"}},
		{"an audit", only[evidence.Audit](all), []string{"In plain words", "What was promised", "How it was measured"}},
		{"a release", only[evidence.Release](all), []string{"In plain words", "What was promised", "Spend", "How it was measured"}},
		{"a picture", only[experiment.Picture](all), []string{"In plain words", "Vectors before and after", "How it was measured"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range headings.FindAllStringSubmatch(render(t, report.Markdown, tt.e), -1) {
				got = append(got, m[1])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("sections = %q, want %q", got, tt.want)
			}
			page := render(t, report.HTML, tt.e)
			if n := strings.Count(page, "<section "); n != len(tt.want) {
				t.Errorf("the page has %d sections, want %d", n, len(tt.want))
			}
		})
	}
}

func TestNothingIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    *evidence.Evidence
	}{
		{"nil", nil},
		{"empty", of()},
		{"of no kind", &evidence.Evidence{Title: "nothing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, f := range map[string]func(io.Writer, *evidence.Evidence) error{"HTML": report.HTML, "Markdown": report.Markdown} {
				var b bytes.Buffer
				if err := f(&b, tt.e); err == nil || b.Len() > 0 {
					t.Errorf("%s: error = %v after %d bytes, want an error and no output", name, err, b.Len())
				}
			}
			if got := report.Sentence(tt.e); got != "" {
				t.Errorf("Sentence = %q, want none", got)
			}
		})
	}
}

// Entries that hold nothing are refused before there is anything to report.
func TestEmptyEntries(t *testing.T) {
	for _, v := range []any{
		nil, (*experiment.Result)(nil), (*attack.Result)(nil), &attack.Result{Kind: attack.Attribute}, &attack.Result{Kind: attack.Inversion},
		(*evidence.Fairness)(nil), &evidence.Fairness{}, (*evidence.Audit)(nil), (*evidence.Release)(nil), (*report.PublishedTable)(nil), &experiment.Picture{},
	} {
		e := of()
		if err := e.Put(v); err == nil || len(e.Subjects()) > 0 {
			t.Errorf("Put(%#v) = nil, want an error", v)
		}
	}
}

// Every cell of a table in the text stands in the page too.
func TestSameNumbers(t *testing.T) {
	e := sample()
	page, cells := render(t, report.HTML, e), 0
	for line := range strings.Lines(render(t, report.Markdown, e)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| --") {
			continue
		}
		for _, c := range strings.Split(strings.TrimSuffix(strings.TrimSpace(line)[2:], " |"), " | ") {
			c = html.EscapeString(unescape(strings.Trim(c, "*")))
			if cells++; !strings.Contains(page, ">"+c+"<") {
				t.Errorf("the page has no cell %q", c)
			}
		}
	}
	if cells < 100 {
		t.Errorf("compared %d cells, want at least 100", cells)
	}
}

var backslash = regexp.MustCompile(`\\(.)`)

// unescape undoes what Markdown needs.
func unescape(s string) string { return html.UnescapeString(backslash.ReplaceAllString(s, "$1")) }

func TestContent(t *testing.T) {
	page, text := render(t, report.HTML, sample()), render(t, report.Markdown, sample())
	for _, want := range []string{
		"94.12 ± 0.21 %", "93.12 to 95.12 %", "94.83 %", // accuracy, its interval, the yardstick
		"≥ 22.1 (confidence 0.99): refuted", "claim FALSE ×2", "claim FALSE: keeps none", "claim FALSE: refuted by an audit", "claim true", "not protected",
		"REFUTED by an attack", "refutes the stated ε", "0.432", "memoised", "1.053", "not defined (0 rows)", "0.0817 (0.0400 to 0.1200)",
		"all 2 text-level files", "has spent ε = 12 (text-level)", "It stays on the trusted side", "the loss is not finite", "this is why for dpnr released", "the noise is drawn exactly",
	} {
		if !strings.Contains(strings.ReplaceAll(unescape(page), "\u00a0", " "), want) {
			t.Errorf("the page lacks %q", want)
		}
		if !strings.Contains(unescape(text), want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	for _, want := range []string{
		"Content-Security-Policy", "default-src &#39;none&#39;", "prefers-color-scheme: dark", "@media print", "∞ / none", "impossible at this ε",
		"always the commonest class 52.0 %", "unprotected 96.5 %", "hollow: the ε that is claimed", `class="m c0 hollow"`, "Before release: NOT protected", "do not pass them on",
	} {
		if !strings.Contains(html.UnescapeString(page), html.UnescapeString(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, unwanted := range []string{"<script", "http://", "https://", "url(", "@import", "src="} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page holds %q, must load and run nothing", unwanted)
		}
	}
}

// A claim of another unit, another δ or another ε is not the one audited.
func TestAuditsAreMatched(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*evidence.Audit)
		want   bool
	}{
		{"the same", func(*evidence.Audit) {}, true},
		{"the same dimension", func(a *evidence.Audit) { a.Dim = 4 }, true},
		{"another dimension", func(a *evidence.Audit) { a.Dim = 5 }, false},
		{"another variant", func(a *evidence.Audit) { a.Variant = "released" }, false},
		{"another mechanism", func(a *evidence.Audit) { a.Mechanism = "laplace-l2" }, false},
		{"another claim", func(a *evidence.Audit) { a.Claimed = 5 }, false},
		{"another unit", func(a *evidence.Audit) { a.Unit = dp.Word }, false},
		{"another delta", func(a *evidence.Audit) { a.Delta = 1e-6 }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := audited("laplace-l1", "paper", 4, 3.217, false)
			tt.change(a)
			text := render(t, report.Markdown, of(released("a.npy", 4), a))
			rows := strings.Count(text, "≥ 3.217")
			on := regexp.MustCompile(`(?m)^\| laplace-l1 paper D=4 \| 4 \| 4 \|.*≥ 3\.217.*a\.npy`).MatchString(text)
			if on != tt.want || rows != 1 {
				t.Errorf("the audit stands in %d rows, with the release: %v, want 1, %v\n%s", rows, on, tt.want, text)
			}
		})
	}
}

// An audit above what is proved is an alarm, not a matter of the claim.
func TestContradiction(t *testing.T) {
	e := of(released("a.npy", 4), audited("laplace-l1", "paper", 4, 4.4, true))
	if text := render(t, report.Markdown, e); !strings.Contains(text, "an audit contradicts the proof") {
		t.Errorf("no alarm in\n%s", text)
	}
	if got, want := report.Sentence(e), "As published, laplace-l1 promises ε = 4, and an audit shows that it is at least 4.4; a text in the one text-level file has spent ε = 4 (text-level)."; got != want {
		t.Errorf("Sentence = %q, want %q", got, want)
	}
}

// What is proved of real numbers while floats are drawn is not said to be true of what is
// released, as "sotto epsilon --check" does not say it.
func TestFloating(t *testing.T) {
	r := released("a.npy", 4)
	p := mech.Params{Mechanism: "laplace-l2", Dim: 4, Epsilon: 4}
	s, err := mech.Describe(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.Mechanism, r.Guarantee.Assumptions = p, s.Assumptions
	text := render(t, report.Markdown, of(r))
	if want := "| 4 | 4 | claim conditional: proved of real numbers |"; !strings.Contains(text, want) || strings.Contains(text, "claim true") {
		t.Errorf("no %q in\n%s", want, text)
	}
	if got, want := report.Sentence(of(r)), "The one ε that is claimed is true of real numbers; "; !strings.HasPrefix(got, want) {
		t.Errorf("Sentence = %q, want it to begin with %q", got, want)
	}
}

// A value above its limit is never said to be within it, tested or not.
func TestLimitIsTold(t *testing.T) {
	for _, tt := range []struct {
		value   measure.Number
		refutes bool
		want    string
	}{
		{0.70, false, "within the limit"},
		{0.76, false, "above the limit, which alone refutes nothing"},
		{0.99, true, "refutes the stated ε"},
	} {
		a := inversion()
		f := &a.Findings[0]
		f.Value, f.Limit, f.Refutes = tt.value, 0.75, tt.refutes
		text := render(t, report.Markdown, of(a))
		if row := regexp.MustCompile(`(?m)^\| logistic.*$`).FindString(text); !strings.Contains(row, "| "+tt.want+" |") && !strings.Contains(row, "**"+tt.want+"**") {
			t.Errorf("value %v: the row is %q, want %q", tt.value, row, tt.want)
		}
	}
}

// Numbers of different units, or with a δ, never share a plot or a sum.
func TestUnitsStayApart(t *testing.T) {
	r := result()
	word := configuration("privemb", "privemb", "paper", 2, 2, 0.7)
	word.Mean.Unit, word.Statement.Unit = dp.Metric, dp.Metric
	delta := configuration("noise", "gaussian", "true", 2, 2, 0.7)
	delta.Mean.Delta, delta.Statement.Delta = 1e-6, 1e-6
	r.Configurations = append(r.Configurations, word, delta)
	b := released("b.npy", 1)
	b.Guarantee.Unit = dp.Word
	page := render(t, report.HTML, of(r, released("a.npy", 4), b))
	if got := len(regexp.MustCompile(`<title id="[^"]*">Accuracy against ε`).FindAllString(page, -1)); got != 6 {
		t.Errorf("%d drawings of accuracy, want 6: wide and narrow of text, metric and δ", got)
	}
	if got := strings.Count(page, ">impossible at this ε<"); got > 2 {
		t.Errorf("the limit is named %d times, must be drawn only for text-level ε without δ", got)
	}
	for _, want := range []string{"the one text-level file", "the one word-level file"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestDeterministic(t *testing.T) {
	for name, f := range map[string]func(io.Writer, *evidence.Evidence) error{"HTML": report.HTML, "Markdown": report.Markdown} {
		first, second := render(t, f, large()), render(t, f, large())
		if first != second {
			t.Errorf("%s differs between two runs", name)
		}
	}
}

// The page stays below what a mail takes, also for more than anybody looks at.
func TestSize(t *testing.T) {
	page := render(t, report.HTML, large())
	t.Logf("%d bytes", len(page))
	if n := len(page); n > 2_000_000 {
		t.Errorf("the page has %d bytes, want at most 2,000,000", n)
	}
	e := large()
	for range 20 {
		put(e, picture(5000, 30))
	}
	if n := len(render(t, report.HTML, e)); n > 2_000_000 {
		t.Errorf("with huge pictures the page has %d bytes, want at most 2,000,000", n)
	}
	if !strings.Contains(page, "<details>") {
		t.Error("long tables are not folded")
	}
}

func BenchmarkHTML(b *testing.B) {
	e := large()
	for b.Loop() {
		if err := report.HTML(io.Discard, e); err != nil {
			b.Fatal(err)
		}
	}
}

// A published table that was made again stands in both forms, with the true ε
// of what was published marked where the claim is false.
func TestReproduced(t *testing.T) {
	table := &report.PublishedTable{Format: report.PublishedFormat, Name: "federate-adult", About: "methods on Adult", Paper: "some paper", Quick: true, Notes: []string{"fewer rows"}, Rows: []report.PublishedRow{{
		Name: "FEDERATE", AsPublished: &report.PublishedPromise{Claimed: 8, True: 138.564, Unit: dp.Text}, Honest: &report.PublishedPromise{Claimed: 8, True: 8, Unit: dp.Text},
		Cells: []report.PublishedCell{{
			Metric: "accuracy", Unit: "%", Published: report.PublishedNumber{Mean: 82.29, Deviation: 0.9},
			AsPublished: &report.PublishedOurs{Mean: 82.02, Deviation: 0.22, Seeds: 5}, Honest: &report.PublishedOurs{Mean: 78.71, Deviation: measure.Number(math.NaN()), Seeds: 1},
		}},
	}}}
	e := of(table)
	for name, f := range map[string]func(io.Writer, *evidence.Evidence) error{"HTML": report.HTML, "Markdown": report.Markdown} {
		text := render(t, f, e)
		for _, want := range []string{"federate-adult (quick", "82.29 ± 0.90", "82.02 ± 0.22", "78.71", "138.6", "claimed 8", "fewer rows"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		if strings.Contains(text, "NaN") {
			t.Errorf("%s shows NaN", name)
		}
	}
}
