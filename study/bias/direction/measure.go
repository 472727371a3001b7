package direction

import (
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/study/bias"
)

// Options say how Measure works. The zero value is the usual way.
type Options struct {
	Strictness    float64 // c, positive; 0 means 1
	MinConfidence float64 // below it there is no direction; 0 means 0.1
	Raw           bool    // take vectors as they are, not at length 1
	Parts         bool    // a word of several parts that is not there is the mean of them
	Force         bool    // give scores where the direction is refused
	Counts        Counts  // of forms; nil weights all alike
	// Weighting says where the counts are from; "" means counts.
	Weighting string
}

// DefaultConfidence is the least confidence of a direction.
const DefaultConfidence = 0.1

// Unweighted is how a result names that forms weigh alike.
const Unweighted = "unweighted: no counts given"

// filled checks the options and fills in what was left out.
func (o Options) filled() (Options, error) {
	if o.Strictness == 0 {
		o.Strictness = 1
	}
	if o.MinConfidence == 0 {
		o.MinConfidence = DefaultConfidence
	}
	if !(o.Strictness > 0) || math.IsInf(o.Strictness, 0) {
		return o, fmt.Errorf("direction: strictness is %v, must be positive and finite", o.Strictness)
	}
	if !(o.MinConfidence > 0) || !(o.MinConfidence <= 1) {
		return o, fmt.Errorf("direction: least confidence is %v, must be above 0 and at most 1", o.MinConfidence)
	}
	switch {
	case o.Counts == nil:
		o.Weighting = Unweighted
	case o.Weighting == "":
		o.Weighting = "counts"
	}
	return o, nil
}

// Measure finds the direction of gender in a table and scores the words of the
// set. That there is no direction is no error: the result says why.
func Measure(t *bias.Table, w Words, o Options) (*Result, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if len(w.Pairs) == 0 {
		return nil, fmt.Errorf("direction: word set %.20q has no pairs, must have some", w.Language)
	}
	r := newResult(w.Language)
	r.PairsWanted, r.Dim, r.Unit, r.Strictness, r.Weighting = len(w.Pairs), t.Dim(), !o.Raw, o.Strictness, o.Weighting
	if !o.Raw {
		t = t.Unit()
	}
	l := lookup{table: t, parts: o.Parts, unit: !o.Raw}
	pairs := l.pairs(r, w.Pairs)
	professions := l.professions(r, w.Professions, o.Counts)
	r.Pairs, r.used = distinct(pairs), rowsOf(pairs, professions)
	if len(pairs) == 0 {
		r.Refused = tooFew(r)
		return r, nil
	}
	c, err := principal(pairs)
	if err != nil {
		return nil, err
	}
	r.g, r.Explained, r.Confidence = c.g, c.explained, measure.Number(c.confidence(pairs))
	r.Refused = refusal(r, o.MinConfidence)
	r.Forced = r.Refused != "" && o.Force
	scored := r.Refused == "" || o.Force
	if scored {
		r.score(pairs, professions)
	}
	return r, r.dropEach(pairs, professions, scored)
}

// rowsOf lists the rows of the table that pairs and professions rest on.
func rowsOf(pairs []foundPair, professions []profession) []int {
	var rows []int
	for _, p := range pairs {
		rows = slices.Concat(rows, p.female.rows, p.male.rows)
	}
	for _, p := range professions {
		for _, f := range p.forms {
			rows = append(rows, f.entry.rows...)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

func tooFew(r *Result) string {
	return fmt.Sprintf("%d of %d pairs have vectors for two different words and are not another pair again, must be at least 2", r.Pairs, r.PairsWanted)
}

// refusal says why the component is no direction, or "".
func refusal(r *Result, least float64) string {
	if r.Pairs < 2 {
		return tooFew(r)
	}
	if !(float64(r.Confidence) >= least) { // NaN refuses
		if len(r.Explained) < 2 {
			return "the vectors have one number, in which every set of pairs has one direction"
		}
		return fmt.Sprintf("the first component explains %.3f of the variance and the second %.3f: a difference of %.3f, must be at least %v",
			r.Explained[0], r.Explained[1], float64(r.Confidence), least)
	}
	return ""
}

// score fills in what rests on the direction.
func (r *Result) score(pairs []foundPair, professions []profession) {
	female, male := 0.0, 0.0
	for _, p := range pairs {
		f, m := cosine(p.female.vector, r.g), cosine(p.male.vector, r.g)
		female, male = female+f, male+m
		r.Defining = append(r.Defining,
			DefiningScore{Pair: p.Name, Word: p.Female, Gender: Female, Score: measure.Number(f), Opposed: f < 0},
			DefiningScore{Pair: p.Name, Word: p.Male, Gender: Male, Score: measure.Number(m), Opposed: m > 0})
	}
	r.Female, r.Male = measure.Number(female/float64(len(pairs))), measure.Number(male/float64(len(pairs)))
	for _, p := range professions {
		r.Professions = append(r.Professions, p.score(r.g))
	}
	r.DirectBias = measure.Number(directBias(professions, r.g, r.Strictness))
	r.Random = measure.Number(randomDirectBias(professions, r.Dim, r.Strictness))
}

// dropEach repeats the analysis without each pair, and names the suspect.
func (r *Result) dropEach(pairs []foundPair, professions []profession, scored bool) error {
	if r.Pairs < 2 {
		return nil
	}
	for i, p := range pairs {
		others := slices.Delete(slices.Clone(pairs), i, i+1)
		c, err := principal(others)
		if err != nil {
			return err
		}
		d := Dropped{
			Pair:             p.Name,
			Confidence:       measure.Number(c.confidence(others)),
			Angle:            measure.Number(math.Acos(cosine(c.g, r.g)) * 180 / math.Pi),
			Alignment:        measure.Number(cosine(p.half, c.g)),
			DirectBiasChange: measure.Number(math.NaN()),
		}
		if scored {
			d.DirectBiasChange = measure.Number(directBias(professions, c.g, r.Strictness)) - r.DirectBias
		}
		r.Drop = append(r.Drop, d)
	}
	r.Suspect = suspect(r.Drop, r.Confidence)
	return nil
}

// suspect returns the pair whose absence raises the confidence most, if its
// absence also turns the direction farthest or it agrees least with the others.
func suspect(drop []Dropped, confidence measure.Number) string {
	raises, turns, disagrees := 0, 0, 0
	for i, d := range drop {
		if math.IsNaN(float64(d.Confidence)) {
			return ""
		}
		if d.Confidence > drop[raises].Confidence {
			raises = i
		}
		if d.Angle > drop[turns].Angle {
			turns = i
		}
		if d.Alignment < drop[disagrees].Alignment {
			disagrees = i
		}
	}
	if (raises == turns || raises == disagrees) && drop[raises].Confidence > confidence {
		return drop[raises].Pair
	}
	return ""
}
