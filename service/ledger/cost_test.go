package ledger_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/ledger"
)

func TestCostOf(t *testing.T) {
	for _, tt := range []struct {
		epsilon dp.Epsilon
		delta   float64
		want    ledger.Cost
	}{
		{0, 0, ledger.Cost{}},
		{1, 0, ledger.Cost{Epsilon: 1e9}},
		{0.1, 1e-6, ledger.Cost{Epsilon: 1e8, Delta: 1e9}},
		{0.7, 1e-15, ledger.Cost{Epsilon: 7e8, Delta: 1}},
		{1.1, 1e-30, ledger.Cost{Epsilon: 11e8, Delta: 1}},
		{dp.RoundUp(8), 0, ledger.Cost{Epsilon: 8e9}},
		{1e-12, 0, ledger.Cost{Epsilon: 1}},
		{1 + 1e-10, 0, ledger.Cost{Epsilon: 1e9 + 1}},
		{123456.123456789, 0, ledger.Cost{Epsilon: 123456123456789}},
	} {
		if got, err := ledger.CostOf(dp.Guarantee{Unit: dp.Text, Epsilon: tt.epsilon, Delta: tt.delta}); err != nil || got != tt.want {
			t.Errorf("CostOf(%v, %v) = %+v, %v; want %+v", float64(tt.epsilon), tt.delta, got, err, tt.want)
		}
	}
	for _, bad := range []dp.Guarantee{
		{Epsilon: 1},
		{Unit: dp.Text, Epsilon: dp.Infinite},
		{Unit: dp.Text, Epsilon: 1e300},
		{Unit: dp.Text, Epsilon: -1},
		{Unit: dp.Text, Epsilon: dp.Epsilon(math.NaN())},
		{Unit: dp.Text, Epsilon: 1, Delta: 1},
		{Unit: dp.Text, Epsilon: 1, Delta: math.NaN()},
	} {
		if got, err := ledger.CostOf(bad); err == nil {
			t.Errorf("CostOf(%+v) = %v, want an error", bad, got)
		}
	}
}

func TestBudgetValidate(t *testing.T) {
	for _, bad := range []ledger.Budget{
		{},
		{Unit: "paragraph", Epsilon: 1},
		{Unit: dp.Text},
		{Unit: dp.Text, Epsilon: -1},
		{Unit: dp.Text, Epsilon: 1e-10},
		{Unit: dp.Text, Epsilon: math.NaN()},
		{Unit: dp.Text, Epsilon: math.Inf(1)},
		{Unit: dp.Text, Epsilon: 1, Delta: 1},
		{Unit: dp.Text, Epsilon: 1, Delta: math.NaN()},
		{Unit: dp.Text, Epsilon: 1, Window: -time.Hour},
		{Unit: dp.Text, Epsilon: 1, Window: time.Millisecond},
		{Unit: dp.Text, Epsilon: 1, Window: math.MaxInt64},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid, want an error", bad)
		}
	}
	for _, good := range []ledger.Budget{{Unit: dp.Text, Epsilon: 1e-9}, {Unit: dp.Metric, Epsilon: 1e9, Delta: 0.5, Window: time.Second}} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
}

func TestOverBudget(t *testing.T) {
	err := &ledger.OverBudget{Asked: ledger.Cost{Epsilon: 2e9}, Left: ledger.Cost{Epsilon: 5e8, Delta: 1e9}}
	if want := "ledger: over budget: asked for ε = 2, left is ε = 0.5, δ = 1e-06, it does not renew"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if !errors.Is(err, dp.ErrBudget) {
		t.Errorf("%v does not wrap %v", err, dp.ErrBudget)
	}
}
