package ledger_test

import (
	"errors"
	"testing"

	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// Whoever changes sums in the database, or takes them away, gives nobody more: the
// next spend is refused, and so is everything after it, and the next start.
func TestPostgresSums(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	for _, harm := range []string{
		`DELETE FROM sotto_ledger_sums`,
		`UPDATE sotto_ledger_sums SET spent_epsilon = 0`,
		`UPDATE sotto_ledger_sums SET granted_epsilon = 1000000000`,
		`UPDATE sotto_ledger_sums SET subject = 'mallory'`,
	} {
		schema := s.Schema(t)
		url := s.URL(schema)
		l, err := ledger.OpenPostgres(t.Context(), url, ledger.Options{Budget: daily})
		if err != nil {
			t.Fatal(err)
		}
		other, err := ledger.OpenPostgres(t.Context(), url, ledger.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err = errors.Join(spendSoon(t, l, "one"), spendSoon(t, other, "two"), spendSoon(t, l, "three")); err != nil {
			t.Fatal(err)
		}
		if _, err = s.Connect(t, schema).Exec(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		for _, gateway := range []*ledger.Ledger{l, other} {
			if err = spendSoon(t, gateway, "four"); !errors.Is(err, ledger.ErrDamaged) || !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("%s: a spend: %v, want %v", harm, err, ledger.ErrDamaged)
			}
			if _, err = gateway.Spend(t.Context()); !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("%s: a spend of nothing: %v, want %v", harm, err, ledger.ErrUnavailable)
			}
			gateway.Close()
		}
		if _, err = ledger.OpenPostgres(t.Context(), url, ledger.Options{}); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: the next start: %v, want %v", harm, err, ledger.ErrDamaged)
		}
	}
}

// Whoever points the database at a budget or a secret that is no longer the last one gives
// nobody more.
func TestPostgresLatest(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	for _, harm := range []string{
		`UPDATE sotto_ledger_head SET budget = 1`,
		`UPDATE sotto_ledger_head SET secret = 2`,
	} {
		schema := s.Schema(t)
		url := s.URL(schema)
		large := daily
		large.Epsilon = 1000
		for _, o := range []ledger.Options{{Budget: large, SecretID: "first"}, {Budget: daily, SecretID: "second", Rotate: true}} {
			l, err := ledger.OpenPostgres(t.Context(), url, o)
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
		}
		l, err := ledger.OpenPostgres(t.Context(), url, ledger.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for i := range 10 {
			if err = spendSoon(t, l, string(rune('a'+i))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err = s.Connect(t, schema).Exec(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		if err = spendSoon(t, l, "more"); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: %v, want %v", harm, err, ledger.ErrDamaged)
		}
		if _, err = ledger.OpenPostgres(t.Context(), url, ledger.Options{}); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: the next start: %v, want %v", harm, err, ledger.ErrDamaged)
		}
	}
}
