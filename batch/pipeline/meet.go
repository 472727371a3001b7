package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"sotto/batch/shard"
	"sotto/promise/dp"
	"sotto/service/ledger"
)

// aspects are what the ledger holds the name of a job to, and what to do where the job is
// another one.
var aspects = []struct {
	name   string
	of     func(k *shard.Known) string
	differ string
}{
	{
		"numerics", func(k *shard.Known) string { return k.Numerics },
		"its vectors have other numerics than those of this machine, whose releases of the same texts are others; run it on machines of the kind that began it, or give it another name (--job), under which it pays again",
	},
	{
		"settings", func(k *shard.Known) string { return k.Does },
		"it has other settings than are given now, under which the same texts have other releases; give this one another name (--job), under which it pays",
	},
	{
		"files", func(k *shard.Known) string { return k.Files },
		"it is over other files than are given now; give this one another name (--job), under which it pays",
	},
}

// shard begins one of a job.
func (p *process) shard(job, name string) ledger.Shard {
	m := p.worker.Mechanism()
	return ledger.Shard{Job: job, Name: name, Guarantee: m.Guarantee(), Mechanism: m.Params()}
}

// marks are shards without demands: what they stand for is what the job is, and the ledger
// refuses another job of its name.
func (p *process) marks() []ledger.Shard {
	all := make([]ledger.Shard, len(aspects))
	for i, a := range aspects {
		all[i] = ledger.Shard{
			Job: p.job.Name, Name: shard.Scheme + ": " + a.name, Whole: sha256.Sum256([]byte(a.of(p.job.Known))),
			Guarantee: dp.Guarantee{Unit: p.worker.Mechanism().Guarantee().Unit}, Mechanism: "job",
		}
	}
	return all
}

// meet refuses a job whose name the ledger has for another one, before anybody pays: one
// with other numerics, settings or files, or one of a version that drew noise by another
// scheme, and that would release the same rows a second time.
func (p *process) meet(ctx context.Context, book *ledger.Divided) error {
	if p.job.Known == nil || p.job.Name == "" {
		return errors.New("pipeline: nobody has said what the job is, must be planned first")
	}
	p.meeting.Lock()
	defer p.meeting.Unlock()
	if p.met {
		return nil
	}
	name := cmp.Or(p.job.Known.Legacy, p.job.Name)
	var old []ledger.Shard
	for at := range shard.Partitions {
		s := p.shard(name, fmt.Sprintf("users %d/0", at)) // as they were called
		s.Whole = sha256.Sum256(nil)                      // which is what no users make
		old = append(old, s)
	}
	switch err := book.Affords(ctx, old...); {
	case errors.Is(err, ledger.ErrConflict):
		return fmt.Errorf("pipeline: job %s was paid for by an earlier version, which drew noise by a scheme before %q: the same rows would be released a second time; finish it with the version that began it, or give this one a name of its own (--job), under which it pays again: %w", name, shard.Scheme, ledger.ErrConflict)
	case err != nil:
		return err
	}
	for i, mark := range p.marks() {
		switch err := book.Affords(ctx, mark); {
		case errors.Is(err, ledger.ErrConflict):
			return fmt.Errorf("pipeline: the ledger knows a job %s, and %s: %w", p.job.Name, aspects[i].differ, ledger.ErrConflict)
		case err != nil:
			return err
		}
	}
	p.met = true
	return nil
}
