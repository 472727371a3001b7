package studio_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"sotto/data/dataset"
	"sotto/study/influence"
	"sotto/study/influence/teacher"
)

// teach teaches a student of a training's model on a few texts, and stores it beside the
// model.
func (b *bench) teach(run string) string {
	b.Helper()
	r, err := b.Studio.Run(run)
	if err != nil {
		b.Fatal(err)
	}
	t, err := teacher.OpenStored(b.Context(), r.Model(), teacher.StoredOptions{})
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

// student explains by the student of a model, where there is one.
func (b *bench) student(run string) {
	b.Helper()
	const text = "The sofa never arrived, so I want my money back."
	asks := fmt.Sprintf(`{"run": %q, "text": %q, "view": "before", "method": "influence"}`, run, text)
	var hand struct {
		Place, Problem string
		AllCorrect     float64 `json:"all_correct"`
	}
	at := func() { b.ask("POST", "/api/explain/student", `{"run": "`+run+`"}`, http.StatusOK, &hand) }
	if at(); hand.Place != "" || hand.Problem != "" {
		b.Fatalf("before there is a student, it is said %+v", hand)
	}
	b.refused("POST", "/api/explain/words", asks, http.StatusNotFound, "no student")
	dir := b.teach(run)
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
	b.ask("POST", "/api/explain/words", asks, http.StatusOK, &got)
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
		b.ask("POST", "/api/explain/swaps", fmt.Sprintf(`{"run": %q, "text": %q, "view": "before", "method": "influence", "start": %d, "end": %d}`, run, text, w.Start, w.End), http.StatusOK, &swaps)
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
	b.ask("POST", "/api/explain/swaps", fmt.Sprintf(`{"run": %q, "text": %q, "view": "before", "method": "shap", "start": 4, "end": 8}`, run, text), http.StatusOK, &plain)
	if plain.Proposed != 0 || plain.Asked < 1000 {
		b.Errorf("with a damaged student %+v are tried", plain)
	}
}
