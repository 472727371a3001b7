package ledger

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
)

// A ledger in parts has a directory where an undivided one has its tables: how many
// parts there are, and in which schema of which database each of them is. A version
// that knows no parts finds another form there than its own, and refuses it.

const partsFormat = "sotto-ledger-parts-1"

var directory = []string{
	`CREATE TABLE sotto_ledger_head (one boolean PRIMARY KEY DEFAULT true CHECK (one), format text NOT NULL, parts integer NOT NULL)`,
	`CREATE TABLE sotto_ledger_parts (part integer PRIMARY KEY, schema text NOT NULL, address text NOT NULL DEFAULT '')`,
}

// databasePlaces returns the addresses of the parts of a ledger in a database, in their
// order; that of the database itself if there are none. An address of the directory
// says where a part is that was moved to another server; the schema comes on top.
func databasePlaces(ctx context.Context, address string, timeout time.Duration) ([]string, error) {
	s, err := newStore(address, databaseSettings{Timeout: timeout})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	defer drop(conn)
	var there bool
	if err = conn.QueryRow(ctx, `SELECT to_regclass('sotto_ledger_parts') IS NOT NULL`).Scan(&there); err != nil {
		return nil, unavailable(err)
	}
	if !there {
		return []string{address}, nil
	}
	var places []string
	var parts int
	if err = conn.QueryRow(ctx, `SELECT parts FROM sotto_ledger_head WHERE format = $1`, partsFormat).Scan(&parts); errors.Is(err, pgx.ErrNoRows) {
		return nil, damaged("the directory of the ledger's parts is of another version")
	} else if err != nil {
		return nil, unavailable(err)
	}
	rows, err := conn.Query(ctx, `SELECT part, schema, address FROM sotto_ledger_parts ORDER BY part`)
	if err != nil {
		return nil, unavailable(err)
	}
	defer rows.Close()
	for rows.Next() {
		var part int
		var schema, elsewhere string
		if err = rows.Scan(&part, &schema, &elsewhere); err != nil {
			return nil, unavailable(err)
		}
		if part != len(places) {
			return nil, damaged("part %d of the ledger is not in its directory", len(places))
		}
		if elsewhere == "" {
			elsewhere = address
		}
		place, failed := inSchema(elsewhere, schema)
		if failed != nil {
			return nil, failed
		}
		places = append(places, place)
	}
	if err = rows.Err(); err != nil {
		return nil, unavailable(err)
	}
	if len(places) != parts || parts < 1 {
		return nil, damaged("the ledger has %d parts, and %d are in its directory", parts, len(places))
	}
	return places, nil
}

// inSchema returns the address of a schema of a database.
func inSchema(address, schema string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("ledger: the address of a part cannot be read, must be like postgres://user@host/database")
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// beginDatabase makes the directory and the empty schemas of a ledger in parts.
func beginDatabase(ctx context.Context, address string, parts int, timeout time.Duration) error {
	s, err := newStore(address, databaseSettings{Timeout: timeout})
	if err != nil {
		return err
	}
	return s.once(ctx, func(tx pgx.Tx) error {
		if err := lockTables(ctx, tx); err != nil {
			return err
		}
		var there bool
		if err := tx.QueryRow(ctx, `SELECT to_regclass('sotto_ledger_head') IS NOT NULL`).Scan(&there); err != nil {
			return err
		}
		if there {
			return errors.New("ledger: there is a ledger already")
		}
		schemas, err := schemasOf(ctx, tx, parts)
		if err != nil {
			return err
		}
		return enter(ctx, tx, schemas)
	})
}

// once runs use in a transaction on a connection of its own, and commits it.
func (s *databaseStore) once(ctx context.Context, use func(pgx.Tx) error) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer drop(conn)
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return unavailable(err)
	}
	defer tx.Rollback(ctx) //nolint:errcheck // after a commit it does nothing
	if err = use(tx); err != nil {
		return medium(err)
	}
	return s.settle(func() error { return tx.Commit(ctx) })
}

// schemasOf makes a schema for each part, named after the one that is divided.
func schemasOf(ctx context.Context, tx pgx.Tx, parts int) ([]string, error) {
	var base string
	if err := tx.QueryRow(ctx, `SELECT current_schema()`).Scan(&base); err != nil {
		return nil, err
	}
	var schemas []string
	for i := range parts {
		name := fmt.Sprintf("%s_part%d_of_%d", base, i, parts)
		if _, err := tx.Exec(ctx, `CREATE SCHEMA `+pgx.Identifier{name}.Sanitize()); err != nil {
			return nil, err
		}
		schemas = append(schemas, name)
	}
	return schemas, nil
}

// enter writes the directory.
func enter(ctx context.Context, tx pgx.Tx, schemas []string) error {
	for _, statement := range directory {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `INSERT INTO sotto_ledger_head (format, parts) VALUES ($1, $2)`, partsFormat, len(schemas)); err != nil {
		return err
	}
	for i, schema := range schemas {
		if _, err := tx.Exec(ctx, `INSERT INTO sotto_ledger_parts (part, schema) VALUES ($1, $2)`, i, schema); err != nil {
			return err
		}
	}
	return nil
}
