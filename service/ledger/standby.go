package ledger

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A commit that waits for a standby can be told to wait no longer, by a time-out
// or by an administrator. The server then warns, and calls the commit done: it is
// on its own disk, and a fail-over would forget it. Nothing else warns at the end
// of a transaction of ours, so that every warning counts as such.

// listen counts the warnings that the server gives.
func (s *databaseStore) listen(config *pgx.ConnConfig) {
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.SeverityUnlocalized == "WARNING" {
			s.warnings.Add(1)
		}
	}
}

// settle runs a commit, and does not call it done if the server has warned.
func (s *databaseStore) settle(commit func() error) error {
	before := s.warnings.Load()
	if err := commit(); err != nil {
		return unavailable(err)
	}
	if s.warnings.Load() != before {
		return fmt.Errorf("%w: it is written, and no standby has said so: the database gave up waiting for one", ErrUnavailable)
	}
	return nil
}

const selectStandbys = `SELECT current_setting('synchronous_standby_names')`

// standbys refuses a server whose commits wait for fewer standbys than they must.
func (s *databaseStore) standbys(r pgx.Row) error {
	var setting string
	if err := r.Scan(&setting); err != nil {
		return unavailable(err)
	}
	if n := waitsFor(setting); n < s.Standbys {
		return fmt.Errorf("%w: its commits wait for %d standbys, must wait for %d: set synchronous_standby_names on the server, and see that it is there on a standby that was promoted", ErrUnavailable, n, s.Standbys)
	}
	return nil
}

var counted = regexp.MustCompile(`^(?i:FIRST|ANY)?\s*(\d+)\s*\(`)

// waitsFor returns how many standbys a commit waits for under a value of
// synchronous_standby_names.
func waitsFor(setting string) int {
	setting = strings.TrimSpace(setting)
	if setting == "" {
		return 0
	}
	if found := counted.FindStringSubmatch(setting); found != nil {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			return 0
		}
		return n
	}
	return 1 // a list of names, of which the first that is there counts
}
