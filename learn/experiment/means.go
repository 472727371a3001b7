package experiment

import (
	"slices"

	"sotto/compute/measure"
	"sotto/promise/dp"
)

// This part of the package holds what is measured of a model, and takes means of it over
// seeds.

// Score is what was measured of one model, or the mean over several.
type Score struct {
	Seed uint64 `json:"seed,omitempty"`

	Accuracy measure.Number `json:"accuracy"` // on the test part
	Low      measure.Number `json:"low"`      // 95 % interval of it: of one model from the number of rows, of a mean over seeds after Student
	High     measure.Number `json:"high"`

	// Balance is the same with all classes counting alike, the mean over labels
	// where there are several; nil in results of an older version.
	*measure.Balance
	// Labels tells of each label where there are several; Accuracy is their mean.
	Labels []LabelScore `json:"labels,omitempty"`
	// Unknown tells of each label unseen in training.
	Unknown []LabelScore `json:"unknown,omitempty"`

	Claimed *dp.Epsilon `json:"claimed"`         // null: nobody claimed anything
	True    *dp.Epsilon `json:"true"`            // what is proved
	Delta   float64     `json:"delta,omitempty"` // of the proved guarantee
	Unit    dp.Unit     `json:"unit,omitempty"`

	// Gap is the TPR gap between the groups: that of the second class of two,
	// and the root mean square over the classes of more.
	Gap  measure.Number `json:"gap"`
	GRMS measure.Number `json:"grms"` // over all classes, also of two

	Leakage  measure.Number   `json:"leakage"`  // accuracy of the reference attacker on the attribute
	Majority measure.Number   `json:"majority"` // of an attacker who sees nothing
	Attack   *measure.Leakage `json:"attack,omitempty"`
	// Centred is what the same attacker learns after it has taken out what all
	// coordinates of a release share. It is tried where a claim is false, as
	// removable noise may be why, and nil elsewhere.
	Centred *measure.Leakage `json:"centred_attack,omitempty"`

	// Limit bounds the accuracy of any classifier of one release at the true ε;
	// AttackLimit that of any attacker. Null where the guarantee is not
	// text-level with δ = 0.
	Limit       measure.Number `json:"limit"`
	AttackLimit measure.Number `json:"leakage_limit"`
	// Yardstick is the accuracy of the reference's answers released at the
	// same ε.
	Yardstick measure.Number `json:"yardstick"`

	ValidationAccuracy measure.Number `json:"validation_accuracy"`
	ValidationGap      measure.Number `json:"validation_gap"`
	Epoch              int            `json:"epoch,omitempty"` // that was kept
	Seconds            measure.Number `json:"seconds"`         // of training; null if a stored model was taken
	Interrupted        bool           `json:"interrupted,omitempty"`
}

// LabelScore is the accuracy of one label of several.
type LabelScore struct {
	Name     string         `json:"name"`
	Accuracy measure.Number `json:"accuracy"`
	Majority measure.Number `json:"majority"` // share of the commonest class
	*measure.Balance
}

// Unmeasured returns a score of which nothing is known yet.
func Unmeasured() Score {
	var s Score
	for _, n := range s.numbers() {
		*n = measure.Undefined
	}
	return s
}

// numbers lists the parts of a score of which means are taken.
func (s *Score) numbers() []*measure.Number {
	return []*measure.Number{
		&s.Accuracy, &s.Low, &s.High, &s.Gap, &s.GRMS, &s.Leakage, &s.Majority, &s.Limit, &s.AttackLimit, &s.Yardstick,
		&s.ValidationAccuracy, &s.ValidationGap, &s.Seconds,
	}
}

// Summarise returns the mean and the deviation of scores, number by number. A
// number that is undefined for one seed is undefined in both.
func Summarise(scores []Score) (mean, deviation Score, interval [2]measure.Number) {
	mean, deviation = Unmeasured(), Unmeasured()
	interval = [2]measure.Number{measure.Undefined, measure.Undefined}
	if len(scores) == 0 {
		return mean, deviation, interval
	}
	first := scores[0]
	mean.Claimed, mean.True, mean.Delta, mean.Unit = first.Claimed, first.True, first.Delta, first.Unit
	deviation.Claimed, deviation.True, deviation.Delta, deviation.Unit = first.Claimed, first.True, first.Delta, first.Unit
	for i := range mean.numbers() {
		values := make([]float64, len(scores))
		for j := range scores {
			values[j] = float64(*scores[j].numbers()[i])
		}
		s := measure.Summarise(values)
		*mean.numbers()[i], *deviation.numbers()[i] = s.Mean, s.Deviation
		if i == 0 { // of an accuracy, which has bounds
			interval = [2]measure.Number{max(s.Low, 0), min(s.High, 1)}
		}
	}
	balances := make([]*measure.Balance, len(scores))
	for i := range scores {
		balances[i] = scores[i].Balance
	}
	mean.Balance, deviation.Balance = measure.SummariseBalance(balances)
	mean.Labels = meanLabels(scores, func(s Score) []LabelScore { return s.Labels })
	mean.Unknown = meanLabels(scores, func(s Score) []LabelScore { return s.Unknown })
	if len(scores) > 1 {
		mean.Low, mean.High = interval[0], interval[1]
	}
	return mean, deviation, interval
}

// meanLabels returns the mean of each label's measures; none if a score has
// none.
func meanLabels(scores []Score, of func(Score) []LabelScore) []LabelScore {
	mean := slices.Clone(of(scores[0]))
	for l := range mean {
		mean[l].Accuracy = 0
		var balances []*measure.Balance
		for _, s := range scores {
			if len(of(s)) != len(mean) {
				return nil
			}
			mean[l].Accuracy += of(s)[l].Accuracy / measure.Number(len(scores))
			balances = append(balances, of(s)[l].Balance)
		}
		mean[l].Balance, _ = measure.SummariseBalance(balances)
	}
	return mean
}

// F1 is the macro-F1, undefined where it was not measured.
func (s *Score) F1() measure.Number {
	if s.Balance == nil {
		return measure.Undefined
	}
	return s.MacroF1
}

// Fairer reports whether s has the smaller gap on the validation part, or the
// higher accuracy if either gap is undefined or both are equal.
func (s Score) Fairer(t Score) bool {
	if s.ValidationGap < t.ValidationGap || s.ValidationGap > t.ValidationGap {
		return s.ValidationGap < t.ValidationGap
	}
	return s.ValidationAccuracy > t.ValidationAccuracy
}
