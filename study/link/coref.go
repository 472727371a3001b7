package link

// Ratio is how much of what was found is right, and how much of what is right was
// found, both from 0 to 1.
type Ratio struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Coref is how well chains of mentions agree with the true ones, by the measures that
// coreference is judged by. Mentions that only one side has count as they are: none is
// added or taken away (Pradhan and others, 2014).
type Coref struct {
	Documents int   `json:"documents"`
	True      int   `json:"mentions_true"`
	Found     int   `json:"mentions_found"`
	Mentions  Ratio `json:"mentions"` // of mentions alone, in whatever chains
	// MUC counts the links that a chain would need (Vilain and others, 1995). Mentions
	// that are alone have none.
	MUC Ratio `json:"muc"`
	// BCubed is the mean over mentions of how much of a mention's chain is shared (Bagga
	// and Baldwin, 1998).
	BCubed Ratio `json:"b_cubed"`
	// CEAFM and CEAFE align chains one to one so that they share the most, in mentions
	// (φ3) or in parts of chains (φ4) (Luo, 2005).
	CEAFM Ratio `json:"ceaf_m"`
	CEAFE Ratio `json:"ceaf_e"`
	// LEA is the part of each chain's links that is found, a chain counting as much as it
	// has mentions; one mention alone has a link to itself (Moosavi and Strube, 2016).
	LEA   Ratio   `json:"lea"`
	CoNLL float64 `json:"conll"` // mean F1 of MUC, B³ and CEAF-e
}

// Documents sums the measures of [Coref] over documents: numerators and denominators,
// not ratios, as is usual. The zero value has none.
type Documents struct {
	n                                        int
	mentions, muc, bcubed, ceafm, ceafe, lea sums
}

// sums are what the two ratios of a measure are made of.
type sums struct{ found, ofFound, right, ofRight float64 }

func (s sums) ratio() Ratio {
	part := func(x, of float64) float64 {
		if of == 0 {
			return 1
		}
		return x / of
	}
	r := Ratio{Precision: part(s.found, s.ofFound), Recall: part(s.right, s.ofRight)}
	r.F1 = harmonic(r.Precision, r.Recall)
	return r
}

// Add counts a document: its true chains and those found, each a list of mentions, which
// are numbered so that the same number is the same mention on both sides. It panics if a
// mention stands in two chains of a side.
func (d *Documents) Add(truth, found [][]int) {
	d.n++
	inTruth, inFound := places(truth), places(found)
	shared := 0.0
	for m := range inTruth {
		if _, ok := inFound[m]; ok {
			shared++
		}
	}
	d.mentions.found, d.mentions.ofFound = d.mentions.found+shared, d.mentions.ofFound+float64(len(inFound))
	d.mentions.right, d.mentions.ofRight = d.mentions.right+shared, d.mentions.ofRight+float64(len(inTruth))
	for _, side := range []struct {
		chains, others      [][]int
		at                  map[int]int // of the mentions of others
		mucPart, mucAll     *float64
		cubedPart, cubedAll *float64
		ceafmAll, ceafeAll  *float64
		leaPart, leaAll     *float64
	}{
		{truth, found, inFound, &d.muc.right, &d.muc.ofRight, &d.bcubed.right, &d.bcubed.ofRight, &d.ceafm.ofRight, &d.ceafe.ofRight, &d.lea.right, &d.lea.ofRight},
		{found, truth, inTruth, &d.muc.found, &d.muc.ofFound, &d.bcubed.found, &d.bcubed.ofFound, &d.ceafm.ofFound, &d.ceafe.ofFound, &d.lea.found, &d.lea.ofFound},
	} {
		for _, chain := range side.chains {
			size := float64(len(chain))
			*side.mucPart += size - float64(parts(chain, side.at))
			*side.mucAll += size - 1
			*side.cubedPart += cubed(chain, side.at)
			*side.cubedAll += size
			*side.ceafmAll += size
			*side.ceafeAll++
			*side.leaPart += float64(size * links(chain, side.others, side.at))
			*side.leaAll += size
		}
	}
	m, e := aligned(truth, found, inFound)
	d.ceafm.found, d.ceafm.right = d.ceafm.found+m, d.ceafm.right+m
	d.ceafe.found, d.ceafe.right = d.ceafe.found+e, d.ceafe.right+e
}

// Score returns the measures over all documents that were added.
func (d *Documents) Score() Coref {
	c := Coref{
		Documents: d.n, True: int(d.mentions.ofRight), Found: int(d.mentions.ofFound), Mentions: d.mentions.ratio(),
		MUC: d.muc.ratio(), BCubed: d.bcubed.ratio(), CEAFM: d.ceafm.ratio(), CEAFE: d.ceafe.ratio(), LEA: d.lea.ratio(),
	}
	c.CoNLL = (c.MUC.F1 + c.BCubed.F1 + c.CEAFE.F1) / 3
	return c
}

// places says in which chain each mention is.
func places(chains [][]int) map[int]int {
	at := make(map[int]int)
	for k, chain := range chains {
		if len(chain) == 0 {
			panic("agree: a chain has no mention")
		}
		for _, m := range chain {
			if _, twice := at[m]; twice {
				panic("agree: a mention stands in two chains")
			}
			at[m] = k
		}
	}
	return at
}

// overlap counts how many mentions of a chain are in each chain of the others, and how
// many are in none. The counts are in the order in which the others appear.
func overlap(chain []int, at map[int]int) (counts []int, which []int, none int) {
	place := make(map[int]int)
	for _, m := range chain {
		k, ok := at[m]
		if !ok {
			none++
			continue
		}
		p, seen := place[k]
		if !seen {
			p = len(counts)
			place[k] = p
			counts, which = append(counts, 0), append(which, k)
		}
		counts[p]++
	}
	return counts, which, none
}

// parts is into how many the others cut a chain; a mention that they lack is one.
func parts(chain []int, at map[int]int) int {
	counts, _, none := overlap(chain, at)
	return len(counts) + none
}

// cubed sums, over the mentions of a chain, the part of it that they share a chain with.
func cubed(chain []int, at map[int]int) float64 {
	counts, _, _ := overlap(chain, at)
	sum := 0
	for _, n := range counts {
		sum += n * n
	}
	return float64(sum) / float64(len(chain))
}

// links is the part of a chain's links that the others have.
func links(chain []int, others [][]int, at map[int]int) float64 {
	if len(chain) == 1 {
		if k, ok := at[chain[0]]; ok && len(others[k]) == 1 {
			return 1
		}
		return 0
	}
	counts, _, _ := overlap(chain, at)
	sum := 0
	for _, n := range counts {
		sum += n * (n - 1) / 2
	}
	return float64(sum) / float64(len(chain)*(len(chain)-1)/2)
}

// aligned returns what the best alignments of chains share, in mentions and in parts of
// chains.
func aligned(truth, found [][]int, inFound map[int]int) (mentions, chains float64) {
	m, e := newTable(len(truth), len(found)), newTable(len(truth), len(found))
	for k, chain := range truth {
		counts, which, _ := overlap(chain, inFound)
		for p, n := range counts {
			r := which[p]
			m[k][r] = float64(n)
			e[k][r] = 2 * float64(n) / float64(len(chain)+len(found[r]))
		}
	}
	return assign(m), assign(e)
}

func newTable(rows, columns int) [][]float64 {
	out := make([][]float64, rows)
	for k := range out {
		out[k] = make([]float64, columns)
	}
	return out
}
