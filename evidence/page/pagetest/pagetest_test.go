package pagetest_test

import (
	"testing"

	"sotto/evidence/page/pagetest"
)

// recorder counts failures instead of failing.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Helper()               {}
func (r *recorder) Error(...any)          { r.failures++ }
func (r *recorder) Errorf(string, ...any) { r.failures++ }

func values(t testing.TB, text string) { pagetest.Intervals(t, text) }

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
		{"a value outside", values, "0.08 (0.10 to 0.12)", 1},
		{"a value within", values, "−0.08 % (−0.10 to 0.12 %) and 0.7 [0.6, 0.8]", 0},
		{"a cell outside", values, "| a | accuracy | by | 95 % interval |\n| x | 97.26 ± 0.10 % | mlp-100 | 97.30 to 98.00 % |", 1},
		{"columns outside", values, "| a | difference | low | high |\n| x | 1.00 | −0.50 | 0.99 |", 1},
		{"columns within", values, "| a | difference | low | high |\n| x | 1.00 | −0.50 | 1.99 |", 0},
		{"a path", pagetest.Paths, "<td>/tmp/x.npy</td>", 1},
		{"a path of Windows", pagetest.Paths, `attack on C:\Users\x`, 1},
		{"no path", pagetest.Paths, "<p>and/or 1/2 a/b.npy</p>", 0},
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
<h3>below nothing</h3><div class="scroll" aria-label="a table" style="width:100px;overflow-x:auto"><div style="width:300px">wide</div></div>
<svg viewBox="0 0 100 50" style="width:300px"><text x="80" y="20">too far to the right</text><text x="5" y="40">one</text><text x="8" y="41">two</text></svg>`
	layouts, complaints, _ := pagetest.Look(t, page)
	if complaints == "" {
		t.Error("no complaint about a picture that the policy forbids")
	}
	l := layouts[0]
	if l.Scroll <= l.Width || len(l.Cut) != 1 || len(l.Covered) != 1 {
		t.Errorf("layout = %+v, want one that scrolls, with one text cut and one covered", l)
	}
	if len(l.Tables) != 1 || !l.Tables[0].Scrolls || l.Tables[0].Hinted || len(l.Headings) != 1 || l.Headings[0] != 3 {
		t.Errorf("layout = %+v, want a table that scrolls without a hint and a heading of the third level", l)
	}
}
