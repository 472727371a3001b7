package relation

import (
	"context"

	"sotto/study/language"
	"sotto/study/relation/rule"
)

// Verdict is what is said of an instance.
type Verdict struct {
	Relation   string  // or [None]
	Confidence float64 // from 0 to 1
	// Rule is the pattern that explains it, as [rule.Written] writes it: one that matches the
	// sentence with these arguments, or "" where there is none. Source says where it is from.
	Rule   string
	Source Source
	// Wrote is what a model wrote as the rule, right or wrong; "" where it writes none. Of
	// several candidates it is the likeliest that holds, or the likeliest of all.
	Wrote string
	// Greedy is what it writes with the likeliest piece each time, as published.
	Greedy string
}

// Source is where the rule that explains a relation is from.
type Source string

// The sources of rules.
const (
	Decoded Source = "decoded" // a model wrote it, and it matches
	Stored  Source = "stored"  // a rule that is stored and matches
	NoRule  Source = "none"    // no rule matches
)

// Model says what the relation of two entities is. It may be used by several goroutines at
// once.
type Model interface {
	// Judge returns a verdict on each instance, in their order. The relation that an
	// instance says it has is not looked at.
	Judge(ctx context.Context, all []Instance) ([]Verdict, error)

	// Knows reports whether entities of these types may have a relation at all; pairs of
	// others are not asked about.
	Knows(subject, object language.Type) bool
}

// Quicker is a [Model] that writes rules, and that can do so in less time. Quick returns one
// that tells the same relations with the same confidence. But it writes a rule only where one
// that is stored matches, and once: where what it wrote does not hold, the nearest stored rule
// stands. Of sentences that nobody chose, four relations of five have no rule at all, and all
// the time went into looking for one in vain.
type Quicker interface {
	Model
	Quick() Model
}

var _ Model = (*Rules)(nil)

// Judge implements [Model]: the first rule that matches counts.
func (r *Rules) Judge(ctx context.Context, all []Instance) ([]Verdict, error) {
	out := make([]Verdict, len(all))
	for k, n := range r.ExplainAll(all, func(Instance) string { return Any }) {
		if n >= 0 {
			out[k] = r.verdict(n)
		}
	}
	return out, ctx.Err()
}

// Knows implements [Model]: a rule may be about anything.
func (r *Rules) Knows(_, _ language.Type) bool { return true }

func (r *Rules) verdict(n int) Verdict {
	one := r.File.Rules[n]
	return Verdict{Relation: one.Relation, Confidence: one.Confidence(), Rule: rule.Written(one.Pattern), Source: Stored}
}
