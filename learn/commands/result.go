package files

import (
	"cmp"
	"fmt"
	"slices"

	"sotto/internal/layout"
	"sotto/promise/dp"
)

// Format marks what "sotto audit files" prints as JSON.
const Format = "sotto-audit-files-1"

// Kind is the kind of a piece of evidence.
type Kind string

// The kinds of evidence.
const (
	Constant     Kind = "constant"     // one value in all runs on A, another in all on B
	Distribution Kind = "distribution" // values that are random, and not equally likely
)

// Result is what an audit of a command certifies.
type Result struct {
	Format  string `json:"format"`
	Command string `json:"command"`
	Differs string `json:"differs"` // in what the inputs differ

	Unit  dp.Unit    `json:"unit"`
	Claim dp.Epsilon `json:"claim"`
	Delta float64    `json:"delta"`
	// EpsilonLower is what the ε of the whole command must be at least, with
	// probability Confidence.
	EpsilonLower float64 `json:"epsilon_lower"`
	Confidence   float64 `json:"confidence"`
	Refuted      bool    `json:"refuted"`

	Learning   int `json:"runs_learning"`   // runs to learn from, on either input
	Certifying int `json:"runs_certifying"` // fresh runs, which were counted
	Fields     int `json:"fields"`          // that were looked at

	Joint Joint `json:"joint"`
	// Evidence is what refutes the claim by itself, and what is constant even if
	// too few runs were made to refute the claim by it.
	Evidence []Evidence `json:"evidence"`
	// Within is what tells the inputs apart by no more than the claim allows.
	Within  []Evidence `json:"within"`
	Ignored []Ignored  `json:"ignored"`
	Notes   []string   `json:"notes"`    // what a reader should know of these runs
	NotSeen []string   `json:"not_seen"` // what no such audit sees
}

// Joint is what all fields tell together.
type Joint struct {
	EpsilonLower float64 `json:"epsilon_lower"`
	Right        int64   `json:"right"`   // guesses
	Guesses      int64   `json:"guesses"` // of the runs that were counted
	Refutes      bool    `json:"refutes"`
}

// Evidence is a field, or several that are alike, that tell the inputs apart.
type Evidence struct {
	Where        string  `json:"where"`
	What         string  `json:"what"`
	Kind         Kind    `json:"kind"`
	EpsilonLower float64 `json:"epsilon_lower"` // by itself, with the same confidence for all evidence together
	Refutes      bool    `json:"refutes"`
}

// Ignored is a pattern of fields that were not looked at.
type Ignored struct {
	Pattern string `json:"pattern"`
	Fields  int    `json:"fields"` // of all runs to learn from
}

// result judges what was counted. Half of the false alarms that are allowed go to
// the joint event, the other half to the named ones, by Holm's method.
func (a *auditor) result(t *table, p *plan, tallies []tally, need int) *Result {
	c := a.config
	alpha := 1 - c.Confidence
	r := &Result{
		Format: Format, Command: layout.Command(c.Command...), Differs: a.in.differ.text,
		Unit: c.Unit, Claim: dp.Epsilon(c.Claim), Delta: c.Delta, Confidence: c.Confidence,
		Learning: c.Runs, Certifying: int(tallies[0].runs[0] + tallies[0].runs[1]), Fields: len(t.names),
		Evidence: []Evidence{}, Within: []Evidence{}, Ignored: []Ignored{},
	}
	joint := tallies[0].bound(alpha/2, c.Delta)
	r.Joint = Joint{EpsilonLower: max(0, joint), Right: tallies[0].right(), Guesses: tallies[0].guesses(), Refutes: joint > c.Claim}
	r.EpsilonLower, r.Refuted = r.Joint.EpsilonLower, r.Joint.Refutes
	refuting := holm(tallies[1:], c.Claim, c.Delta, alpha/2)
	for i, each := range p.named {
		n := &tallies[i+1]
		e := Evidence{Where: each.where, Kind: Distribution, Refutes: refuting[i]}
		e.EpsilonLower = max(0, n.bound(alpha/2/float64(len(p.named)), c.Delta))
		e.What = fmt.Sprintf("it alone tells which input a run was on: %d of %d guesses are right, in %d runs", n.right(), n.guesses(), r.Certifying)
		if each.constant && n.right() == int64(r.Certifying) {
			e.Kind = Constant
			e.What = fmt.Sprintf("one constant in all runs on A and another in all on B, %d and %d of them counted; if it is so always, no ε is true", n.runs[0], n.runs[1])
		}
		r.EpsilonLower, r.Refuted = max(r.EpsilonLower, e.EpsilonLower), r.Refuted || e.Refutes
		switch {
		case e.Refutes || e.Kind == Constant:
			r.Evidence = append(r.Evidence, e)
		case e.EpsilonLower > 0:
			r.Within = append(r.Within, e)
		}
	}
	if r.Joint.Refutes && !slices.ContainsFunc(r.Evidence, func(e Evidence) bool { return e.Refutes }) {
		r.Evidence = append(r.Evidence, Evidence{
			Where: "all fields together", Kind: Distribution, EpsilonLower: r.Joint.EpsilonLower, Refutes: true,
			What: fmt.Sprintf("no field by itself, but all together tell which input a run was on: %d of %d guesses are right, in %d runs", r.Joint.Right, r.Joint.Guesses, r.Certifying),
		})
	}
	for i, text := range c.Ignore {
		r.Ignored = append(r.Ignored, Ignored{text, a.ignored[i]})
	}
	a.say(r, t, need)
	return r
}

// holm says which of several claims are refuted, so that with probability 1−alpha
// none is that is true: the i-th smallest of k false-alarm rates must be at most
// alpha/(k−i+1), and so must all smaller ones theirs.
func holm(all []tally, claim, delta, alpha float64) []bool {
	p, order := make([]float64, len(all)), make([]int, len(all))
	for i := range all {
		p[i], order[i] = all[i].p(claim, delta), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	refuted := make([]bool, len(all))
	for rank, i := range order {
		if p[i] > alpha/float64(len(all)-rank) {
			break
		}
		refuted[i] = true
	}
	return refuted
}

// say adds what a reader should know.
func (a *auditor) say(r *Result, t *table, need int) {
	note := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	r.Notes = []string{}
	if most := a.ceiling(); need > r.Certifying && !r.Refuted && most < a.config.Claim {
		note("%d runs certify at most ε ≥ %.2f, however plain the difference: what is constant needs %d counted runs to refute this claim (--runs, --most)", r.Certifying, most, need)
	} else if most := a.ceiling(); most < a.config.Claim && !r.Refuted {
		note("so many runs certify at most ε ≥ %.2f, however plain a difference is: to refute ε = %v take more (--runs), or audit the command at a smaller ε", most, a.config.Claim)
	}
	if t.lost > 0 {
		note("runs write more than the %d fields that are looked at singly: %d are compared as part of their file alone", maxFields, t.lost)
	}
	if a.in.differ.row == 0 {
		note("which row differs is not known, so that it is not told apart from others")
	}
	r.NotSeen = []string{
		fmt.Sprintf("what happens in fewer than about one run in %d", max(1, r.Learning/2)),
		"other inputs than A and B: the worst pair may tell more",
		"what fields tell only together, unless it is by a sum, a difference or by being equal",
		"the low bits of floating-point numbers, and what is written encrypted or packed in another way than gzip",
		"how long a run takes, and what it does to the machine and the network",
	}
}

// ceiling is what could be certified if all guesses were right.
func (a *auditor) ceiling() float64 {
	t := tally{}
	t.runs = [2]int64{int64(a.certified+1) / 2, int64(a.certified) / 2}
	t.high[0], t.low[1] = t.runs[0], t.runs[1]
	if a.config.Delta > 0 {
		t.low[1] = 0
	}
	return max(0, t.bound((1-a.config.Confidence)/2, a.config.Delta))
}
