package influence

import (
	"context"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// exam is texts of which every word is masked in turn.
type exam struct {
	texts   int
	text    []int     // which text each place is of
	context nn.Matrix // as read
	without nn.Matrix // representations of contexts
	part    nn.Matrix // as read, of each different part
	of      []int     // the part of each place
	teacher []int     // what the teacher says of each text
	gold    []int     // what each text is labelled
	base    nn.Matrix // scores of contexts
	scaled  bool
}

// newExam reads all words of some texts.
func newExam(ctx context.Context, t *Teacher, d *Data, rows []int, o Options, keep *kept, name string) (*exam, error) {
	e := &exam{texts: len(rows), gold: nn.Pick(d.Labels, rows)}
	var places []TeacherPlace
	var parts []string
	known := map[string]int{}
	for i, row := range rows {
		for _, p := range d.places(row) {
			w := p.Part()
			if _, ok := known[w]; !ok {
				known[w], parts = len(parts), append(parts, w)
			}
			e.text, e.of, places = append(e.text, i), append(e.of, known[w]), append(places, p)
		}
	}
	read, err := keep.get(ctx, name+"-contexts", len(places), func(n int) { o.tell("reading "+name+" texts", n, len(places)) }, func(lo, hi int) ([]nn.Matrix, error) {
		x, r, err := t.Contexts(ctx, places[lo:hi], o.Workers)
		return []nn.Matrix{x, r}, err
	})
	if err != nil {
		return nil, err
	}
	if e.without, err = t.Represented(read[0]); err != nil {
		return nil, err
	}
	e.context, e.base = read[1], t.Scores(e.without)
	if e.part, err = t.Words(ctx, parts, o.Workers); err != nil {
		return nil, err
	}
	e.teacher, err = t.Answers(ctx, nn.Pick(d.Texts, rows), o.Workers)
	return e, err
}

// scale makes what was read what a network takes.
func (e *exam) scale(n *network) {
	if !e.scaled {
		n.context.apply(e.context)
		n.part.apply(e.part)
		e.scaled = true
	}
}

// said returns what the student says of each place: what the teacher's layer says of
// the context with the influence.
func (s *Student) said(p *nn.Pool, e *exam) []int {
	said := make([]int, len(e.text))
	for lo := 0; lo < len(said); lo += blockRows {
		hi := min(len(said), lo+blockRows)
		part := e.part.Gather(e.of[lo:hi])
		z := s.network.forward(p, nn.Infer, e.context.Slice(lo, hi), part).Clone()
		p.AddScaled(z, 1, e.without.Slice(lo, hi))
		copy(said[lo:hi], answered(s.Teacher.Scores(z)))
	}
	return said
}

// allCorrect returns the share of texts of which every place is answered as the
// teacher answers the text.
func (e *exam) allCorrect(said []int) float64 { return e.allAs(said, e.teacher) }

func (e *exam) allAs(said, want []int) float64 {
	right := e.texts
	wrong := make([]bool, e.texts)
	for i, t := range e.text {
		if said[i] != want[t] && !wrong[t] {
			wrong[t] = true
			right--
		}
	}
	return float64(right) / float64(max(1, e.texts))
}

// each returns the share of places that are answered as wanted of their text.
func (e *exam) each(said, want []int) float64 {
	hits := 0
	for i, t := range e.text {
		if said[i] == want[t] {
			hits++
		}
	}
	return float64(hits) / float64(max(1, len(said)))
}

// Exam is how a student does on texts of which every word is masked in turn.
type Exam struct {
	Texts  int `json:"texts"`
	Places int `json:"places"`
	// AllCorrect is the share of texts of which the student answers every place as the
	// teacher answers the text, with a 95 % interval, and Baseline that of the teacher
	// on the masked texts themselves.
	AllCorrect float64 `json:"all_correct"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Baseline   float64 `json:"baseline"`
	// The same, held against the labels.
	AllCorrectGold float64 `json:"all_correct_gold"`
	BaselineGold   float64 `json:"baseline_gold"`
	// Agreement is the share of places, one by one, and AgreementBaseline that of the
	// teacher on the masked texts.
	Agreement         float64 `json:"agreement"`
	AgreementBaseline float64 `json:"agreement_baseline"`
	// Accuracy is that of the student against the labels, place by place, and Teacher
	// that of the teacher.
	Accuracy float64 `json:"accuracy"`
	Teacher  float64 `json:"teacher"`
}

// Result is how a student did.
type Result struct {
	Epoch      int     `json:"epoch"` // the one that was kept, from 1
	History    []Epoch `json:"history"`
	Validation Exam    `json:"validation"`     // by which the epoch was chosen
	Test       *Exam   `json:"test,omitempty"` // of texts that decided nothing
	NoiseFlips float64 `json:"noise_flips"`    // share of releases whose answer noise alone changes
}

// result says how the student does.
func (s *Student) result(p *nn.Pool, e *exam) Exam {
	e.scale(s.network)
	said, base := s.said(p, e), answered(e.base)
	x := Exam{
		Texts: e.texts, Places: len(e.text),
		AllCorrect: e.allCorrect(said), Baseline: e.allCorrect(base),
		AllCorrectGold: e.allAs(said, e.gold), BaselineGold: e.allAs(base, e.gold),
		Agreement: e.each(said, e.teacher), AgreementBaseline: e.each(base, e.teacher),
		Accuracy: e.each(said, e.gold), Teacher: measure.Accuracy(e.gold, e.teacher),
	}
	x.Low, x.High = measure.ClopperPearson(int(x.AllCorrect*float64(e.texts)+0.5), max(1, e.texts), 0.95)
	return x
}

// mostTested is how many texts of the test part an exam has at most.
const mostTested = 500

// judge measures the student on the validation texts and on some that decided nothing.
func (s *Student) judge(ctx context.Context, d *Data, validation *exam, o Options, keep *kept) error {
	p := nn.NewPool(o.Workers)
	s.Result.Validation = s.result(p, validation)
	rows := d.Test
	if len(rows) > mostTested {
		rows = nil
		order := seeded(s.Settings.Seed, "test").Perm(len(d.Test))
		for _, i := range order[:mostTested] {
			rows = append(rows, d.Test[i])
		}
	}
	if len(rows) > 0 {
		e, err := newExam(ctx, s.Teacher, d, rows, o, keep, "test")
		if err != nil {
			return err
		}
		x := s.result(p, e)
		s.Result.Test = &x
	}
	var err error
	s.Result.NoiseFlips, err = s.Teacher.NoiseFlips(ctx, nn.Pick(d.Texts, d.Validation), o.Workers)
	return err
}
