package weat

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/measure"
	"sotto/promise/mech"
	"sotto/study/bias"
)

// Format names the format of a [Report].
const Format = "sotto-bias-weat-1"

// Significance is the level of summaries and of draws, as in the literature.
const Significance = 0.01

// maxPrivateSamples bounds the partitions drawn for each draw of a mechanism:
// p is then compared with a level alone.
const maxPrivateSamples = 10_000

// Report is what "sotto bias weat --json" prints.
type Report struct {
	Format    string         `json:"format"`
	Settings  Settings       `json:"settings"`
	Models    []Model        `json:"models"`
	Tests     []Row          `json:"tests"`
	Summaries []ModelSummary `json:"summaries"`
	bias.Simulation
}

// Settings say how the tests were made.
type Settings struct {
	Words string `json:"words,omitempty"` // file of the tests; "" if they are built in
	Options
	// PrivateSamples is the number of partitions drawn for each draw of a
	// mechanism.
	PrivateSamples int `json:"private_samples,omitempty"`
}

// Model says what was measured.
type Model struct {
	Name      string          `json:"name"`
	Dim       int             `json:"dim"`
	Counts    *bias.Counts    `json:"counts,omitempty"` // nil of an encoder
	Guarantee *mech.Statement `json:"guarantee,omitempty"`
}

// Row is a test by one measure and statistic: a [Variant] and what it is of.
type Row struct {
	Model      string         `json:"model"`
	Test       int            `json:"test"` // its place in the list that it was chosen from
	Name       string         `json:"name"`
	About      string         `json:"about,omitempty"`
	Measure    Measure        `json:"measure"`
	Statistic  Statistic      `json:"statistic"`
	Effect     measure.Number `json:"effect"`
	Sum        measure.Number `json:"sum"`
	P          measure.Number `json:"p"`
	Inclusive  measure.Number `json:"p_inclusive"` // by which significance is judged
	TwoSided   bool           `json:"two_sided"`
	Exact      bool           `json:"exact"`
	Partitions int            `json:"partitions"`
	Greater    int            `json:"greater"`
	Equal      int            `json:"equal"`
	Lost       []string       `json:"lost"`
	Sets       []Found        `json:"sets"`
	Notes      []string       `json:"notes,omitempty"`
	Refused    string         `json:"refused,omitempty"`
	Private    *Private       `json:"private,omitempty"`
}

// Private is what is left of a row on private vectors.
type Private struct {
	Effect      bias.Drawn     `json:"effect"`
	Significant measure.Number `json:"significant"` // share of draws with an inclusive p below the level
}

// ModelSummary is the [Summary] of a model.
type ModelSummary struct {
	Model string `json:"model"`
	Summary
	Mean      measure.Number `json:"mean"`
	Deviation measure.Number `json:"deviation"`
}

// Text renders how many tests are significant, and the mean and deviation of
// their effects.
func (s ModelSummary) Text() string {
	return fmt.Sprintf("%d of %d (%s, %s)", s.Significant, s.Tests, s.Mean.Text("%.2f"), s.Deviation.Text("%.2f"))
}

// Study makes tests on several models, raw and private.
type Study struct {
	Options
	Tests []Test
	Words string // file that the tests are from; "" if they are built in
	// Release says how vectors of that many numbers are released; nil for not at
	// all.
	Release  func(dim int) (*bias.Release, error)
	Progress bias.Progress // nil for nobody
}

// Choose returns the tests of a list that are named, by place, by a range of
// places such as 6-9 or by name, in the order of the list; all if none is named.
func Choose(list []Test, names []string) ([]Test, error) {
	chosen := make([]bool, len(list))
	for _, name := range names {
		i := slices.IndexFunc(list, func(t Test) bool { return t.Name == name })
		from, to := i+1, i+1
		if i < 0 {
			first, last, ranged := strings.Cut(name, "-")
			if !ranged {
				last = first
			}
			var err, failed error
			from, err = strconv.Atoi(first)
			to, failed = strconv.Atoi(last)
			if err != nil || failed != nil || from < 1 || to < from || to > len(list) {
				var known []string
				for _, t := range list {
					known = append(known, fmt.Sprintf("%.40q", t.Name))
				}
				return nil, fmt.Errorf("weat: test is %.40q, must be a place from 1 to %d, a range of them such as 6-9, or a name: %s", name, len(list), SomeWords(known))
			}
		}
		for k := from; k <= to; k++ {
			chosen[k-1] = true
		}
	}
	var all []Test
	for i, t := range list {
		if t.Place = i + 1; chosen[i] || len(names) == 0 {
			all = append(all, t)
		}
	}
	return all, nil
}

// SomeWords joins words, the first few of many.
func SomeWords(words []string) string {
	const most = 12
	text := strings.Join(words[:min(most, len(words))], ", ")
	if len(words) > most {
		text += fmt.Sprintf(" and %d more", len(words)-most)
	}
	return text
}

// Run makes the tests on each source.
func (s Study) Run(ctx context.Context, sources []bias.Source) (*Report, error) {
	var err error
	if s.Options, err = s.filled(); err != nil {
		return nil, err
	}
	r := &Report{Format: Format, Settings: Settings{Words: s.Words, Options: s.Options}}
	if s.Release != nil {
		r.Simulation, r.Settings.PrivateSamples = bias.Simulated(), min(s.Samples, maxPrivateSamples)
	}
	for i, m := range sources {
		if slices.ContainsFunc(sources[:i], func(n bias.Source) bool { return n.Name == m.Name }) {
			return nil, fmt.Errorf("weat: vectors are named %.200q twice, must be named once", m.Name)
		}
		if err := s.measure(ctx, m, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// measure makes the tests on a model and on its private tables.
func (s Study) measure(ctx context.Context, m bias.Source, r *Report) error {
	model := Model{Name: m.Name, Dim: m.Table.Dim(), Counts: m.Counts}
	var release *bias.Release
	if s.Release != nil {
		var err error
		if release, err = s.Release(model.Dim); err != nil {
			return err
		}
		model.Guarantee = release.Statement
	}
	results, err := RunAll(ctx, m.Table, s.Tests, s.Options, s.Progress)
	if err != nil {
		return err
	}
	r.Models = append(r.Models, model)
	first := len(r.Tests)
	for _, result := range results {
		for _, v := range result.Variants {
			r.Tests = append(r.Tests, Row{
				Model: m.Name, Test: result.Test.Place, Name: result.Test.Name, About: result.Test.About, Measure: v.Measure, Statistic: v.Statistic,
				Effect: measure.Number(v.Effect), Sum: measure.Number(v.Sum), P: measure.Number(v.P), Inclusive: measure.Number(v.Inclusive), TwoSided: v.TwoSided,
				Exact: v.Exact, Partitions: v.Partitions, Greater: v.Greater, Equal: v.Equal,
				Lost: result.Lost(), Sets: result.Sets, Notes: result.Notes, Refused: v.Refused,
			})
		}
	}
	for _, x := range Summarise(results, Significance) {
		r.Summaries = append(r.Summaries, ModelSummary{m.Name, x, measure.Number(x.Mean), measure.Number(x.Deviation)})
	}
	if release == nil {
		return nil
	}
	return s.redraw(ctx, m.Table, release, results, r.Tests[first:])
}

// redraw fills in what is left of the rows on private vectors. The words are those
// that count in the raw tests, and no others are released: one whose vector is
// zero would count once there is noise on it.
func (s Study) redraw(ctx context.Context, t *bias.Table, release *bias.Release, raw []Result, rows []Row) error {
	s.Samples = min(s.Samples, maxPrivateSamples)
	var used []int
	for _, r := range raw {
		if !r.made() {
			continue
		}
		for _, w := range Words(r.Kept) {
			if i, ok := t.Index(w); ok {
				used = append(used, i)
			}
		}
	}
	found, err := release.Redraw(ctx, t.Only(used), s.Progress, func(_ int, private *bias.Table) ([]float64, error) {
		numbers := make([]float64, 0, 2*len(rows)) // the effect and the p of each row
		for _, before := range raw {
			after := before
			if before.made() {
				var err error
				if after, err = Run(ctx, private, before.Kept, s.Options); err != nil {
					return nil, err
				}
			}
			for k, v := range after.Variants {
				if before.Variants[k].Refused != "" {
					v.Effect, v.Inclusive = math.NaN(), math.NaN()
				}
				numbers = append(numbers, v.Effect, v.Inclusive)
			}
		}
		return numbers, nil
	})
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Private = &Private{Effect: found[2*i].Describe(), Significant: found[2*i+1].ShareBelow(Significance)}
	}
	return nil
}

// made reports whether some variant was not refused.
func (r Result) made() bool {
	return slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.Refused == "" })
}

// Refused reports whether every test was.
func (r *Report) Refused() bool {
	return !slices.ContainsFunc(r.Tests, func(t Row) bool { return t.Refused == "" })
}

// Of returns the rows of a model, one list for each test.
func (r *Report) Of(model string) [][]Row {
	var all [][]Row
	last := 0
	for _, t := range r.Tests {
		if t.Model != model {
			continue
		}
		if len(all) == 0 || t.Test != last {
			all, last = append(all, nil), t.Test
		}
		all[len(all)-1] = append(all[len(all)-1], t)
	}
	return all
}

// ChanceText renders p, with the counts where they say more.
func (r Row) ChanceText() string {
	text := fmt.Sprintf("%.2g", float64(r.P))
	if r.Exact {
		text += fmt.Sprintf(" (%d of %d)", r.Greater, r.Partitions)
	}
	if r.TwoSided {
		text += " two-sided"
	}
	return text
}

// Stars marks how small the inclusive p is.
func (r Row) Stars() string { return Stars(float64(r.Inclusive)) }

// SummaryRows lists measure, statistic and what each model has.
func (r *Report) SummaryRows() [][]string {
	var rows [][]string
	variants := len(r.Summaries) / len(r.Models)
	for i, s := range r.Summaries {
		if i < variants {
			rows = append(rows, []string{string(s.Measure), string(s.Statistic)})
		}
		rows[i%variants] = append(rows[i%variants], s.Text())
	}
	return rows
}

// Loss is words of a set that do not count.
type Loss struct {
	Kind  string // how a list calls them
	Why   string // and a sentence
	Words []string
}

// Losses says which words of the set do not count, and why.
func (f Found) Losses() []Loss {
	return slices.DeleteFunc([]Loss{
		{"", "", f.Lost},
		{", zero vectors", ", whose vectors are zero", f.Zero},
		{", the same row as another word", ", which are the same row as another word", f.Repeated},
	}, func(l Loss) bool { return len(l.Words) == 0 })
}

// WriteCSV writes a line for each row.
func (r *Report) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	value := func(n measure.Number) string {
		if math.IsNaN(float64(n)) {
			return ""
		}
		return strconv.FormatFloat(float64(n), 'g', -1, 64)
	}
	rows := [][]string{{
		"model", "test", "name", "about", "measure", "statistic", "effect", "sum", "p", "p_inclusive", "stars", "two_sided", "exact", "partitions", "greater", "equal", "lost", "refused",
		"private_effect", "private_low", "private_high", "private_significant",
	}}
	for _, t := range r.Tests {
		row := []string{
			t.Model, strconv.Itoa(t.Test), t.Name, t.About, string(t.Measure), string(t.Statistic), value(t.Effect), value(t.Sum), value(t.P), value(t.Inclusive), t.Stars(),
			strconv.FormatBool(t.TwoSided), strconv.FormatBool(t.Exact), strconv.Itoa(t.Partitions), strconv.Itoa(t.Greater), strconv.Itoa(t.Equal),
			strings.Join(t.Lost, " "), t.Refused, "", "", "", "",
		}
		if p := t.Private; p != nil {
			copy(row[len(row)-4:], []string{value(p.Effect.Mean), value(p.Effect.Low), value(p.Effect.High), value(p.Significant)})
		}
		rows = append(rows, row)
	}
	return w.WriteAll(rows)
}
