package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"sotto/promise/dp"
	"sotto/promise/mech"
)

// Claim is what a publication says: of a mechanism, of an accuracy reached
// under an ε, or both.
type Claim struct {
	Name string `json:"name,omitempty"`
	// Params are the mechanism and its parameters, in JSON beside the other
	// fields; the mechanism may be absent where an accuracy is claimed. All but
	// mechanism and variant may also stand in an object of their own, Parameters.
	Params     mech.Params  `json:"-"`
	Parameters *mech.Params `json:"parameters,omitempty"`
	Dropout    float64      `json:"dropout,omitempty"` // word dropout before the mechanism
	Claimed    float64      `json:"claimed,omitempty"` // the ε; absent means epsilon of the parameters
	Unit       dp.Unit      `json:"unit,omitempty"`    // of the claimed ε; absent means the mechanism's, or text
	// Accuracy is a share of right answers, not a percentage, and Priors are
	// the probabilities of the classes; rare ones may be left out.
	Accuracy *float64  `json:"accuracy,omitempty"`
	Priors   []float64 `json:"priors,omitempty"`
	TestSize int64     `json:"test_size,omitempty"` // answers behind the accuracy; absent means exact
	// Words is how many words the texts have at most, d. A word-level ε says at
	// most d·ε of a text, which is what an accuracy is held against.
	Words int `json:"words,omitempty"`
}

// Verdict is what became of a claim.
type Verdict struct {
	Name     string      `json:"name"`
	Claimed  dp.Epsilon  `json:"claimed"`
	Unit     dp.Unit     `json:"unit"`
	True     *dp.Epsilon `json:"true,omitempty"`  // of the mechanism, if one is named
	Limit    *float64    `json:"limit,omitempty"` // the best accuracy possible at the claimed ε
	Accuracy *float64    `json:"accuracy,omitempty"`
	Checked  []string    `json:"checked"` // what was compared: mechanism, accuracy
	Verdict  dp.Verdict  `json:"verdict"`
	Refuted  bool        `json:"refuted"` // the verdict is "false"
	Reasons  []string    `json:"reasons"`
	Place    string      `json:"place,omitempty"` // where the claim stands
}

// ReadClaims reads a JSON list of claims. Unknown fields are errors.
func ReadClaims(r io.Reader) ([]Claim, error) {
	body, err := io.ReadAll(io.LimitReader(r, 16<<20))
	if err != nil {
		return nil, fmt.Errorf("audit: claims: %w", err)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(body, &items); err != nil {
		return nil, fmt.Errorf("audit: claims are not a JSON list: %w", err)
	}
	if len(items) == 0 {
		return nil, errors.New("audit: the list of claims is empty, must hold at least one")
	}
	claims := make([]Claim, len(items))
	for i, item := range items {
		err := json.Unmarshal(item, &claims[i])
		if err == nil {
			err = claims[i].settle()
		}
		if err != nil {
			return nil, fmt.Errorf("audit: claim %d: %w", i+1, err)
		}
	}
	return claims, nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Claim) UnmarshalJSON(data []byte) error {
	type fields Claim // without this method
	return c.Params.UnmarshalBeside(data, (*fields)(c))
}

// settle brings both forms of a claim into one and fills what is absent.
func (c *Claim) settle() error {
	if c.Parameters != nil {
		outer := mech.Params{Mechanism: c.Params.Mechanism, Variant: c.Params.Variant}
		if !sameParams(c.Params, outer) || c.Parameters.Mechanism != "" || c.Parameters.Variant != "" && c.Params.Variant != "" {
			return errors.New("parameters stand both in the claim and in its parameters object, must stand in one")
		}
		c.Params, c.Parameters = *c.Parameters, nil
		c.Params.Mechanism, c.Params.Variant = outer.Mechanism, cmp.Or(outer.Variant, c.Params.Variant)
		c.Params = c.Params.With(nil)
	}
	c.Claimed = cmp.Or(c.Claimed, c.Params.Epsilon)
	c.Params.Epsilon = cmp.Or(c.Params.Epsilon, c.Claimed)
	bare := mech.Params{Epsilon: c.Params.Epsilon, Delta: c.Params.Delta}
	switch {
	case !(c.Claimed > 0) || math.IsInf(c.Claimed, 1):
		return fmt.Errorf("claimed is %v, must be positive and finite", c.Claimed)
	case c.Unit != "" && !c.Unit.Valid():
		return fmt.Errorf("unit is %q, must be text, word or metric", string(c.Unit))
	case c.Params.Mechanism == "" && c.Accuracy == nil:
		return errors.New("neither a mechanism nor an accuracy is named, must be at least one")
	case c.Params.Mechanism == "" && (!sameParams(c.Params, bare) || c.Dropout != 0):
		return errors.New("parameters of a mechanism are given but no mechanism")
	case (c.Accuracy != nil) != (len(c.Priors) > 0):
		return errors.New("accuracy and priors go together: one is absent")
	case c.Accuracy != nil && !(*c.Accuracy >= 0 && *c.Accuracy <= 1):
		return fmt.Errorf("accuracy is %v, must be a share between 0 and 1", *c.Accuracy)
	case c.Words < 0 || c.Words > 0 && c.Unit == dp.Metric:
		return fmt.Errorf("words is %d, must be positive and go with a text-level or word-level claim", c.Words)
	case c.TestSize < 0 || c.TestSize > 0 && c.Accuracy == nil:
		return fmt.Errorf("test_size is %d, must be positive and go with an accuracy", c.TestSize)
	}
	return nil
}

func sameParams(a, b mech.Params) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// CheckClaim compares a claim with what is proved of its mechanism and with
// what any mechanism can reach.
func CheckClaim(c Claim) (Verdict, error) {
	name := cmp.Or(c.Name, c.Params.Mechanism, "a claim without a name")
	v := Verdict{Name: name, Claimed: dp.Epsilon(c.Claimed), Unit: c.Unit, Accuracy: c.Accuracy}
	if c.Params.Mechanism != "" {
		j, err := mech.Judge(c.Params, c.Dropout)
		if err != nil {
			return Verdict{}, err
		}
		c.Params.Delta = j.Delta
		if err := v.checkMechanism(c, j); err != nil {
			return Verdict{}, err
		}
	}
	v.Unit = cmp.Or(v.Unit, dp.Text)
	switch {
	case c.Accuracy == nil:
	case v.Unit == dp.Metric || c.Params.Delta > 0:
		v.Reasons = append(v.Reasons, "the accuracy was not checked: the limit is proved between any two texts and for δ = 0")
	case v.Unit == dp.Word && c.Words == 0:
		v.Reasons = append(v.Reasons, "the accuracy was not checked: a word-level ε says at most d·ε of a text of d words, and the claim does not give its field words")
	default:
		if err := v.checkAccuracy(c); err != nil {
			return Verdict{}, err
		}
	}
	switch {
	case v.Refuted:
		v.Verdict = dp.ClaimFalse
	case v.Verdict == "": // no mechanism is named, so that nothing can be proved
		v.Verdict = dp.ClaimNotProved
		v.Reasons = append(v.Reasons, "nothing that was checked contradicts the claim")
	}
	return v, nil
}

// checkMechanism compares the claim with what is proved of its mechanism. What
// is proved between any two texts answers a word-level claim from above.
func (v *Verdict) checkMechanism(c Claim, j mech.Judgement) error {
	own := v.Unit == "" || v.Unit == j.ClaimedUnit // the mechanism's own claim, and not one of the claimant
	v.Unit = cmp.Or(v.Unit, j.ClaimedUnit)
	v.True, v.Place = &j.True, j.Place
	v.Checked = append(v.Checked, "mechanism")
	above := false
	switch {
	case v.Unit == j.Unit:
	case v.Unit == dp.Text && j.TextLevel != nil:
		v.True = j.TextLevel
	case v.Unit == dp.Word && j.Unit == dp.Text:
		above = true
	default:
		return fmt.Errorf("audit: unit is %s, but what is proved of %s is %s-level: numbers of different units are not compared", v.Unit, c.Params.Mechanism, j.Unit)
	}
	switch {
	case *v.True <= v.Claimed*(1+1e-6) && j.Floating():
		v.Verdict = dp.ClaimConditional
		v.Reasons = append(v.Reasons, j.Condition, "it is proved of real numbers: "+j.Reason)
	case *v.True <= v.Claimed*(1+1e-6):
		v.Verdict = dp.ClaimTrue
		v.Reasons = append(v.Reasons, "it is proved: "+j.Reason)
	// A publication may claim less than is proved under a condition. What holds of real
	// numbers alone is no such condition: a claim below it is false of them, too.
	case own && !j.Honest() && j.Verdict != dp.ClaimFalse:
		v.Verdict = j.Verdict
		v.Reasons = append(v.Reasons, j.Condition, fmt.Sprintf("what is proved is ε = %v (%s-level): %s", *v.True, j.Unit, j.Reason))
	case above && *v.True != dp.Infinite:
		v.Verdict = dp.ClaimNotProved
		v.Reasons = append(v.Reasons, fmt.Sprintf("ε = %v is proved between any two texts, and nothing smaller for one word", *v.True))
	default:
		v.refute(fmt.Sprintf("the true ε is %v: %s", *v.True, j.Reason))
	}
	return nil
}

// accuracyAlpha is how sure the test behind a reported accuracy must be.
const accuracyAlpha = 0.001

// checkAccuracy refutes an accuracy that no release under the claimed ε allows.
func (v *Verdict) checkAccuracy(c Claim) error {
	text, unit := v.Claimed, "text-level"
	if v.Unit == dp.Word {
		text, unit = v.Claimed*dp.Epsilon(c.Words), fmt.Sprintf("word-level ε = %v on %d words, and so text-level", v.Claimed, c.Words)
	}
	limit, err := dp.AccuracyBound(text, c.Priors)
	if err != nil {
		return err
	}
	v.Limit = &limit
	v.Checked = append(v.Checked, "accuracy")
	sure, how := *c.Accuracy, "taken as exact"
	if c.TestSize > 0 {
		hits := int64(math.Floor(*c.Accuracy * float64(c.TestSize)))
		sure = lower(hits, c.TestSize, accuracyAlpha)
		how = fmt.Sprintf("at least %.2f %% with confidence %v, from %d answers", 100*sure, 1-accuracyAlpha, c.TestSize)
	}
	if sure > limit {
		v.refute(fmt.Sprintf("an accuracy of %.2f %% (%s) is impossible: under %s ε = %v nobody guesses these classes better than %s %%", 100**c.Accuracy, how, unit, text, dp.AtMost(limit)))
	} else {
		v.Reasons = append(v.Reasons, fmt.Sprintf("an accuracy of %.2f %% is possible: the limit under %s ε = %v is %s %%", 100**c.Accuracy, unit, text, dp.AtMost(limit)))
	}
	return nil
}

func (v *Verdict) refute(reason string) {
	v.Refuted = true
	v.Reasons = append(v.Reasons, reason)
}
