package errors

import (
	"cmp"
	"context"
	_ "embed" // of the tab
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"

	"sotto/command/studio"
	"sotto/compute/forest"
	"sotto/data/table"
	"sotto/service/httpserve"
	failing "sotto/study/errors"
	"sotto/study/errors/feature"
)

var (
	//go:embed tab.html
	tabHTML string
	//go:embed tab.js
	tabScript string
)

// tab makes the tab of a studio that shows where the answers of any model are wrong, and for
// whom.
func tab() studio.Tab {
	var t failures
	return studio.Tab{Name: "errors", Title: "Errors", HTML: tabHTML, Script: tabScript, Routes: map[string]func(*studio.Studio, http.ResponseWriter, *http.Request) error{
		"POST start":   t.start,
		"POST heat":    t.heat,
		"POST command": tabCommand,
	}}
}

// asked says which columns of a file are what.
type asked struct {
	Source     string `json:"source"`
	Text       string `json:"text"`
	Label      string `json:"label"`
	Predicted  string `json:"predicted"`
	Confidence string `json:"confidence,omitempty"`
	Group      string `json:"group,omitempty"`
}

// check refuses what is missing, and one column for two things.
func (a asked) check() error {
	if a.Text == "" || a.Label == "" || a.Predicted == "" {
		return &studio.Problem{Status: http.StatusBadRequest, Message: "choose the columns of the text, the true label and the prediction first"}
	}
	if a.Label == a.Predicted {
		return &studio.Problem{Status: http.StatusBadRequest, Message: "the true label and the prediction are the same column, must differ"}
	}
	return nil
}

// command is what does the same in a terminal.
func (a asked) command(file string, more ...string) []string {
	c := []string{"errors", "--in", file, "--text", a.Text, "--label", a.Label, "--predicted", a.Predicted}
	if a.Confidence != "" {
		c = append(c, "--confidence", a.Confidence)
	}
	if a.Group != "" {
		c = append(c, "--features", a.Group)
	}
	return append(c, more...)
}

// tabCommand handles "POST command": the commands that do the same.
func tabCommand(s *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	a, src, err := readAsked(s, w, r)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string][][]string{"commands": {
		a.command(src.Name, "--splits", strconv.Itoa(errorSplits), "--out", "watch"),
		{"errors", "rank", "--in", "new.csv", "--with", "watch"},
	}})
}

// readAsked reads what was asked, and finds its file.
func readAsked(s *studio.Studio, w http.ResponseWriter, r *http.Request) (asked, studio.File, error) {
	var a asked
	if err := studio.Read(w, r, &a); err != nil {
		return a, studio.File{}, err
	}
	if err := a.check(); err != nil {
		return a, studio.File{}, err
	}
	src, err := s.File(a.Source)
	return a, src, err
}

// start handles "POST start".
func (t *failures) start(s *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	a, src, err := readAsked(s, w, r)
	if err != nil {
		return err
	}
	return s.Begin(w, "errors", func(ctx context.Context, tell studio.Tell) (any, error) {
		return t.learn(ctx, a, src.Path, s.Workers, tell)
	})
}

// studied is what heat maps are made of after errors were found.
type studied struct {
	table *failing.Features
	wrong []bool
}

// failures is what was found last.
type failures struct{ studio.Last[studied] }

// heat handles "POST heat": how often answers are wrong by two features.
func (t *failures) heat(_ *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Study  string `json:"study"`
		Across string `json:"across"`
		Down   string `json:"down"`
	}
	if err := studio.Read(w, r, &q); err != nil {
		return err
	}
	on, known := t.Find(q.Study)
	if !known {
		return &studio.Problem{Status: http.StatusNotFound, Message: "this study is not known any more: find the errors again"}
	}
	if q.Across == q.Down {
		return &studio.Problem{Status: http.StatusBadRequest, Message: "both features are the same: choose two"}
	}
	h, err := failing.NewHeatMap(on.table, on.wrong, q.Down, q.Across)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, h)
}

// errorSplits is on how many splits rankers are judged here, and mostLikely how many
// texts are shown.
const (
	errorSplits = 5
	mostLikely  = 20
	mostReasons = 5
	mostChoices = 40
)

// judged is a file of answers.
type judged struct {
	texts, labels, answers []string
	group                  []string
	confidence             []float64
	known, fresh           []int // rows with a label, and without
	wrong                  []bool
}

// foundErrors is what the page gets.
type foundErrors struct {
	Study    string            `json:"study"`
	Sentence string            `json:"sentence"`
	Tree     *failing.Node     `json:"tree"`
	Cohorts  []failing.Cohort  `json:"cohorts"`
	Choices  []string          `json:"choices"` // features for the heat map
	Heat     *failing.HeatMap  `json:"heat"`
	About    string            `json:"about"`
	Likely   []likely          `json:"likely"`
	Splits   int               `json:"splits"`
	Ks       []int             `json:"ks"`
	Rankers  []failing.Ranker  `json:"rankers"`
	Features []failing.Feature `json:"features"`
	Notes    []string          `json:"notes,omitempty"`
}

// likely is a text whose answer is likely wrong.
type likely struct {
	Row      int               `json:"row"`
	Chance   float64           `json:"chance"`
	Answer   string            `json:"predicted"`
	Label    string            `json:"label,omitempty"`
	Segments []feature.Segment `json:"segments"`
	Reasons  []reason          `json:"reasons"`
}

// reason is a feature in words.
type reason struct {
	Words string `json:"words"`
}

// learn learns where answers are wrong.
func (t *failures) learn(ctx context.Context, a asked, path string, workers int, tell studio.Tell) (any, error) {
	tell(0.01, "Reading the file")
	in, err := readAnswered(ctx, a, path)
	if err != nil {
		return nil, err
	}
	reader, err := feature.New(feature.Options{})
	if err != nil {
		return nil, err
	}
	work := failing.Work{Workers: cmp.Or(workers, runtime.GOMAXPROCS(0)), Progress: func(done, total int) {
		tell(0.3*float64(done)/float64(max(1, total)), "Reading the texts")
	}}
	texts, err := reader.All(ctx, in.texts, work)
	if err != nil {
		return nil, err
	}
	x := feature.Table(texts)
	if in.group != nil {
		g, err := failing.FromColumn(a.Group, in.group)
		if err != nil {
			return nil, err
		}
		if x, err = failing.Join(x, g); err != nil {
			return nil, err
		}
	}
	work.Progress = func(done, total int) {
		tell(0.3+0.6*float64(done)/float64(max(1, total)), "Learning where answers are wrong")
	}
	return t.study(ctx, in, x, texts, work)
}

// study makes what the page shows of a table of features.
func (t *failures) study(ctx context.Context, in *judged, x *failing.Features, texts []feature.Text, work failing.Work) (any, error) {
	labelled := in.part(in.known, x)
	j, err := failing.Judge(ctx, *labelled, failing.Options{Splits: errorSplits, Work: work})
	if err != nil {
		return nil, err
	}
	often := labelled.Features.Frequent(leastRows)
	f := &foundErrors{Splits: errorSplits, Ks: []int{}, Rankers: j.Rankers, Features: j.Features}
	if f.Cohorts, err = failing.Cohorts(often, in.wrong, failing.TreeOptions{}); err != nil {
		return nil, err
	}
	if f.Tree, err = failing.ErrorTree(often, in.wrong, failing.TreeOptions{}); err != nil {
		return nil, err
	}
	for _, k := range []int{10, 20, 50, 100} {
		if _, ok := j.Rankers[0].PAt[strconv.Itoa(k)]; ok {
			f.Ks = append(f.Ks, k)
		}
	}
	for _, one := range j.Features[:min(mostChoices, len(j.Features))] {
		f.Choices = append(f.Choices, one.Name)
	}
	if len(f.Choices) > 1 {
		if f.Heat, err = failing.NewHeatMap(often, in.wrong, f.Choices[1], f.Choices[0]); err != nil {
			return nil, err
		}
	}
	all := &failing.Result{Rows: len(in.wrong), Cohorts: f.Cohorts}
	all.Count(in.wrong)
	f.Sentence = all.Sentence()
	for _, missing := range j.Absent {
		f.Notes = append(f.Notes, fmt.Sprintf("no ranking by %s: %s", missing.Name, missing.Why))
	}
	labelled.Features = often
	w, err := failing.NewWorklist(ctx, labelled, failing.Columns{}, forest.Options{}, work.Workers)
	if err != nil {
		return nil, err
	}
	if err = f.list(w, in, x, texts, work.Workers); err != nil {
		return nil, err
	}
	f.Study = t.Keep(studied{often, in.wrong})
	return f, nil
}

// leastRows is how many rows must have a feature, as in "sotto errors".
const leastRows = 5

// list fills in the texts whose answers are likely wrong: of those without a label if
// there are any, and else of all, by the trees that have not seen them.
func (f *foundErrors) list(w *failing.Worklist, in *judged, x *failing.Features, texts []feature.Text, workers int) error {
	rows, order := in.known, w.Seen()
	f.About = "Every text has a label: the list is what those trees say that have not seen the text, so that you see how good it is. Rows without a label would be ranked instead."
	if len(in.fresh) > 0 {
		rows = in.fresh
		var err error
		if order, err = w.Rank(in.part(in.fresh, x), workers); err != nil {
			return err
		}
		f.About = fmt.Sprintf("%d texts have no label. Those whose answer is most likely wrong stand first.", len(in.fresh))
	}
	for _, k := range order[:min(mostLikely, len(order))] {
		i := rows[k.Row]
		l := likely{Row: i + 1, Chance: k.Chance, Answer: in.answers[i], Label: in.labels[i], Reasons: []reason{}}
		var why []failing.Reason
		for _, r := range w.Reasons(x, i) {
			if r.Adds > 0 && len(why) < mostReasons {
				why = append(why, r)
				words := r.Feature
				if r.Value == 0 {
					words = "no " + words
				}
				l.Reasons = append(l.Reasons, reason{words})
			}
		}
		l.Segments = feature.Mark(in.texts[i], texts[i], why)
		f.Likely = append(f.Likely, l)
	}
	return nil
}

// part is what is known of some rows.
func (in *judged) part(rows []int, x *failing.Features) *failing.Answers {
	a := &failing.Answers{Features: x.Pick(rows)}
	for _, i := range rows {
		a.Wrong = append(a.Wrong, in.labels[i] != "" && in.labels[i] != in.answers[i])
		if in.confidence != nil {
			a.Confidence = append(a.Confidence, in.confidence[i])
		}
	}
	return a
}

// readAnswered reads the columns that were chosen.
func readAnswered(ctx context.Context, a asked, path string) (in *judged, err error) {
	r, err := table.Open(path, table.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	names := []string{a.Text, a.Label, a.Predicted}
	for _, more := range []string{a.Confidence, a.Group} {
		if more != "" {
			names = append(names, more)
		}
	}
	if err = r.Select(names...); err != nil {
		return nil, err
	}
	in = &judged{}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return in, in.check()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if err = in.add(row, a); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(in.texts), err)
		}
	}
}

// add takes a row: text, label, prediction, and what else was chosen.
func (in *judged) add(row []table.Value, a asked) error {
	in.texts, in.labels, in.answers = append(in.texts, row[0].Text), append(in.labels, row[1].Text), append(in.answers, row[2].Text)
	at := len(in.texts) - 1
	if in.labels[at] == "" {
		in.fresh = append(in.fresh, at)
	} else {
		in.known = append(in.known, at)
		in.wrong = append(in.wrong, in.labels[at] != in.answers[at])
	}
	rest := row[3:]
	if a.Confidence != "" {
		p, err := strconv.ParseFloat(rest[0].Text, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return fmt.Errorf("the confidence in column %q is no number from 0 to 1", a.Confidence)
		}
		in.confidence, rest = append(in.confidence, p), rest[1:]
	}
	if a.Group != "" {
		in.group = append(in.group, rest[0].Text)
	}
	return nil
}

// check refuses labels and predictions that have nothing to do with each other.
func (in *judged) check() error {
	names := map[string]bool{}
	for _, i := range in.known {
		names[in.labels[i]] = true
	}
	for _, i := range in.known {
		if names[in.answers[i]] {
			return nil
		}
	}
	return &studio.Problem{Status: http.StatusUnprocessableEntity, Message: "labels and predictions have no value in common: is one of the columns another?"}
}
