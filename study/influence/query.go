package influence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// Query asks whether one word is treated worse than another.
type Query struct {
	Control string `json:"control"`
	Probe   string `json:"probe"`
	// Verify is how many of the surest flips of each direction the teacher checks;
	// 0 means 100, −1 all.
	Verify int `json:"verify"`
	// Examples is how many flips are shown; 0 means 5.
	Examples int `json:"-"`
}

// Bias is the answer to a query: in how many contexts the control keeps the class and
// the probe loses it, and the other way round.
type Bias struct {
	Query
	POS      string `json:"pos"`
	Class    string `json:"class"`
	Contexts int    `json:"contexts"`
	// Flips are the contexts in which, by the student, the control has the class and
	// the probe has not; ReverseFlips those in which it is the other way round.
	Flips        int `json:"flips"`
	ReverseFlips int `json:"reverse_flips"`
	// Confirmed is the share of the surest flips that the teacher confirms: with the
	// control it gives the class, with the probe another. Low and High are its 95 %
	// interval, after Clopper and Pearson, as of a sample of such flips.
	Confirmed float64 `json:"confirmed"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Checked   int     `json:"checked"`
	// Reverse is the same of the other direction.
	Reverse Confirmed `json:"reverse"`
	// Examples are the surest flips, those that the teacher confirms first.
	Examples        []Example `json:"examples"`
	ReverseExamples []Example `json:"reverse_examples"`
	// Seconds is how long the student took for all contexts, and TeacherSeconds how
	// long the teacher takes for them, as far as that was measured.
	Seconds        float64 `json:"seconds"`
	TeacherSeconds float64 `json:"teacher_seconds,omitempty"`
	Speedup        float64 `json:"speedup,omitempty"`
	TeacherAsked   int     `json:"teacher_asked,omitempty"` // contexts by which the teacher's time was taken
}

// Confirmed is how many flips the teacher confirms.
type Confirmed struct {
	Share   float64 `json:"confirmed"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Checked int     `json:"checked"`
}

// Example is a context in which two words are treated differently.
type Example struct {
	Text      string  `json:"text"`      // with the control
	Swapped   string  `json:"swapped"`   // with the probe
	Sure      float64 `json:"sure"`      // probability by the student that both answers are so
	Confirmed bool    `json:"confirmed"` // by the teacher
}

// Validate refuses a query that asks nothing.
func (q Query) Validate() error {
	for _, w := range []struct{ name, word string }{{"control", q.Control}, {"probe", q.Probe}} {
		if strings.TrimSpace(w.word) == "" {
			return fmt.Errorf("influence: %s is empty, must be a word", w.name)
		}
	}
	if strings.EqualFold(q.Control, q.Probe) {
		return fmt.Errorf("influence: control and probe are both %q, must be two words", q.Control)
	}
	if q.Verify < -1 {
		return fmt.Errorf("influence: verify is %d, must be at least -1", q.Verify)
	}
	return nil
}

// flip is a context in which two words are treated differently.
type flip struct {
	row  int
	sure float64
}

// Ask answers a query over contexts, by the student, and lets the teacher check the
// surest flips.
func (s *Student) Ask(ctx context.Context, d *Data, c *Contexts, q Query) (*Bias, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if q.Verify == 0 {
		q.Verify = 100
	}
	if q.Examples == 0 {
		q.Examples = 5
	}
	begun := time.Now()
	flips, reverse, err := s.flips(ctx, c, q.Control, q.Probe)
	if err != nil {
		return nil, err
	}
	b := &Bias{Query: q, POS: c.POS, Class: s.Teacher.Names[c.Class], Contexts: c.Len(), Flips: len(flips), ReverseFlips: len(reverse), Seconds: time.Since(begun).Seconds()}
	one, examples, err := s.confirm(ctx, d, c, flips, q.Control, q.Probe, q)
	if err != nil {
		return nil, err
	}
	b.Confirmed, b.Low, b.High, b.Checked, b.Examples = one.Share, one.Low, one.High, one.Checked, examples
	b.Reverse, b.ReverseExamples, err = s.confirm(ctx, d, c, reverse, q.Probe, q.Control, q)
	return b, err
}

// flips returns the contexts in which one of two words has the class and the other has
// not, the surest first.
func (s *Student) flips(ctx context.Context, c *Contexts, control, probe string) (flips, reverse []flip, err error) {
	t, err := s.parts(ctx, []string{control, probe})
	if err != nil {
		return nil, nil, err
	}
	end := s.tail()
	own := end.half(end.onT, t)
	var said [2][]bool
	var sure [2][]float64
	y := nn.NewMatrix(1, len(s.Teacher.Names))
	for w := range said {
		got := end.scores(t.Row(w), own.Row(w), c.context, c.halves)
		said[w], sure[w] = make([]bool, c.Len()), make([]float64, c.Len())
		for i := range c.Len() {
			for j := range y.Data {
				y.Data[j] = got.Row(i)[j] + c.without.Row(i)[j]
			}
			said[w][i] = nn.Argmax(y.Data) == c.Class
			s.Teacher.Probable(y)
			sure[w][i] = float64(y.Data[c.Class])
		}
	}
	for i := range c.Len() {
		switch {
		case said[0][i] && !said[1][i]:
			flips = append(flips, flip{i, sure[0][i] * (1 - sure[1][i])})
		case !said[0][i] && said[1][i]:
			reverse = append(reverse, flip{i, sure[1][i] * (1 - sure[0][i])})
		}
	}
	for _, list := range [][]flip{flips, reverse} {
		slices.SortStableFunc(list, func(a, b flip) int { return cmp.Compare(b.sure, a.sure) })
	}
	return flips, reverse, nil
}

// confirm asks the teacher about the surest flips: whether with the first word it gives
// the class, and with the second another.
func (s *Student) confirm(ctx context.Context, d *Data, c *Contexts, flips []flip, first, second string, q Query) (Confirmed, []Example, error) {
	if q.Verify > 0 {
		flips = flips[:min(len(flips), q.Verify)]
	}
	if len(flips) == 0 {
		return Confirmed{High: 1}, []Example{}, nil
	}
	texts := make([]string, 0, 2*len(flips))
	for _, f := range flips {
		p := c.rows[f.row].place(d)
		texts = append(texts, p.With(first), p.With(second))
	}
	got, err := s.Teacher.Answers(ctx, texts, s.workers)
	if err != nil {
		return Confirmed{}, nil, err
	}
	hits, examples := 0, []Example{}
	for _, confirmed := range []bool{true, false} {
		for i, f := range flips {
			so := got[2*i] == c.Class && got[2*i+1] != c.Class
			if so != confirmed {
				continue
			}
			if so {
				hits++
			}
			if len(examples) < q.Examples {
				examples = append(examples, Example{texts[2*i], texts[2*i+1], f.sure, so})
			}
		}
	}
	x := Confirmed{Share: float64(hits) / float64(len(flips)), Checked: len(flips)}
	x.Low, x.High = measure.ClopperPearson(hits, len(flips), 0.95)
	return x, examples, nil
}

// TimeTeacher measures how long the teacher takes for a query: on so many contexts,
// spread evenly over all, and in proportion for the rest. The student is timed again,
// now that everything is warm: the best of five.
func (s *Student) TimeTeacher(ctx context.Context, d *Data, c *Contexts, b *Bias, sample int) error {
	n := min(c.Len(), max(1, sample))
	if n == 0 {
		return nil
	}
	var texts []string
	for i := range n {
		p := c.rows[i*c.Len()/n].place(d)
		texts = append(texts, p.With(b.Control), p.With(b.Probe))
	}
	begun := time.Now()
	if _, err := s.Teacher.Answers(ctx, texts, s.workers); err != nil {
		return err
	}
	b.TeacherSeconds, b.TeacherAsked = time.Since(begun).Seconds()*float64(c.Len())/float64(n), n
	for range 5 {
		begun = time.Now()
		if _, _, err := s.flips(ctx, c, b.Control, b.Probe); err != nil {
			return err
		}
		b.Seconds = min(b.Seconds, time.Since(begun).Seconds())
	}
	b.Speedup = b.TeacherSeconds / b.Seconds
	return nil
}
