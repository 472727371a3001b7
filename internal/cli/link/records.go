package link

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"sotto/dataset/table"
	"sotto/internal/cli/term"
	"sotto/link"
	"sotto/link/agree"
	"sotto/link/records"
)

// recordsOptions are the flags of "sotto link records".
type recordsOptions struct {
	records.Options
	in, truth, unknown string
	columns            []string
	out, golden        string
	json               bool
}

func newRecords(std term.Streams) *cobra.Command {
	var o recordsOptions
	c := &cobra.Command{
		Use:   "records",
		Short: "Find the rows of a table that are one and the same, by rows whose entity is known",
		Long: `Compare the rows of a table that share a word, a number, a beginning or a sound in one
of --columns, learn from the rows whose entity --truth names how much each kind of
agreement says, and divide all rows so that the learnt probabilities fit best.

Half of the known entities train the model (--share); the others measure it: precision,
recall and F1 of pairs. Rows without an entity are linked all the same. The division is
the best for its probabilities, but these are learnt, so that who is the same remains an
estimate.

--out has every row, as it came, after its number and the number of its cluster, and
--golden one row a cluster: of each column the value that most of its rows have.
Both hold your data.`,
		Example: `  sotto link records --in sites.csv --columns name,address,phone --truth entity
  sotto link records --in sites.csv --columns name,address --truth entity --out linked.csv --golden golden.csv --json`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE:    func(c *cobra.Command, _ []string) error { return runRecords(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "", "file of rows: csv, tsv, jsonl or parquet, compressed or not")
	fs.StringSliceVar(&o.columns, "columns", nil, "columns to compare, separated by commas")
	fs.StringVar(&o.truth, "truth", "", "column that names the entity of some rows; those where it is empty are not known")
	fs.Float64Var(&o.Share, "share", 0.5, "part of the known entities that the model is trained on")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the choice of those (default 0)")
	fs.StringVar(&o.unknown, "unknown", string(link.Forbidden), "what a pair costs inside a cluster that was not compared: forbidden or neutral (nothing)")
	fs.Int64Var(&o.Work, "work", 0, "most steps of the search of each component (default 2e9, some twenty seconds)")
	fs.DurationVar(&o.Limit, "limit", 0, "time after which the best division found is taken (default: none)")
	fs.StringVar(&o.out, "out", "", "CSV file to write, with every row, its number and its cluster")
	fs.StringVar(&o.golden, "golden", "", "CSV file to write, with one row a cluster")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// recordsResult is what "sotto link records" prints.
type recordsResult struct {
	Rows      int               `json:"rows"`
	Known     int               `json:"rows_known"`
	Pairs     int               `json:"pairs_compared"`
	Trained   int               `json:"pairs_trained_on"`
	Clusters  int               `json:"clusters"`
	Objective float64           `json:"objective"`
	Optimal   bool              `json:"optimal"`
	Gap       float64           `json:"gap"`
	Precision *float64          `json:"precision,omitempty"`
	Recall    *float64          `json:"recall,omitempty"`
	F1        *float64          `json:"f1,omitempty"`
	Held      *agree.Score      `json:"held_out,omitempty"`
	All       *agree.Score      `json:"all_known,omitempty"`
	LogLoss   float64           `json:"log_loss"`
	Off       float64           `json:"calibration_error"`
	Features  []records.Feature `json:"features"`
}

func runRecords(ctx context.Context, o recordsOptions, std term.Streams) error {
	if o.in == "" || len(o.columns) == 0 || o.truth == "" {
		return errors.New("want --in, a file of rows; --columns, those to compare; and --truth, the column that names the entity of some rows")
	}
	if slices.Contains(o.columns, o.truth) {
		return fmt.Errorf("--columns has %q, which is --truth, must not: what is compared must not be the answer", o.truth)
	}
	o.Unknown = link.Unknown(o.unknown)
	if o.Unknown != link.Forbidden && o.Unknown != link.Neutral {
		return fmt.Errorf("--unknown is %q, must be one of %s, %s", o.unknown, link.Forbidden, link.Neutral)
	}
	if err := term.RefuseSame(term.Named("--in", o.in), term.Named("--out", o.out), term.Named("--golden", o.golden)); err != nil {
		return err
	}
	if err := term.CanWrite(term.Named("--out", o.out), term.Named("--golden", o.golden)); err != nil {
		return err
	}
	t, header, whole, err := o.read()
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "comparing rows")
	defer bar.Finish()
	o.Progress = func(done, total int) {
		bar.Describe("dividing")
		bar.Set(int64(done), int64(total))
	}
	r, err := records.Link(ctx, t, o.Options)
	if err != nil {
		return err
	}
	bar.Finish()
	if err := o.write(std.Out, header, whole, r.Labels); err != nil {
		return err
	}
	out := recordsResult{
		Rows: len(t.Rows), Pairs: r.Pairs, Trained: r.Trained, Clusters: len(link.Clusters(r.Labels)), Objective: r.Objective, Optimal: r.Optimal, Gap: r.Gap,
		Held: r.Held, All: r.All, LogLoss: r.LogLoss, Off: r.Calibrate, Features: r.Features,
	}
	if r.Held != nil {
		out.Precision, out.Recall, out.F1 = &r.Held.Precision, &r.Held.Recall, &r.Held.F1
	}
	for _, e := range t.Entity {
		if e != "" {
			out.Known++
		}
	}
	slices.SortStableFunc(out.Features, func(a, b records.Feature) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return term.Show(std.Out, o.json, out, printRecords)
}

// read returns what is compared, and all of the file.
func (o *recordsOptions) read() (t records.Table, header []string, whole [][]string, err error) {
	r, err := table.Open(o.in, table.Options{})
	if err != nil {
		return t, nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	header = slices.Clone(r.Columns())
	places := make([]int, len(o.columns))
	for k, name := range o.columns {
		if places[k], err = r.Column(name); err != nil {
			return t, nil, nil, err
		}
	}
	entity, err := r.Column(o.truth)
	if err != nil {
		return t, nil, nil, err
	}
	t.Columns = o.columns
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t, header, whole, nil
		}
		if err != nil {
			return t, nil, nil, err
		}
		fields := make([]string, len(row))
		for k, v := range row {
			fields[k] = v.Text
		}
		chosen := make([]string, len(places))
		for k, p := range places {
			chosen[k] = fields[p]
		}
		whole = append(whole, fields)
		t.Rows = append(t.Rows, chosen)
		t.Entity = append(t.Entity, fields[entity])
	}
}

// write writes the files that were asked for.
func (o *recordsOptions) write(stdout io.Writer, header []string, whole [][]string, labels []int) error {
	if o.out != "" {
		err := term.WriteWhole(o.out, stdout, func(w io.Writer) error {
			return writeRows(w, slices.Concat([]string{"row", "cluster"}, header), len(whole), func(i int) []string {
				return slices.Concat([]string{strconv.Itoa(i), strconv.Itoa(labels[i])}, whole[i])
			})
		})
		if err != nil {
			return err
		}
	}
	if o.golden == "" {
		return nil
	}
	golden := records.Golden(whole, labels)
	size := make([]int, len(golden))
	for _, l := range labels {
		size[l]++
	}
	return term.WriteWhole(o.golden, stdout, func(w io.Writer) error {
		return writeRows(w, slices.Concat([]string{"cluster", "rows"}, header), len(golden), func(c int) []string {
			return slices.Concat([]string{strconv.Itoa(c), strconv.Itoa(size[c])}, golden[c])
		})
	})
}

// writeRows writes CSV.
func writeRows(w io.Writer, header []string, n int, row func(i int) []string) error {
	c := csv.NewWriter(w)
	if err := c.Write(header); err != nil {
		return err
	}
	for i := range n {
		if err := c.Write(row(i)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// printRecords prints a result for a person.
func printRecords(out io.Writer, r recordsResult) error {
	t := term.NewTable(out)
	t.Fact("rows", "%d, of which the entity of %d is known", r.Rows, r.Known)
	t.Fact("pairs", "%d compared, %d trained on", r.Pairs, r.Trained)
	t.Fact("clusters", "%d", r.Clusters)
	if r.Optimal {
		t.Fact("proved", "no division fits the probabilities better")
	} else {
		t.Fact("proved", "no division fits the probabilities more than %.3g %% better", 100*r.Gap)
	}
	if r.Held != nil {
		t.Fact("entities not trained on", "precision %.4f, recall %.4f, F1 %.4f", r.Held.Precision, r.Held.Recall, r.Held.F1)
		t.Fact("probabilities", "log loss %.4f, mean off by %.4f", r.LogLoss, r.Off)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	t, err := titled(out, "What speaks for the same (above zero) and against, the strongest first", "agreement", "weight")
	if err != nil {
		return err
	}
	for _, f := range r.Features[:min(len(r.Features), 10)] {
		t.Row(term.Plain(f.Name), fmt.Sprintf("%+.2f", f.Weight))
	}
	return t.Flush()
}
