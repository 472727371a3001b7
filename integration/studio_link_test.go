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

// TestStudioLink finds who is the same in a table, the real records of csv_example where
// they are, decides by keyboard, and takes a decision back.
func TestStudioLink(t *testing.T) {
	t.Parallel()
	p, b := studio(t)
	var rows strings.Builder
	rows.WriteString("entity,name,street,town\n")
	for k := range 60 {
		fmt.Fprintf(&rows, "%d,anna%d quill%d,%d elm lane,<b>Oslo</b>\n%d,A. quill%d,%d elm lane,<b>Oslo</b>\n", k, k%7, k, k, k, k, k)
	}
	file := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	columns, truth := []string{"name", "street"}, "entity"
	if dir := os.Getenv("SOTTO_DATA"); dir != "" {
		records := filepath.Join(dir, "dedupe", "csv_example_input_with_true_ids.csv")
		if _, err := os.Stat(records); err == nil {
			file, columns, truth = records, []string{"Site name", "Address", "Zip", "Phone"}, "True Id"
		}
	}
	b.do(chromedp.Focus("#tab-data"), chromedp.KeyEvent(kb.End))
	for eval[bool](b, `document.getElementById("panel-link").hidden`) { // others may stand behind it
		b.do(chromedp.KeyEvent(kb.ArrowLeft))
	}
	b.looked("link")
	b.do(chromedp.SetUploadFiles("#link-file", []string{file}))
	b.seen("link-opened")
	eval[bool](b, fmt.Sprintf(`(() => { for (const c of document.querySelectorAll("#link-columns input")) c.checked = %q.split("|").includes(c.value); const t = document.getElementById("link-truth"); t.value = %q; t.dispatchEvent(new Event("change")); return true; })()`, strings.Join(columns, "|"), truth))
	b.press("link-go")
	b.seen("link-result")
	if got := b.shown("link-said"); !strings.Contains(got, "no other division fits the scores better") {
		t.Errorf("it says %q", got)
	}
	if eval[int](b, `document.querySelectorAll("#link-weak li").length`) != 20 || eval[int](b, `document.querySelectorAll("#panel-link td b").length`) != 0 {
		t.Error("twenty clusters are to be shown, as text")
	}
	if got := eval[string](b, `document.querySelector("#link-weak li").innerText`); !strings.Contains(got, "Weakest: ") || !strings.Contains(got, "For: ") {
		t.Errorf("the first cluster is shown as %q", got)
	}
	b.looked("linked")
	before := b.shown("link-said")
	first := `document.querySelectorAll("#link-weak li")[0].querySelectorAll("button")`
	eval[bool](b, first+`[1].focus() === undefined`)
	b.do(chromedp.KeyEvent(kb.Enter)) // they are not one
	b.until(`document.querySelectorAll("#link-decisions li").length === 1`)
	if after := b.shown("link-said"); after == before {
		t.Errorf("after a decision it still says %q", after)
	}
	if got := b.command("link"); !strings.Contains(got, "--decisions decisions.csv") {
		t.Errorf("the command is %q", got)
	}
	b.looked("decided")
	b.do(chromedp.Focus("#link-decisions button"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelectorAll("#link-decisions li").length === 0`)
	b.press("link-more-weak")
	b.until(`document.querySelectorAll("#link-weak li").length === 40`)
	b.do(chromedp.Reload()) // what was found survives that
	b.seen("link-result")
	b.clean()
	p.silent(t, "quill", "people.csv", "street")
}
