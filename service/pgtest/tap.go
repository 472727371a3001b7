package pgtest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// Fate is what becomes of a statement, and of the process of the server that would run it.
type Fate int

// The fates of a statement.
const (
	Run      Fate = iota // as if nobody looked
	KillIt               // its process ends before it is run
	KillDone             // its process ends when it was run, and nobody is told that it was
	Lie                  // it is said to be done, and is not
)

// Tap stands between clients and a server, sees every statement, and decides its fate.
type Tap struct {
	// Hard ends processes as a crash does: the server ends all others, too, and starts anew.
	// Otherwise one ends alone.
	Hard bool

	tb     testing.TB
	s      *Server
	dir    string
	ending sync.WaitGroup // of processes that are to end

	mu    sync.Mutex // guards what follows
	judge func(statement string) Fate
}

// Tap returns one of the server, for as long as the test runs.
func (s *Server) Tap(tb testing.TB) *Tap {
	tb.Helper()
	dir, err := os.MkdirTemp("", "sotto-pg-")
	if err != nil {
		tb.Fatal(err)
	}
	l, err := net.Listen("unix", dir+"/.s.PGSQL.5432")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		l.Close()         //nolint:errcheck // nobody asks for it any more
		os.RemoveAll(dir) //nolint:errcheck // as for that of a server
	})
	t := &Tap{tb: tb, s: s, dir: dir}
	go func() {
		for {
			client, failed := l.Accept()
			if failed != nil {
				return
			}
			go t.serve(client)
		}
	}()
	return t
}

// URL is the address of a schema through the tap.
func (t *Tap) URL(schema string) string {
	return strings.Replace(t.s.URL(schema), "host="+t.s.dir, "host="+t.dir, 1)
}

// Judge asks about each statement from now on, one at a time; nil asks nobody.
func (t *Tap) Judge(judge func(statement string) Fate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.judge = judge
}

func (t *Tap) ask(statement string) Fate {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.judge == nil {
		return Run
	}
	fate := t.judge(statement)
	if fate == KillIt || fate == KillDone {
		t.ending.Add(1)
	}
	return fate
}

// Settle waits until the processes have ended that were to, and the server answers.
func (t *Tap) Settle() { t.ending.Wait() }

// tapped is a connection through the tap.
type tapped struct {
	*Tap
	client, server net.Conn
	texts          map[string]string // of statements that were prepared, by their names
	bound          string            // statement that runs next

	mu      sync.Mutex // guards what follows, and who writes to client
	changed *sync.Cond
	pid     int
	quiet   bool // the client is told nothing more
	simple  bool // a statement runs whose end is that the server is ready
	pending int  // statements of which the server has not said that they ended
	broken  bool // a statement has failed, and the server waits for the end of those behind it
	gone    bool // it has hung up
}

// serve moves messages of one connection, until somebody ends it.
func (t *Tap) serve(client net.Conn) {
	defer client.Close() //nolint:errcheck // nobody is there any more
	server, err := net.Dial("unix", t.s.dir+"/.s.PGSQL.5432")
	if err != nil {
		return // the server is down, as its clients see
	}
	defer server.Close() //nolint:errcheck // nobody is there any more
	c := &tapped{Tap: t, client: client, server: server, texts: map[string]string{}}
	c.changed = sync.NewCond(&c.mu)
	go c.answers()
	if start, err := message(client, 0); err == nil {
		_, err = server.Write(start)
		for err == nil {
			var m []byte
			if m, err = message(client, 1); err == nil {
				err = c.pass(m)
			}
		}
	}
}

// message reads one, of which so many bytes stand before its length.
func message(from io.Reader, before int) ([]byte, error) {
	m := make([]byte, before+4)
	if _, err := io.ReadFull(from, m); err != nil {
		return nil, err
	}
	rest := int(binary.BigEndian.Uint32(m[before:])) - 4
	if rest < 0 || rest > 1<<28 {
		return nil, errors.New("pgtest: a message is too long")
	}
	m = append(m, make([]byte, rest)...)
	_, err := io.ReadFull(from, m[before+4:])
	return m, err
}

// answers moves what the server says, and counts the statements that end.
func (c *tapped) answers() {
	defer c.client.Close() //nolint:errcheck // nobody is there any more
	for {
		m, err := message(c.server, 1)
		c.mu.Lock()
		if err != nil {
			c.gone = true
			c.changed.Broadcast()
			c.mu.Unlock()
			return
		}
		switch m[0] {
		case 'K':
			c.pid = int(binary.BigEndian.Uint32(m[5:]))
		case 'C', 'I', 's':
			if !c.simple && c.pending > 0 {
				c.pending--
			}
		case 'E':
			c.broken = true
		case 'Z':
			c.simple, c.broken, c.pending = false, false, 0
		}
		if !c.quiet {
			c.client.Write(m) //nolint:errcheck // who has gone sees it by himself
		}
		c.changed.Broadcast()
		c.mu.Unlock()
	}
}

const patience = time.Minute // with a server that went down; no bound that is claimed

var errKilled = errors.New("pgtest: killed")

// pass moves a message of the client to the server, if that is its fate.
func (c *tapped) pass(m []byte) error {
	statement, runs := c.statement(m)
	if !runs {
		_, err := c.server.Write(m)
		return err
	}
	fate := c.ask(statement)
	if fate == Lie {
		return c.lie(m)
	}
	if fate != Run {
		c.mu.Lock()
		c.quiet = true
		c.mu.Unlock()
	}
	if fate == KillIt {
		return c.kill()
	}
	c.mu.Lock()
	if c.pending++; m[0] == 'Q' {
		c.simple = true
	}
	c.mu.Unlock()
	if fate == KillDone && m[0] != 'Q' {
		m = append(m, flush...)
	}
	if _, err := c.server.Write(m); fate == Run {
		return err
	} else if err == nil {
		c.wait(c.idle)
	}
	return c.kill()
}

var flush = []byte{'H', 0, 0, 0, 4}

// statement reads which statement a message runs, if it runs one.
func (c *tapped) statement(m []byte) (text string, runs bool) {
	first, rest, _ := strings.Cut(string(m[5:]), "\x00")
	second, _, _ := strings.Cut(rest, "\x00")
	switch m[0] {
	case 'Q':
		return first, true
	case 'P':
		c.texts[first] = second
	case 'B':
		c.bound = c.texts[second]
	case 'E':
		return c.bound, true
	}
	return "", false
}

// lie tells the client that a statement is done. One that commits is the last.
func (c *tapped) lie(m []byte) error {
	if m[0] != 'Q' {
		if _, err := c.server.Write(flush); err != nil {
			return err
		}
		c.wait(c.idle)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	said := []byte("C\x00\x00\x00\x0fINSERT 0 1\x00")
	if m[0] == 'Q' {
		said = []byte("C\x00\x00\x00\x0bCOMMIT\x00Z\x00\x00\x00\x05I")
	}
	_, err := c.client.Write(said)
	if m[0] == 'Q' {
		return errKilled
	}
	return err
}

// idle reports whether every statement has ended, or none will any more.
func (c *tapped) idle() bool { return c.pending == 0 || c.broken }

// wait waits until something is so, or the server has hung up.
func (c *tapped) wait(so func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.gone && !so() {
		c.changed.Wait()
	}
}

// kill ends the process of the server, and comes back when it has.
func (c *tapped) kill() error {
	defer c.ending.Done()
	if err := endProcess(c.pid, c.Hard); err != nil {
		c.tb.Error(err)
		return err
	}
	c.wait(func() bool { return false })
	for began := time.Now(); c.Hard && c.s.Exec("public", "SELECT 1") != nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > patience {
			c.tb.Errorf("the server does not answer within %v", patience)
			break
		}
	}
	return errKilled
}
