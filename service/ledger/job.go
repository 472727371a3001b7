package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sotto/promise/dp"
)

// Exhausted is the error of a job that is refused because of somebody's budget.
// Nothing was spent. It wraps [dp.ErrBudget].
type Exhausted struct {
	Subjects []string // whose budget does not allow their releases
	First    *OverBudget
}

// Error implements error. It names no subject: logs are read by others than those
// who may know who uses a service.
func (e *Exhausted) Error() string {
	return fmt.Sprintf("ledger: %d subjects have too little left, the first of them: %v", len(e.Subjects), e.First)
}

// Unwrap returns [dp.ErrBudget].
func (e *Exhausted) Unwrap() error { return dp.ErrBudget }

// MaxDemands bounds the demands of one call, which is one write to disk.
const MaxDemands = 1 << 17

// Reserve pays for the shards of a job and returns when that is on disk. Only then
// may their noise be drawn. Subjects whose budget does not allow all of their
// releases are left out, and pay nothing. All of the shards are paid for, or none.
func (l *Ledger) Reserve(ctx context.Context, shards ...Shard) ([]Reserved, error) {
	return l.reserve(ctx, shards, false)
}

// ReserveAll pays for the shards of a job as Reserve does, if every budget allows
// it. The error is an [*Exhausted] otherwise, and nothing was spent.
func (l *Ledger) ReserveAll(ctx context.Context, shards ...Shard) ([]Reserved, error) {
	return l.reserve(ctx, shards, true)
}

// Affords returns nil if ReserveAll would pay for the shards now, and the error that it
// would return otherwise.
func (l *Ledger) Affords(ctx context.Context, shards ...Shard) error {
	jobs, spends, err := l.jobs(shards)
	if err != nil {
		return err
	}
	return l.view(ctx, func(s *sheet) error {
		if err := s.Fetch(wanted([]*call{{spends: spends}}, s.window)); err != nil {
			return err
		}
		_, _, err := reckonJobs(s, jobs, true)
		return err
	})
}

// jobs checks shards.
func (l *Ledger) jobs(shards []Shard) (jobs []job, spends []spend, err error) {
	n := 0
	for _, s := range shards {
		n += len(s.Demands)
	}
	if n > MaxDemands {
		return nil, nil, fmt.Errorf("ledger: the shards have %d demands, must have at most %d in one call", n, MaxDemands)
	}
	unit := l.Budget().Unit
	jobs = make([]job, len(shards))
	names := map[string]bool{}
	for i, s := range shards {
		if jobs[i], err = l.prices.job(s, unit); err != nil {
			return nil, nil, err
		}
		if names[s.Job+"\x00"+s.Name] {
			return nil, nil, errors.New("ledger: a shard is asked for twice in one call, must be once")
		}
		names[s.Job+"\x00"+s.Name] = true
		spends = append(append(spends, jobs[i].mark), jobs[i].spends...)
	}
	return jobs, spends, nil
}

func (l *Ledger) reserve(ctx context.Context, shards []Shard, all bool) ([]Reserved, error) {
	jobs, spends, err := l.jobs(shards)
	if err != nil {
		return nil, err
	}
	var reserved []Reserved
	err = l.do(ctx, spends, func(s *sheet) (err error) {
		reserved, err = payJobs(s, jobs, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	return reserved, nil
}

// job is a shard that was checked. It is entered in the log as a spend of
// nothing, the mark, by which it is found again, and a spend of each subject that
// was not left out.
type job struct {
	mark   spend
	spends []spend
	each   Cost
	counts []int64
}

// jobSubject is in whose name a mark is entered.
func jobSubject(name string) string { return "job " + name }

// job checks a shard.
func (p *prices) job(s Shard, unit dp.Unit) (job, error) {
	for _, text := range []struct{ what, is string }{{"job's name", s.Job}, {"shard's name", s.Name}} {
		if err := checkText(text.what, text.is, 200); err != nil {
			return job{}, err
		}
	}
	if len(s.Demands) == 0 && s.Whole == (Digest{}) {
		return job{}, errors.New("ledger: the shard has no demands, must have at least one, or say what it stands for")
	}
	one, err := p.prepare(Request{Subject: jobSubject(s.Job), Guarantee: s.Guarantee, Mechanism: s.Mechanism}, unit)
	if err != nil {
		return job{}, err
	}
	key := s.Key()
	j := job{each: one.cost}
	many := map[int64]price{}
	seen := make(map[string]bool, len(s.Demands))
	for _, d := range s.Demands {
		if err = checkText("subject", d.Subject, maxSubject); err != nil {
			return job{}, err
		}
		if seen[d.Subject] {
			return job{}, errors.New("ledger: a subject stands twice in a shard, must stand once")
		}
		seen[d.Subject] = true
		made, ok := many[d.Releases]
		if !ok {
			if made, err = one.times(d.Releases); err != nil {
				return job{}, err
			}
			many[d.Releases] = made
		}
		j.spends = append(j.spends, spend{Request{Subject: d.Subject, Key: key, Check: d.Check}, made})
		j.counts = append(j.counts, d.Releases)
	}
	mark, err := json.Marshal(Mark{Job: s.Job})
	if err != nil {
		return job{}, err
	}
	free, err := priceOf(&dp.Guarantee{Unit: unit}, mark)
	j.mark = spend{Request{Subject: jobSubject(s.Job), Key: key, Check: s.Check(one.means)}, free}
	return j, err
}

// times is the price of several releases, whose guarantee is that of all of them
// together. It is made of the integer cost, so that it costs just that.
func (p price) times(n int64) (price, error) {
	if n < 1 || n > maxCost/max(p.cost.Epsilon, p.cost.Delta, 1) {
		return price{}, fmt.Errorf("ledger: a subject has %d releases at %v, must have at least one, and not more than can be counted", n, p.cost)
	}
	total := Cost{Epsilon: n * p.cost.Epsilon, Delta: n * p.cost.Delta}
	together := dp.Guarantee{
		Unit: p.guarantee.Unit, Epsilon: dp.Epsilon(total.EpsilonValue()), Delta: total.DeltaValue(), Assumptions: p.guarantee.Assumptions,
	}
	mechanism, err := json.Marshal(many{Releases: n, Each: p.means.Mechanism})
	if err != nil {
		return price{}, fmt.Errorf("ledger: the mechanism cannot be written: %w", err)
	}
	made, err := priceOf(&together, mechanism)
	if err == nil && made.cost != total {
		err = fmt.Errorf("ledger: %d releases cost %v, which cannot be written exactly", n, total)
	}
	return made, err
}

// payJobs pays for shards. Everything is checked before anything is written.
func payJobs(s *sheet, jobs []job, all bool) ([]Reserved, error) {
	reserved, t, err := reckonJobs(s, jobs, all)
	if err != nil {
		return nil, err
	}
	return reserved, t.close()
}

// reckonJobs finds out what shards cost and who has too little left.
func reckonJobs(s *sheet, jobs []job, all bool) ([]Reserved, *till, error) {
	reserved := make([]Reserved, len(jobs))
	till := &till{sheet: s, after: map[string]Sums{}, asked: map[string]Cost{}}
	var refused Exhausted
	for i, j := range jobs {
		paid, err := j.answered(s, &reserved[i])
		if err != nil {
			return nil, nil, err
		}
		if paid {
			continue
		}
		till.fresh = append(till.fresh, j.mark)
		for k, r := range j.spends {
			over, err := till.take(r, j)
			if err != nil {
				return nil, nil, err
			}
			if over != nil {
				reserved[i].LeftOut = append(reserved[i].LeftOut, r.Subject)
				if refused.First == nil {
					refused.First = over
				}
				continue
			}
			reserved[i].Paid++
			reserved[i].Releases += j.counts[k]
		}
		refused.Subjects = append(refused.Subjects, reserved[i].LeftOut...)
	}
	if all && refused.First != nil {
		return nil, nil, &refused
	}
	return reserved, till, nil
}

// answered reports whether a shard was paid for before, and gives the same answer:
// who was left out then has paid nothing under its key.
func (j *job) answered(s *sheet, to *Reserved) (bool, error) {
	mark, err := s.Paid(j.mark.payment())
	if err != nil || mark == nil {
		return false, err
	}
	if !mark.Is(&j.mark.Check, j.mark.means) {
		return false, fmt.Errorf("%w: the shard was paid for with other users, texts or mechanism, and must have another name", ErrConflict)
	}
	to.Repeated = true
	for k, r := range j.spends {
		e, err := s.Paid(r.payment())
		switch {
		case err != nil:
			return false, err
		case e == nil:
			to.LeftOut = append(to.LeftOut, r.Subject)
		case !e.Is(&r.Check, r.means):
			return false, damaged("entry %d is not of the shard that paid for it", e.Seq)
		default:
			to.Paid++
			to.Releases += j.counts[k]
		}
	}
	return true, nil
}

// till adds up what subjects pay before it is written.
type till struct {
	*sheet
	after map[string]Sums
	asked map[string]Cost // in this call
	fresh []spend         // to write
}

// take adds a spend, or says why the budget does not allow it.
func (t *till) take(r spend, j job) (*OverBudget, error) {
	if t.terms.Each != 0 && j.each != t.terms.EachCost() {
		return nil, fmt.Errorf("%w: each costs %v, must be %v", ErrUnlike, j.each, t.terms.EachCost())
	}
	sum, seen := t.after[r.Subject]
	if !seen {
		var err error
		if sum, err = t.Sums(account{Subject: r.Subject, Window: t.window}); err != nil {
			return nil, err
		}
	}
	asked := t.asked[r.Subject].Plus(r.cost)
	if r.cost != (Cost{}) && !r.cost.Within(t.left(sum)) {
		b := t.balance(sum)
		return &OverBudget{Asked: r.cost, Left: b.Left, Renews: b.Renews}, nil
	}
	var over *OverBudget
	if err := t.withinLifetime(r.Subject, asked); errors.As(err, &over) {
		return over, nil
	} else if err != nil {
		return nil, err
	}
	sum.Spent = sum.Spent.Plus(r.cost)
	t.after[r.Subject], t.asked[r.Subject] = sum, asked
	t.fresh = append(t.fresh, r)
	return nil, nil
}

// close writes what was taken.
func (t *till) close() error {
	for _, r := range t.fresh {
		e := r.entry()
		e.Window = t.window
		if err := t.add(e); err != nil {
			return err
		}
	}
	for subject, asked := range t.asked {
		if (asked == Cost{}) {
			continue // its sums are as they were
		}
		if err := t.SetSums(account{Subject: subject, Window: t.window}, t.after[subject]); err != nil {
			return err
		}
		if t.terms.Lifetime != 0 {
			t.lifetimes[subject] = t.lifetimes[subject].Plus(asked)
		}
	}
	return nil
}
