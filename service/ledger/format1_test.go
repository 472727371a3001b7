package ledger_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// A file that begins as ledgers did before version 0.1.0 is refused by name, and stays
// what it is.
func TestFormat1(t *testing.T) {
	old := make([]byte, 1<<14)
	binary.LittleEndian.PutUint32(old[16:], 0xED0CDAED)
	path := filepath.Join(t.TempDir(), "ledger.db")
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []ledger.Options{{}, {ReadOnly: true}} {
		if _, err := ledger.OpenFile(path, o); !errors.Is(err, ledger.ErrFormat1) || !strings.Contains(err.Error(), "before version 0.1.0") {
			t.Errorf("%+v: %v, want %v", o, err, ledger.ErrFormat1)
		}
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(old) {
		t.Errorf("the old file has changed, %v", err)
	}
	old[16]++
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.OpenFile(path, ledger.Options{}); !errors.Is(err, ledger.ErrDamaged) || errors.Is(err, ledger.ErrFormat1) {
		t.Errorf("another file: %v, want %v", err, ledger.ErrDamaged)
	}
}

func TestFormat1Postgres(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	schema := s.Schema(t)
	conn := s.Connect(t, schema)
	if _, err := conn.PgConn().Exec(t.Context(), `
		CREATE TABLE sotto_ledger_head (one boolean PRIMARY KEY DEFAULT true CHECK (one),
			format text NOT NULL, seq bigint NOT NULL, budget bigint NOT NULL, secret bigint NOT NULL);
		INSERT INTO sotto_ledger_head (format, seq, budget, secret) VALUES ('sotto-ledger-1', 0, 0, 0)`).ReadAll(); err != nil {
		t.Fatal(err)
	}
	open := postgresOpener(s, schema)
	for _, o := range []ledger.Options{{}, {ReadOnly: true}} {
		if _, err := open(o); !errors.Is(err, ledger.ErrFormat1) {
			t.Errorf("%+v: %v, want %v", o, err, ledger.ErrFormat1)
		}
	}
}
