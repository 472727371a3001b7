package ledger

import (
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
	s      *databaseStore
	chain  Chain
	loaded bool
	last   map[Kind]int64  // the numbers of the last budget and secret, 0 if there is none
	of     map[Kind]*Entry // those of them that were read
	coder  Coder
	means  int // how many the database has

	known   map[payment]*settled // nil where nothing was paid
	counted map[account]Sums
	changed map[account]bool
	fresh   []row
	beside  string // statement that is to be committed with them; "" for none
	args    []any
}

// Beside has a statement committed together with what was appended, and reports false
// if nothing was.
func (p *postgresPage) Beside(statement string, args ...any) bool {
	p.beside, p.args = statement, args
	return len(p.fresh) > 0
}

// row is a row of the log.
type row struct {
	seq   int64
	name  []byte // of a spend
	hash  []byte // of the last of a write
	entry []byte
}

func postgresNewPage(ctx context.Context, s *databaseStore, tx pgx.Tx) *postgresPage {
	return &postgresPage{
		ctx: ctx, tx: tx, s: s, last: map[Kind]int64{}, of: map[Kind]*Entry{}, coder: Coder{Literal: true},
		known: map[payment]*settled{}, counted: map[account]Sums{}, changed: map[account]bool{},
	}
}

const selectHead = `SELECT seq, spends, at, hash, mac, budget, secret, means FROM sotto_ledger_head`

// lock waits until nobody else writes, and reads where the log ends then. A
// commit is synchronous in this transaction whatever the session's setting, and
// a gateway that stops in the middle holds up the others no longer than the
// limits say.
func (p *postgresPage) lock(limit time.Duration) error {
	var b pgx.Batch
	b.Queue(`SELECT set_config('synchronous_commit',
			CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)`)
	b.Queue(limits(limit))
	if p.s.Standbys > 0 {
		b.Queue(selectStandbys).QueryRow(p.s.standbys)
	}
	b.Queue(selectHead + ` FOR UPDATE`).QueryRow(p.readHead)
	return medium(p.tx.SendBatch(p.ctx, &b).Close())
}

// load reads where the log ends, unless lock has.
func (p *postgresPage) load() error {
	if p.loaded {
		return nil
	}
	return medium(p.readHead(p.tx.QueryRow(p.ctx, selectHead)))
}

func (p *postgresPage) readHead(r pgx.Row) error {
	var seq, spends, at, budget, secret, means int64
	var hash, mac []byte
	err := r.Scan(&seq, &spends, &at, &hash, &mac, &budget, &secret, &means)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return damaged("the head of the log is missing")
	case err != nil:
		return unavailable(err)
	case seq < 0 || spends < 0 || len(hash) != len(p.chain.Hash) || len(mac) != len(p.chain.MAC) || means < 0 || means > math.MaxInt32:
		return damaged("the head of the log is not what was written")
	}
	p.chain.Seq, p.chain.Spends, p.chain.Hash, p.chain.MAC, p.means = uint64(seq), uint64(spends), Digest(hash), MAC(mac), int(means)
	if seq > 0 {
		p.chain.At = time.Unix(0, at).UTC()
	}
	p.last[KindBudget], p.last[KindSecret], p.loaded = budget, secret, true
	p.s.recall(p)
	return nil
}

func (p *postgresPage) Head() (Head, error) {
	err := p.load()
	return p.chain.Head, err
}

// Latest reads an entry, where another page of the store has not: it does not
// change.
func (p *postgresPage) Latest(k Kind) (*Entry, error) {
	if err := p.load(); err != nil {
		return nil, err
	}
	if p.last[k] == 0 || p.of[k] != nil {
		return p.of[k], nil
	}
	err := p.query(func(rows pgx.Rows) error {
		return p.readLog(rows, func(r *Record, at *row) error {
			e, err := parseBody(r.AppendLine(nil, uint64(at.seq), new([32]byte)))
			p.of[k] = e
			return err
		})
	}, selectLog+` WHERE l.seq = $1`, p.last[k])
	if err == nil && p.of[k] == nil {
		return nil, damaged("entry %d, the last %s, is missing", p.last[k], k)
	}
	if err == nil {
		p.s.keepInMind(p, k)
	}
	return p.of[k], err
}

// names reads the means that other pages of the store have not.
func (p *postgresPage) names() error {
	if err := p.load(); err != nil {
		return err
	}
	have := len(p.coder.AllMeans())
	if have >= p.means {
		return nil
	}
	return p.query(func(rows pgx.Rows) error {
		for rows.Next() {
			var id int64
			var content []byte
			if err := rows.Scan(&id, &content); err != nil {
				return unavailable(err)
			}
			n, entry, err := p.coder.Next(content, new(Record))
			if have++; err != nil || entry || n != len(content) || id != int64(have) || len(p.coder.AllMeans()) != have {
				return damaged("the means with number %d are not what was written", id)
			}
		}
		if err := rows.Err(); err != nil {
			return unavailable(err)
		}
		if have != p.means {
			return damaged("means are missing: there are %d, and were %d", have, p.means)
		}
		return nil
	}, `SELECT id, content FROM sotto_ledger_means WHERE id > $1 ORDER BY id`, have)
}

func (p *postgresPage) Append(e *Entry) error {
	if err := p.names(); err != nil {
		return err
	}
	r, err := e.Record()
	if err != nil {
		return unavailable(err)
	}
	e.Prev = p.chain.Link(&r)
	e.Seq, e.Hash = p.chain.Seq, p.chain.Hash
	fresh := row{seq: int64(e.Seq)}
	switch e.Kind {
	case KindSpend:
		n := payment{Subject: e.Subject, Key: e.Key}.Name()
		fresh.name = n[:]
		p.known[payment{Subject: e.Subject, Key: e.Key}] = &settled{Seq: e.Seq, Check: e.Check, Means: r.Means}
		p.coder.Means(r.Means) // numbered, so that it does not stand in the row
	case KindBudget, KindSecret:
		p.of[e.Kind], p.last[e.Kind] = e, int64(e.Seq)
	case KindGrant, KindPart, KindArchive: // the log and the sums say it all
	}
	p.coder.Reset()
	fresh.entry, _ = p.coder.Append(nil, &r)
	p.fresh = append(p.fresh, fresh)
	return nil
}

func (p *postgresPage) Sign(m MAC) { p.chain.MAC = m }

// flush writes what was appended and counted.
func (p *postgresPage) flush() error {
	if len(p.fresh) == 0 {
		return nil
	}
	var b pgx.Batch
	all := p.coder.AllMeans()
	for i, m := range all[p.means:] {
		b.Queue(`INSERT INTO sotto_ledger_means (id, content) VALUES ($1, $2)`, p.means+i+1, appendMeans(nil, m))
	}
	p.fresh[len(p.fresh)-1].hash = p.chain.Hash[:]
	seqs := make([]int64, len(p.fresh))
	var columns [3][][]byte
	for i, r := range p.fresh {
		seqs[i] = r.seq
		for j, v := range [][]byte{r.name, r.hash, r.entry} {
			columns[j] = append(columns[j], v)
		}
	}
	b.Queue(`INSERT INTO sotto_ledger_log (seq, name, hash, entry) SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bytea[])`,
		seqs, columns[0], columns[1], columns[2])
	if len(p.changed) > 0 {
		var who [][]byte
		var numbers [5][]int64
		for a := range p.changed {
			s := p.counted[a]
			who = append(who, []byte(a.Subject))
			for i, v := range []int64{a.Window, s.Granted.Epsilon, s.Granted.Delta, s.Spent.Epsilon, s.Spent.Delta} {
				numbers[i] = append(numbers[i], v)
			}
		}
		b.Queue(`INSERT INTO sotto_ledger_sums
			SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
			ON CONFLICT (subject, begins) DO UPDATE SET
				granted_epsilon = excluded.granted_epsilon, granted_delta = excluded.granted_delta,
				spent_epsilon = excluded.spent_epsilon, spent_delta = excluded.spent_delta`,
			who, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
	}
	b.Queue(`UPDATE sotto_ledger_head SET seq = $1, spends = $2, at = $3, hash = $4, mac = $5, budget = $6, secret = $7, means = $8`,
		int64(p.chain.Seq), int64(p.chain.Spends), p.chain.At.UnixNano(), p.chain.Hash[:], p.chain.MAC[:], p.last[KindBudget], p.last[KindSecret], len(all))
	if p.beside != "" {
		b.Queue(p.beside, p.args...)
	}
	p.means = len(all)
	return unavailable(p.tx.SendBatch(p.ctx, &b).Close())
}

const (
	selectLog  = `SELECT l.seq, l.name, l.hash, l.entry FROM sotto_ledger_log l`
	selectSums = `SELECT s.subject, s.begins, s.granted_epsilon, s.granted_delta, s.spent_epsilon, s.spent_delta FROM sotto_ledger_sums s`
)

// Fetch reads with one search of an index for each name. The limits keep the
// planner from turning that into a join, whose order it would choose by numbers
// of rows that it does not know.
func (p *postgresPage) Fetch(names []payment, at []account) error {
	if len(names)+len(at) == 0 {
		return nil
	}
	if err := p.names(); err != nil {
		return err
	}
	var wanted, who [][]byte
	var begins []int64
	for _, n := range names {
		if _, ok := p.known[n]; !ok {
			p.known[n] = nil
			short := n.Name()
			wanted = append(wanted, short[:])
		}
	}
	for _, a := range at {
		if _, ok := p.counted[a]; !ok {
			p.counted[a] = Sums{}
			who, begins = append(who, []byte(a.Subject)), append(begins, a.Window)
		}
	}
	var b pgx.Batch
	b.Queue(`SELECT found.* FROM unnest($1::bytea[]) AS w (name), LATERAL (`+
		selectLog+` WHERE l.name = w.name AND l.name IS NOT NULL LIMIT 1) found`, wanted).Query(func(rows pgx.Rows) error {
		return p.readLog(rows, func(r *Record, at *row) error {
			p.known[payment{Subject: r.Subject, Key: r.Key}] = &settled{Seq: uint64(at.seq), Check: r.Check, Means: r.Means}
			return nil
		})
	})
	b.Queue(`SELECT found.* FROM unnest($1::bytea[], $2::bigint[]) AS w (subject, begins), LATERAL (`+
		selectSums+` WHERE s.subject = w.subject AND s.begins = w.begins LIMIT 1) found`, who, begins).Query(func(rows pgx.Rows) error {
		return readSums(rows, func(a account, s Sums) error { p.counted[a] = s; return nil })
	})
	return medium(p.tx.SendBatch(p.ctx, &b).Close())
}

// readLog reads rows of the log, and refuses one that says other than its entry.
func (p *postgresPage) readLog(rows pgx.Rows, yield func(*Record, *row) error) error {
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.seq, &r.name, &r.hash, &r.entry); err != nil {
			return unavailable(err)
		}
		var e Record
		p.coder.Reset()
		n, entry, err := p.coder.Next(r.entry, &e)
		if err != nil || !entry || n != len(r.entry) || r.seq < 1 {
			return damaged("entry %d is not what was written", r.seq)
		}
		var want []byte
		if e.Means != nil {
			short := payment{Subject: e.Subject, Key: e.Key}.Name()
			want = short[:]
		}
		if string(want) != string(r.name) || (want == nil) != (r.name == nil) {
			return damaged("entry %d stands under another key", r.seq)
		}
		if err := yield(&e, &r); err != nil {
			return err
		}
	}
	return unavailable(rows.Err())
}

func (p *postgresPage) Paid(name payment) (*settled, error) {
	if _, ok := p.known[name]; !ok {
		if err := p.Fetch([]payment{name}, nil); err != nil {
			return nil, err
		}
	}
	return p.known[name], nil
}

func readSums(rows pgx.Rows, yield func(account, Sums) error) error {
	for rows.Next() {
		var subject []byte
		var begins int64
		var s Sums
		if err := rows.Scan(&subject, &begins, &s.Granted.Epsilon, &s.Granted.Delta, &s.Spent.Epsilon, &s.Spent.Delta); err != nil {
			return unavailable(err)
		}
		s, err := s.Check()
		if err != nil {
			return err
		}
		if err := yield(account{Subject: string(subject), Window: begins}, s); err != nil {
			return err
		}
	}
	return unavailable(rows.Err())
}

func (p *postgresPage) Sums(a account) (Sums, error) {
	if _, ok := p.counted[a]; !ok {
		if err := p.Fetch(nil, []account{a}); err != nil {
			return Sums{}, err
		}
	}
	return p.counted[a], nil
}

func (p *postgresPage) SetSums(a account, s Sums) error {
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
