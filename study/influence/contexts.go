package influence

import (
	"cmp"
	"context"
	"slices"

	"sotto/compute/nn"
	"sotto/text"
)

// Contexts are places of one part of speech in phrases and texts, with what a student
// makes of what is left around them: what questions about words are asked of.
type Contexts struct {
	POS string
	// Class is the one that contexts have by themselves and that words are asked
	// about.
	Class int
	// All is how many places there are whose text the teacher gives the class, and
	// Unclear and Stubborn how many of them were left out, because words that are
	// clearly good are bad there and the other way round, or because no word flips
	// them.
	All, Unclear, Stubborn int

	rows    []contextRow
	context nn.Matrix // of the network
	halves  nn.Matrix // what the first layer makes of them
	without nn.Matrix // scores
}

// contextRow is a place: a text of the data, a part of it, and a word within.
type contextRow struct {
	text         int
	phrase, word text.Span
}

// place returns the place of a row.
func (r contextRow) place(d *Data) TeacherPlace {
	from := r.phrase.Start
	return TeacherPlace{Text: d.Texts[r.text][from:r.phrase.End], Span: text.Span{Start: r.word.Start - from, End: r.word.End - from}}
}

// Len returns how many contexts there are.
func (c *Contexts) Len() int { return len(c.rows) }

// mostContexts bounds how many contexts are read.
const mostContexts = 150_000

// contextRows returns the places of words of a part of speech: in phrases where there
// is a treebank, else in texts. Places that differ in nothing but the word count once.
func contextRows(d *Data, pos string) []contextRow {
	var rows []contextRow
	seen := map[string]bool{}
	for i, s := range d.Texts {
		phrases := append(slices.Clone(d.Phrases[i]), text.Span{Start: 0, End: len(s)})
		for _, w := range d.Words[i] {
			if w.POS != pos {
				continue
			}
			for _, p := range phrases {
				if w.Start < p.Start || w.End > p.End || w.End-w.Start == p.End-p.Start {
					continue
				}
				key := s[p.Start:w.Start] + "\x00" + s[w.End:p.End]
				if !seen[key] {
					seen[key] = true
					rows = append(rows, contextRow{i, p, w.Span})
				}
			}
		}
	}
	return rows
}

// NewContexts reads the places of a part of speech in all texts whose phrase the
// teacher gives a class.
func (s *Student) NewContexts(ctx context.Context, d *Data, pos string, class int, o Options) (*Contexts, error) {
	if _, _, err := s.listed(pos); err != nil {
		return nil, err
	}
	o.Workers = o.workers()
	rows := contextRows(d, pos)
	if len(rows) > mostContexts {
		order := seeded(s.Settings.Seed, "contexts").Perm(len(rows))[:mostContexts]
		slices.Sort(order)
		rows = nn.Pick(rows, order)
	}
	rows, err := s.having(ctx, d, rows, class, o)
	if err != nil {
		return nil, err
	}
	c := &Contexts{POS: pos, Class: class, All: len(rows), context: nn.NewMatrix(len(rows), s.network.width), without: nn.NewMatrix(len(rows), len(s.Teacher.Names))}
	for lo := 0; lo < len(rows); lo += blockRows {
		hi := min(len(rows), lo+blockRows)
		places := make([]TeacherPlace, 0, hi-lo)
		for _, r := range rows[lo:hi] {
			places = append(places, r.place(d))
		}
		read, without, err := s.contexts(ctx, places)
		if err != nil {
			return nil, err
		}
		copy(c.context.Data[lo*read.Cols:], read.Data)
		copy(c.without.Data[lo*without.Cols:], without.Data)
		o.tell("reading contexts", hi, len(rows))
	}
	c.rows = rows
	c.prepare(s)
	return c, s.settle(ctx, c)
}

// prepare computes what follows from the rest.
func (c *Contexts) prepare(s *Student) {
	end := s.tail()
	c.halves = end.half(end.onC, c.context)
}

// having returns the rows whose phrase the teacher gives a class.
func (s *Student) having(ctx context.Context, d *Data, rows []contextRow, class int, o Options) ([]contextRow, error) {
	var texts []string
	known := map[string]int{}
	of := make([]int, len(rows))
	for i, r := range rows {
		p := d.Texts[r.text][r.phrase.Start:r.phrase.End]
		if _, ok := known[p]; !ok {
			known[p], texts = len(texts), append(texts, p)
		}
		of[i] = known[p]
	}
	said := make([]int, 0, len(texts))
	for lo := 0; lo < len(texts); lo += blockRows {
		hi := min(len(texts), lo+blockRows)
		got, err := s.Teacher.Answers(ctx, texts[lo:hi], o.Workers)
		if err != nil {
			return nil, err
		}
		said = append(said, got...)
		o.tell("asking the teacher about phrases", hi, len(texts))
	}
	var left []contextRow
	for i, r := range rows {
		if said[of[i]] == class {
			left = append(left, r)
		}
	}
	return left, nil
}

// Words that say clearly what they think, by which contexts are judged that questions
// about adjectives are asked of.
var (
	clearlyGood = []string{"good", "great", "excellent", "wonderful", "brilliant", "delightful", "superb", "enjoyable", "terrific", "fantastic"}
	clearlyBad  = []string{"bad", "terrible", "awful", "horrible", "dreadful", "worthless"}
)

// adjective is the part of speech that these are of.
const adjective = "ADJ"

// strongest is how many words a context is tried with before it counts as one that
// nothing flips: those that speak most against the class on average.
const strongest = 64

// settle leaves out contexts in which a student makes no sense of clear words, and
// those that no word flips.
func (s *Student) settle(ctx context.Context, c *Contexts) error {
	keep := make([]bool, c.Len())
	for i := range keep {
		keep[i] = true
	}
	if c.POS == adjective && len(s.Teacher.Names) == 2 {
		goodAsBad, err := s.anyOther(ctx, c, s.sided(clearlyGood, clearlyBad, c.Class), false)
		if err != nil {
			return err
		}
		badAsGood, err := s.anyOther(ctx, c, s.sided(clearlyBad, clearlyGood, c.Class), true)
		if err != nil {
			return err
		}
		for i := range keep {
			if goodAsBad[i] && badAsGood[i] {
				keep[i] = false
				c.Unclear++
			}
		}
	}
	against, err := s.against(c)
	if err != nil {
		return err
	}
	flips, err := s.anyOther(ctx, c, against, false)
	if err != nil {
		return err
	}
	for i := range keep {
		if keep[i] && !flips[i] {
			keep[i] = false
			c.Stubborn++
		}
	}
	c.take(keep)
	return nil
}

// sided returns the first list where the class is the last one, which is the good one,
// else the second.
func (s *Student) sided(first, second []string, class int) []string {
	if class == len(s.Teacher.Names)-1 {
		return first
	}
	return second
}

// anyOther says of each context whether some word gives another class than the
// context's, or, if same is set, the same.
func (s *Student) anyOther(ctx context.Context, c *Contexts, words []string, same bool) ([]bool, error) {
	found := make([]bool, c.Len())
	t, err := s.parts(ctx, words)
	if err != nil {
		return nil, err
	}
	end := s.tail()
	own := end.half(end.onT, t)
	for k := range words {
		got := end.scores(t.Row(k), own.Row(k), c.context, c.halves)
		for i := range found {
			if (argmaxSum(got.Row(i), c.without.Row(i)) == c.Class) == same {
				found[i] = true
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// against returns the words of the contexts' part of speech that speak most against
// their class, on average over some contexts.
func (s *Student) against(c *Contexts) ([]string, error) {
	words, table, err := s.listed(c.POS)
	if err != nil {
		return nil, err
	}
	end := s.tail()
	sums := make([]float64, len(words))
	step := max(1, c.Len()/256)
	for i := 0; i < c.Len(); i += step {
		got := end.scores(c.context.Row(i), c.halves.Row(i), table, s.halves(end, c.POS))
		for k := range sums {
			sums[k] += lead(got.Row(k), c.Class)
		}
	}
	order := nn.Indices(len(words))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[a], sums[b]) })
	return nn.Pick(words, order[:min(len(order), strongest)]), nil
}

// lead returns by how much the score of a class is above the best other.
func lead(scores []float32, class int) float64 {
	best, first := float32(0), true
	for j, v := range scores {
		if j != class && (first || v > best) {
			best, first = v, false
		}
	}
	return float64(scores[class]) - float64(best)
}

// take keeps some contexts.
func (c *Contexts) take(keep []bool) {
	var rows []int
	for i, k := range keep {
		if k {
			rows = append(rows, i)
		}
	}
	c.rows, c.context, c.halves, c.without = nn.Pick(c.rows, rows), c.context.Gather(rows), c.halves.Gather(rows), c.without.Gather(rows)
}
