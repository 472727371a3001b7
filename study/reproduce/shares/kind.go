package shares

import (
	"fmt"
	"io"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/internal/layout"
)

// Kind is the case as evidence.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "table", List: "shares",
	Check: func(r *Result) error {
		if len(r.Sets) == 0 {
			return fmt.Errorf("shares: there is no data set, must be at least one")
		}
		for _, s := range r.Sets {
			for _, l := range s.Lines {
				if len(l.At) != len(s.Periods) {
					return fmt.Errorf("shares: a line of %.20q has %d periods, must have %d", s.Data, len(l.At), len(s.Periods))
				}
			}
		}
		return nil
	},
	Section:  evidence.Each("", (*Result).sections),
	Subjects: (*Result).subjects,
}

// subjects lets gates limit standard errors.
func (r *Result) subjects() []evidence.Subject {
	var all []evidence.Subject
	for _, s := range r.Sets {
		for _, row := range s.Rows {
			all = append(all, evidence.Subject{
				Name:    "shares of " + s.Data + " by " + row.Mechanism,
				Match:   evidence.Match{Data: s.Data, Mechanism: row.Mechanism},
				Numbers: map[string]measure.Estimate{"standard_error": evidence.Exactly(measure.Number(row.Unbiased)), "covered": evidence.Exactly(measure.Number(row.Covered))},
			})
		}
	}
	return all
}

func points(v float64) string { return page.Decimal(measure.Number(100*v), 2) }

// cells are what tables show of a row.
func (row Row) cells() []string {
	if row.Mechanism == raw {
		return []string{"raw answers", points(row.Unbiased), points(row.Possible), points(row.Worst), points(row.Stated), "", ""}
	}
	return []string{row.Mechanism, points(row.Unbiased), points(row.Possible), points(row.Worst), points(row.Stated), points(row.Covered) + " %", page.Decimal(measure.Number(100*row.Found), 0) + " %"}
}

// heads are those of cells.
var heads = []any{"release", "standard error", "possible shares", "worst answer", "as stated", "intervals that hold", "change found"}

// Print prints the result for a person.
func (r *Result) Print(to io.Writer) error {
	w := layout.NewBuffer(to)
	fmt.Fprintf(w, "%d users of each period, each with one release at ε = %v, %s; errors in points\n", r.Users, r.Epsilon, page.Plural(r.Seeds, "draw", "draws"))
	for _, s := range r.Sets {
		fmt.Fprintf(w, "\n%s: %s\n%d answers, %d periods\n\n", s.Data, s.About, s.Classes, len(s.Periods))
		t := layout.NewTable(w, heads...)
		for _, row := range s.Rows {
			t.Cells(row.cells()...)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for _, l := range s.Lines {
			fmt.Fprintf(w, "\n%s, in %%: %s\n", l.Answer, "true, raw, and "+s.Best+" with its interval")
			t := layout.NewTable(w, "period", "true", "raw", s.Best, "95 % interval")
			for i, at := range l.At {
				t.Row(s.Periods[i], points(at.True), points(at.Raw), points(at.Share), points(at.Low)+" to "+points(at.High))
			}
			if err := t.Flush(); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// Charts returns a chart of each line: the share of an answer over periods.
func (s *Set) Charts(r *Result) []page.Plot {
	var all []page.Plot
	for _, l := range s.Lines {
		all = append(all, s.chart(r, l))
	}
	return all
}

func (s *Set) chart(r *Result, l Line) *page.Chart {
	told, plain := make([]page.Dot, len(l.At)), make([]page.Dot, len(l.At))
	for i, at := range l.At {
		x := float64(i + 1)
		told[i] = page.Dot{X: x, Y: at.Share, Low: at.Low, High: at.High, Tip: fmt.Sprintf("%s: %s %%, from %s to %s; raw %s", page.Name(s.Periods[i]), points(at.Share), points(at.Low), points(at.High), points(at.Raw))}
		plain[i] = page.Dot{X: x, Y: at.Raw, Low: at.Raw, High: at.Raw}
	}
	return &page.Chart{
		Title:   fmt.Sprintf("Share of %s over periods, %s", page.Name(l.Answer), page.Name(s.Data)),
		Desc:    "The share from private answers with its interval, and dashed that from raw ones. The table has the numbers.",
		Heading: page.Name(l.Answer),
		X:       page.Axis{Label: "period", Low: 0, High: float64(len(s.Periods)) + 1},
		Y:       page.Axis{Label: "share", Percent: true},
		Series: []page.Series{
			{Name: fmt.Sprintf("private, ε = %v", r.Epsilon), Runs: [][]page.Dot{told}},
			{Name: "raw", Runs: [][]page.Dot{plain}, Dashed: true},
		},
	}
}

// sections shows the result on a page.
func (r *Result) sections() []page.Section {
	var all []page.Section
	for i := range r.Sets {
		s := &r.Sets[i]
		t := &page.Table{Caption: fmt.Sprintf("Errors of shares in points, over %d answers, %d periods and %s", s.Classes, len(s.Periods), page.Plural(r.Seeds, "draw", "draws")), Head: page.Heads("release", "#standard error", "#possible shares", "#worst answer", "#as stated", "#intervals that hold", "#change found")}
		for _, row := range s.Rows {
			t.Add(row.cells()...)
		}
		lines := &page.Table{Caption: "The answers that change most, in one draw", Head: page.Heads("answer", "period", "#true %", "#raw %", "#"+s.Best+" %", "#95 % interval")}
		for _, l := range s.Lines {
			for p, at := range l.At {
				lines.Add(l.Answer, s.Periods[p], points(at.True), points(at.Raw), points(at.Share), points(at.Low)+" to "+points(at.High))
			}
		}
		blocks := t.Blocks()
		blocks = append(blocks, page.Block{Figure: &page.Figure{Caption: "Shares over periods, from private answers and from raw ones.", Plots: s.Charts(r), Small: true}})
		all = append(all, page.Section{
			ID: "shares-" + s.Data, Title: "What many releases say: " + page.Name(s.Data),
			Meaning: fmt.Sprintf("%s. Of each period %d users release one answer at ε = %v; nobody's own answer is told, and shares are.", page.Sentence(s.About), r.Users, r.Epsilon),
			Source:  "sotto reproduce shares; users and noise are drawn by seeds, so that the noise protects nobody here.",
			Blocks:  append(blocks, lines.Blocks()...),
		})
	}
	return all
}
