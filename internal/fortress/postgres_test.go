//go:build linux

package fortress_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var databases = []attack{
	{"PostgreSQL frozen (SIGSTOP)", "503 within 25 s, not ready, health answers, goes on when it thaws, every release paid", frozen},
	{"PostgreSQL frozen while SIGTERM comes", "the gateway ends within 30 s", frozenEnd},
	{"PostgreSQL restarted under load", "every release is paid, and the ledger verifies", restarted},
	{"PostgreSQL: the ledger's tables emptied", "the start is refused", emptiedTables},
	{"PostgreSQL: the tables put back by its operator", "the start is refused", func(s *scene) { putBack(s, false) }},
	{"PostgreSQL: the tables put back while they are used", "releases end and readiness is false within 10 s", func(s *scene) { putBack(s, true) }},
	{"PostgreSQL: the tables dropped while they are used", "releases end and readiness is false within 10 s", droppedTables},
}

// postgres is a PostgreSQL server in a folder of its own, reached by a socket.
type postgres struct {
	once     sync.Once
	bin, dir string
	err      error
	mu       sync.Mutex // held by who stops or freezes it
	n        int
}

var database postgres

func (p *postgres) begin() {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		p.err = errors.New("PostgreSQL is not installed under /usr/lib/postgresql")
		return
	}
	p.bin = filepath.Dir(found[len(found)-1])
	if p.dir, p.err = os.MkdirTemp("", "sotto-fortress-pg-"); p.err != nil {
		return
	}
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", "postgres", p.dir).CombinedOutput(); err != nil {
			p.err = fmt.Errorf("the server does not run as root: %w: %s", err, out)
			return
		}
	}
	if p.err = p.command("initdb", "-D", p.dir+"/data", "-U", "sotto", "-A", "trust", "-E", "SQL_ASCII", "--no-instructions"); p.err == nil {
		p.err = p.pgctl("start")
	}
}

func (p *postgres) command(name string, args ...string) error {
	args = append([]string{filepath.Join(p.bin, name)}, args...)
	if os.Getuid() == 0 {
		args = append([]string{"runuser", "-u", "postgres", "--"}, args...)
	}
	c := exec.Command(args[0], args[1:]...)
	c.Dir = p.dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

func (p *postgres) pgctl(verb string, more ...string) error {
	return p.command("pg_ctl", append([]string{"-D", p.dir + "/data", "-w", "-l", p.dir + "/log", "-o", "-c listen_addresses='' -k " + p.dir, verb}, more...)...)
}

// sql runs statements in a schema.
func (p *postgres) sql(schema, text string) error {
	return p.command("psql", "-h", p.dir, "-U", "sotto", "-v", "ON_ERROR_STOP=1", "-q", "-c", "SET search_path TO "+schema+"; "+text, "postgres")
}

// signal sends a signal to the server and all its workers.
func (p *postgres) signal(sig syscall.Signal) error {
	content, err := os.ReadFile(p.dir + "/data/postmaster.pid")
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	leader, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", leader, leader))
	if err != nil {
		return err
	}
	for _, field := range append(strings.Fields(string(children)), first) {
		if pid, err := strconv.Atoi(field); err == nil {
			syscall.Kill(pid, sig) //nolint:errcheck // a worker may have ended
		}
	}
	return nil
}

func (p *postgres) end() {
	if p.dir == "" {
		return
	}
	p.signal(syscall.SIGCONT)          //nolint:errcheck // it may have ended
	p.pgctl("stop", "-m", "immediate") //nolint:errcheck // likewise
	os.RemoveAll(p.dir)
}

// ledger makes an empty schema for a ledger, of which the scene has the server
// for itself.
func (s *scene) database() (schema, url string) {
	s.Helper()
	database.once.Do(database.begin)
	if database.bin == "" {
		s.Skip(database.err)
	} else if database.err != nil {
		s.Fatal(database.err)
	}
	database.mu.Lock()
	s.Cleanup(func() {
		database.signal(syscall.SIGCONT) //nolint:errcheck // it was not stopped
		database.mu.Unlock()
	})
	database.n++
	schema = fmt.Sprint("attack", database.n)
	if err := database.sql("public", "CREATE SCHEMA "+schema); err != nil {
		s.Fatal(err)
	}
	return schema, "postgres:///postgres?user=sotto&host=" + database.dir + "&search_path=" + schema
}

// onDatabase starts a gateway on a schema of its own.
func (s *scene) onDatabase() (g *process, at place, schema string) {
	s.Helper()
	at = s.place()
	schema, at.ledger = s.database()
	return s.run(at.args("--budget", "1e6", "--rate", "0")...), at, schema
}

func frozen(s *scene) {
	s.patient()
	g, at, _ := s.onDatabase()
	s.spends(g.base, 3)
	if err := database.signal(syscall.SIGSTOP); err != nil {
		s.Fatal(err)
	}
	c := from("127.0.0.1", g.base)
	var group sync.WaitGroup
	got := make([]answer, 20)
	for i := range got {
		group.Go(func() { got[i] = c.embed(fmt.Sprint("user", i), "while it is frozen") })
	}
	group.Wait()
	count, worst := tally{}, time.Duration(0)
	for _, a := range got {
		count.add(a)
		worst = max(worst, a.took)
	}
	s.judge(count["503"] == len(got) && worst < answered, "%v, the last after %.1f s", count, worst.Seconds())
	looker := from("127.0.0.2", g.base)
	looker.Timeout = answered
	health := looker.do("GET", "/healthz", "")
	s.judge(health.status == http.StatusOK, "health: %v", health)
	s.unready(g)
	if err := database.signal(syscall.SIGCONT); err != nil {
		s.Fatal(err)
	}
	took, again := within(time.Minute, func() bool { return c.embed("alice", "after it thawed").status == http.StatusOK })
	s.judge(again, "goes on: %v, after %.1f s", again, took.Seconds())
	s.paidOnce(g, at, "alice", []string{"after it thawed"})
}

func frozenEnd(s *scene) {
	s.patient()
	g, _, _ := s.onDatabase()
	s.spends(g.base, 3)
	if err := database.signal(syscall.SIGSTOP); err != nil {
		s.Fatal(err)
	}
	c := from("127.0.0.1", g.base)
	go c.embed("alice", "that waits")
	time.Sleep(500 * time.Millisecond)
	took, killed := g.end(30 * time.Second)
	s.judge(!killed, "SIGTERM ends it: %v, in %.1f s", !killed, took.Seconds())
}

func restarted(s *scene) {
	g, at, _ := s.onDatabase()
	c := from("127.0.0.1", g.base)
	var mu sync.Mutex
	var paid []string
	count := tally{}
	stop := make(chan struct{})
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				text := fmt.Sprintf("text %d %d", w, i)
				a := c.embed("alice", text)
				mu.Lock()
				if count.add(a); a.status == http.StatusOK {
					paid = append(paid, text)
				}
				mu.Unlock()
			}
		})
	}
	for range s.many(5, 1) {
		time.Sleep(300 * time.Millisecond)
		if err := database.pgctl("restart", "-m", "immediate"); err != nil {
			s.Error(err)
		}
	}
	_, again := within(time.Minute, func() bool { return c.embed("alice", "afterwards").status == http.StatusOK })
	time.Sleep(200 * time.Millisecond)
	close(stop)
	group.Wait()
	s.judge(again && count["200"] > 0, "%v", count)
	s.paidOnce(g, at, "alice", paid)
}

func emptiedTables(s *scene) {
	g, at, schema := s.onDatabase()
	s.spends(g.base, 3)
	g.end(answered)
	if err := database.sql(schema, "DROP SCHEMA "+schema+" CASCADE; CREATE SCHEMA "+schema); err != nil {
		s.Fatal(err)
	}
	s.refusesStart(at.args()...)
}

func droppedTables(s *scene) {
	g, _, schema := s.onDatabase()
	s.spends(g.base, 5)
	if err := database.sql(schema, "DROP SCHEMA "+schema+" CASCADE; CREATE SCHEMA "+schema); err != nil {
		s.Fatal(err)
	}
	s.notices(g)
}

// putBack makes the tables what they were before, to the byte.
func putBack(s *scene, live bool) {
	g, at, schema := s.onDatabase()
	s.spends(g.base, 3)
	each := func(format string) {
		for _, table := range []string{"head", "means", "log", "sums"} {
			if err := database.sql(schema, strings.ReplaceAll(format, "NAME", table)); err != nil {
				s.Fatal(err)
			}
		}
	}
	each("CREATE UNLOGGED TABLE old_NAME AS SELECT * FROM sotto_ledger_NAME")
	s.spends(g.base, 3)
	const back = "DELETE FROM sotto_ledger_NAME; INSERT INTO sotto_ledger_NAME SELECT * FROM old_NAME"
	if live {
		each(back)
		s.notices(g)
		return
	}
	g.end(answered)
	each(back)
	s.refusesStart(at.args("--budget", "1e6")...)
}
