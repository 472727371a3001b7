package explain_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
	"sotto/data/dataset"
	explain "sotto/study/explain/command"
	"sotto/study/influence"
)

// TestTab explains the answers of a model that was trained a step before.
func TestTab(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // in which no student lies
	b := studiotest.Start(t, studio.Config{Tabs: append(studio.Tabs(), explain.Study().Tabs...)})
	choice, _ := b.Few(b.Sample(), 160)
	j := b.Finish(b.Train(choice))
	var got struct{ Run string }
	if err := json.Unmarshal(j.Result, &got); err != nil {
		t.Fatalf("the training ended with %+v: %v", j, err)
	}
	byWords(b, got.Run)
	byStudent(b, got.Run)
}

// byWords explains a text in every way, and replaces one of its words.
func byWords(b *studiotest.Bench, run string) {
	b.Helper()
	const text = "The sofa never arrived, so I want my money back."
	type token struct {
		Text       string
		Start, End int
		Weight     float64
	}
	var strongest token
	for _, method := range []string{"shap", "lime", "ig", "occlusion"} {
		var got struct {
			Tokens     []token
			Prediction string
			Classes    []string
			Check      float64
			Limit      float64 `json:"check_limit"`
			Noise      *struct{ Flips float64 }
		}
		b.Ask("POST", "/api/explain/words", `{"run": "`+run+`", "text": "`+text+`", "method": "`+method+`", "view": "before"}`, http.StatusOK, &got)
		if len(got.Tokens) != 10 || !slices.Contains(got.Classes, got.Prediction) || got.Noise == nil || got.Limit > 0 && got.Check > got.Limit {
			b.Errorf("%s: a text is explained by %+v", method, got)
		}
		for _, w := range got.Tokens {
			if text[w.Start:w.End] != w.Text {
				b.Errorf("%s: a word is %q at %d", method, w.Text, w.Start)
			}
			if w.Weight > strongest.Weight {
				strongest = w
			}
		}
	}
	var got struct {
		Answer string
		Swaps  []struct {
			Word, Prediction string
			Probability      float64
		}
		Asked, Flips int
	}
	b.Ask("POST", "/api/explain/swaps", fmt.Sprintf(`{"run": %q, "text": %q, "view": "before", "method": "shap", "start": %d, "end": %d}`, run, text, strongest.Start, strongest.End), http.StatusOK, &got)
	for _, s := range got.Swaps {
		if s.Prediction == got.Answer || s.Word == strongest.Text || s.Probability > 0.5 {
			b.Errorf("in place of %q, %+v does not change the answer %q", strongest.Text, s, got.Answer)
		}
	}
	if got.Asked < 1000 || got.Flips < len(got.Swaps) {
		b.Errorf("%d words were tried and %d change the answer", got.Asked, got.Flips)
	}
	b.Refused("POST", "/api/explain/words", `{"run": "`+run+`", "text": "?", "method": "shap"}`, http.StatusBadRequest, "at least one word")
	b.Refused("POST", "/api/explain/words", `{"run": "`+run+`", "text": "a", "method": "magic"}`, http.StatusBadRequest, "load the page anew")
	b.Refused("POST", "/api/explain/swaps", `{"run": "`+run+`", "text": "a", "start": 0, "end": 7}`, http.StatusBadRequest, "not in the text")
}

// teach teaches a student of a training's model on a few texts, and stores it beside the
// model.
func teach(b *studiotest.Bench, run string) string {
	b.Helper()
	r, err := b.Studio.Run(run)
	if err != nil {
		b.Fatal(err)
	}
	t, err := influence.OpenStored(b.Context(), r.Model(), influence.StoredOptions{})
	if err != nil {
		b.Fatal(err)
	}
	set := &dataset.Set{Name: "few", Label: dataset.Column{Name: t.Label, Classes: t.Names}}
	for i, verb := range []string{"arrived", "broke", "cracked", "wobbled", "returned", "paid", "charged", "ordered", "refunded", "logged", "asked", "delivered"} {
		for _, noun := range []string{"sofa", "money", "password", "invoice"} {
			set.Text = append(set.Text, "The "+noun+" never "+verb+", so I want my "+noun+" back.")
			set.Label.IDs = append(set.Label.IDs, i%len(t.Names))
			set.Split = append(set.Split, []dataset.Part{dataset.Train, dataset.Validation}[i/10])
		}
	}
	set.Rows = len(set.Text)
	d, err := influence.NewData(b.Context(), set, "", influence.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := influence.Train(b.Context(), t, d, influence.Settings{Epochs: 20, Batch: 64, Width: 16, Rate: 0.01}, influence.Options{})
	if err != nil {
		b.Fatal(err)
	}
	dir := r.Model() + influence.Beside
	if err := s.Save(dir); err != nil {
		b.Fatal(err)
	}
	return dir
}

// byStudent explains by the student of a model, where there is one.
func byStudent(b *studiotest.Bench, run string) {
	b.Helper()
	const text = "The sofa never arrived, so I want my money back."
	asks := fmt.Sprintf(`{"run": %q, "text": %q, "view": "before", "method": "influence"}`, run, text)
	var hand struct {
		Place, Problem string
		AllCorrect     float64 `json:"all_correct"`
	}
	at := func() { b.Ask("POST", "/api/explain/student", `{"run": "`+run+`"}`, http.StatusOK, &hand) }
	if at(); hand.Place != "" || hand.Problem != "" {
		b.Fatalf("before there is a student, it is said %+v", hand)
	}
	b.Refused("POST", "/api/explain/words", asks, http.StatusNotFound, "no student")
	dir := teach(b, run)
	if at(); hand.Place != "beside" || !(hand.AllCorrect > 0) {
		b.Errorf("of a student beside the model it is said %+v", hand)
	}
	var got struct {
		Method string
		Tokens []struct {
			Text       string
			Start, End int
		}
	}
	b.Ask("POST", "/api/explain/words", asks, http.StatusOK, &got)
	if got.Method != "influence" || len(got.Tokens) != 10 {
		b.Errorf("the student explains by %+v", got)
	}
	proposed := false
	for _, w := range got.Tokens {
		var swaps struct {
			Answer                 string
			Proposed, Asked, Flips int
			Part                   string
			Swaps                  []struct{ Word, Prediction string }
		}
		b.Ask("POST", "/api/explain/swaps", fmt.Sprintf(`{"run": %q, "text": %q, "view": "before", "method": "influence", "start": %d, "end": %d}`, run, text, w.Start, w.End), http.StatusOK, &swaps)
		if swaps.Proposed == 0 {
			continue
		}
		proposed = true
		if swaps.Asked > 100 || swaps.Asked > swaps.Proposed || swaps.Flips > swaps.Asked || swaps.Part == "" || len(swaps.Swaps) == 0 {
			b.Errorf("in place of %q the student proposes %+v", w.Text, swaps)
		}
		for _, s := range swaps.Swaps {
			if s.Prediction == swaps.Answer {
				b.Errorf("%q in place of %q changes nothing on the model", s.Word, w.Text)
			}
		}
		break
	}
	if !proposed {
		b.Error("the student proposes no word that changes the answer, want some")
	}
	// One that is damaged is said to be, and words are replaced without it.
	if err := os.Truncate(filepath.Join(dir, influence.WeightsFile), 100); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, influence.ManifestFile), []byte("{"), 0o600); err != nil {
		b.Fatal(err)
	}
	at()
	if hand.Place != "" || hand.Problem == "" {
		b.Errorf("of a damaged student it is said %+v", hand)
	}
	var plain struct{ Proposed, Asked int }
	b.Ask("POST", "/api/explain/swaps", fmt.Sprintf(`{"run": %q, "text": %q, "view": "before", "method": "shap", "start": 4, "end": 8}`, run, text), http.StatusOK, &plain)
	if plain.Proposed != 0 || plain.Asked < 1000 {
		b.Errorf("with a damaged student %+v are tried", plain)
	}
}
