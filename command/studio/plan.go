package studio

import (
	"context"
	_ "embed" // of the tab
	"net/http"

	"sotto/learn/experiment"
	"sotto/learn/plan"
	"sotto/service/httpserve"
)

var (
	//go:embed assets/plan.html
	planHTML string
	//go:embed assets/plan.js
	planScript string
)

// planTab shows what can be expected at every ε.
func planTab() Tab {
	return Tab{Name: "plan", Title: "Plan", HTML: planHTML, Script: planScript, Routes: map[string]func(*Studio, http.ResponseWriter, *http.Request) error{
		"POST start":   (*Studio).startPlan,
		"POST command": (*Studio).planCommand,
		"POST target":  (*Studio).planTarget,
	}}
}

// planned is a plan as the page gets it.
type planned struct {
	Plan string `json:"plan"` // its name, for questions
	*plan.Result
}

// startPlan handles "POST start".
func (s *Studio) startPlan(w http.ResponseWriter, r *http.Request) error {
	var c Choice
	if err := Read(w, r, &c); err != nil {
		return err
	}
	spec, err := s.Spec(c)
	if err != nil {
		return err
	}
	return s.Begin(w, "plan", func(ctx context.Context, tell Tell) (any, error) { return s.plan(ctx, spec, tell) })
}

// plan makes a plan and keeps it for questions.
func (s *Studio) plan(ctx context.Context, spec experiment.Spec, tell Tell) (any, error) {
	p, err := plan.New(ctx, spec, plan.Options{Workers: s.Workers, Sets: &s.sets, Progress: func(e plan.Event) { tell(e.Done, Sentence(e.Step)) }})
	if err != nil {
		return nil, err
	}
	result, err := p.Answer(ctx, plan.Ask{})
	if err != nil {
		return nil, err
	}
	return planned{s.plans.Keep(p), result}, nil
}

// planTarget handles "POST target": the least ε that reaches an accuracy.
func (s *Studio) planTarget(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Plan   string  `json:"plan"`
		Target float64 `json:"target"`
	}
	if err := Read(w, r, &q); err != nil {
		return err
	}
	p, known := s.plans.Find(q.Plan)
	if !known {
		return &Problem{http.StatusNotFound, "this plan is not known any more: plan again"}
	}
	if !(q.Target > 0 && q.Target <= 1) {
		return &Problem{http.StatusBadRequest, "the accuracy must be above 0 % and at most 100 %"}
	}
	result, err := p.Answer(r.Context(), plan.Ask{Target: q.Target})
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]any{"epsilon": result.Epsilon, "reached": result.Reached, "reason": Sentence(result.Reason), "choice": Sentence(result.Choice)})
}

// planCommand handles "POST command": the command that does the same.
func (s *Studio) planCommand(w http.ResponseWriter, r *http.Request) error {
	var c Choice
	if err := Read(w, r, &c); err != nil {
		return err
	}
	spec, err := s.Spec(c)
	if err != nil {
		return err
	}
	flags, err := s.Flags(c, spec)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string][]string{"command": append([]string{"plan"}, flags...)})
}
