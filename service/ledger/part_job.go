package ledger

import (
	"context"
	"errors"
	"slices"
)

// Reserve pays for the shards of a job as [ledger.Ledger.Reserve] does. What is paid
// in different parts is paid one by one: if one of them fails, the others are paid
// for, and to ask again costs nothing.
func (l *Divided) Reserve(ctx context.Context, shards ...Shard) ([]Reserved, error) {
	return l.reserve(ctx, shards, (*Ledger).Reserve)
}

// ReserveAll pays for the shards of a job if every budget allows it. The error is a
// [*ledger.Exhausted] otherwise, and nothing was spent. In a ledger of several parts
// every budget is looked at first: somebody who spends at the same moment may still
// exhaust one while the others are paid. Those stay paid, and to ask again costs
// nothing.
func (l *Divided) ReserveAll(ctx context.Context, shards ...Shard) ([]Reserved, error) {
	if len(l.parts) > 1 {
		if err := l.Affords(ctx, shards...); err != nil {
			return nil, err
		}
	}
	return l.reserve(ctx, shards, (*Ledger).ReserveAll)
}

// Affords returns nil if every budget allows shards as it is now, or they were paid for,
// and the error that ReserveAll would return otherwise. Nothing is spent.
func (l *Divided) Affords(ctx context.Context, shards ...Shard) error {
	if len(l.parts) == 1 {
		return l.parts[0].Affords(ctx, shards...)
	}
	refused := make([]*Exhausted, len(l.parts))
	if err := l.each(func(i int, p *Ledger) error {
		mine, _ := l.share(i, shards, true)
		if len(mine) == 0 {
			return nil
		}
		err := p.Affords(ctx, mine...)
		if errors.As(err, &refused[i]) {
			return nil
		}
		return err
	}); err != nil {
		return err
	}
	var all Exhausted
	for _, r := range refused {
		if r != nil {
			all.Subjects = append(all.Subjects, r.Subjects...)
			all.First = r.First
		}
	}
	if all.First == nil {
		return nil
	}
	return &all
}

// share returns what of shards is for a part, and of which shard each is. One without
// demands is kept in the part that the name of its job is in, and looked for in all.
func (l *Divided) share(part int, shards []Shard, look bool) (mine []Shard, of []int) {
	for k, s := range shards {
		if len(s.Demands) == 0 {
			if look || PartOf("job "+s.Job, len(l.parts)) == part {
				mine, of = append(mine, s), append(of, k)
			}
			continue
		}
		s.Whole = s.Content()
		s.Demands = slices.DeleteFunc(slices.Clone(s.Demands), func(d Demand) bool { return PartOf(d.Subject, len(l.parts)) != part })
		if len(s.Demands) > 0 {
			mine, of = append(mine, s), append(of, k)
		}
	}
	return mine, of
}

func (l *Divided) reserve(ctx context.Context, shards []Shard, pay func(*Ledger, context.Context, ...Shard) ([]Reserved, error)) ([]Reserved, error) {
	if len(l.parts) == 1 {
		return pay(l.parts[0], ctx, shards...)
	}
	for _, s := range shards {
		if len(s.Demands) == 0 && s.Whole == (Digest{}) {
			return nil, errors.New("part: the shard has no demands, must have at least one, or say what it stands for")
		}
	}
	answers := make([][]Reserved, len(l.parts))
	of := make([][]int, len(l.parts))
	if err := l.each(func(i int, p *Ledger) (err error) {
		var mine []Shard
		if mine, of[i] = l.share(i, shards, false); len(mine) > 0 {
			answers[i], err = pay(p, ctx, mine...)
		}
		return err
	}); err != nil {
		return nil, err
	}
	together := make([]Reserved, len(shards))
	left := make([]map[string]bool, len(shards))
	for k := range together {
		together[k].Repeated, left[k] = true, map[string]bool{}
	}
	for i, a := range answers {
		for j, r := range a {
			k := of[i][j]
			t := &together[k]
			t.Repeated, t.Paid, t.Releases = t.Repeated && r.Repeated, t.Paid+r.Paid, t.Releases+r.Releases
			for _, subject := range r.LeftOut {
				left[k][subject] = true
			}
		}
	}
	for k, s := range shards {
		for _, d := range s.Demands {
			if left[k][d.Subject] {
				together[k].LeftOut = append(together[k].LeftOut, d.Subject)
			}
		}
	}
	return together, nil
}
