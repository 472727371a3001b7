package dataset_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/promise/dp/dptest"
)

// within returns how far the share of n independent successes may lie from its
// expectation: by Hoeffding it lies farther with probability below 1e-5.
func within(n int) float64 { return math.Sqrt(math.Log(2/1e-5) / (2 * float64(n))) }

func TestBestAttackClosedForm(t *testing.T) {
	// Without correlation, five of five phrases decide by majority:
	// P(Bin(5, .7) ≥ 3) = .7⁵ + 5·.7⁴·.3 + 10·.7³·.3² = 0.83692, and of three
	// .9³ + 3·.9²·.1 = 0.972.
	var r dataset.Reviews
	if got := r.BestAttack(); math.Abs(got-0.83692) > 1e-12 {
		t.Errorf("BestAttack() = %v, want 0.83692", got)
	}
	if got := r.BestLabel(); math.Abs(got-0.972) > 1e-12 {
		t.Errorf("BestLabel() = %v, want 0.972", got)
	}
	for _, tt := range []struct {
		r    dataset.Reviews
		want float64
	}{
		{dataset.Reviews{Habit: 0.5}, 0.5},                             // nothing to find
		{dataset.Reviews{Habit: 1}, 1},                                 // everything
		{dataset.Reviews{Habit: 0.5, Clarity: 1, Agreement: 0.8}, 0.8}, // through the sentiment
		{dataset.Reviews{Habit: 0.5, Clarity: 0.5, Agreement: 0.8}, 0.5},
	} {
		if got := tt.r.BestAttack(); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%+v: BestAttack() = %v, want %v", tt.r, got, tt.want)
		}
	}
	if got := (dataset.Reviews{Habit: math.NaN()}).BestAttack(); !math.IsNaN(got) {
		t.Errorf("BestAttack of NaN = %v, want NaN", got)
	}
}

// TestBestAttack lets the ideal attacker guess authors. Its accuracy is
// a mean of as many independent trials, so that it lies within the tolerance of
// the stated number but once in 1e5 runs; the seed is fixed besides.
func TestBestAttack(t *testing.T) {
	rows := dptest.Count(t, 20_000, 50_000)
	for _, r := range []dataset.Reviews{
		{Rows: rows, Seed: 1},
		{Rows: rows, Seed: 2, Agreement: 0.8},
		{Rows: rows, Seed: 3, Habit: 0.55, Clarity: 0.8, Agreement: 0.9},
	} {
		t.Run(fmt.Sprintf("%+v", r), func(t *testing.T) {
			t.Parallel()
			s, err := r.Generate()
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for i, text := range s.Text {
				guess := r.Guess(text)
				if guess == dataset.Unknown {
					t.Fatalf("Guess knows nothing of %q", text)
				}
				if guess == s.Attributes[0].IDs[i] {
					right++
				}
			}
			got, want := float64(right)/float64(rows), r.BestAttack()
			if math.Abs(got-want) > within(rows) {
				t.Errorf("the ideal attacker is right in %v, want %v ± %v", got, want, within(rows))
			}
		})
	}
}

// TestLearntAttack trains an attacker that knows nothing of the generator, naive
// Bayes over words, on 60 % of 100,000 texts. Without correlation its assumption
// holds, so it must come near the stated number, and may not beat it by more
// than chance; 0.01 is allowed for what it loses to training.
func TestLearntAttack(t *testing.T) {
	r := dataset.Reviews{Rows: 100_000, Seed: 4}
	s, err := r.Generate()
	if err != nil {
		t.Fatal(err)
	}
	words := func(text string) []string { return strings.Fields(strings.ToLower(text)) }
	count := [2]map[string]float64{{}, {}}
	for _, i := range s.Indices(dataset.Train) {
		for _, w := range words(s.Text[i]) {
			count[s.Attributes[0].IDs[i]][w]++
		}
	}
	right, rows := 0, s.Indices(dataset.Test)
	for _, i := range rows {
		score := 0.0
		for _, w := range words(s.Text[i]) {
			score += math.Log((count[1][w] + 1) / (count[0][w] + 1))
		}
		if (score > 0) == (s.Attributes[0].IDs[i] == 1) {
			right++
		}
	}
	got, best := float64(right)/float64(len(rows)), r.BestAttack()
	if tolerance := within(len(rows)); got > best+tolerance || got < best-tolerance-0.01 {
		t.Errorf("a learnt attacker is right in %v, want at most %v ± %v and near it", got, best, tolerance)
	}
}

func TestReviews(t *testing.T) {
	a, err := dataset.Load("reviews", dataset.Options{Rows: 1000, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	b, err := dataset.Reviews{Rows: 1000, Seed: 7}.Generate()
	if err != nil || a.Hash() != b.Hash() || !reflect.DeepEqual(a.Text, b.Text) {
		t.Errorf("the same seed gives two corpora (%v)", err)
	}
	if c, errC := (dataset.Reviews{Rows: 1000, Seed: 8}).Generate(); errC != nil || c.Hash() == b.Hash() {
		t.Errorf("another seed gives the same corpus (%v)", errC)
	}
	if got := []int{len(a.Indices(dataset.Train)), len(a.Indices(dataset.Validation)), len(a.Indices(dataset.Test))}; !reflect.DeepEqual(got, []int{600, 200, 200}) {
		t.Errorf("parts = %d, want 600, 200, 200", got)
	}
	// Pinned: results name this hash, so the corpus must never change.
	if got, want := a.Hash(), "8464725f555a2bcaedac97b1ca0074e73d64b6b2bb4931b12a2f202a5c467510"; got != want {
		t.Errorf("Hash() = %s, want %s", got, want)
	}
	// Twitter's cells, each a mean over 20,000 rows.
	s, err := dataset.Load("reviews", dataset.Options{Variant: "skewed", Rows: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	var cells [4]float64
	for i, y := range s.Label.IDs {
		cells[2*y+s.Attributes[0].IDs[i]] += 1. / 20_000
	}
	for k, want := range []float64{.4, .1, .1, .4} {
		if tolerance := math.Sqrt(math.Log(2*4/1e-5) / (2 * 20_000)); math.Abs(cells[k]-want) > tolerance {
			t.Errorf("cell %d has %v of the rows, want %v ± %v", k, cells[k], want, tolerance)
		}
	}
	for _, r := range []dataset.Reviews{{Rows: -1}, {Habit: 0.4}, {Clarity: 1.1}, {Agreement: math.NaN()}, {Rows: 20_000_000}} {
		if _, err := r.Generate(); err == nil || r.Validate() == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
	if got := (dataset.Reviews{}).Guess("not a review"); got != dataset.Unknown {
		t.Errorf("Guess of another text = %d, want Unknown", got)
	}
}

func ExampleReviews() {
	r := dataset.Reviews{Rows: 2, Seed: 1}
	s, err := r.Generate()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, text := range s.Text {
		fmt.Println(s.Label.Classes[s.Label.IDs[i]], "by a", s.Attributes[0].Classes[s.Attributes[0].IDs[i]], "author:", text)
	}
	fmt.Printf("best attack %.5f, best label %.3f\n", r.BestAttack(), r.BestLabel())
	// Output:
	// positive by a casual author: So, my pals enjoy this gizmo, and the one from last spring has a rather lovely screen. It is a nuisance, peace!
	// negative by a formal author: Briefly, about this thing from last week: the cable is remarkably awful. I hear that my relatives regret theirs. Mine is a failure, respectfully!
	// best attack 0.83692, best label 0.972
}

func ExampleLoad() {
	s, err := dataset.Load("reviews", dataset.Options{Variant: "skewed", Rows: 1000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	train := s.Indices(dataset.Train)
	author, err := s.Attribute("author")
	fmt.Println(len(train), s.Label.Counts(train), author.Counts(train), err)
	// Output: 600 [332 268] [326 274] <nil>
}

func ExampleFind() {
	info, err := dataset.Find("adult", "")
	fmt.Println(info.Rows, info.Label, info.Attributes, info.Variants, err)
	// Output: 45222 income [sex race age] [published released] <nil>
}
