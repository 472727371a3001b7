package erase

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/internal/layout"
	"sotto/study/bias"
	"sotto/study/bias/direction"
	"sotto/study/bias/weat"
)

// Study makes an eraser from some rows of known classes, and reads the classes
// in others, before and after, raw and private.
type Study struct {
	Method     Method
	Iterations int    // of INLP, at most; 0 means 35
	LEACE      LEACE  // how MethodLEACE is fitted
	Hard       Hard   // what MethodHard takes
	Probes     Probes // their seed is that below
	Seed       uint64
	// Release says how vectors of that many numbers are released; nil for not at
	// all.
	Release  func(dim int) (*bias.Release, error)
	Progress bias.Progress // nil for nobody
}

// Hard is the words of hard debiasing. The zero value takes the ten pairs of
// Bolukbasi et al. to define gender, leaves them alone and equalises them.
type Hard struct {
	Defining [][2]string // female first; nil for the ten
	Specific []string    // words left alone; nil for those of the pairs
	Pairs    [][2]string // words that are equalised; nil for the defining pairs
}

// Fit makes the eraser of a table, by the direction of the defining pairs.
func (h Hard) Fit(t *bias.Table) (*Eraser, *Direction, error) {
	set := direction.Words{Language: "en", Pairs: direction.Bolukbasi()}
	if h.Defining != nil {
		set.Pairs = direction.NewPairs(h.Defining)
	}
	found, err := direction.Measure(t, set, direction.Options{})
	if err != nil {
		return nil, nil, err
	}
	if found.Refused != "" {
		return nil, nil, fmt.Errorf("erase: there is no direction of gender to remove: %s", found.Refused)
	}
	var words []string
	var pairs [][2]string
	for _, p := range set.Pairs {
		words, pairs = append(words, p.Female, p.Male), append(pairs, [2]string{p.Female, p.Male})
	}
	if h.Specific != nil {
		words = h.Specific
	}
	if h.Pairs != nil {
		pairs = h.Pairs
	}
	e, err := NewHard([][]float64{found.Direction()}, words, pairs)
	return e, &Direction{found.Pairs, found.Confidence}, err
}

// Source is the vectors from which a concept is erased: [Words] or [Rows].
type Source interface {
	// Width returns how many numbers a vector has.
	Width() (int, error)
	// Fit makes the eraser and says what is left of the concept after it.
	Fit(ctx context.Context, s Study) (*Eraser, *Report, error)
	// Erase writes the vectors after the eraser, as they are written to a file of
	// that name, and enters in the report what it did. Rows keep the note, where
	// their format can.
	Erase(ctx context.Context, e *Eraser, w io.WriteSeeker, name, note string, r *Report, tell bias.Progress) error
}

// Words is a table of words, some of which show the concept.
type Words struct {
	Table   *bias.Table
	Concept Concept
	From    string // where the concept is from
	Gender  bool   // it is gender, of which the association tests are made too
}

// Width implements [Source].
func (w Words) Width() (int, error) { return w.Table.Dim(), nil }

// Fit implements [Source].
func (w Words) Fit(ctx context.Context, s Study) (*Eraser, *Report, error) {
	before, err := s.words(w.Table, w.Concept, s.Method == MethodLEACE)
	if err != nil {
		return nil, nil, err
	}
	e, r, err := s.fit(ctx, before, w.From, w.Table)
	if err != nil {
		return nil, nil, err
	}
	r.Concept.Lost = w.Concept.Lost
	erased, _, err := e.ApplyTable(before.pool, w.Table)
	if err != nil {
		return nil, nil, err
	}
	after, err := s.words(erased, w.Concept, false)
	if err != nil {
		return nil, nil, err
	}
	if err = s.judge(ctx, before, after, r); err == nil && w.Gender {
		r.Weat, err = weatOfGender(ctx, w.Table, erased)
	}
	return e, r, err
}

// Erase implements [Source].
func (w Words) Erase(_ context.Context, e *Eraser, out io.WriteSeeker, name, _ string, r *Report, _ bias.Progress) error {
	erased, changes, err := e.ApplyTable(nn.NewPool(runtime.GOMAXPROCS(0)), w.Table)
	if err != nil {
		return err
	}
	r.Changes, r.Rows = &changes, erased.Len()
	return erased.Write(out, strings.HasSuffix(strings.ToLower(name), ".gz"))
}

// words makes a trial of the words of a concept.
func (s Study) words(t *bias.Table, c Concept, moments bool) (*trial, error) {
	x, err := s.newTrial(t.Dim(), c.Classes, [3]int{}, moments)
	if err != nil {
		return nil, err
	}
	for k, i := range c.Rows {
		if err := x.add(s.Seed, k, t.Row(i), c.Z[k]); err != nil {
			return nil, err
		}
	}
	for _, k := range c.Clear {
		x.shown, x.shownZ = append(x.shown, t.Row(c.Rows[k])...), append(x.shownZ, c.Z[k])
	}
	return x, nil
}

// weatOfGender makes the association tests of gender on both tables.
func weatOfGender(ctx context.Context, before, after *bias.Table) ([]Weat, error) {
	tests := weat.Builtin()[5:8]
	raw, err := weat.RunAll(ctx, before, tests, weat.Options{}, nil)
	if err != nil {
		return nil, err
	}
	erased, err := weat.RunAll(ctx, after, tests, weat.Options{}, nil)
	if err != nil {
		return nil, err
	}
	var all []Weat
	for i, t := range tests {
		x, y := raw[i].Variants[0], erased[i].Variants[0]
		all = append(all, Weat{
			Test: t.Name, About: t.About, Refused: cmp.Or(x.Refused, y.Refused),
			Before: measure.Number(x.Effect), BeforeP: measure.Number(x.P), After: measure.Number(y.Effect), AfterP: measure.Number(y.P),
		})
	}
	return all, nil
}

// trial is a sample of rows of known classes, from which an eraser is made and
// on which it is judged.
type trial struct {
	sample  *Sample
	moments *Moments // nil unless the method needs them
	classes []string
	counts  []int
	// shown are the rows to cluster, one after the other, with their classes.
	shown  []float64
	shownZ []int
	pool   *nn.Pool
}

func (s Study) newTrial(dim int, classes []string, limit [3]int, moments bool) (*trial, error) {
	t := &trial{
		sample: NewSample(dim, limit, s.Seed), classes: classes, counts: make([]int, len(classes)),
		pool: nn.NewPool(runtime.GOMAXPROCS(0)),
	}
	var err error
	if moments {
		t.moments, err = NewMoments(dim, len(classes))
	}
	return t, err
}

// add takes in a row of a class; number is its place among all.
func (t *trial) add(seed uint64, number int, row []float64, class int) error {
	part := PartOf(seed, number)
	t.sample.Add(part, row, class)
	t.counts[class]++
	if part == ForEraser && t.moments != nil {
		return t.moments.AddClass(row, class)
	}
	return nil
}

// enough refuses rows of which a part has not two classes to tell apart; the
// eraser's part counts if it is fitted to it.
func (t *trial) enough(fitted bool) error {
	short := len(t.sample.Rows(ForScore).Z) == 0
	for _, part := range []Part{ForEraser, ForProbes} {
		z := t.sample.Rows(part).Z
		if part == ForProbes || fitted {
			short = short || len(z) == 0 || slices.Min(z) == slices.Max(z)
		}
	}
	if !short {
		return nil
	}
	return fmt.Errorf("erase: too few rows: %d fit the eraser, %d fit probes and %d score them, must be rows of two classes to fit to and some to score",
		t.sample.Seen(ForEraser), t.sample.Seen(ForProbes), t.sample.Seen(ForScore))
}

// fit makes the eraser of a trial, of a table if the method needs words, and
// begins the report.
func (s Study) fit(ctx context.Context, t *trial, from string, table *bias.Table) (e *Eraser, r *Report, err error) {
	if err = t.enough(s.Method != MethodHard); err != nil {
		return nil, nil, err
	}
	var found *Direction
	var iterations []Iteration
	switch s.Method {
	case MethodHard:
		if table == nil {
			return nil, nil, fmt.Errorf("erase: method is %s, must be %s or %s for rows without words", s.Method, MethodINLP, MethodLEACE)
		}
		e, found, err = s.Hard.Fit(table)
	case MethodINLP:
		done := int64(0)
		h := INLP{Iterations: s.Iterations, Seed: s.Seed, Progress: func(Iteration) {
			done++
			s.Progress.Tell("fitting", done, int64(s.Iterations))
		}}
		e, iterations, err = h.Fit(ctx, t.pool, t.sample.Rows(ForEraser), len(t.classes))
	case MethodLEACE:
		e, err = s.LEACE.Fit(t.moments)
	default:
		err = fmt.Errorf("erase: method is %.40q, must be %s, %s or %s%s", string(s.Method), MethodINLP, MethodLEACE, MethodHard,
			layout.Hint(string(s.Method), []string{string(MethodINLP), string(MethodLEACE), string(MethodHard)}))
	}
	if err != nil {
		return nil, nil, err
	}
	r = NewReport(e)
	r.Seed, r.Direction, r.Iterations = s.Seed, found, iterations
	r.Concept = &Examples{
		From: from, Classes: t.classes, Rows: t.counts, ForEraser: t.sample.Seen(ForEraser),
		ForProbes: t.sample.Seen(ForProbes), ForScore: t.sample.Seen(ForScore),
	}
	// What few rows say of the concept by chance is removed, and what they do not
	// say is not.
	if n := t.sample.Seen(ForEraser); n < 10*r.Dim && s.Method != MethodHard {
		few := fmt.Sprintf("%d rows are few for an eraser of %d numbers: expect that a linear reader of other rows still finds the concept", n, r.Dim)
		r.Note = strings.TrimPrefix(r.Note+"; "+few, "; ")
	}
	return e, r, nil
}

// judge reads the concept before and after, raw and private, and fills in the
// report.
func (s Study) judge(ctx context.Context, before, after *trial, r *Report) error {
	s.Probes = s.Probes.withDefaults()
	s.Probes.Seed = s.Seed
	r.Probes = &Probed{Units: s.Probes.Units}
	for i, of := range []struct {
		*trial
		to *Readings
	}{{before, &r.Probes.Before}, {after, &r.Probes.After}} {
		var err error
		if *of.to, err = s.Probes.Read(ctx, of.pool, of.sample.Rows(ForProbes), of.sample.Rows(ForScore), len(of.classes)); err != nil {
			return err
		}
		s.Progress.Tell("probing", int64(i+1), 3)
	}
	if s.Method != MethodHard {
		same, err := s.Probes.ReadLinear(ctx, after.pool, after.sample.Rows(ForEraser), after.sample.Rows(ForScore), len(after.classes))
		if err != nil {
			return err
		}
		r.Probes.SameRows = &same
	}
	if len(before.shownZ) >= len(before.classes) {
		r.Clusters = &Clustered{Rows: len(before.shownZ), Before: before.cluster(s.Seed), After: after.cluster(s.Seed)}
	}
	if s.Release == nil {
		return nil
	}
	release, err := s.Release(r.Dim)
	if err != nil {
		return err
	}
	p := &Private{Guarantee: release.Statement, Note: eraserNote, Simulation: bias.Simulated()}
	if p.Raw, err = s.private(ctx, before, release); err != nil {
		return err
	}
	p.Erased, err = s.private(ctx, after, release)
	r.Private = p
	return err
}

// cluster compares clusters of the rows shown with their classes.
func (t *trial) cluster(seed uint64) float64 {
	return VMeasure(t.shownZ, Clusters(t.shown, len(t.shown)/len(t.shownZ), len(t.classes), seed))
}

// private reads the concept in each draw of a mechanism.
func (s Study) private(ctx context.Context, t *trial, release *bias.Release) (PrivateReadings, error) {
	fit, score := t.sample.Rows(ForProbes), t.sample.Rows(ForScore)
	table, err := numbered(fit.X, score.X)
	if err != nil {
		return PrivateReadings{}, err
	}
	found, err := release.Redraw(ctx, table, s.Progress, func(_ int, private *bias.Table) ([]float64, error) {
		part := func(lo int, z []int) measure.Labelled {
			x := nn.NewMatrix(len(z), private.Dim())
			for i := range z {
				for j, v := range private.Row(lo + i) {
					x.Row(i)[j] = float32(v)
				}
			}
			return measure.Labelled{X: x, Z: z}
		}
		r, failed := s.Probes.Read(ctx, nn.NewPool(1), part(0, fit.Z), part(len(fit.Z), score.Z), len(t.classes))
		return []float64{r.Linear.Accuracy, r.Linear.Balanced, r.MLP.Accuracy, r.MLP.Balanced}, failed
	})
	if err != nil {
		return PrivateReadings{}, err
	}
	return PrivateReadings{found[0].Describe(), found[1].Describe(), found[2].Describe(), found[3].Describe(), measure.Majority(score.Z)}, nil
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
