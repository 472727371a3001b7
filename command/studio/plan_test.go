package studio_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sotto/command/studio"
	"sotto/promise/dp/dptest"
)

// TestPlan plans for the sample, and asks for an accuracy.
func TestPlan(t *testing.T) {
	if !dptest.Long() {
		t.Skip("trains a model, as TestWalk does: SOTTO_LONG=1 runs it")
	}
	b := start(t, studio.Config{})
	choice := b.Sample()
	var got struct{ Job string }
	b.Ask("POST", "/api/plan/start", choice, http.StatusAccepted, &got)
	j := b.Finish(got.Job)
	var p struct {
		Plan                 string
		Nonprivate, Majority float64
		Data                 struct{ Label, Attribute string }
		Curve                []struct {
			Epsilon, Accuracy, Limit float64
			LeakageLimit             float64 `json:"leakage_limit"`
			Better                   bool    `json:"better_than_majority"`
		}
	}
	if err := json.Unmarshal(j.Result, &p); err != nil {
		t.Fatalf("the plan ended with %+v: %v", j, err)
	}
	if len(p.Curve) < 10 || p.Data.Label != "topic" || p.Data.Attribute != "age" || p.Nonprivate <= p.Majority {
		t.Errorf("the plan is %+v", p)
	}
	for _, at := range p.Curve {
		if at.Accuracy > at.Limit || at.LeakageLimit <= 0.5 || at.LeakageLimit > 1 {
			t.Errorf("a point is %+v", at)
		}
	}
	if strings.Contains(string(j.Result), "sotto-studio") {
		t.Error("the plan holds the path of the private folder")
	}

	var found struct {
		Epsilon *float64
		Reason  string
	}
	if b.Ask("POST", "/api/plan/target", `{"plan": "`+p.Plan+`", "target": 0.8}`, http.StatusOK, &found); found.Epsilon == nil || !(*found.Epsilon > 0.25 && *found.Epsilon < 16) {
		t.Errorf("80 %% needs %v (%s)", found.Epsilon, found.Reason)
	}
	if b.Ask("POST", "/api/plan/target", `{"plan": "`+p.Plan+`", "target": 1}`, http.StatusOK, &found); found.Epsilon != nil || found.Reason == "" {
		t.Errorf("100 %% needs %v (%s), want that it cannot be", found.Epsilon, found.Reason)
	}
	b.Refused("POST", "/api/plan/target", `{"plan": "`+p.Plan+`", "target": 0}`, http.StatusBadRequest, "above 0 %")
	b.Refused("POST", "/api/plan/target", `{"plan": "none", "target": 0.8}`, http.StatusNotFound, "plan again")
	b.Refused("POST", "/api/plan/start", `{"source": "none"}`, http.StatusNotFound, "drop it again")

	var shown struct{ Command []string }
	b.Ask("POST", "/api/plan/command", choice, http.StatusOK, &shown)
	if !slices.Equal(shown.Command[:3], []string{"plan", "--in", "messages.csv"}) {
		t.Errorf("the command is %q", shown.Command)
	}
}
