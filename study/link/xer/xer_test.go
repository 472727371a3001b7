package xer_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/study/link/xer"
)

// Drawn graphs have what they are drawn for: all pairs, and as many true ones as asked.
func TestDraw(t *testing.T) {
	for _, tt := range [][2]int{{49, 73}, {46, 76}, {262, 2919}} {
		all, entity := xer.Draw(tt[0], tt[1], 1)
		pairs, sum := 0, 0.0
		for _, e := range all {
			if entity[e.I] == entity[e.J] {
				pairs++
				sum += e.Weight
			}
		}
		if len(all) != tt[0]*(tt[0]-1)/2 || pairs != tt[1] {
			t.Errorf("Draw(%v): %d pairs, %d true", tt, len(all), pairs)
		}
		// The mean of n draws of N(−½, .3) is off by more than 4.42 standard errors
		// in one of 100,000 cases.
		if mean := sum / float64(pairs); math.Abs(mean+.5) > 4.42*.3/math.Sqrt(float64(pairs)) {
			t.Errorf("Draw(%v): true pairs weigh %v on average, want -½", tt, mean)
		}
	}
}

// The small graphs are proved best, and true weights find the truth.
func TestSynthetic(t *testing.T) {
	r, err := xer.Run(t.Context(), xer.Options{Seeds: 2, Quick: true})
	if err != nil || len(r.Synthetic) != 5 || r.Absent == "" {
		t.Fatal(r, err)
	}
	for _, s := range r.Synthetic {
		if s.Proved != 2 || s.Gap != 0 || s.F1True != 1 || !(s.F1Low <= s.F1 && s.F1 <= s.F1High) || s.Maximal < 100 {
			t.Errorf("%+v", s)
		}
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), "9202.860") {
		t.Errorf("Print: %q, %v", out.String(), err)
	}
}

// On real graphs our division and that of hierarchical clustering have the published
// F1, to its last digit.
func TestReal(t *testing.T) {
	r, err := xer.Run(t.Context(), xer.Options{Seeds: 1, Quick: true, Data: testenv.Data(t)})
	if err != nil || r.Absent != "" || len(r.Real) != 3 {
		t.Fatal(r.Absent, err)
	}
	for _, g := range r.Real {
		for _, m := range g.Methods {
			if strings.HasPrefix(m.Name, "xER") && !m.Optimal {
				t.Errorf("%s, %s is not proved best", g.Name, m.Name)
			}
			// The set packing of settlements is the exception: the paper prints .944,
			// and the clustering that its authors published has .956.
			other := g.Name == "settlements" && strings.HasPrefix(m.Name, "set packing")
			if m.Published > 0 && math.Abs(m.Score.F1-m.Published) >= .0005 && !other {
				t.Errorf("%s, %s: F1 is %.4f, want %v", g.Name, m.Name, m.Score.F1, m.Published)
			}
			if m.Table5 != nil && strings.HasPrefix(m.Name, "xER") && math.Abs(m.Score.Adjusted-m.Table5.Adjusted) >= .0005 {
				t.Errorf("%s, %s: ARI is %.4f, want %v", g.Name, m.Name, m.Score.Adjusted, m.Table5.Adjusted)
			}
		}
	}
}
