package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode/bert"
)

// AutoLong asks for the rule for long texts that [ChooseLong] finds.
const AutoLong = "auto"

// rule returns the rule for long texts of a training on a folder.
func (s Settings) rule(f *bert.Folder) (bert.Long, error) {
	if s.Long == "" || s.Long == f.Long.Rule {
		return f.Long, nil
	}
	return bert.NewLong(s.Long)
}

// LongChoice is the rule for long texts that a validation part speaks for.
type LongChoice struct {
	Rule   string  `json:"rule"`
	Longer float64 `json:"longer"` // share of the texts that have more tokens than a sequence
	// Tried is how each rule did, before the encoder is tuned: the accuracy of a linear
	// layer on its vectors, on Rows long texts of the validation part. It is empty
	// where long texts are too few to tell.
	Tried []TriedLong `json:"tried,omitempty"`
	Rows  int         `json:"rows,omitempty"`
}

// TriedLong is how a rule did.
type TriedLong struct {
	Rule     string  `json:"rule"`
	Accuracy float64 `json:"accuracy"`

	right []bool
}

const (
	longShare = 0.05 // of the texts below which no rule is worth its time
	longLeast = 50   // long texts to learn from, and to validate, for a choice
	longLearn = 600  // of them at most
	longCheck = 400
)

// ChooseLong chooses the rule for texts of more tokens than the settings allow,
// before a training with them: it reads some long texts by each rule with the
// encoder as it is, fits a linear layer to the vectors, and takes the rule that
// tells most labels of the validation part. One that costs more must be better by
// more than a standard error of the difference. Pairs are truncated. It tells, unless tell is nil, which
// rule it is about to try.
func ChooseLong(ctx context.Context, dir string, d Data, s Settings, workers int, tell func(rule string)) (*LongChoice, error) {
	f, err := bert.Read(dir)
	if err != nil {
		return nil, err
	}
	length, err := f.Limit(s.Length)
	if err != nil {
		return nil, err
	}
	if err = d.validate(); err != nil {
		return nil, err
	}
	if s, err = s.filled(d, f.Shape().Layers, length); err != nil {
		return nil, err
	}
	long := func(rows []int) []int {
		var some []int
		for _, i := range rows {
			if f.Tokeniser.EncodeMasked(d.Texts[i], d.masked(i), s.Length).Dropped > 0 {
				some = append(some, i)
			}
		}
		return some
	}
	c := &LongChoice{Rule: bert.Truncate}
	if d.Second != nil || d.Words != nil {
		return c, nil // both texts of a pair would have to be tried, and words lose nothing
	}
	learn, check := long(d.Train), long(d.Validation)
	c.Longer = float64(len(learn)+len(check)) / float64(len(d.Train)+len(d.Validation))
	if c.Longer < longShare || len(learn) < longLeast || len(check) < longLeast {
		return c, nil
	}
	rng := weakrand.New(weakrand.NewPCG(1, 0x6c6f6e67)) // whatever the seed, so that encoders of several seeds read alike
	t := longTrial{dir: dir, data: d, settings: s, learn: some(rng, learn, longLearn), check: some(rng, check, longCheck), workers: max(1, workers)}
	c.Rows = len(t.check)
	best := 0
	for _, rule := range autoRules() {
		if tell != nil {
			tell(rule)
		}
		one, err := t.try(ctx, rule)
		if err != nil {
			return nil, err
		}
		c.Tried = append(c.Tried, one)
		if better(one.right, c.Tried[best].right) {
			best, c.Rule = len(c.Tried)-1, rule
		}
	}
	return c, nil
}

// autoRules are those that are tried, the cheapest first. WindowsMax costs what
// Windows does, and is for who asks.
func autoRules() []string { return []string{bert.Truncate, bert.Ends, bert.Windows} }

// some returns at most so many rows, in their order.
func some(rng *weakrand.Rand, rows []int, most int) []int {
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	rows = rows[:min(len(rows), most)]
	slices.Sort(rows)
	return rows
}

// better reports that answers are more often right than others to the same
// questions, by more than chance: of the n questions that one alone had right, the
// difference has a standard error of √n.
func better(one, other []bool) bool {
	more, differ := 0, 0
	for i := range one {
		if one[i] != other[i] {
			differ++
			if one[i] {
				more++
			} else {
				more--
			}
		}
	}
	return float64(more) > math.Sqrt(float64(differ))
}

// longTrial tries rules on the same texts.
type longTrial struct {
	dir          string
	data         Data
	settings     Settings
	learn, check []int
	workers      int
}

func (t *longTrial) try(ctx context.Context, rule string) (TriedLong, error) {
	m, err := bert.Open(t.dir, bert.Options{MaxTokens: t.settings.Length, Long: rule})
	if err != nil {
		return TriedLong{}, err
	}
	learn, err := t.vectors(ctx, m, t.learn)
	if err != nil {
		return TriedLong{}, err
	}
	check, err := t.vectors(ctx, m, t.check)
	if err != nil {
		return TriedLong{}, err
	}
	done := TriedLong{Rule: rule}
	pool := nn.NewPool(t.workers)
	for l, classes := range t.data.Classes {
		probe, err := measure.Probe{Hidden: []int{}, Seed: 1}.Fit(ctx, pool, learn, nn.Pick(t.data.Labels[l], t.learn), classes)
		if err != nil {
			return done, fmt.Errorf("tune: %w", err)
		}
		got := probe.Predict(pool, check)
		right, known := 0, 0
		for i, want := range nn.Pick(t.data.Labels[l], t.check) {
			if want < 0 {
				continue
			}
			known++
			if got[i] == want {
				right++
			}
			done.right = append(done.right, got[i] == want)
		}
		done.Accuracy += t.data.Weights[l] * float64(right) / float64(max(known, 1))
	}
	return done, nil
}

// vectors returns the vectors of some texts.
func (t *longTrial) vectors(ctx context.Context, m *bert.Model, rows []int) (nn.Matrix, error) {
	texts, masked := make([]string, len(rows)), make([][]text.Span, len(rows))
	for i, row := range rows {
		texts[i], masked[i] = t.data.Texts[row], t.data.masked(row)
	}
	x := nn.NewMatrix(len(rows), m.Dim())
	return x, m.EncodeMasked(ctx, x, texts, masked, t.workers)
}

// Text says what was chosen and why, in a sentence; "" where nothing is long.
func (c *LongChoice) Text(length int) string {
	if len(c.Tried) == 0 {
		return ""
	}
	all := slices.Clone(c.Tried)
	slices.SortStableFunc(all, func(a, b TriedLong) int { return cmp.Compare(b.Accuracy, a.Accuracy) })
	said := ""
	for i, t := range all {
		if i > 0 {
			said += ", "
		}
		said += fmt.Sprintf("%s %.1f %%", t.Rule, 100*t.Accuracy)
	}
	return fmt.Sprintf("%.0f %% of the texts are longer than %d tokens and are read by the rule %q: a linear layer on the vectors before tuning tells of %d long texts of the validation part by %s", 100*c.Longer, length, c.Rule, c.Rows, said)
}
