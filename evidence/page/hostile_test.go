package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/evidence/page"
	"sotto/evidence/page/pagetest"
)

// hostile is everything with a name wherever there is text.
func hostile(name string) page.Page {
	p := everything()
	rename(reflect.ValueOf(&p), name)
	return p
}

// rename sets all strings below v, apart from tones, which are of this package.
func rename(v reflect.Value, name string) {
	switch v.Kind() { //nolint:exhaustive // a page holds no other kinds of text
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			rename(v.Elem(), name)
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			rename(f, name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			rename(v.Index(i), name)
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.String() != "" {
			v.SetString(name)
		}
	}
}

// plots returns all plots of a page.
func plots(p page.Page) []page.Plot {
	var all []page.Plot
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			if b.Figure != nil {
				all = append(all, b.Figure.Plots...)
			}
		}
	}
	return all
}

// wellFormed fails if a drawing is not XML.
func wellFormed(t testing.TB, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("the drawing cannot be read: %v", err)
		}
	}
}

func TestUntrustedNames(t *testing.T) {
	p := hostile(pagetest.Evil)
	got, text := render(t, page.HTML, p), render(t, page.Markdown, p)
	pagetest.HTML(t, got)
	pagetest.Numbers(t, got+text)
	code := strings.Index(text, "````") // shown as it is, within its fence
	if code < 0 {
		code = strings.Index(text, "```json")
	}
	end := code + strings.Index(text[code:], "</details>")
	outside := text[:code] + text[end:]
	pagetest.Markdown(t, outside)
	for _, unwanted := range []string{"a](http", "http://", " @all", "\n# h", " **bold**", " `code`"} {
		if strings.Contains(outside, unwanted) {
			t.Errorf("the text holds %q", unwanted)
		}
	}
	if n := len(plots(p)); n < 8 {
		t.Fatalf("%d plots, want all kinds", n)
	}
	for _, q := range plots(p) {
		svg := drawn(t, q)
		pagetest.HTML(t, svg)
		pagetest.Numbers(t, svg)
		wellFormed(t, svg)
	}
}

// Numbers that are none, and those at the ends of what floats hold, are drawn
// somewhere, and never printed as Go does.
func TestExtremes(t *testing.T) {
	for _, v := range []float64{nan, 0, -1e308, 1e308, 1e-308, 5e-324} {
		p := everything()
		setAll(reflect.ValueOf(&p), v)
		for _, q := range plots(p) {
			if h, ok := q.(*page.HeatMap); ok {
				h.RowTree, h.ColumnTree = nil, nil // whose heights are refused
			}
			svg := drawn(t, q)
			pagetest.Numbers(t, svg)
			wellFormed(t, svg)
		}
		pagetest.Numbers(t, render(t, page.HTML, p))
	}
}

// setAll sets all numbers below v.
func setAll(v reflect.Value, to float64) {
	switch v.Kind() { //nolint:exhaustive // a page holds no other kinds of number
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			setAll(v.Elem(), to)
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			setAll(f, to)
		}
	case reflect.Slice:
		for i := range v.Len() {
			setAll(v.Index(i), to)
		}
	case reflect.Float64:
		v.SetFloat(to)
	}
}

// Plots of nothing are drawn without complaint.
func TestNothing(t *testing.T) {
	for _, p := range []page.Plot{&page.Chart{}, &page.Chart{Named: true, X: page.Axis{Log: true}, Series: []page.Series{{}}}, &page.Dots{}, &page.Bars{}, &page.Bars{Groups: []page.BarGroup{{}}}, &page.HeatMap{}, &page.Scatter{}} {
		svg := drawn(t, p)
		pagetest.Numbers(t, svg)
		wellFormed(t, svg)
	}
	pagetest.HTML(t, render(t, page.HTML, page.Page{}))
	render(t, page.Markdown, page.Page{})
}

// small is a page with one of everything that holds text, for speed.
func small() page.Page {
	p, f := everything(), frontier()
	f.Series, f.Limit = f.Series[:1], f.Limit[:2]
	w, e := words(), effects()
	w.Groups, e.Rows, e.Values, e.Texts = w.Groups[:1], e.Rows[:1], e.Values[:1], e.Texts[:1]
	s := &p.Sections[0]
	s.Blocks = slices.DeleteFunc(s.Blocks, func(b page.Block) bool { return b.Figure != nil })
	s.Blocks = append(s.Blocks, page.Block{Figure: &page.Figure{Caption: "a", Plots: []page.Plot{f, w, e, rows(), plane()}}})
	p.Sections = p.Sections[:1]
	return p
}

// FuzzNames puts any text wherever there is some.
func FuzzNames(f *testing.F) {
	for _, s := range []string{pagetest.Evil, "a", "می\u200cخواهم", "\uffff\x00", "]]>", "&lt;", "\xff<"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p := small()
		rename(reflect.ValueOf(&p), name)
		pagetest.HTML(t, render(t, page.HTML, p))
		render(t, page.Markdown, p)
		for _, q := range plots(p) {
			wellFormed(t, drawn(t, q))
		}
	})
}
