package attack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/internal/layout"
)

// attacker is a probe, and what it does to releases before it looks.
type attacker struct {
	name  string
	probe measure.Probe
	see   func(nn.Matrix) nn.Matrix
}

// attackers are those that an attack can try. The centred one knows that noise
// which is the same in all coordinates can be taken out again.
func attackers(seed uint64) []attacker {
	asTheyAre := func(x nn.Matrix) nn.Matrix { return x }
	return []attacker{
		{"linear", measure.Probe{Hidden: []int{}, Seed: seed}, asTheyAre},
		{"mlp-100", measure.Probe{Seed: seed}, asTheyAre}, // the reference attacker of the FEDERATE tables
		{"mlp-100-centred", measure.Probe{Seed: seed}, Centred},
		{"mlp-512", measure.Probe{Hidden: []int{512, 512}, Epochs: 100, Seed: seed}, asTheyAre}, // DPNR's two layers of 512 units
	}
}

// Centred returns releases without what all coordinates of each share: the mean
// of a row is subtracted from it.
func Centred(x nn.Matrix) nn.Matrix {
	centred := nn.NewMatrix(x.Rows, x.Cols)
	for i := range x.Rows {
		mean := 0.0
		for _, v := range x.Row(i) {
			mean += float64(v)
		}
		mean /= float64(x.Cols)
		for j, v := range x.Row(i) {
			centred.Row(i)[j] = float32(float64(v) - mean)
		}
	}
	return centred
}

// known refuses names that no attacker has.
func known(names []string) error {
	var all []string
	for _, a := range attackers(0) {
		all = append(all, a.name)
	}
	for _, want := range names {
		if !slices.Contains(all, want) {
			return fmt.Errorf("attack: attacker is %q, must be one of %s%s", want, strings.Join(all, ", "), layout.Hint(want, all))
		}
	}
	return nil
}

// choose returns the attackers of those names, all if names is nil, that are fit
// for vectors of so many coordinates.
func choose(names []string, seed uint64, coordinates int) ([]attacker, error) {
	some := slices.DeleteFunc(attackers(seed), func(a attacker) bool {
		useless := a.name == "mlp-100-centred" && coordinates < 2 // nothing would be left
		return useless || names != nil && !slices.Contains(names, a.name)
	})
	if len(some) == 0 {
		return nil, errors.New("attack: no attacker was chosen that suits the vectors, must be at least one")
	}
	return some, nil
}
