package studio_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command/studio"
	"sotto/data/sample"
	"sotto/study/influence"
)

// understood is what a test looks at of a file.
type understood struct {
	Source   string
	Name     string
	Rows     int
	Columns  []struct{ Name, Kind string }
	Examples [][]string
	Choice   map[string]string
	Commands [][]string
}

// trained is what a test looks at of a training.
type trained struct {
	Run, Guarantee, Coverage, Kept string
	Person                         string
	Accuracy, Limit, Nonprivate    float64
	Commonest, Epsilon             float64
}

// sample takes the sample and returns the choice that is proposed, as JSON.
func (b *bench) sample() string {
	b.Helper()
	var u understood
	b.ask("POST", "/api/data/sample", "", http.StatusOK, &u)
	choice, err := json.Marshal(u.Choice)
	if err != nil {
		b.Fatal(err)
	}
	return string(choice)
}

// few uploads the first so many rows of the sample, on which all is done in a fraction
// of the time. It returns the choice with them in its place, and how many are of the
// person who has the most.
func (b *bench) few(choice string, rows int) (string, int) {
	b.Helper()
	lines := strings.SplitAfter(sample.Messages(), "\n")[:rows+1]
	counts, most := map[string]int{}, 0
	for _, line := range lines[1:] {
		person := strings.Split(line, ",")[1]
		counts[person]++
		most = max(most, counts[person])
	}
	var all, u understood
	b.ask("POST", "/api/data/upload?name=few.csv", strings.Join(lines, ""), http.StatusOK, &u)
	if err := json.Unmarshal([]byte(`{"choice": `+choice+`}`), &all); err != nil || u.Rows != rows {
		b.Fatalf("%d rows were uploaded, want %d: %v", u.Rows, rows, err)
	}
	all.Choice["source"] = u.Source
	content, err := json.Marshal(all.Choice)
	if err != nil {
		b.Fatal(err)
	}
	return string(content), most
}

// train begins a training and returns the name of its job.
func (b *bench) train(choice string) string {
	b.Helper()
	var got struct{ Job string }
	b.ask("POST", "/api/train/start", `{"choice": `+choice+`, "epsilon": 4, "seeds": 1}`, http.StatusAccepted, &got)
	return got.Job
}

// TestWalk goes from the sample to the report.
func TestWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	out := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // in which no student lies
	b := start(t, studio.Config{Out: out})
	choice := b.sample()
	for _, want := range []string{`"text":"message"`, `"label":"topic"`, `"attribute":"age"`} {
		if !strings.Contains(choice, want) {
			t.Errorf("proposed is %s, want %s", choice, want)
		}
	}
	choice, most := b.few(choice, 160)
	j := b.finish(b.train(choice))
	var got trained
	if err := json.Unmarshal(j.Result, &got); err != nil {
		t.Fatalf("the training ended with %+v: %v", j, err)
	}
	if got.Epsilon > 4 || !strings.Contains(got.Guarantee, "ε = 4") || got.Coverage == "" || got.Accuracy <= got.Commonest || got.Nonprivate == 0 || got.Limit == 0 {
		t.Errorf("the training gave %+v", got)
	}
	if !strings.Contains(got.Person, fmt.Sprintf("ε = %d", 4*most)) || !strings.Contains(got.Person, fmt.Sprintf("at most %d", most)) {
		t.Errorf("a person is promised %q, want the sum over %d rows", got.Person, most)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 1 || entries[0].Name() != "training-1" || got.Kept != "training-1" {
		t.Errorf("the folder of trainings holds %v (%v), and %q is said", entries, err, got.Kept)
	}
	b.try(got.Run)
	b.explain(got.Run)
	b.student(got.Run)
	b.report(got.Run)
	b.zip(got.Run)
}

// try releases a text, and holds the chances of codes against the promise.
func (b *bench) try(run string) {
	b.Helper()
	var r struct {
		Epsilon float64
		Bound   bool
		Classes []string
		Codes   []struct {
			Index               int
			Chance, Least, Most float64
		}
		Draws []struct {
			Code *int
			Says string
		}
		Reads []float64
	}
	b.ask("POST", "/api/try/release", `{"run": "`+run+`", "text": "The sofa never arrived."}`, http.StatusOK, &r)
	sum := 0.0
	for _, p := range r.Reads {
		sum += p
	}
	if math.Abs(sum-1) > 1e-5 || len(r.Reads) != len(r.Classes) || len(r.Draws) != 8 || !r.Bound {
		b.Errorf("a release is read as %v of %v, with %d draws", r.Reads, r.Classes, len(r.Draws))
	}
	for _, d := range r.Draws {
		if !slices.Contains(r.Classes, d.Says) {
			b.Errorf("a release is read as %q, want one of %v", d.Says, r.Classes)
		}
	}
	for _, c := range r.Codes {
		const rounding = 1e-5 // chances are of single precision
		if !(c.Chance >= c.Least*(1-rounding) && c.Chance <= c.Most*(1+rounding)) || c.Most > c.Least*math.Exp(4)*(1+1e-9) {
			b.Errorf("code %d has the chance %v, want one from %v to %v", c.Index, c.Chance, c.Least, c.Most)
		}
	}
	b.refused("POST", "/api/try/release", `{"run": "`+run+`", "text": "  "}`, http.StatusBadRequest, "Type a text first")
	b.refused("POST", "/api/try/release", `{"run": "`+run+`", "text": "`+strings.Repeat("a ", 10_001)+`"}`, http.StatusRequestEntityTooLarge, "at most 20000")
	lines := strings.Split(sample.Messages(), "\n")[1:161]
	refused := 0
	for _, line := range lines { // messages are in quotes
		asked, err := json.Marshal(map[string]string{"run": run, "text": strings.Split(line, `"`)[1]})
		if err != nil {
			b.Fatal(err)
		}
		if w := b.send("POST", "/api/try/release", string(asked)); w.Code == http.StatusUnprocessableEntity && strings.Contains(w.Body.String(), "trained on this text") {
			refused++
		}
	}
	if refused < 100 || refused == len(lines) {
		b.Errorf("%d of %d texts are refused since the model was trained on them, want most and not those that it was tested on", refused, len(lines))
	}
	b.refused("POST", "/api/try/release", `{"run": "none", "text": "a"}`, http.StatusNotFound, "train again")
}

// explain explains a text in every way, and replaces one of its words.
func (b *bench) explain(run string) {
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
		b.ask("POST", "/api/explain/words", `{"run": "`+run+`", "text": "`+text+`", "method": "`+method+`", "view": "before"}`, http.StatusOK, &got)
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
	b.ask("POST", "/api/explain/swaps", fmt.Sprintf(`{"run": %q, "text": %q, "view": "before", "method": "shap", "start": %d, "end": %d}`, run, text, strongest.Start, strongest.End), http.StatusOK, &got)
	for _, s := range got.Swaps {
		if s.Prediction == got.Answer || s.Word == strongest.Text || s.Probability > 0.5 {
			b.Errorf("in place of %q, %+v does not change the answer %q", strongest.Text, s, got.Answer)
		}
	}
	if got.Asked < 1000 || got.Flips < len(got.Swaps) {
		b.Errorf("%d words were tried and %d change the answer", got.Asked, got.Flips)
	}
	b.refused("POST", "/api/explain/words", `{"run": "`+run+`", "text": "?", "method": "shap"}`, http.StatusBadRequest, "at least one word")
	b.refused("POST", "/api/explain/words", `{"run": "`+run+`", "text": "a", "method": "magic"}`, http.StatusBadRequest, "load the page anew")
	b.refused("POST", "/api/explain/swaps", `{"run": "`+run+`", "text": "a", "start": 0, "end": 7}`, http.StatusBadRequest, "not in the text")
}

// report opens the report, which needs no header, and holds no path.
func (b *bench) report(run string) {
	b.Helper()
	var got struct{ Address string }
	b.ask("POST", "/api/report/open", `{"run": "`+run+`"}`, http.StatusOK, &got)
	session := b.session
	defer func() { b.session = session }()
	b.session = ""
	w := b.send("GET", got.Address, "", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "iframe", "Sec-Fetch-Mode", "navigate")
	page := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(page, "topic") || !strings.HasPrefix(page, "<!DOCTYPE html>") {
		b.Errorf("the report is answered with %d: %.200s", w.Code, page)
	}
	if strings.Contains(page, b.PrivateDir()) || strings.Contains(page, filepath.Base(b.PrivateDir())) || strings.Contains(page, b.Out) {
		b.Error("the report holds the path of a folder")
	}
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "sandbox") || strings.Contains(policy, "script-src") || !strings.Contains(policy, "default-src 'none'") {
		b.Errorf("the report has the policy %q", policy)
	}
}

// zip downloads the model.
func (b *bench) zip(run string) {
	b.Helper()
	var got struct{ Address string }
	b.ask("POST", "/api/train/zip", `{"run": "`+run+`"}`, http.StatusOK, &got)
	w := b.send("GET", got.Address, "")
	z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil {
		b.Fatalf("the download is no zip file: %v", err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, influence.Beside) }) {
		b.Errorf("the download holds %v, want nothing of a student, which knows words of texts", names)
	}
	for _, want := range []string{"results.json", "seed-1/manifest.json", "seed-1/weights.safetensors"} {
		if !slices.Contains(names, want) {
			b.Errorf("the download holds %v, want %s", names, want)
		}
	}
}

// TestStopTraining stops a training, and closes a studio during another: nothing
// of them is left.
func TestStopTraining(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	out := t.TempDir()
	b := start(t, studio.Config{Out: out})
	choice := b.sample()
	under := func(id string) {
		t.Helper()
		for j := (job{Version: -1}); j.Share == 0; {
			b.ask("GET", fmt.Sprintf("/api/jobs/%s?after=%d", id, j.Version), "", http.StatusOK, &j)
			if j.State == "done" || j.State == "failed" {
				t.Fatalf("the training is %s before it could be stopped: %s", j.State, j.Error)
			}
		}
	}
	empty := func(when string) {
		t.Helper()
		if entries, err := os.ReadDir(out); err != nil || len(entries) != 0 {
			t.Errorf("%s the folder holds %v (%v), want nothing", when, entries, err)
		}
	}
	id := b.train(choice)
	under(id)
	var j job
	b.ask("DELETE", "/api/jobs/"+id, "", http.StatusAccepted, &j)
	if j = b.finish(id); j.State != "stopped" || j.Result != nil {
		t.Errorf("the training is %+v, want it stopped", j)
	}
	empty("after a stop")
	under(b.train(choice))
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	empty("after the end")
}

func TestTrainRefusals(t *testing.T) {
	b := start(t, studio.Config{})
	choice := b.sample()
	for name, tt := range map[string]struct {
		choice  string
		epsilon string
		seeds   int
		status  int
		want    string
	}{
		"no file":     {`{"source": "none"}`, "4", 1, http.StatusNotFound, "drop it again"},
		"no seeds":    {choice, "4", 0, http.StatusBadRequest, "from 1 to 20"},
		"many seeds":  {choice, "4", 21, http.StatusBadRequest, "from 1 to 20"},
		"no ε":        {choice, "0", 1, http.StatusUnprocessableEntity, "psilon is 0"},
		"negative ε":  {choice, "-1", 1, http.StatusUnprocessableEntity, "psilon is -1"},
		"not a field": {`{"source": "x", "path": "/etc/passwd"}`, "4", 1, http.StatusBadRequest, "load the page anew"},
	} {
		t.Run(name, func(t *testing.T) {
			body := fmt.Sprintf(`{"choice": %s, "epsilon": %s, "seeds": %d}`, tt.choice, tt.epsilon, tt.seeds)
			b.T = t
			b.refused("POST", "/api/train/start", body, tt.status, tt.want)
			b.refused("POST", "/api/train/command", body, tt.status, tt.want)
		})
	}
	for _, column := range []string{"text", "label"} { // a column that is not there is found when the file is read
		var changed map[string]string
		if err := json.Unmarshal([]byte(choice), &changed); err != nil {
			t.Fatal(err)
		}
		changed[column] = "nowhere"
		body, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		if j := b.finish(b.train(string(body))); j.State != "failed" || !strings.Contains(j.Error, "nowhere") || strings.Contains(j.Error, b.PrivateDir()) {
			t.Errorf("with an unknown %s the training is %+v", column, j)
		}
	}
}

func TestCommands(t *testing.T) {
	b := start(t, studio.Config{})
	var u understood
	body := "my text;stars;who\n" + strings.Repeat("very good it is;5;a\nrather bad it was;1;b\n", 20)
	b.ask("POST", "/api/data/upload?name=it%27s%20mine.csv", body, http.StatusOK, &u)
	if u.Rows != 40 || u.Name != "it's mine.csv" || len(u.Columns) != 3 || len(u.Examples) != 5 || !slices.Equal(u.Commands[0], []string{"data", "inspect", "it's mine.csv"}) {
		t.Errorf("the file is understood as %+v", u)
	}
	choice := fmt.Sprintf(`{"source": %q, "text": "my text", "label": "stars", "attribute": "who"}`, u.Source)
	var got struct{ Command []string }
	b.ask("POST", "/api/train/command", `{"choice": `+choice+`, "epsilon": 2.5, "seeds": 3}`, http.StatusOK, &got)
	want := []string{"train", "--in", "it's mine.csv", "--text", "my text", "--label", "stars", "--attribute", "who", "--method", "auto", "--epsilon", "2.5", "--seeds", "3"}
	if !slices.Equal(got.Command, want) {
		t.Errorf("the command is %q, want %q", got.Command, want)
	}
}
