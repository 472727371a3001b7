package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"sotto/ledger/footing"
)

const (
	postgresFormat  = "sotto-ledger-1"
	postgresReaders = 8               // connections for reading at most
	hangUp          = time.Second     // that ending a connection may take
	keepAlive       = 5 * time.Second // after which a silent connection is probed
)

// postgres is a store in a database. Those who write wait for each other at the
// one row of sotto_ledger_head.
type postgres struct {
	config  *pgx.ConnConfig
	timeout time.Duration // of a connection, and of a write from its begin to its commit
	writers lines         // the one of the ledger's writer
	readers lines
	closed  atomic.Bool
}

// lines are connections, as many as there are places.
type lines struct {
	places chan struct{}  // holds one for each connection that is in use
	kept   chan *pgx.Conn // those that are not
}

func newLines(most int) lines {
	return lines{make(chan struct{}, most), make(chan *pgx.Conn, most)}
}

// OpenPostgres opens the ledger in a PostgreSQL database, named by a URL like
// postgres://user@host/database, which any number of gateways may share. Its
// tables are made on first use in the first schema of the search path. The
// server must not run with fsync off; commits are synchronous whatever its
// settings say.
func OpenPostgres(ctx context.Context, url string, o Options) (*Ledger, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("ledger: the address of the database cannot be read, must be like postgres://user@host/database")
	}
	s := &postgres{config: config, timeout: cmp.Or(o.Timeout, defaultTimeout), writers: newLines(1), readers: newLines(postgresReaders)}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = s.timeout
	}
	// A host that is gone is noticed by probes, one that is there and does not
	// answer by the silence.
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAlive, Interval: keepAlive, Count: 3}}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, failed := dialer.DialContext(ctx, network, address)
		if failed != nil {
			return nil, failed
		}
		return footing.Impatient(conn, 6*s.timeout), nil
	}
	w, err := s.prepare(ctx, url, o)
	if err == nil {
		var l *Ledger
		if l, err = open(s, o, w); err == nil {
			return l, nil
		}
		w.Close()
	}
	return nil, errors.Join(err, s.close())
}

// ledgerName tells ledgers of a database apart.
const ledgerName = `current_database() || '.' || coalesce(current_schema(), '')`

// tables are made in one transaction, so that all of them are there or none.
// Nothing in them is text, so that no encoding of a database changes an entry.
var tables = []string{
	`CREATE TABLE IF NOT EXISTS sotto_ledger_head (
		one boolean PRIMARY KEY DEFAULT true CHECK (one),
		format text NOT NULL, seq bigint NOT NULL, budget bigint NOT NULL, secret bigint NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS sotto_ledger_log (seq bigint PRIMARY KEY, subject bytea, key bytea, entry bytea NOT NULL)`,
	`CREATE UNIQUE INDEX IF NOT EXISTS sotto_ledger_key ON sotto_ledger_log (subject, key) WHERE key IS NOT NULL`,
	`CREATE TABLE IF NOT EXISTS sotto_ledger_sums (
		subject bytea NOT NULL, begins bigint NOT NULL,
		granted_epsilon bigint NOT NULL, granted_delta bigint NOT NULL,
		spent_epsilon bigint NOT NULL, spent_delta bigint NOT NULL, PRIMARY KEY (subject, begins))`,
	`INSERT INTO sotto_ledger_head (format, seq, budget, secret) VALUES ('` + postgresFormat + `', 0, 0, 0) ON CONFLICT DO NOTHING`,
}

// prepare makes the tables of a new ledger and refuses those of another version,
// and a server that does not write what it commits.
func (s *postgres) prepare(ctx context.Context, url string, o Options) (*watcher, error) {
	ctx, stop := context.WithTimeout(ctx, s.timeout)
	defer stop()
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	s.writers.kept <- conn
	var fsync, name string
	var there bool
	const look = `SELECT current_setting('fsync'), to_regclass('sotto_ledger_head') IS NOT NULL, ` + ledgerName
	if err = conn.QueryRow(ctx, look).Scan(&fsync, &there, &name); err != nil {
		return nil, unavailable(err)
	}
	if fsync != "on" {
		return nil, fmt.Errorf("%w: the database runs with fsync %s, must be on", ErrUnavailable, fsync)
	}
	w, err := newWatcher(ctx, o, url, name)
	if err != nil {
		return nil, err
	}
	if err = s.make(ctx, conn, there, o, w); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// make makes the tables if they are not there, and reads their format.
func (s *postgres) make(ctx context.Context, conn *pgx.Conn, there bool, o Options, w *watcher) error {
	if err := w.admit(there, o); err != nil {
		return err
	}
	if !there {
		if o.ReadOnly {
			return fmt.Errorf("%w: the database holds no ledger", ErrUnavailable)
		}
		// Each statement must see what others did before it, not before the first.
		mode := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
		if err := pgx.BeginTxFunc(ctx, conn, mode, func(tx pgx.Tx) error { return makeTables(ctx, tx) }); err != nil {
			return unavailable(err)
		}
	}
	var format string
	if err := conn.QueryRow(ctx, `SELECT format FROM sotto_ledger_head`).Scan(&format); err != nil {
		return unavailable(err)
	}
	if format != postgresFormat {
		return damaged("the database holds no ledger of this version")
	}
	return nil
}

// connect opens a connection. Every query of ours has an index to use; a plan
// that was made while the tables were empty, and kept, would read them whole.
// None is worth compiling.
func (s *postgres) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, err
	}
	const plans = `SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off`
	if _, err = conn.PgConn().Exec(ctx, plans).ReadAll(); err != nil {
		drop(conn)
		return nil, err
	}
	return conn, nil
}

func makeTables(ctx context.Context, tx pgx.Tx) error {
	// Two gateways that start together must not both make them; the one that
	// waits here finds them made.
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('sotto_ledger'))`); err != nil {
		return err
	}
	for _, statement := range tables {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (s *postgres) update(ctx context.Context, change func(page) error) error {
	ctx, stop := context.WithTimeout(ctx, s.timeout)
	defer stop()
	return s.transact(ctx, s.writers, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
		p := newPostgresPage(ctx, tx)
		if err := p.lock(s.timeout); err != nil {
			return err
		}
		if err := change(p); err != nil {
			return err
		}
		if err := p.flush(); err != nil {
			return err
		}
		return unavailable(tx.Commit(ctx))
	})
}

// view reads one state of the database. A statement may take as long as ctx
// says, and as it needs if that says nothing; but not be silent for long.
func (s *postgres) view(ctx context.Context, read func(page) error) error {
	return s.transact(ctx, s.readers, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var limit time.Duration
		if end, ok := ctx.Deadline(); ok {
			limit = max(time.Until(end), time.Millisecond)
		}
		if _, err := tx.Exec(ctx, limits(limit)); err != nil {
			return unavailable(err)
		}
		return read(newPostgresPage(ctx, tx))
	})
}

// now returns the time by the database's clock.
func (s *postgres) now(ctx context.Context) (at time.Time, err error) {
	err = s.transact(ctx, s.readers, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return unavailable(tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&at))
	})
	return at, err
}

// limits are the settings of a transaction that bound what the server does for
// it, also where nobody is there any more to wait. Zero bounds nothing. They are
// not those of the session, so that they hold behind a pool of connections too.
func limits(d time.Duration) string {
	return fmt.Sprintf(`SELECT set_config('statement_timeout', '%[1]d', true), set_config('lock_timeout', '%[2]d', true),
		set_config('idle_in_transaction_session_timeout', '%[1]d', true)`, d.Milliseconds(), d.Milliseconds()/2)
}

// transact runs use in a transaction on a connection, when one is free.
func (s *postgres) transact(ctx context.Context, from lines, mode pgx.TxOptions, use func(pgx.Tx) error) error {
	select {
	case from.places <- struct{}{}:
		defer func() { <-from.places }()
	case <-ctx.Done():
		return fmt.Errorf("%w: all %d connections are in use: %w", ErrUnavailable, cap(from.places), ctx.Err())
	}
	tx, err := s.begin(ctx, from, mode)
	if err != nil {
		return unavailable(err)
	}
	defer s.keep(from, tx.Conn())
	defer tx.Rollback(ctx) //nolint:errcheck // after a commit it does nothing, and a failure closes the connection
	return use(tx)
}

// begin begins a transaction on a connection that was kept. One that was lost
// since its last use is made again: nothing has been asked of it yet.
func (s *postgres) begin(ctx context.Context, from lines, mode pgx.TxOptions) (pgx.Tx, error) {
	if s.closed.Load() {
		return nil, errors.New("it is closed")
	}
	for {
		select {
		case conn := <-from.kept:
			if tx, err := conn.BeginTx(ctx, mode); err == nil {
				return tx, nil
			}
			drop(conn)
		default:
			conn, err := s.connect(ctx)
			if err != nil {
				return nil, err
			}
			tx, err := conn.BeginTx(ctx, mode)
			if err != nil {
				drop(conn)
			}
			return tx, err
		}
	}
}

// keep puts a connection aside for the next who asks. There is room for all
// that have a place.
func (s *postgres) keep(from lines, conn *pgx.Conn) {
	if s.closed.Load() || conn.IsClosed() {
		drop(conn)
		return
	}
	from.kept <- conn
}

// drop ends a connection on which everything is committed or given up.
func drop(conn *pgx.Conn) {
	ctx, stop := context.WithTimeout(context.Background(), hangUp)
	defer stop()
	conn.Close(ctx) //nolint:errcheck // it is of no more use
}

func (s *postgres) close() error {
	s.closed.Store(true)
	for {
		select {
		case conn := <-s.writers.kept:
			drop(conn)
		case conn := <-s.readers.kept:
			drop(conn)
		default:
			return nil
		}
	}
}
