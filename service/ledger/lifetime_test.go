package ledger_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/ledger"
)

// testLifetime: windows renew, and the sum over all of them is kept, shown and,
// where there is a limit, refused beyond it, within one batch too.
func testLifetime(t *testing.T, open opener) {
	c := newClock()
	bounded := daily
	bounded.Lifetime = 25
	l := mustOpen(t, open, ledger.Options{Budget: bounded, Clock: c.now})
	spend := func(text string, epsilon float64) (ledger.Receipt, error) {
		receipts, err := l.Spend(t.Context(), request("alice", text, epsilon), request("al", text, 1))
		if err != nil {
			return ledger.Receipt{}, err
		}
		return receipts[0], nil
	}
	for day, want := range []float64{10, 20} {
		r, err := spend(fmt.Sprint("day ", day), 10)
		if err != nil || r.Balance.Lifetime.EpsilonValue() != want {
			t.Errorf("day %d: lifetime %v, %v, want %v", day, r.Balance.Lifetime, err, want)
		}
		c.add(24 * time.Hour)
	}
	var over *ledger.OverBudget
	if _, err := spend("third", 6); !errors.As(err, &over) || !over.Lifetime || over.Left.EpsilonValue() != 5 || !over.Renews.IsZero() || !errors.Is(err, dp.ErrBudget) {
		t.Errorf("beyond the lifetime: %v, want it refused with 5 left for ever", err)
	}
	if err := l.Grant(t.Context(), ledger.Grant{Subject: "alice", Epsilon: 100, Who: "root", Reason: "a grant is for a window"}); err != nil {
		t.Fatal(err)
	}
	if _, err := spend("third", 6); !errors.As(err, &over) || !over.Lifetime {
		t.Errorf("beyond the lifetime after a grant: %v, want it refused", err)
	}
	if _, err := l.Spend(t.Context(), request("alice", "x", 3), request("alice", "y", 3)); !errors.As(err, &over) {
		t.Errorf("two at once beyond the lifetime: %v, want both refused", err)
	}
	if _, err := spend("third", 5); err != nil {
		t.Errorf("what is left of the lifetime: %v", err)
	}
	if _, err := spend("third", 5); err != nil {
		t.Errorf("a repeat at the limit: %v, want it free", err)
	}
	b, err := l.Balance(t.Context(), "alice")
	if err != nil || b.Lifetime.EpsilonValue() != 25 || b.Spent.EpsilonValue() != 5 {
		t.Errorf("Balance = %+v, %v, want 5 of 25 in this window", b, err)
	}
	seen := map[string]float64{}
	if err := l.Balances(t.Context(), func(who string, b ledger.Balance) error {
		seen[who] = b.Lifetime.EpsilonValue()
		return nil
	}); err != nil || seen["alice"] != 25 || seen["al"] != 3 {
		t.Errorf("Balances = %v, %v, want 25 and 3", seen, err)
	}
	verify(t, l)
	l.Close()
	// Without the limit nothing is refused, and the sum goes on.
	free := mustOpen(t, open, ledger.Options{Budget: daily, Raise: true, Clock: c.now})
	if _, err := free.Spend(t.Context(), request("alice", "fourth", 1)); err != nil {
		t.Errorf("without the limit: %v", err)
	}
	if b, err := free.Balance(t.Context(), "alice"); err != nil || b.Lifetime.EpsilonValue() != 26 {
		t.Errorf("Balance = %+v, %v, want a lifetime of 26", b, err)
	}
	verify(t, free)
}

// testOptimal: a hundred releases of ε = 0.1 are together (4.78, 10⁻⁶)-DP, so that
// a budget of that allows them and no more, where their sum allows 47.
func testOptimal(t *testing.T, open opener) {
	budget := ledger.Budget{Unit: dp.Text, Epsilon: 4.78, Delta: 1e-6, Window: 24 * time.Hour, Each: 0.1}
	c := newClock()
	l := mustOpen(t, open, ledger.Options{Budget: budget, Clock: c.now})
	for i := range 100 {
		if _, err := l.Spend(t.Context(), request("alice", fmt.Sprint(i), 0.1)); err != nil {
			t.Fatalf("release %d: %v", i+1, err)
		}
	}
	b, err := l.Balance(t.Context(), "alice")
	if made, left, ok := b.Releases(); err != nil || made != 100 || left != 0 || !ok {
		t.Errorf("Releases = %d, %d, %v, want 100 made and none left", made, left, ok)
	}
	if g := b.Together(); g.Epsilon > 4.78 || g.Epsilon < 4.77 || g.Delta != 1e-6 {
		t.Errorf("Together = %v, want ε of about 4.775 at δ = 1e-6", g)
	}
	var over *ledger.OverBudget
	if _, err := l.Spend(t.Context(), request("alice", "one more", 0.1)); !errors.As(err, &over) {
		t.Errorf("release 101: %v, want it refused", err)
	}
	for _, other := range []float64{0.05, 0.2} {
		if _, err := l.Spend(t.Context(), request("bob", "other", other)); !errors.Is(err, ledger.ErrUnlike) {
			t.Errorf("a release of ε = %v: %v, want %v", other, err, ledger.ErrUnlike)
		}
	}
	verify(t, l)
	l.Close()
	budget.Each = 0.2
	if _, err := open(ledger.Options{Budget: budget, Clock: c.now}); err == nil {
		t.Error("the ε of every release was changed, want it refused")
	}
	for name, bad := range map[string]ledger.Budget{
		"no delta":      {Unit: dp.Text, Epsilon: 5, Each: 0.1},
		"metric":        {Unit: dp.Metric, Epsilon: 5, Delta: 1e-6, Each: 0.1},
		"does not fit":  {Unit: dp.Text, Epsilon: 5, Delta: 1e-6, Each: 6},
		"negative":      {Unit: dp.Text, Epsilon: 5, Delta: 1e-6, Each: -1},
		"lifetime of −": {Unit: dp.Text, Epsilon: 5, Lifetime: -1},
	} {
		if err := bad.Validate(); err == nil {
			t.Errorf("%s: Validate of %+v = nil, want an error", name, bad)
		}
	}
}
