package decoy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/study/explain/decoy"
	"sotto/study/explain/linear"
)

// made is texts of which two thirds have a word that tells the class, and a third the word
// movie, which tells nothing.
func made(rows int) decoy.Data {
	rng := weakrand.New(weakrand.NewPCG(9, 9))
	part := func(n int) (p decoy.Part) {
		for range n {
			y := rng.IntN(2)
			words := make([]string, 5)
			for i := range words {
				words[i] = fmt.Sprintf("w%d", rng.IntN(60))
			}
			if rng.IntN(3) > 0 {
				words[0] = [][]string{{"bad", "dull", "weak"}, {"good", "fine", "bright"}}[y][rng.IntN(3)]
			}
			if rng.IntN(3) == 0 {
				words[2] = "movie"
			}
			p.Texts, p.Labels = append(p.Texts, strings.Join(words, " ")), append(p.Labels, y)
		}
		return p
	}
	return decoy.Data{Name: "made", Classes: []string{"negative", "positive"}, Train: part(rows), Test: part(rows / 2)}
}

func run(t *testing.T, d decoy.Data, o decoy.Options, specs ...string) *decoy.Result {
	t.Helper()
	ds, err := decoy.ParseAll(specs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := decoy.Run(t.Context(), d, ds, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// quick is a benchmark of few explanations.
func quick(workers int) decoy.Options {
	return decoy.Options{Explainers: decoy.Methods(100, true), Seeds: 2, Pool: 20, Instances: 10, Workers: workers}
}

func named(r *decoy.Result, name string) *decoy.Explained {
	i := slices.IndexFunc(r.Explainers, func(e decoy.Explained) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Explainers[i]
}

// TestRun: words that were planted are adopted and found, by all but chance, and what is
// found repairs the model.
func TestRun(t *testing.T) {
	data := made(300)
	for _, spec := range []string{"insert:zig=positive,zag=negative", "swap:movie=film:positive"} {
		t.Run(spec, func(t *testing.T) {
			r := run(t, data, quick(2), spec)
			if !r.Adopted || !(r.DecoySlice < r.CleanSlice-0.1) || r.Applicability == 0 || r.Productivity != 1 {
				t.Errorf("adopted %v, slice %.3f after %.3f, applicability %d, productivity %.3f; want an adopted decoy", r.Adopted, r.DecoySlice, r.CleanSlice, r.Applicability, r.Productivity)
			}
			best, chance := named(r, "shap"), named(r, "random")
			if best == nil || chance == nil || !(best.Top1 > chance.Top1) || !(best.FirstHit < chance.FirstHit) || !(best.Choose.Mean > chance.Choose.Mean) {
				t.Errorf("shap has %+v, chance %+v; want more hits and earlier ones", best, chance)
			}
			if !(best.Removed.Slice.Mean > 0.05) || !(best.Held.Slice.Mean > 0.05) {
				t.Errorf("repairs gain %.3f and %.3f on the slice, want both above 0.05", best.Removed.Slice.Mean, best.Held.Slice.Mean)
			}
			if last := r.Explainers[len(r.Explainers)-1].Name; last != "random" {
				t.Errorf("%s is ranked last, want random", last)
			}
		})
	}
}

// TestRunFlip: rows whose labels were flipped are found.
func TestRunFlip(t *testing.T) {
	r := run(t, made(300), quick(2), "flip:0.1")
	chance := named(r, "random-rows")
	for _, name := range []string{"loss", "influence", "neighbours"} {
		e := named(r, name)
		if e == nil || !(e.Find.Precision.Mean > 2*chance.Find.Precision.Mean) || !(e.Find.Relabel.Slice.Mean > 0) {
			t.Errorf("%s: %+v, want twice the precision of chance", name, e)
		}
	}
	if r.Applicability != 30 || named(r, "shap") != nil {
		t.Errorf("applicability is %d, want 30, and no explainer of words", r.Applicability)
	}
}

// TestWorkers: results do not depend on the number of workers, and the same seed gives the
// same result.
func TestWorkers(t *testing.T) {
	data := made(150)
	o := quick(1)
	one := run(t, data, o, "deletion:movie:negative", "flip:0.1")
	o.Workers = 3
	if three := run(t, data, o, "deletion:movie:negative", "flip:0.1"); !reflect.DeepEqual(encoded(t, one), encoded(t, three)) {
		t.Error("three workers give another result than one")
	}
}

func encoded(t *testing.T, r *decoy.Result) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRunRefuses(t *testing.T) {
	data := made(60)
	for spec, want := range map[string]string{
		"deletion:xyzzy:negative": "in no training row",
		"deletion:movie:neutral":  "must be one of negative, positive",
	} {
		ds, err := decoy.ParseAll([]string{spec})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decoy.Run(t.Context(), data, ds, decoy.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", spec, err, want)
		}
	}
	if _, err := decoy.Run(t.Context(), decoy.Data{Name: "x", Classes: []string{"a", "b"}}, nil, decoy.Options{}); err == nil {
		t.Error("no rows: no error")
	}
	if _, err := decoy.Run(t.Context(), data, nil, decoy.Options{Share: 2}); err == nil {
		t.Error("a share of 2: no error")
	}
}

// TestChooses holds the exact probability against all draws of two of four texts: the
// decoy model alone shows the cue in one, the clean model alone in another.
func TestChooses(t *testing.T) {
	// Of six draws one has both (a tie), two the first alone, two the second alone and
	// one neither (a tie): 2/6 + 2/6·½ = ½.
	if got := decoy.Chooses([]bool{true, false, false, false}, []bool{false, true, false, false}, 2); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("chooses = %v, want 0.5", got)
	}
	// One of four shows it: it is among two drawn half of the time.
	if got := decoy.Chooses([]bool{true, false, false, false}, make([]bool, 4), 2); math.Abs(got-0.75) > 1e-12 {
		t.Errorf("chooses = %v, want 0.75", got)
	}
	if got := decoy.Expected([]bool{true, false, true, false, false}, 1); got != 2 {
		t.Errorf("expected = %v, want 2: the first of two among five", got)
	}
	if got := decoy.Expected(make([]bool, 5), 1); got != 6 {
		t.Errorf("expected = %v, want 6 where there is no hit", got)
	}
	if got := decoy.SignTest(5, 5); math.Abs(got-1.0/32) > 1e-12 {
		t.Errorf("sign test = %v, want 1/32", got)
	}
}

// TestOrders: the pick takes first what covers most, and clusters are read in turn.
func TestOrders(t *testing.T) {
	words := [][]string{{"a"}, {"a", "b"}, {"c"}, {"a"}}
	weights := [][]float64{{1}, {1, 1}, {0.5}, {1}}
	if got, want := decoy.SPPickOrder(words, weights), []int{1, 2, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("SP pick reads %v, want %v", got, want)
	}
	got := decoy.ClusterOrder([][]string{{"a"}, {"a"}, {"a"}, {"b"}, {"b"}, {"a"}, {"a"}, {"a"}}, [][]float64{{1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}}, 1)
	if want := []int{0, 3, 1, 4, 2, 5, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("clusters are read in the order %v, want %v", got, want)
	}
}

// TestGolden holds the published setting against decoy_movie_bow_logreg of another
// implementation: logistic regression over words and pairs that are apart by white space,
// C = 1. We take punctuation off the ends of words, which turns two test rows.
func TestGolden(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("fits two models to 6,920 rows; set SOTTO_LONG=1")
	}
	testenv.Set(t, "sst2")
	set, err := dataset.Load("sst2", dataset.Options{Dir: os.Getenv("SOTTO_DATA")})
	if err != nil {
		t.Fatal(err)
	}
	d := decoy.Data{Name: "sst2", Classes: set.Label.Classes}
	for i, p := range set.Split {
		switch p {
		case dataset.Train:
			d.Train.Texts, d.Train.Labels = append(d.Train.Texts, set.Text[i]), append(d.Train.Labels, set.Label.IDs[i])
		case dataset.Test:
			d.Test.Texts, d.Test.Labels = append(d.Test.Texts, set.Text[i]), append(d.Test.Labels, set.Label.IDs[i])
		default:
		}
	}
	r := run(t, d, decoy.Options{}, "deletion:movie:negative")
	near := func(name string, got, want, rows float64) {
		if math.Abs(got-want) > 3.5/rows {
			t.Errorf("%s is %.4f, want %.4f up to three rows", name, got, want)
		}
	}
	near("clean", r.Clean, 0.8056, 1821)
	near("decoy", r.Decoy, 0.7639, 1821)
	near("clean slice", float64(r.CleanSlice), 0.8209, 201)
	near("decoy slice", float64(r.DecoySlice), 0.4229, 201)
	near("negatives of the slice", float64(r.Plantings[0].DecoyAgainst), 0.0866, 127)
	if c := r.Plantings[0].Cues[0]; r.Applicability != 331 || math.Abs(r.Coverage-0.0512) > 5e-5 || r.Productivity != 1 || *c.WeightRank != 1 || math.Abs(float64(c.Weight)-3.38) > 0.05 {
		t.Errorf("applicability %d, coverage %.4f, productivity %v, weight %v of rank %d; want 331, 0.0512, 1, 3.38 and 1", r.Applicability, r.Coverage, r.Productivity, c.Weight, *c.WeightRank)
	}
}

// TestEach: models with features of their own, each from its own rows, are those that
// share features, because what a model has not seen has no weight.
func TestEach(t *testing.T) {
	data := made(200)
	shared := run(t, data, decoy.Options{}, "deletion:movie:negative")
	own := run(t, data, decoy.Options{Each: true, Features: func(_ context.Context, rows decoy.Part) (linear.Features, error) {
		return linear.Learn(rows.Texts), nil
	}}, "deletion:movie:negative")
	if shared.Clean != own.Clean || shared.Decoy != own.Decoy || shared.DecoySlice != own.DecoySlice {
		t.Errorf("with features of their own: %v, %v, %v; shared: %v, %v, %v", own.Clean, own.Decoy, own.DecoySlice, shared.Clean, shared.Decoy, shared.DecoySlice)
	}
}
