// Package pgtest starts servers of PostgreSQL for tests, each in a folder of its own and
// reached by a socket there. Where PostgreSQL is not installed, tests are skipped.
//
// The smallest use is
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		pgtest.End()
//		os.Exit(code)
//	}
//
//	s := pgtest.Shared(t)
//	url := s.URL(s.Schema(t))
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a PostgreSQL server. Its one user is sotto, whom it asks for no password.
type Server struct {
	bin, dir string
	schemas  atomic.Int64
}

// shared is the server that all tests of a process share.
var shared struct {
	once sync.Once
	s    *Server
	err  error
	// using is held by each test that has it, for reading unless it has it alone.
	using sync.RWMutex
}

// Shared starts the server that all tests of this process share, unless it runs, or skips
// the test.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	s := start(tb)
	shared.using.RLock()
	tb.Cleanup(shared.using.RUnlock)
	return s
}

// Alone is Shared for a test that stops the server and starts it again, or lets it wait: no
// other test has it until this one has ended.
func Alone(tb testing.TB) *Server {
	tb.Helper()
	s := start(tb)
	for !shared.using.TryLock() { // Lock would keep others waiting until it is this test's turn
		time.Sleep(5 * time.Millisecond)
	}
	tb.Cleanup(func() {
		s.Resume() //nolint:errcheck // it may not have been frozen
		shared.using.Unlock()
	})
	return s
}

// start starts the server that is shared.
func start(tb testing.TB) *Server {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starting PostgreSQL takes seconds")
	}
	shared.once.Do(func() {
		s, err := empty()
		if err == nil {
			err = errors.Join(s.Init(), s.Start())
		}
		shared.s, shared.err = s, err
	})
	refuse(tb, shared.err)
	return shared.s
}

// End stops the server that tests have shared, if there is one, and removes its folder.
func End() {
	if s := shared.s; s != nil {
		s.Resume() //nolint:errcheck // it may have ended
		s.remove()
	}
}

// New returns a server of the test's own, with a folder that is empty: it must be filled,
// by Init or as a copy of another, and started. It is stopped when the test ends.
func New(tb testing.TB) *Server {
	tb.Helper()
	s, err := empty()
	refuse(tb, err)
	tb.Cleanup(s.remove)
	return s
}

// errMissing says that there is nothing to start.
var errMissing = errors.New("PostgreSQL is not installed under /usr/lib/postgresql")

// refuse ends a test that has no server: it fails if there could be one.
func refuse(tb testing.TB, err error) {
	tb.Helper()
	if errors.Is(err, errMissing) {
		tb.Skip(err)
	} else if err != nil {
		tb.Fatal(err)
	}
}

// empty makes the folder of a server.
func empty() (*Server, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return nil, errMissing
	}
	dir, err := os.MkdirTemp("", "sotto-pg-") // short enough for the name of a socket
	if err != nil {
		return nil, err
	}
	s := &Server{bin: filepath.Dir(found[len(found)-1]), dir: dir}
	if err = s.own(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// own gives the folder to the user postgres if this is root, as whom the server
// does not run.
func (s *Server) own() error {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	return os.Chown(s.dir, uid, -1)
}

// Command runs a program of PostgreSQL as the user that the server runs as.
func (s *Server) Command(name string, args ...string) error {
	args = append([]string{filepath.Join(s.bin, name)}, args...)
	if os.Getuid() == 0 {
		args = append([]string{"runuser", "-u", "postgres", "--"}, args...)
	}
	c := exec.Command(args[0], args[1:]...)
	c.Dir = s.dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// Init makes an empty database. Its encoding is the least that there is, and nothing of
// ours may depend on it.
func (s *Server) Init() error {
	return s.Command("initdb", "-D", s.Data(), "-U", "sotto", "-A", "trust", "-E", "SQL_ASCII", "--no-instructions", "--no-sync")
}

// Start starts the server with commits that are not synchronous and transactions that
// are serialisable: whoever needs it otherwise must say so, and not leave it to the server.
func (s *Server) Start() error {
	return s.Command("pg_ctl", "-D", s.Data(), "-w", "-t", "300", "-l", s.dir+"/log", "-o",
		"-c listen_addresses='' -c synchronous_commit=off -c default_transaction_isolation=serializable -k "+s.dir, "start")
}

// Stop stops the server as a crash does.
func (s *Server) Stop() error {
	return s.Command("pg_ctl", "-D", s.Data(), "-w", "-m", "immediate", "stop")
}

// remove stops the server for good. That a test has stopped it, or that a file stays in a
// folder of temporary ones, is nobody's concern.
func (s *Server) remove() {
	s.Stop()            //nolint:errcheck // see above
	os.RemoveAll(s.dir) //nolint:errcheck // see above
}

// Host is the folder of the server's socket, by which an address names it.
func (s *Server) Host() string { return s.dir }

// Data is the folder of the database.
func (s *Server) Data() string { return s.dir + "/data" }

// URL is the address of a schema.
func (s *Server) URL(schema string) string {
	return "postgres:///postgres?user=sotto&host=" + s.dir + "&search_path=" + schema
}

// Schema makes an empty schema and returns its name.
func (s *Server) Schema(tb testing.TB) string {
	tb.Helper()
	name := fmt.Sprint("test", s.schemas.Add(1))
	if err := s.Exec("public", "CREATE SCHEMA "+name); err != nil {
		tb.Fatal(err)
	}
	return name
}

// Connect opens a connection in a schema, for as long as the test runs.
func (s *Server) Connect(tb testing.TB, schema string) *pgx.Conn {
	tb.Helper()
	c, err := pgx.Connect(context.Background(), s.URL(schema))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close(context.Background()) }) //nolint:errcheck // the server may have ended
	return c
}

// Exec runs statements in a schema, together.
func (s *Server) Exec(schema, statements string) error {
	c, err := pgx.Connect(context.Background(), s.URL(schema))
	if err != nil {
		return err
	}
	_, err = c.PgConn().Exec(context.Background(), statements).ReadAll()
	return errors.Join(err, c.Close(context.Background()))
}
