package channel

import (
	"cmp"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
	"sotto/promise/dp"
)

// Kind says what a channel was made from.
type Kind string

// The kinds. The zero value is Fitted, which is what everything had that says
// nothing of it.
const (
	// Fitted channels are the best for texts that were looked at: their answers,
	// weights and tables tell of these texts, which no guarantee covers.
	Fitted Kind = "fitted"
	// Public channels are made of ε and the classes of the labels alone, and tell
	// of no text at all.
	Public Kind = "public"
)

// Kinds lists the kinds by name.
func Kinds() []Kind { return []Kind{Public, Fitted} }

// Validate refuses what is none of the kinds.
func (k Kind) Validate() error {
	if k != "" && !slices.Contains(Kinds(), k) {
		return fmt.Errorf("channel: channel is %.40q, must be %s or %s", string(k), Public, Fitted)
	}
	return nil
}

// Open is a public channel: a function of ε, the classes of the labels and what
// each label counts, so that whoever holds it learns nothing of any text. The
// Selected answers that are best for a text are e^ε times as likely as the others,
// which are all alike.
//
// It is the best of its kind. If no class is known to be commoner than another,
// renaming the classes of a label changes nothing; the value of a channel is concave
// in its weights; so the mean of a channel over all renamings, whose weights are
// equal, is worth as much or more. With equal weights w the value is linear between
// those at which a whole number of answers is raised, so only their number is left
// to choose. For one label whose class the trusted side is sure of, it is 1, and
// randomised response the best of all channels: Kairouz, Oh and Viswanath, JMLR 2016.
type Open struct {
	Answers  [][]int
	Selected int
	// Table has, for each answer, the logarithm of the probability that the trusted
	// side found each class of each label likeliest, if all were as likely before.
	Table nn.Matrix
}

// NewOpen makes the public channel of labels with the given numbers of classes and
// weights, nil for equal ones. Selected 0 takes the best number. Of more than most
// combinations of classes, at most [MaxAnswers] and 0 for these, as many are taken
// by a fixed draw, in which the classes of each label are equally common; for one
// label that is an error, since a class could never be told.
func NewOpen(classes []int, weights []float64, epsilon dp.Epsilon, selected, most int) (Open, error) {
	if !(epsilon > 0 && epsilon < dp.Infinite) {
		return Open{}, fmt.Errorf("channel: ε is %v, must be positive and finite", float64(epsilon))
	}
	most = cmp.Or(most, MaxAnswers)
	o, texts := Open{}, 1
	var err error
	if o.Answers, err = Answers(classes, most); err != nil {
		if len(classes) < 2 || slices.Min(classes) < 2 {
			return Open{}, fmt.Errorf("channel: a public channel has %d codes at most, must have one for each class; a fitted one leaves out classes", most)
		}
		o.Answers, texts = drawn(classes, most), drawnTexts
	}
	if selected < 0 || selected >= len(o.Answers) {
		return Open{}, fmt.Errorf("channel: selected is %d of %d answers, must be fewer", selected, len(o.Answers))
	}
	truths := make([][]int, texts) // of several, the first has class 0 everywhere, which stands for all of them
	rng := weakrand.New(weakrand.NewPCG(publicSeed, 1))
	for i := range truths {
		truths[i] = make([]int, len(classes))
		for l, c := range classes {
			if i > 0 {
				truths[i][l] = rng.IntN(c)
			}
		}
	}
	scores := guessed(classes, weights, o.Answers, truths)
	e := math.Exp(float64(min(epsilon, enoughEpsilon)))
	if o.Selected = selected; selected == 0 {
		o.Selected = bestSelected(scores, e)
	}
	o.Table = o.table(classes, truths, scores, e)
	return o, nil
}

const (
	publicSeed = 0x736f74746f // of draws that are the same for everybody
	drawnTexts = 64
)

// drawn takes so many of the combinations of classes that are too many.
func drawn(classes []int, most int) [][]int {
	rng := weakrand.New(weakrand.NewPCG(publicSeed, 0))
	answers := make([][]int, most)
	for v := range answers {
		answers[v] = make([]int, len(classes))
	}
	for l, c := range classes {
		for v, place := range rng.Perm(most) {
			answers[v][l] = place % c
		}
	}
	slices.SortFunc(answers, slices.Compare)
	return slices.CompactFunc(answers, slices.Equal)
}

const decay = 1 / 3.0

// guessed returns what each answer is worth for texts of which nothing is known but
// the order in which the trusted side finds the classes likely. Each is taken to be a
// third as likely as the one before, which is near to what models say of the public
// data sets of this module; a half and a quarter choose nearly the same.
func guessed(classes []int, weights []float64, answers, truths [][]int) nn.Matrix {
	width := 0
	for _, c := range classes {
		width += c
	}
	posteriors := nn.NewMatrix(len(truths), width)
	for i, truth := range truths {
		column := 0
		for l, c := range classes {
			all := (1 - math.Pow(decay, float64(c))) / (1 - decay)
			for rank := range c {
				posteriors.Row(i)[column+(truth[l]+rank)%c] = float32(math.Pow(decay, float64(rank)) / all)
			}
			column += c
		}
	}
	return Scores(posteriors, classes, weights, answers)
}

// bestSelected returns how many answers are to be raised: of the scores in order,
// those of the highest mean, where the raised ones count e.
func bestSelected(scores nn.Matrix, e float64) int {
	sorted, all := make([]float64, scores.Cols), 0.0
	for i := range scores.Rows {
		row := slices.Clone(scores.Row(i))
		slices.Sort(row)
		for v, s := range row {
			sorted[len(row)-1-v] += float64(s)
			all += float64(s)
		}
	}
	best, value, raised := 1, math.Inf(-1), 0.0
	for j := 1; j < len(sorted); j++ {
		raised += sorted[j-1]
		if x := (all + float64((e-1)*raised)) / (float64(len(sorted)) + float64((e-1)*float64(j))); x > value*(1+1e-9) {
			best, value = j, x
		}
	}
	return best
}

// table returns what each answer says: that each of its classes is the likeliest as
// often as the channel lets that be, and the others of the label share the rest.
// Answers that are worth the same share what is raised of them.
func (o Open) table(classes []int, truths [][]int, scores nn.Matrix, e float64) nn.Matrix {
	agree := make([]float64, len(classes))
	least := 1 / (float64(len(o.Answers)) + float64((e-1)*float64(o.Selected)))
	order := make([]int, len(o.Answers))
	for i, truth := range truths {
		row := scores.Row(i)
		for v := range order {
			order[v] = v
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
		for from := 0; from < len(order); {
			to := from + 1
			for to < len(order) && row[order[from]]-row[order[to]] < 1e-6 {
				to++
			}
			raised := float64(min(max(o.Selected-from, 0), to-from)) / float64(to-from)
			for _, v := range order[from:to] {
				for l, class := range o.Answers[v] {
					if class == truth[l] {
						agree[l] += least * (1 + float64((e-1)*raised)) / float64(len(truths))
					}
				}
			}
			from = to
		}
	}
	width := 0
	for _, c := range classes {
		width += c
	}
	table := nn.NewMatrix(len(o.Answers), width)
	for v, answer := range o.Answers {
		column := 0
		for l, c := range classes {
			for class := range c {
				p := (1 - agree[l]) / float64(c-1)
				if class == answer[l] {
					p = agree[l]
				}
				table.Row(v)[column+class] = float32(math.Log(max(p, 1e-13)))
			}
			column += c
		}
	}
	return table
}
