package measure

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"

	"sotto/compute/nn"
)

// Coding is a way of counting the bits that an attribute takes to send to someone
// who has the vectors, with a probe that learns as it goes. The numbers of two
// codings are never compared.
type Coding string

// The codings. Both cut the shuffled rows at t₁ < t₂ < … < t₁₁ = n, which are the
// shares .001 .002 .004 .008 .016 .032 .064 .125 .25 .5 1 of n, rounded down,
// send the first t₁ values at log₂ C bits each, C being the number of classes,
// and fit a probe to the first t_k rows.
const (
	// BlockCoding is online coding: the probe codes the rows from t_k to t_{k+1},
	// which it has not seen. Inputs are standardised, and no value costs more
	// than 40 bits.
	BlockCoding Coding = "block"
	// PrefixCoding is compatible with the published tables, and nothing that
	// anybody could decode: the probe is scored on all of the first t_{k+1} rows,
	// those that it was fitted to included. Values with probability 0 (in single
	// precision), or that the probe has not met, are skipped at no cost. Inputs
	// are not standardised. A probe that learns nothing costs 2.002·n·log₂ C.
	PrefixCoding Coding = "prefix"
)

// cuts are the shares of rows at which a probe is fitted. Some texts print .0625
// for .064; the published numbers were made with .064.
var cuts = []float64{.001, .002, .004, .008, .016, .032, .064, .125, .25, .5, 1}

// codeFloor is the least probability that block coding gives to a value.
const codeFloor = 0x1p-40

// DescriptionLength is the number of bits that an attribute takes, given the
// vectors: the fewer, the more the vectors say and the more easily it is learnt.
type DescriptionLength struct {
	Coding  Coding  `json:"code"`
	Rows    int     `json:"rows"`
	Classes int     `json:"classes"`
	Bits    float64 `json:"bits"`
	Kbit    float64 `json:"kbit"`    // Bits / 1024, the unit of the published tables
	Uniform float64 `json:"uniform"` // bits in the same coding of whoever takes all values for equally likely
	// Prior is the bits in the same coding of whoever knows how common each value
	// is, and has no vectors: the entropy for each row that a probe codes.
	Prior float64 `json:"prior,omitempty"`
	// Compression is Prior / Bits: 1 if the vectors say nothing, more if they
	// help, less if the probe took noise for signal. Against Uniform a probe that
	// has merely learnt which value is common would seem to have read something.
	Compression Number  `json:"compression"`
	Blocks      []Block `json:"blocks"` // the learning curve
}

// Block is a part of the rows that one probe coded.
type Block struct {
	Fitted  int     `json:"fitted"` // rows that the probe was fitted to; 0 means coded without a probe
	From    int     `json:"from"`   // the first row coded, counted from 0 in shuffled order
	To      int     `json:"to"`     // one beyond the last
	Bits    float64 `json:"bits"`
	Skipped int     `json:"skipped"` // values that cost nothing in prefix coding
}

// DescriptionLength codes the attribute of the given rows, those of unknown
// value left out. A prefix with one value teaches nothing, so what follows is
// coded uniformly. The probe's seed also shuffles the rows. Each worker of the
// pool fits one probe at a time, and the result has the same bits for every
// number of them. Errors are those of [Probe.Fit]. It panics if there is not one
// value for each row.
func (h Probe) DescriptionLength(ctx context.Context, p *nn.Pool, data Labelled, classes int, coding Coding) (DescriptionLength, error) {
	if coding != BlockCoding && coding != PrefixCoding {
		return DescriptionLength{}, fmt.Errorf("measure: code is %q, must be block or prefix", string(coding))
	}
	if err := h.Validate(); err != nil {
		return DescriptionLength{}, err
	}
	rows, err := knownRows(data, classes)
	if err != nil {
		return DescriptionLength{}, err
	}
	// The second word keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(h.Seed, 0x6d646c))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	c := coder{Probe: h, coding: coding, classes: classes, data: data.Gather(rows)}
	out := DescriptionLength{Coding: coding, Rows: len(rows), Classes: classes, Blocks: c.blocks()}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(p.Workers())
	for k := range slices.Backward(out.Blocks) { // the largest first, so that no worker is left with it
		g.Go(func() error { return c.fill(ctx, &out.Blocks[k]) })
	}
	if err := g.Wait(); err != nil {
		return DescriptionLength{}, err
	}
	for _, b := range out.Blocks {
		out.Bits += b.Bits
		out.Uniform += c.uniform(b)
		if b.Fitted == 0 { // no probe, and so no shares either
			out.Prior += c.uniform(b)
		} else {
			out.Prior += float64(b.To-b.From) * c.entropy()
		}
	}
	out.Kbit, out.Compression = out.Bits/1024, Number(out.Prior/out.Bits)
	return out, nil
}

// coder codes rows in shuffled order.
type coder struct {
	Probe
	coding  Coding
	classes int
	data    Labelled
}

// blocks returns what is to be coded, still without bits.
func (c *coder) blocks() []Block {
	blocks := make([]Block, len(cuts))
	before := 0
	for k, share := range cuts {
		at := int(share * float64(len(c.data.Z)))
		blocks[k] = Block{Fitted: before, From: before, To: at}
		if c.coding == PrefixCoding {
			blocks[k].From = 0
		}
		before = at
	}
	return blocks
}

// uniform returns the bits of a block for whoever knows nothing.
func (c *coder) uniform(b Block) float64 {
	return float64(b.To-b.From) * math.Log2(float64(c.classes))
}

// entropy returns that of the attribute in bits, from the shares of its values.
func (c *coder) entropy() float64 {
	shares := make([]float64, c.classes)
	for _, z := range c.data.Z {
		shares[z] += 1 / float64(len(c.data.Z))
	}
	return stat.Entropy(shares) / math.Ln2
}

// fill counts the bits of a block.
func (c *coder) fill(ctx context.Context, b *Block) error {
	if b.From == b.To {
		return ctx.Err()
	}
	seen, met := c.met(b.Fitted)
	if met < 2 {
		b.Fitted, b.Bits = 0, c.uniform(*b)
		return ctx.Err()
	}
	pool := nn.NewPool(1)
	part := c.data.X.Slice(b.From, b.To)
	if c.coding == BlockCoding {
		a, err := c.fit(ctx, pool, c.prefix(b.Fitted), c.classes, newScaler)
		if err != nil {
			return err
		}
		probabilities := a.Probabilities(pool, part)
		for i, z := range c.data.Z[b.From:b.To] {
			b.Bits -= math.Log2(max(float64(probabilities.Row(i)[z]), codeFloor))
		}
		return nil
	}
	// The published probe has an output for each value that it has met, and no
	// others.
	prefix := c.prefix(b.Fitted)
	z := make([]int, b.Fitted)
	for i, v := range prefix.Z {
		z[i] = seen[v]
	}
	a, err := c.fit(ctx, pool, Labelled{prefix.X, z}, met, identity)
	if err != nil {
		return err
	}
	probabilities := a.Probabilities(pool, part)
	for i, z := range c.data.Z[b.From:b.To] {
		if seen[z] < 0 || probabilities.Row(i)[seen[z]] == 0 {
			b.Skipped++
			continue
		}
		b.Bits -= math.Log2(float64(probabilities.Row(i)[seen[z]]))
	}
	return nil
}

// prefix returns the first n rows.
func (c *coder) prefix(n int) Labelled { return Labelled{c.data.X.Slice(0, n), c.data.Z[:n]} }

// met numbers the values that occur in the first n rows, −1 for others, and
// returns how many there are.
func (c *coder) met(n int) (numbers []int, met int) {
	numbers = make([]int, c.classes)
	for v := range numbers {
		numbers[v] = -1
	}
	for _, v := range c.data.Z[:n] {
		numbers[v] = 0
	}
	for v, occurs := range numbers {
		if occurs == 0 {
			numbers[v] = met
			met++
		}
	}
	return numbers, met
}
