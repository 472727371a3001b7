package link_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
	link "sotto/study/link/command"
)

// tabStudio makes a studio with the tab of this study.
func tabStudio(t *testing.T) *studiotest.Bench {
	t.Helper()
	return studiotest.Start(t, studio.Config{Tabs: append(studio.Tabs(), link.Study().Tabs...), Workers: 1})
}

// looked is a division as the page sees it.
type looked struct {
	Review    string
	Clusters  int
	Optimal   bool
	Columns   []string
	Decisions []struct{ I, J int }
	Weak      []struct {
		Nodes   []struct{ Name string }
		Weakest *struct {
			I, J    int
			Same    *float64
			Reasons []struct {
				Name   string
				Weight float64
			}
		}
	}
	Misses []struct{ Total float64 }
}

// linked starts a division and follows it to its end.
func linked(b *studiotest.Bench, question string) (v looked) {
	b.Helper()
	j := b.Follow("/api/link/start", question)
	if err := json.Unmarshal(j.Result, &v); j.State != "done" || err != nil {
		b.Fatalf("the division ends %s: %s %v", j.State, j.Error, err)
	}
	return v
}

// TestLinkGraph divides the graph of the paper, decides, and exports.
func TestLinkGraph(t *testing.T) {
	b := tabStudio(t)
	source := b.Drop("pairs.csv", "i,j,weight\n7,12,-0.456\n7,20,-0.999\n12,20,-0.085\n7,25,0.076\n12,25,0.156\n20,25,0.253\n").Source
	v := linked(b, fmt.Sprintf(`{"source": %q}`, source))
	if v.Clusters != 2 || !v.Optimal || len(v.Weak) != 1 || v.Weak[0].Weakest.I != 1 || v.Weak[0].Weakest.J != 2 || !(v.Misses[0].Total > .484 && v.Misses[0].Total < .486) {
		t.Fatalf("the division is %+v", v)
	}
	body := func(more string) string { return fmt.Sprintf(`{"review": %q, %s}`, v.Review, more) }
	var next looked
	b.Ask("POST", "/api/link/decide", body(`"decisions": [{"i": 1, "j": 2, "say": "same"}]`), http.StatusOK, &next)
	b.Ask("POST", "/api/link/named", body(`"first": "20", "second": "25", "say": "same"`), http.StatusOK, &next)
	if next.Clusters != 1 || len(next.Decisions) != 2 {
		t.Errorf("after two decisions it is %+v", next)
	}
	b.Refused("POST", "/api/link/named", body(`"first": "12", "second": "25", "say": "apart"`), http.StatusUnprocessableEntity, "contradicts")
	b.Refused("POST", "/api/link/named", body(`"first": "12", "second": "13", "say": "apart"`), http.StatusBadRequest, "two different rows")
	b.Refused("POST", "/api/link/show", `{"review": "x"}`, http.StatusNotFound, "not known any more")
	b.Refused("POST", "/api/link/show", body(`"page": {"clusters": -1}`), http.StatusBadRequest, "less than nothing")
	b.Refused("POST", "/api/link/export", body(`"what": "secrets"`), http.StatusBadRequest, "clusters or decisions")
	var file struct{ Name, Text string }
	b.Ask("POST", "/api/link/export", body(`"what": "decisions"`), http.StatusOK, &file)
	if file.Name != "decisions.csv" || file.Text != "i,j,decision\n12,20,same\n20,25,same\n" {
		t.Errorf("the decisions are %q in %s", file.Text, file.Name)
	}
	b.Ask("POST", "/api/link/export", body(`"what": "clusters"`), http.StatusOK, &file)
	if !strings.HasPrefix(file.Text, "node,cluster\n7,0\n12,0\n") {
		t.Errorf("the clusters are %q", file.Text)
	}
	var c struct{ Commands [][]string }
	b.Ask("POST", "/api/link/command", fmt.Sprintf(`{"source": %q, "unknown": "neutral", "decisions": 2}`, source), http.StatusOK, &c)
	if got := strings.Join(c.Commands[0], " "); got != "link graph --edges pairs.csv --unknown neutral --decisions decisions.csv --out clusters.csv" {
		t.Errorf("the command is %q", got)
	}
}

// TestLinkRecords divides rows by a column that says who some are, and says why.
func TestLinkRecords(t *testing.T) {
	b := tabStudio(t)
	var rows strings.Builder
	rows.WriteString("who,name,street\n")
	for k := range 40 {
		fmt.Fprintf(&rows, "%d,anna%d quill,%d elm lane\n%d,A. quill%d,%d elm lane\n", k, k%7, k, k, k%3, k)
	}
	source := b.Drop("people.csv", rows.String()).Source
	v := linked(b, fmt.Sprintf(`{"source": %q, "columns": ["name", "street"], "truth": "who"}`, source))
	if v.Clusters != 40 || len(v.Weak) != 20 || len(v.Columns) != 2 || v.Weak[0].Weakest.Same == nil || len(v.Weak[0].Weakest.Reasons) < 2 {
		t.Errorf("the division is %+v", v)
	}
	refusedJob(b, fmt.Sprintf(`{"source": %q, "columns": ["name", "who"], "truth": "who"}`, source), "it would be the answer")
	refusedJob(b, fmt.Sprintf(`{"source": %q, "columns": ["nobody"]}`, source), "nobody")
	refusedJob(b, fmt.Sprintf(`{"source": %q}`, source), "must be i, j and weight")
	refusedJob(b, fmt.Sprintf(`{"source": %q, "unknown": "maybe"}`, source), "forbidden or neutral")
}

// refusedJob starts a division that must fail.
func refusedJob(b *studiotest.Bench, question, words string) {
	b.Helper()
	if j := b.Follow("/api/link/start", question); j.State != "failed" || !strings.Contains(j.Error, words) {
		b.Errorf("%s ends %s with %q, want %q", question, j.State, j.Error, words)
	}
}
