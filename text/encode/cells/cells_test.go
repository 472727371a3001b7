package cells_test

import (
	"context"
	"errors"
	"math"
	weakrand "math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/text/encode/cells"
)

// clouds returns rows around that many corners, in turn.
func clouds(rows, dim, corners int, width float64) nn.Matrix {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	x := nn.NewMatrix(rows, dim)
	for i := range rows {
		row := x.Row(i)
		for j := range row {
			row[j] = float32(width * rng.NormFloat64())
		}
		row[i%corners%dim]++
	}
	return x
}

func settings() cells.Settings { return cells.Settings{Epsilon: 6, Least: 5, Workers: 2} }

// TestMake: clouds are found, each cell has a text near its centre, and the distortion
// is what the formula of randomised response says of clouds that are points.
func TestMake(t *testing.T) {
	const corners, width = 7, 0.01
	x := clouds(700, corners, corners, width)
	s := settings()
	s.Count = 4 * corners // no centre is missing where the first ones are many
	s.Least = 1
	set, err := cells.Make(t.Context(), x, s)
	if err != nil {
		t.Fatal(err)
	}
	seen, total := map[int]bool{}, 0
	for c, centre := range set.Centres {
		corner := set.Example[c] % corners
		seen[corner] = true
		total += set.Texts[c]
		if !(centre[corner] > 0.9) || set.Example[c]%10 == 9 {
			t.Errorf("cell %d has centre %v and example %d, want that corner, and a text that was not held out", c, centre, set.Example[c])
		}
	}
	if len(seen) != corners || total != 630 {
		t.Errorf("%d clouds were found with %d texts, want 7 with 630", len(seen), total)
	}
	n := float64(len(set.Centres))
	if want := 1 / (1 + (n-1)*math.Exp(-6)); math.Abs(set.Chosen.Kept-want) > 1e-12 || set.Chosen.Cells != len(set.Centres) {
		t.Errorf("the right cell is kept with %v, want %v", set.Chosen.Kept, want)
	}
	if !(set.Chosen.Distortion > 0 && set.Chosen.Distortion < 0.3) {
		t.Errorf("distortion is %v, want little", set.Chosen.Distortion)
	}
}

// TestMakePoints: two equally common points a and b at ε. A receiver who got one of
// them takes p·a + (1−p)·b; what is left of the variance is 1 − (2p−1)², up to the
// float32 of points that are exact in it, and of shares that are exact, too.
func TestMakePoints(t *testing.T) {
	x := nn.NewMatrix(4000, 1)
	for i := range x.Rows {
		x.Data[i] = float32(i / 10 % 2)
	}
	for _, epsilon := range []float64{0.1, 1, 3} {
		s := cells.Settings{Epsilon: epsilon, Count: 2, Least: 100, Workers: 1}
		set, err := cells.Make(t.Context(), x, s)
		if err != nil {
			t.Fatal(err)
		}
		p := 1 / (1 + math.Exp(-epsilon))
		if want := 1 - (2*p-1)*(2*p-1); math.Abs(set.Chosen.Distortion-want) > 1e-9 {
			t.Errorf("ε = %v: distortion is %v, want %v", epsilon, set.Chosen.Distortion, want)
		}
	}
}

// TestMakeChooses: of the numbers tried the least is taken that tells 97 % of what the
// best does, whatever the number of workers.
func TestMakeChooses(t *testing.T) {
	x := clouds(3000, 12, 12, 0.2)
	s := settings()
	s.Epsilon = 3
	set, err := cells.Make(t.Context(), x, s)
	if err != nil {
		t.Fatal(err)
	}
	told := 0.0
	for _, trial := range set.Tried {
		told = max(told, 1-trial.Distortion)
	}
	for _, trial := range set.Tried {
		if !trial.Whitened && trial.Cells < set.Chosen.Cells && 1-trial.Distortion >= 0.97*told {
			t.Errorf("%d cells were made, though %d tell nearly as much", set.Chosen.Cells, trial.Cells)
		}
	}
	if c := set.Channel; len(set.Tried) < 5 || c == nil || !(c.Bound <= c.Distortion && c.Bound > 0) {
		t.Errorf("after %+v the channel is %+v, want five trials and a bound below it", set.Tried, c)
	}
	s.Workers = 5
	if again, err := cells.Make(t.Context(), x, s); err != nil || !reflect.DeepEqual(again, set) {
		t.Errorf("five workers make other cells than two; error %v", err)
	}
}

// TestMakeLeast: every cell has as many texts as were asked for.
func TestMakeLeast(t *testing.T) {
	s := settings()
	s.Count, s.Least = 20, 40
	set, err := cells.Make(t.Context(), clouds(1000, 3, 3, 0.5), s)
	if err != nil {
		t.Fatal(err)
	}
	for c, n := range set.Texts {
		if n < s.Least {
			t.Errorf("cell %d has %d texts, want at least %d", c, n, s.Least)
		}
	}
	if len(set.Centres) >= 20 || len(set.Centres) < 2 {
		t.Errorf("%d cells are left, want fewer than 20 where some had too few texts", len(set.Centres))
	}
}

func TestMakeRefuses(t *testing.T) {
	x := clouds(100, 3, 3, 0.1)
	for want, change := range map[string]func(*cells.Settings, *nn.Matrix){
		"epsilon is NaN":        func(s *cells.Settings, _ *nn.Matrix) { s.Epsilon = math.NaN() },
		"epsilon is 0":          func(s *cells.Settings, _ *nn.Matrix) { s.Epsilon = 0 },
		"number of cells is 1":  func(s *cells.Settings, _ *nn.Matrix) { s.Count = 1 },
		"texts a cell are 0":    func(s *cells.Settings, _ *nn.Matrix) { s.Least = 0 },
		"workers are 0":         func(s *cells.Settings, _ *nn.Matrix) { s.Workers = 0 },
		"there are 9 texts":     func(_ *cells.Settings, x *nn.Matrix) { *x = clouds(9, 3, 3, 0.1) },
		"there are 100 texts":   func(s *cells.Settings, _ *nn.Matrix) { s.Least = 46 },
		"on average, must have": func(s *cells.Settings, _ *nn.Matrix) { s.Count = 19 },
		"the same vector":       func(_ *cells.Settings, x *nn.Matrix) { *x = nn.NewMatrix(100, 3) },
	} {
		s, rows := settings(), x
		change(&s, &rows)
		if _, err := cells.Make(t.Context(), rows, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q in it", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cells.Make(ctx, x, settings()); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v after cancelling, want that", err)
	}
}
