// Package attack tries to learn from releases what they should hide, and holds
// what it learnt against what no attacker exceeds if the stated ε is true. There
// are several kinds of attack, [Kinds]; all give a [Result], which lists what each
// attacker reached beside what whoever sees no release reaches.
//
// A result that refutes nothing is no proof: only a guarantee speaks of all
// attackers. The randomness is reproducible, so nothing here releases anything.
// The smallest use is
//
//	corpus, err := attack.NewCorpus(ctx, "reviews", texts, encoder, 1000, attack.Options{})
//	if err != nil {
//		return err
//	}
//	r, err := attack.Run(ctx, attack.Membership, attack.Target{Corpus: corpus, Mechanism: m}, attack.Options{})
package attack

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/internal/layout"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// Kind names a way to attack releases.
type Kind string

// The kinds of attack.
const (
	Attribute  Kind = "attribute"  // the value of an attribute, such as the author
	Entities   Kind = "entities"   // which kinds of name stand in the text
	Averaging  Kind = "averaging"  // what several releases of one text give away
	Inversion  Kind = "inversion"  // which words stand in the text
	Membership Kind = "membership" // whether a text was released
)

// Info describes a kind of attack.
type Info struct {
	Kind  Kind
	About string // what it does, in a line
	Title string // what it asks, as the heading of a report
	Needs Needs
	// Rows is how many texts it takes unless told otherwise; more cost time.
	Rows int
	// Infers says that its accuracy is that of a guess of the protected attribute.
	Infers bool

	attack func(*attempt, context.Context) error
}

// Needs says what a kind of attack is made on.
type Needs struct {
	Releases  bool // releases that there are already, instead of a corpus
	Texts     bool // the rows of the corpus are texts
	Mechanism bool // which releases the corpus; it may be absent otherwise
	Least     int  // rows of the corpus
}

// kinds is where a kind of attack is registered.
var kinds = []Info{
	{Attribute, "Guess an attribute from released vectors", "What an attribute is", Needs{Releases: true}, 0, true, (*attempt).attribute},
	{Entities, "Guess which names or other things stand in the texts behind released vectors", "Which kinds of name stand in the text", Needs{Releases: true}, 0, false, (*attempt).entities},
	{Averaging, "Average several releases of each text, with fresh and with memoised noise", "Several releases of one text", Needs{Mechanism: true, Least: 8}, 2000, true, (*attempt).averaging},
	{Inversion, "Guess which words stand in texts from a release of each, or from raw vectors", "Which words stand in the text", Needs{Texts: true, Least: 20}, 10_000, false, (*attempt).inversion},
	{Membership, "Guess which texts were released", "Whether a text was released", Needs{Mechanism: true, Least: 8}, 1000, false, (*attempt).membership},
}

// Kinds lists the kinds of attack.
func Kinds() []Info { return slices.Clone(kinds) }

// Find returns the kind of that name.
func Find(k Kind) (Info, error) {
	var names []string
	for _, info := range kinds {
		if info.Kind == k {
			return info, nil
		}
		names = append(names, string(info.Kind))
	}
	return Info{}, fmt.Errorf("attack: kind is %.40q, must be one of %s%s", string(k), strings.Join(names, ", "), layout.Hint(string(k), names))
}

// Target is what is attacked: releases that there are already, or a corpus of
// which the attack makes releases itself.
type Target struct {
	Source   string // of the releases, for a person
	Released iter.Seq2[*Released, error]

	Corpus    *Corpus
	Mechanism mech.Mechanism // nil: the raw vectors of the corpus are attacked
}

// Options say how an attack is made. The zero value serves.
type Options struct {
	Seed    uint64 // of splits, attackers and the noise of simulated releases; that of a stored model is added
	Workers int    // cores; 0 means all
	// Claim is what the findings are held against; nil means the guarantee of
	// what is attacked.
	Claim *dp.Guarantee
	// Risk is the chance that a true guarantee is refuted, by all findings
	// together; 0 means 0.025.
	Risk float64
	// Progress, if set, is told how much of all work is done, from any
	// goroutine.
	Progress func(done, total int64)

	// Attackers are the names of those that attribute inference tries; nil means
	// all: linear, mlp-100, mlp-100-centred and mlp-512.
	Attackers []string
	// Coding is how attribute inference counts the description length; empty
	// leaves it out. It takes much longer than the attack, so that Coders may
	// name fewer attackers; nil means all that attack.
	Coding measure.Coding
	Coders []string
	// Releases are the numbers of releases that averaging tries.
	Releases []int
	// Words is how many of the commonest words inversion looks for; 0 means
	// [InversionWords].
	Words int
}

// check fills in what is left out, and refuses what is wrong.
func (o *Options) check() error {
	if o.Risk == 0 {
		o.Risk = 0.025
	}
	if !(o.Risk > 0 && o.Risk < 0.5) {
		return fmt.Errorf("attack: risk is %v, must be above 0 and below 0.5", o.Risk)
	}
	if o.Claim != nil {
		if err := o.Claim.Validate(); err != nil {
			return err
		}
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Workers < 0 {
		return fmt.Errorf("attack: workers is %d, must be at least 1", o.Workers)
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	return nil
}

// counter returns what is called, from any goroutine, when one more of the jobs
// is done.
func (o *Options) counter(jobs int) func() {
	var done atomic.Int64
	return func() { o.Progress(done.Add(1), int64(jobs)) }
}

// each calls f for each item below n, side by side, until one fails.
func (o *Options) each(ctx context.Context, n int, f func(ctx context.Context, item int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.Workers)
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(ctx, i)
		})
	}
	return g.Wait()
}

// attempt is an attack under way.
type attempt struct {
	Options
	Target
	pool   *nn.Pool
	result *Result
}

// Run makes an attack.
func Run(ctx context.Context, k Kind, t Target, o Options) (*Result, error) {
	info, err := Find(k)
	if err != nil {
		return nil, err
	}
	if err = o.check(); err != nil {
		return nil, err
	}
	numbered := false
	if t.Mechanism, numbered, err = centred(t.Mechanism); err != nil {
		return nil, err
	}
	a := &attempt{o, t, nn.NewPool(o.Workers), &Result{Kind: k, Source: t.Source}}
	if !info.Needs.Releases {
		if err := info.Needs.check(k, t); err != nil {
			return nil, err
		}
		a.result.Source, a.result.Guarantee = t.Corpus.describe(t.Mechanism), o.Claim
		if t.Mechanism != nil {
			g := t.Mechanism.Guarantee()
			a.result.Guarantee = cmp.Or(o.Claim, &g)
			a.note(simulated)
		}
		if numbered {
			a.note("the number of a cell tells what the centre of that cell tells, which is what was attacked")
		}
	} else if t.Released == nil {
		return nil, fmt.Errorf("attack: there are no releases, must be some for the attack on %s", k)
	}
	if err := info.attack(a, ctx); err != nil {
		return nil, err
	}
	if a.result.Models == nil {
		conclude(o.Risk, a.result)
		return a.result, nil
	}
	conclude(o.Risk, a.result.Models...)
	first := *a.result.Models[0]
	first.Source, first.Folder, first.Seed, first.Models = t.Source, "", 0, a.result.Models
	first.Refuted = slices.ContainsFunc(first.Models, func(m *Result) bool { return m.Refuted })
	return &first, nil
}

// check refuses a corpus that is too small or does not fit its mechanism.
func (n Needs) check(k Kind, t Target) error {
	c, m := t.Corpus, t.Mechanism
	switch {
	case c == nil:
		return fmt.Errorf("attack: there is no corpus, must be one for %s", k)
	case n.Mechanism && m == nil:
		return fmt.Errorf("attack: there is no mechanism, must be one for %s", k)
	case n.Texts && (c.Texts == nil || c.Encoder == nil):
		return fmt.Errorf("attack: %s has no texts, must have some for %s", c.Source, k)
	case c.X.Rows < n.Least:
		return fmt.Errorf("attack: %s has %d rows, must have at least %d", c.Source, c.X.Rows, n.Least)
	case m == nil:
		return nil
	case mech.VariantOf(m.Params()).Labels():
		return fmt.Errorf("attack: %s releases a label, must be a mechanism for vectors", m.Params().Mechanism)
	}
	if in, _ := m.Shape(); in != c.X.Cols {
		return fmt.Errorf("attack: the mechanism takes %d numbers, must be those of a row, %d", in, c.X.Cols)
	}
	return nil
}

// centred returns a mechanism that releases the number of a cell as the one that
// releases the centre with that number, and reports whether it did: attackers take
// vectors, and the two tell the same. Any other mechanism stays as it is.
func centred(m mech.Mechanism) (mech.Mechanism, bool, error) {
	if _, cells := m.(*mech.Cells); !cells || m.Params().Variant != mech.Index {
		return m, false, nil
	}
	p := m.Params()
	p.Variant = mech.Centroid
	m, err := mech.New(p)
	return m, true, err
}

// note adds what a reader must know.
func (a *attempt) note(notes ...string) { a.result.Notes = append(a.result.Notes, notes...) }

// find adds findings.
func (a *attempt) find(findings ...Finding) {
	a.result.Findings = append(a.result.Findings, findings...)
}
