package influence

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/text"
)

// Swap is another word in the place of one, with which the student gives another class.
type Swap struct {
	Word        string  `json:"word"`
	Prediction  string  `json:"prediction"`  // the student's
	Probability float64 `json:"probability"` // 1 − that of the class that the text has, by the student
	Confirmed   bool    `json:"confirmed"`   // the teacher gives another class, too
}

// Swaps are the replacements of one word.
type Swaps struct {
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	POS   string `json:"pos"`
	// Flips is how many words of the same part of speech flip the student, and Swaps
	// those that do so most, checked by the teacher.
	Flips int    `json:"flips"`
	Swaps []Swap `json:"swaps"`
}

// Counterfactuals are the replacements that flip a text.
type Counterfactuals struct {
	Prediction string  `json:"prediction"` // the teacher's
	Words      []Swaps `json:"words"`      // those that have some
	Checked    int     `json:"checked"`
	Confirmed  int     `json:"confirmed"`
}

// SwapOptions say which replacements are looked for.
type SwapOptions struct {
	Top int // the most for each word; 0 means 10, −1 all
	// At, if not negative, looks at the word that holds that byte alone.
	At int
	// Unchecked leaves the teacher out.
	Unchecked bool
}

// Counterfactuals returns the words that flip a text in the place of each of its own,
// of the same part of speech, and lets the teacher check them.
func (s *Student) Counterfactuals(ctx context.Context, text string, o SwapOptions) (*Counterfactuals, error) {
	words, err := s.words(text)
	if err != nil {
		return nil, err
	}
	if o.At >= 0 {
		words = slices.DeleteFunc(words, func(w Word) bool { return o.At < w.Start || o.At >= w.End })
		if len(words) == 0 {
			return nil, ErrEmpty
		}
	}
	z, err := s.Teacher.Represent(ctx, []string{text}, s.workers)
	if err != nil {
		return nil, err
	}
	said := answered(s.Teacher.Scores(z))[0]
	lists, err := s.swaps(ctx, text, words, said, o.Top)
	if err != nil {
		return nil, err
	}
	result := &Counterfactuals{Prediction: s.Teacher.Names[said], Words: slices.DeleteFunc(lists, func(l Swaps) bool { return len(l.Swaps) == 0 })}
	if o.Unchecked {
		return result, nil
	}
	result.Checked, result.Confirmed, err = s.check(ctx, text, result.Words, said)
	return result, err
}

// swaps returns the words that flip a text in the place of some of its words.
func (s *Student) swaps(ctx context.Context, s0 string, words []Word, said, top int) ([]Swaps, error) {
	if top == 0 {
		top = 10
	}
	places := placed(s0, words)
	c, without, err := s.contexts(ctx, places)
	if err != nil {
		return nil, err
	}
	end := s.tail()
	halves := end.half(end.onC, c)
	lists := make([]Swaps, len(words))
	for i, w := range words {
		lists[i] = Swaps{Text: places[i].Part(), Start: w.Start, End: w.End, POS: w.POS}
		table, ok := s.table[w.POS]
		if !ok || table.Rows == 0 {
			continue
		}
		got := end.scores(c.Row(i), halves.Row(i), table, s.halves(end, w.POS))
		found := s.flipping(got, without.Row(i), said, s.vocabulary[w.POS], strings.ToLower(places[i].Part()))
		lists[i].Flips = len(found)
		if top > 0 {
			found = found[:min(len(found), top)]
		}
		lists[i].Swaps = found
	}
	return lists, nil
}

// flipping returns the words whose scores, added to those of a context, give another
// class than said, the surest first.
func (s *Student) flipping(got nn.Matrix, without []float32, said int, words []string, own string) []Swap {
	var found []Swap
	y := nn.NewMatrix(1, got.Cols)
	for k := range got.Rows {
		class := argmaxSum(got.Row(k), without)
		if class == said || words[k] == own {
			continue
		}
		for j := range y.Data {
			y.Data[j] = got.Row(k)[j] + without[j]
		}
		s.Teacher.Probable(y)
		found = append(found, Swap{Word: words[k], Prediction: s.Teacher.Names[class], Probability: 1 - float64(y.Data[said])})
	}
	slices.SortStableFunc(found, func(a, b Swap) int { return cmp.Compare(b.Probability, a.Probability) })
	return found
}

// check asks the teacher about replacements, and counts them and those that flip it.
func (s *Student) check(ctx context.Context, s0 string, lists []Swaps, said int) (checked, confirmed int, err error) {
	var texts []string
	for _, l := range lists {
		for _, w := range l.Swaps {
			texts = append(texts, TeacherPlace{Text: s0, Span: text.Span{Start: l.Start, End: l.End}}.With(w.Word))
		}
	}
	if len(texts) == 0 {
		return 0, 0, nil
	}
	got, err := s.Teacher.Answers(ctx, texts, s.workers)
	if err != nil {
		return 0, 0, err
	}
	for i := range lists {
		for k := range lists[i].Swaps {
			if lists[i].Swaps[k].Confirmed = got[checked] != said; lists[i].Swaps[k].Confirmed {
				confirmed++
			}
			checked++
		}
	}
	return checked, confirmed, nil
}

// SwapExam is how many replacements the student finds and how many of them are true.
type SwapExam struct {
	Texts    int `json:"texts"`    // looked at
	Flipped  int `json:"flipped"`  // that have a replacement
	Contexts int `json:"contexts"` // words with a replacement
	Swaps    int `json:"swaps"`
	// Sizes and Accuracies are quantiles over contexts, at 0, 25, 50, 75 and 100 %, of
	// how long lists are, and of the share of a list that the teacher confirms.
	Sizes      [5]float64 `json:"sizes"`
	Accuracies [5]float64 `json:"accuracies"`
	// Mean is that of accuracies, with a 95 % interval over contexts, after Hoeffding,
	// and Accuracy the share of all replacements that the teacher confirms.
	Mean     float64 `json:"mean"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Accuracy float64 `json:"accuracy"`
}

// ExamineSwaps measures replacements on texts: the lists of at most top for each word,
// each checked by the teacher.
func (s *Student) ExamineSwaps(ctx context.Context, d *Data, rows []int, top int, o Options) (*SwapExam, error) {
	x := &SwapExam{Texts: len(rows)}
	var sizes, shares []float64
	confirmed := 0
	for i, row := range rows {
		found, err := s.Counterfactuals(ctx, d.Texts[row], SwapOptions{Top: top, At: -1})
		if err != nil {
			return nil, err
		}
		if len(found.Words) > 0 {
			x.Flipped++
		}
		for _, l := range found.Words {
			right := 0
			for _, w := range l.Swaps {
				if w.Confirmed {
					right++
				}
			}
			x.Swaps, confirmed = x.Swaps+len(l.Swaps), confirmed+right
			sizes, shares = append(sizes, float64(len(l.Swaps))), append(shares, float64(right)/float64(len(l.Swaps)))
		}
		o.tell("looking for replacements", i+1, len(rows))
	}
	x.Contexts = len(sizes)
	if x.Contexts == 0 {
		return x, nil
	}
	x.Sizes, x.Accuracies = quantiles(sizes), quantiles(shares)
	for _, v := range shares {
		x.Mean += v / float64(len(shares))
	}
	x.Accuracy = float64(confirmed) / float64(x.Swaps)
	x.Low, x.High = measure.Hoeffding(x.Mean, x.Contexts, 0.95)
	return x, nil
}

// quantiles returns the smallest, the quartiles and the largest of numbers.
func quantiles(v []float64) (q [5]float64) {
	v = slices.Sorted(slices.Values(v))
	for i := range q {
		at := float64(i) / 4 * float64(len(v)-1)
		lo := int(at)
		hi := min(lo+1, len(v)-1)
		q[i] = v[lo] + float64((at-float64(lo))*(v[hi]-v[lo]))
	}
	return q
}
