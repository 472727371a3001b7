package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// cluster is a primary and a standby that follows it, as docs/scale.md sets them up.
type cluster struct {
	*pgtest.Server // that writes
	t              *testing.T
	standby        *pgtest.Server
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	primary := pgtest.New(t)
	if err := errors.Join(primary.Init(), primary.Start()); err != nil {
		t.Fatal(err)
	}
	c := &cluster{Server: primary, t: t}
	c.follow(pgtest.New(t))
	return c
}

// follow copies the primary to a new standby, and lets commits wait for it.
func (c *cluster) follow(to *pgtest.Server) {
	c.t.Helper()
	c.standby = to
	if err := to.Command("pg_basebackup", "-h", c.Host(), "-U", "sotto", "-D", to.Data(), "-R", "-X", "stream", "-c", "fast"); err != nil {
		c.t.Fatal(err)
	}
	if err := to.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.synchronous("*")
	c.await("SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
}

func (c *cluster) synchronous(names string) {
	c.t.Helper()
	conn := c.Connect(c.t, "public")
	for _, q := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + names + "'", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(c.t.Context(), q); err != nil {
			c.t.Fatal(err)
		}
	}
	c.await("SELECT current_setting('synchronous_standby_names') = '" + names + "'")
}

// await waits until the primary says that something is so.
func (c *cluster) await(query string) {
	c.t.Helper()
	conn := c.Connect(c.t, "public")
	for range 1200 {
		var is bool
		if err := conn.QueryRow(c.t.Context(), query).Scan(&is); err != nil {
			c.t.Fatal(err)
		}
		if is {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Fatalf("%s: not within a minute", query)
}

// promote makes the standby the primary.
func (c *cluster) promote() {
	c.t.Helper()
	if err := c.standby.Command("pg_ctl", "-D", c.standby.Data(), "-w", "promote"); err != nil {
		c.t.Fatal(err)
	}
	c.Server = c.standby
}

// opener opens the ledger on whichever of some servers is the primary, as a
// gateway does whose address names all of them.
func (c *cluster) opener(hosts ...string) opener {
	url := "postgres:///postgres?user=sotto&target_session_attrs=read-write&host=" + strings.Join(hosts, ",")
	return func(o ledger.Options) (*ledger.Ledger, error) {
		return ledger.OpenPostgres(context.Background(), url, o)
	}
}

// client spends for one subject until it is told to end, and asks again where it
// does not know whether it has paid.
type client struct {
	subject  string
	released []string
	refused  int
}

func (c *client) run(t *testing.T, l *ledger.Ledger, end <-chan struct{}) {
	for i := 0; ; i++ {
		text := fmt.Sprint(c.subject, " ", i)
		for {
			_, err := l.Spend(context.Background(), request(c.subject, text, 1))
			if err == nil {
				c.released = append(c.released, text)
				break
			}
			if !errors.Is(err, ledger.ErrUnavailable) {
				t.Error(err)
				return
			}
			c.refused++
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
		select {
		case <-end:
			return
		default:
		}
	}
}

// TestFailover stops a primary under the load of two gateways, and promotes its
// standby: nothing that was paid for is lost or paid twice, and nobody spends while
// commits wait for nobody.
func TestFailover(t *testing.T) {
	if !dptest.Long() {
		t.Skip("SOTTO_LONG is not 1: three servers take ten seconds to start")
	}
	c := newCluster(t)
	second := c.standby
	third := pgtest.New(t) // whose address is known beforehand
	open := c.opener(c.Host(), second.Host(), third.Host())
	options := ledger.Options{
		Budget: ledger.Budget{Unit: dp.Text, Epsilon: 1e6}, SecretID: "first", ChainKey: chainKey(1), Standbys: 1, Timeout: 2 * time.Second,
	}
	var books [2]*ledger.Ledger
	for i := range books {
		books[i] = mustOpen(t, open, options)
	}
	clients := make([]client, 8)
	end := make(chan struct{})
	var group sync.WaitGroup
	for i := range clients {
		clients[i].subject = fmt.Sprint("user ", i)
		group.Go(func() { clients[i].run(t, books[i%2], end) })
	}
	c.await("SELECT spends > 500 FROM sotto_ledger_head")
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	c.promote()
	if _, err := books[0].Spend(t.Context(), request("alice", "alone", 1)); !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "standbys") {
		t.Errorf("on a primary without a standby: %v, want it refused", err)
	}
	var before int64
	if err := c.Connect(t, "public").QueryRow(t.Context(), "SELECT spends FROM sotto_ledger_head").Scan(&before); err != nil {
		t.Fatal(err)
	}
	c.follow(third)
	c.await(fmt.Sprint("SELECT spends > ", before+200, " FROM sotto_ledger_head"))
	close(end)
	group.Wait()

	paid := map[ledger.Digest]int{}
	if err := books[1].Entries(t.Context(), 1, func(e *ledger.Entry) error { paid[e.Key]++; return nil }); err != nil {
		t.Fatal(err)
	}
	released, refused := 0, 0
	for i := range clients {
		released, refused = released+len(clients[i].released), refused+clients[i].refused
		for _, text := range clients[i].released {
			if paid[key(text)] != 1 {
				t.Errorf("%q was released and paid for %d times, want once", text, paid[key(text)])
			}
		}
	}
	p := verify(t, books[0])
	if int(p.Spends) < released || int(p.Spends) > released+len(clients) {
		t.Errorf("%d spends for %d releases of %d clients, each of which may have paid for one that it gave up", p.Spends, released, len(clients))
	}
	t.Logf("%d releases, %d of them before the primary died, %d refused meanwhile; %d spends, none lost, none doubled", released, before, refused, p.Spends)
	if refused == 0 {
		t.Error("nobody noticed that the primary died: nothing was tested")
	}
}

// TestWaitForStandby lets an administrator end the wait for a standby: the database calls
// the commit done, and the ledger does not.
func TestWaitForStandby(t *testing.T) {
	if !dptest.Long() {
		t.Skip("SOTTO_LONG is not 1: two servers take seconds to start")
	}
	c := newCluster(t)
	l := mustOpen(t, c.opener(c.Host()), ledger.Options{Budget: daily, SecretID: "first", ChainKey: chainKey(1)})
	if err := c.standby.Stop(); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error, 1)
	go func() { answer <- spendSoon(t, l, "hello") }()
	c.await("SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	c.await("SELECT coalesce(bool_and(pg_cancel_backend(pid)), false) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	if err := <-answer; !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "standby") {
		t.Errorf("a commit that no standby has: %v, want %v", err, ledger.ErrUnavailable)
	}
	// Asked for again, it waits for the standby, too, though it is on the primary.
	go func() { answer <- spendSoon(t, l, "hello") }()
	c.await("SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	if err := c.standby.Start(); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Errorf("when the standby is back: %v", err)
	}
	if got := left(t, l, "alice"); got != 9 {
		t.Errorf("left is %v, want 9: it was paid for once", got)
	}
	verify(t, l)

	// Without a standby to wait for, a fail-over forgets what was spent last. A
	// gateway that runs notices that, and one that starts does by a head elsewhere.
	c.synchronous("")
	head := t.TempDir() + "/head"
	both := c.opener(c.Host(), c.standby.Host())
	watched := mustOpen(t, both, ledger.Options{Head: head, SecretID: "first", ChainKey: chainKey(1), Accept: &ledger.HeadAcceptance{Who: "carol", Reason: "a head elsewhere"}})
	if err := c.standby.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := spendSoon(t, watched, "forgotten"); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := c.standby.Start(); err != nil {
		t.Fatal(err)
	}
	c.promote()
	if err := spendSoon(t, watched, "later"); !errors.Is(err, ledger.ErrBehind) {
		t.Errorf("after spends were forgotten: %v, want %v", err, ledger.ErrBehind)
	}
	watched.Close()
	if _, err := both(ledger.Options{Head: head, SecretID: "first", ChainKey: chainKey(1)}); !errors.Is(err, ledger.ErrBehind) {
		t.Errorf("a start after spends were forgotten: %v, want %v", err, ledger.ErrBehind)
	}
}
