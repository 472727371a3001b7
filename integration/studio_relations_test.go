package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestStudioRelations looks at the rules of CoNLL04 by keyboard, edits one and sees what
// changes, keeps it, rejects another, says of a finding that it is right, and saves.
func TestStudioRelations(t *testing.T) {
	if _, err := os.Stat(filepath.Join(os.Getenv("SOTTO_DATA"), "relations", "conll04.jsonl")); err != nil {
		t.Skip("needs the set conll04 in the folder that SOTTO_DATA names")
	}
	_, b := studio(t)
	b.do(chromedp.Focus("#tab-data"), chromedp.KeyEvent(kb.End))
	for eval[bool](b, `document.getElementById("panel-relations").hidden`) { // others may stand behind it
		b.do(chromedp.KeyEvent(kb.ArrowLeft))
	}
	b.looked("relations")
	b.press("relations-go")
	b.seen("relations-result")
	before := b.shown("relations-said")
	if !strings.Contains(before, "of what they find is right") {
		t.Errorf("it says %q", before)
	}
	if n := eval[int](b, `document.querySelectorAll("#relations-found mark.subject").length`); n != 10 {
		t.Errorf("%d sentences are shown with their subject, want 10", n)
	}
	b.looked("relations-found")

	b.tabTo("relations-pattern")
	b.do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent("x"))
	b.until(`document.getElementById("relations-change").innerText.includes("→") || document.getElementById("relations-fault").checkVisibility()`)
	b.press("relations-undo")
	b.until(`document.getElementById("relations-change").innerText === ""`)
	eval[bool](b, `(() => { const p = document.getElementById("relations-pattern"); p.value = "tokens <loc>=subject \",\" <loc>=object \",\""; p.dispatchEvent(new Event("input")); return true; })()`)
	b.until(`document.getElementById("relations-change").innerText.includes("No longer found")`)
	if got := b.shown("relations-change"); !strings.Contains(got, "→") || !strings.Contains(got, "the rule alone") {
		t.Errorf("the change is shown as %q", got)
	}
	b.looked("relations-edited")
	b.press("relations-keep")
	b.until(`document.getElementById("relations-scores").innerText.includes("→")`)
	kept := b.shown("relations-said")
	b.press("relations-reject")
	b.until(`document.getElementById("relations-rule-name").innerText.includes("rejected")`)
	if now := b.shown("relations-said"); now == kept || !strings.HasPrefix(now, "23") {
		t.Errorf("after a rule was rejected it says %q", now)
	}
	if got := b.command("relations"); !strings.Contains(got, "--rules mine.rules") {
		t.Errorf("the command is %q", got)
	}
	eval[bool](b, `document.querySelector("#relations-found button").focus() === undefined`)
	b.do(chromedp.KeyEvent(kb.Enter)) // accept
	b.until(`document.getElementById("relations-said").innerText.includes("1 verdict".replace(" ", "\u00a0"))`)
	b.do(chromedp.Reload()) // what was decided survives that
	b.seen("relations-result")
	if got := b.shown("relations-said"); !strings.Contains(got, "verdict") {
		t.Errorf("after a reload it says %q", got)
	}
	b.clean()
}
