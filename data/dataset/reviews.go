package dataset

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
)

const (
	defaultReviews = 5000
	maxReviews     = 10_000_000
)

// Reviews generates short reviews whose best possible attack is known. The zero
// value uses the defaults.
//
// A review has a sentiment y and an author z, both 0 or 1. P(y = 1) is ½ and
// P(z = y) is Agreement. Five phrases of a text are chosen by the author's
// habit, each independently from the author's own list with probability Habit
// and from the other list otherwise; three phrases are chosen by the sentiment
// in the same way, with probability Clarity. Within a list, and for everything
// else in the text, the choice is uniform and depends on neither.
//
// So a text tells no more than k, the number of phrases of author 1, and j, that
// of positive phrases. Given y and z they are binomial and independent, and the
// best accuracy is a sum of 24 terms: see [Reviews.BestAttack].
type Reviews struct {
	Rows      int     `json:"rows"`      // at least 1; 0 means 5,000
	Seed      uint64  `json:"seed"`      // the same seed gives the same texts
	Habit     float64 `json:"habit"`     // from ½, nothing to find, to 1; 0 means 0.7
	Clarity   float64 `json:"clarity"`   // from ½ to 1; 0 means 0.9
	Agreement float64 `json:"agreement"` // from ½ to 1; 0 means ½; 0.8 is Twitter's 40/10/10/40
}

// slot is a place in a text with the phrases of class 0 and of class 1. No
// phrase occurs elsewhere in a text.
type slot [2][]string

var habits = []slot{
	{{"so", "ok", "well"}, {"overall", "firstly", "briefly"}},
	{{"super", "totally", "crazy"}, {"rather", "quite", "remarkably"}},
	{{"thing", "gadget", "gizmo"}, {"device", "product", "appliance"}},
	{{"my pals", "my buddies", "my mates"}, {"my colleagues", "my relatives", "my neighbours"}},
	{{"cheers", "later", "peace"}, {"regards", "sincerely", "respectfully"}},
}

var tones = []slot{
	{{"awful", "terrible", "poor"}, {"great", "excellent", "lovely"}},
	{{"regret", "dislike", "resent"}, {"love", "enjoy", "admire"}},
	{{"a waste of money", "a nuisance", "a failure"}, {"worth every penny", "a delight", "a winner"}},
}

// The rest of a text. Digits in a template are habits, letters tones, and w and
// p the neutral lists.
var (
	templates = []string{
		"{0}, I bought this {2} {w}. The {p} is {1} {a}, and {3} {b} it too. It is {c}, {4}!",
		"{0}, {3} {b} this {2}, and the one from {w} has a {1} {a} {p}. It is {c}, {4}!",
		"{0}, about this {2} from {w}: the {p} is {1} {a}. I hear that {3} {b} theirs. Mine is {c}, {4}!",
	}
	whens    = []string{"last week", "last spring", "this summer", "two months ago"}
	subjects = []string{"battery", "screen", "handle", "cable", "lid", "manual"}
)

// loadReviews generates the built-in corpus with the options' seed.
func loadReviews(l *loader) (*Set, error) {
	r := Reviews{Rows: l.options.Rows, Seed: l.options.Seed}
	if l.options.Variant == "skewed" {
		r.Agreement = 0.8
	}
	s, err := r.Generate()
	if err != nil {
		return nil, err
	}
	s.Variant = l.options.Variant
	return s, nil
}

// filled returns r with its defaults filled in, or an error.
func (r Reviews) filled() (Reviews, error) {
	if r.Rows == 0 {
		r.Rows = defaultReviews
	}
	for _, p := range []struct {
		name     string
		value    *float64
		standard float64
	}{{"habit", &r.Habit, 0.7}, {"clarity", &r.Clarity, 0.9}, {"agreement", &r.Agreement, 0.5}} {
		if *p.value == 0 {
			*p.value = p.standard
		}
		if !(*p.value >= 0.5 && *p.value <= 1) {
			return r, fmt.Errorf("dataset: %s of reviews is %v, must be from 0.5 to 1", p.name, *p.value)
		}
	}
	if r.Rows < 1 || r.Rows > maxReviews {
		return r, fmt.Errorf("dataset: rows of reviews is %d, must be from 1 to %d", r.Rows, maxReviews)
	}
	return r, nil
}

// Validate reports the first parameter that is out of range.
func (r Reviews) Validate() error {
	_, err := r.filled()
	return err
}

// Generate makes the corpus. The first 60 percent of the rows are the training
// part and the next 20 the validation part; rows are independent, so their order
// means nothing.
func (r Reviews) Generate() (*Set, error) {
	r, err := r.filled()
	if err != nil {
		return nil, err
	}
	s := &Set{
		Name: "reviews", Rows: r.Rows, Text: make([]string, r.Rows),
		Label:      Column{Name: "sentiment", Classes: []string{"negative", "positive"}, IDs: make([]int, r.Rows)},
		Attributes: []Column{{Name: "author", Classes: []string{"casual", "formal"}, IDs: make([]int, r.Rows)}},
	}
	src := source(r.Seed)
	for i := range s.Text {
		y := int(below(src, 2))
		z := choose(src, r.Agreement, y)
		s.Label.IDs[i], s.Attributes[0].IDs[i] = y, z
		s.Text[i] = r.write(src, y, z)
	}
	train, validation := r.Rows*60/100, r.Rows*20/100
	s.Split = slices.Concat(slices.Repeat([]Part{Train}, train), slices.Repeat([]Part{Validation}, validation),
		slices.Repeat([]Part{Test}, r.Rows-train-validation))
	return s, nil
}

// write draws one text.
func (r Reviews) write(src weakrand.Source, y, z int) string {
	var phrases ['z']string // each under what stands for it in a template
	for k, s := range habits {
		phrases['0'+k] = one(src, s[choose(src, r.Habit, z)])
	}
	for k, s := range tones {
		phrases['a'+k] = one(src, s[choose(src, r.Clarity, y)])
	}
	phrases['w'] = one(src, whens)
	phrases['p'] = one(src, subjects)
	var text strings.Builder
	for part := range strings.SplitSeq(one(src, templates), "{") {
		if name, rest, ok := strings.Cut(part, "}"); ok {
			text.WriteString(phrases[name[0]])
			part = rest
		}
		text.WriteString(part)
	}
	whole := text.String()
	return strings.ToUpper(whole[:1]) + whole[1:]
}

// choose returns class with probability p, to 53 bits, and the other class
// otherwise.
func choose(src weakrand.Source, p float64, class int) int {
	if float64(src.Uint64()>>11)*0x1p-53 < p {
		return class
	}
	return 1 - class
}

func one(src weakrand.Source, list []string) string {
	return list[below(src, uint64(len(list)))]
}

// BestAttack returns the largest accuracy that anyone can reach who predicts the
// author from a text, however much they train:
//
//	Σ_{k,j} max_z Σ_y P(y, z)·Bin(k; 5, z)·Bin(j; 3, y),
//
// where P(y, z) is ½·Agreement if y = z and ½·(1 − Agreement) otherwise, and Bin
// is the binomial distribution with success probability Habit or 1 − Habit, or
// Clarity or 1 − Clarity. It is NaN if the parameters are invalid.
func (r Reviews) BestAttack() float64 {
	return r.best(authorOf)
}

// BestLabel returns the largest accuracy that anyone can reach who predicts the
// sentiment from a text. It is NaN if the parameters are invalid.
func (r Reviews) BestLabel() float64 {
	return r.best(labelOf)
}

// A text has the classes y of its label and z of its author.
func authorOf(_, z int) int { return z }
func labelOf(y, _ int) int  { return y }

// best sums, over what a text can tell, the largest joint probability of a class.
func (r Reviews) best(class func(y, z int) int) float64 {
	r, err := r.filled()
	if err != nil {
		return math.NaN()
	}
	sum := 0.0
	for k := 0; k <= len(habits); k++ {
		for j := 0; j <= len(tones); j++ {
			joint := r.joint(k, j, class)
			sum += max(joint[0], joint[1])
		}
	}
	return sum
}

// joint returns P(class, k, j) for both classes.
func (r Reviews) joint(k, j int, class func(y, z int) int) [2]float64 {
	var p [2]float64
	for y := range 2 {
		for z := range 2 {
			prior := r.Agreement / 2
			if y != z {
				prior = (1 - r.Agreement) / 2
			}
			p[class(y, z)] += prior * binomial(k, len(habits), r.Habit, z) * binomial(j, len(tones), r.Clarity, y)
		}
	}
	return p
}

// binomial returns the probability of k phrases of class 1 among n, where each
// is of class c with probability p.
func binomial(k, n int, p float64, c int) float64 {
	if c == 0 {
		p = 1 - p
	}
	b := 1.0
	for i := range k {
		b = b * float64(n-i) / float64(i+1)
	}
	return b * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
}

// Guess returns the most probable author of a generated text: the attack that
// reaches [Reviews.BestAttack]. It returns [Unknown] if the text is none that
// Generate writes or the parameters are invalid.
func (r Reviews) Guess(text string) int {
	r, err := r.filled()
	k, j := told(text, habits), told(text, tones)
	if err != nil || k == Unknown || j == Unknown {
		return Unknown
	}
	p := r.joint(k, j, authorOf)
	if p[1] > p[0] {
		return 1
	}
	return 0
}

// told counts the phrases of class 1 in a text, Unknown if a slot is not there.
func told(text string, slots []slot) int {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return c < 'a' || c > 'z' })
	padded := " " + strings.Join(words, " ") + " "
	count := 0
	for _, s := range slots {
		class := Unknown
		for c, phrases := range s {
			for _, phrase := range phrases {
				if strings.Contains(padded, " "+phrase+" ") {
					class = c
				}
			}
		}
		if class == Unknown {
			return Unknown
		}
		count += class
	}
	return count
}
