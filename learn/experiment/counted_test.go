package experiment_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/mech"
)

// answers has one or two labels of two classes, with rows of which some are told rightly.
func answers(t *testing.T, labels int) experiment.CountedAnswers {
	t.Helper()
	st, err := mech.Describe(mech.Params{Mechanism: "laplace-l1", Epsilon: 2, Dim: 4}, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mech.New(st.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	c := experiment.CountedAnswers{Dir: "m", Method: "cells", Seed: 7, Epoch: 3, Statement: st, Guarantee: m.Guarantee()}
	for l := range labels {
		c.Labels = append(c.Labels, model.LabelRecord{Name: string(rune('a' + l)), Classes: []string{"no", "yes"}})
		one := measure.NewConfusion(2)
		one.Add([]int{0, 0, 0, 1, -1}, []int{0, 0, l, 1, 0})
		c.Counts = append(c.Counts, one)
	}
	return c
}

// An evaluation of counts has the accuracy, the interval and the limit of the rows that
// were counted, and can be read back.
func TestEvaluation(t *testing.T) {
	e, err := answers(t, 1).Evaluation()
	if err != nil {
		t.Fatal(err)
	}
	if e.Before != nil {
		t.Error("something is said of releases without noise, which nobody counted")
	}
	low, high := measure.ClopperPearson(4, 4, 0.95)
	s := e.Seeds[0]
	limit := measure.AccuracyLimit(*s.True, []float64{0.75, 0.25})
	if s.Accuracy != 1 || float64(s.Low) != low || float64(s.High) != high || s.Limit != limit || e.Rows.Test != 4 || s.Recalls[1].Class != "yes" {
		t.Errorf("the score is %+v of %d rows", s, e.Rows.Test)
	}
	content, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var again experiment.Evaluation
	if err = json.Unmarshal(content, &again); err != nil || again.Mean.Accuracy != 1 {
		t.Errorf("read back: %v", err)
	}
	two := answers(t, 2)
	two.Before = []*measure.Confusion{two.Counts[0], two.Counts[0]}
	if e, err = two.Evaluation(); err != nil {
		t.Fatal(err)
	}
	if e.Before.Accuracy != 1 || e.Before.Claimed != nil || e.Before.True != nil {
		t.Errorf("before the noise there is %+v", e.Before)
	}
	if m := e.Mean; len(m.Labels) != 2 || math.Abs(float64(m.Accuracy)-0.875) > 1e-12 || m.Labels[0].Majority != 0.75 {
		t.Errorf("the mean over two labels is %+v", m)
	}
}

// Nothing is said of no rows.
func TestNoRows(t *testing.T) {
	c := answers(t, 1)
	c.Counts[0] = measure.NewConfusion(2)
	if _, err := c.Evaluation(); err == nil || !strings.Contains(err.Error(), "no row has a class of the label a") {
		t.Errorf("got %v, want that there is no row", err)
	}
	if _, err := (experiment.CountedAnswers{}).Evaluation(); err == nil {
		t.Error("no label was enough")
	}
}
