package ledger_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// tables1 are the tables as an older version made them.
const tables1 = `
	CREATE TABLE sotto_ledger_head (one boolean PRIMARY KEY DEFAULT true CHECK (one),
		format text NOT NULL, seq bigint NOT NULL, budget bigint NOT NULL, secret bigint NOT NULL);
	CREATE TABLE sotto_ledger_log (seq bigint PRIMARY KEY, subject bytea, key bytea, entry bytea NOT NULL);
	CREATE UNIQUE INDEX sotto_ledger_key ON sotto_ledger_log (subject, key) WHERE key IS NOT NULL;
	CREATE TABLE sotto_ledger_sums (subject bytea NOT NULL, begins bigint NOT NULL,
		granted_epsilon bigint NOT NULL, granted_delta bigint NOT NULL,
		spent_epsilon bigint NOT NULL, spent_delta bigint NOT NULL, PRIMARY KEY (subject, begins));
	INSERT INTO sotto_ledger_head (format, seq, budget, secret) VALUES ('sotto-ledger-1', 0, 0, 0)`

// oldTables fills a schema with what an older version would have written for
// lines that it did write.
func oldTables(t *testing.T, conn *pgx.Conn, lines []byte) {
	t.Helper()
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.PgConn().Exec(t.Context(), tables1).ReadAll(); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.SplitSeq(bytes.TrimSpace(lines), []byte("\n")) {
		e, err := ledger.ParseEntry(line)
		if err != nil {
			t.Fatal(err)
		}
		var subject, key []byte
		switch e.Kind {
		case ledger.KindBudget, ledger.KindSecret:
			exec("UPDATE sotto_ledger_head SET "+string(e.Kind)+" = $1", int64(e.Seq))
		case ledger.KindArchive, ledger.KindPart:
			t.Fatal("the old version wrote no archives and no parts")
		case ledger.KindGrant:
			exec(`INSERT INTO sotto_ledger_sums VALUES ($1, $2, $3, $4, 0, 0) ON CONFLICT (subject, begins) DO UPDATE
				SET granted_epsilon = sotto_ledger_sums.granted_epsilon + $3, granted_delta = sotto_ledger_sums.granted_delta + $4`,
				[]byte(e.Subject), e.Window, e.Epsilon, e.Delta)
		case ledger.KindSpend:
			subject, key = []byte(e.Subject), e.Key[:]
			if e.Epsilon != 0 {
				exec(`INSERT INTO sotto_ledger_sums VALUES ($1, $2, 0, 0, $3, $4) ON CONFLICT (subject, begins) DO UPDATE
					SET spent_epsilon = sotto_ledger_sums.spent_epsilon + $3, spent_delta = sotto_ledger_sums.spent_delta + $4`,
					subject, e.Window, e.Epsilon, e.Delta)
			}
		}
		exec("INSERT INTO sotto_ledger_log VALUES ($1, $2, $3, $4)", int64(e.Seq), subject, key, line)
		exec("UPDATE sotto_ledger_head SET seq = $1", int64(e.Seq))
	}
}

func TestMigratePostgres(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	_, lines := old1(t)
	schema := s.Schema(t)
	conn := s.Connect(t, schema)
	oldTables(t, conn, lines)
	open := postgresOpener(s, schema)
	for _, o := range []ledger.Options{{}, {ReadOnly: true}} {
		if _, err := open(o); !errors.Is(err, ledger.ErrFormat1) {
			t.Errorf("opening the old ledger: %v, want %v", err, ledger.ErrFormat1)
		}
	}
	for _, harm := range []string{
		"DELETE FROM sotto_ledger_log WHERE seq = 7",
		"DELETE FROM sotto_ledger_log WHERE seq = 52",
		"UPDATE sotto_ledger_log SET key = 'x' WHERE seq = 3",
		"UPDATE sotto_ledger_log SET subject = 'x' WHERE seq = 3",
		"UPDATE sotto_ledger_sums SET spent_epsilon = 1",
		"DELETE FROM sotto_ledger_sums",
		"UPDATE sotto_ledger_head SET budget = 2",
	} {
		bad := s.Schema(t)
		c := s.Connect(t, bad)
		oldTables(t, c, lines)
		if _, err := c.Exec(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Migrate(t.Context(), s.URL(bad), old1Secret); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: %v, want %v", harm, err, ledger.ErrDamaged)
		}
		var format string
		if err := c.QueryRow(t.Context(), "SELECT format FROM sotto_ledger_head").Scan(&format); err != nil || format != "sotto-ledger-1" {
			t.Errorf("%s: afterwards the form is %q, %v; want the old one", harm, format, err)
		}
		c.Close(t.Context())
	}
	if _, err := ledger.Migrate(t.Context(), s.URL(schema), ledger.Migration{}); !errors.Is(err, ledger.ErrSecret) {
		t.Errorf("without the secret: %v, want %v", err, ledger.ErrSecret)
	}
	if p, err := ledger.Migrate(t.Context(), s.URL(schema), old1Secret); err != nil || p.Entries != 52 || p.MAC != ledger.MACChecked {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := ledger.Migrate(t.Context(), s.URL(schema), old1Secret); !errors.Is(err, ledger.ErrMigrated) {
		t.Errorf("once more: %v, want %v", err, ledger.ErrMigrated)
	}
	carried(t, open, lines)
	var n int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM sotto_ledger_log_v1").Scan(&n); err != nil || n != 52 {
		t.Errorf("the old table has %d rows, %v; want it kept", n, err)
	}
}
