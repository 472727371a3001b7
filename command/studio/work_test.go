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
	"sotto/command/studio/studiotest"
	"sotto/data/dataset"
)

// trained is what a test looks at of a training.
type trained struct {
	Run, Guarantee, Coverage, Kept string
	Person                         string
	Accuracy, Limit, Nonprivate    float64
	Commonest, Epsilon             float64
}

// bench is a studio under test.
type bench struct{ *studiotest.Bench }

// start makes a studio, and enters it.
func start(t *testing.T, c studio.Config) *bench {
	t.Helper()
	return &bench{studiotest.Start(t, c)}
}

// TestWalk goes from the sample to the report.
func TestWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model")
	}
	out := t.TempDir()
	b := start(t, studio.Config{Out: out})
	choice := b.Sample()
	for _, want := range []string{`"text":"message"`, `"label":"topic"`, `"attribute":"age"`} {
		if !strings.Contains(choice, want) {
			t.Errorf("proposed is %s, want %s", choice, want)
		}
	}
	choice, most := b.Few(choice, 160)
	j := b.Finish(b.Train(choice))
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
	b.Ask("POST", "/api/try/release", `{"run": "`+run+`", "text": "The sofa never arrived."}`, http.StatusOK, &r)
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
	b.Refused("POST", "/api/try/release", `{"run": "`+run+`", "text": "  "}`, http.StatusBadRequest, "Type a text first")
	b.Refused("POST", "/api/try/release", `{"run": "`+run+`", "text": "`+strings.Repeat("a ", 10_001)+`"}`, http.StatusRequestEntityTooLarge, "at most 20000")
	lines := strings.Split(dataset.SampleMessages(), "\n")[1:161]
	refused := 0
	for _, line := range lines { // messages are in quotes
		asked, err := json.Marshal(map[string]string{"run": run, "text": strings.Split(line, `"`)[1]})
		if err != nil {
			b.Fatal(err)
		}
		if w := b.Send("POST", "/api/try/release", string(asked)); w.Code == http.StatusUnprocessableEntity && strings.Contains(w.Body.String(), "trained on this text") {
			refused++
		}
	}
	if refused < 100 || refused == len(lines) {
		b.Errorf("%d of %d texts are refused since the model was trained on them, want most and not those that it was tested on", refused, len(lines))
	}
	b.Refused("POST", "/api/try/release", `{"run": "none", "text": "a"}`, http.StatusNotFound, "train again")
}

// report opens the report, which needs no header, and holds no path.
func (b *bench) report(run string) {
	b.Helper()
	var got struct{ Address string }
	b.Ask("POST", "/api/report/open", `{"run": "`+run+`"}`, http.StatusOK, &got)
	session := b.Session
	defer func() { b.Session = session }()
	b.Session = ""
	w := b.Send("GET", got.Address, "", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "iframe", "Sec-Fetch-Mode", "navigate")
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

// zip downloads the model, without what came into its folder after it was trained.
func (b *bench) zip(run string) {
	b.Helper()
	r, err := b.Studio.Run(run)
	if err != nil {
		b.Fatal(err)
	}
	for _, dir := range []string{r.Model() + ".student", filepath.Join(r.Model(), "below"), r.Model()} {
		if err = os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		if err = os.WriteFile(filepath.Join(dir, "words-of-texts"), []byte("sofa"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	var got struct{ Address string }
	b.Ask("POST", "/api/train/zip", `{"run": "`+run+`"}`, http.StatusOK, &got)
	w := b.Send("GET", got.Address, "")
	z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil {
		b.Fatalf("the download is no zip file: %v", err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(name, "student") || strings.Contains(name, "below") || strings.Contains(name, "words")
	}) {
		b.Errorf("the download holds %v, want nothing that came later, which may know words of texts", names)
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
	choice := b.Sample()
	under := func(id string) {
		t.Helper()
		for j := (studiotest.Job{Version: -1}); j.Share == 0; {
			b.Ask("GET", fmt.Sprintf("/api/jobs/%s?after=%d", id, j.Version), "", http.StatusOK, &j)
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
	id := b.Train(choice)
	under(id)
	var j studiotest.Job
	b.Ask("DELETE", "/api/jobs/"+id, "", http.StatusAccepted, &j)
	if j = b.Finish(id); j.State != "stopped" || j.Result != nil {
		t.Errorf("the training is %+v, want it stopped", j)
	}
	empty("after a stop")
	under(b.Train(choice))
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	empty("after the end")
}

func TestTrainRefusals(t *testing.T) {
	b := start(t, studio.Config{})
	choice := b.Sample()
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
			b.Refused("POST", "/api/train/start", body, tt.status, tt.want)
			b.Refused("POST", "/api/train/command", body, tt.status, tt.want)
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
		if j := b.Finish(b.Train(string(body))); j.State != "failed" || !strings.Contains(j.Error, "nowhere") || strings.Contains(j.Error, b.PrivateDir()) {
			t.Errorf("with an unknown %s the training is %+v", column, j)
		}
	}
}

func TestCommands(t *testing.T) {
	b := start(t, studio.Config{})
	var u studiotest.Understood
	body := "my text;stars;who\n" + strings.Repeat("very good it is;5;a\nrather bad it was;1;b\n", 20)
	b.Ask("POST", "/api/data/upload?name=it%27s%20mine.csv", body, http.StatusOK, &u)
	if u.Rows != 40 || u.Name != "it's mine.csv" || len(u.Columns) != 3 || len(u.Examples) != 5 || !slices.Equal(u.Commands[0], []string{"data", "inspect", "it's mine.csv"}) {
		t.Errorf("the file is understood as %+v", u)
	}
	choice := fmt.Sprintf(`{"source": %q, "text": "my text", "label": "stars", "attribute": "who"}`, u.Source)
	var got struct{ Command []string }
	b.Ask("POST", "/api/train/command", `{"choice": `+choice+`, "epsilon": 2.5, "seeds": 3}`, http.StatusOK, &got)
	want := []string{"train", "--in", "it's mine.csv", "--text", "my text", "--label", "stars", "--attribute", "who", "--method", "auto", "--epsilon", "2.5", "--seeds", "3"}
	if !slices.Equal(got.Command, want) {
		t.Errorf("the command is %q, want %q", got.Command, want)
	}
}
