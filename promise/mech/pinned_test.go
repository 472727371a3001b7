package mech_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

var update = flag.Bool("update", false, "rewrite golden files")

const pinnedFile = "testdata/pinned.json"

// TestPinned: every variant of every mechanism releases the same bits as ever of
// fixed inputs with fixed randomness, on every build.
func TestPinned(t *testing.T) {
	got := map[string]string{}
	all := subjects()
	for _, labels := range []string{"krr", "subset"} {
		all = append(all, subject{Params: mech.Params{Mechanism: labels}.With(mech.Given{"classes": 5}), adapt: func(*mech.Params, int) {}})
	}
	for i, s := range all {
		p := s.Params
		p.Epsilon = 2
		if s.adapt != nil {
			s.adapt(&p, 8)
		} else {
			p.Dim = 8
		}
		m, err := mech.New(p)
		if err != nil {
			t.Fatalf("New(%+v) error = %v", p, err)
		}
		sum, err := mech.Fingerprint(m)
		if err != nil {
			t.Fatalf("Fingerprint(%+v) error = %v", p, err)
		}
		if !releasesSomething(t, m) {
			t.Errorf("%+v releases nothing but zeros of its own witness, so that it pins nothing", p)
		}
		got[fmt.Sprintf("%02d %s %s", i, m.Params().Mechanism, m.Params().Variant)] = hex.EncodeToString(sum[:])
	}
	got["codebook, many codewords"] = hex.EncodeToString(manyCodewords(t))
	if *update {
		content, err := json.MarshalIndent(got, "", "  ")
		if err == nil {
			err = os.WriteFile(pinnedFile, append(content, '\n'), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(pinnedFile)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]string
	if err := json.Unmarshal(content, &want); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("%d releases are pinned, want %d: run make golden", len(want), len(got))
	}
	for name, sum := range got {
		if want[name] != sum {
			t.Errorf("%s releases other bits than were pinned: %s, want %s", name, sum, want[name])
		}
	}
}

// manyCodewords returns a digest of which codewords are released where many are
// almost equally near, so that one that is rounded otherwise shows.
func manyCodewords(t *testing.T) []byte {
	t.Helper()
	m, err := mech.NewCodebook(mech.Params{Dim: 32, Epsilon: 8, Own: mech.CodebookParams{Codewords: 1 << 14, Selected: 1 << 11}})
	if err != nil {
		t.Fatal(err)
	}
	source, h, x := dptest.Source(t, 5), sha256.New(), make([]float64, 32)
	for range 150 {
		for i := range x {
			x[i] = float64(int32(source.Uint64())) / (1 << 28)
		}
		choice, err := m.Choose(x, source)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintln(h, choice) // a hash takes everything
	}
	return h.Sum(nil)
}

// releasesSomething reports whether a release of the mechanism's witness has a
// number that is not 0.
func releasesSomething(t *testing.T, m mech.Mechanism) bool {
	t.Helper()
	x := m.Profile().Witness.X
	if x == nil {
		return true
	}
	for seed := range uint64(20) {
		y, err := m.Privatize(x, dptest.Source(t, seed))
		if err != nil && !errors.Is(err, dp.ErrDomain) {
			t.Fatal(err)
		}
		for _, v := range y {
			if v != 0 {
				return true
			}
		}
	}
	return false
}

// TestCodebookNearPrivUnit: with its own number of codewords the error is within
// 5 % of the best unbiased release of a vector, up to ε = 12.
func TestCodebookNearPrivUnit(t *testing.T) {
	type measured interface{ MSE() float64 }
	for _, dim := range []int{50, 16, 128, 384}[:dptest.Count(t, 1, 4)] {
		for _, epsilon := range []float64{1, 4, 6, 8, 10, 12} {
			var mse [2]float64
			for i, name := range []string{"codebook", "privunit"} {
				m, err := mech.New(mech.Params{Mechanism: name, Dim: dim, Epsilon: epsilon})
				if err != nil {
					t.Fatal(err)
				}
				mse[i] = m.(measured).MSE()
			}
			// The codebook's error is an estimate from fixed inputs: of these
			// dimensions the same on every run.
			if ratio := mse[0] / mse[1]; !(ratio < 1.05) {
				t.Errorf("D = %d, ε = %v: the codebook's error is %.3f times PrivUnit's, want at most 1.05", dim, epsilon, ratio)
			}
		}
	}
}
