package channel_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// TestOpen holds the closed solution against the program for texts of which each
// answer is the truth of one: the labels are known, all combinations as likely.
func TestOpen(t *testing.T) {
	for _, classes := range [][]int{{2}, {5}, {2, 2}, {3, 2}, {2, 2, 2}} {
		for _, epsilon := range []float64{0.5, 1, 3, 6} {
			o, err := channel.NewOpen(classes, nil, dp.Epsilon(epsilon), 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			answers, err := channel.Answers(classes, 0)
			if err != nil || fmt.Sprint(o.Answers) != fmt.Sprint(answers) {
				t.Fatalf("%v: answers are %v, want all: %v", classes, o.Answers, err)
			}
			scores := channel.Scores(truths(classes, answers), classes, nil, answers)
			best := 0.0 // of any number of raised answers
			for j := 1; j < len(answers); j++ {
				best = max(best, equal(t, scores, nn.Indices(len(answers)), j, epsilon))
			}
			if s := solve(t, scores, epsilon); !(s.Value <= best+1e-6 && best <= s.Bound) {
				t.Errorf("%v at ε = %v: the best equal weights have %v, want what Solve finds, %v to %v", classes, epsilon, best, s.Value, s.Bound)
			}
			if len(classes) == 1 && epsilon >= 3 && o.Selected != 1 {
				t.Errorf("%v at ε = %v: %d are selected, want randomised response", classes, epsilon, o.Selected)
			}
			for v, answer := range o.Answers {
				column := 0
				for l, c := range classes {
					of := o.Table.Row(v)[column : column+c]
					sum := 0.0
					for _, x := range of {
						sum += math.Exp(float64(x))
					}
					if math.Abs(sum-1) > 1e-6 || nn.Argmax(of) != answer[l] {
						t.Errorf("%v at ε = %v: code %v says %v of label %d, want its class and a sum of 1", classes, epsilon, answer, of, l)
					}
					column += c
				}
			}
		}
	}
}

// truths has the classes of a text for each answer, without doubt.
func truths(classes []int, answers [][]int) nn.Matrix {
	width := 0
	for _, c := range classes {
		width += c
	}
	out := nn.NewMatrix(len(answers), width)
	for i, answer := range answers {
		column := 0
		for l, c := range classes {
			out.Row(i)[column+answer[l]] = 1
			column += c
		}
	}
	return out
}

// TestOpenTable: of randomised response a code says its class with e^ε/(e^ε+K−1).
func TestOpenTable(t *testing.T) {
	for _, k := range []int{2, 7} {
		o, err := channel.NewOpen([]int{k}, nil, 2, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Exp(2) / (math.Exp(2) + float64(k-1))
		if got := math.Exp(float64(o.Table.Row(1)[1])); math.Abs(got-want) > 1e-6 {
			t.Errorf("of %d classes a code is right with %v, want %v", k, got, want)
		}
	}
}

// TestOpenDrawn: of too many combinations as many are drawn as there may be, the same
// for everybody, and each class of a label about as often.
func TestOpenDrawn(t *testing.T) {
	classes := slices.Repeat([]int{2}, 14)
	o, err := channel.NewOpen(classes, nil, 4, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	again, err := channel.NewOpen(classes, nil, 4, 0, 64)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(o) {
		t.Errorf("a second draw is another: %v", err)
	}
	if len(o.Answers) > 64 || len(o.Answers) < 60 || !slices.IsSortedFunc(o.Answers, slices.Compare) {
		t.Errorf("there are %d answers, want 64 but for those that are equal, in order", len(o.Answers))
	}
	for l := range classes {
		ones := 0
		for _, a := range o.Answers {
			ones += a[l]
		}
		if d := 2*ones - len(o.Answers); d < -4 || d > 4 {
			t.Errorf("label %d is 1 in %d of %d answers, want half", l, ones, len(o.Answers))
		}
		if table := o.Table.Row(0)[2*l : 2*l+2]; nn.Argmax(table) != o.Answers[0][l] {
			t.Errorf("code %v says %v of label %d", o.Answers[0], table, l)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		classes        []int
		epsilon        dp.Epsilon
		selected, most int
		want           string
	}{
		"no ε":            {[]int{2}, 0, 0, 0, "must be positive"},
		"NaN":             {[]int{2}, dp.Epsilon(math.NaN()), 0, 0, "must be positive"},
		"too many":        {[]int{9}, 1, 0, 8, "one for each class"},
		"one class":       {[]int{1, 2}, 1, 0, 0, "one for each class"},
		"all selected":    {[]int{2}, 1, 2, 0, "must be fewer"},
		"fewer than none": {[]int{2}, 1, -1, 0, "must be fewer"},
	} {
		if _, err := channel.NewOpen(c.classes, nil, c.epsilon, c.selected, c.most); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	if err := channel.Kind("private").Validate(); err == nil {
		t.Error("another kind is taken")
	}
}
