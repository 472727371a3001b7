package weat_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sotto/study/bias"
	"sotto/study/bias/weat"
)

// everything is each measure and statistic.
func everything() weat.Options {
	return weat.Options{Measures: weat.Measures(), Statistics: weat.Statistics(), Samples: 1000}
}

// invent makes a test of random vectors, with sets of the given sizes, of which
// those of X lean towards A.
func invent(tb testing.TB, seed uint64, dim int, sizes ...int) (*bias.Table, weat.Test) {
	tb.Helper()
	rng := weakrand.New(weakrand.NewPCG(seed, 2))
	var words []string
	var rows []float64
	var sets [4][]string
	for k, size := range sizes {
		for i := range size {
			w := fmt.Sprintf("%c%d", "xyab"[k], i)
			words, sets[k] = append(words, w), append(sets[k], w)
			for j := range dim {
				v := rng.NormFloat64()
				if j == 0 {
					v += []float64{0.5, -0.5, 2, -2}[k]
				}
				rows = append(rows, v)
			}
		}
	}
	t, err := bias.NewTable(dim, words, rows)
	if err != nil {
		tb.Fatal(err)
	}
	return t, weat.Test{Name: "invented", X: sets[0], Y: sets[1], A: sets[2], B: sets[3]}
}

func mustRun(tb testing.TB, t *bias.Table, test weat.Test, o weat.Options) weat.Result {
	tb.Helper()
	r, err := weat.Run(tb.Context(), t, test, o)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// association is a word's mean cosine with A less that with B, written plainly.
func association(t *bias.Table, test weat.Test, word string) float64 {
	cosine := func(x, y []float64) float64 {
		xy, xx, yy := 0.0, 0.0, 0.0
		for i := range x {
			xy, xx, yy = xy+x[i]*y[i], xx+x[i]*x[i], yy+y[i]*y[i]
		}
		return xy / math.Sqrt(xx*yy)
	}
	w, _ := t.Find(word)
	s := 0.0
	for _, a := range test.A {
		v, _ := t.Find(a)
		s += cosine(w, v) / float64(len(test.A))
	}
	for _, b := range test.B {
		v, _ := t.Find(b)
		s -= cosine(w, v) / float64(len(test.B))
	}
	return s
}

// TestChanceAgainstBruteForce counts partitions by going through all subsets.
func TestChanceAgainstBruteForce(t *testing.T) {
	for _, sizes := range [][]int{{3, 3, 4, 4}, {4, 6, 3, 5}, {2, 7, 2, 2}, {5, 5, 3, 3}} {
		table, test := invent(t, 7, 5, sizes...)
		words := slices.Concat(test.X, test.Y)
		nx, n := len(test.X), len(words)
		var s []float64
		for _, w := range words {
			s = append(s, association(table, test, w))
		}
		difference := func(in func(i int) bool) float64 { // of means
			x, y := 0.0, 0.0
			for i, v := range s {
				if in(i) {
					x += v
				} else {
					y += v
				}
			}
			return x/float64(nx) - y/float64(n-nx)
		}
		found := difference(func(i int) bool { return i < nx })
		all, greater, farther := 0, 0, 0
		for subset := range 1 << n {
			in := func(i int) bool { return subset>>i&1 == 1 }
			size := 0
			for i := range n {
				size += subset >> i & 1
			}
			if size != nx {
				continue
			}
			all++
			if d := difference(in); d > found+1e-9 {
				greater++
			}
			if d := difference(in); math.Abs(d) > math.Abs(found)+1e-9 {
				farther++
			}
		}
		one, two := mustRun(t, table, test, weat.Options{}).Variants[0], mustRun(t, table, test, weat.Options{TwoSided: true}).Variants[0]
		if one.Partitions != all || one.Greater != greater || two.Greater != farther || one.Equal != 1 {
			t.Errorf("sizes %v: %d and %d of %d greater, %d equal; want %d and %d of %d, 1", sizes, one.Greater, two.Greater, one.Partitions, one.Equal, greater, farther, all)
		}
	}
}

// TestSampledChance compares sampling with enumeration, on 12 + 12 words, of
// which there are 2.7 million partitions.
func TestSampledChance(t *testing.T) {
	table, test := invent(t, 11, 4, 12, 12, 5, 5)
	const samples = 20_000
	exact := mustRun(t, table, test, weat.Options{Samples: 3_000_000}).Variants[0]
	drawn := mustRun(t, table, test, weat.Options{Samples: samples, Seed: 5}).Variants[0]
	if !exact.Exact || exact.Partitions != 2_704_156 || drawn.Exact || drawn.Partitions != samples {
		t.Fatalf("%d partitions, exact %t, and %d, exact %t", exact.Partitions, exact.Exact, drawn.Partitions, drawn.Exact)
	}
	// Hoeffding: P(|k/N − p| > e) ≤ 2·exp(−2Ne²) = 10⁻⁵ at e = √(ln(2·10⁵)/2N),
	// and it holds for samples without replacement; 2/N for the added one.
	e := math.Sqrt(math.Log(2e5)/(2*samples)) + 2.0/samples
	if math.Abs(exact.P-drawn.P) > e {
		t.Errorf("p is %v by samples and %v by enumeration, want a difference below %v", drawn.P, exact.P, e)
	}
	if again := mustRun(t, table, test, weat.Options{Samples: samples, Seed: 5}).Variants[0]; again != drawn {
		t.Errorf("the same seed gave %v and then %v", drawn, again)
	}
}

// TestInvariance turns all vectors, and scales them.
func TestInvariance(t *testing.T) {
	const dim = 6
	table, test := invent(t, 3, dim, 6, 5, 8, 8)
	rng := weakrand.New(weakrand.NewPCG(9, 9))
	random := mat.NewDense(dim, dim, nil)
	for i := range dim {
		for j := range dim {
			random.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(random)
	var turn mat.Dense
	qr.QTo(&turn)
	change := func(scale float64, by mat.Matrix) *bias.Table {
		var words []string
		var rows []float64
		for i := range table.Len() {
			var v mat.VecDense
			v.MulVec(by, mat.NewVecDense(dim, slices.Clone(table.Row(i))))
			v.ScaleVec(scale, &v)
			words, rows = append(words, table.Word(i)), append(rows, v.RawVector().Data...)
		}
		changed, err := bias.NewTable(dim, words, rows)
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	identity := mat.NewDiagDense(dim, []float64{1, 1, 1, 1, 1, 1})
	before, turned, scaled := mustRun(t, table, test, everything()), mustRun(t, change(1, &turn), test, everything()), mustRun(t, change(1000, identity), test, everything())
	for i, v := range before.Variants {
		if v.Refused != "" {
			t.Errorf("%s %s was refused: %s", v.Measure, v.Statistic, v.Refused)
		}
		if w := scaled.Variants[i]; math.Abs(v.Effect-w.Effect) > 1e-9 || v.P != w.P {
			t.Errorf("%s %s: scaling changed the effect %v to %v, p %v to %v", v.Measure, v.Statistic, v.Effect, w.Effect, v.P, w.P)
		}
		if w := turned.Variants[i]; v.Measure != weat.Manhattan && (math.Abs(v.Effect-w.Effect) > 1e-9 || v.P != w.P) {
			t.Errorf("%s %s: turning changed the effect %v to %v, p %v to %v", v.Measure, v.Statistic, v.Effect, w.Effect, v.P, w.P)
		}
	}
}

// TestMirror exchanges X and Y, and then A and B.
func TestMirror(t *testing.T) {
	table, test := invent(t, 4, 5, 5, 5, 6, 6)
	o := everything()
	o.TwoSided = true
	before := mustRun(t, table, test, o)
	targets, attributes := test, test
	targets.X, targets.Y = test.Y, test.X
	attributes.A, attributes.B = test.B, test.A
	byTargets, byAttributes := mustRun(t, table, targets, o), mustRun(t, table, attributes, o)
	for i, v := range before.Variants {
		sign := -1.0
		if v.Statistic == weat.Optimum { // it does not know A from B
			sign = 1
		}
		x, y := byTargets.Variants[i], byAttributes.Variants[i]
		if math.Abs(v.Effect+x.Effect) > 1e-12 || math.Abs(v.Effect-sign*y.Effect) > 1e-12 || v.Greater != x.Greater || v.Greater != y.Greater {
			t.Errorf("%s %s: effect %v becomes %v and %v, p %v becomes %v and %v", v.Measure, v.Statistic, v.Effect, x.Effect, y.Effect, v.P, x.P, y.P)
		}
	}
}

// TestDirection checks that one-sided tests look for the stereotype, by
// similarities and by distances.
func TestDirection(t *testing.T) {
	rows := []float64{
		1, 0.1, 1, 0.2, 1, 0.3, // X, along A
		0.1, 1, 0.2, 1, 0.3, 1, // Y, along B
		1, 0, 1, 0.05, 0.9, 0, // A
		0, 1, 0.05, 1, 0, 0.9, // B
	}
	table, err := bias.NewTable(2, strings.Fields("x1 x2 x3 y1 y2 y3 a1 a2 a3 b1 b2 b3"), rows)
	if err != nil {
		t.Fatal(err)
	}
	test := weat.Test{Name: "along", X: []string{"x1", "x2", "x3"}, Y: []string{"y1", "y2", "y3"}, A: []string{"a1", "a2", "a3"}, B: []string{"b1", "b2", "b3"}}
	o := weat.Options{Measures: []weat.Measure{weat.Cosine, weat.Euclidean, weat.Manhattan}}
	for _, v := range mustRun(t, table, test, o).Variants {
		if v.Greater != 0 || (v.Effect > 0) != (v.Measure == weat.Cosine) {
			t.Errorf("%s: effect %v, %d of %d greater; want 0, and a positive effect by cosine alone", v.Measure, v.Effect, v.Greater, v.Partitions)
		}
	}
	test.A, test.B = test.B, test.A
	for _, v := range mustRun(t, table, test, o).Variants {
		if v.Greater != v.Partitions-1 {
			t.Errorf("%s against the stereotype: %d of %d greater, want all but one", v.Measure, v.Greater, v.Partitions)
		}
	}
}

// TestLost checks what becomes of words without a vector, or with none but
// zeros.
func TestLost(t *testing.T) {
	table, test := invent(t, 5, 4, 10, 10, 10, 10)
	with := func(lost int) weat.Test {
		changed := test
		changed.X = slices.Clone(test.X)
		for i := range lost {
			changed.X[i] = fmt.Sprint("absent", i)
		}
		return changed
	}
	r := mustRun(t, table, with(2), weat.Options{}) // a fifth is not more than a fifth
	if v := r.Variants[0]; v.Refused != "" || math.IsNaN(v.Effect) || !slices.Equal(r.Lost(), []string{"absent0", "absent1"}) || len(r.Notes) != 1 {
		t.Errorf("two of ten lost: %+v, lost %v, notes %v", v, r.Lost(), r.Notes)
	}
	r = mustRun(t, table, with(3), everything())
	for _, v := range r.Variants {
		if !strings.Contains(v.Refused, "set X lost 3 of 10") || !math.IsNaN(v.Effect) || !math.IsNaN(v.P) {
			t.Errorf("three of ten lost: %+v", v)
		}
	}
	zero, err := bias.NewTable(2, strings.Fields("z x y1 y2 a b c d"), []float64{0, 0, 1, 0, 0, 1, 1, 1, 1, 2, 2, 1, 3, 1, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	r = mustRun(t, zero, weat.Test{Name: "zero", X: []string{"z", "x"}, Y: []string{"y1", "y2"}, A: []string{"a", "b"}, B: []string{"c", "d"}}, weat.Options{})
	if !slices.Equal(r.Sets[0].Zero, []string{"z"}) || r.Variants[0].Refused == "" || !slices.Equal(r.Lost(), []string{"z"}) {
		t.Errorf("a zero vector: %+v, refused %q", r.Sets[0], r.Variants[0].Refused)
	}
}

// TestUndefined checks that what does not vary has no effect.
func TestUndefined(t *testing.T) {
	table, err := bias.NewTable(1, strings.Fields("x1 x2 y1 y2 a1 a2 b1 b2"), []float64{1, 2, 3, 4, 1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	test := weat.Test{Name: "flat", X: []string{"x1", "x2"}, Y: []string{"y1", "y2"}, A: []string{"a1", "a2"}, B: []string{"b1", "b2"}}
	if v := mustRun(t, table, test, weat.Options{}).Variants[0]; v.Refused == "" || !math.IsNaN(v.Effect) {
		t.Errorf("all cosines are 1, but the effect is %v", v.Effect)
	}
}

// TestMore checks that further words change the covariance and nothing else.
func TestMore(t *testing.T) {
	table, test := invent(t, 6, 4, 6, 6, 6, 6)
	more := test
	more.A, more.MoreA = test.A[:4], test.A[4:]
	fewer := more
	fewer.MoreA = nil
	o := everything()
	x, y := mustRun(t, table, more, o), mustRun(t, table, fewer, o)
	for i, v := range x.Variants {
		if same := v.Effect == y.Variants[i].Effect; same == (v.Measure == weat.Mahalanobis) {
			t.Errorf("%s %s: effect %v with further words and %v without", v.Measure, v.Statistic, v.Effect, y.Variants[i].Effect)
		}
	}
	if len(x.Sets) != 5 || x.Sets[4].Set != "more_A" {
		t.Errorf("sets are %v", x.Sets)
	}
}

// TestPooled checks that one covariance for both sets undoes a linear map of
// the coordinates that two do not.
func TestPooled(t *testing.T) {
	table, test := invent(t, 8, 3, 6, 6, 40, 40)
	o := everything()
	o.Measures, o.Pooled = []weat.Measure{weat.Mahalanobis}, true
	pooled := mustRun(t, table, test, o)
	o.Pooled = false
	own := mustRun(t, table, test, o)
	for i, v := range pooled.Variants {
		if v.Refused != "" || v.Effect == own.Variants[i].Effect {
			t.Errorf("%s: effect %v pooled and %v with own covariances, refused %q", v.Statistic, v.Effect, own.Variants[i].Effect, v.Refused)
		}
	}
	o.Covariance = weat.GraphicalLasso
	for _, v := range mustRun(t, table, test, o).Variants {
		if v.Refused != "" {
			t.Errorf("graphical lasso, %s: refused: %s", v.Statistic, v.Refused)
		}
	}
}

// TestRepeated checks that no vector counts twice, nor on both sides.
func TestRepeated(t *testing.T) {
	table, err := bias.NewTable(2, strings.Fields("a b c d e f g h i man"),
		[]float64{1, 0.3, 0.9, 0.1, 0.8, 0.2, 0.2, 1, 0.1, 0.8, 1, 0, 1, 0.1, 0, 1, 0.1, 1, 0.7, 0.1})
	if err != nil {
		t.Fatal(err)
	}
	test := weat.Test{Name: "t", X: strings.Fields("a b c man Man"), Y: strings.Fields("d e"), A: strings.Fields("f g"), B: strings.Fields("h i")}
	r := mustRun(t, table, test, weat.Options{})
	if f := r.Sets[0]; !slices.Equal(f.Repeated, []string{"Man"}) || !slices.Equal(r.Lost(), []string{"Man"}) || r.Variants[0].Refused != "" || r.Variants[0].Partitions != 15 {
		t.Errorf("X is %+v, %+v; want Man lost as man again, and the partitions of 4 and 2", f, r.Variants[0])
	}
	if !slices.Equal(r.Kept.X, test.X[:4]) || !slices.Equal(r.Kept.B, test.B) {
		t.Errorf("kept is %+v, want all but Man", r.Kept)
	}
	test.X = strings.Fields("a b Man man")
	if v := mustRun(t, table, test, weat.Options{}).Variants[0]; !strings.Contains(v.Refused, "set X lost 1 of 4") {
		t.Errorf("a quarter repeated gives %+v, want it refused", v)
	}
	test.X, test.MoreA = strings.Fields("a b"), strings.Fields("c F g man")
	if r = mustRun(t, table, test, weat.Options{}); !slices.Equal(r.Sets[4].Repeated, []string{"F", "g"}) || r.Variants[0].Refused != "" {
		t.Errorf("words of A again are %+v, want F and g repeated", r.Sets[4])
	}
	for _, sets := range [][4]string{{"a man", "d Man", "f g", "h i"}, {"a b", "d e", "f man", "h MAN"}, {"a b", "d e", "f g", "g h"}} {
		both := weat.Test{Name: "t", X: strings.Fields(sets[0]), Y: strings.Fields(sets[1]), A: strings.Fields(sets[2]), B: strings.Fields(sets[3])}
		if v := mustRun(t, table, both, weat.Options{}).Variants[0]; !strings.Contains(v.Refused, "1 vectors in common") || !math.IsNaN(v.Inclusive) {
			t.Errorf("%v: %+v, want it refused", sets, v)
		}
	}
}

// TestInclusive checks that a few partitions are never significant, though none
// is greater.
func TestInclusive(t *testing.T) {
	table, test := invent(t, 3, 2, 2, 2, 3, 3)
	for i, o := range []weat.Options{{}, {TwoSided: true}} {
		for _, v := range mustRun(t, table, test, o).Variants {
			if want := float64(v.Greater+v.Equal) / 6; v.Inclusive != want || v.Equal < i+1 || v.Inclusive < 1.0/6 {
				t.Errorf("%+v: inclusive p is %v of %d greater and %d equal, want %v", o, v.Inclusive, v.Greater, v.Equal, want)
			}
		}
	}
	table, test = invent(t, 3, 2, 15, 15, 3, 3)
	if v := mustRun(t, table, test, weat.Options{Samples: 50}).Variants[0]; v.Exact || v.Inclusive != v.P || !(v.P > 0) {
		t.Errorf("sampled: %+v, want both the same and above 0", v)
	}
}

func TestOptionsRefused(t *testing.T) {
	table, test := invent(t, 1, 2, 2, 2, 2, 2)
	for _, o := range []weat.Options{
		{Measures: []weat.Measure{"hamming"}}, {Statistics: []weat.Statistic{"mode"}}, {Samples: -1}, {Covariance: "sample"},
	} {
		if _, err := weat.Run(t.Context(), table, test, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	if _, err := weat.Run(t.Context(), table, weat.Test{Name: "empty"}, weat.Options{}); err == nil {
		t.Error("a test without words was taken")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := weat.RunAll(ctx, table, []weat.Test{test}, weat.Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("RunAll after the end gave %v", err)
	}
	lasso := weat.Options{Measures: []weat.Measure{weat.Mahalanobis}, Covariance: weat.GraphicalLasso}
	table, test = invent(t, 1, 4, 3, 3, 8, 8)
	for _, o := range []weat.Options{{}, lasso} {
		if _, err := weat.Run(ctx, table, test, o); !errors.Is(err, context.Canceled) {
			t.Errorf("Run of %v after the end gave %v, want %v", o.Measures, err, context.Canceled)
		}
	}
}

func TestParse(t *testing.T) {
	const good = `[{"name": "t", "about": "u", "X": ["a", "b"], "Y": ["c", "d"], "A": ["e", "f"], "B": ["g", "h"], "more_A": ["i"]}]`
	tests, err := weat.Parse(strings.NewReader(good))
	if err != nil || len(tests) != 1 || tests[0].MoreA[0] != "i" || len(weat.Words(tests...)) != 9 {
		t.Errorf("Parse gave %v, %v", tests, err)
	}
	for _, bad := range []string{
		"", "{}", "[]", "[1]", "null", good + good, strings.Replace(good, `"X"`, `"x"`, 1), strings.Replace(good, `"about"`, `"note"`, 1),
		strings.Replace(good, `"about"`, `"name"`, 1), strings.Replace(good, `"b"`, `"a"`, 1), strings.Replace(good, `"c"`, `"a"`, 1),
		strings.Replace(good, `"b"`, `""`, 1), strings.Replace(good, `["a", "b"]`, `["a"]`, 1), strings.Replace(good, `"b"`, `2`, 1),
		strings.Replace(good, `"t"`, `""`, 1), "[" + strings.Trim(good, "[]") + "," + strings.Trim(good, "[]") + "]",
	} {
		if _, err := weat.Parse(strings.NewReader(bad)); err == nil {
			t.Errorf("Parse(%s) succeeded, want an error", bad)
		}
	}
}

// FuzzParse checks that what is taken is valid, and nothing panics.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"name": "t", "X": ["a", "b"], "Y": ["c", "d"], "A": ["e", "f"], "B": ["g", "h"]}]`))
	f.Add([]byte(`[{"name": "t", "X": null}]`))
	f.Add([]byte(`[{}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		tests, err := weat.Parse(strings.NewReader(string(in)))
		if err != nil {
			return
		}
		for _, test := range tests {
			if err := test.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func ExampleRun() {
	table, err := bias.NewTable(2, strings.Fields("engineer driver nurse aide he him she her"),
		[]float64{1, 0.3, 0.9, 0.1, 0.2, 1, 0.1, 0.8, 1, 0, 1, 0.1, 0, 1, 0.1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := weat.Run(context.Background(), table, weat.Test{
		Name: "work", X: []string{"engineer", "driver"}, Y: []string{"nurse", "aide"},
		A: []string{"he", "him"}, B: []string{"she", "her"},
	}, weat.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := r.Variants[0]
	fmt.Printf("effect %.2f; %d of %d partitions are greater\n", v.Effect, v.Greater, v.Partitions)
	// Output: effect 1.72; 0 of 6 partitions are greater
}

// BenchmarkAll makes the ten tests in all twenty variants, on vectors of 300
// numbers.
func BenchmarkAll(b *testing.B) {
	words := weat.Words(weat.Builtin()...)
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	rows := make([]float64, 300*len(words))
	for i := range rows {
		rows[i] = rng.NormFloat64()
	}
	table, err := bias.NewTable(300, words, rows)
	if err != nil {
		b.Fatal(err)
	}
	o := weat.Options{Measures: weat.Measures(), Statistics: weat.Statistics()}
	for b.Loop() {
		if _, err := weat.RunAll(context.Background(), table, weat.Builtin(), o, nil); err != nil {
			b.Fatal(err)
		}
	}
}
