package direction

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"sotto/compute/measure"
	"sotto/promise/mech"
	"sotto/study/bias"
)

// Format names the format of a [Report].
const Format = "sotto-bias-direction-1"

// Report is what "sotto bias direction --json" prints. That of one language has
// the fields of the language in the place of the list.
type Report struct {
	Format      string           `json:"format"`
	Languages   []LanguageResult `json:"languages"`
	Correlation *Correlation     `json:"correlation,omitempty"`
	Release     *mech.Statement  `json:"release,omitempty"`
	bias.Simulation
}

// LanguageResult is what was found for one language.
type LanguageResult struct {
	*Result
	Name    string   `json:"name,omitempty"`
	Vectors []string `json:"vectors"`
	After   *After   `json:"after,omitempty"`
}

// single is a report of one language as it is stored.
type single struct {
	Format string `json:"format"`
	LanguageResult
	Release *mech.Statement `json:"release,omitempty"`
	bias.Simulation
}

// several is any other.
type several Report

// MarshalJSON implements [json.Marshaler].
func (r Report) MarshalJSON() ([]byte, error) {
	var v any = several(r)
	if len(r.Languages) == 1 {
		v = single{r.Format, r.Languages[0], r.Release, r.Simulation}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// UnmarshalJSON implements [json.Unmarshaler]. A field that is not known is an
// error.
func (r *Report) UnmarshalJSON(content []byte) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	var head struct {
		Languages json.RawMessage `json:"languages"`
	}
	if err := json.Unmarshal(content, &head); err != nil {
		return err
	}
	if head.Languages != nil {
		return d.Decode((*several)(r))
	}
	var one single
	err := d.Decode(&one)
	*r = Report{Format: one.Format, Languages: []LanguageResult{one.LanguageResult}, Release: one.Release, Simulation: one.Simulation}
	return err
}

// Label is the name of the language, or else its code.
func (l LanguageResult) Label() string { return cmp.Or(l.Name, l.Language) }

// After is what the measures become when each word's vector is released, over
// draws. Draws whose direction is refused count in all but Refused like the
// others, so that what is shown does not choose them.
type After struct {
	Refused    measure.Number `json:"refused_share"` // of draws
	Confidence bias.Drawn     `json:"confidence"`
	DirectBias bias.Drawn     `json:"direct_bias"`
	// Null is the DirectBias of random vectors, as long as the raw ones and released
	// by the same mechanism, to which DirectBias goes when nothing of the direction
	// is left. A random direction would be none: a release need not be a noisy copy
	// of a vector, and those that are not have other cosines.
	Null bias.Drawn `json:"null_direct_bias"`
	// Agreement is the absolute cosine between the directions before and after,
	// and NullAgreement that between the raw direction and the one of random
	// vectors. Both are undefined if the mechanism changes how many numbers a
	// vector has.
	Agreement     bias.Drawn        `json:"agreement"`
	NullAgreement bias.Drawn        `json:"null_agreement"`
	Professions   []ProfessionAfter `json:"professions"`
}

// ProfessionAfter is the score of a profession before and after.
type ProfessionAfter struct {
	Name   string         `json:"name"`
	Before measure.Number `json:"before"`
	After  bias.Drawn     `json:"after"`
}

// Lines say in words what noise did.
func (a *After) Lines(before *Result) []string {
	return []string{
		fmt.Sprintf("DirectBias: %s raw, %s private; of random vectors released alike %s", before.DirectBias.Text("%.4f"), a.DirectBias.Text("%.4f"), a.Null.Text("%.4f")),
		fmt.Sprintf("confidence: %s raw, %s private; refused in %s %% of draws", before.Confidence.Text("%.3f"), a.Confidence.Text("%.3f"), (100 * a.Refused).Text("%.0f")),
		fmt.Sprintf("|cos| between the directions raw and private: %s; of random vectors released alike %s", a.Agreement.Text("%.3f"), a.NullAgreement.Text("%.3f")),
	}
}

// Study measures several languages, raw and private.
type Study struct {
	Options // the counts are those of each subject
	// Release says how vectors of that many numbers are released; nil for not at
	// all.
	Release  func(dim int) (*bias.Release, error)
	Progress bias.Progress // nil for nobody
}

// Run measures each subject, and compares them if there are several.
func (s Study) Run(ctx context.Context, subjects []Subject) (*Report, error) {
	r := &Report{Format: Format}
	var results []*Result
	for _, x := range subjects {
		l, err := s.measure(ctx, x, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Words.Language, err)
		}
		r.Languages, results = append(r.Languages, l), append(results, l.Result)
	}
	if len(results) > 1 {
		r.Correlation = Correlate(results)
	}
	return r, nil
}

// Refused reports whether no language has a direction.
func (r *Report) Refused() bool {
	return !slices.ContainsFunc(r.Languages, func(l LanguageResult) bool { return l.Refused == "" })
}

// Scored counts the professions that have a score.
func (r *Result) Scored() int {
	n := 0
	for _, p := range r.Professions {
		if !math.IsNaN(float64(p.Score)) {
			n++
		}
	}
	return n
}

// measure analyses one language, raw and, with a mechanism, private.
func (s Study) measure(ctx context.Context, x Subject, r *Report) (LanguageResult, error) {
	l := LanguageResult{Name: x.Words.Name, Vectors: x.Files}
	if x.Table == nil {
		l.Result = Absent(x.Words, x.Missing)
		return l, nil
	}
	s.Counts, s.Weighting = x.Counts, x.Weighting
	var err error
	if l.Result, err = Measure(x.Table, x.Words, s.Options); err != nil || s.Release == nil {
		return l, err
	}
	release, err := s.Release(x.Table.Dim())
	if err != nil {
		return l, err
	}
	if l.After, err = s.after(ctx, x, l.Result, release); l.After != nil {
		r.Release, r.Simulation = release.Statement, bias.Simulated()
	}
	return l, err
}

// after measures private tables: of the words that the raw result rests on, and
// no others, since one whose vector is zero would count once there is noise on
// it. It returns nil if there is no pair of them.
func (s Study) after(ctx context.Context, x Subject, before *Result, release *bias.Release) (*After, error) {
	words, table := before.Kept(x.Words), x.Table.Only(before.Used())
	if len(words.Pairs) == 0 {
		return nil, nil
	}
	s.Force = true // so that draws are not chosen by what they show
	found, err := release.Redraw(ctx, table, s.Progress, func(draw int, private *bias.Table) ([]float64, error) {
		r, err := Measure(private, words, s.Options)
		if err != nil {
			return nil, err
		}
		random, err := randomTable(table, release.Seed, draw)
		if err != nil {
			return nil, err
		}
		if random, err = release.Private(random, " null", draw); err != nil {
			return nil, err
		}
		null, err := Measure(random, words, s.Options)
		if err != nil {
			return nil, err
		}
		refused := 0.0
		if r.Refused != "" {
			refused = 1
		}
		numbers := []float64{refused, float64(r.Confidence), float64(r.DirectBias), float64(null.DirectBias), agreement(before.g, r.g), agreement(before.g, null.g)}
		return append(numbers, r.scores(len(words.Professions))...), nil
	})
	if err != nil {
		return nil, err
	}
	a := &After{
		Refused: measure.Number(stat.Mean(found[0], nil)), Confidence: found[1].Describe(), DirectBias: found[2].Describe(),
		Null: found[3].Describe(), Agreement: found[4].Describe(), NullAgreement: found[5].Describe(),
	}
	scores := before.scores(len(words.Professions))
	for i, p := range words.Professions {
		a.Professions = append(a.Professions, ProfessionAfter{Name: p.Name, Before: measure.Number(scores[i]), After: found[6+i].Describe()})
	}
	return a, nil
}

// scores lists those of n professions, NaN where no pair was found.
func (r *Result) scores(n int) []float64 {
	all := slices.Repeat([]float64{math.NaN()}, n)
	for i, p := range r.Professions {
		all[i] = float64(p.Score)
	}
	return all
}

// randomTable returns vectors of random directions, as long as those of a table.
func randomTable(t *bias.Table, seed uint64, draw int) (*bias.Table, error) {
	// The constant keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(seed^0x6e756c6c, uint64(draw)))
	words, rows := make([]string, t.Len()), make([]float64, 0, t.Len()*t.Dim())
	for i := range words {
		words[i] = t.Word(i)
		row := make([]float64, t.Dim())
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		floats.Scale(floats.Norm(t.Row(i), 2)/floats.Norm(row, 2), row)
		rows = append(rows, row...)
	}
	return bias.NewTable(t.Dim(), words, rows)
}

// agreement is the absolute cosine between two directions of length 1,
// undefined if they have not as many numbers.
func agreement(a, b []float64) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return math.NaN()
	}
	return min(1, math.Abs(floats.Dot(a, b)))
}
