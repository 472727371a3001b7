package integration_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var studioAddress = regexp.MustCompile(`studio at (\S+)`)

// studio starts a studio and opens its page.
func studio(t *testing.T) (*process, *tab) {
	t.Helper()
	p := launch(t, "studio", "--no-open")
	return p, p.studio(t)
}

// studio opens the page of a studio.
func (p *process) studio(t *testing.T) *tab {
	t.Helper()
	b := open(t, studioAddress.FindStringSubmatch(p.said.String())[1], "#studio")
	b.until(`!document.getElementById("studio").hidden`)
	return b
}

// tabTo presses the tab key until the focus is on an element.
func (b *tab) tabTo(id string) {
	b.Helper()
	for range 200 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if eval[string](b, "document.activeElement.id") == id {
			return
		}
	}
	b.Fatalf("the tab key does not lead to %s", id)
}

// press moves to a control and presses it, by keyboard alone.
func (b *tab) press(id string) {
	b.Helper()
	b.tabTo(id)
	b.do(chromedp.KeyEvent(kb.Enter))
}

// seen waits for an element to be shown, as long as a training may take.
func (b *tab) seen(id string) {
	b.Helper()
	b.within(3*time.Minute, fmt.Sprintf("document.getElementById(%q).checkVisibility()", id))
}

// command returns the commands that a panel shows, one a line.
func (b *tab) command(panel string) string {
	b.Helper()
	b.until(fmt.Sprintf(`!!document.querySelector("#%s-command code")`, panel))
	return eval[string](b, fmt.Sprintf(`document.querySelector("#%s-command code").textContent`, panel))
}

// controls are the roles of what a person uses or looks at, which a screen reader
// must have a name for.
var controls = []string{"button", "tab", "tabpanel", "textbox", "slider", "combobox", "spinbutton", "link", "image", "progressbar", "table", "region", "Iframe", "heading"}

// named checks that all that is shown has a name, and that all text can be read.
func (b *tab) named(where string) {
	b.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.Fatal(err)
	}
	found := 0
	for _, n := range tree.Nodes {
		role, name := said(n.Role), said(n.Name)
		if n.Ignored || !slices.Contains(controls, role) {
			continue
		}
		if found++; strings.TrimSpace(name) == "" {
			b.Errorf("%s: a %s (node %d) has no name", where, role, n.BackendDOMNodeID)
		}
	}
	if found < 8 {
		b.Errorf("%s: a screen reader finds %d things, want more", where, found)
	}
	for _, pale := range eval[[]string](b, contrast) {
		b.Errorf("%s: hard to read: %s", where, pale)
	}
}

// said is a value of the accessibility tree as text.
func said(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var s string
	if err := json.Unmarshal(v.Value, &s); err != nil {
		return ""
	}
	return s
}

// contrast lists texts whose contrast is below 4.5, the level AA.
const contrast = `(() => {
  const parse = (s) => s.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility() || e.closest(":disabled, .unseen, .skip, script")) continue;
    const s = getComputedStyle(e), a = light(parse(e instanceof SVGElement ? s.fill : s.color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(e.tagName + " " + e.className + " " + ratio.toFixed(2) + ": " + e.textContent.slice(0, 40));
  }
  return bad;
})()`

// looked looks at a step in all ways.
func (b *tab) looked(name string) {
	b.Helper()
	b.fits("studio-" + name)
	b.named(name)
}

// TestStudio goes from the sample to the report by keyboard alone, and then runs
// the commands that the page has shown.
func TestStudio(t *testing.T) {
	t.Parallel()
	p, b := studio(t)
	if got := eval[string](b, "location.href"); strings.Contains(got, "#") {
		t.Errorf("the address is %s, want the secret taken out of it", got)
	}
	b.looked("begin")
	b.press("data-sample")
	b.seen("data-understood")
	if got := b.shown("data-name"); got != "messages.csv: 500 rows" {
		t.Errorf("the sample is shown as %q", got)
	}
	b.looked("data")
	commands := []string{b.command("data")}

	b.press("data-next")
	b.press("plan-go")
	b.seen("plan-result")
	before := b.shown("plan-sentence")
	b.tabTo("plan-epsilon")
	b.do(chromedp.KeyEvent(kb.ArrowLeft))
	if after := b.shown("plan-sentence"); after == before || !strings.Contains(after, "At ε = 3.75") {
		t.Errorf("the slider moves from %q to %q", before, after)
	}
	b.do(chromedp.KeyEvent(kb.Home))
	if got := b.shown("plan-sentence"); !strings.Contains(got, "At ε = 0.25") {
		t.Errorf("at its end the slider says %q", got)
	}
	b.press("plan-find")
	b.until(`document.getElementById("plan-found").textContent !== ""`)
	if got := b.shown("plan-found"); !strings.HasPrefix(got, "80.0 % is reached from ε = ") {
		t.Errorf("of what is needed for 80 %% it says %q", got)
	}
	if got := b.shown("plan-sentence"); !strings.Contains(got, "rightly for 80.") {
		t.Errorf("at the ε that was found it says %q", got)
	}
	b.looked("plan")
	commands = append(commands, b.command("plan"))

	b.press("plan-next")
	if eval[string](b, `document.getElementById("train-epsilon").value`) == "4" {
		t.Error("the ε that was found is not the one to train at")
	}
	b.press("train-go")
	b.seen("train-result")
	if got := b.shown("train-facts"); !strings.Contains(got, "For a personε = ") {
		t.Errorf("of a person it says %q", got)
	}
	b.looked("trained")
	commands = append(commands, b.command("train"))
	accuracy := eval[string](b, `document.querySelectorAll("#train-bars b")[1].textContent`)

	// What was done survives that the page is loaded anew.
	b.do(chromedp.Reload())
	b.seen("train-result")

	b.do(chromedp.Focus("#tab-train"), chromedp.KeyEvent(kb.ArrowRight))
	b.tabTo("try-text")
	b.do(chromedp.KeyEvent(story), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.seen("try-result")
	if got := eval[int](b, `document.querySelectorAll("#try-draws li").length`); got != 8 {
		t.Errorf("%d releases are shown, want 8", got)
	}
	b.looked("tried")
	encode, _, _ := strings.Cut(b.command("try"), "\n") // what follows serves until it is stopped
	commands = append(commands, encode)
	b.do(chromedp.Focus("#tab-try"), chromedp.KeyEvent(kb.ArrowRight))
	b.explained()
	commands = append(commands, b.command("explain"))
	b.do(chromedp.Focus("#tab-explain"), chromedp.KeyEvent(kb.ArrowRight))
	b.press("report-go")
	b.seen("report-frame")
	b.looked("report")
	commands = append(commands, b.command("report"))
	b.clean()
	p.silent(t, "Priya", "messages.csv", "topic")
	repeat(t, commands, accuracy)
}

// explained explains a text and asks for other words in place of its strongest one.
func (b *tab) explained() {
	b.Helper()
	b.tabTo("explain-text")
	b.do(chromedp.KeyEvent(story), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.seen("explain-result")
	const words = `document.querySelectorAll("#explain-words button")`
	if got, want := eval[string](b, `document.getElementById("explain-words").textContent`), story; got != want {
		b.Errorf("the words that stand out are those of %q, want %q", got, want)
	}
	if eval[int](b, `document.querySelectorAll("#explain-words .for, #explain-words .against").length`) == 0 {
		b.Error("no word stands out")
	}
	b.do(chromedp.Focus("#explain-words button.s4"), chromedp.KeyEvent(kb.Enter))
	b.until(`!!document.querySelector("#explain-swaps h3")`)
	if eval[int](b, `[...`+words+`].filter((w) => w.getAttribute("aria-pressed") === "true").length`) != 1 {
		b.Error("the word that was chosen does not say so")
	}
	b.looked("explained")
}

// repeat runs commands in a shell of its own, as a person would who copies them,
// and compares what they measure.
func repeat(t *testing.T, commands []string, accuracy string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(dir, "sotto")); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-e", "-c", strings.Join(commands, "\n"))
	// On one core they take less of the processor, and measure the same.
	c.Dir, c.Env = dir, append(os.Environ(), "GOMAXPROCS=1", "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v: %s", strings.Join(commands, "\n"), err, out)
	}
	content, err := os.ReadFile(filepath.Join(dir, "model", "results.json"))
	var result struct{ Accuracy float64 }
	if err == nil {
		err = json.Unmarshal(content, &result)
	}
	if got := fmt.Sprintf("%.1f\u00a0%%", 100*result.Accuracy); err != nil || got != accuracy {
		t.Errorf("the command gives %q (%v) and the page %q", got, err, accuracy)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err != nil {
		t.Error(err)
	}
}

// TestStudioFile drops files: one that is no table, and one with markup in it.
func TestStudioFile(t *testing.T) {
	t.Parallel()
	p, b := studio(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	b.do(chromedp.SetUploadFiles("#data-file", []string{write("header.csv", "text,label\n")}))
	b.seen("data-problem")
	if got := b.shown("data-problem"); !strings.Contains(got, "header.csv") || strings.Contains(got, "/") || !b.hidden("data-understood") {
		t.Errorf("of a file without rows it says %q", got)
	}
	b.looked("refused")
	const hostile = `<img src=x onerror="document.title='taken'">`
	var rows strings.Builder
	fmt.Fprintf(&rows, "review,%s,split\n", `"`+strings.ReplaceAll(hostile, `"`, `""`)+`"`)
	for i := range 60 {
		fmt.Fprintf(&rows, "it is %s %d times <b>good</b>,%s,%s\n", []string{"very", "hardly"}[i%2], i, []string{"yes<i>", "no&amp;"}[i%2], []string{"train", "train", "validation", "test"}[i%4])
	}
	b.do(chromedp.SetUploadFiles("#data-file", []string{write("my <b>file.csv", rows.String())}))
	b.seen("data-understood")
	if got := b.shown("data-name"); got != "my bfile.csv: 60 rows" {
		t.Errorf("the file is called %q", got)
	}
	if eval[int](b, `document.querySelectorAll("#panel-data img, #panel-data td b, #panel-data i").length`) != 0 || eval[string](b, "document.title") != "sotto studio" {
		t.Error("what stands in a file became markup")
	}
	if got := eval[string](b, `document.getElementById("data-split").value`); got != "split" {
		t.Errorf("the parts are proposed to be %q", got)
	}
	b.looked("file")
	b.clean()
	p.silent(t, "review", "header", "good")
}

// TestStudioStop stops a training, and ends the studio during another.
func TestStudioStop(t *testing.T) {
	t.Parallel()
	out, private := t.TempDir(), t.TempDir()
	t.Run("work", func(t *testing.T) {
		p := launchWith(t, []string{"TMPDIR=" + private}, "studio", "--no-open", "--out", out)
		b := p.studio(t)
		b.press("data-sample")
		b.seen("data-understood")
		b.do(chromedp.Focus("#tab-train"), chromedp.KeyEvent(kb.Enter))
		stop := `document.querySelector("#train-working button")`
		b.press("train-go")
		b.until(stop + `.checkVisibility()`)
		b.fits("studio-working")
		b.named("working")
		b.do(chromedp.Focus("#train-working button"), chromedp.KeyEvent(kb.Enter))
		b.within(time.Minute, `!`+stop+`.checkVisibility()`)
		if !b.hidden("train-result") || !b.hidden("train-problem") {
			t.Error("a training that was stopped shows a result")
		}
		b.press("train-go")
		b.until(stop + `.checkVisibility()`)
		b.clean()
	}) // here it ends
	for _, dir := range []string{out, private} {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 0 {
			t.Errorf("after the end %v are left (%v)", left, err)
		}
	}
}

// TestStudioLocked opens the page without its secret, and asks as others would.
func TestStudioLocked(t *testing.T) {
	t.Parallel()
	p := launch(t, "studio", "--no-open")
	answer, err := http.Get(p.base + "/healthz") //nolint:noctx // of our own process
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("/healthz answers %v (%v)", answer, err)
	}
	answer.Body.Close()
	for _, address := range []string{p.base + "/", p.base + "/#WRONG"} {
		b := open(t, address, "#locked")
		b.until(`document.getElementById("locked").checkVisibility() && document.getElementById("studio").hidden`)
		b.fits("studio-locked")
		b.clean()
	}
}

// TestStudioVeiled drops a file whose names hold what nobody sees: the page shows signs in its
// place, and keeps the true names of columns to ask by.
func TestStudioVeiled(t *testing.T) {
	t.Parallel()
	_, b := studio(t)
	const veiled = "\x1b]0;mine\a\u009b2J\u202eevil"
	var rows strings.Builder
	fmt.Fprintf(&rows, "text%s,label%s\n", veiled, veiled)
	for i := range 60 {
		fmt.Fprintf(&rows, "it is %s; the parcel of day %d,%s\n", []string{"fine", "late"}[i%2], i, []string{"yes", "no"}[i%2])
	}
	path := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(path, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles("#data-file", []string{path}))
	b.seen("data-understood")
	const bad = `/(?![\n\t\u200c\u200d])[\p{C}\u2028\u2029]/u`
	if got := eval[string](b, `document.getElementById("panel-data").textContent`); !strings.Contains(got, "text␛]0;mine␇") {
		t.Errorf("the page shows %q, want the column with signs", got)
	}
	if eval[bool](b, bad+`.test(document.documentElement.textContent)`) || eval[bool](b, `[...document.querySelectorAll("*")].some((e) => e.tagName !== "OPTION" && [...e.attributes].some((a) => `+bad+`.test(a.value)))`) {
		t.Error("the page shows characters as they are that nobody sees")
	}
	if got := eval[bool](b, `[...document.querySelectorAll("#data-roles option")].some((o) => `+bad+`.test(o.value))`); !got {
		t.Error("columns have lost their true names")
	}
	b.clean()
}
