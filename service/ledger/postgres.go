package ledger

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// This part of the package keeps ledgers in PostgreSQL, where any number of gateways may
// write the same one.

const (
	postgresFormat  = "sotto-ledger-2"
	postgresReaders = 8               // connections for reading at most
	hangUp          = time.Second     // that ending a connection may take
	keepAlive       = 5 * time.Second // after which a silent connection is probed
)

// databaseSettings say what is asked of a database.
type databaseSettings struct {
	Timeout  time.Duration // of a connection, and of a write from its begin to its commit
	Standbys int           // that a commit must wait for; 0 for as many as the server says
}

// databaseStore is a ledger in a database. Those who write wait for each other at the
// one row of sotto_ledger_head.
type databaseStore struct {
	databaseSettings
	config   *pgx.ConnConfig
	warnings atomic.Int64 // that the server gave
	writers  lines        // the one of the ledger's writer
	readers  lines
	closed   atomic.Bool
	name     string // of the ledger among those of the server
	there    bool

	mu     sync.Mutex // guards memory
	memory memory
}

// lines are connections, as many as there are places.
type lines struct {
	places chan struct{}  // holds one for each connection that is in use
	kept   chan *pgx.Conn // those that are not
}

func newLines(most int) lines {
	return lines{make(chan struct{}, most), make(chan *pgx.Conn, most)}
}

// connectDatabase opens a connection to a PostgreSQL database, named by a URL like
// postgres://user@host/database. It refuses a server that runs with fsync off.
// Every wait ends after the time-out.
func connectDatabase(ctx context.Context, url string, settings databaseSettings) (*databaseStore, error) {
	s, err := newStore(url, settings)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, s.Timeout)
	defer stop()
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	s.writers.kept <- conn
	var fsync string
	const look = `SELECT current_setting('fsync'), ` + ledgerName
	if err = conn.QueryRow(ctx, look).Scan(&fsync, &s.name); err == nil && fsync != "on" {
		err = fmt.Errorf("the database runs with fsync %s, must be on", fsync)
	}
	if err != nil {
		return nil, errors.Join(unavailable(err), s.Close())
	}
	return s, nil
}

// ledgerName tells ledgers of a database apart.
const ledgerName = `current_database() || '.' || coalesce(current_schema(), '')`

// Name tells ledgers of a server apart.
func (s *databaseStore) Name() string { return s.name }

// Look sees whether the database has a ledger. Whoever compares that with a head
// must have read the head before: another gateway may be making both, first the
// ledger and then its head.
func (s *databaseStore) Look(ctx context.Context) (there bool, err error) {
	ctx, stop := context.WithTimeout(ctx, s.Timeout)
	defer stop()
	err = s.transact(ctx, s.writers, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return unavailable(tx.QueryRow(ctx, `SELECT to_regclass('sotto_ledger_head') IS NOT NULL`).Scan(&s.there))
	})
	return s.there, err
}

// newStore returns a store that has no connection yet.
func newStore(url string, settings databaseSettings) (*databaseStore, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("ledger: the address of the database cannot be read, must be like postgres://user@host/database")
	}
	s := &databaseStore{databaseSettings: settings, config: config, writers: newLines(1), readers: newLines(postgresReaders)}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = s.Timeout
	}
	s.listen(config)
	// A host that is gone is noticed by probes, one that is there and does not
	// answer by the silence.
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAlive, Interval: keepAlive, Count: 3}}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, failed := dialer.DialContext(ctx, network, address)
		if failed != nil {
			return nil, failed
		}
		return Impatient(conn, 6*s.Timeout), nil
	}
	return s, nil
}

// tables are made in one transaction, so that all of them are there or none.
// Nothing in them is text, so that no encoding of a database changes an entry.
var tables = []string{
	`CREATE TABLE IF NOT EXISTS sotto_ledger_head (
		one boolean PRIMARY KEY DEFAULT true CHECK (one), format text NOT NULL,
		seq bigint NOT NULL, spends bigint NOT NULL, at bigint NOT NULL, hash bytea NOT NULL, mac bytea NOT NULL,
		budget bigint NOT NULL, secret bigint NOT NULL, means bigint NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS sotto_ledger_means (id bigint PRIMARY KEY, content bytea NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS sotto_ledger_log (seq bigint PRIMARY KEY, name bytea, hash bytea, entry bytea NOT NULL)`,
	`CREATE UNIQUE INDEX IF NOT EXISTS sotto_ledger_name ON sotto_ledger_log (name) WHERE name IS NOT NULL`,
	`CREATE TABLE IF NOT EXISTS sotto_ledger_sums (
		subject bytea NOT NULL, begins bigint NOT NULL,
		granted_epsilon bigint NOT NULL, granted_delta bigint NOT NULL,
		spent_epsilon bigint NOT NULL, spent_delta bigint NOT NULL, PRIMARY KEY (subject, begins))`,
	`INSERT INTO sotto_ledger_head (format, seq, spends, at, hash, mac, budget, secret, means)
		VALUES ('` + postgresFormat + `', 0, 0, 0, decode(repeat('00', 32), 'hex'), decode(repeat('00', 16), 'hex'), 0, 0, 0) ON CONFLICT DO NOTHING`,
}

// Prepare makes the tables of a new ledger, in the first schema of the search
// path, and refuses those of another version.
func (s *databaseStore) Prepare(ctx context.Context, readOnly bool) error {
	ctx, stop := context.WithTimeout(ctx, s.Timeout)
	defer stop()
	if !s.there && readOnly {
		return fmt.Errorf("%w: the database holds no ledger", ErrUnavailable)
	}
	// Each statement must see what others did before it, not before the first.
	mode := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
	return s.transact(ctx, s.writers, mode, func(tx pgx.Tx) error {
		if !s.there {
			if err := makeTables(ctx, tx); err != nil {
				return unavailable(err)
			}
		}
		var format string
		err := tx.QueryRow(ctx, `SELECT format FROM sotto_ledger_head`).Scan(&format)
		if errors.Is(err, pgx.ErrNoRows) {
			return damaged("the head of the log is missing")
		} else if err != nil {
			return unavailable(err)
		}
		if err = formatError(format); err != nil {
			return err
		}
		return unavailable(tx.Commit(ctx))
	})
}

// connect opens a connection. Every query of ours has an index to use; a plan
// that was made while the tables were empty, and kept, would read them whole.
// None is worth compiling.
func (s *databaseStore) connect(ctx context.Context) (*pgx.Conn, error) {
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

// lockTables lets one make tables at a time: two gateways that start together must
// not both make them, and the one that waits here finds them made.
func lockTables(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('sotto_ledger'))`)
	return err
}

func makeTables(ctx context.Context, tx pgx.Tx) error {
	if err := lockTables(ctx, tx); err != nil {
		return err
	}
	for _, statement := range tables {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// Update implements [Store].
func (s *databaseStore) Update(ctx context.Context, change func(Page) error) error {
	ctx, stop := context.WithTimeout(ctx, s.Timeout)
	defer stop()
	return s.transact(ctx, s.writers, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}, func(tx pgx.Tx) error {
		p := postgresNewPage(ctx, s, tx)
		if err := p.lock(s.Timeout); err != nil {
			return err
		}
		if err := change(p); err != nil {
			return err
		}
		if err := p.flush(); err != nil {
			return err
		}
		if err := s.settle(func() error { return tx.Commit(ctx) }); err != nil {
			return err
		}
		s.keepInMind(p, KindBudget, KindSecret)
		return nil
	})
}

// View reads one state of the database. A statement may take as long as ctx
// says, and as it needs if that says nothing; but not be silent for long.
func (s *databaseStore) View(ctx context.Context, read func(Page) error) error {
	return s.transact(ctx, s.readers, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var limit time.Duration
		if end, ok := ctx.Deadline(); ok {
			limit = max(time.Until(end), time.Millisecond)
		}
		if _, err := tx.Exec(ctx, limits(limit)); err != nil {
			return unavailable(err)
		}
		return read(postgresNewPage(ctx, s, tx))
	})
}

// Now returns the time by the database's clock.
func (s *databaseStore) Now(ctx context.Context) (at time.Time, err error) {
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
func (s *databaseStore) transact(ctx context.Context, from lines, mode pgx.TxOptions, use func(pgx.Tx) error) error {
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
func (s *databaseStore) begin(ctx context.Context, from lines, mode pgx.TxOptions) (pgx.Tx, error) {
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
func (s *databaseStore) keep(from lines, conn *pgx.Conn) {
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

// Close implements [Store].
func (s *databaseStore) Close() error {
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
