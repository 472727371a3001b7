//go:build linux

package fortress_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/service/pgtest"
)

var databases = []attack{
	{"PostgreSQL frozen (SIGSTOP)", "503 within 25 s, not ready, health answers, goes on when it thaws, every release paid", frozen},
	{"PostgreSQL frozen while SIGTERM comes", "the gateway ends within 30 s", frozenEnd},
	{"PostgreSQL restarted under load", "every release is paid, and the ledger verifies", restarted},
	{"PostgreSQL: the ledger's tables emptied", "the start is refused", emptiedTables},
	{"PostgreSQL: the tables put back by its operator", "the start is refused", func(s *scene) { putBack(s, false) }},
	{"PostgreSQL: the tables put back while they are used", "releases end and readiness is false within 10 s", func(s *scene) { putBack(s, true) }},
	{"PostgreSQL: the sums deleted, again and again", "no spend beyond the budget, readiness is false, the start is refused", deletedSums},
	{"PostgreSQL: the tables dropped while they are used", "releases end and readiness is false within 10 s", droppedTables},
}

// database is an empty schema for a ledger.
type database struct {
	*pgtest.Server
	s      *scene
	schema string
}

// run runs statements.
func (d *database) run(statements string) {
	d.s.Helper()
	if err := d.Exec(d.schema, statements); err != nil {
		d.s.Fatal(err)
	}
}

// empty drops everything in it.
func (d *database) empty() {
	d.s.Helper()
	d.run("DROP SCHEMA " + d.schema + " CASCADE; CREATE SCHEMA " + d.schema)
}

// onDatabase starts a gateway on a schema of its own, of a server that is found by one of
// the functions of pgtest.
func (s *scene) onDatabase(find func(testing.TB) *pgtest.Server, more ...string) (g *process, at place, d *database) {
	s.Helper()
	server := find(s)
	at, d = s.place(), &database{server, s, server.Schema(s)}
	at.ledger = d.URL(d.schema)
	return s.run(at.args(append(more, "--budget", "1e6", "--rate", "0")...)...), at, d
}

// impatient are flags of a gateway that soon gives a database up, but in the whole list.
func (s *scene) impatient() []string {
	if s.full {
		return nil
	}
	return []string{"--ledger-timeout", "2s"}
}

func frozen(s *scene) {
	s.patient()
	g, at, d := s.onDatabase(pgtest.Alone, s.impatient()...)
	s.spends(g.base, 3)
	if err := d.Freeze(); err != nil {
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
	if err := d.Resume(); err != nil {
		s.Fatal(err)
	}
	took, again := within(time.Minute, func() bool { return c.embed("alice", "after it thawed").status == http.StatusOK })
	s.judge(again, "goes on: %v, after %.1f s", again, took.Seconds())
	s.paidOnce(g, at, "alice", []string{"after it thawed"})
}

// deletedSums lets alice spend all that she has, and takes away what says so.
func deletedSums(s *scene) {
	server := pgtest.Shared(s)
	at, d := s.place(), &database{server, s, server.Schema(s)}
	at.ledger = d.URL(d.schema)
	g := s.run(at.args("--budget", "80", "--rate", "0")...)
	c := from("127.0.0.1", g.base)
	released := 0
	for round := range 4 {
		for i := range 12 {
			if c.embed("alice", fmt.Sprintf("text %d of round %d", i, round)).status == http.StatusOK {
				released++
			}
		}
		d.run("DELETE FROM sotto_ledger_sums")
	}
	s.judge(released <= 10, "%d releases of ε = 8 from a budget of 80", released)
	s.unready(g)
	g.end(20 * time.Second)
	s.refusesStart(at.args("--budget", "80")...)
}

func frozenEnd(s *scene) {
	s.patient()
	g, _, d := s.onDatabase(pgtest.Alone, s.impatient()...)
	s.spends(g.base, 3)
	if err := d.Freeze(); err != nil {
		s.Fatal(err)
	}
	c := from("127.0.0.1", g.base)
	go c.embed("alice", "that waits")
	time.Sleep(500 * time.Millisecond)
	took, killed := g.end(30 * time.Second)
	s.judge(!killed, "SIGTERM ends it: %v, in %.1f s", !killed, took.Seconds())
}

func restarted(s *scene) {
	g, at, d := s.onDatabase(pgtest.Alone)
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
		if err := errors.Join(d.Stop(), d.Start()); err != nil {
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
	g, at, d := s.onDatabase(pgtest.Shared)
	s.spends(g.base, 3)
	g.end(answered)
	d.empty()
	s.refusesStart(at.args()...)
}

func droppedTables(s *scene) {
	g, _, d := s.onDatabase(pgtest.Shared)
	s.spends(g.base, 5)
	d.empty()
	s.notices(g)
}

// putBack makes the tables what they were before, to the byte.
func putBack(s *scene, live bool) {
	g, at, d := s.onDatabase(pgtest.Shared)
	s.spends(g.base, 3)
	each := func(format string) {
		for _, table := range []string{"head", "means", "log", "sums"} {
			d.run(strings.ReplaceAll(format, "NAME", table))
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
