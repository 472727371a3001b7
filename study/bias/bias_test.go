package bias_test

import (
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/study/bias"
)

func table(tb testing.TB, dim int, words string, rows ...float64) *bias.Table {
	tb.Helper()
	t, err := bias.NewTable(dim, strings.Fields(words), rows)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestTable(t *testing.T) {
	x := table(t, 2, "Frau frau mann", 1, 2, 3, 4, 5, 6)
	if x.Dim() != 2 || x.Len() != 3 || x.Word(2) != "mann" || !slices.Equal(x.Row(1), []float64{3, 4}) {
		t.Errorf("table has %d words of %d, %s, %v", x.Len(), x.Dim(), x.Word(2), x.Row(1))
	}
	for word, want := range map[string]int{"Frau": 0, "frau": 1, "FRAU": 1, "Mann": 2} {
		if got, ok := x.Index(word); !ok || got != want {
			t.Errorf("Index(%s) = %d, %t, want %d", word, got, ok, want)
		}
	}
	if _, ok := x.Find("kind"); ok {
		t.Error("Find(kind) found something")
	}
}

func TestTableRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		dim   int
		words []string
		rows  []float64
	}{
		{"no width", 0, nil, nil},
		{"too few numbers", 2, []string{"a", "b"}, []float64{1, 2, 3}},
		{"a word twice", 1, []string{"a", "a"}, []float64{1, 2}},
		{"NaN", 1, []string{"a"}, []float64{math.NaN()}},
		{"infinite", 1, []string{"a"}, []float64{math.Inf(-1)}},
	} {
		if _, err := bias.NewTable(tt.dim, tt.words, tt.rows); err == nil {
			t.Errorf("%s: NewTable succeeded, want an error", tt.name)
		}
	}
}

func TestUnit(t *testing.T) {
	x := table(t, 2, "a b c", 3, 4, 0, 0, 1e300, 1e300)
	u := x.Unit()
	r := math.Sqrt(0.5)
	for i, want := range [][]float64{{0.6, 0.8}, {0, 0}, {r, r}} {
		for j, v := range u.Row(i) {
			if math.Abs(v-want[j]) > 1e-15 {
				t.Errorf("Unit row %d is %v, want %v", i, u.Row(i), want)
			}
		}
	}
	if x.Row(0)[0] != 3 {
		t.Error("Unit changed the table")
	}
}

func TestOnly(t *testing.T) {
	x := table(t, 2, "a b c", 1, 2, 3, 4, 5, 6)
	o := x.Only([]int{2, 0, 2})
	if o.Len() != 2 || o.Dim() != 2 || o.Word(0) != "a" || o.Word(1) != "c" || !slices.Equal(o.Row(1), []float64{5, 6}) {
		t.Errorf("Only has %d words, want a and c with their vectors", o.Len())
	}
	if i, ok := o.Index("c"); !ok || i != 1 {
		t.Errorf("c stands at %d, %t, want 1", i, ok)
	}
	if _, ok := o.Find("b"); ok {
		t.Error("b is there, want it gone")
	}
	if x.Len() != 3 || x.Only(nil).Len() != 0 {
		t.Error("Only changed the table, or none is some")
	}
}

func TestSpellings(t *testing.T) {
	for word, want := range map[string][]string{
		"frau":     {"frau"},
		"New York": {"New York", "new york", "New_York", "New-York", "new_york", "new-york"},
		"ملكة":     {"ملكة", "ملکة"},
	} {
		if got := bias.Spellings(word); !slices.Equal(got, want) {
			t.Errorf("Spellings(%s) = %q, want %q", word, got, want)
		}
	}
}

func TestPrivatize(t *testing.T) {
	x := table(t, 3, "a b", 1, 2, 3, 4, 5, 6)
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 3, Epsilon: 8})
	if err != nil {
		t.Fatal(err)
	}
	key := []byte("0123456789abcdef")
	one, err := x.Privatize(m, key, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := x.Privatize(m, key, 1)
	other, _ := x.Privatize(m, key, 2)
	row, _ := one.Find("b")
	if same, _ := again.Find("b"); !slices.Equal(row, same) {
		t.Error("the same draw differs")
	}
	if another, _ := other.Find("b"); slices.Equal(row, another) {
		t.Error("another draw is the same")
	}
	if raw, _ := x.Find("b"); slices.Equal(row, raw) || !slices.Equal(raw, []float64{4, 5, 6}) {
		t.Error("the release is the vector, or the vector was changed")
	}
	wide, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 4, Epsilon: 8})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = x.Privatize(wide, key, 1); err == nil {
		t.Error("a mechanism of another width was taken")
	}
}

// TestPrivatizeDomain checks that a vector outside the domain is an error that
// says so.
func TestPrivatizeDomain(t *testing.T) {
	m, err := mech.New(mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 2}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = table(t, 1, "a", 7).Privatize(m, []byte("0123456789abcdef"), 0)
	if !errors.Is(err, dp.ErrDomain) {
		t.Errorf("error is %v, want one that wraps %v", err, dp.ErrDomain)
	}
}

func ExampleTable() {
	t, err := bias.NewTable(2, []string{"queen", "king"}, []float64{0, 1, 1, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	row, ok := t.Find("Queen")
	fmt.Println(row, ok)
	// Output: [0 1] true
}

// random returns n numbers.
func random(n int) []float64 {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}
