package ledger

import (
	"bytes"
	"context"
	"errors"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgresPage is a transaction on a database. It reads what a batch needs at
// once and writes what it made at once, so that their number does not count.
type postgresPage struct {
	ctx    context.Context
	tx     pgx.Tx
	loaded bool
	last   *Entry
	of     map[Kind]*Entry // the last budget and secret

	known   map[payment]*Entry // nil where nothing was paid
	counted map[account]sums
	changed map[account]bool
	fresh   []row
}

// row is a row of the log.
type row struct {
	entry        *Entry
	subject, key []byte // of a spend
	line         []byte
}

func newPostgresPage(ctx context.Context, tx pgx.Tx) *postgresPage {
	return &postgresPage{
		ctx: ctx, tx: tx, of: map[Kind]*Entry{},
		known: map[payment]*Entry{}, counted: map[account]sums{}, changed: map[account]bool{},
	}
}

// lock waits until nobody else writes. A gateway that stops in the middle holds
// up the others no longer than the limits say.
func (p *postgresPage) lock(timeout time.Duration) error {
	var b pgx.Batch
	b.Queue(`SELECT set_config('synchronous_commit',
			CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)`)
	b.Queue(limits(timeout))
	b.Queue(`SELECT seq FROM sotto_ledger_head FOR UPDATE`)
	return unavailable(p.tx.SendBatch(p.ctx, &b).Close())
}

// load reads the ends of the log. It is a statement of its own after lock's,
// because only such a one sees what others wrote while that one waited.
func (p *postgresPage) load() error {
	if p.loaded {
		return nil
	}
	var seq, budgets, secrets int64
	var lines [3][]byte
	const ends = `SELECT h.seq, h.budget, h.secret, l.entry, b.entry, s.entry FROM sotto_ledger_head h
		LEFT JOIN sotto_ledger_log l ON l.seq = h.seq
		LEFT JOIN sotto_ledger_log b ON b.seq = h.budget
		LEFT JOIN sotto_ledger_log s ON s.seq = h.secret`
	err := p.tx.QueryRow(p.ctx, ends).Scan(&seq, &budgets, &secrets, &lines[0], &lines[1], &lines[2])
	if errors.Is(err, pgx.ErrNoRows) {
		return damaged("the head of the log is missing")
	} else if err != nil {
		return unavailable(err)
	}
	var found [3]*Entry
	for i, at := range []int64{seq, budgets, secrets} {
		if at == 0 {
			continue
		}
		if found[i], err = ParseEntry(lines[i]); err != nil {
			return err
		}
		if found[i].Seq != uint64(at) {
			return damaged("entry %d stands in another's place", found[i].Seq)
		}
	}
	p.last, p.of[KindBudget], p.of[KindSecret], p.loaded = found[0], found[1], found[2], true
	return nil
}

func (p *postgresPage) head() (*Entry, error) {
	err := p.load()
	return p.last, err
}

func (p *postgresPage) latest(k Kind) (*Entry, error) {
	err := p.load()
	return p.of[k], err
}

func (p *postgresPage) append(e *Entry, line []byte) error {
	r := row{entry: e, line: line}
	switch e.Kind {
	case KindSpend:
		r.subject, r.key = []byte(e.Subject), e.Key[:]
		p.known[payment{e.Subject, e.Key}] = e
	case KindBudget, KindSecret:
		p.of[e.Kind] = e
	case KindGrant: // the log and the sums say it all
	}
	p.fresh, p.last = append(p.fresh, r), e
	return nil
}

// flush writes what was appended and counted.
func (p *postgresPage) flush() error {
	if len(p.fresh) == 0 {
		return nil
	}
	var seqs []int64
	var subjects, keys, lines [][]byte
	for _, r := range p.fresh {
		seqs, subjects, keys, lines = append(seqs, int64(r.entry.Seq)), append(subjects, r.subject), append(keys, r.key), append(lines, r.line)
	}
	var b pgx.Batch
	b.Queue(`INSERT INTO sotto_ledger_log (seq, subject, key, entry)
		SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bytea[])`, seqs, subjects, keys, lines)
	var who [][]byte
	var columns [5][]int64
	for a := range p.changed {
		s := p.counted[a]
		who = append(who, []byte(a.subject))
		for i, v := range []int64{a.window, s.granted.Epsilon, s.granted.Delta, s.spent.Epsilon, s.spent.Delta} {
			columns[i] = append(columns[i], v)
		}
	}
	b.Queue(`INSERT INTO sotto_ledger_sums
		SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
		ON CONFLICT (subject, begins) DO UPDATE SET
			granted_epsilon = excluded.granted_epsilon, granted_delta = excluded.granted_delta,
			spent_epsilon = excluded.spent_epsilon, spent_delta = excluded.spent_delta`,
		who, columns[0], columns[1], columns[2], columns[3], columns[4])
	b.Queue(`UPDATE sotto_ledger_head SET seq = $1, budget = $2, secret = $3`,
		seqs[len(seqs)-1], seqOf(p.of[KindBudget]), seqOf(p.of[KindSecret]))
	return unavailable(p.tx.SendBatch(p.ctx, &b).Close())
}

func seqOf(e *Entry) int64 {
	if e == nil {
		return 0
	}
	return int64(e.Seq)
}

const (
	selectLog  = `SELECT l.seq, l.subject, l.key, l.entry FROM sotto_ledger_log l`
	selectSums = `SELECT s.subject, s.begins, s.granted_epsilon, s.granted_delta, s.spent_epsilon, s.spent_delta FROM sotto_ledger_sums s`
)

// fetch reads with one search of an index for each name. The limits keep the
// planner from turning that into a join, whose order it would choose by numbers
// of rows that it does not know.
func (p *postgresPage) fetch(names []payment, at []account) error {
	if len(names)+len(at) == 0 {
		return nil
	}
	var subjects, keys, who [][]byte
	var begins []int64
	for _, n := range names {
		if _, ok := p.known[n]; !ok {
			p.known[n] = nil
			subjects, keys = append(subjects, []byte(n.subject)), append(keys, n.key[:])
		}
	}
	for _, a := range at {
		if _, ok := p.counted[a]; !ok {
			p.counted[a] = sums{}
			who, begins = append(who, []byte(a.subject)), append(begins, a.window)
		}
	}
	var b pgx.Batch
	b.Queue(`SELECT found.* FROM unnest($1::bytea[], $2::bytea[]) AS w (subject, key), LATERAL (`+
		selectLog+` WHERE l.subject = w.subject AND l.key = w.key AND l.key IS NOT NULL LIMIT 1) found`, subjects, keys).Query(func(rows pgx.Rows) error {
		return readLog(rows, func(e *Entry) error { p.known[payment{e.Subject, e.Key}] = e; return nil })
	})
	b.Queue(`SELECT found.* FROM unnest($1::bytea[], $2::bigint[]) AS w (subject, begins), LATERAL (`+
		selectSums+` WHERE s.subject = w.subject AND s.begins = w.begins LIMIT 1) found`, who, begins).Query(func(rows pgx.Rows) error {
		return readSums(rows, func(a account, s sums) error { p.counted[a] = s; return nil })
	})
	return medium(p.tx.SendBatch(p.ctx, &b).Close())
}

// readLog reads rows of the log.
func readLog(rows pgx.Rows, yield func(*Entry) error) error {
	for rows.Next() {
		e, err := readRow(rows)
		if err != nil {
			return err
		}
		if err := yield(e); err != nil {
			return err
		}
	}
	return unavailable(rows.Err())
}

// readRow reads a row of the log and refuses one that says other than its entry.
func readRow(rows pgx.Rows) (*Entry, error) {
	var seq int64
	var r row
	if err := rows.Scan(&seq, &r.subject, &r.key, &r.line); err != nil {
		return nil, unavailable(err)
	}
	e, err := ParseEntry(r.line)
	if err != nil {
		return nil, err
	}
	var subject, key []byte
	if e.Kind == KindSpend {
		subject, key = []byte(e.Subject), e.Key[:]
	}
	if uint64(seq) != e.Seq || !bytes.Equal(subject, r.subject) || !bytes.Equal(key, r.key) {
		return nil, damaged("entry %d stands in another's place, or under another key", e.Seq)
	}
	return e, nil
}

func (p *postgresPage) paid(name payment) (*Entry, error) {
	if _, ok := p.known[name]; !ok {
		if err := p.fetch([]payment{name}, nil); err != nil {
			return nil, err
		}
	}
	return p.known[name], nil
}

func readSums(rows pgx.Rows, yield func(account, sums) error) error {
	for rows.Next() {
		var subject []byte
		var begins int64
		var s sums
		if err := rows.Scan(&subject, &begins, &s.granted.Epsilon, &s.granted.Delta, &s.spent.Epsilon, &s.spent.Delta); err != nil {
			return unavailable(err)
		}
		s, err := checkSums(s)
		if err != nil {
			return err
		}
		if err := yield(account{string(subject), begins}, s); err != nil {
			return err
		}
	}
	return unavailable(rows.Err())
}

func (p *postgresPage) sums(a account) (sums, error) {
	if _, ok := p.counted[a]; !ok {
		if err := p.fetch(nil, []account{a}); err != nil {
			return sums{}, err
		}
	}
	return p.counted[a], nil
}

func (p *postgresPage) setSums(a account, s sums) error {
	p.counted[a], p.changed[a] = s, true
	return nil
}

// query reads the rows that a query finds.
func (p *postgresPage) query(read func(pgx.Rows) error, sql string, args ...any) error {
	rows, err := p.tx.Query(p.ctx, sql, args...)
	if err != nil {
		return unavailable(err)
	}
	defer rows.Close()
	return read(rows)
}

// eachSum reads what the database holds, and takes what this page has changed
// from the page.
func (p *postgresPage) eachSum(subject string, yield func(account, sums) error) error {
	query, args := selectSums, []any{}
	if subject != "" {
		query, args = selectSums+` WHERE s.subject = $1`, []any{[]byte(subject)}
	}
	if err := p.query(func(rows pgx.Rows) error {
		return readSums(rows, func(a account, s sums) error {
			if p.changed[a] {
				return nil
			}
			return yield(a, s)
		})
	}, query, args...); err != nil {
		return err
	}
	for a := range p.changed {
		if subject == "" || a.subject == subject {
			if err := yield(a, p.counted[a]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *postgresPage) entries(from uint64, yield func(*Entry) error) error {
	const sql = selectLog + ` WHERE $1 = 0 OR l.seq >= $1 ORDER BY l.seq`
	return p.query(func(rows pgx.Rows) error { return readLog(rows, yield) }, sql, int64(min(from, math.MaxInt64)))
}

func (p *postgresPage) payments() (uint64, error) {
	var n int64
	err := p.tx.QueryRow(p.ctx, `SELECT count(*) FROM sotto_ledger_log WHERE key IS NOT NULL`).Scan(&n)
	return uint64(n), unavailable(err)
}
