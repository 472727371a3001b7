package attack_test

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"reflect"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/attack"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// opposite releases two opposite vectors through a mechanism, one for each
// value of an attribute: as easy to tell apart as any.
func opposite(t *testing.T, m mech.Mechanism, rows int) measure.Labelled {
	t.Helper()
	in, out := m.Shape()
	src, r := dptest.Source(t, 5), weakrand.New(weakrand.NewPCG(6, 6))
	d := measure.Labelled{X: nn.NewMatrix(rows, out), Z: make([]int, rows)}
	x, y := make([]float64, in), make([]float64, out)
	for i := range rows {
		d.Z[i] = r.IntN(2)
		for j := range x {
			x[j] = float64(2*d.Z[i]-1) * float64(1+j%2) / 2
		}
		if err := m.PrivatizeTo(y, x, src); err != nil {
			t.Fatal(err)
		}
		for j, v := range y {
			d.X.Row(i)[j] = float32(v)
		}
	}
	return d
}

// infer attacks released vectors, whose attribute has values of those names.
func infer(d measure.Labelled, values []string, g *dp.Guarantee, o attack.Options) (*attack.Result, error) {
	r := &attack.Released{Guarantee: g, Columns: []dataset.Column{{Name: "sign", Classes: values, IDs: d.Z}}, Fit: attack.Part{Vectors: d.X}}
	return attack.Run(context.Background(), attack.Attribute, attack.Target{Source: "vectors", Released: attack.One(r)}, o)
}

func attackVectors(t *testing.T, d measure.Labelled, g *dp.Guarantee, o attack.Options) *attack.Result {
	t.Helper()
	a, err := infer(d, []string{"minus", "plus"}, g, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// quick are the attackers without the one of two layers of 512 units, which takes longer
// than all others together.
var quick = []string{"linear", "mlp-100", "mlp-100-centred"}

// TestAttackHonest: what is promised holds against every attacker, for every
// mechanism with a text-level ε. With 6 mechanisms, 2 ε and 4 attackers, an
// accuracy whose one-sided interval of confidence 1 − 1e-5/48 lies above the
// limit refutes; if all guarantees are true, that happens in at most one of
// 100,000 runs. A copy is refuted so: right on 150 rows of 150, it is above
// (10⁻⁵/48)^(1/150) = 0.902, and the limit of the larger ε is 0.881.
func TestAttackHonest(t *testing.T) {
	above := func(k attack.Finding) bool {
		hits := int(math.Round(float64(k.Value) * float64(k.Rows)))
		low, _ := measure.ClopperPearson(hits, k.Rows, 1-2*1e-5/48)
		return low > float64(k.Limit)
	}
	copied := attackVectors(t, opposite(t, fake{dim: 4, copy: true}, 300), &dp.Guarantee{Unit: dp.Text, Epsilon: 2}, attack.Options{Workers: 2})
	for _, k := range copied.Findings {
		if !above(k) {
			t.Errorf("%s: accuracy %v of a copy is not above %v, so that the test could not fail", k.Attacker, k.Value, k.Limit)
		}
	}
	if testing.Short() {
		t.Skip("the rest fits 48 attackers")
	}
	for i, name := range []string{"laplace-l1", "bitrr", "privunit", "laplace-l2", "dpnr", "codebook"}[:dptest.Count(t, 3, 6)] {
		o := attack.Options{Workers: 2}
		if i > 1 || i > 0 && !dptest.Long() {
			o.Attackers = quick
		}
		for _, epsilon := range []float64{2, 0.5}[:dptest.Count(t, 1, 2)] { // the harder half first
			t.Run(fmt.Sprint(name, " ", epsilon), func(t *testing.T) {
				m, err := mech.New(mech.Params{Mechanism: name, Dim: 4, Epsilon: epsilon})
				if err != nil {
					t.Fatal(err)
				}
				g := m.Guarantee()
				a := attackVectors(t, opposite(t, m, 300), &g, o)
				if !a.Limited() {
					t.Fatal("an honest mechanism has no limit")
				}
				for _, k := range a.Findings {
					if above(k) {
						t.Errorf("%s: accuracy %v is above %v beyond chance", k.Attacker, k.Value, k.Limit)
					}
				}
			})
		}
	}
}

// TestAttackDishonest: published claims that are false fall to the same attack.
func TestAttackDishonest(t *testing.T) {
	claims := []mech.Params{
		{Mechanism: "ome", Dim: 4, Epsilon: 1, Own: mech.OMEParams{Lambda: 100}},
		{Mechanism: "dpnr", Variant: mech.Paper, Dim: 64, Epsilon: 1},
		{Mechanism: "dpnr", Variant: mech.Released, Dim: 4, Epsilon: 0.05},
	}
	for _, p := range claims[:dptest.Count(t, 1, 3)] {
		m, err := mech.New(p)
		if err != nil {
			t.Fatal(err)
		}
		d, claimed, g := opposite(t, m, 300), dp.Guarantee{Unit: dp.Text, Epsilon: m.Profile().Claimed}, m.Guarantee()
		if a := attackVectors(t, d, &claimed, attack.Options{Workers: 2, Attackers: quick}); !a.Refuted {
			t.Errorf("%s: attack on the claim ε = %v: %+v, want it refuted", p.Mechanism, claimed.Epsilon, a)
		}
		if a := attackVectors(t, d, &g, attack.Options{Workers: 2}); a.Refuted {
			t.Errorf("%s: attack on the true ε = %v: %+v, want it to hold", p.Mechanism, g.Epsilon, a)
		}
	}
}

func TestAttackVectorsWorkers(t *testing.T) {
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 3, Epsilon: 3})
	if err != nil {
		t.Fatal(err)
	}
	d := opposite(t, m, 60)
	d.Z[3] = -1
	one := attackVectors(t, d, nil, attack.Options{Workers: 1, Seed: 2, Coding: measure.BlockCoding, Attackers: quick})
	three := attackVectors(t, d, nil, attack.Options{Workers: 3, Seed: 2, Coding: measure.BlockCoding, Attackers: quick})
	// The limit is NaN, which equals nothing.
	if one.Limited() || one.Findings[2].Description.Rows != 59 || one.Findings[0].Leakage.RowsFitted+one.Findings[0].Leakage.RowsScored != 59 {
		t.Errorf("attack = %+v, want no limit and 59 rows", one)
	}
	for _, r := range []*attack.Result{one, three} {
		for i := range r.Findings {
			r.Findings[i].Limit = 0
		}
	}
	if !reflect.DeepEqual(one.Findings, three.Findings) {
		t.Errorf("one worker gives %+v, three %+v", one, three)
	}
}

// TestAttackManyValues: values so many that they may name persons are not kept.
func TestAttackManyValues(t *testing.T) {
	for _, classes := range []int{32, 33} {
		d := measure.Labelled{X: nn.NewMatrix(4*classes, 2), Z: make([]int, 4*classes)}
		names := make([]string, classes)
		for i := range d.Z {
			d.Z[i] = i % classes
			d.X.Row(i)[0] = float32(i % classes)
			names[i%classes] = fmt.Sprint("name ", i%classes)
		}
		a, err := infer(d, names, nil, attack.Options{Attackers: []string{"linear"}})
		if err != nil {
			t.Fatal(err)
		}
		if named := a.Values != nil; named != (classes == 32) || a.Classes != classes {
			t.Errorf("%d values: named is %v, %d classes, want names of at most 32", classes, named, a.Classes)
		}
	}
}

func TestAttackVectorsErrors(t *testing.T) {
	d := measure.Labelled{X: nn.NewMatrix(5, 2), Z: []int{0, 1, 0, -1, -1}}
	for name, o := range map[string]attack.Options{"few rows": {}, "workers": {Workers: -1}} {
		if a, err := infer(d, []string{"a", "b"}, nil, o); err == nil {
			t.Errorf("%s: the attack found %+v, want an error", name, a)
		}
	}
}
