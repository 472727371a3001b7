package studio_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sotto/command/studio"
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

func TestErrors(t *testing.T) {
	b := start(t, studio.Config{})
	var u understood
	b.ask("POST", "/api/data/upload?name=a.csv", answeredRows(165), http.StatusOK, &u)
	ask := func(label, predicted, confidence string) string {
		return fmt.Sprintf(`{"source": %q, "text": "message", "label": %q, "predicted": %q, "confidence": %q}`, u.Source, label, predicted, confidence)
	}
	var begun struct{ Job string }
	b.ask("POST", "/api/errors/start", ask("topic", "answer", "p"), http.StatusAccepted, &begun)
	j := b.finish(begun.Job)
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
	b.ask("POST", "/api/errors/heat", fmt.Sprintf(`{"study": %q, "across": %q, "down": %q}`, got.Study, got.Choices[0], got.Choices[1]), http.StatusOK, &heat)
	if len(heat.Cells) == 0 {
		t.Error("the heat map has no cells")
	}
	b.refused("POST", "/api/errors/heat", fmt.Sprintf(`{"study": %q, "across": "x", "down": "x"}`, got.Study), http.StatusBadRequest, "the same")
	b.refused("POST", "/api/errors/heat", `{"study": "old", "across": "x", "down": "y"}`, http.StatusNotFound, "not known any more")
	b.refused("POST", "/api/errors/start", ask("topic", "topic", ""), http.StatusBadRequest, "same column")
	b.refused("POST", "/api/errors/start", ask("topic", "", ""), http.StatusBadRequest, "Choose the columns")
	for _, tt := range []struct{ predicted, confidence, want string }{{"p", "", "no value in common"}, {"answer", "topic", "no number from 0 to 1"}, {"missing", "", "missing"}} {
		b.ask("POST", "/api/errors/start", ask("topic", tt.predicted, tt.confidence), http.StatusAccepted, &begun)
		if j := b.finish(begun.Job); j.State != "failed" || !strings.Contains(j.Error, tt.want) || strings.Contains(j.Error, "bag") {
			t.Errorf("%+v: %s %q", tt, j.State, j.Error)
		}
	}
}
