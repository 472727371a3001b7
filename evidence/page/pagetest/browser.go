package pagetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Layout is what a browser makes of a page at one width.
type Layout struct {
	Width    int      // of the window
	Scroll   int      // how far the page reaches
	Drawings int      // that are shown
	Cut      []string // letters of drawings that reach beyond them
	Covered  []string // and those that lie on others
	// Tables are those that are shown, by what they are called, with whether they
	// scroll sideways and whether a hint says so.
	Tables []Shown
	// Headings are the levels of the headings, in their order.
	Headings []int
}

// Shown is a table as a browser shows it.
type Shown struct {
	Name            string
	Scrolls, Hinted bool
}

// wrapper shows a page at several widths and writes down what it sees. The page
// itself runs nothing, so that this needs no hole in its policy.
const wrapper = `<!DOCTYPE html><body><pre id="out"></pre><script>
addEventListener("load", () => {
  for (const f of document.querySelectorAll("iframe"))
    for (const e of f.contentDocument.querySelectorAll("details")) e.open = true;
  requestAnimationFrame(() => requestAnimationFrame(measured)); // hints follow a frame behind
});
const measured = () => {
  const all = [...document.querySelectorAll("iframe")].map(f => {
    const d = f.contentDocument, found = {Width: f.clientWidth, Scroll: d.documentElement.scrollWidth, Drawings: 0, Cut: [], Covered: [], Tables: [], Headings: []};
    for (const e of d.querySelectorAll("h1, h2, h3, h4")) found.Headings.push(+e.tagName[1]);
    for (const e of d.querySelectorAll(".scroll"))
      if (e.clientWidth) found.Tables.push({Name: e.ariaLabel, Scrolls: e.scrollWidth > e.clientWidth, Hinted: parseFloat(f.contentWindow.getComputedStyle(e, "::before").height) > 5});
    for (const svg of d.querySelectorAll("svg")) {
      const s = svg.getBoundingClientRect();
      if (!s.width) continue;
      found.Drawings++;
      const texts = [...svg.querySelectorAll("text")].map(e => [e.textContent, e.getBoundingClientRect()]);
      texts.forEach(([a, r], i) => {
        if (r.left < s.left - 2 || r.right > s.right + 2 || r.top < s.top - 2 || r.bottom > s.bottom + 2) found.Cut.push(a);
        for (const [b, q] of texts.slice(i + 1))
          if (Math.min(r.right, q.right) - Math.max(r.left, q.left) > 2 && Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top) > 4) found.Covered.push(a + " / " + b);
      });
    }
    return found;
  });
  document.getElementById("out").textContent = JSON.stringify(all);
};
</script>%s</body>`

var printed = regexp.MustCompile(`(?s)<pre id="out">(.*?)</pre>`)

var widths = []int{360, 390, 768, 1280}

// installed returns a browser of the Chromium family, or skips the test.
func installed(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium or google-chrome is installed to look at the page with")
	return ""
}

// dump lets a browser open an address and writes what becomes of it.
func dump(t testing.TB, path, url string, out, errs *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--window-size=1400,1000", "--virtual-time-budget=60000", "--dump-dom", url+"/")
	c.Stdout, c.Stderr = out, errs
	if err := c.Run(); err != nil {
		t.Fatalf("the browser failed: %v\n%s", err, errs.String())
	}
}

// Look opens a page in a browser and returns its layouts, the complaints on
// its console and the paths that it asked for. It skips the test where there is
// no browser, and with -short.
func Look(t testing.TB, page string) (layouts []Layout, complaints string, asked []string) {
	t.Helper()
	path := installed(t)
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		serve(w, r, page)
	}))
	defer server.Close()
	// On a busy machine the browser's own clock can run out before all frames have
	// come, and nothing was measured then.
	var out, errs bytes.Buffer
	var m []string
	for try := 0; try < 3 && (m == nil || m[1] == ""); try++ {
		out.Reset()
		errs.Reset()
		mu.Lock()
		asked = nil
		mu.Unlock()
		dump(t, path, server.URL, &out, &errs)
		m = printed.FindStringSubmatch(out.String())
	}
	if m == nil {
		t.Fatalf("the browser measured nothing:\n%.2000s\n%s", out.String(), errs.String())
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &layouts); err != nil {
		t.Fatalf("%v in %s", err, m[1])
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "CONSOLE") {
			complaints += line
		}
	}
	return layouts, complaints, asked
}

// serve answers with the page, and with frames of all widths around it.
func serve(w http.ResponseWriter, r *http.Request, page string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/":
		var frames strings.Builder
		for _, n := range widths {
			fmt.Fprintf(&frames, `<iframe src="/page" style="width:%dpx;height:800px;border:0"></iframe>`, n)
		}
		_, _ = fmt.Fprintf(w, wrapper, frames.String())
	case "/page":
		_, _ = fmt.Fprint(w, page)
	default:
		http.NotFound(w, r)
	}
}

// Browser fails if a browser complains about a page, if the page asks for
// anything, and if at some width it scrolls sideways, shows fewer drawings than
// it should, letters of drawings are cut off or lie on others, a table scrolls
// without a hint or has a hint and does not scroll, or a heading stands below one
// that is more than one level above it. It skips the test as [Look] does.
func Browser(t testing.TB, page string, drawings int) {
	t.Helper()
	layouts, complaints, asked := Look(t, page)
	if complaints != "" {
		t.Errorf("the console says %s", complaints)
	}
	for _, path := range asked {
		if !slices.Contains([]string{"/", "/page", "/favicon.ico"}, path) {
			t.Errorf("the page asked for %s, must ask for nothing", path)
		}
	}
	if len(layouts) != len(widths) {
		t.Fatalf("%d layouts, want %d", len(layouts), len(widths))
	}
	for _, l := range layouts {
		if l.Scroll > l.Width {
			t.Errorf("at %d the page reaches to %d, must not scroll sideways", l.Width, l.Scroll)
		}
		if l.Drawings < drawings {
			t.Errorf("at %d the page shows %d drawings, want at least %d", l.Width, l.Drawings, drawings)
		}
		if len(l.Cut) > 0 || len(l.Covered) > 0 {
			t.Errorf("at %d letters are cut: %q, or lie on others: %q", l.Width, l.Cut, l.Covered)
		}
		for _, s := range l.Tables {
			if s.Scrolls != s.Hinted {
				t.Errorf("at %d the table %q scrolls: %v, and a hint says so: %v", l.Width, s.Name, s.Scrolls, s.Hinted)
			}
		}
		for i, level := range l.Headings {
			if i == 0 && level != 1 || i > 0 && (level == 1 || level > l.Headings[i-1]+1) {
				t.Errorf("at %d the levels of headings are %v, must begin with the only 1 and leave none out", l.Width, l.Headings)
				break
			}
		}
	}
}
