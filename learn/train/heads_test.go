package train_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// second adds to planted data the group as a second label, with the given
// weight, and hides it in every tenth row if asked.
func second(d planted, weight float64, hidden bool) planted {
	y := slices.Clone(d.Z)
	if hidden {
		for i := 0; i < len(y); i += 10 {
			y[i] = train.Unknown
		}
	}
	d.More = []train.Target{{Y: y, Classes: 2, Weight: weight}}
	return d
}

// rightShare is the share of the labels of rows that a model tells rightly from
// one release of each, by the weights given.
func rightShare(t *testing.T, m *model.Model, d planted, rows []int, weights []float64, key uint64) float64 {
	t.Helper()
	p := nn.NewPool(1)
	y, err := m.Release(p, d.X, rows, model.SimulationKey(key))
	if err != nil {
		t.Fatal(err)
	}
	labels := [][]int{d.Y}
	for _, more := range d.More {
		labels = append(labels, more.Y)
	}
	share := 0.0
	for l, answers := range m.Predict(p, y, key) {
		for i, class := range answers {
			if class == labels[l][rows[i]] {
				share += weights[l] / float64(len(rows))
			}
		}
	}
	return share
}

// TestHeads compares the loss with its definition, and its gradient with finite
// differences, for three labels of which two are not known everywhere.
func TestHeads(t *testing.T) {
	const rows = 5
	d := train.Data{Classes: 2, More: []train.Target{{Classes: 3, Weight: 2}, {Classes: 2}}}
	weights, classes := []float64{0.25, 0.5, 0.25}, []int{2, 3, 2}
	none := train.Unknown
	labels := [][]int{{0, 1, 1, 0, 1}, {2, none, 0, 1, none}, {none, none, none, none, none}}
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	scores := nn.NewMatrix(rows, 7)
	for i := range scores.Data {
		scores.Data[i] = float32(rng.NormFloat64())
	}
	want := func() float64 {
		sum, column := 0.0, 0
		for l, c := range classes {
			for i, y := range labels[l] {
				if y == none {
					continue
				}
				total := 0.0
				for _, s := range scores.Row(i)[column : column+c] {
					total += math.Exp(float64(s))
				}
				sum += weights[l] / rows * (math.Log(total) - float64(scores.Row(i)[column+y]))
			}
			column += c
		}
		return sum
	}
	loss, gradient := train.HeadsLoss(d, scores, labels)
	if math.Abs(loss-want()) > 1e-6 {
		t.Errorf("loss is %v, want %v", loss, want())
	}
	// Central differences err by h²·f‴/6 < 1e-6 and by the rounding of scores.
	const h = 1. / 1024
	for k := range scores.Data {
		at := scores.Data[k]
		scores.Data[k] = at + h
		up := want()
		scores.Data[k] = at - h
		down := want()
		scores.Data[k] = at
		if got, want := float64(gradient.Data[k]), (up-down)/(2*h); math.Abs(got-want) > 1e-5 {
			t.Errorf("gradient for score %d is %v, want %v", k, got, want)
		}
	}
}

// TestSeveralLabels: one model without protection tells two labels, each planted
// as plainly as TestLearns has it, and with the same odds of failing by chance,
// also where one of them is often unknown.
func TestSeveralLabels(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		d := second(plant(2000, 2, 2, 1), 0, hidden)
		for name, method := range map[string]train.Method{
			"plain": train.TrustedSide{Training: settings(10)},
			"noise": train.Noise{Training: settings(10), Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 1000}},
		} {
			m := fit(t, method, d, 1)
			// In the rows that hide the label nothing can be right.
			d := second(plant(2000, 2, 2, 1), 0, false)
			for l, weights := range [][]float64{{1, 0}, {0, 1}} {
				if got := rightShare(t, m, d, d.test, weights, 3); !(got >= 0.97) {
					t.Errorf("%s, label %d, hidden %t: accuracy is %v, want at least 0.97", name, l+1, hidden, got)
				}
			}
			if got := m.Architecture().Labels(); !slices.Equal(got, []int{2, 2}) {
				t.Errorf("%s: classes are %v, want 2 and 2", name, got)
			}
		}
	}
}

func TestSeveralLabelsRefused(t *testing.T) {
	good := second(plant(40, 1, 1, 1), 0, false)
	for name, c := range map[string]struct {
		change func(*train.Target)
		want   string
	}{
		"rows":     {func(l *train.Target) { l.Y = l.Y[1:] }, "label 2: it has 39 rows"},
		"classes":  {func(l *train.Target) { l.Classes = 1 }, "label 2: it has 1 classes"},
		"negative": {func(l *train.Target) { l.Weight = -1 }, "label 2: its weight is -1"},
		"NaN":      {func(l *train.Target) { l.Weight = math.NaN() }, "label 2: its weight is NaN"},
		"range":    {func(l *train.Target) { l.Y = slices.Clone(l.Y); l.Y[3] = 2 }, "class of row 3"},
		"unknown":  {func(l *train.Target) { l.Y = slices.Clone(l.Y); l.Y[3] = -2 }, "class of row 3"},
	} {
		d := good
		d.More = slices.Clone(good.More)
		c.change(&d.More[0])
		for _, method := range []train.Method{train.TrustedSide{Training: settings(1)}, train.Auto{Training: settings(1), Epsilon: 1}} {
			if _, err := train.Fit(t.Context(), method, d.Data, train.Options{Seed: 1}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %T = %v, want an error with %q", name, method, err, c.want)
			}
		}
	}
	_, err := train.Fit(t.Context(), train.Label{Training: settings(1), Release: mech.Params{Epsilon: 1}}, good.Data, train.Options{Seed: 1})
	if err == nil || !strings.Contains(err.Error(), "several labels") {
		t.Errorf("Label of two labels: %v, want a refusal", err)
	}
}

// TestTemperature scales scores whose probabilities are exactly those of the
// labels: of k+1 rows with odds of k to 1, one is of the unlikely class. So the
// factor is what the search must find, to within its last interval,
// ln(100)·0.618³⁰ = 2.5e-6, and the rounding of float32.
func TestTemperature(t *testing.T) {
	for _, factor := range []float64{0.2, 0.5, 1, 3, 8} {
		var rows [][]float32
		var labels []int
		for _, odds := range []int{3, 7, 20} {
			for i := range odds + 1 {
				z := float32(math.Log(float64(odds)) * factor)
				rows = append(rows, []float32{z + 1, 1})
				labels = append(labels, i/odds)
			}
		}
		rows, labels = append(rows, []float32{99, -99}), append(labels, train.Unknown)
		scores := nn.NewMatrix(len(rows), 2)
		for i, row := range rows {
			copy(scores.Row(i), row)
		}
		if got := channel.Temperature(scores, labels); math.Abs(got/factor-1) > 1e-4 {
			t.Errorf("temperature is %v, want %v", got, factor)
		}
	}
	one := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{1, 0}}
	if got := channel.Temperature(one, []int{train.Unknown}); got != 1 {
		t.Errorf("temperature without labels is %v, want 1", got)
	}
	for label, want := range []float64{0.1, 10} { // the ends of the search
		if got := channel.Temperature(one, []int{label}); math.Abs(got/want-1) > 1e-4 {
			t.Errorf("temperature of scores that are always right (%d) is %v, want %v", label, got, want)
		}
	}
}
