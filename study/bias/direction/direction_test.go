package direction_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/study/bias"
	"sotto/study/bias/direction"
)

// tableOf makes a table of words with a row each.
func tableOf(t *testing.T, words []string, rows ...[]float64) *bias.Table {
	t.Helper()
	table, err := bias.NewTable(len(rows[0]), words, slices.Concat(rows...))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func measured(t *testing.T, table *bias.Table, w direction.Words, o direction.Options) *direction.Result {
	t.Helper()
	r, err := direction.Measure(table, w, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pairsOf makes pairs of words, named after both.
func pairsOf(words ...string) []direction.Pair {
	var pairs []direction.Pair
	for i := 0; i < len(words); i += 2 {
		pairs = append(pairs, direction.Pair{Name: words[i] + "/" + words[i+1], Female: words[i], Male: words[i+1]})
	}
	return pairs
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-12 }

// TestGlove checks the DirectBias of the 32 professions with ten English pairs
// on GloVe, at length 1 and raw, against values that were computed by another
// program and given to four digits.
func TestGlove(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 100 MB")
	}
	words, err := direction.Builtin("en")
	if err != nil {
		t.Fatal(err)
	}
	words.Pairs = direction.Bolukbasi()
	table, _, err := bias.Read(testenv.Data(t, "glove", "glove.6B.100d.102858.txt.gz"), bias.Options{Words: words.All()})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		raw  bool
		want float64
	}{{false, 0.1591}, {true, 0.1335}} {
		r := measured(t, table, words, direction.Options{Raw: tt.raw})
		if got := float64(r.DirectBias); math.Abs(got-tt.want) > 0.00005 {
			t.Errorf("DirectBias with raw %v is %.6f, want %.4f", tt.raw, got, tt.want)
		}
		if r.Refused != "" || r.Pairs != 10 || len(r.Lost) != 0 {
			t.Errorf("with raw %v %d pairs, refused %q, lost %v; want 10, not refused, none lost", tt.raw, r.Pairs, r.Refused, r.Lost)
		}
	}
}

// TestShares: pairs with differences g + eᵢ, where the eᵢ are orthogonal to g
// and to each other, have the scatter Σ(g + eᵢ)(g + eᵢ)ᵀ, whose largest
// eigenvalue is P·‖g‖² + ‖e‖², the P−1 others being ‖e‖². The confidence is
// thus ‖g‖²/(‖g‖² + ‖e‖²) for every P.
func TestShares(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		var words []string
		var rows [][]float64
		for i := range n {
			f, m := make([]float64, n+2), make([]float64, n+2)
			f[0], f[i+1] = 2, 1 // g = (2, 0, …), e of length 1
			f[n+1], m[n+1] = 7, 7
			words = append(words, "f"+string(rune('a'+i)), "m"+string(rune('a'+i)))
			rows = append(rows, f, m)
		}
		r := measured(t, tableOf(t, words, rows...), direction.Words{Language: "x", Pairs: pairsOf(words...)}, direction.Options{Raw: true})
		want := 4.0 / 5
		if !near(float64(r.Confidence), want) {
			t.Errorf("confidence of %d pairs is %v, want %v", n, r.Confidence, want)
		}
		sum := 0.0
		for _, s := range r.Explained {
			sum += s
		}
		if !near(sum, 1) {
			t.Errorf("shares of %d pairs add up to %v, want 1", n, sum)
		}
		if g := r.Direction(); !(g[0] > 0) || !near(g[n+1], 0) {
			t.Errorf("direction of %d pairs is %v, want female words on the positive side and nothing of what pairs share", n, g)
		}
	}
}

// randomTable has pairs that share a direction, more or less, and professions.
func randomTable(t *testing.T, dim, pairs, professions int, seed uint64) (*bias.Table, direction.Words) {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	w := direction.Words{Language: "x"}
	var words []string
	var rows [][]float64
	add := func(word string, shift float64) {
		row := make([]float64, dim)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		row[0] += shift
		words, rows = append(words, word), append(rows, row)
	}
	for i := range pairs {
		f, m := "f"+string(rune('a'+i)), "m"+string(rune('a'+i))
		add(f, 3)
		add(m, -3)
		w.Pairs = append(w.Pairs, pairsOf(f, m)...)
	}
	for i := range professions {
		p := "p" + string(rune('a'+i))
		add(p, 0)
		w.Professions = append(w.Professions, direction.Profession{Name: p, Neutral: []string{p}})
	}
	return tableOf(t, words, rows...), w
}

// TestReference compares with power iteration on the covariance of the 2P
// centred rows, as the method is published.
func TestReference(t *testing.T) {
	for _, size := range [][2]int{{4, 9}, {30, 3}} { // more pairs than numbers, and fewer
		dim := size[0]
		table, w := randomTable(t, dim, size[1], 4, 5)
		r := measured(t, table, w, direction.Options{})
		unit := table.Unit()
		covariance := make([]float64, dim*dim)
		total := 0.0
		for _, p := range w.Pairs {
			f, _ := unit.Find(p.Female)
			m, _ := unit.Find(p.Male)
			for _, v := range [][]float64{f, m} {
				for i := range dim {
					for j := range dim {
						covariance[i*dim+j] += (v[i] - (f[i]+m[i])/2) * (v[j] - (f[j]+m[j])/2)
					}
					total += (v[i] - (f[i]+m[i])/2) * (v[i] - (f[i]+m[i])/2)
				}
			}
		}
		g := make([]float64, dim)
		g[0] = 1
		value := 0.0
		for range 5000 {
			next := make([]float64, dim)
			value = 0
			for i := range dim {
				for j := range dim {
					next[i] += covariance[i*dim+j] * g[j]
				}
				value += next[i] * next[i]
			}
			value = math.Sqrt(value)
			for i := range g {
				g[i] = next[i] / value
			}
		}
		if got := r.Explained[0]; math.Abs(got-value/total) > 1e-9 {
			t.Errorf("share of the first component is %v, want %v", got, value/total)
		}
		dot := 0.0
		for i := range g {
			dot += g[i] * r.Direction()[i]
		}
		if math.Abs(math.Abs(dot)-1) > 1e-9 {
			t.Errorf("direction differs from power iteration: cosine %v, want 1 or −1", dot)
		}
		p, _ := unit.Find("pa")
		score := 0.0
		for i := range p {
			score += p[i] * r.Direction()[i]
		}
		if !near(score, float64(r.Professions[0].Score)) {
			t.Errorf("score of pa is %v, want %v", r.Professions[0].Score, score)
		}
	}
}

// TestInvariance: neither the order of pairs, nor the length of vectors, nor a
// rotation of all changes a score.
func TestInvariance(t *testing.T) {
	table, w := randomTable(t, 6, 4, 5, 11)
	want := measured(t, table, w, direction.Options{})
	reversed := w
	reversed.Pairs = slices.Clone(w.Pairs)
	slices.Reverse(reversed.Pairs)
	changed := func(f func(i int, row []float64)) *bias.Table {
		var words []string
		var rows [][]float64
		for i := range table.Len() {
			row := slices.Clone(table.Row(i))
			f(i, row)
			words, rows = append(words, table.Word(i)), append(rows, row)
		}
		return tableOf(t, words, rows...)
	}
	longer := changed(func(i int, row []float64) {
		for j := range row {
			row[j] *= float64(i + 1)
		}
	})
	turned := changed(func(_ int, row []float64) {
		row[0], row[3] = 0.6*row[0]-0.8*row[3], 0.8*row[0]+0.6*row[3]
	})
	for name, got := range map[string]*direction.Result{
		"pairs reversed": measured(t, table, reversed, direction.Options{}),
		"other lengths":  measured(t, longer, w, direction.Options{}),
		"a rotation":     measured(t, turned, w, direction.Options{}),
	} {
		if math.Abs(float64(got.DirectBias-want.DirectBias)) > 1e-9 || math.Abs(float64(got.Confidence-want.Confidence)) > 1e-9 {
			t.Errorf("%s: DirectBias %v and confidence %v, want %v and %v", name, got.DirectBias, got.Confidence, want.DirectBias, want.Confidence)
		}
	}
}

func TestRefusal(t *testing.T) {
	table := tableOf(t, []string{"woman", "man", "girl", "boy", "nurse"},
		[]float64{1, 0, 0}, []float64{-1, 0, 0}, []float64{0, 1, 0}, []float64{0, -1, 0}, []float64{1, 1, 1})
	nurse := []direction.Profession{{Name: "nurse", Neutral: []string{"nurse"}}}
	for _, tt := range []struct {
		name   string
		pairs  []direction.Pair
		want   string // part of the reason
		forced bool   // scores can be forced
	}{
		{"nothing found", pairsOf("a", "b", "c", "d"), "0 of 2 pairs", false},
		{"one pair", pairsOf("woman", "man", "c", "d"), "1 of 2 pairs", true},
		{"one pair twice", append(pairsOf("woman", "man"), direction.Pair{Name: "again", Female: "Woman", Male: "man"}), "1 of 2 pairs", true},
		{"nothing in common", pairsOf("woman", "man", "girl", "boy"), "difference of 0.000, must be at least 0.1", true},
		{"a word against itself", pairsOf("woman", "woman", "girl", "boy"), "1 of 2 pairs", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := direction.Words{Language: "x", Pairs: tt.pairs, Professions: nurse}
			r := measured(t, table, w, direction.Options{})
			if !strings.Contains(r.Refused, tt.want) {
				t.Errorf("refused is %q, want it to say %q", r.Refused, tt.want)
			}
			if !math.IsNaN(float64(r.DirectBias)) || r.Professions != nil || r.Defining != nil || r.Forced {
				t.Errorf("a refused direction has DirectBias %v and scores %v, want none", r.DirectBias, r.Professions)
			}
			if r.Pairs < 2 && !math.IsNaN(float64(r.Confidence)) {
				t.Errorf("confidence of %d pairs is %v, want it undefined", r.Pairs, r.Confidence)
			}
			f := measured(t, table, w, direction.Options{Force: true})
			if f.Refused == "" || f.Forced != tt.forced || (len(f.Professions) > 0) != tt.forced {
				t.Errorf("forced: refused %q, forced %v, %d scores; want it refused and forced %v", f.Refused, f.Forced, len(f.Professions), tt.forced)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	table, w := randomTable(t, 5, 3, 3, 2)
	for _, o := range []direction.Options{
		{Strictness: -1}, {Strictness: math.NaN()}, {Strictness: math.Inf(1)}, {MinConfidence: -0.1}, {MinConfidence: 1.1}, {MinConfidence: math.NaN()},
	} {
		if _, err := direction.Measure(table, w, o); err == nil {
			t.Errorf("Measure with %+v has no error, want one", o)
		}
	}
	if _, err := direction.Measure(table, direction.Words{Language: "x"}, direction.Options{}); err == nil {
		t.Error("Measure without pairs has no error, want one")
	}
	one, two := measured(t, table, w, direction.Options{}), measured(t, table, w, direction.Options{Strictness: 2})
	sum := 0.0
	for _, p := range one.Professions {
		sum += float64(p.Score*p.Score) / 3
	}
	if !near(float64(two.DirectBias), sum) {
		t.Errorf("DirectBias with c = 2 is %v, want the mean square %v", two.DirectBias, sum)
	}
}

// TestDrop: of four pairs along the first axis and one across it, that one is
// the suspect; without it all variance lies along the axis.
func TestDrop(t *testing.T) {
	words := []string{"a", "b", "c", "d", "e", "f", "g", "h", "wife", "husband", "p"}
	var rows [][]float64
	for range 4 {
		rows = append(rows, []float64{1, 0, 1}, []float64{-1, 0, 1})
	}
	rows = append(rows, []float64{0, 1, 1}, []float64{0, -1, 1}, []float64{3, 4, 0})
	w := direction.Words{Language: "x", Pairs: pairsOf(words[:10]...), Professions: []direction.Profession{{Name: "p", Neutral: []string{"p"}}}}
	r := measured(t, tableOf(t, words, rows...), w, direction.Options{})
	if r.Suspect != "wife/husband" {
		t.Errorf("the suspect is %q, want wife/husband", r.Suspect)
	}
	if got := float64(r.Confidence); !near(got, 4.0/5-1.0/5) {
		t.Errorf("confidence is %v, want 0.6", got)
	}
	last := r.Drop[4]
	if !near(float64(last.Confidence), 1) || !near(float64(last.Alignment), 0) || !near(float64(last.Angle), 0) || !near(float64(last.DirectBiasChange), 0) {
		t.Errorf("without wife/husband %+v, want confidence 1 and the same direction, which the pair has nothing to do with", last)
	}
	if got := float64(r.DirectBias); !near(got, 0.6) {
		t.Errorf("DirectBias is %v, want 0.6", got)
	}
}

// TestOneNumber: in vectors of one number every set of pairs has one direction.
func TestOneNumber(t *testing.T) {
	table := tableOf(t, []string{"a", "b", "c", "d"}, []float64{1}, []float64{2}, []float64{3}, []float64{5})
	r := measured(t, table, direction.Words{Language: "x", Pairs: pairsOf("a", "b", "c", "d")}, direction.Options{Raw: true})
	if !strings.Contains(r.Refused, "one number") || !math.IsNaN(float64(r.Confidence)) {
		t.Errorf("refused is %q with confidence %v, want it refused for one number", r.Refused, r.Confidence)
	}
}

func TestAbsent(t *testing.T) {
	r := direction.Absent(direction.Words{Language: "wo", Pairs: pairsOf("a", "b")}, "no vectors")
	if r.Refused != "no vectors" || r.PairsWanted != 1 || !math.IsNaN(float64(r.DirectBias)) || r.Direction() != nil {
		t.Errorf("Absent is %+v, want it refused with nothing defined", r)
	}
}

// BenchmarkMeasure is one draw of the comparison with private vectors.
func BenchmarkMeasure(b *testing.B) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	w, err := direction.Builtin("de")
	if err != nil {
		b.Fatal(err)
	}
	const dim = 300
	words := w.All()
	rows := make([]float64, dim*len(words))
	for i := range rows {
		rows[i] = rng.NormFloat64()
	}
	table, err := bias.NewTable(dim, words, rows)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := direction.Measure(table, w, direction.Options{Force: true}); err != nil {
			b.Fatal(err)
		}
	}
}
