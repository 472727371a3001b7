package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/study/link"
	"sotto/study/link/records"
	"sotto/text/encode/catalogue"
)

// recordsOptions are the flags of "sotto link records".
type recordsOptions struct {
	records.Options
	in, truth, source, unknown string
	columns                    []string
	labels, with, save         string
	encoder                    string
	ask                        bool
	answers                    string
	must, cannot, decisions    string
	pairs                      []string
	out, golden                string
	json                       bool
}

func newRecords(std term.Streams) *cobra.Command {
	var o recordsOptions
	c := &cobra.Command{
		Use:   "records",
		Short: "Find the rows of a table that are one and the same, and say why",
		Long: `Compare the rows of a table that share a word, a number, a beginning, a sound or, with
--encoder, a neighbourhood in one of --columns, make a probability of each comparison,
and divide all rows so that the probabilities fit best.

What each kind of agreement says is learnt, from what you have:

  --truth COLUMN   names the entity of some rows. Half of the entities train the model
                   (--share); the others measure it: precision, recall and F1 of pairs.
  --labels FILE    has pairs of rows, with the columns i, j and same: 1 or 0. Rows are
                   counted from 0, as in --out.
  --ask            asks you, in the terminal, about the pairs from which most is learnt,
                   and keeps the answers in --answers, from which it goes on next time.
  --with FILE      is a model that --save-model has written.

Without any of these the model is estimated from the table alone, after Fellegi and
Sunter; --truth with --unsupervised measures how good that is. Probabilities that are
learnt are calibrated on pairs that the model was not trained on. Who is the same remains
an estimate, however exactly the division is solved.

Rows, keys and pairs lie on disk where they are many (in the folder that TMPDIR names),
so that a table of a million rows fits into a gigabyte. Keys that too many rows share are
not followed, and of the pairs that share a key those that share the most are compared
(--most-pairs): both are said.

--out has every row, as it came, after its number and the number of its cluster, and
--golden one row a cluster: of each column the value that most of its rows have. Both
hold your data. A model and what --json prints hold names of columns, numbers of rows and
nothing of what stands in them.`,
		Example: `  sotto link records --in sites.csv --columns name,address,phone --truth entity
  sotto link records --in people.csv --columns name,street,born --ask --answers answers.csv --save-model people.json
  sotto link records --in more.csv --with people.json --out linked.csv --golden golden.csv --explain 3
  sotto link records --in people.csv --columns name,street,born --json`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed", "explain"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.refuse(c.Flags()); err != nil {
				return err
			}
			return runRecords(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

func (o *recordsOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.in, "in", "", "file of rows: csv, tsv, jsonl or parquet, compressed or not")
	fs.StringSliceVar(&o.columns, "columns", nil, "columns to compare, separated by commas (default: those of the model, with --with)")
	fs.StringVar(&o.truth, "truth", "", "column that names the entity of some rows; those where it is empty are not known")
	fs.StringVar(&o.source, "source", "", "column that says where a row comes from, if no source has anybody twice: rows of one source are not compared")
	fs.Float64Var(&o.Share, "share", 0.5, "part of the known entities that the model is trained on")
	fs.BoolVar(&o.Unsupervised, "unsupervised", false, "learn from no label, even if --truth is there to measure")
	fs.StringVar(&o.labels, "labels", "", "file of pairs that are known, with the columns i, j and same")
	fs.BoolVar(&o.ask, "ask", false, "ask about the pairs from which most is learnt")
	fs.StringVar(&o.answers, "answers", "", "file of answers, which --ask continues")
	fs.StringVar(&o.with, "with", "", "model to use, as --save-model has written it")
	fs.StringVar(&o.save, "save-model", "", "file to write, with the model")
	fs.StringVar(&o.encoder, "encoder", "", "encoder by which rows are compared as a whole and neighbours are found, such as default (default: none)")
	term.AddEncoderRoots(fs)
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the choice of entities and of planes (default 0)")
	fs.IntVar(&o.Pairs, "most-pairs", 0, "most pairs that are compared (default: 20 a row, and at least 100,000)")
	fs.StringVar(&o.unknown, "unknown", string(link.Forbidden), "what a pair costs inside a cluster that was not compared: forbidden or neutral (nothing)")
	fs.StringVar(&o.must, "must", "", "file of pairs of rows that are one, with the columns i and j")
	fs.StringVar(&o.cannot, "cannot", "", "file of pairs of rows that are not one, with the columns i and j")
	fs.StringVar(&o.decisions, "decisions", "", "file of pairs of rows that a person decided, as sotto studio exports it, with the columns i, j and decision: same or apart")
	fs.IntVar(&o.Explain, "explain", 0, "number of pairs to explain that were joined with the least conviction, and of those that were not (default 0)")
	fs.StringArrayVar(&o.pairs, "pair", nil, "two rows to explain, such as 12,57; may be given again")
	fs.Int64Var(&o.Work, "work", 0, "most steps of the search of each component (default 2e9, some twenty seconds)")
	fs.DurationVar(&o.Limit, "limit", 0, "time after which the best division found is taken, for some thousands of rows at a time (default: none)")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all)")
	fs.StringVar(&o.out, "out", "", "CSV file to write, with every row, its number and its cluster")
	fs.StringVar(&o.golden, "golden", "", "CSV file to write, with one row a cluster")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// refuse refuses flags that contradict each other.
func (o *recordsOptions) refuse(fs *pflag.FlagSet) error {
	if o.in == "" || len(o.columns) == 0 && o.with == "" {
		return errors.New("want --in, a file of rows, and --columns, those to compare, or --with, a model that knows them")
	}
	for k, name := range o.columns {
		if slices.Contains(o.columns[:k], name) {
			return fmt.Errorf("--columns has %q twice, must have every column once", name)
		}
	}
	if o.truth != "" && slices.Contains(o.columns, o.truth) {
		return fmt.Errorf("--columns has %q, which is --truth, must not: what is compared must not be the answer", o.truth)
	}
	o.Unknown = link.Unknown(o.unknown)
	if o.Unknown != link.Forbidden && o.Unknown != link.Neutral {
		return fmt.Errorf("--unknown is %q, must be one of %s, %s", o.unknown, link.Forbidden, link.Neutral)
	}
	if o.with != "" {
		if err := term.RefuseFlags(fs, "with --with, which has learnt already", "share", "labels", "ask", "answers", "unsupervised", "save-model"); err != nil {
			return err
		}
	}
	if o.Unsupervised {
		if err := term.RefuseFlags(fs, "with --unsupervised", "share", "labels", "ask", "answers"); err != nil {
			return err
		}
	}
	if o.ask != (o.answers != "") {
		return errors.New("want --ask and --answers, the file in which answers are kept, or neither; answers alone are --labels")
	}
	if o.ask && o.truth != "" {
		if err := term.RefuseFlags(fs, "with --ask, where --truth measures alone", "share"); err != nil {
			return err
		}
	}
	if err := term.RefuseSame(term.Named("--in", o.in), term.Named("--labels", o.labels), term.Named("--answers", o.answers), term.Named("--with", o.with),
		term.Named("--must", o.must), term.Named("--cannot", o.cannot), term.Named("--decisions", o.decisions),
		term.Named("--save-model", o.save), term.Named("--out", o.out), term.Named("--golden", o.golden)); err != nil {
		return err
	}
	for _, text := range o.pairs {
		a, b, _ := strings.Cut(text, ",")
		i, err := strconv.Atoi(strings.TrimSpace(a))
		j, err2 := strconv.Atoi(strings.TrimSpace(b))
		if err != nil || err2 != nil {
			return fmt.Errorf("--pair is %.40q, must be two numbers of rows, such as 12,57", text)
		}
		o.Explained = append(o.Explained, [2]int{i, j})
	}
	return term.CanWrite(term.Named("--answers", o.answers), term.Named("--save-model", o.save), term.Named("--out", o.out), term.Named("--golden", o.golden))
}

func runRecords(ctx context.Context, o recordsOptions, std term.Streams) error {
	begun := time.Now()
	if err := o.model(ctx); err != nil {
		return err
	}
	end := func() error { return nil }
	if o.Encoder != nil {
		end = term.CloserOf(o.Encoder)
	}
	defer func() { _ = end() }() // what it says is heard below, if all went well until then
	bar := term.NewProgress(std.Err, "reading rows")
	defer bar.Finish()
	rows, err := o.read(ctx)
	if err != nil {
		return err
	}
	defer rows.close()
	if err = o.known(rows); err != nil {
		return err
	}
	o.Stage = func(what string, done, total int64) {
		bar.Describe(what)
		bar.Set(done, total)
	}
	o.Progress = func(done, total int) { o.Stage("dividing", int64(done), int64(total)) }
	if o.ask {
		file, failed := openAnswers(o.answers)
		if failed != nil {
			return failed
		}
		defer func() { _ = file.Close() }() // every answer is on its way before the next question
		asking := newAsking(std, rows, file)
		o.Ask = func(q records.Question) (records.Answer, error) {
			bar.Finish()
			return asking.ask(q)
		}
	}
	r, err := records.Link(ctx, rows.table, o.Options)
	if err != nil {
		return err
	}
	bar.Finish()
	if err := end(); err != nil {
		return err
	}
	if err := o.write(std.Out, rows, r); err != nil {
		return err
	}
	return term.Show(std.Out, o.json, o.outcome(rows, r, time.Since(begun)), printRecords)
}

// model opens the model and the encoder.
func (o *recordsOptions) model(ctx context.Context) error {
	if o.with != "" {
		m, err := records.Load(o.with)
		if err != nil {
			return err
		}
		o.With = m
		if len(o.columns) == 0 {
			o.columns = m.Columns
		}
		if o.encoder != "" && o.encoder != m.Encoder {
			return fmt.Errorf("--encoder is %.40q, must be that of the model, %.40q, or left out", o.encoder, m.Encoder)
		}
		o.encoder = m.Encoder
	}
	if o.encoder == "" {
		return nil
	}
	// A model of links is a file: what it names is opened if it is local, or if
	// --encoder says the same.
	roots := catalogue.Beside(o.with, dataset.Dir())
	roots.From = "the manifest of the link model"
	e, err := catalogue.OpenNamed(ctx, catalogue.Name(o.encoder), roots)
	if err != nil {
		return err
	}
	o.Encoder, o.EncoderName = e, o.encoder
	return nil
}

// known reads what is known of pairs.
func (o *recordsOptions) known(rows *recordsFile) (err error) {
	if o.labels != "" {
		if o.Labelled, err = readLabels(o.labels, rows); err != nil {
			return err
		}
	}
	if o.ask {
		more, failed := readAnswers(o.answers, rows)
		if failed != nil {
			return failed
		}
		o.Labelled = append(o.Labelled, more...)
	}
	if o.must != "" {
		if o.Must, err = readPairs(o.must, rows.table.Len()); err != nil {
			return err
		}
	}
	if o.cannot != "" {
		if o.Cannot, err = readPairs(o.cannot, rows.table.Len()); err != nil {
			return err
		}
	}
	if o.decisions == "" {
		return nil
	}
	must, cannot, err := link.GraphRows(rows.table.Len()).Decisions(o.decisions)
	o.Must, o.Cannot = append(o.Must, must...), append(o.Cannot, cannot...)
	return err
}

// outcome is what is printed.
func (o *recordsOptions) outcome(rows *recordsFile, r records.Result, took time.Duration) records.Outcome {
	out := records.Outcome{
		Format: records.RecordsFormat, Data: filepath.Base(o.in), Columns: o.columns, Encoder: o.EncoderName,
		Rows: rows.table.Len(), Known: rows.known, Pairs: r.Pairs, Trained: r.Trained, Learnt: o.learnt(r), Estimated: r.Model.Estimated, Blocks: r.Blocks,
		Clusters: 1 + slices.Max(append([]int{-1}, r.Labels...)), Objective: r.Objective, Optimal: r.Optimal, Gap: r.Gap,
		Held: r.Held, All: r.All, Calibration: r.Calibration, Crossed: r.Model.Calibration,
		Constant: r.Model.Constant, Features: r.Features, Explained: r.Explained, Seconds: took.Seconds(),
	}
	if r.Held != nil {
		out.Precision, out.Recall, out.F1 = &r.Held.Precision, &r.Held.Recall, &r.Held.F1
	}
	if c := cmp.Or(r.Calibration, r.Model.Calibration); c != nil {
		out.LogLoss, out.Off = &c.LogLoss, &c.Error
	}
	slices.SortStableFunc(out.Features, func(a, b records.Feature) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return out
}

// learnt says in a word or two what the model was learnt from.
func (o *recordsOptions) learnt(r records.Result) string {
	switch {
	case o.With != nil:
		return "a model"
	case r.Model.Estimated:
		return "nothing"
	case o.ask:
		return "answers"
	case o.truth != "":
		return "entities"
	}
	return "labels"
}

// printRecords prints a result for a person.
func printRecords(out io.Writer, r records.Outcome) error {
	t := term.NewTable(out)
	t.Fact("rows", "%d, of which the entity of %d is known", r.Rows, r.Known)
	t.Fact("pairs", "%d compared, %d trained on", r.Pairs+r.Blocks.Completed, r.Trained)
	if b := r.Blocks; b.Skipped > 0 || b.Left > 0 {
		t.Fact("left out", "%d keys that more than %d rows share, and %d pairs that share less than others", b.Skipped, b.Bound, b.Left)
	}
	if r.Estimated {
		t.Fact("learnt from", "nothing: probabilities are estimated from the table alone")
	} else {
		t.Fact("learnt from", "%s", r.Learnt)
	}
	t.Fact("clusters", "%d", r.Clusters)
	if r.Optimal {
		t.Fact("proved", "no division fits the probabilities better")
	} else {
		t.Fact("proved", "no division fits the probabilities more than %.3g %% better", 100*r.Gap)
	}
	if r.Held != nil {
		t.Fact("entities not trained on", "precision %.4f, recall %.4f, F1 %.4f", r.Held.Precision, r.Held.Recall, r.Held.F1)
	}
	if r.Off != nil {
		t.Fact("probabilities", "off by %.4f in the mean, log loss %.4f", *r.Off, *r.LogLoss)
	}
	t.Fact("seconds", "%.3g", r.Seconds)
	if err := t.Flush(); err != nil {
		return err
	}
	if err := printCalibration(out, cmp.Or(r.Calibration, r.Crossed)); err != nil {
		return err
	}
	t, err := titled(out, "What speaks for the same (above zero) and against, the strongest first", "agreement", "weight")
	if err != nil {
		return err
	}
	for _, f := range r.Features[:min(len(r.Features), 10)] {
		t.Row(term.Plain(f.Name), fmt.Sprintf("%+.2f", f.Weight))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, e := range r.Explained {
		if err := printPair(out, e); err != nil {
			return err
		}
	}
	return nil
}

// printCalibration prints how well probabilities fit.
func printCalibration(out io.Writer, c *records.Calibration) error {
	if c == nil {
		return nil
	}
	t, err := titled(out, fmt.Sprintf("What probabilities are worth, on %d pairs that were not trained on", c.Pairs), "from", "pairs", "mean probability", "part that is the same")
	if err != nil {
		return err
	}
	for _, b := range c.Bins {
		t.Row(fmt.Sprintf("%.1f", b.From), strconv.Itoa(b.Pairs), fmt.Sprintf("%.3f", b.Probability), fmt.Sprintf("%.3f", b.Same))
	}
	return t.Flush()
}

// mostTerms is how many terms of a pair are printed one by one.
const mostTerms = 10

// printPair prints what speaks for and against a pair.
func printPair(out io.Writer, e records.Explained) error {
	verdict := "not joined"
	if e.Joined {
		verdict = "joined"
	}
	t, err := titled(out, fmt.Sprintf("Rows %d and %d: %s, probability %.3f", e.I, e.J, verdict, e.Probability), "agreement", "value", "adds")
	if err != nil {
		return err
	}
	rest := 0.0
	for k, x := range e.Terms {
		if k < mostTerms {
			t.Row(term.Plain(x.Name), fmt.Sprintf("%.2f", x.Value), fmt.Sprintf("%+.2f", x.Contribution))
		} else {
			rest += x.Contribution
		}
	}
	if n := len(e.Terms) - mostTerms; n > 0 {
		t.Row(fmt.Sprintf("%d weaker ones", n), "", fmt.Sprintf("%+.2f", rest))
	}
	t.Row("every pair", "", fmt.Sprintf("%+.2f", e.Constant))
	t.Row("sum, the logit", "", fmt.Sprintf("%+.2f", e.Logit))
	return t.Flush()
}
