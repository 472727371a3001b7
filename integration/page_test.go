package integration_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const story = "My doctor Priya Raman told me in Leeds that the chest pain is probably a panic attack."

// release types a text in place of the last one, and sends it by keyboard.
func (b *tab) release(s string) {
	b.Helper()
	eval[bool](b, `document.getElementById("text").select() === undefined`)
	b.do(chromedp.SendKeys("#text", s))
	b.send()
}

// send presses Ctrl+Enter in the text and waits for an answer.
func (b *tab) send() {
	b.Helper()
	b.do(chromedp.Focus("#text"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(`!document.getElementById("problem").hidden || /^Released/.test(document.getElementById("status").textContent)`)
}

// shown returns the text of an element, with plain spaces.
func (b *tab) shown(id string) string {
	b.Helper()
	return strings.ReplaceAll(eval[string](b, fmt.Sprintf("document.getElementById(%q).textContent", id)), "\u00a0", " ")
}

func (b *tab) hidden(id string) bool {
	b.Helper()
	return eval[bool](b, fmt.Sprintf("document.getElementById(%q).hidden", id))
}

// TestPage types texts until the budget is spent.
func TestPage(t *testing.T) {
	t.Parallel()
	p := gateway(t, "--page", "--mask-names", "capitals", "--budget", "20")
	b := open(t, p.base+"/", "#text")
	b.until(`!document.getElementById("budget").hidden`)
	if got := b.shown("figures"); !strings.HasPrefix(got, "ε 20 of 20") {
		t.Errorf("at first the budget is %q, want all of 20", got)
	}
	if got := eval[string](b, "document.activeElement.id"); got != "text" {
		t.Errorf("the focus is on %q, want the text", got)
	}
	b.fits("empty")

	b.release(story)
	if got := b.shown("status"); got != "Released for ε = 8. ε = 12 left." {
		t.Errorf("the first release says %q", got)
	}
	if got := eval[[]string](b, `[...document.querySelectorAll("#pieces mark")].map(e => e.textContent)`); strings.Join(got, " ") != "Priya Raman Leeds" {
		t.Errorf("masked are %q, want the three names", got)
	}
	if got := b.shown("pieces"); got != story {
		t.Errorf("the text is shown as %q", got)
	}
	// A bar for each number that is not zero, and the line in the middle.
	before, after := eval[int](b, `document.querySelectorAll("#before rect").length`), eval[int](b, `document.querySelectorAll("#after rect").length`)
	if before < width/2 || after < width/2 || before > width+1 || after > width+1 {
		t.Errorf("the pictures have %d and %d bars, want about %d", before, after, width)
	}
	picture := eval[string](b, `document.getElementById("after").innerHTML`)
	if picture == eval[string](b, `document.getElementById("before").innerHTML`) {
		t.Error("the vector is the same before and after")
	}
	for _, side := range []string{"before", "after"} {
		if got := eval[int](b, fmt.Sprintf(`document.querySelectorAll("#read-%s li").length`, side)); got != 10 {
			t.Errorf("the attacker names %d words %s, want 10", got, side)
		}
	}
	// The encoder sums the vectors of words, so that some can be read at once.
	if eval[int](b, `document.querySelectorAll("#read-before li.hit").length`) == 0 {
		t.Error("the attacker reads no word from the raw vector, must read some")
	}
	if got := b.shown("server"); !strings.Contains(got, "No server is set") {
		t.Errorf("of the server it says %q", got)
	}
	b.fits("released")

	b.release(story)
	if got := b.shown("status"); got != "Released again; it cost nothing. ε = 12 left." {
		t.Errorf("the same text again says %q", got)
	}
	if picture != eval[string](b, `document.getElementById("after").innerHTML`) {
		t.Error("the same text again has another vector")
	}
	b.release("The parcel never arrived.")
	b.release("The parcel arrived at last.")
	if got := b.shown("problem"); !strings.Contains(got, "costs ε = 8 and ε = 4 is left") || !strings.Contains(got, "renews") || !b.hidden("result") {
		t.Errorf("over budget says %q, want what is asked, what is left and when it renews, and no result", got)
	}
	b.fits("over")
	b.release("   ")
	if got := b.shown("problem"); got != "Type a text first." {
		t.Errorf("without a text it says %q", got)
	}
	b.clean()
	p.silent(t, story, "Priya", "parcel")
}

// quoted writes a string as JavaScript does.
func quoted(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPageMarkup types what would be markup, or break a script.
func TestPageMarkup(t *testing.T) {
	t.Parallel()
	p := gateway(t, "--page")
	b := open(t, p.base+"/", "#text")
	const hostile = `</script><img src=x onerror="document.title='taken'"><b>Anna & Bob</b> "'` + "\u2028 🙂"
	eval[string](b, fmt.Sprintf("document.getElementById('text').value = %s", quoted(t, hostile))) // no keyboard has all of it
	b.send()
	// What ends a line for a script and not for a reader is shown as a sign.
	if got, want := b.shown("pieces"), strings.ReplaceAll(hostile, "\u2028", "\ufffd"); got != want {
		t.Errorf("shown as %q, want %q: as it was typed, but for what cannot be seen", got, want)
	}
	if got := eval[int](b, `document.querySelectorAll("#pieces :not(mark)").length`); got != 0 || eval[string](b, "document.title") != "sotto gateway" {
		t.Errorf("the text became %d elements", got)
	}
	if got := b.shown("masks"); !strings.Contains(got, "--mask-names") {
		t.Errorf("without masks it says %q, want how to set them", got)
	}
	b.fits("markup")
	b.clean()
}

// TestPageServer releases with a model's first half, and has a server that
// holds the second answer; then the server goes.
func TestPageServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "model")
	if out, err := exec.Command(binary, "train", "--data", "reviews", "--limit", "200", "--method", "noise", "--epsilon", "8", "--epochs", "1", "--seeds", "1", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seed := filepath.Join(dir, "seed-1")
	s := launch(t, "serve", "--model", seed)
	key, keys := newKey(t, "--subject", "shop")
	p := gateway(t, "--page", "--model", seed, "--server", s.base, "--keys", keys)
	b := open(t, p.base+"/", "#text")
	b.release("What a wonderful day")
	if got := b.shown("problem"); !strings.Contains(got, "API key") {
		t.Errorf("without a key it says %q", got)
	}
	b.do(chromedp.SendKeys("#key", key))
	b.release("What a wonderful day")
	if got := b.shown("server"); !strings.HasPrefix(got, "It says ") || eval[int](b, `document.querySelectorAll("#server progress").length`) < 2 {
		t.Errorf("the server says %q, want a class and scores", got)
	}
	if got := b.shown("unread"); b.hidden("unread") || !b.hidden("read") || !strings.Contains(got, "encoder's space") {
		t.Errorf("of an attack on a model it says %q, want why there is none", got)
	}
	b.fits("server")
	b.clean()
	p.silent(t, key, "wonderful")
	s.silent(t, "wonderful")

	down := gateway(t, "--page", "--server", "http://127.0.0.1:1")
	b = open(t, down.base+"/", "#text")
	b.release("What a wonderful day")
	if got := b.shown("server"); !strings.Contains(got, "does not answer") || b.hidden("result") {
		t.Errorf("with the server down it says %q, want that, and the release", got)
	}
	b.clean()
}
