package pagetest_test

import (
	"testing"

	"sotto/report/page/pagetest"
)

// recorder counts failures instead of failing.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Helper()               {}
func (r *recorder) Error(...any)          { r.failures++ }
func (r *recorder) Errorf(string, ...any) { r.failures++ }

// What the checks look for is found where it is.
func TestFaultsAreFound(t *testing.T) {
	for _, tt := range []struct {
		name  string
		check func(testing.TB, string)
		text  string
		want  int
	}{
		{"a page", pagetest.HTML, `<p class="a">1 &lt; 2</p>`, 0},
		{"an element", pagetest.HTML, `<p><script></p>`, 1},
		{"code", pagetest.HTML, `<p onclick=x>a</p>`, 1},
		{"no number", pagetest.Numbers, `<p>NaN</p>`, 1},
		{"direction", pagetest.HTML, "<p>a\u202eb</p>", 1},
		{"text", pagetest.Markdown, "| a | b |\n| --- | --- |\n| 1 \\| 2 | 3 |\n", 0},
		{"an element in text", pagetest.Markdown, "a <b>", 1},
		{"another", pagetest.Numbers, "+Inf", 1},
		{"numbers", pagetest.Numbers, "Infinity and 1", 0},
		{"a row", pagetest.Markdown, "| a | b |\n| --- | --- |\n| 1 |\n", 1},
		{"evil in a page", pagetest.HTML, pagetest.Evil, 5}, // script and its end, img and its code, the direction
		{"evil in text", pagetest.Markdown, pagetest.Evil, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{TB: t}
			if tt.check(r, tt.text); r.failures != tt.want {
				t.Errorf("%d failures, want %d", r.failures, tt.want)
			}
		})
	}
}

func TestBrowserSeesFaults(t *testing.T) {
	page := `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<img src="/picture.png"><div style="width:700px">wide</div>
<svg viewBox="0 0 100 50" style="width:300px"><text x="80" y="20">too far to the right</text><text x="5" y="40">one</text><text x="8" y="41">two</text></svg>`
	layouts, complaints, _ := pagetest.Look(t, page)
	if complaints == "" {
		t.Error("no complaint about a picture that the policy forbids")
	}
	l := layouts[0]
	if l.Scroll <= l.Width || len(l.Cut) != 1 || len(l.Covered) != 1 {
		t.Errorf("layout = %+v, want one that scrolls, with one text cut and one covered", l)
	}
}
