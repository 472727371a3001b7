package ledger

import (
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
)

// eachSum reads what the database holds, in all windows; of all subjects for "".
func (p *postgresPage) eachSum(subject string, yield func(account, Sums) error) error {
	query, args := selectSums, []any{}
	if subject != "" {
		query, args = selectSums+` WHERE s.subject = $1`, []any{[]byte(subject)}
	}
	return p.query(func(rows pgx.Rows) error { return readSums(rows, yield) }, query, args...)
}

// total adds up what was spent.
func total(sum *Cost, more Cost) error {
	if *sum = sum.Plus(more); !sum.Within(Cost{Epsilon: 2 * maxCost, Delta: 2 * maxCost}) {
		return damaged("the sums of a subject are out of bounds")
	}
	return nil
}

// Lifetime is asked for before anything of the page is Spent: a sheet goes on
// counting by itself.
func (p *postgresPage) Lifetime(subject string) (Cost, error) {
	var sum Cost
	err := p.eachSum(subject, func(_ account, s Sums) error { return total(&sum, s.Spent) })
	return sum, err
}

func (p *postgresPage) Balances(window int64, yield func(Standing) error) error {
	all := map[string]*Standing{}
	now := map[string]bool{}
	if err := p.eachSum("", func(a account, s Sums) error {
		at := all[a.Subject]
		if at == nil {
			at = &Standing{Subject: a.Subject}
			all[a.Subject] = at
		}
		if a.Window == window {
			at.Sums, now[a.Subject] = s, true
		}
		return total(&at.Lifetime, s.Spent)
	}); err != nil {
		return err
	}
	for subject := range now {
		if err := yield(*all[subject]); err != nil {
			return err
		}
	}
	return nil
}

// Entries begins at the last write before the entry that is wanted: the last row
// of each has its hash, and those of the others are made.
func (p *postgresPage) Entries(from uint64, yield func(*Entry) error) error {
	if err := p.names(); err != nil {
		return err
	}
	c, err := p.before(from)
	if err != nil {
		return err
	}
	known := guarantees{}
	return p.query(func(rows pgx.Rows) error {
		return p.readLog(rows, func(r *Record, at *row) error {
			if uint64(at.seq) != c.Seq+1 {
				return damaged("entry %d follows entry %d", at.seq, c.Seq)
			}
			prev := c.Link(r)
			if at.hash != nil && string(at.hash) != string(c.Hash[:]) {
				return damaged("entries up to %d are not what was written", c.Seq)
			}
			if c.Seq < from {
				return nil
			}
			e, err := c.Entry(r, prev, known)
			if err != nil {
				return err
			}
			return yield(e)
		})
	}, selectLog+` WHERE l.seq > $1 OR $1 = 0 ORDER BY l.seq`, int64(c.Seq))
}

// before returns the end of a write before an entry.
func (p *postgresPage) before(from uint64) (c Chain, err error) {
	if from <= 1 || from > math.MaxInt64 {
		return c, nil
	}
	var seq int64
	var hash []byte
	err = p.tx.QueryRow(p.ctx, `SELECT seq, hash FROM sotto_ledger_log WHERE seq < $1 AND hash IS NOT NULL ORDER BY seq DESC LIMIT 1`, int64(from)).Scan(&seq, &hash)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return c, nil
	case err != nil:
		return c, unavailable(err)
	case seq < 1 || len(hash) != len(c.Hash):
		return c, damaged("entry %d is not what was written", seq)
	}
	c.Seq, c.Hash = uint64(seq), Digest(hash)
	return c, nil
}

// HashOf implements [Page].
func (p *postgresPage) HashOf(seq uint64) (found Digest, err error) {
	var hash []byte
	err = p.tx.QueryRow(p.ctx, `SELECT hash FROM sotto_ledger_log WHERE seq = $1`, int64(min(seq, math.MaxInt64))).Scan(&hash)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return found, nil
	case err != nil:
		return found, unavailable(err)
	case len(hash) == len(found):
		return Digest(hash), nil
	}
	return hashFrom(p, seq)
}

// Carried implements [Page]: nothing is archived of a database.
func (p *postgresPage) Carried() (*carried, error) { return nil, nil }

// Compare looks for sums that are not those of the log. That every key of the
// log leads to its entry was seen while reading.
func (p *postgresPage) Compare(want map[account]Sums) error {
	left := make(map[account]Sums, len(want))
	for at, s := range want {
		if s != (Sums{}) { // a spend of nothing leaves none
			left[at] = s
		}
	}
	if err := p.eachSum("", func(at account, got Sums) error {
		if want[at] != got {
			return damaged("the sums of a subject are not those of the log")
		}
		delete(left, at)
		return nil
	}); err != nil {
		return err
	}
	if len(left) > 0 {
		return damaged("the sums of %d subjects are missing", len(left))
	}
	return nil
}

// memory is what pages of a store have read that never changes, for the next.
type memory struct {
	means []*means
	last  map[Kind]*Entry // the last budget and secret that were read
}

// recall gives a page what others have read.
func (s *databaseStore) recall(p *postgresPage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.memory.means[:min(len(s.memory.means), p.means)] {
		p.coder.Means(m)
	}
	for _, k := range []Kind{KindBudget, KindSecret} {
		if e := s.memory.last[k]; e != nil && int64(e.Seq) == p.last[k] {
			p.of[k] = e
		}
	}
}

// keepInMind keeps what a page has read, or has committed, for others.
func (s *databaseStore) keepInMind(p *postgresPage, kinds ...Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all := p.coder.AllMeans(); p.means > len(s.memory.means) && len(all) >= p.means {
		s.memory.means = all[:p.means:p.means]
	}
	if s.memory.last == nil {
		s.memory.last = map[Kind]*Entry{}
	}
	for _, k := range kinds {
		s.memory.last[k] = p.of[k]
	}
}

// formatError refuses tables of another form.
func formatError(format string) error {
	switch format {
	case postgresFormat:
		return nil
	case "sotto-ledger-1":
		return fmt.Errorf("%w: the database", ErrFormat1)
	case partsFormat:
		return fmt.Errorf("%w: the ledger is in parts, each of which is a ledger in a schema of its own", ErrUnavailable)
	}
	return damaged("the database holds no ledger of this version")
}
