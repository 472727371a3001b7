package influence

import (
	"context"

	"sotto/compute/nn"
)

// Tanh is what scores are computed with.
var Tanh = tanh

// BothWays returns the scores that parts add in contexts, by the network and by what
// is left of it once contexts and parts are understood.
func (s *Student) BothWays(ctx context.Context, places []TeacherPlace, parts []string) (whole, quick nn.Matrix, err error) {
	_, read, err := s.Teacher.Contexts(ctx, places, 1)
	if err != nil {
		return whole, quick, err
	}
	s.network.context.apply(read)
	words, err := s.Teacher.Words(ctx, parts, 1)
	if err != nil {
		return whole, quick, err
	}
	s.network.part.apply(words)
	p := nn.NewPool(1)
	r := s.network.forward(p, nn.Infer, read, words)
	head, _ := s.Teacher.Head()
	whole = nn.NewMatrix(len(places), head.Cols)
	p.Mul(whole, r, head)
	c, _, err := s.contexts(ctx, places)
	if err != nil {
		return whole, quick, err
	}
	t, err := s.parts(ctx, parts)
	if err != nil {
		return whole, quick, err
	}
	end := s.tail()
	hc, ht := end.half(end.onC, c), end.half(end.onT, t)
	quick = nn.NewMatrix(len(places), whole.Cols)
	for i := range places {
		copy(quick.Row(i), end.scores(t.Row(i), ht.Row(i), c.Slice(i, i+1), hc.Slice(i, i+1)).Row(0))
	}
	return whole, quick, nil
}
