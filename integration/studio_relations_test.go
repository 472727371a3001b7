package integration_test

import (
	"fmt"
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
	t.Parallel()
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

// TestStudioSentences looks at sentences of one's own, and is told what is wrong with others.
func TestStudioSentences(t *testing.T) {
	t.Parallel()
	_, b := studio(t)
	b.do(chromedp.Focus("#tab-data"), chromedp.KeyEvent(kb.End))
	for eval[bool](b, `document.getElementById("panel-relations").hidden`) { // others may stand behind it
		b.do(chromedp.KeyEvent(kb.ArrowLeft))
	}
	var lines strings.Builder
	for k := range 120 {
		verb, relation := "joined", "Work_For"
		if k%2 == 0 {
			verb, relation = "admires", "Likes"
		}
		fmt.Fprintf(&lines, `{"tokens":["Ann","%s","Acme%d","."],"entities":[["Peop",0,1],["Org",2,3]],"relations":[["%s",0,1]]}`+"\n", verb, k, relation)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"mine.jsonl": lines.String(), "bad.jsonl": "{\"tokens\": 1}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.do(chromedp.SetUploadFiles("#relations-sentences", []string{filepath.Join(dir, "bad.jsonl")}))
	b.until(`document.getElementById("relations-data").selectedOptions[0].innerText === "bad.jsonl"`)
	b.press("relations-go")
	b.seen("relations-problem")
	if got := b.shown("relations-problem"); !strings.Contains(got, "line 1") {
		t.Errorf("it says %q", got)
	}
	b.do(chromedp.SetUploadFiles("#relations-sentences", []string{filepath.Join(dir, "mine.jsonl")}))
	b.until(`document.getElementById("relations-data").selectedOptions[0].innerText === "mine.jsonl"`)
	b.press("relations-go")
	b.seen("relations-result")
	if got := b.shown("relations-said"); !strings.Contains(got, "of what they find is right") {
		t.Errorf("it says %q", got)
	}
	if got := b.command("relations"); !strings.Contains(got, "relations train --data mine.jsonl") {
		t.Errorf("the command is %q", got)
	}
	b.looked("relations-sentences")
	b.clean()
}
