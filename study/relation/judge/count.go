package judge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// SheetShare is how many explanations have a mark, with an exact interval of 95 %.
type SheetShare struct {
	Count int     `json:"count"`
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// SheetShares are those of the three marks.
type SheetShares struct {
	Rows     int        `json:"rows"`
	Explains SheetShare `json:"explains"`
	Nearly   SheetShare `json:"nearly"`
	Not      SheetShare `json:"not"`
}

// SheetNamed is the shares of a relation, or of rules from one source.
type SheetNamed struct {
	Name string `json:"name"`
	SheetShares
}

// SheetResult is what a person said of explanations.
type SheetResult struct {
	Format string `json:"format"`
	Data   string `json:"data"`
	SheetShares
	Relations []SheetNamed `json:"relations"`
	Sources   []SheetNamed `json:"sources"` // decoded by the model, or stored rules
}

// CountSheet counts the marks of a sheet, with all columns of [Columns]. A sheet that is not
// whole, has no mark somewhere, or was changed elsewhere is refused.
func CountSheet(rows [][]string) (*SheetResult, error) {
	all, err := parse(rows)
	if err != nil {
		return nil, err
	}
	r := &SheetResult{Format: SheetFormat, Data: all[0][1]}
	relations, sources := map[string][]string{}, map[string][]string{}
	var marks []string
	for _, row := range all {
		mark := strings.ToLower(strings.TrimSpace(row[8]))
		marks = append(marks, mark)
		relations[row[2]] = append(relations[row[2]], mark)
		sources[row[7]] = append(sources[row[7]], mark)
	}
	r.SheetShares = shares(marks)
	r.Relations, r.Sources = named(relations), named(sources)
	return r, nil
}

func named(by map[string][]string) []SheetNamed {
	var all []SheetNamed
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, SheetNamed{name, shares(by[name])})
	}
	return all
}

func shares(marks []string) SheetShares {
	of := func(mark string) SheetShare {
		n := 0
		for _, m := range marks {
			if m == mark {
				n++
			}
		}
		low, high := measure.ClopperPearson(n, len(marks), 0.95)
		return SheetShare{n, float64(n) / float64(len(marks)), low, high}
	}
	return SheetShares{len(marks), of(Explains), of(Nearly), of(Not)}
}

// SheetFormat is that of a stored [Result].
const SheetFormat = "sotto-relations-review-1"

// SheetKind is what "sotto relations review" stores, for reports and gates.
var SheetKind = evidence.Kind[SheetResult]{
	Format: SheetFormat, Name: "relation review", List: "relation_reviews",
	Check:    (*SheetResult).check,
	Section:  evidence.Each("Rules that a person looked at", (*SheetResult).sections),
	Summary:  evidence.Said((*SheetResult).sentence, nil),
	Subjects: (*SheetResult).subjects,
}

func (r *SheetResult) check() error {
	if r.Rows < 1 {
		return errors.New("sheet: the result has no rows, must have some")
	}
	sum := 0
	for _, s := range []SheetShare{r.Explains, r.Nearly, r.Not} {
		if sum += s.Count; s.Count < 0 || !(s.Low >= 0 && s.Low <= s.Share && s.Share <= s.High && s.High <= 1) {
			return fmt.Errorf("sheet: a share is %v in [%v, %v], must be from 0 to 1 and within its interval", s.Share, s.Low, s.High)
		}
	}
	if sum != r.Rows {
		return fmt.Errorf("sheet: there are %d marks on %d rows, must be one each", sum, r.Rows)
	}
	return nil
}

func (r *SheetResult) subjects() []evidence.Subject {
	estimate := func(s SheetShare) measure.Estimate {
		return measure.Estimate{Value: measure.Number(s.Share), Low: measure.Number(s.Low), High: measure.Number(s.High)}
	}
	return []evidence.Subject{{
		Name:    fmt.Sprintf("rules beside relations of %s, looked at by a person", page.FileName(r.Data)),
		Match:   evidence.Match{Data: r.Data, Method: "review"},
		Numbers: map[string]measure.Estimate{"explains": estimate(r.Explains), "nearly": estimate(r.Nearly), "not": estimate(r.Not)},
	}}
}

// Percent writes a share with its interval.
func (s SheetShare) Percent() string {
	of := func(v float64) string { return page.Decimal(measure.Number(100*v), 1) }
	return fmt.Sprintf("%s (%s to %s)", of(s.Share), of(s.Low), of(s.High))
}

func (r *SheetResult) sentence() string {
	return fmt.Sprintf("Of %d rules beside relations of %s, a person finds that %s %% explain, %s %% nearly do, and %s %% do not.", r.Rows, page.FileName(r.Data), r.Explains.Percent(), r.Nearly.Percent(), r.Not.Percent())
}

func (r *SheetResult) sections() []page.Section {
	t := &page.Table{Caption: "What a person says of rules beside relations, in percent, with exact intervals of 95 %", Head: page.Heads("relation", "#rows", "#explains", "#nearly", "#not")}
	add := func(name string, s SheetShares) {
		t.Add(name, fmt.Sprint(s.Rows), s.Explains.Percent(), s.Nearly.Percent(), s.Not.Percent())
	}
	for _, n := range r.Relations {
		add(n.Name, n.SheetShares)
	}
	for _, n := range r.Sources {
		add("rules "+n.Name, n.SheetShares)
	}
	add("all", r.SheetShares)
	return []page.Section{{
		Title:   page.FileName(r.Data),
		Meaning: "Whether the rule that is shown beside a relation says why it holds, in the eyes of a person who saw a sample of them.",
		Source:  fmt.Sprintf("sotto relations review --marked: %d explanations of %s", r.Rows, page.FileName(r.Data)),
		Blocks:  t.Blocks(),
	}}
}
