package mech_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// subject is one variant of a mechanism under the conformance suite.
type subject struct {
	mech.Params                                       // all but dimension and ε
	least       int                                   // the smallest dimension
	honest      bool                                  // the ε asked for is the ε promised
	valid       func(dim int, eps float64) bool       // where it can be made; nil: everywhere
	quiet       func(dim int, eps float64) bool       // see dptest.Options; nil: nowhere
	adapt       func(p *mech.Params, dim int)         // sets dimensions; nil: Dim
	options     func(mech.Mechanism, *dptest.Options) // nil: none
}

// subjects lists every variant of every mechanism that takes vectors;
// TestConformanceComplete sees to it.
func subjects() []subject {
	one := func(name, variant string, honest bool) subject {
		return subject{Params: mech.Params{Mechanism: name, Variant: variant}, least: 1, honest: honest}
	}
	bit := func(name, variant string, bits int, honest bool) subject {
		s := one(name, variant, honest)
		s.Params = s.With(mech.Given{"bits": bits})
		s.quiet = func(dim int, eps float64) bool { return eps/float64(dim) > 4 }
		s.options = func(m mech.Mechanism, o *dptest.Options) {
			_, out := m.Shape()
			half := make([]float64, out)
			half[out-1] = 0.5
			o.Impossible = [][]float64{half}
		}
		return s
	}
	with := func(s subject, set func(*subject)) subject {
		set(&s)
		return s
	}
	embed := func(variant string, clip float64) subject {
		s := one("privemb", variant, variant != mech.Paper)
		s.Params = s.With(mech.Given{"clip": clip})
		s.honest = s.honest && clip == 0
		s.adapt = adaptPrivEmb
		s.options = privEmbOptions
		return s
	}
	return []subject{
		with(one("laplace-l1", mech.Paper, true), func(s *subject) { s.options = latticeOptions }),
		with(one("laplace-l1", mech.Released, false), func(s *subject) { s.options = latticeOptions }),
		with(one("dpnr", mech.AsStated, true), func(s *subject) { s.least, s.options = 2, latticeOptions }),
		with(one("dpnr", mech.Paper, false), func(s *subject) { s.least, s.options = 2, latticeOptions }),
		with(one("dpnr", mech.Released, false), func(s *subject) { s.least = 2 }),
		bit("sue", mech.OneHot, 10, true), bit("sue", mech.Paper, 10, false), bit("sue", mech.Paper, 7, false),
		bit("oue", mech.OneHot, 3, false), bit("oue", mech.Tight, 4, true), bit("oue", mech.Paper, 10, false),
		with(bit("oue", mech.MOUE, 10, false), func(s *subject) { s.Params = s.With(mech.Given{"alpha": 3.0}) }),
		with(bit("ome", mech.Paper, 10, false), func(s *subject) { s.Params = s.With(mech.Given{"lambda": 100.0}) }),
		with(bit("ome", mech.Paper, 3, false), func(s *subject) { s.Params = s.With(mech.Given{"lambda": 2.0}) }),
		with(bit("bitrand", mech.Paper, 10, false), func(s *subject) { s.Params = s.With(mech.Given{"alpha": 0.1}) }),
		bit("bitrr", mech.Weighted, 10, true), bit("bitrr", mech.Uniform, 1, true), bit("bitrr", mech.OneBit, 0, true),
		embed(mech.Orthonormal, 0), embed(mech.Orthonormal, 3), embed(mech.Spectral, 0), embed(mech.Vocabulary, 0),
		embed(mech.Paper, 0), embed(mech.M1, 0), embed(mech.M1, 0.5),
		with(one("privunit", mech.AsStated, true), func(s *subject) {
			s.least = 3
			s.valid = func(dim int, eps float64) bool { return dim > 5 || eps < 100 }
			s.options = func(m mech.Mechanism, o *dptest.Options) {
				_, out := m.Shape()
				o.Impossible = [][]float64{make([]float64, out)}
			}
		}),
		with(one("codebook", mech.AsStated, true), func(s *subject) {
			s.least, s.Own = 2, mech.CodebookParams{Codewords: 32}
			s.quiet = func(_ int, eps float64) bool { return eps >= 10 }
			s.options = func(m mech.Mechanism, o *dptest.Options) {
				_, out := m.Shape()
				o.Impossible = [][]float64{make([]float64, out)}
			}
		}),
		with(one("codes", mech.AsStated, true), codesSubject),
		with(one("codes", mech.AsStated, true), func(s *subject) {
			codesSubject(s)
			s.adapt = func(p *mech.Params, dim int) {
				p.Dim, p.Own = dim, mech.CodesParams{Weights: uneven(dim, p.Epsilon, 0.5)}
			}
		}),
		one("laplace-l2", mech.AsStated, true),
		with(one("gaussian", mech.AsStated, true), func(s *subject) {
			// The grid is too coarse for much noise in many dimensions, and the
			// table's error is too large for e^100.
			s.valid = func(dim int, eps float64) bool { return eps < 100 && (dim < 50 || eps >= 1) }
			s.options = gaussianOptions
		}),
		with(one("cells", mech.Mean, true), func(s *subject) { cellsSubject(s, nil) }),
		with(one("cells", mech.Centroid, true), func(s *subject) { cellsSubject(s, nil) }),
		with(one("cells", mech.Index, true), func(s *subject) { cellsSubject(s, [][]float64{{-1}, {0.5}, {12}}) }),
		with(one("laplace-l2", mech.OnLattice, true), func(s *subject) {
			s.options = func(m mech.Mechanism, o *dptest.Options) {
				l := m.(*mech.LatticeL2)
				_, out := m.Shape()
				off := make([]float64, out)
				off[out-1] = 0.5 / float64(l.Radius())
				o.Impossible = [][]float64{off}
				o.Shortfall = 1e-5 + 1/float64(l.Radius())
			}
		}),
	}
}

// cellsSubject: at ε = 5 the own cell of twelve comes 128 times in a row with
// probability 10⁻⁴.
func cellsSubject(s *subject, impossible [][]float64) {
	s.adapt = func(p *mech.Params, dim int) { p.Dim, p.Own = dim, mech.CellsParams{Centres: vocabulary(dim)} }
	s.quiet = func(_ int, eps float64) bool { return eps >= 5 }
	s.options = func(m mech.Mechanism, o *dptest.Options) {
		in, _ := m.Shape()
		if o.Impossible = impossible; impossible == nil {
			o.Impossible = [][]float64{make([]float64, in)}
		}
	}
}

// codesSubject: at ε = 5 the likelier of two codes comes 128 times in a row with
// probability 0.4.
func codesSubject(s *subject) {
	s.least = 2
	s.quiet = func(_ int, eps float64) bool { return eps >= 5 }
	s.options = func(m mech.Mechanism, o *dptest.Options) {
		_, out := m.Shape()
		two := make([]float64, out)
		two[0], two[out-1] = 1, 1
		o.Impossible = [][]float64{make([]float64, out), two}
	}
}

// latticeOptions: a release on the grid, moved by a quarter of a cell or more,
// is none. The released variant of laplace-l1 cannot attain its guarantee in
// cells that do not divide evenly: up to √D of R√D.
func latticeOptions(m mech.Mechanism, o *dptest.Options) {
	l := m.(mech.Lattice)
	_, out := m.Shape()
	off := make([]float64, out)
	for i := range off {
		off[i] = 1.0 / float64(l.Radius()) // a whole cell is not (k+½)/R
	}
	o.Impossible = [][]float64{off}
	o.Shortfall = 1e-4 + math.Sqrt(float64(out))/float64(l.Radius())
}

// gaussianOptions: δ pays for the table's error η beside the real law, so that
// the witness misses ε by −ln(1 − (1+e^−ε)·D·η/Q).
func gaussianOptions(m mech.Mechanism, o *dptest.Options) {
	latticeOptions(m, o)
	g := m.Guarantee()
	_, out := m.Shape()
	q := math.Exp(m.(dp.Profiled).Profile().Witness.LogQ)
	paid := (1 + math.Exp(-float64(g.Epsilon))) * float64(out) * noise.GaussianError / q
	o.Shortfall = 1e-6 - 1.1*math.Log1p(-paid)/float64(g.Epsilon)
}

func adaptPrivEmb(p *mech.Params, dim int) {
	own := mech.OwnOf[mech.PrivEmbParams](*p)
	own.InputDim, own.OutputDim = dim, max(1, dim/3)
	switch p.Variant {
	case mech.M1:
		own.OutputDim = 0
	case mech.Vocabulary:
		own.Vocabulary = vocabulary(dim)
	}
	p.Own = own
}

// vocabulary returns public vectors.
func vocabulary(dim int) [][]float64 {
	rng := weakrand.New(weakrand.NewPCG(3, uint64(dim)))
	words := make([][]float64, 12)
	for i := range words {
		words[i] = make([]float64, dim)
		for j := range words[i] {
			words[i][j] = rng.NormFloat64()
		}
	}
	return words
}

// privEmbOptions: the proven bound of a matrix with m rows lies up to m^(1/1024)
// above the norm that power iteration attains from below.
func privEmbOptions(m mech.Mechanism, o *dptest.Options) {
	in, _ := m.Shape()
	o.Shortfall = 0.01
	if m.Profile().Variant == mech.Vocabulary {
		words := vocabulary(in)
		o.Input = func(rng *weakrand.Rand) []float64 { return append([]float64(nil), words[rng.IntN(len(words))]...) }
		o.Bad = [][]float64{make([]float64, in)}
	}
}

// params returns the parameters at a dimension and an ε.
func (s subject) params(dim int, eps float64) mech.Params {
	p := s.Params
	p.Epsilon = eps
	if s.adapt != nil {
		s.adapt(&p, dim)
	} else {
		p.Dim = dim
	}
	return p
}

func (s subject) String() string {
	name := s.Mechanism + "/" + s.Variant
	for _, parameter := range []string{"bits", "clip"} {
		if v := s.Value(parameter); v != nil {
			name += fmt.Sprintf("/%s=%v", parameter, v)
		}
	}
	return name
}

func TestConformance(t *testing.T) {
	dims, epsilons := []int{1, 2, 3, 5, 50, 64, 65, 300}, []float64{0.05, 1, 5, 10, 100}
	if !dptest.Long() {
		dims, epsilons = []int{1, 3, 65}, []float64{0.05, 10}
	}
	for _, s := range subjects() {
		for _, dim := range dims {
			for _, eps := range epsilons {
				if dim >= 64 && dim != 65 && eps != 1 && eps != 10 {
					continue // 65 has crossed a word's width with all of them
				}
				t.Run(fmt.Sprintf("%v/dim=%d/eps=%v", s, dim, eps), func(t *testing.T) { s.conforms(t, dim, eps) })
			}
		}
	}
}

func (s subject) conforms(t *testing.T, dim int, eps float64) {
	p := s.params(dim, eps)
	m, err := mech.New(p)
	if want := dim >= s.least && (s.valid == nil || s.valid(dim, eps)); (err == nil) != want {
		t.Fatalf("New(%+v) error = %v, want one: %v", p, err, !want)
	}
	if err != nil {
		return
	}
	g := m.Guarantee()
	if s.honest && !(float64(g.Epsilon) <= eps*(1+1e-9)) {
		t.Errorf("Guarantee() = %v, want at most the ε asked for, %v", g, eps)
	}
	o := dptest.Options{Quiet: s.quiet != nil && s.quiet(dim, eps)}
	if s.options != nil {
		s.options(m, &o)
	}
	dptest.Vector(t, m, o)
}

// TestConformanceLabels runs the suite on labels, which are a domain of their
// own.
func TestConformanceLabels(t *testing.T) {
	for _, tt := range []struct {
		mechanism string
		classes   []int
	}{{"krr", []int{2, 3, 10, 1000, 1 << 30}}, {"subset", []int{2, 3, 10, 150}}} {
		for _, classes := range tt.classes {
			for _, eps := range []float64{0.05, 1, 5, 10, 100} {
				t.Run(fmt.Sprintf("%s/classes=%d/eps=%v", tt.mechanism, classes, eps), func(t *testing.T) {
					conformLabels(t, mech.Params{Mechanism: tt.mechanism, Epsilon: eps}.With(mech.Given{"classes": classes}), classes)
				})
			}
		}
	}
}

func conformLabels(t *testing.T, p mech.Params, classes int) {
	m, err := mech.New(p)
	if err != nil {
		t.Fatal(err)
	}
	if g := m.Guarantee(); !(float64(g.Epsilon) <= p.Epsilon*(1+1e-9)) {
		t.Errorf("Guarantee() = %v, want at most the ε asked for, %v", float64(g.Epsilon), p.Epsilon)
	}
	bad := [][]float64{{-1}, {0.5}, {float64(classes)}, {1e300}, {-5e-324}}
	impossible := bad
	if _, out := m.Shape(); out > 1 {
		none, all, half := make([]float64, out), make([]float64, out), make([]float64, out)
		for i := range all {
			all[i], half[i] = 1, 0.5
		}
		impossible = [][]float64{none, all, half}
	}
	dptest.Vector(t, m, dptest.Options{
		Input:      func(rng *weakrand.Rand) []float64 { return []float64{float64(rng.IntN(classes))} },
		Bad:        bad,
		Impossible: impossible,
		Quiet:      p.Epsilon >= 5 || classes == 2,
	})
}

// TestConformanceComplete sees that no mechanism or variant is forgotten.
func TestConformanceComplete(t *testing.T) {
	tried := map[string]bool{"krr/true": true, "subset/true": true} // TestConformanceLabels
	for _, s := range subjects() {
		tried[s.Mechanism+"/"+s.Variant] = true
	}
	for _, info := range mech.Kinds() {
		for _, v := range info.VariantNames() {
			if !tried[info.Name+"/"+v] {
				t.Errorf("%s %s is not among the subjects of TestConformance", info.Name, v)
			}
		}
	}
}
