package train

import (
	"context"
	"fmt"
	"time"

	"sotto/learn/model"
)

// Teachers keeps models of the trusted side for all that would train the same, such as
// codes at several ε, and the reference. It is safe for concurrent use.
type Teachers struct {
	all Memo[lessonKey, borrowed]
}

// lessonKey is what decides about a teacher, to the bit. Data is the same where it is
// the same memory.
type lessonKey struct {
	settings            string
	seed                uint64
	x                   *float32
	y, train, validated *int
	rows, validations   int
	more                *Target
	head                *model.Linear
}

func (q lesson) key(seed uint64) lessonKey {
	d, k := q.data, lessonKey{settings: fmt.Sprintf("%#v", q.Training), seed: seed, head: q.data.Head}
	k.x, k.y, k.train, k.validated, k.rows, k.validations = &d.X.Data[0], &d.Y[0], &d.Train[0], &d.Validation[0], len(d.Train), len(d.Validation)
	if len(d.More) > 0 {
		k.more = &d.More[0]
	}
	return k
}

// borrowed is a teacher with the end of its training.
type borrowed struct {
	*teacher
	last model.Progress
	took time.Duration
}

// teach returns the teacher of a lesson, which it trains unless another has. Those of
// groups are nobody else's.
func (t *Teachers) teach(ctx context.Context, q lesson, o Options) (*teacher, error) {
	if t == nil || q.fair != nil || q.data.Start != nil || o.Resume != nil {
		return q.teach(ctx, o)
	}
	b, had, err := t.all.Do(ctx, q.key(o.Seed), func() (b borrowed, err error) {
		began, own := time.Now(), o
		own.Progress = func(p model.Progress) { b.last = p; o.tell(p) }
		b.teacher, err = q.teach(ctx, own)
		b.took = time.Since(began)
		return b, err
	})
	if had {
		o.tell(b.last)
	}
	if had && o.Borrowed != nil {
		*o.Borrowed = b.took
	}
	return b.teacher, err
}
