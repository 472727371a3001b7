package experiment

import (
	"fmt"
	"math"
	"sync/atomic"

	"sotto/dp"
	"sotto/measure"
	"sotto/nn"
)

// AttackKind names a way to attack releases.
type AttackKind string

// The kinds of attack. Attribute inference has a type of its own, [Attack].
const (
	Entities   AttackKind = "entities"   // which kinds of name stand in the text
	Averaging  AttackKind = "averaging"  // what several releases of one text give away
	Inversion  AttackKind = "inversion"  // which words stand in the text
	Membership AttackKind = "membership" // whether a text was released
)

// Attempt is what one kind of attack learnt from releases.
type Attempt struct {
	Kind   AttackKind `json:"kind"`
	Source string     `json:"source"` // what was attacked, for a person
	// Guarantee is what is stated of one release, nil if nothing is.
	Guarantee *dp.Guarantee `json:"guarantee,omitempty"`
	Notes     []string      `json:"notes,omitempty"` // what a reader must know to judge it
	Findings  []Finding     `json:"findings"`
	Refuted   bool          `json:"refuted"` // a finding refutes the guarantee
}

// Finding is one number that an attacker reached.
type Finding struct {
	Attacker string `json:"attacker"`
	Target   string `json:"target"`          // what it guesses
	Metric   string `json:"metric"`          // accuracy, f1, precision@5, …
	Model    string `json:"model,omitempty"` // whose releases, where there are several
	// Releases is how many releases of each text the attacker has; 0 means one.
	Releases int `json:"releases,omitempty"`
	// Noise says whether these draw their noise anew ("fresh") or repeat the
	// first answer ("memoised"); "" where that is not the question.
	Noise    string         `json:"noise,omitempty"`
	Value    measure.Number `json:"value"`
	Low      measure.Number `json:"low"` // 95 % interval
	High     measure.Number `json:"high"`
	Baseline measure.Number `json:"baseline"` // of whoever sees no release
	Limit    measure.Number `json:"limit"`    // what no attacker exceeds at the stated ε; null where none is known
	Rows     int            `json:"rows"`     // scored
	Refutes  bool           `json:"refutes"`  // above the limit beyond chance
}

// AttemptOptions say how an attack is made. The zero value serves.
type AttemptOptions struct {
	Seed    uint64 // of splits, attackers and the noise of simulated releases
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
}

func (o AttemptOptions) check() (AttemptOptions, *nn.Pool, error) {
	if o.Risk == 0 {
		o.Risk = 0.025
	}
	if !(o.Risk > 0 && o.Risk < 0.5) {
		return o, nil, fmt.Errorf("experiment: risk is %v, must be above 0 and below 0.5", o.Risk)
	}
	if o.Claim != nil {
		if err := o.Claim.Validate(); err != nil {
			return o, nil, err
		}
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	pool, err := AttackOptions{Workers: o.Workers}.pool()
	return o, pool, err
}

// counter returns what is called, from any goroutine, when one more of the jobs
// is done.
func counter(progress func(done, total int64), jobs int) func() {
	var done atomic.Int64
	return func() { progress(done.Add(1), int64(jobs)) }
}

// stated returns the guarantee to hold findings against: the claim if there is
// one, else what is proved.
func (o AttemptOptions) stated(proved *dp.Guarantee) *dp.Guarantee {
	if o.Claim != nil {
		return o.Claim
	}
	return proved
}

// limitedBy returns the ε that limits what one release gives away, NaN if none
// does: limits are known for a text-level ε with δ = 0.
func limitedBy(g *dp.Guarantee) dp.Epsilon {
	if g == nil || g.Unit != dp.Text || g.Delta != 0 {
		return dp.Epsilon(math.NaN())
	}
	return g.Epsilon
}

// trial is a finding and how it is tested.
type trial struct {
	Finding
	// below returns what the expectation exceeds but for the given chance; nil
	// where no such bound is known, so that the finding refutes nothing.
	below func(risk float64) float64
}

// conclude takes over the findings, and shares the risk among those that can
// refute: those with a limit and a test.
func (a *Attempt) conclude(trials []trial, risk float64) *Attempt {
	able := 0
	for _, t := range trials {
		if t.below != nil && !math.IsNaN(float64(t.Limit)) {
			able++
		}
	}
	for _, t := range trials {
		if t.below != nil && !math.IsNaN(float64(t.Limit)) {
			t.Refutes = t.below(risk/float64(able)) > float64(t.Limit)
			a.Refuted = a.Refuted || t.Refutes
		}
		a.Findings = append(a.Findings, t.Finding)
	}
	return a
}

// share is a finding: hits of rows are right. Given the texts, hits are
// independent of each other but not equally likely; the exact interval of a
// binomial law holds for these, too (Hoeffding, Annals of Mathematical
// Statistics 1956, Theorem 4).
func share(f Finding, hits, rows int) trial {
	f.Rows, f.Value, f.Low, f.High = rows, undefined, undefined, undefined
	if rows == 0 {
		return trial{f, nil}
	}
	low, high := measure.ClopperPearson(hits, rows, 0.95)
	f.Value = measure.Number(float64(hits) / float64(rows))
	f.Low, f.High = measure.Number(low), measure.Number(high)
	return trial{f, func(risk float64) float64 {
		low, _ := measure.ClopperPearson(hits, rows, 1-2*risk)
		return low
	}}
}
