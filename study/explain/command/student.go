package explain

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"sotto/command/studio"
	"sotto/service/httpserve"
	"sotto/study/explain"
	"sotto/study/influence"
	"sotto/text"
)

// students is the student of the model that was asked about last, which is opened once and
// asked by one at a time.
type students struct {
	mu      sync.Mutex // guards all
	key     string     // tells which one it is
	student *influence.Student
}

// ask asks the student of a training's model, if there is one beside the model or
// where "sotto influence train" writes, and tells where it lies, and "" if there is none.
func (t *students) ask(ctx context.Context, s *studio.Studio, id string, question func(*influence.Student) error) (dir string, err error) {
	run, err := s.Run(id)
	if err != nil {
		return "", err
	}
	dir, err = influence.Folder(run.Model())
	if err != nil {
		return "", err
	}
	info, err := influence.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if key := id + " " + dir + " " + info.Weights; t.key != key {
		got, err := influence.Open(ctx, dir, influence.OpenOptions{Model: run.Model(), Workers: s.Workers})
		if err != nil && !errors.Is(err, influence.ErrTeacher) { // whose student is none of this model's
			return "", err
		}
		t.key, t.student = key, got
	}
	if t.student == nil {
		return "", nil
	}
	return dir, question(t.student)
}

// atHand is what the page says of a student.
type atHand struct {
	Place      string  `json:"place"` // "beside" the model, "usual", or "" where there is none
	AllCorrect float64 `json:"all_correct"`
	Problem    string  `json:"problem,omitempty"` // why one that is there cannot be asked
}

// hand handles "POST student": whether there is a student to ask.
func (t *students) hand(s *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Run string `json:"run"`
	}
	if err := studio.Read(w, r, &q); err != nil {
		return err
	}
	if _, err := s.Run(q.Run); err != nil {
		return err
	}
	var got atHand
	dir, err := t.ask(r.Context(), s, q.Run, func(st *influence.Student) error {
		got.AllCorrect = st.Result.Validation.AllCorrect
		return nil
	})
	switch {
	case err != nil: // words can be explained without it
		got.Problem = studio.Plain(err)
	case strings.HasSuffix(dir, influence.Beside):
		got.Place = "beside"
	case dir != "":
		got.Place = "usual"
	}
	return httpserve.WriteJSON(w, http.StatusOK, got)
}

// explain explains a text in the way that is asked for.
func (t *students) explain(ctx context.Context, s *studio.Studio, q request, p explain.Predictor) (*explain.Explanation, error) {
	if q.Method != (influence.Explainer{}).Name() {
		e, err := explainer(q.Method)
		if err != nil {
			return nil, err
		}
		return e.Explain(ctx, p, q.Text, explain.Predicted)
	}
	var got *explain.Explanation
	dir, err := t.ask(ctx, s, q.Run, func(st *influence.Student) (err error) {
		got, err = influence.Explainer{Student: st}.Explain(ctx, p, q.Text, explain.Predicted)
		return err
	})
	if err == nil && dir == "" {
		err = &studio.Problem{Status: http.StatusNotFound, Message: "there is no student of this model: teach one with sotto influence train, or choose another way"}
	}
	return got, err
}

// mostTried is how many words of a student's are tried on the model.
const mostTried = 100

// proposed returns what the student would put in place of a word to change the answer,
// the surest first. It is empty where there is no student, where the student cannot be
// asked, which the page has said, and where it takes something else for a word.
func (t *students) proposed(ctx context.Context, s *studio.Studio, q request, word text.Span) (words []string, list influence.Swaps) {
	_, err := t.ask(ctx, s, q.Run, func(st *influence.Student) error {
		found, err := st.Counterfactuals(ctx, q.Text, influence.SwapOptions{At: word.Start, Top: mostTried, Unchecked: true})
		if err != nil || len(found.Words) == 0 {
			return err
		}
		list = found.Words[0]
		return nil
	})
	if err != nil || list.Start != word.Start || list.End != word.End {
		return nil, influence.Swaps{}
	}
	for _, w := range list.Swaps {
		words = append(words, w.Word)
	}
	return words, list
}
