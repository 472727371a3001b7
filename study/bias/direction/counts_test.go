package direction_test

import (
	"maps"
	"math"
	"strings"
	"testing"

	"sotto/study/bias/direction"
)

func TestParseCounts(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     direction.Counts // nil for an error that says message
		message  string
	}{
		{"tabs", "Frau\t12\nMann\t3\n", direction.Counts{"Frau": 12, "Mann": 3}, ""},
		{"commas, a header and CRLF", "word,count\r\nFrau,12\r\n\r\nMann,3\r\n", direction.Counts{"Frau": 12, "Mann": 3}, ""},
		{"quotes", "\"a,b\",1\n", direction.Counts{"a,b": 1}, ""},
		{"twice adds up", "a\t1\na\t2\n", direction.Counts{"a": 3}, ""},
		{"composed", "e\u0301\t1\n", direction.Counts{"\u00e9": 1}, ""},
		{"several words", "doom ju góor\t4\n", direction.Counts{"doom ju góor": 4}, ""},
		{"empty", "\n", nil, "no counts"},
		{"no count", "a\n", nil, "line 1: it does not begin"},
		{"no word", "\t3\n", nil, "line 1: it does not begin"},
		{"a second header", "a\t1\nword\tcount\n", nil, "line 2: its count"},
		{"negative", "a\t-1\n", nil, "line 1: its count"},
		{"NaN", "a\tNaN\n", nil, "line 1: its count"},
		{"too large", "a\t1e400\n", nil, "line 1: its count"},
		{"adds up to infinity", "a\t1e308\na\t1e308\n", nil, "line 2: the counts"},
		{"hexadecimal", "a\t0x1p2\n", nil, "line 1: its count"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := direction.ParseCounts(strings.NewReader(tt.in))
			if tt.want == nil {
				if err == nil || !strings.Contains(err.Error(), tt.message) {
					t.Errorf("error is %v, want it to say %q", err, tt.message)
				}
				return
			}
			if err != nil || !maps.Equal(got, tt.want) {
				t.Errorf("ParseCounts = %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

// TestScientist: the German forms of scientist score −0.06 and 0.32 and occur
// 32467 and 1354 times, so that the profession scores −0.04, and 0.13 without
// counts.
func TestScientist(t *testing.T) {
	cosine := func(c float64) []float64 { return []float64{c, math.Sqrt(1 - c*c), 0} }
	table := tableOf(t, []string{"frau", "mann", "tochter", "sohn", "wissenschaftlerin", "wissenschaftler"},
		[]float64{1, 1, 0}, []float64{-1, 1, 0}, []float64{1, 0, 1}, []float64{-1, 0, 1}, cosine(0.32), cosine(-0.06))
	w := direction.Words{
		Language: "de", Pairs: pairsOf("Frau", "Mann", "Tochter", "Sohn"),
		Professions: []direction.Profession{{Name: "scientist", Female: []string{"Wissenschaftlerin"}, Male: []string{"Wissenschaftler"}}},
	}
	r := measured(t, table, w, direction.Options{Counts: direction.Counts{"Wissenschaftler": 32467, "Wissenschaftlerin": 1354}})
	got := r.Professions[0]
	want := (-0.06*32467 + 0.32*1354) / (32467 + 1354) // −0.0448, published as −0.04
	if !near(float64(got.Score), want) || !near(float64(got.Plain), 0.13) || !got.Weighted || r.Weighting != "counts" {
		t.Errorf("scientist is %+v weighted by %s, want %v and plain 0.13", got, r.Weighting, want)
	}
	plain := measured(t, table, w, direction.Options{})
	if p := plain.Professions[0]; !near(float64(p.Score), 0.13) || p.Weighted || plain.Weighting != direction.Unweighted {
		t.Errorf("without counts scientist is %+v, %s, want 0.13, unweighted", p, plain.Weighting)
	}
}

// TestPartialCounts: a form without a count weighs nothing beside one that has
// one; without any, or with zeros, all weigh alike.
func TestPartialCounts(t *testing.T) {
	table := tableOf(t, []string{"a", "b", "c", "d", "f", "m"},
		[]float64{1, 1}, []float64{-1, 1}, []float64{2, 1}, []float64{-2, 1}, []float64{1, 0}, []float64{0, 1})
	w := direction.Words{Language: "x", Pairs: pairsOf("a", "b", "c", "d"), Professions: []direction.Profession{{Name: "p", Female: []string{"f"}, Male: []string{"m"}}}}
	for _, tt := range []struct {
		counts   direction.Counts
		want     float64
		weighted bool
	}{
		{direction.Counts{"f": 5}, 1, true},
		{direction.Counts{"m": 5}, 0, true},
		{direction.Counts{"other": 5}, 0.5, false},
		{direction.Counts{"f": 0, "m": 0}, 0.5, false},
	} {
		r := measured(t, table, w, direction.Options{Counts: tt.counts})
		if p := r.Professions[0]; !near(float64(p.Score), tt.want) || p.Weighted != tt.weighted {
			t.Errorf("with counts %v the score is %v, weighted %v; want %v, %v", tt.counts, p.Score, p.Weighted, tt.want, tt.weighted)
		}
	}
}

func FuzzParseCounts(f *testing.F) {
	f.Add("Frau\t12\nMann,3\n")
	f.Add("word,count\n\"a\",1e3\n")
	f.Fuzz(func(t *testing.T, in string) {
		c, err := direction.ParseCounts(strings.NewReader(in))
		if err != nil {
			return
		}
		for w, n := range c {
			if strings.TrimSpace(w) == "" || !(n >= 0) || math.IsInf(n, 0) {
				t.Errorf("a count is %v, of a word with %d bytes; want a word and a finite number from 0", n, len(w))
			}
		}
	})
}
