package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	postgresFormat  = "sotto-ledger-1"
	postgresTimeout = 10 * time.Second // of a connection, and of a write from its begin to its commit
	postgresReaders = 4                // connections that are kept open for reading
)

// postgres is a store in a database. Those who write wait for each other at the
// one row of sotto_ledger_head.
type postgres struct {
	config  *pgx.ConnConfig
	writers chan *pgx.Conn // the one of the ledger's writer, while it is not used
	readers chan *pgx.Conn
	closed  atomic.Bool
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
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = postgresTimeout
	}
	s := &postgres{config: config, writers: make(chan *pgx.Conn, 1), readers: make(chan *pgx.Conn, postgresReaders)}
	if err = s.prepare(ctx, o.ReadOnly); err == nil {
		var l *Ledger
		if l, err = open(s, o); err == nil {
			return l, nil
		}
	}
	return nil, errors.Join(err, s.close())
}

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
func (s *postgres) prepare(ctx context.Context, readOnly bool) error {
	ctx, stop := context.WithTimeout(ctx, postgresTimeout)
	defer stop()
	conn, err := s.connect(ctx)
	if err != nil {
		return unavailable(err)
	}
	s.writers <- conn
	var fsync string
	var there bool
	const look = `SELECT current_setting('fsync'), to_regclass('sotto_ledger_head') IS NOT NULL`
	if err = conn.QueryRow(ctx, look).Scan(&fsync, &there); err != nil {
		return unavailable(err)
	}
	if fsync != "on" {
		return fmt.Errorf("%w: the database runs with fsync %s, must be on", ErrUnavailable, fsync)
	}
	if !there {
		if readOnly {
			return fmt.Errorf("%w: the database holds no ledger", ErrUnavailable)
		}
		// Each statement must see what others did before it, not before the first.
		mode := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
		if err = pgx.BeginTxFunc(ctx, conn, mode, func(tx pgx.Tx) error { return makeTables(ctx, tx) }); err != nil {
			return unavailable(err)
		}
	}
	var format string
	if err = conn.QueryRow(ctx, `SELECT format FROM sotto_ledger_head`).Scan(&format); err != nil {
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
		conn.Close(ctx) //nolint:errcheck // it is of no more use
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
	ctx, stop := context.WithTimeout(ctx, postgresTimeout)
	defer stop()
	tx, err := s.begin(ctx, s.writers, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
	if err != nil {
		return unavailable(err)
	}
	defer s.keep(s.writers, tx.Conn())
	defer tx.Rollback(ctx) //nolint:errcheck // after a commit it does nothing, and a failure closes the connection
	p := newPostgresPage(ctx, tx)
	if err = p.lock(); err != nil {
		return err
	}
	if err = change(p); err != nil {
		return err
	}
	if err = p.flush(); err != nil {
		return err
	}
	return unavailable(tx.Commit(ctx))
}

func (s *postgres) view(ctx context.Context, read func(page) error) error {
	// One state of the database is seen.
	tx, err := s.begin(ctx, s.readers, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return unavailable(err)
	}
	defer s.keep(s.readers, tx.Conn())
	defer tx.Rollback(ctx) //nolint:errcheck // a failure closes the connection
	return read(newPostgresPage(ctx, tx))
}

// begin begins a transaction on a connection that was kept. One that was lost
// since its last use is made again: nothing has been asked of it yet.
func (s *postgres) begin(ctx context.Context, kept chan *pgx.Conn, mode pgx.TxOptions) (pgx.Tx, error) {
	if s.closed.Load() {
		return nil, errors.New("it is closed")
	}
	for {
		select {
		case conn := <-kept:
			if tx, err := conn.BeginTx(ctx, mode); err == nil {
				return tx, nil
			}
			conn.Close(ctx) //nolint:errcheck // it is of no more use
		default:
			conn, err := s.connect(ctx)
			if err != nil {
				return nil, err
			}
			tx, err := conn.BeginTx(ctx, mode)
			if err != nil {
				conn.Close(ctx) //nolint:errcheck // it is of no more use
			}
			return tx, err
		}
	}
}

// keep puts a connection aside for the next who asks.
func (s *postgres) keep(kept chan *pgx.Conn, conn *pgx.Conn) {
	if !s.closed.Load() && !conn.IsClosed() {
		select {
		case kept <- conn:
			return
		default: // enough are kept
		}
	}
	conn.Close(context.Background()) //nolint:errcheck // everything is committed
}

func (s *postgres) close() error {
	s.closed.Store(true)
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	for {
		select {
		case conn := <-s.writers:
			conn.Close(ctx) //nolint:errcheck // everything is committed
		case conn := <-s.readers:
			conn.Close(ctx) //nolint:errcheck // it was only read
		default:
			return nil
		}
	}
}
