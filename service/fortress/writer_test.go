//go:build linux

package fortress_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// answered is how long any request may take while the disk or the database is ill.
const answered = 25 * time.Second

var writers = []attack{
	{"disk full", "503 within 25 s, not ready, goes on when there is room, every release paid", diskFull},
	{"files may not grow (RLIMIT_FSIZE)", "503 within 25 s, SIGTERM ends it", fileLimit},
	{"ledger truncated while it is mapped (SIGBUS)", "503 or an end within 25 s; SIGTERM ends it; the next start is refused", func(s *scene) { truncated(s, 0) }},
	{"ledger truncated to a page while it is mapped", "503 or an end within 25 s; SIGTERM ends it; the next start is refused", func(s *scene) { truncated(s, 4096) }},
	{"garbage written over the ledger while it is mapped", "503 or an end within 25 s; SIGTERM ends it; the next start is refused", garbage},
}

func diskFull(s *scene) {
	at := s.place()
	dir := filepath.Dir(at.ledger)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		s.Skipf("no file system can be mounted: %v", err)
	}
	s.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) }) //nolint:errcheck // it goes with the machine
	g := s.run(at.args("--budget", "1e9", "--rate", "0")...)
	c := from("127.0.0.1", g.base)
	s.spends(g.base, 1)
	var room syscall.Statfs_t
	if err := syscall.Statfs(dir, &room); err != nil {
		s.Fatal(err)
	}
	left := s.many(400, 40) << 10
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, int64(room.Bavail)*room.Bsize-int64(left)), 0o600); err != nil {
		s.Fatal(err)
	}
	var paid []string
	refused := answer{}
	for i := range 100_000 {
		text := fmt.Sprint("text ", i)
		if refused = c.embed("alice", text); refused.status != http.StatusOK {
			break
		}
		paid = append(paid, text)
	}
	s.judge(refused.status == http.StatusServiceUnavailable && refused.took < answered, "after %d releases %v in %.1f s", len(paid), refused, refused.took.Seconds())
	c.embed("alice", "another")
	s.unready(g)
	if err := os.Remove(filler); err != nil {
		s.Fatal(err)
	}
	took, again := within(30*time.Second, func() bool { return c.embed("alice", "with room").status == http.StatusOK })
	s.judge(again, "goes on with room again: %v, after %.1f s", again, took.Seconds())
	s.paidOnce(g, at, "alice", paid)
}

// paidOnce asks again for what was released: it must cost nothing. Then the
// gateway ends, and the ledger must verify.
func (s *scene) paidOnce(g *process, at place, user string, texts []string) {
	s.Helper()
	c := from("127.0.0.1", g.base)
	free := 0
	for _, text := range texts {
		if a := c.embed(user, text); a.status == http.StatusOK && a.field("privacy", "cost") == 0.0 {
			free++
		}
	}
	s.judge(free == len(texts), "%d of %d releases found paid", free, len(texts))
	_, killed := g.end(answered)
	s.judge(!killed, "SIGTERM ends it: %v", !killed)
	out, err := s.verify(at)
	s.judge(err == nil, "the ledger: %s", shortened(lastLine(out)))
}

func fileLimit(s *scene) {
	at := s.place()
	g := s.run(at.args("--budget", "1e9", "--rate", "0")...)
	c := from("127.0.0.1", g.base)
	s.spends(g.base, 2)
	info, err := os.Stat(at.ledger)
	if err != nil {
		s.Fatal(err)
	}
	limitFiles(s, g.Process.Pid, uint64(info.Size()))
	refused := answer{}
	i := 0
	for ; i < 100_000; i++ {
		if refused = c.embed("alice", fmt.Sprint("text ", i)); refused.status != http.StatusOK {
			break
		}
	}
	s.judge(!g.alive() || refused.status == http.StatusServiceUnavailable && refused.took < answered, "after %d releases %v in %.1f s", i, refused, refused.took.Seconds())
	took, killed := g.end(answered)
	s.judge(!killed, "SIGTERM ends it: %v, in %.1f s", !killed, took.Seconds())
	out, err := s.verify(at)
	s.judge(err == nil, "the ledger: %s", shortened(lastLine(out)))
}

// truncated cuts the ledger under a gateway that has it mapped into memory.
func truncated(s *scene, size int64) {
	harmed(s, func(path string) error { return os.Truncate(path, size) })
}

func garbage(s *scene) {
	harmed(s, func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		junk := make([]byte, info.Size())
		for i := range junk {
			junk[i] = byte(i*7 + 1)
		}
		_, err = f.Write(junk)
		return err
	})
}

func harmed(s *scene, harm func(path string) error) {
	at := s.place()
	g := s.run(at.args("--rate", "0", "--budget", "1e6")...)
	s.spends(g.base, 200)
	if err := harm(at.ledger); err != nil {
		s.Fatal(err)
	}
	c := from("127.0.0.1", g.base)
	c.Timeout = answered
	released, i := 0, 0
	took, ok := within(answered, func() bool {
		i++
		a := c.embed(fmt.Sprint("user", i), "a text")
		if a.status == http.StatusOK {
			released++
		}
		return !g.alive() || a.err == nil && a.status >= 500
	})
	s.judge(ok, "noticed: %v after %.1f s and %d releases", ok, took.Seconds(), released)
	s.unready(g)
	took, killed := g.end(answered)
	s.judge(!killed, "SIGTERM ends it: %v, in %.1f s", !killed, took.Seconds())
	s.refusesStart(at.args()...)
}
