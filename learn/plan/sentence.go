package plan

import (
	"fmt"
	"math"
	"strings"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/evidence/page"
	"sotto/internal/layout"
)

// percent renders a share for people.
func percent(v measure.Number) string { return page.Decimal(100*v, 1) + " %" }

// sentence says what a plan comes to.
func (r *Result) sentence() string {
	what := r.Data.Label
	if n := len(r.Data.More); n > 0 {
		what = fmt.Sprintf("%s and %d more", what, n)
	}
	around := fmt.Sprintf("without protection it is %s, and naming the commonest class gives %s", percent(r.NonPrivate), percent(r.Majority))
	switch {
	case r.Target > 0 && r.Epsilon == nil:
		return fmt.Sprintf("No ε%s tells %s with an accuracy of %s: %s.", r.ofGrid(), what, percent(measure.Number(r.Target)), r.Reason)
	case r.Target > 0:
		text := fmt.Sprintf("ε = %v is the least%s that tells %s with an accuracy of %s: %s; %s.", *r.Epsilon, r.ofGrid(), what, percent(measure.Number(r.Target)), r.Reached.described(), around)
		if !r.Reached.Better {
			text += " That is no better than naming the commonest class, for which no release is needed."
		}
		return text
	case len(r.Asked) > 0:
		at := r.Asked[0]
		text := fmt.Sprintf("At ε = %v a release tells %s with an accuracy of %s; %s.", at.Epsilon, what, at.described(), around)
		if !at.Better {
			text += " That is no better than naming the commonest class: such a release is of no use."
		}
		return text
	case r.Useful == nil:
		return fmt.Sprintf("No release tells %s better than naming the commonest class does, up to ε = %v: %s.", what, r.Curve[len(r.Curve)-1].Epsilon, around)
	}
	text := fmt.Sprintf("From ε = %v on, a release tells %s better than naming the commonest class does", *r.Useful, what)
	if r.Near != nil {
		text += fmt.Sprintf(", and from ε = %v on nearly as well as can be", *r.Near)
	}
	return text + ": " + around + "."
}

// ofGrid names the values that ε was taken from.
func (r *Result) ofGrid() string {
	if len(r.Grid) == 0 {
		return ""
	}
	return " of " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(r.Grid)), ", "), "[]")
}

// choice says what choosing an ε by the plan tells. The least ε that suffices is a
// function of private rows: of n values there are n + 1 outcomes, since none may suffice.
func (r *Result) choice() string {
	const fix = "fix a few values before you look, as in --grid 1,2,4,8"
	bits := func(values int) string {
		return fmt.Sprintf("%.1f bits", math.Ceil(10*math.Log2(float64(values+1)))/10)
	}
	switch {
	case r.Target > 0 && len(r.Grid) > 0:
		return fmt.Sprintf("ε is chosen by private labels, which no ε covers. If grid and target were fixed before looking, which of %s it is, or none, tells at most %s of them", page.Plural(len(r.Grid), "value", "values"), bits(len(r.Grid)))
	case r.Target > 0:
		return fmt.Sprintf("ε is chosen by private labels: it is itself a function of them, which no ε covers, and one of %d values tells up to %s; %s", steps*searched, bits(steps*searched), fix)
	}
	return "an ε that is chosen by these numbers is itself a function of private labels, which no ε covers; " + fix + " with --target"
}

// described is the accuracy of a point with its interval.
func (at Point) described() string {
	return fmt.Sprintf("%s (95 %% interval %s to %s)", percent(at.Accuracy), page.Decimal(100*at.Low, 1), percent(at.High))
}

// Meaning says what the numbers of a plan are, a sentence each.
func (r *Result) Meaning() []string {
	all := []string{
		fmt.Sprintf("accuracy is expected over all that a release can give, without a draw, on %d test rows; what is released was chosen by validation rows. Its interval covers other texts of the same kind, not other seeds", r.Rows.Test),
		"the limit estimates what no release at ε exceeds, given what the model without protection knows of the test texts",
		fmt.Sprintf("the smallest class is %q of %s, with %s of the test rows", r.Smallest.Class, r.Smallest.Label, percent(measure.Number(r.Smallest.Share))),
	}
	if r.Data.Attribute != "" {
		all = append(all, fmt.Sprintf("leakage ≤ is how often any attacker of one release is right about %s at most; who sees nothing is right %s of the time", r.Data.Attribute, percent(r.Guess)))
	}
	if r.Useful != nil && len(r.Curve) > 0 && *r.Useful > r.Curve[0].Epsilon {
		all = append(all, fmt.Sprintf("below ε = %v a release is no better than naming the commonest class", *r.Useful))
	}
	if r.Spec.Channel == string(channel.Public) {
		all = append(all, "the codes are public, made of ε and the classes alone; --channel fitted plans for codes that are fitted to the data, which may be more accurate and tell of it")
	} else {
		all = append(all, "the codes are fitted to the data: which there are, and what they say, tells of the texts that were learnt from, and no guarantee covers that")
	}
	all = append(all, r.choice())
	return append(all, fmt.Sprintf("the guarantee covers a text that is released, not the texts that the model is trained on; to train it: %s", r.command()))
}

// command is what trains a model of the plan.
func (r *Result) command() string {
	s, end := r.Spec, " --epsilon E"
	if all := r.answers(); len(all) > 0 {
		s.Epsilons, end = []float64{all[len(all)-1].Epsilon}, ""
	}
	return "sotto train " + layout.Command(s.Arguments()...) + end
}

// Uses says what the budgets come to, a sentence each.
func (r *Result) Uses() []string {
	var all []string
	for _, b := range r.Budgets {
		if b.Day != nil {
			all = append(all, fmt.Sprintf("%s a day at ε = %v each come to ε = %s a day and %s in %s",
				page.Plural(b.TextsPerDay, "text", "different texts"), b.Epsilon, b.Day.said(b.Delta), b.Period.said(b.Delta), page.Plural(b.Days, "day", "days")))
		}
		if b.Affords != nil {
			text := fmt.Sprintf("a daily ε of %v pays for %s a day at ε = %v each", b.Daily, page.Plural(b.Affords.Basic, "text", "different texts"), b.Epsilon)
			if b.Affords.Optimal > b.Affords.Basic {
				text += fmt.Sprintf(", or %d at δ = %v", b.Affords.Optimal, b.Delta)
			}
			all = append(all, text)
		}
	}
	return all
}

func (s *Spent) said(delta float64) string {
	if s.Optimal < s.Basic {
		return fmt.Sprintf("%v (%v at δ = %v)", s.Basic, s.Optimal, delta)
	}
	return fmt.Sprint(s.Basic)
}
