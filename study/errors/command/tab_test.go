package errors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
	errors "sotto/study/errors/command"
)

// answeredRows is a file in which questions are wrong three times in four.
func answeredRows(rows int) string {
	var b strings.Builder
	b.WriteString("message,topic,answer,p\n")
	for i := range rows {
		label, answer := "thanks", "thanks"
		text := "Thanks for the help"
		if i%2 == 0 {
			text, label = "Where is my bag?", "question"
			if i%8 == 0 {
				answer = "question"
			}
		}
		if i >= rows-5 {
			label = ""
		}
		fmt.Fprintf(&b, "%s,%s,%s,0.%d\n", text, label, answer, 5+i%5)
	}
	return b.String()
}

func TestTab(t *testing.T) {
	b := studiotest.Start(t, studio.Config{Tabs: append(studio.Tabs(), errors.Study().Tabs...)})
	u := b.Drop("a.csv", answeredRows(165))
	ask := func(label, predicted, confidence string) string {
		return fmt.Sprintf(`{"source": %q, "text": "message", "label": %q, "predicted": %q, "confidence": %q}`, u.Source, label, predicted, confidence)
	}
	j := b.Follow("/api/errors/start", ask("topic", "answer", "p"))
	var got struct {
		Study, Sentence string
		Tree            struct{ Size int }
		Cohorts         []struct{ Size int }
		Choices         []string
		Likely          []struct {
			Row      int
			Chance   float64
			Segments []struct{ Text string }
		}
		Rankers []struct{ Name string }
	}
	if err := json.Unmarshal(j.Result, &got); err != nil {
		t.Fatalf("the work ended with %+v: %v", j, err)
	}
	if got.Tree.Size != 160 || len(got.Cohorts) < 2 || len(got.Likely) != 5 || len(got.Rankers) != 3 || len(got.Choices) < 2 {
		t.Errorf("found is %+v", got)
	}
	if first := got.Likely[0]; (first.Row-1)%2 != 0 || !(first.Chance > got.Likely[4].Chance) {
		t.Errorf("the likeliest error is %+v, want a question", first)
	}
	var heat struct {
		Cells [][]struct{ Rows int }
	}
	b.Ask("POST", "/api/errors/heat", fmt.Sprintf(`{"study": %q, "across": %q, "down": %q}`, got.Study, got.Choices[0], got.Choices[1]), http.StatusOK, &heat)
	if len(heat.Cells) == 0 {
		t.Error("the heat map has no cells")
	}
	b.Refused("POST", "/api/errors/heat", fmt.Sprintf(`{"study": %q, "across": "x", "down": "x"}`, got.Study), http.StatusBadRequest, "the same")
	b.Refused("POST", "/api/errors/heat", `{"study": "old", "across": "x", "down": "y"}`, http.StatusNotFound, "not known any more")
	b.Refused("POST", "/api/errors/start", ask("topic", "topic", ""), http.StatusBadRequest, "same column")
	b.Refused("POST", "/api/errors/start", ask("topic", "", ""), http.StatusBadRequest, "Choose the columns")
	for _, tt := range []struct{ predicted, confidence, want string }{{"p", "", "no value in common"}, {"answer", "topic", "no number from 0 to 1"}, {"missing", "", "missing"}} {
		if j := b.Follow("/api/errors/start", ask("topic", tt.predicted, tt.confidence)); j.State != "failed" || !strings.Contains(j.Error, tt.want) || strings.Contains(j.Error, "bag") {
			t.Errorf("%+v: %s %q", tt, j.State, j.Error)
		}
	}
}
