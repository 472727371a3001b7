package cells_test

import (
	"bytes"
	"math"
	weakrand "math/rand/v2"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/promise/mech"
	"sotto/text/encode/cells"
)

// opinions returns rows of two topics that lie far apart and two opinions that hardly
// do, with the opinion of every other row.
func opinions(rows int) (x nn.Matrix, labels, truth []int) {
	rng := weakrand.New(weakrand.NewPCG(3, 4))
	x = nn.NewMatrix(rows, 6)
	for i := range rows {
		topic, opinion := rng.IntN(2), rng.IntN(2)
		row := x.Row(i)
		for j := range row {
			row[j] = float32(0.05 * rng.NormFloat64())
		}
		row[0] += float32(topic)
		row[1] += float32(rng.NormFloat64()) / 2 // which tells of nothing
		row[2] += 0.2 * float32(2*opinion-1)
		truth, labels = append(truth, opinion), append(labels, -1)
		if i%2 == 0 {
			labels[i] = opinion
		}
	}
	return x, labels, truth
}

// pure returns how many rows lie in a cell in which their opinion is the commoner one.
func pure(set *cells.Set, truth []int) float64 {
	counts, total, right := make([][2]int, len(set.Centres)), 0, 0
	for i, c := range set.Of {
		if c >= 0 {
			counts[c][truth[i]]++
			total++
		}
	}
	for _, n := range counts {
		right += max(n[0], n[1])
	}
	return float64(right) / float64(total)
}

// TestDirect: labels of some rows pull apart the cells of all, to the same cells as the
// mechanism finds, and the direction comes back from a file.
func TestDirect(t *testing.T) {
	x, labels, truth := opinions(2000)
	s := cells.Settings{Epsilon: 4, Count: 8, Least: 5, Workers: 1}
	plain, err := cells.Make(t.Context(), x, s)
	if err != nil {
		t.Fatal(err)
	}
	direction, agreeing, err := cells.Direct(x, labels, 2)
	if err != nil || agreeing < 0.99 {
		t.Fatalf("%v of labels lie on their side, error %v, want nearly all", agreeing, err)
	}
	s.Direction = direction
	set, err := cells.Make(t.Context(), x, s)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := pure(plain, truth), pure(set, truth); a > 0.9 || b < 0.99 {
		t.Errorf("%v of rows lie with their opinion, %v with the direction, want fewer than 0.9 and nearly all", a, b)
	}
	if c := set.Channel; c == nil || math.Abs(c.Distortion-set.Chosen.Distortion) > 0.05 || len(set.Centres[0]) != x.Cols {
		t.Errorf("the channel is %+v beside %+v, centres have %d numbers", c, set.Chosen, len(set.Centres[0]))
	}
	f := &cells.File{Head: cells.Head{Format: cells.Format, Encoder: "default", EncoderSHA256: "12", Dim: x.Cols, Texts: x.Rows}}
	f.Labelled = &cells.Labelled{Texts: 1000, Weight: 2, About: "bad, good", Agreeing: agreeing, Direction: direction}
	f.Add(set, nil, nil)
	var content bytes.Buffer
	if err = f.Write(&content); err != nil {
		t.Fatal(err)
	}
	damaged := strings.Replace(content.String(), `"direction":[`, `"direction":[7,`, 1)
	if _, err = cells.Read(strings.NewReader(damaged)); err == nil || !strings.Contains(err.Error(), "along 7 numbers") {
		t.Errorf("error = %v of a direction that is too long", err)
	}
	back, err := cells.Read(&content)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mech.NewCells(mech.Params{Dim: x.Cols, Epsilon: 4, Own: back.Own(0)})
	if err != nil {
		t.Fatal(err)
	}
	other, wide := 0, make([]float64, x.Cols)
	for i, c := range set.Of {
		for j, v := range x.Row(i) {
			wide[j] = float64(v)
		}
		if got, err := m.Cell(wide); err != nil || c >= 0 && got != c {
			other++
		}
	}
	if other > x.Rows/100 { // centres have four digits
		t.Errorf("the mechanism finds another cell for %d of %d rows", other, x.Rows)
	}
}

func TestDirectRefuses(t *testing.T) {
	x, labels, _ := opinions(50)
	for want, call := range map[string]func() error{
		"weight of labels is 0":   func() error { _, _, err := cells.Direct(x, labels, 0); return err },
		"weight of labels is NaN": func() error { _, _, err := cells.Direct(x, labels, math.NaN()); return err },
		"0 texts have the one":    func() error { _, _, err := cells.Direct(x, []int{1, 1, -1}, 1); return err },
		"direction has 2 numbers": func() error {
			_, err := cells.Make(t.Context(), x, cells.Settings{Epsilon: 1, Least: 1, Workers: 1, Direction: []float64{1, 2}})
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q in it", err, want)
		}
	}
}
