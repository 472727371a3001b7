package joint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"sotto/compute/nn"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

var _ relation.Quicker = (*Model)(nil)

// Model tells relations and writes rules. It is safe for concurrent use.
type Model struct {
	Workers int // 0 means 1; what it says does not depend on it

	about about
	v     vocabulary
	rules *rule.File
	gate  *relation.Gate
	table nn.Matrix
	kept  []nn.Matrix // of each parameter
	spare sync.Pool   // networks that nobody uses now, each with buffers of its own
}

// now returns a model of a training as it is.
func (t *Trainer) now() *Model {
	return &Model{about: t.about(), v: t.v, rules: t.rules, gate: t.gate}
}

// Model returns that of the best epoch, with numbers of its own.
func (t *Trainer) Model() (*Model, error) {
	if t.state.Kept == 0 {
		return nil, errors.New("joint: not one epoch is complete, must be before there is a model")
	}
	m := t.now()
	m.table = t.words()
	for _, x := range t.state.kept {
		m.kept = append(m.kept, x.Clone())
	}
	return m, nil
}

// words returns the vectors of all words, those that learnt as they are kept.
func (t *Trainer) words() nn.Matrix {
	x := t.table.Clone()
	copy(x.Data, t.state.kept[0].Data)
	return x
}

// Relations lists those that it knows.
func (m *Model) Relations() []string { return slices.Clone(m.v.relations[1:]) }

// String says in words what it is.
func (m *Model) String() string {
	s := m.about.Settings
	text := "an LSTM with graph convolution, trained on " + s.On
	if s.Without != "" {
		text += " without " + s.Without
	}
	if s.Share < 1 {
		text += fmt.Sprintf(", %g of the rules", s.Share)
	}
	return text
}

// Rules returns the rules that it learnt to write, the best first.
func (m *Model) Rules() *rule.File { return m.rules }

// Settings returns how it was trained.
func (m *Model) Settings() Settings { return m.about.Settings }

// Data returns the name of the data that it was trained on.
func (m *Model) Data() string { return m.about.Data }

// Knows implements [relation.Model]: it knows pairs of types that had a relation in what it
// learnt from.
func (m *Model) Knows(subject, object language.Type) bool {
	return slices.Contains(m.about.Pairs, [2]string{string(subject), string(object)})
}

// Judge implements [relation.Model]. What it says does not depend on which instances come
// together. Without a classifier, the relation is that of the rule that it wrote, where that
// is stored and matches, with confidence 1.
func (m *Model) Judge(ctx context.Context, all []relation.Instance) ([]relation.Verdict, error) {
	return m.judge(ctx, all, false)
}

// Quick implements [relation.Quicker].
func (m *Model) Quick() relation.Model { return quick{m} }

type quick struct{ *Model }

func (q quick) Judge(ctx context.Context, all []relation.Instance) ([]relation.Verdict, error) {
	return q.judge(ctx, all, true)
}

func (m *Model) judge(ctx context.Context, all []relation.Instance, quick bool) ([]relation.Verdict, error) {
	examples := make([]*example, len(all))
	for k, x := range all {
		examples[k] = m.v.example(x)
	}
	n, err := m.network()
	if err != nil {
		return nil, err
	}
	defer m.spare.Put(n)
	p := nn.NewPool(max(m.Workers, 1))
	cases := m.gate.Cases(all)
	told, err := m.tell(ctx, p, n, examples, cases, quick)
	if err != nil {
		return nil, err
	}
	p.Each(len(all), func(_, k int) { m.explain(cases[k], &told[k]) })
	return told, ctx.Err()
}

// network returns one with the weights of the model and buffers of its own.
func (m *Model) network() (*network, error) {
	if n, ok := m.spare.Get().(*network); ok {
		return n, nil
	}
	n, err := newNetwork(&m.v, m.table, m.about.Settings, usual)
	if err != nil {
		return nil, err
	}
	for i, q := range n.params()[1:] { // the words are the table
		copy(q.Value.Data, m.kept[i+1].Data)
	}
	return n, nil
}

// together is how many instances are looked at at once.
const together = 128

// tell says relations, and what it writes as their rules: where the cases of the examples
// are given, one that holds there, if it can write one. Without a classifier what is greedy
// stands: a rule that does not hold is how a network without one says that there is no relation.
func (m *Model) tell(ctx context.Context, p *nn.Pool, n *network, examples []*example, cases []relation.GateCase, quick bool) ([]relation.Verdict, error) {
	told := make([]relation.Verdict, len(examples))
	for rows := range slices.Chunk(byLength(examples), together) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := newBatch(nn.Pick(examples, rows))
		n.forward(p, nn.Infer, b)
		ask := nn.Indices(len(rows)) // whose rule is wanted
		if n.out != nil {
			ask = m.classify(n.scores(p), rows, told)
		}
		if quick && n.out != nil {
			ask = slices.DeleteFunc(ask, func(k int) bool { return len(cases[rows[k]].References(told[rows[k]].Relation)) == 0 })
		}
		if n.decoder == nil || len(ask) == 0 {
			continue
		}
		holds := func(k int, text string) bool {
			row := rows[ask[k]]
			return cases == nil || quick || n.out == nil || cases[row].Holds(told[row].Relation, text)
		}
		best, greedy := n.decoder.Best(p, n.sources(b, ask), holds)
		for k := range ask {
			t := &told[rows[ask[k]]]
			t.Wrote, t.Greedy = best[k], greedy[k]
		}
	}
	return told, nil
}

// classify writes down the likeliest relations, and returns which instances have one.
func (m *Model) classify(scores nn.Matrix, rows []int, told []relation.Verdict) []int {
	var ask []int
	for k, row := range rows {
		s := scores.Row(k)
		nn.Softmax(s, s)
		best := nn.Argmax(s)
		told[row].Relation, told[row].Confidence = m.v.relations[best], float64(s[best])
		if best > 0 {
			ask = append(ask, k)
		}
	}
	return ask
}

// explain finds the rule to show.
func (m *Model) explain(c relation.GateCase, t *relation.Verdict) {
	if t.Relation == relation.None && t.Wrote == "" {
		return
	}
	if m.about.Settings.Without == Classifier {
		name := m.gate.Relation(t.Wrote)
		if name == relation.None {
			return
		}
		if _, source := c.Explain(name, t.Wrote); source != relation.Decoded {
			return
		}
		t.Relation, t.Confidence = name, 1
	}
	t.Rule, t.Source = c.Explain(t.Relation, t.Wrote)
}

// develop sees how a model does on the development part.
func (t *Trainer) develop(ctx context.Context, p *nn.Pool, m *Model) (Epoch, error) {
	told, err := m.tell(ctx, p, t.net, t.examples, nil, false)
	if err != nil {
		return Epoch{}, err
	}
	if t.settings.Without == Classifier {
		cases := m.gate.Cases(t.dev)
		p.Each(len(told), func(_, k int) { m.explain(cases[k], &told[k]) })
	}
	want, got := make([]string, len(told)), make([]string, len(told))
	directed := false
	var bleu relation.BLEU
	for k, x := range t.dev {
		want[k], got[k] = x.Relation, told[k].Relation
		directed = directed || x.Relation != relation.None && x.Relation[len(x.Relation)-1] == ')'
		m.gate.Compare(&bleu, t.references[k], told[k].Wrote)
	}
	r := relation.ScoreOf(want, got, 0)
	e := Epoch{F1: r.F1, BLEU: bleu.Value()}
	if directed {
		e.F1 = r.MacroF1
	}
	return e, nil
}
