package bias

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"sotto/bias"
	"sotto/bias/erase"
	"sotto/internal/cli/term"
	"sotto/measure"
	"sotto/mech"
	"sotto/nn"
)

// eraseReport is what "sotto bias erase --json" prints.
type eraseReport struct {
	Privacy     string            `json:"privacy"`
	Method      erase.Method      `json:"method"`
	Vectors     string            `json:"vectors"`
	Out         string            `json:"out"`
	Saved       string            `json:"saved,omitempty"`
	Rows        int               `json:"rows"` // of the file
	Dim         int               `json:"dim"`
	RankRemoved int               `json:"rank_removed"`
	RankLeft    int               `json:"rank_left"`
	Seed        uint64            `json:"seed"`
	Concept     *eraseConcept     `json:"concept,omitempty"`
	Note        string            `json:"note,omitempty"`
	Changes     *erase.Changes    `json:"changes,omitempty"`    // of words
	Direction   *eraseDirection   `json:"direction,omitempty"`  // of hard
	Iterations  []erase.Iteration `json:"iterations,omitempty"` // of inlp
	Probes      *eraseProbes      `json:"probes,omitempty"`
	Clusters    *eraseClusters    `json:"clusters,omitempty"`
	Weat        []eraseWeat       `json:"weat,omitempty"` // of gender
	Private     *erasePrivate     `json:"private,omitempty"`
}

// eraseConcept says what was removed and what is known of it.
type eraseConcept struct {
	From    string   `json:"from"`
	Classes []string `json:"classes"`
	Rows    []int    `json:"rows"`              // of each class
	Lost    int      `json:"lost"`              // words of the list without a vector
	Unknown int      `json:"unknown,omitempty"` // rows without a class
	// Rows by what they were for: the eraser, fitting probes, scoring them.
	ForEraser int `json:"for_eraser"` // left aside by hard debiasing
	ForProbes int `json:"for_probes"`
	ForScore  int `json:"for_score"`
}

// eraseProbes are the readings of the concept.
type eraseProbes struct {
	Units  int            `json:"units"`
	Before erase.Readings `json:"before"`
	After  erase.Readings `json:"after"`
	// SameRows is the linear probe after erasure if it is fitted to the rows that
	// the eraser was fitted to, as in the literature, and finds less. Hard
	// debiasing has none.
	SameRows *erase.Reading `json:"linear_after_same_rows,omitempty"`
}

// eraseClusters compares clusters of rows with their classes.
type eraseClusters struct {
	Rows   int     `json:"rows"`
	Before float64 `json:"v_measure_before"`
	After  float64 `json:"v_measure_after"`
}

// erasePrivate is what the probes read after a mechanism.
type erasePrivate struct {
	Guarantee     *mech.Statement `json:"guarantee"`
	Note          string          `json:"note"`
	Simulated     bool            `json:"simulated"` // true: the noise comes from the seed
	SimulatedNote string          `json:"simulated_note"`
	Raw           erasedDraws     `json:"raw"`
	Erased        erasedDraws     `json:"erased"`
}

// erasedDraws are accuracies over the draws of a mechanism.
type erasedDraws struct {
	Linear         drawn   `json:"linear"`
	LinearBalanced drawn   `json:"linear_balanced"`
	MLP            drawn   `json:"mlp"`
	MLPBalanced    drawn   `json:"mlp_balanced"`
	Majority       float64 `json:"majority"`
}

// eraserNote limits the promise for erased vectors.
const eraserNote = "for erased vectors the promise is that of an eraser fixed beforehand: one fitted to the same vectors tells of them by itself if it is shown"

// eraseTrial is a sample of rows of known classes, from which an eraser is made
// and on which it is judged.
type eraseTrial struct {
	sample  *erase.Sample
	moments *erase.Moments // nil unless the method needs them
	classes []string
	counts  []int
	// shown are the rows to cluster, one after the other, with their classes.
	shown  []float64
	shownZ []int
	pool   *nn.Pool
}

func (o *eraseOptions) newTrial(dim int, classes []string, limit [3]int) *eraseTrial {
	return &eraseTrial{
		sample: erase.NewSample(dim, limit, o.Seed), classes: classes, counts: make([]int, len(classes)),
		pool: nn.NewPool(runtime.GOMAXPROCS(0)),
	}
}

// count makes the trial gather what LEACE needs of the rows to come.
func (t *eraseTrial) count(dim int) (err error) {
	t.moments, err = erase.NewMoments(dim, len(t.classes))
	return err
}

// add takes in a row of a class; number is its place among all.
func (t *eraseTrial) add(seed uint64, number int, row []float64, class int) error {
	part := erase.PartOf(seed, number)
	t.sample.Add(part, row, class)
	t.counts[class]++
	if part == erase.ForEraser && t.moments != nil {
		return t.moments.AddClass(row, class)
	}
	return nil
}

// concept states what the trial is of.
func (t *eraseTrial) concept(from string) *eraseConcept {
	return &eraseConcept{
		From: from, Classes: t.classes, Rows: t.counts, ForEraser: t.sample.Seen(erase.ForEraser),
		ForProbes: t.sample.Seen(erase.ForProbes), ForScore: t.sample.Seen(erase.ForScore),
	}
}

// enough refuses rows of which a part has not two classes to tell apart; the
// eraser's part counts if it is fitted to it.
func (t *eraseTrial) enough(fitted bool) error {
	short := len(t.sample.Rows(erase.ForScore).Z) == 0
	for _, part := range []erase.Part{erase.ForEraser, erase.ForProbes} {
		z := t.sample.Rows(part).Z
		if part == erase.ForProbes || fitted {
			short = short || len(z) == 0 || slices.Min(z) == slices.Max(z)
		}
	}
	if !short {
		return nil
	}
	return fmt.Errorf("too few rows: %d fit the eraser, %d fit probes and %d score them, must be rows of two classes to fit to and some to score",
		t.sample.Seen(erase.ForEraser), t.sample.Seen(erase.ForProbes), t.sample.Seen(erase.ForScore))
}

// fewRows says that an eraser had few rows to learn from, "" if not: what they
// say of the concept by chance is removed, and what they do not say is not.
func (t *eraseTrial) fewRows(dim int) string {
	if n := t.sample.Seen(erase.ForEraser); n < 10*dim {
		return fmt.Sprintf("%d rows are few for an eraser of %d numbers: expect that a linear reader of other rows still finds the concept", n, dim)
	}
	return ""
}

// fit makes the eraser of a method that needs no words.
func (o *eraseOptions) fit(ctx context.Context, t *eraseTrial, stderr io.Writer) (*erase.Eraser, []erase.Iteration, error) {
	if o.method == string(erase.MethodINLP) {
		bar, done := term.NewProgress(stderr, "fitting"), int64(0)
		defer bar.Finish()
		h := erase.INLP{Iterations: o.iterations, Seed: o.Seed, Progress: func(erase.Iteration) {
			done++
			bar.Set(done, int64(o.iterations))
		}}
		return h.Fit(ctx, t.pool, t.sample.Rows(erase.ForEraser), len(t.classes))
	}
	h, err := o.leace()
	if err != nil {
		return nil, nil, err
	}
	e, err := h.Fit(t.moments)
	return e, nil, err
}

// judge reads the concept before and after, raw and private, and fills in the
// report.
func (o *eraseOptions) judge(ctx context.Context, before, after *eraseTrial, report *eraseReport, stderr io.Writer) error {
	probes, classes := erase.Probes{Units: o.units, Epochs: o.epochs, Seed: o.Seed}, len(before.classes)
	found := &eraseProbes{Units: o.units}
	bar, done := term.NewProgress(stderr, "probing"), int64(0)
	defer bar.Finish()
	for _, of := range []struct {
		trial *eraseTrial
		to    *erase.Readings
	}{{before, &found.Before}, {after, &found.After}} {
		var err error
		*of.to, err = probes.Read(ctx, of.trial.pool, of.trial.sample.Rows(erase.ForProbes), of.trial.sample.Rows(erase.ForScore), classes)
		if err != nil {
			return err
		}
		done++
		bar.Set(done, 3)
	}
	if report.Method != erase.MethodHard {
		same, err := probes.ReadLinear(ctx, after.pool, after.sample.Rows(erase.ForEraser), after.sample.Rows(erase.ForScore), classes)
		if err != nil {
			return err
		}
		found.SameRows = &same
	}
	report.Probes, report.Seed = found, o.Seed
	if few := before.fewRows(report.Dim); few != "" && report.Method != erase.MethodHard {
		report.Note = strings.TrimPrefix(report.Note+"; "+few, "; ")
	}
	if len(before.shownZ) >= classes {
		report.Clusters = &eraseClusters{Rows: len(before.shownZ), Before: before.cluster(o.Seed), After: after.cluster(o.Seed)}
	}
	var err error
	report.Private, err = o.private(ctx, before, after, probes, stderr)
	return err
}

// cluster compares clusters of the rows shown with their classes.
func (t *eraseTrial) cluster(seed uint64) float64 {
	return erase.VMeasure(t.shownZ, erase.Clusters(t.shown, len(t.shown)/len(t.shownZ), len(t.classes), seed))
}

// private reads the concept in raw and erased rows as they leave through the
// mechanism; nil without one.
func (o *eraseOptions) private(ctx context.Context, before, after *eraseTrial, probes erase.Probes, stderr io.Writer) (*erasePrivate, error) {
	if o.mechanism == "" {
		return nil, nil
	}
	m, statement, err := o.release(before.sample.Rows(erase.ForScore).X.Cols)
	if err != nil {
		return nil, err
	}
	p := &erasePrivate{Guarantee: statement, Note: eraserNote, Simulated: true, SimulatedNote: simulated}
	if p.Raw, err = o.readDraws(ctx, before, m, probes, stderr); err != nil {
		return nil, err
	}
	p.Erased, err = o.readDraws(ctx, after, m, probes, stderr)
	return p, err
}

// readDraws reads the concept in each draw of a mechanism.
func (o *eraseOptions) readDraws(ctx context.Context, t *eraseTrial, m mech.Mechanism, probes erase.Probes, stderr io.Writer) (erasedDraws, error) {
	fit, score := t.sample.Rows(erase.ForProbes), t.sample.Rows(erase.ForScore)
	table, err := numbered(fit.X, score.X)
	if err != nil {
		return erasedDraws{}, err
	}
	var values [4][]float64
	for k := range values {
		values[k] = make([]float64, o.draws)
	}
	_, width := m.Shape()
	err = o.overDraws(ctx, table, m, stderr, func(draw int, private *bias.Table) error {
		part := func(lo int, z []int) measure.Labelled {
			x := nn.NewMatrix(len(z), width)
			for i := range z {
				for j, v := range private.Row(lo + i) {
					x.Row(i)[j] = float32(v)
				}
			}
			return measure.Labelled{X: x, Z: z}
		}
		r, failed := probes.Read(ctx, nn.NewPool(1), part(0, fit.Z), part(len(fit.Z), score.Z), len(t.classes))
		for k, v := range []float64{r.Linear.Accuracy, r.Linear.Balanced, r.MLP.Accuracy, r.MLP.Balanced} {
			values[k][draw] = v
		}
		return failed
	})
	return erasedDraws{
		describeDraws(values[0]), describeDraws(values[1]), describeDraws(values[2]), describeDraws(values[3]), measure.Majority(score.Z),
	}, err
}

// numbered makes a table of rows, whose words are their numbers.
func numbered(parts ...nn.Matrix) (*bias.Table, error) {
	var words []string
	var rows []float64
	for _, x := range parts {
		for i := range x.Rows {
			words = append(words, strconv.Itoa(len(words)))
			for _, v := range x.Row(i) {
				rows = append(rows, float64(v))
			}
		}
	}
	return bias.NewTable(parts[0].Cols, words, rows)
}

// about returns a report of an eraser, before anything is read.
func (o *eraseOptions) about(e *erase.Eraser, vectors string) eraseReport {
	note := ""
	if 2*e.Rank() > e.Dim() {
		note = fmt.Sprintf("%d of %d directions are removed, more than half: whatever else the vectors tell is mostly gone too", e.Rank(), e.Dim())
	}
	return eraseReport{
		Note: note, Privacy: erase.Privacy, Method: e.Method(), Vectors: vectors, Out: o.out, Saved: o.save,
		Dim: e.Dim(), RankRemoved: e.Rank(), RankLeft: e.Dim() - e.Rank(),
	}
}

// stored reads the eraser of --apply, for vectors of a width.
func (o *eraseOptions) stored(dim int) (*erase.Eraser, error) {
	f, err := os.Open(o.apply)
	if err != nil {
		return nil, err
	}
	e, err := erase.Read(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", o.apply, err)
	}
	if e.Dim() != dim {
		return nil, fmt.Errorf("%s: the eraser is for %d numbers, but the vectors have %d", o.apply, e.Dim(), dim)
	}
	return e, nil
}
