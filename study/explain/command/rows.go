package explain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/study/explain/decoy"
	"sotto/study/explain/linear"
)

// rowsOptions are the flags of "sotto explain rows".
type rowsOptions struct {
	rowsFlags
	modelFlags
	rows, suspects, workers int
	texts, json             bool
}

func newRows(std term.Streams) *cobra.Command {
	var o rowsOptions
	c := &cobra.Command{
		Use:   "rows",
		Short: "Explain an answer by training rows, or list rows whose label is suspect",
		Long: `Fit a linear model to the training rows of a data set and say which of them an answer
hangs on: the nearest ones in what the model sees of texts, those without which the answer
would be less certain, and those without which it would be more so (influence functions of
the last layer). The text is standard input, whole.

With --suspects, all rows of the data are fitted, and those are listed whose label is most
likely wrong: the rows that must defend their label against all others (influence), beside
how many of the nearest rows have another label, and what the model takes them for. "sotto
explain benchmark --decoy flip:0.05" measures how many of them are truly wrong.

Rows have numbers from 1, in the order of the data. They are shown with --texts alone:
what is printed is as secret as the rows.`,
		Example: `  echo 'a dull film' | sotto explain rows --data sst2
  sotto explain rows --in reviews.csv --text review --label rating --suspects 20 --texts`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error { return runRows(c.Context(), o, c.Flags(), std) },
	}
	fs := c.Flags()
	o.rowsFlags.add(fs)
	o.modelFlags.add(fs)
	fs.IntVar(&o.rows, "rows", 5, "number of rows of each kind to show")
	fs.IntVar(&o.suspects, "suspects", 0, "number of rows to list whose label is suspect, in place of explaining a text (default: none)")
	fs.BoolVar(&o.texts, "texts", false, "print the texts of rows, too")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// rowsResult is what "sotto explain rows" prints.
type rowsResult struct {
	Data        string         `json:"data"`
	Model       string         `json:"model"`
	Rows        int            `json:"rows"`
	Prediction  string         `json:"prediction,omitempty"`
	Probability measure.Number `json:"probability"`
	Nearest     []shownRow     `json:"nearest,omitempty"`
	Helped      []shownRow     `json:"helped,omitempty"`
	Harmed      []shownRow     `json:"harmed,omitempty"`
	Suspects    []shownRow     `json:"suspects,omitempty"`
}

// shownRow is a row that is shown.
type shownRow struct {
	Row   int    `json:"row"` // from 1
	Label string `json:"label"`
	// Score is a cosine, the change of the loss without the row, or its self-influence.
	Score    float64         `json:"score"`
	Believed string          `json:"believed,omitempty"` // what the model takes a suspect for
	Others   *measure.Number `json:"others,omitempty"`   // share of its nearest rows with another label, weighted by how near they are
	Text     string          `json:"text,omitempty"`
}

func runRows(ctx context.Context, o rowsOptions, fs *pflag.FlagSet, std term.Streams) (err error) {
	if o.rows < 1 || o.suspects < 0 {
		return fmt.Errorf("--rows is %d and --suspects %d, must be at least 1 and not negative", o.rows, o.suspects)
	}
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	asked := ""
	if o.suspects == 0 {
		if asked, err = readText(std.In); err != nil {
			return err
		}
		if strings.TrimSpace(asked) == "" {
			return errors.New("standard input is empty, must be a text; or want --suspects")
		}
	}
	which := usual
	if o.suspects > 0 {
		which = whole
	}
	data, err := o.load(ctx, fs, which)
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "fitting")
	defer bar.Finish()
	learn, done, err := o.open(ctx, len(data.Classes), o.workers, showTuning(bar))
	if err != nil {
		return err
	}
	defer done() //nolint:errcheck // what it computed is complete
	r, err := o.explain(ctx, data, learn, asked)
	if err != nil {
		return err
	}
	bar.Finish()
	return term.Show(std.Out, o.json, r, printRows)
}

// explain fits the model and asks it.
func (o *rowsOptions) explain(ctx context.Context, data decoy.Data, learn learner, asked string) (*rowsResult, error) {
	f, err := learn(ctx, data.Train)
	if err != nil {
		return nil, err
	}
	x, err := f.Rows(ctx, data.Train.Texts)
	if err != nil {
		return nil, err
	}
	m, err := linear.Fit(ctx, f, x, data.Train.Labels, data.Classes, o.fit)
	if err != nil {
		return nil, err
	}
	r := &rowsResult{Data: data.Name, Model: f.Name(), Rows: x.Len(), Probability: measure.Undefined}
	shown := func(all []linear.Example) (rows []shownRow) {
		for _, e := range all {
			row := shownRow{Row: e.Row + 1, Label: data.Classes[e.Label], Score: e.Score}
			if o.texts {
				row.Text = data.Train.Texts[e.Row]
			}
			rows = append(rows, row)
		}
		return rows
	}
	e := m.Examples(x, data.Train.Labels)
	if o.suspects > 0 {
		return r, o.suspect(ctx, r, m, e, x, shown)
	}
	row, err := f.Rows(ctx, []string{asked})
	if err != nil {
		return nil, err
	}
	class := m.Labels(row)[0]
	r.Prediction, r.Probability = data.Classes[class], measure.Number(m.Answer(row)[0][class])
	help, harm := e.Influence(row, 0, class, o.rows)
	r.Nearest, r.Helped, r.Harmed = shown(e.Nearest(row, 0, o.rows, -1)), shown(help), shown(harm)
	return r, nil
}

// suspect lists rows whose label is suspect.
func (o *rowsOptions) suspect(ctx context.Context, r *rowsResult, m *linear.Model, e *linear.Examples, x *linear.Rows, shown func([]linear.Example) []shownRow) error {
	self, err := e.SelfInfluence(ctx, 4*o.suspects, o.workers)
	if err != nil {
		return err
	}
	top := e.Top(self, o.suspects)
	r.Suspects = shown(top)
	some := make([]int, len(top))
	for k, ex := range top {
		some[k] = ex.Row
	}
	believed := m.Labels(x.Gather(some))
	for k, ex := range top {
		others := measure.Number(e.Differing(ex.Row, decoy.Neighbours))
		r.Suspects[k].Believed, r.Suspects[k].Others = m.Classes()[believed[k]], &others
	}
	return nil
}

// printRows prints a result for a person.
func printRows(out io.Writer, r *rowsResult) error {
	if _, err := fmt.Fprintf(out, "%s, %d rows; linear over %s\n", term.Plain(r.Data), r.Rows, r.Model); err != nil {
		return err
	}
	if r.Prediction != "" {
		if _, err := fmt.Fprintf(out, "answer: %s, with probability %s\n", term.Plain(r.Prediction), r.Probability.Text("%.3f")); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		title, score string
		rows         []shownRow
	}{
		{"nearest rows", "COSINE", r.Nearest},
		{"rows that help the answer", "LOSS WITHOUT IT", r.Helped},
		{"rows that harm it", "LOSS WITHOUT IT", r.Harmed},
		{"rows whose label is suspect", "SELF-INFLUENCE", r.Suspects},
	} {
		if len(part.rows) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(out, "\n%s:\n", part.title); err != nil {
			return err
		}
		heads := []any{"ROW", "LABEL", part.score}
		suspects := part.rows[0].Others != nil
		if suspects {
			heads = append(heads, "MODEL SAYS", "OTHERS NEAR %")
		}
		if part.rows[0].Text != "" {
			heads = append(heads, "TEXT")
		}
		t := term.NewTable(out, heads...)
		for _, row := range part.rows {
			cells := []any{row.Row, term.Plain(row.Label), fmt.Sprintf("%+.4f", row.Score)}
			if suspects {
				cells = append(cells, term.Plain(row.Believed), term.Percent(*row.Others))
			}
			if row.Text != "" {
				cells = append(cells, term.Plain(row.Text))
			}
			t.Row(cells...)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
