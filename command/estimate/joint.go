package estimate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sotto/command/term"
	"sotto/learn/estimate"
	"sotto/promise/dp"
)

// jointly counts releases together with those of each person's group, which stand
// in another file, row by row.
func (o *options) jointly(ctx context.Context, main *releases, bar *term.Progress) (*estimate.Result, error) {
	groups, err := openReleases(source{path: o.groupReleases})
	if err != nil {
		return nil, err
	}
	j, err := estimate.NewJoint(main.mechanism, groups.mechanism)
	if err != nil {
		return nil, err
	}
	if err = countPairs(ctx, bar, main, groups, j); err != nil {
		return nil, err
	}
	bar.Finish()
	total, err := dp.Compose(*main.said.Guarantee, *groups.said.Guarantee)
	if err != nil {
		return nil, fmt.Errorf("answers and groups: %w", err)
	}
	r, names, err := o.summary(main, &tallied{all: j.Answers()}, total)
	if err != nil {
		return nil, err
	}
	groupNames, err := answerNames(o.groupNames, "--group-names", groups, j.Groups())
	if err != nil {
		return nil, err
	}
	r.AnswerGuarantee, r.GroupGuarantee = main.said.Guarantee, groups.said.Guarantee
	s, err := j.Shares(o.confidence)
	if err != nil {
		return nil, err
	}
	sizes, err := j.Groups().Shares(o.confidence)
	if err != nil {
		return nil, err
	}
	for g, name := range groupNames {
		each := make([]estimate.Named, len(names))
		for a := range names {
			each[a] = estimate.Named{Answer: names[a], Share: s.Within[a][g]}
		}
		r.Groups = append(r.Groups, estimate.Group{Group: name, Method: s.Method, Size: &sizes.Each[g], Shares: each})
	}
	r.Hold(o.unfit(main, groups))
	return r, nil
}

// countPairs reads both files at once.
func countPairs(ctx context.Context, bar *term.Progress, main, groups *releases, j *estimate.Joint) error {
	a, sum, err := main.reader()
	if err != nil {
		return err
	}
	defer a.Close() //nolint:errcheck // it was only read
	g, _, err := groups.reader()
	if err != nil {
		return err
	}
	defer g.Close() //nolint:errcheck // it was only read
	answer, group := make([]float64, a.Width()), make([]float64, g.Width())
	for row := int64(1); ; row++ {
		if row%(1<<12) == 0 {
			if err = ctx.Err(); err != nil {
				return err
			}
			bar.Set(row, a.Rows())
		}
		_, first := a.ReadRows(answer)
		_, second := g.ReadRows(group)
		switch over, also := errors.Is(first, io.EOF), errors.Is(second, io.EOF); {
		case over && also && j.N() == 0:
			return fmt.Errorf("%s: no release was found, must hold at least one", main.name)
		case over && also:
			main.beside, groups.beside = a.Dropped(), g.Dropped()
			return main.bound(sum)
		case over || also:
			return fmt.Errorf("%s and %s have not as many releases, must have one of the answer and one of the group for each person", main.name, groups.name)
		}
		if err = errors.Join(first, second); err != nil {
			return err
		}
		if err = j.Add(answer, group); err != nil {
			return fmt.Errorf("row %d of %s and %s: %w", row, main.name, groups.name, err)
		}
	}
}
