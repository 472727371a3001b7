package dataset

import (
	"fmt"
	"maps"
	"math/bits"
	weakrand "math/rand/v2"
	"slices"
)

// shares are the parts of a seeded split in percent of the rows; the rest is
// the test part.
type shares struct{ train, validation int }

// The seeded splits. The released code of FEDERATE takes a tenth of the first
// 80 percent as validation part, where the paper says 60/20/20.
var (
	published  = shares{60, 20}
	released   = shares{72, 8}
	eighty     = shares{80, 10}
	eightyOnly = shares{80, 0}
)

// source returns the generator of a seeded split. Splits must stay the same for
// ever, so they depend on nothing but PCG, whose sequence is specified.
func source(seed uint64) weakrand.Source {
	return weakrand.NewPCG(seed, 0x736f74746f206473) // "sotto ds"
}

// below draws a number below n without bias, by multiplication and rejection
// (Lemire 2019).
func below(src weakrand.Source, n uint64) uint64 {
	threshold := -n % n
	for {
		hi, lo := bits.Mul64(src.Uint64(), n)
		if lo >= threshold {
			return hi
		}
	}
}

// permutation returns a random order of n rows.
func permutation(n int, src weakrand.Source) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := int(below(src, uint64(i+1)))
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// split assigns n rows to parts, in an order that the seed alone decides. Sizes
// are rounded as the released code of FEDERATE does: first all but the test
// part, then the validation part, each down.
func (s shares) split(n int, seed uint64) []Part {
	parts := make([]Part, n)
	test := n * (s.train + s.validation) / 100
	validation := test - test*s.validation/(s.train+s.validation)
	for place, i := range permutation(n, source(seed)) {
		switch {
		case place < validation:
			parts[i] = Train
		case place < test:
			parts[i] = Validation
		default:
			parts[i] = Test
		}
	}
	return parts
}

// splitGroups is split for rows that must not be separated: those with equal
// keys. The shares hold for the groups.
func (s shares) splitGroups(keys []string, seed uint64) []Part {
	group := map[string]int{}
	for _, k := range keys {
		if _, ok := group[k]; !ok {
			group[k] = len(group)
		}
	}
	of := s.split(len(group), seed)
	parts := make([]Part, len(keys))
	for i, k := range keys {
		parts[i] = of[group[k]]
	}
	return parts
}

// Draw assigns units to parts, in an order that the seed alone decides: of the
// units of each stratum the given percentages train and validate, each rounded,
// and the rest tests. A stratum of three units or more is in every part that has
// a share.
func Draw(strata []int, train, validation int, seed uint64) []Part {
	of := map[int][]int{}
	for unit, s := range strata {
		of[s] = append(of[s], unit)
	}
	parts, src := make([]Part, len(strata)), source(seed)
	for _, s := range slices.Sorted(maps.Keys(of)) {
		units := of[s]
		n, rest := len(units), 100-train-validation
		share := func(percent int) int {
			if percent == 0 {
				return 0
			}
			return max((n*percent+50)/100, min(1, n/3))
		}
		tests, validates := share(rest), share(validation)
		for place, k := range permutation(n, src) {
			switch {
			case place < tests:
				parts[units[k]] = Test
			case place < tests+validates:
				parts[units[k]] = Validation
			default:
				parts[units[k]] = Train
			}
		}
	}
	return parts
}

// skew keeps those rows of a set that make its training part 40/10/10/40 and
// the other parts 25/25/25/25, as Elazar and Goldberg (2018) and FEDERATE did
// with Twitter: four times out of five the last label stands with class 1 of the
// first attribute and the first label with class 0. Other labels are left out.
// Each part is as large as its scarcest cell allows.
func (s *Set) skew(seed uint64) (*Set, error) {
	last := len(s.Label.Classes) - 1
	src := source(seed)
	var keep []int
	for _, part := range []Part{Train, Validation, Test} {
		var cells [4][]int // last/1, last/0, first/1, first/0
		rows := s.Indices(part)
		for _, k := range permutation(len(rows), src) {
			i := rows[k]
			label, attribute := s.Label.IDs[i], s.Attributes[0].IDs[i]
			if attribute == Unknown || (label != 0 && label != last) {
				continue
			}
			cell := 1 - attribute
			if label == 0 {
				cell += 2
			}
			cells[cell] = append(cells[cell], i)
		}
		ratio := [4]int{1, 1, 1, 1}
		if part == Train {
			ratio = [4]int{4, 1, 1, 4}
		}
		unit := len(cells[0]) / ratio[0]
		for c := range cells {
			unit = min(unit, len(cells[c])/ratio[c])
		}
		if unit == 0 && len(rows) > 0 {
			return nil, fmt.Errorf("dataset: %s has an empty cell of label and %s in its %s part, must have a row in each to be skewed", s.Name, s.Attributes[0].Name, part)
		}
		for c := range cells {
			keep = append(keep, cells[c][:unit*ratio[c]]...)
		}
	}
	slices.Sort(keep)
	p := s.pick(keep)
	p.Label.Classes = []string{s.Label.Classes[0], s.Label.Classes[last]}
	for i, id := range p.Label.IDs {
		p.Label.IDs[i] = min(id, 1)
	}
	return p, nil
}
