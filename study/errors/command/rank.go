package errors

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/evidence/page"
	"sotto/internal/layout"
	failing "sotto/study/errors"
	"sotto/study/errors/feature"
	"sotto/study/explain/predictor"
)

// rankOptions are the flags of "sotto errors rank".
type rankOptions struct {
	inputFlags
	with    string
	top     int
	reasons int
	out     string
	html    string
	workers int
	json    bool
}

func newRank(std term.Streams) *cobra.Command {
	var o rankOptions
	c := &cobra.Command{
		Use:   "rank",
		Short: "Order texts without labels by the chance that their answer is wrong, for those who label them",
		Long: `Read texts that nobody has labelled, with what the same model answered to them, and order
them by the chance that the answer is wrong: the list that a labelling team works down.

--with is the folder that "sotto errors --out" made: a forest of readable features, and how
far to trust it beside the model's own doubt. The chance is set against answers that the
trees had not seen, so that of answers with a chance of 0.7 about seven in ten are wrong, as
long as new texts are like those. The file must have the columns that were learnt from, under
the same names; a column of labels is not read, should it have one. If a model of sotto train
had answered, it answers again with --model; what --lexicon named must be named again.

The words that speak for an error are marked: in colour or [brackets] in a terminal, on a
page with --html, as segments with --json. What a feature adds is what it added on the way
through the trees: what the forest did, not a cause. What is written holds your texts; in --out, one that begins
with =, +, - or @ and is no number has an apostrophe before it, since spreadsheets would take
it for a formula.`,
		Example: `  sotto errors --in answers.csv --text text --label label --predicted answer --confidence p --out watch
  sotto errors rank --in new.csv --with watch
  sotto errors rank --in new.csv --with watch --top 200 --out worklist.csv --html worklist.html`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE:    func(c *cobra.Command, _ []string) error { return runRank(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.in, "in", "", "file of texts and answers: csv, tsv, jsonl or parquet, compressed or not; - for CSV or JSON lines on standard input")
	fs.StringVar(&o.with, "with", "", "folder that sotto errors --out made")
	o.AddFlags(fs)
	fs.StringVar(&o.model, "model", "", "folder of the model of sotto train that had answered when the list was learnt (default: columns hold the answers)")
	o.masks.AddFlags(fs)
	o.addLexicon(fs)
	fs.StringVar(&o.id, "id", "", "column that names each row in what is written (default: the number of the row, from 1)")
	fs.IntVar(&o.top, "top", 0, "number of texts to list (default: 20 in a terminal, and all in --out and with --json)")
	fs.IntVar(&o.reasons, "reasons", 5, "number of features to name for each text")
	fs.StringVar(&o.out, "out", "", "CSV file to write, with an empty column for the label")
	fs.StringVar(&o.html, "html", "", "file to write a page to, with marked texts, 200 at most")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// RankFormat is the format of what is printed.
const RankFormat = "sotto-errors-rank-1"

// ranking is what "sotto errors rank" prints.
type ranking struct {
	Format string   `json:"format"`
	Rows   int      `json:"rows"`
	Learnt learnt   `json:"learnt_from"`
	Ranked []ranked `json:"ranked"`

	reasons int
}

// learnt says what a work list was learnt from.
type learnt struct {
	Rows   int `json:"rows"`
	Errors int `json:"errors"`
}

// ranked is one text of the list.
type ranked struct {
	Row     int              `json:"row"` // in the file, from 1
	ID      string           `json:"id,omitempty"`
	Chance  float64          `json:"chance"` // of an error
	Answer  string           `json:"predicted,omitempty"`
	Reasons []failing.Reason `json:"reasons"`
	// Segments joined are the text; those with a weight hold what speaks for an error.
	Segments []feature.Segment `json:"segments,omitempty"`
}

func runRank(ctx context.Context, o rankOptions, std term.Streams) error {
	if o.in == "" || o.with == "" {
		return errors.New("want --in, a file of texts without labels, and --with, the folder that sotto errors --out made")
	}
	if o.top < 0 || o.reasons < 1 {
		return fmt.Errorf("--top is %d and --reasons %d, must be at least 1", o.top, o.reasons)
	}
	files := []term.NamedPath{term.Named("--in", o.in), term.Named("--out", o.out), term.Named("--html", o.html)}
	if err := term.RefuseSame(files...); err != nil {
		return err
	}
	if err := term.CanWrite(files[1:]...); err != nil {
		return err
	}
	var err error
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	w, err := failing.LoadWorklist(o.with)
	if err != nil {
		return fmt.Errorf("--with: %w", err)
	}
	in, answers, err := o.readNew(std.In, w.Columns())
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "reading texts")
	defer bar.Finish()
	if c := w.Columns(); c.Model != "" {
		if answers, err = o.askAgain(ctx, in, c); err != nil {
			return interrupted(err)
		}
	}
	x, err := in.features(ctx, failing.Work{Workers: o.workers, Progress: func(done, total int) { bar.Set(int64(done), int64(total)) }})
	bar.Finish()
	if err != nil {
		return interrupted(err)
	}
	if x, err = failing.Join(x, in.released()); err != nil {
		return err
	}
	r, err := o.list(ctx, w, in, answers, x)
	if err != nil {
		return interrupted(err)
	}
	if err := o.write(std, r); err != nil {
		return err
	}
	if !o.json && o.top == 0 {
		r.Ranked = r.Ranked[:min(20, len(r.Ranked))]
	}
	return term.Show(std.Out, o.json, r, printRanking)
}

// interrupted says what Ctrl-C left.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; nothing was written")
	}
	return err
}

// askAgain asks the model that had answered when the list was learnt.
func (o *rankOptions) askAgain(ctx context.Context, in *input, c failing.Columns) ([]string, error) {
	maskers, err := o.masks.Maskers(ctx)
	if err != nil {
		return nil, err
	}
	m, err := predictor.Load(ctx, o.model, predictor.Options{View: predictor.Before, Draws: c.Draws, Seed: c.DrawSeed, Workers: o.workers, Maskers: maskers})
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	defer term.CloserOf(m.Source())() //nolint:errcheck // its answers are complete
	if got, failed := m.Manifest().Digest(); failed != nil || got != c.Model {
		return nil, errors.Join(failed, errors.New("--model is another model than the one whose errors were learnt, must be the same"))
	}
	if in.probabilities, err = in.answers(ctx, m, len(in.texts), failing.Work{}); err != nil {
		return nil, err
	}
	if c.Draws > 0 {
		in.model = &answered{}
		if in.model.received, err = in.receive(ctx, m, len(in.texts), failing.Work{}); err != nil {
			return nil, err
		}
	}
	return in.said(m.Classes()), nil
}

// readNew reads the columns that a work list was learnt from, of rows without labels.
func (o *rankOptions) readNew(stdin io.Reader, c failing.Columns) (*input, []string, error) {
	if c.Text != "" && o.Text == "" {
		o.Text = c.Text
	}
	if c.Text == "" && o.Text != "" {
		return nil, nil, errors.New("--text names a column, but the work list was learnt from columns alone, must be left out")
	}
	if (c.Model == "") != (o.model == "") {
		return nil, nil, errors.New("want --model if and only if a model had answered when the list was learnt")
	}
	var names []string
	for _, name := range slices.Concat([]string{o.Text, c.Predicted, c.Confidence, o.id}, c.Probabilities, c.Features) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	columns, err := o.open(stdin, names)
	if err != nil {
		return nil, nil, err
	}
	of := func(name string) []string {
		if name == "" {
			return nil
		}
		return columns[slices.Index(names, name)]
	}
	in := &input{name: base(o.in), texts: of(o.Text), ids: of(o.id), columnNames: c.Features}
	for i := range columns[0] {
		in.places = append(in.places, i+1)
	}
	in.wrong = make([]bool, len(in.places)) // nobody knows
	if in.reader, in.lexicons, err = o.reader(); err != nil {
		return nil, nil, err
	}
	if !slices.Equal(in.lexicons, c.Lexicons) {
		if len(c.Lexicons) == 0 {
			return nil, nil, errors.New("--lexicon names lexicons, but the work list was learnt with those that are built in, must be left out")
		}
		return nil, nil, fmt.Errorf("--lexicon names other lexicons than the work list was learnt with, must name the same, %d, with the same words", len(c.Lexicons))
	}
	if in.confidence, err = in.numbers(c.Confidence, of(c.Confidence)); err != nil {
		return nil, nil, err
	}
	for _, name := range c.Features {
		in.columns = append(in.columns, of(name))
	}
	return in, of(c.Predicted), in.readProbabilities(c.Probabilities, of)
}

// list ranks all rows and marks those that are shown.
func (o *rankOptions) list(ctx context.Context, w *failing.Worklist, in *input, answers []string, x *failing.Features) (*ranking, error) {
	all, err := w.Rank(&failing.Answers{Features: x, Confidence: in.confidence, Probabilities: in.probabilities}, o.workers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}
	r := &ranking{Format: RankFormat, Rows: len(all), reasons: o.reasons}
	r.Learnt.Rows, r.Learnt.Errors = w.Learnt()
	if o.top > 0 {
		all = all[:min(o.top, len(all))]
	}
	for some := range slices.Chunk(all, batch) { // so that places of few texts are in memory
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first := len(r.Ranked)
		var texts []string
		for _, k := range some {
			r.Ranked = append(r.Ranked, o.one(w, in, answers, x, k))
			if in.reader != nil {
				texts = append(texts, in.texts[k.Row])
			}
		}
		if in.reader == nil {
			continue
		}
		found, err := in.reader.All(ctx, texts, failing.Work{Workers: o.workers})
		if err != nil {
			return nil, err
		}
		for i, t := range texts {
			k := &r.Ranked[first+i]
			k.Segments = feature.Mark(t, found[i], k.Reasons)
		}
	}
	return r, nil
}

// one says what is known of a row of the list but its text.
func (o *rankOptions) one(w *failing.Worklist, in *input, answers []string, x *failing.Features, k failing.Ranked) ranked {
	one := ranked{Row: k.Row + 1, Chance: k.Chance, Reasons: w.Reasons(x, k.Row)}
	if in.ids != nil {
		one.ID = in.ids[k.Row]
	}
	if answers != nil {
		one.Answer = answers[k.Row]
	}
	one.Reasons = slices.DeleteFunc(one.Reasons, func(r failing.Reason) bool { return !(r.Adds > 0) })
	one.Reasons = one.Reasons[:min(o.reasons, len(one.Reasons))]
	return one
}

// text joins the segments.
func (r ranked) text() string {
	var b strings.Builder
	for _, s := range r.Segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// why names the features that speak for an error: one that the text does not have
// speaks by that.
func (r ranked) why() string {
	words := make([]string, len(r.Reasons))
	for i, x := range r.Reasons {
		switch words[i] = x.Feature; {
		case x.Group == failing.GroupPrivacy || x.Feature == feature.Length: // every text has it
			words[i] += " = " + strconv.FormatFloat(x.Value, 'g', 3, 64)
		case x.Value == 0:
			words[i] = "no " + x.Feature
		}
	}
	return strings.Join(words, ", ")
}

// write writes the files that were asked for.
func (o *rankOptions) write(std term.Streams, r *ranking) error {
	if o.out != "" {
		if err := term.WriteWhole(o.out, std.Out, r.csv); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if o.html == "" {
		return nil
	}
	if err := term.WriteWhole(o.html, std.Out, r.page); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// csv writes the list for people who label: a row a text, the likeliest error first.
func (r *ranking) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"rank", "row", "id", "chance", "predicted", "text", "why", "label"}) //nolint:errcheck // Flush tells
	for i, k := range r.Ranked {
		out.Write([]string{strconv.Itoa(i + 1), strconv.Itoa(k.Row), term.Cell(k.ID), strconv.FormatFloat(k.Chance, 'f', 4, 64), term.Cell(k.Answer), term.Cell(k.text()), term.Cell(k.why()), ""}) //nolint:errcheck // see above
	}
	out.Flush()
	return out.Error()
}

// mostPassages is how many texts a page shows.
const mostPassages = 200

// page writes the list as a page with marked texts.
func (r *ranking) page(w io.Writer) error {
	p := page.Page{
		Title:    "Answers that are likely wrong",
		Sentence: fmt.Sprintf("%s, the likeliest errors first.", page.Plural(r.Rows, "text without a label", "texts without labels")),
		Verdicts: []page.Verdict{{Tone: page.Warn, Label: "not private", Text: "This page holds the texts themselves."}},
	}
	for i, k := range r.Ranked[:min(mostPassages, len(r.Ranked))] {
		name := fmt.Sprintf("row %d", k.Row)
		if k.ID != "" {
			name = page.Name(k.ID)
		}
		s := page.Section{Title: fmt.Sprintf("%d: %s, %s %% likely wrong", i+1, name, page.Decimal(100*k.Chance, 0)), Meaning: "What is marked speaks for an error; the stronger the colour, the more."}
		if k.Answer != "" {
			s.Meaning = fmt.Sprintf("Answered %s. ", page.Name(k.Answer)) + s.Meaning
		}
		if k.Segments != nil {
			s.Blocks = append(s.Blocks, page.Block{Passage: k.passage()})
		}
		t := &page.Table{Caption: "What speaks for an error", Head: page.Heads("feature", "kind", "#value", "#adds")}
		for _, x := range k.Reasons {
			t.Add(x.Feature, x.Group, page.Decimal(x.Value, 3), page.Decimal(x.Adds, 3))
		}
		s.Blocks = append(s.Blocks, t.Blocks()...)
		p.Sections = append(p.Sections, s)
	}
	return page.HTML(w, p)
}

// passage is the text as a page shows it.
func (r ranked) passage() []page.Stretch {
	most := 0.0
	for _, s := range r.Segments {
		most = max(most, s.Weight)
	}
	all := make([]page.Stretch, len(r.Segments))
	for i, s := range r.Segments {
		all[i] = page.Stretch{Text: s.Text}
		if s.Weight > 0 {
			all[i].Shade, all[i].Tip = s.Weight/most, strings.Join(s.Features, ", ")
		}
	}
	return all
}

// printRanking prints the list for a person.
func printRanking(to io.Writer, r *ranking) error {
	b := layout.NewBuffer(to)
	fmt.Fprintf(b, "%d texts without labels, by the chance that their answer is wrong; learnt from %d answers, %d of them wrong\n", r.Rows, r.Learnt.Rows, r.Learnt.Errors)
	for i, k := range r.Ranked {
		name := ""
		if k.ID != "" {
			name = " (" + term.Plain(k.ID) + ")"
		}
		if k.Answer != "" {
			name += ", answered " + term.Plain(k.Answer)
		}
		fmt.Fprintf(b, "\n%d. %s %% likely wrong: row %d%s\n", i+1, strconv.FormatFloat(100*k.Chance, 'f', 0, 64), k.Row, name)
		if k.Segments != nil {
			fmt.Fprintln(b, "  ", marked(b, k.Segments))
		}
		if why := k.why(); why != "" {
			fmt.Fprintln(b, "   for it:", term.Plain(why))
		}
	}
	if len(r.Ranked) < r.Rows {
		fmt.Fprintf(b, "\nand %d more; --top and --out have more of them\n", r.Rows-len(r.Ranked))
	}
	return b.Flush()
}

// marked is a text in which what speaks for an error stands out.
func marked(b *layout.Buffer, segments []feature.Segment) string {
	return feature.Line(segments, func(text string, strength float64) string {
		paint := layout.Doubtful
		if strength > 0.5 {
			paint = layout.Bad
		}
		if painted := paint(b, text); painted != text {
			return painted
		}
		return "[" + text + "]"
	})
}
