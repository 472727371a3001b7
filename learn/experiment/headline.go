package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/dp"
)

// Headline is what one configuration comes to, in numbers that can be compared
// between methods. All are shares of the test part.
type Headline struct {
	Accuracy measure.Number `json:"accuracy"` // mean over seeds and labels
	// MacroF1 and Majority, the share of the label's commonest class, are means
	// over the labels; nil in results of an older version.
	MacroF1  *measure.Number `json:"macro_f1,omitempty"`
	Majority *measure.Number `json:"majority,omitempty"`
	// Limit is an estimate of the highest accuracy that any release at ε allows
	// a receiver: the bound that is proved for the probabilities that the best
	// model without protection gives, or if that is more what its answers reach on
	// the test labels or Accuracy, which is of other models where there are
	// several seeds; never above what ε and the shares of the classes allow, and
	// that alone where there is no such model.
	Limit measure.Number `json:"limit"`
	// NonPrivate is the accuracy of that model.
	NonPrivate measure.Number `json:"nonprivate"`
}

// headline fills in what the selected configuration of the first method comes to.
func (r *runner) headline(ctx context.Context) {
	i := slices.IndexFunc(r.result.Configurations, func(c Configuration) bool {
		return c.Selected && !c.Companion && c.Method == r.spec.Methods[0] && len(c.Seeds) > 0
	})
	if i < 0 {
		return
	}
	c := &r.result.Configurations[i]
	f1, majority := c.Mean.F1(), measure.Number(r.result.commonest())
	h := &Headline{Accuracy: c.Mean.Accuracy, MacroF1: &f1, Majority: &majority, Limit: c.Mean.Limit, NonPrivate: r.result.Reference}
	if protectsNothing(c.Method) {
		h.NonPrivate = c.Mean.Accuracy
	}
	// Where ε is finite, what there is to know is a limit too. An undefined limit
	// says that ε does not bound the answers of a receiver.
	if e := c.Mean.True; h.Limit <= 1 && e != nil && *e > 0 && *e < dp.Infinite {
		known := r.scorer.severalBound(ctx, *c.Mean.True)
		// The texts can be clearer than the model of the first seed thinks.
		for _, reached := range []measure.Number{r.scorer.yardstick(*c.Mean.True), h.Accuracy} {
			if reached > known {
				known = reached
			}
		}
		if known < h.Limit {
			h.Limit = known
		}
	}
	r.result.Headline = h
}

// protectsNothing reports whether a method is one that others are judged by.
func protectsNothing(method string) bool {
	return slices.ContainsFunc(families(), func(f family) bool { return cmp.Or(f.reference, "unconstrained") == method })
}

// Vanished warns of the classes that a selected configuration never tells
// rightly: accuracy hardly shows it where they are rare. A method that answers
// the same of all texts means to.
func (c *Configuration) Vanished(d model.DataRecord, sought train.Objective) []string {
	if !c.Selected || len(c.Seeds) == 0 || c.Seeds[0].Epoch == 0 {
		return nil
	}
	labels := c.Mean.Labels
	if len(labels) == 0 {
		labels = []LabelScore{{Name: d.Label, Balance: c.Mean.Balance}}
	}
	why := "a class that is rare can vanish without a loss of accuracy; --method auto --objective balanced counts all classes alike"
	if sought == train.Balanced {
		why = "at this ε, telling more classes would cost the others more than it gives"
	}
	var notes []string
	for _, l := range labels {
		if l.Balance == nil || l.Vanished == 0 {
			continue
		}
		var names []string
		for _, r := range l.Recalls {
			if r.Value == 0 {
				names = append(names, fmt.Sprintf("%q", r.Class))
			}
		}
		what := strings.Join(names, ", ")
		if what == "" {
			what = fmt.Sprintf("%d of its classes", l.Vanished)
		}
		notes = append(notes, fmt.Sprintf("%s never tells %s of %s: %s", c.Name(), what, l.Name, why))
	}
	return notes
}
