package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	connectTimeout = 5 * time.Second
	schema         = "sotto_witness" // of its own, so that it is not restored with the ledger's
)

// postgres is a place in a database, one row for each ledger.
type postgres struct {
	config *pgx.ConnConfig
	ledger string

	mu   sync.Mutex // guards conn
	conn *pgx.Conn  // nil until it is needed
}

func newPostgres(url, ledger string) (*postgres, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("witness: the address of the database cannot be read, must be like postgres://user@host/database")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	return &postgres{config: config, ledger: ledger}, nil
}

// String implements [Place].
func (p *postgres) String() string {
	return fmt.Sprintf("%s.heads of database %s on %s", schema, p.config.Database, p.config.Host)
}

// there reports whether the table is.
func there(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var is bool
	err := conn.QueryRow(ctx, `SELECT to_regclass('`+schema+`.heads') IS NOT NULL`).Scan(&is)
	return is, err
}

// table makes the table on first use.
func table(ctx context.Context, conn *pgx.Conn) error {
	if is, err := there(ctx, conn); err != nil || is {
		return err
	}
	// Each statement must see what others did before it, not before the first.
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		for _, statement := range []string{
			`SELECT pg_advisory_xact_lock(hashtext('` + schema + `'))`,
			`CREATE SCHEMA IF NOT EXISTS ` + schema,
			`CREATE TABLE IF NOT EXISTS ` + schema + `.heads (ledger bytea PRIMARY KEY, seq bigint NOT NULL DEFAULT 0, head bytea, clock bytea)`,
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("the schema %s cannot be made; keep the head elsewhere, or let this role make it: %w", schema, err)
			}
		}
		return nil
	})
}

// with uses the connection, which is made anew if it was lost.
func (p *postgres) with(ctx context.Context, use func(context.Context, *pgx.Conn) error) error {
	ctx, stop := context.WithTimeout(ctx, 2*connectTimeout)
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	err := errors.New("not connected")
	if p.conn != nil && !p.conn.IsClosed() {
		if err = use(ctx, p.conn); err != nil && !p.conn.IsClosed() {
			return fmt.Errorf("witness: %w", err)
		}
	}
	if err != nil { // a connection that was lost is tried again, once
		if p.conn, err = pgx.ConnectConfig(ctx, p.config); err == nil {
			err = use(ctx, p.conn)
		}
	}
	if err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	return nil
}

// read reads a column of the row, nil if there is none.
func (p *postgres) read(ctx context.Context, column string) (content []byte, err error) {
	err = p.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		is, failed := there(ctx, conn)
		if failed != nil || !is {
			return failed
		}
		failed = conn.QueryRow(ctx, `SELECT `+column+` FROM `+schema+`.heads WHERE ledger = $1`, []byte(p.ledger)).Scan(&content)
		if errors.Is(failed, pgx.ErrNoRows) {
			return nil
		}
		return failed
	})
	return content, err
}

// Head implements [Place].
func (p *postgres) Head(ctx context.Context) (*NotedHead, error) {
	content, err := p.read(ctx, "head")
	if err != nil || content == nil {
		return nil, err
	}
	return parseHead(content)
}

// SetHead implements [Place]. Of several gateways the one that is behind leaves
// the head of the others alone, unless somebody has accepted a ledger that went
// back.
func (p *postgres) SetHead(ctx context.Context, h NotedHead) error {
	return p.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if err := table(ctx, conn); err != nil {
			return err
		}
		statement, args := p.Statement(h)
		return write(ctx, conn, statement, args...)
	})
}

// write runs a statement in a transaction that is on disk when it returns, and that waits
// for those of others and then goes by what they wrote, whatever the database's defaults
// are: under a stricter one a gateway would be refused because another one was quicker,
// and under a looser one a head would be forgotten of which everything was answered.
func write(ctx context.Context, conn *pgx.Conn, statement string, args ...any) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		var fsync string
		var b pgx.Batch
		b.Queue(`SELECT current_setting('fsync'), set_config('synchronous_commit',
			CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)`).QueryRow(func(r pgx.Row) error {
			return r.Scan(&fsync, nil)
		})
		b.Queue(statement, args...)
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		if fsync != "on" {
			return fmt.Errorf("its database runs with fsync %s, must be on", fsync)
		}
		return nil
	})
}

// Statement notes a head in a transaction of somebody else, who has found the table
// there.
func (p *postgres) Statement(h NotedHead) (statement string, args []any) {
	return `INSERT INTO ` + schema + `.heads AS h (ledger, seq, head) VALUES ($1, $2, $3)
			ON CONFLICT (ledger) DO UPDATE SET seq = excluded.seq, head = excluded.head WHERE h.seq <= excluded.seq OR $4`,
		[]any{[]byte(p.ledger), int64(h.Seq), h.line(format), h.Accepted != nil && h.Accepted.When.Equal(h.Seen)}
}

// Clock implements [Place].
func (p *postgres) Clock(ctx context.Context) (*NotedClock, error) {
	content, err := p.read(ctx, "clock")
	if err != nil || content == nil {
		return nil, err
	}
	return parseClock(content)
}

// SetClock implements [Place].
func (p *postgres) SetClock(ctx context.Context, c NotedClock) error {
	return p.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if err := table(ctx, conn); err != nil {
			return err
		}
		return write(ctx, conn, `INSERT INTO `+schema+`.heads (ledger, clock) VALUES ($1, $2)
			ON CONFLICT (ledger) DO UPDATE SET clock = excluded.clock`, []byte(p.ledger), c.line())
	})
}

// Close implements [Place].
func (p *postgres) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	p.conn.Close(ctx) //nolint:errcheck // everything is committed
	p.conn = nil
	return nil
}
