package direction_test

import (
	"math"
	weakrand "math/rand/v2"
	"strings"
	"testing"

	"sotto/study/bias/direction"
)

// pairRows are two pairs along the first axis.
var pairRows = [][]float64{{1, 1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, 1}}

func TestLost(t *testing.T) {
	table := tableOf(t, []string{"a", "b", "c", "d", "space", "traveller", "nothing"},
		append(pairRows, []float64{3, 4, 0}, []float64{4, 3, 0}, []float64{0, 0, 0})...)
	w := direction.Words{
		Language: "x", Pairs: pairsOf("a", "b", "c", "d", "e", "b"),
		Professions: []direction.Profession{
			{Name: "astronaut", Neutral: []string{"space traveller"}},
			{Name: "idler", Female: []string{"nothing"}, Male: []string{"nobody"}, Neutral: []string{"space nobody"}},
		},
	}
	reasons := func(o direction.Options) (map[string]string, *direction.Result) {
		r := measured(t, table, w, o)
		m := map[string]string{}
		for _, l := range r.Lost {
			m[l.Word] = l.Reason
		}
		return m, r
	}
	lost, r := reasons(direction.Options{})
	for word, want := range map[string]string{
		"e": "not in the vectors", "space traveller": "not in the vectors as one", "nothing": "zero", "nobody": "not in the vectors", "space nobody": "as one",
	} {
		if !strings.Contains(lost[word], want) {
			t.Errorf("%q is lost for %q, want the reason to say %q", word, lost[word], want)
		}
	}
	if !math.IsNaN(float64(r.Professions[0].Score)) || !math.IsNaN(float64(r.DirectBias)) {
		t.Errorf("professions without vectors score %v, DirectBias %v; want both undefined", r.Professions[0].Score, r.DirectBias)
	}
	lost, r = reasons(direction.Options{Parts: true})
	// The mean of (0.6, 0.8, 0) and (0.8, 0.6, 0) points to (1, 1, 0).
	if got := float64(r.Professions[0].Score); !near(got, math.Sqrt(0.5)) {
		t.Errorf("the mean of parts scores %v, want √½", got)
	}
	if _, there := lost["space traveller"]; there || !strings.Contains(lost["space nobody"], "not all") {
		t.Errorf("with parts %v is lost, want space nobody for not having all, and not space traveller", lost)
	}
}

// TestComposed: a table in Unicode's decomposed form has the words too, and so
// has one with the other code points for Arabic letters.
func TestComposed(t *testing.T) {
	table := tableOf(t, []string{"me\u0300re", "pe\u0300re", "ملكة", "ملك"}, pairRows...)
	w := direction.Words{Language: "x", Pairs: pairsOf("m\u00e8re", "p\u00e8re", "ملکة", "ملک")}
	if r := measured(t, table, w, direction.Options{}); r.Pairs != 2 {
		t.Errorf("%d pairs are found, want 2; lost %v", r.Pairs, r.Lost)
	}
}

func TestAmbiguous(t *testing.T) {
	table := tableOf(t, []string{"femme", "homme", "fille", "fils", "garçon", "chef"},
		append(pairRows, []float64{-1, 2, 1}, []float64{1, 2, 3})...)
	w := direction.Words{
		Language: "fr", Pairs: pairsOf("femme", "homme", "fille", "fils", "fille", "garçon", "Fille", "Fils", "fils", "femme"),
		Professions: []direction.Profession{
			{Name: "chef", Female: []string{"Chef"}, Male: []string{"chef"}, Note: "chef is also chief"},
			{Name: "absent", Neutral: []string{"x"}, Note: "x means nothing"},
		},
	}
	r := measured(t, table, w, direction.Options{Force: true})
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{
		"fille is the female word of both fille/fils and fille/garçon", "fille/fils and Fille/Fils are the same words",
		"femme/homme and fils/femme have a word in common", "stands under several genders", "chef is also chief",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes are %q, want them to say %q", notes, want)
		}
	}
	if strings.Contains(notes, "x means nothing") {
		t.Error("a profession that is not there has a note, want none")
	}
	if p := r.Professions[0]; len(p.Forms) != 1 || p.Forms[0].Gender != direction.Neutral {
		t.Errorf("one word under two genders has the forms %+v, want one, neutral", p.Forms)
	}
	if r.Pairs != 4 {
		t.Errorf("%d pairs are different, want 4", r.Pairs)
	}
}

// TestRandom compares the DirectBias of a random direction with the mean over
// directions drawn at random. Of n = 20,000 draws with values within [0, 1] and
// a standard deviation of at most ½, the mean lies within 4.5·½/√n = 0.0159 of
// its expectation but for a probability of about 7·10⁻⁶.
func TestRandom(t *testing.T) {
	table, w := randomTable(t, 7, 3, 4, 3)
	w.Professions = append(w.Professions, direction.Profession{Name: "both", Female: []string{"pa"}, Male: []string{"pb"}})
	for _, c := range []float64{1, 2.5} {
		r := measured(t, table, w, direction.Options{Strictness: c})
		unit := table.Unit()
		rng := weakrand.New(weakrand.NewPCG(9, 9))
		const n = 20_000
		mean := 0.0
		for range n {
			g := make([]float64, 7)
			length := 0.0
			for j := range g {
				g[j] = rng.NormFloat64()
				length += g[j] * g[j]
			}
			for _, p := range w.Professions {
				score, forms := 0.0, append(append(append([]string(nil), p.Female...), p.Male...), p.Neutral...)
				for _, f := range forms {
					row, _ := unit.Find(f)
					for j := range g {
						score += row[j] * g[j] / math.Sqrt(length) / float64(len(forms))
					}
				}
				mean += math.Pow(math.Abs(score), c) / n / float64(len(w.Professions))
			}
		}
		if got := float64(r.Random); math.Abs(got-mean) > 0.0159 {
			t.Errorf("DirectBias of a random direction with c = %v is %v, want %v", c, got, mean)
		}
	}
}

// TestRandomLarge: for single words and c = 1 it is close to √(2/(π·d)), from
// which Γ(d/2)/Γ((d+1)/2) = √(2/d)·(1 + 1/(4d) + O(d⁻²)) differs by 1/(4d).
func TestRandomLarge(t *testing.T) {
	const dim = 300
	table, w := randomTable(t, dim, 3, 4, 3)
	got := float64(measured(t, table, w, direction.Options{Force: true}).Random)
	want := math.Sqrt(2/(math.Pi*dim)) * (1 + 1.0/(4*dim))
	if math.Abs(got/want-1) > 1e-5 {
		t.Errorf("DirectBias of a random direction is %v, want %v", got, want)
	}
}
