package attack

import (
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/promise/dp"
)

// Result is what one kind of attack learnt from releases. As JSON it has the
// format [AttributeFormat] for attribute inference and [Format] for all others.
type Result struct {
	Kind   Kind   `json:"kind"`
	Source string `json:"source"` // what was attacked, for a person
	// Guarantee is what is stated of one release, nil if nothing is.
	Guarantee *dp.Guarantee `json:"guarantee,omitempty"`
	Notes     []string      `json:"notes,omitempty"` // what a reader must know to judge it
	Findings  []Finding     `json:"findings"`
	Refuted   bool          `json:"refuted"` // a finding refutes the guarantee

	// The rest is of attribute inference alone. Values are the names of the
	// attribute's values, unless they are so many that they may name persons, and
	// Classes is how many there are: of a stored model, in the parts that fit and
	// score attackers.
	Values  []string `json:"-"`
	Classes int      `json:"-"`
	// Models are the results of stored models, each of a folder and a seed. The
	// findings beside them are those of the first.
	Models []*Result `json:"-"`
	Folder string    `json:"-"` // below the folder attacked; empty for that folder itself
	Seed   uint64    `json:"-"`
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

	// Leakage is all that attribute inference measures of an attacker, and
	// Description the length of the attribute in bits, over the rows to fit and to
	// score together, where that was asked for. Both are nil for other kinds.
	Leakage     *measure.Leakage           `json:"-"`
	Description *measure.DescriptionLength `json:"-"`

	// below returns what the expectation exceeds but for the given chance; nil
	// where no such bound is known, so that the finding refutes nothing.
	below func(risk float64) float64
}

// Limited reports whether a limit is known for any finding. Without one nothing
// can be refuted.
func (r *Result) Limited() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return !math.IsNaN(float64(f.Limit)) })
}

// conclude shares the risk among all findings that can refute: those with a
// limit and a test.
func conclude(risk float64, all ...*Result) {
	able := func(f *Finding) bool { return f.below != nil && !math.IsNaN(float64(f.Limit)) }
	n := 0
	for _, r := range all {
		for i := range r.Findings {
			if able(&r.Findings[i]) {
				n++
			}
		}
	}
	for _, r := range all {
		for i := range r.Findings {
			f := &r.Findings[i]
			f.Refutes = able(f) && f.below(risk/float64(n)) > float64(f.Limit)
			r.Refuted = r.Refuted || f.Refutes
			f.below = nil
		}
	}
}

// share is a finding: hits of rows are right. Given the texts, hits are
// independent of each other but not equally likely; the exact interval of a
// binomial law holds for these, too (Hoeffding, Annals of Mathematical
// Statistics 1956, Theorem 4).
func share(f Finding, hits, rows int) Finding {
	f.Rows, f.Value, f.Low, f.High = rows, measure.Undefined, measure.Undefined, measure.Undefined
	if rows == 0 {
		return f
	}
	low, high := measure.ClopperPearson(hits, rows, 0.95)
	f.Value, f.Low, f.High = measure.Number(float64(hits)/float64(rows)), measure.Number(low), measure.Number(high)
	f.below = surely(hits, rows)
	return f
}

// surely returns what the expected share of hits exceeds but for a chance.
func surely(hits, rows int) func(risk float64) float64 {
	return func(risk float64) float64 {
		low, _ := measure.ClopperPearson(hits, rows, 1-2*risk)
		return low
	}
}

// limitedBy returns the ε that limits what one release gives away, NaN if none
// does: limits are known for a text-level ε with δ = 0.
func limitedBy(g *dp.Guarantee) dp.Epsilon {
	if g == nil || g.Unit != dp.Text || g.Delta != 0 {
		return dp.Epsilon(math.NaN())
	}
	return g.Epsilon
}
