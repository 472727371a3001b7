package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sotto/service/ledger/book"
)

// Carrier takes the lines of an older ledger over into a page.
type Carrier interface {
	// Carry appends the entry of a line to a page, and returns it.
	Carry(to book.Page, seq uint64, line []byte) (*book.Entry, error)
	// Sums returns what the entries say that everybody was granted and has
	// spent.
	Sums() map[book.Account]book.Sums
	// Sign signs the last of them.
	Sign(to book.Page) error
}

// Migrate makes tables of this form of older ones. All is one transaction: the
// database has the old tables before it, and the new ones, with the old beside
// them, after it.
func Migrate(ctx context.Context, url string, timeout time.Duration, with Carrier) error {
	s, err := newStore(url, Settings{Timeout: timeout})
	if err != nil {
		return err
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return book.Unavailable(err)
	}
	defer drop(conn)
	mode := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
	return book.Medium(pgx.BeginTxFunc(ctx, conn, mode, func(tx pgx.Tx) error {
		if err := renameTables(ctx, tx); err != nil {
			return err
		}
		return newPage(ctx, s, tx).carry(with)
	}))
}

const maxCarried = 4096 // entries that are written at once

// renameTables puts the old tables aside and makes the new ones. Whoever writes
// the old ones is waited for, and finds none of them afterwards.
func renameTables(ctx context.Context, tx pgx.Tx) error {
	var format string
	var seq int64
	err := tx.QueryRow(ctx, `SELECT format, seq FROM sotto_ledger_head FOR UPDATE`).Scan(&format, &seq)
	if errors.Is(err, pgx.ErrNoRows) {
		return book.Damaged("the head of the log is missing")
	} else if err != nil {
		return book.Unavailable(err)
	}
	switch format {
	case "sotto-ledger-1":
	case postgresFormat:
		return fmt.Errorf("%w: the database", book.ErrMigrated)
	default:
		return fmt.Errorf("ledger: the database has the form %.20q, must be sotto-ledger-1", format)
	}
	for _, name := range []string{"head", "log", "sums"} {
		if _, err = tx.Exec(ctx, fmt.Sprintf(`ALTER TABLE sotto_ledger_%[1]s RENAME TO sotto_ledger_%[1]s_v1`, name)); err != nil {
			return book.Unavailable(err)
		}
	}
	if err = makeTables(ctx, tx); err != nil {
		return book.Unavailable(err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO sotto_ledger_sums
		SELECT subject, begins, granted_epsilon, granted_delta, spent_epsilon, spent_delta FROM sotto_ledger_sums_v1`)
	return book.Unavailable(err)
}

// carry carries everything over, some thousands of entries at a time.
func (p *page) carry(with Carrier) error {
	for {
		type line struct {
			seq          int64
			subject, key []byte
			entry        []byte
		}
		var lines []line
		rows, err := p.tx.Query(p.ctx, `SELECT seq, subject, key, entry FROM sotto_ledger_log_v1 WHERE seq > $1 OR $1 = 0 ORDER BY seq LIMIT $2`,
			int64(p.chain.Seq), maxCarried)
		if err != nil {
			return book.Unavailable(err)
		}
		for rows.Next() {
			var l line
			if err := rows.Scan(&l.seq, &l.subject, &l.key, &l.entry); err != nil {
				rows.Close()
				return book.Unavailable(err)
			}
			lines = append(lines, l)
		}
		if err := rows.Err(); err != nil {
			return book.Unavailable(err)
		}
		if len(lines) == 0 {
			break
		}
		if err := p.flush(); err != nil { // but the last, which are signed
			return err
		}
		p.fresh = nil
		clear(p.known)
		for _, l := range lines {
			e, err := with.Carry(p, uint64(l.seq), l.entry)
			if err != nil {
				return err
			}
			if e.Kind == book.KindSpend && (string(l.subject) != e.Subject || string(l.key) != string(e.Key[:])) || e.Kind != book.KindSpend && l.key != nil {
				return book.Damaged("entry %d stands under another key", e.Seq)
			}
		}
	}
	var seq, budget, secret int64
	if err := p.tx.QueryRow(p.ctx, `SELECT seq, budget, secret FROM sotto_ledger_head_v1`).Scan(&seq, &budget, &secret); err != nil {
		return book.Unavailable(err)
	}
	if uint64(seq) != p.chain.Seq || budget != p.last[book.KindBudget] || secret != p.last[book.KindSecret] {
		return book.Damaged("entry %d should be the last", seq)
	}
	if err := with.Sign(p); err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	return p.Compare(with.Sums())
}
