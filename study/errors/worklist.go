package errors

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"sotto/compute/forest"
	"sotto/compute/nn"
	"sotto/internal/atomicfile"
	"sotto/internal/regular"
)

// Worklist orders answers whose labels nobody knows by how likely they are wrong. It
// holds a forest of features, how far to trust it beside what the model itself doubts,
// and names of features: no text, and of columns that are kinds of rows the names of
// those kinds. It does not change and may be used by several goroutines.
type Worklist struct {
	about  record
	forest *forest.Forest
	seen   []Ranked
}

// Columns are those of a file that a work list was learnt from, and that files to be
// ranked have as well.
type Columns struct {
	Text          string   `json:"text,omitempty"`
	Predicted     string   `json:"predicted,omitempty"`
	Confidence    string   `json:"confidence,omitempty"`
	Probabilities []string `json:"probabilities,omitempty"`
	Features      []string `json:"features,omitempty"`
	// Lexicons are the digests of lexicons that somebody brought, in their order; none
	// if words were looked up in those that are built in.
	Lexicons []string `json:"lexicons,omitempty"`
	// Model is the digest of a model of this module that answered in place of columns;
	// "" if none did.
	Model string `json:"model,omitempty"`
	// Draws and DrawSeed are of the releases of that model whose law is not known; 0
	// draws if nothing is released.
	Draws    int    `json:"draws,omitempty"`
	DrawSeed uint64 `json:"draw_seed,omitempty"`
}

// record is what a file says of a work list before its forest.
type record struct {
	Format  string   `json:"format"`
	Columns Columns  `json:"columns"`
	Names   []string `json:"names"`
	Groups  []string `json:"groups"`
	Doubts  []string `json:"doubts"` // rankers that count beside the forest
	Rows    int      `json:"rows"`
	Errors  int      `json:"errors"`
	// Mean, Deviation and Weights are of the regression that makes a chance of
	// scores: that of the forest, and the doubts.
	Mean      []float64 `json:"mean"`
	Deviation []float64 `json:"deviation"`
	Weights   []float64 `json:"weights"`
}

const (
	worklistFormat = "sotto-worklist-1"
	worklistMagic  = worklistFormat + "\n"
	// WorklistFile is the name of its file in a folder.
	WorklistFile = "worklist.forest"
	maxWorklist  = 1 << 30
)

// NewWorklist learns from answers whose labels are known. The forest is grown on all
// rows, and what it says of each by the trees that have not seen it is set against
// what was wrong, so that a chance means how often such answers are wrong.
func NewWorklist(ctx context.Context, a *Answers, c Columns, o forest.Options, workers int) (*Worklist, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	w := &Worklist{about: record{Format: worklistFormat, Columns: c, Names: a.Features.Names, Groups: a.Features.Groups, Rows: len(a.Wrong), Doubts: []string{}}}
	for _, wrong := range a.Wrong {
		if wrong {
			w.about.Errors++
		}
	}
	if least := 10; min(w.about.Errors, w.about.Rows-w.about.Errors) < least {
		return nil, fmt.Errorf("errors: %d of %d answers are wrong, must be at least %d wrong and as many right to learn from", w.about.Errors, w.about.Rows, least)
	}
	m, err := forest.NewMatrix(len(a.Features.Names), a.Features.Rows)
	if err != nil {
		return nil, err
	}
	if w.forest, err = o.Fit(ctx, m, nn.Indices(len(a.Wrong)), a.Wrong, workers); err != nil {
		return nil, err
	}
	seen := unseen(w.forest, m, workers)
	scores := [][]float64{seen}
	for _, d := range a.doubts() {
		w.about.Doubts, scores = append(w.about.Doubts, d.name), append(scores, d.score)
	}
	blend := fitLogistic(scores, a.Wrong)
	w.about.Mean, w.about.Deviation, w.about.Weights = blend.mean, blend.deviation, blend.weights
	w.seen = order(blend, scores)
	return w, nil
}

// order ranks rows by their scores: that of the forest, and doubts.
func order(l *logistic, scores [][]float64) []Ranked {
	all := make([]Ranked, len(scores[0]))
	for i, p := range l.apply(scores, len(all)) {
		all[i] = Ranked{i, p}
	}
	slices.SortStableFunc(all, func(a, b Ranked) int { return cmp.Compare(b.Chance, a.Chance) })
	return all
}

// Seen ranks the rows that it was learnt from, each by the trees that have not seen
// it; nil for a work list that was read from a file.
func (w *Worklist) Seen() []Ranked { return slices.Clone(w.seen) }

// Columns returns the columns that a file to be ranked must have.
func (w *Worklist) Columns() Columns { return w.about.Columns }

// Learnt returns how many answers it was learnt from, and how many of them were wrong.
func (w *Worklist) Learnt() (rows, wrong int) { return w.about.Rows, w.about.Errors }

// Ranked is an answer, by its place among those that were ranked.
type Ranked struct {
	Row    int
	Chance float64 // of an error
}

// Rank orders answers by their chance of an error, the likeliest first, and of equal
// ones the first. Features are those of the new texts, with any columns; confidence
// and probabilities must be there if the work list was learnt from them.
func (w *Worklist) Rank(a *Answers, workers int) ([]Ranked, error) {
	a.Wrong = make([]bool, len(a.Features.Rows)) // nobody knows
	if err := a.Validate(); err != nil {
		return nil, err
	}
	f := a.Features.Aligned(w.about.Names, w.about.Groups)
	m, err := forest.NewMatrix(len(f.Names), f.Rows)
	if err != nil {
		return nil, err
	}
	scores := [][]float64{w.forest.Predict(m, nn.Indices(len(f.Rows)), workers)}
	doubts := a.doubts()
	for _, name := range w.about.Doubts {
		k := slices.IndexFunc(doubts, func(d doubt) bool { return d.name == name })
		if k < 0 {
			return nil, fmt.Errorf("errors: the work list was learnt with %s, must be told how sure the model is of the new answers as well", name)
		}
		scores = append(scores, doubts[k].score)
	}
	return order(&logistic{mean: w.about.Mean, deviation: w.about.Deviation, weights: w.about.Weights}, scores), nil
}

// Reason is a feature that moved what the forest says of a text.
type Reason struct {
	Feature string  `json:"feature"`
	Group   string  `json:"group"`
	Value   float64 `json:"value"`        // 0 if the text does not have it
	Adds    float64 `json:"contribution"` // to the probability of an error, negative against it
}

// Reasons says which features speak for an error of a text and which against it, the
// strongest first: what each added on the way to the leaves, the mean over trees.
func (w *Worklist) Reasons(f *Features, row int) []Reason {
	x := f.Pick([]int{row}).Aligned(w.about.Names, w.about.Groups).Rows[0]
	_, by := w.forest.Contributions(x)
	all := make([]Reason, len(by))
	for k, c := range by {
		all[k] = Reason{w.about.Names[c.Column], w.about.Groups[c.Column], x.At(c.Column), c.Value}
	}
	slices.SortStableFunc(all, func(a, b Reason) int { return cmp.Compare(math.Abs(b.Adds), math.Abs(a.Adds)) })
	return all
}

// Save writes the work list into a folder, whole or not at all.
func (w *Worklist) Save(dir string) error {
	return atomicfile.Write(filepath.Join(dir, WorklistFile), w.Write)
}

// Write writes the work list.
func (w *Worklist) Write(to io.Writer) error {
	about, err := json.Marshal(w.about)
	if err != nil {
		return err
	}
	if _, err = to.Write(append([]byte(worklistMagic), append(about, '\n')...)); err != nil {
		return err
	}
	return w.forest.Write(to)
}

// ErrWorklist is wrapped by errors of what is no work list, or a changed one.
var ErrWorklist = errors.New("errors: not a work list that sotto errors --out made")

// LoadWorklist reads the work list of a folder. It runs nothing of it.
func LoadWorklist(dir string) (*Worklist, error) {
	content, err := regular.Read(filepath.Join(dir, WorklistFile), maxWorklist)
	if err != nil {
		return nil, err
	}
	return ReadWorklist(content)
}

// ReadWorklist reads what [Worklist.Write] wrote, and refuses everything else.
func ReadWorklist(content []byte) (*Worklist, error) {
	rest, ok := bytes.CutPrefix(content, []byte(worklistMagic))
	line, rest, also := bytes.Cut(rest, []byte("\n"))
	if !ok || !also {
		return nil, fmt.Errorf("%w: it must begin with %q and a line about it", ErrWorklist, worklistMagic)
	}
	w := &Worklist{}
	if err := atomicfile.ParseJSON(line, &w.about); err != nil {
		return nil, fmt.Errorf("%w: its second line is not what it should be", ErrWorklist)
	}
	var err error
	if w.forest, err = forest.Read(bytes.NewReader(rest)); err != nil {
		return nil, err
	}
	if err = w.about.check(w.forest.Columns()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWorklist, err)
	}
	return w, nil
}

// check refuses what does not fit together.
func (r record) check(columns int) error {
	k := len(r.Doubts) + 1
	if r.Format != worklistFormat || len(r.Names) != columns || len(r.Mean) != k || len(r.Deviation) != k || len(r.Weights) != k+1 {
		return errors.New("its parts do not fit together")
	}
	for _, v := range slices.Concat(r.Mean, r.Deviation, r.Weights) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errors.New("a number is not finite")
		}
	}
	if slices.ContainsFunc(r.Deviation, func(v float64) bool { return !(v > 0) }) {
		return errors.New("a deviation is not positive")
	}
	return (&Features{Names: r.Names, Groups: r.Groups}).Validate()
}
