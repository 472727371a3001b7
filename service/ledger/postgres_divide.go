package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Divider proves a ledger whose entries are dealt out to parts.
type Divider interface {
	// Read proves the next entry.
	Read(e *Entry) error
	// Whole proves the ledger when all of its entries were read.
	Whole(from Page) error
	// Sums returns what the entries say that everybody was granted and has
	// spent.
	Sums() map[account]Sums
	// Close ends a part, which was dealt all of its entries, and signs it.
	Close(to Page, part part) error
}

// divideDatabase makes parts of an undivided ledger, all in one transaction: the database
// has the one ledger before it, and the parts, with the old tables aside, after it.
// An entry keeps what it says, its time too, and gets a new place in the chain of
// its part.
func divideDatabase(ctx context.Context, address string, parts int, timeout time.Duration, with Divider) error {
	s, err := newStore(address, databaseSettings{Timeout: timeout})
	if err != nil {
		return err
	}
	return s.once(ctx, func(tx pgx.Tx) error {
		var format string
		err := tx.QueryRow(ctx, `SELECT format FROM sotto_ledger_head FOR UPDATE`).Scan(&format)
		if errors.Is(err, pgx.ErrNoRows) {
			return damaged("the head of the log is missing")
		} else if err != nil {
			return err
		}
		if err = formatError(format); err != nil {
			return err
		}
		d := &divided{ctx: ctx, tx: tx, from: postgresNewPage(ctx, s, tx)}
		if d.schemas, err = schemasOf(ctx, tx, parts); err != nil {
			return err
		}
		if err = tx.QueryRow(ctx, `SELECT current_schema(), current_setting('search_path')`).Scan(new(string), &d.base); err != nil {
			return err
		}
		if err = d.begin(); err != nil {
			return err
		}
		if err = d.deal(with); err != nil {
			return err
		}
		if err = d.end(with); err != nil {
			return err
		}
		for _, name := range []string{"head", "log", "means", "sums"} {
			if _, err = tx.Exec(ctx, fmt.Sprintf(`ALTER TABLE sotto_ledger_%[1]s RENAME TO sotto_ledger_%[1]s_undivided`, name)); err != nil {
				return err
			}
		}
		return enter(ctx, tx, d.schemas)
	})
}

// divided is a ledger that is being divided.
type divided struct {
	ctx     context.Context
	tx      pgx.Tx
	base    string // the search path of the ledger
	schemas []string
	from    *postgresPage
	pages   []*postgresPage
}

// at runs use where the tables are those of a part, and goes back to the ledger.
func (d *divided) at(part int, use func() error) error {
	if _, err := d.tx.Exec(d.ctx, `SELECT set_config('search_path', $1, true)`, pgx.Identifier{d.schemas[part]}.Sanitize()); err != nil {
		return err
	}
	if err := use(); err != nil {
		return err
	}
	_, err := d.tx.Exec(d.ctx, `SELECT set_config('search_path', $1, true)`, d.base)
	return err
}

// begin makes the tables of the parts.
func (d *divided) begin() error {
	for i := range d.schemas {
		p := postgresNewPage(d.ctx, &databaseStore{}, d.tx)
		d.pages = append(d.pages, p)
		if err := d.at(i, func() error {
			if err := makeTables(d.ctx, d.tx); err != nil {
				return err
			}
			return p.load()
		}); err != nil {
			return err
		}
	}
	return nil
}

// deal reads the entries, some thousands at a time, and gives each to its part, and
// those that are about everybody to all.
func (d *divided) deal(with Divider) error {
	for last := uint64(0); ; {
		var entries []*Entry
		err := d.from.Entries(last+1, func(e *Entry) error {
			entries = append(entries, e)
			if len(entries) == maxCarried {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
		dealt := make([][]*Entry, len(d.pages))
		for _, e := range entries {
			if err = with.Read(e); err != nil {
				return err
			}
			if e.Kind == KindGrant || e.Kind == KindSpend && releases(e.Mechanism) > 0 { // the mark of a job is everybody's
				i := PartOf(e.Subject, len(d.pages))
				dealt[i] = append(dealt[i], e)
				continue
			}
			for i := range dealt {
				dealt[i] = append(dealt[i], e)
			}
		}
		last = entries[len(entries)-1].Seq
		for i, p := range d.pages {
			if err = d.at(i, func() error { return p.take(dealt[i]) }); err != nil {
				return err
			}
		}
	}
}

// take appends entries as they are, but for their places, and writes them.
func (p *postgresPage) take(entries []*Entry) error {
	for _, e := range entries {
		again := *e
		again.Prev, again.Hash = Digest{}, Digest{}
		if err := p.Append(&again); err != nil {
			return err
		}
	}
	err := p.flush()
	p.fresh = nil
	clear(p.known)
	return err
}

// end proves the ledger, and closes and proves the parts.
func (d *divided) end(with Divider) error {
	if err := with.Whole(d.from); err != nil {
		return err
	}
	last, err := d.from.Head()
	if err != nil {
		return err
	}
	sums := make([]map[account]Sums, len(d.pages))
	for i := range sums {
		sums[i] = map[account]Sums{}
	}
	for a, s := range with.Sums() {
		if s != (Sums{}) {
			sums[PartOf(a.Subject, len(sums))][a] = s
		}
	}
	for i, p := range d.pages {
		if err := d.at(i, func() error {
			for a, s := range sums[i] {
				if err := p.SetSums(a, s); err != nil {
					return err
				}
			}
			of := part{Number: i, Of: len(d.pages), Through: last.Seq, Origin: last.Hash}
			if err := with.Close(p, of); err != nil {
				return err
			}
			if err := p.flush(); err != nil {
				return err
			}
			return p.Compare(sums[i])
		}); err != nil {
			return err
		}
	}
	return nil
}
