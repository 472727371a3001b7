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

// answers writes a file of answers: questions are wrong three times in four, thanks
// hardly ever, and the last twenty have no label. One text holds markup.
func answers(t *testing.T, rows int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("message,topic,answer,confidence,branch\n")
	for i := range rows {
		text, label, answer := fmt.Sprintf("Thanks a lot for the kind help with parcel %d!", i), "praise", "praise"
		if i%2 == 0 {
			text, label = fmt.Sprintf("Could you tell me where <b>parcel</b> %d is?", i), "question"
			if i%8 == 0 {
				answer = "question"
			}
		} else if i%15 == 0 {
			answer = "question"
		}
		if i >= rows-20 {
			label = ""
		}
		fmt.Fprintf(&b, "%s,%s,%s,%.2f,%s\n", text, label, answer, 0.5+float64(i%5)/10, []string{"north", "south"}[i%3%2])
	}
	path := filepath.Join(t.TempDir(), "answers.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStudioErrors finds where answers of a foreign model are wrong.
func TestStudioErrors(t *testing.T) {
	t.Parallel()
	p, b := studio(t)
	b.do(chromedp.Focus("#tab-errors"), chromedp.KeyEvent(kb.Enter))
	b.seen("errors-none")
	b.looked("errors-none")
	b.do(chromedp.Focus("#tab-data"), chromedp.KeyEvent(kb.Enter), chromedp.SetUploadFiles("#data-file", []string{answers(t, 320)}))
	b.seen("data-understood")
	b.do(chromedp.Focus("#tab-errors"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("errors-predicted").value === "answer" && document.getElementById("errors-confidence").value === "confidence"`)
	b.do(chromedp.SetValue("#errors-text", "message"), chromedp.SetValue("#errors-label", "topic"), chromedp.SetValue("#errors-group", "branch"))
	b.press("errors-go")
	b.seen("errors-result")
	if got := b.shown("errors-sentence"); !strings.Contains(got, "% of 300 answers are wrong") {
		t.Errorf("it says %q", got)
	}
	if got := b.shown("errors-about"); !strings.Contains(got, "20 texts have no label") {
		t.Errorf("of the list it says %q", got)
	}
	if got := eval[string](b, `document.querySelector("#errors-list mark").textContent`); got == "" || eval[int](b, `document.querySelectorAll("#errors-list li").length`) != 20 {
		t.Errorf("marked is %q, and the list has not 20 texts", got)
	}
	if first := eval[string](b, `document.querySelector("#errors-list .worktext").textContent`); !strings.HasPrefix(first, "Could you tell me where <b>parcel</b>") {
		t.Errorf("the likeliest error is %q, want a question with its markup as text", first)
	}
	if eval[int](b, `document.querySelectorAll("#panel-errors .worktext b, #errors-tree .branch, #errors-cohorts tbody tr").length`) < 4 || eval[int](b, `document.querySelectorAll("#panel-errors .worktext b").length`) != 0 {
		t.Error("there is no tree, or a text became markup")
	}
	before := b.shown("errors-heat")
	b.do(chromedp.Focus("#errors-across"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	b.until(fmt.Sprintf(`document.getElementById("errors-heat").textContent !== %q`, before))
	b.looked("errors")
	if got := b.command("errors"); !strings.Contains(got, "sotto errors --in answers.csv --text message --label topic --predicted answer --confidence confidence --features branch") || !strings.Contains(got, "sotto errors rank") {
		t.Errorf("the command is %q", got)
	}
	b.do(chromedp.Reload())
	b.seen("errors-result") // what was found survives that the page is loaded anew
	b.do(chromedp.SetValue("#errors-predicted", "branch"), chromedp.Focus("#errors-predicted"))
	b.press("errors-go")
	b.seen("errors-problem")
	if got := b.shown("errors-problem"); !strings.Contains(got, "no value in common") {
		t.Errorf("of a wrong column it says %q", got)
	}
	b.clean()
	p.silent(t, "parcel", "answers.csv", "praise")
}
