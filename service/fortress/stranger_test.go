//go:build linux

package fortress_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// strangers are attacks by what a stranger hands over: a model, a table, a path.
var strangers = []attack{
	{"a model whose manifest names a program or an address", "each command exits 2 and says manifest, on SIGHUP the old model stays; nothing is run or called", namesInFiles},
	{"columns and texts with codes of terminals", "no command prints one", terminals},
	{"a FIFO, a device or a socket where a file is expected", "each command refuses it within 25 s", noFiles},
	{"a umask that lets everybody read", "ledger, head, secret, keys and vectors are their owner's alone", openMask},
	{"sotto studio: 600 bodies of a megabyte before the secret", "below 256 MiB; its page answers within 5 s afterwards", studioBodies},
}

// renamed lets the manifest of a model name another encoder.
func (s *scene) renamed(model, was, encoder string) {
	s.Helper()
	path := filepath.Join(model, "manifest.json")
	content, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	before := `"encoder": ` + strconv.Quote(was)
	if !strings.Contains(string(content), before) {
		s.Fatalf("the manifest does not name %s", before)
	}
	if err = os.WriteFile(path, []byte(strings.Replace(string(content), before, `"encoder": `+strconv.Quote(encoder), 1)), 0o600); err != nil {
		s.Fatal(err)
	}
}

func namesInFiles(s *scene) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	defer l.Close()
	var calls atomic.Int64
	go func() {
		for {
			c, failed := l.Accept()
			if failed != nil {
				return
			}
			calls.Add(1)
			c.Close()
		}
	}()
	dir, at := s.TempDir(), s.place()
	at.flags = nil
	canary, in := filepath.Join(dir, "canary"), filepath.Join(dir, "in.csv")
	if err = os.WriteFile(in, []byte("text,label\n"+strings.Repeat("awful,bad\nlovely,good\n", 20)), 0o600); err != nil {
		s.Fatal(err)
	}
	model, was, right, tried := filepath.Join(s.model(), "good"), "default", 0, 0
	g := s.run(at.args("--model", model)...)
	for _, encoder := range []string{"command:touch " + canary, "endpoint:http://" + l.Addr().String() + "/?key=PGPASSWORD&model=m"} {
		s.renamed(model, was, encoder)
		was = encoder
		for _, args := range [][]string{
			{"encode", "--model", model, "--in", in, "--text", "text", "--out", filepath.Join(dir, "out.npy")},
			{"explain", "--model", model, "--in", in, "--text", "text"},
			{"evaluate", filepath.Dir(model), "--in", in},
			{"gateway", "--model", model, "--ledger", filepath.Join(dir, "ledger"), "--secret", filepath.Join(dir, "secret"), "--listen", "127.0.0.1:0"},
		} {
			tried++
			if out, failed := s.sotto(args...); exitCode(failed) == 2 && strings.Contains(out, "manifest") {
				right++
			} else {
				s.fell("%s: %v: %s", args[0], failed, shortened(lastLine(out)))
			}
		}
		g.Process.Signal(syscall.SIGHUP) //nolint:errcheck // what it logs is looked at
	}
	_, kept := within(answered, func() bool { return strings.Count(g.said.String(), "reload refused") >= 2 })
	s.judge(kept && from("127.0.0.1", g.base).embed("alice", "a text").status == http.StatusOK, "the gateway refuses the reload and answers: %v", kept)
	_, err = os.Stat(canary)
	s.judge(os.IsNotExist(err) && calls.Load() == 0, "%d of %d refused, %d calls", right, tried, calls.Load())
}

func terminals(s *scene) {
	in := filepath.Join(s.TempDir(), "in.csv")
	const evil = "\x1b]0;owned\x07\x1b[2J\u202e"
	if err := os.WriteFile(in, []byte("text,label"+evil+"\n"+strings.Repeat("awful"+evil+",bad"+evil+"\nlovely"+evil+",good\n", 20)), 0o600); err != nil {
		s.Fatal(err)
	}
	bad, tried := 0, 0
	for _, args := range [][]string{
		{"data", "inspect", in},
		{"train", "--in", in, "--text", "text", "--label", "none" + evil, "--epsilon", "4"},
		{"train", "--in", in, "--text", "none", "--label", "label" + evil, "--epsilon", "4"},
		{"train", "--in", in, "--text", "text", "--label", "label" + evil, "--method", "label", "--epsilon", "4", "--epochs", "1", "--encoder", "hash:16", "--seeds", "1"},
		{"mask", "--in", in, "--text", "text" + evil},
		{"explain", "--model", in + evil},
		{"budget", "show", "--ledger", in + evil},
	} {
		tried++
		if out, _ := s.sotto(args...); out == "" || strings.ContainsAny(out, "\x1b\x07\u202e") {
			bad++
			s.fell("sotto %s: %.200q", args[0], out)
		}
	}
	s.judge(bad == 0, "%d of %d commands print one", bad, tried)
}

func noFiles(s *scene) {
	dir := s.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		s.Skipf("no socket can be made: %v", err)
	}
	defer l.Close()
	if err := fifo(pipe); err != nil {
		s.Fatal(err)
	}
	right, tried := 0, 0
	for _, path := range []string{pipe, socket, "/dev/zero"} {
		for _, args := range [][]string{
			{"gateway", "--ledger", path, "--secret", filepath.Join(dir, "secret"), "--encoder", "hash:16", "--mechanism", "laplace-l1", "--listen", "127.0.0.1:0"},
			{"gateway", "--ledger", filepath.Join(dir, "ledger"), "--secret", path, "--encoder", "hash:16", "--mechanism", "laplace-l1", "--listen", "127.0.0.1:0"},
			{"budget", "verify", "--ledger", path},
			{"budget", "show", "--ledger", path},
			{"budget", "backup", "--ledger", path, "--out", filepath.Join(dir, "backup")},
			{"explain", "--model", path, "--text", "a"},
			{"report", path, "--out", filepath.Join(dir, "page.html")},
			{"gate", path, "--policy", path},
		} {
			tried++
			began := time.Now()
			if out, err := s.sotto(args...); err != nil && time.Since(began) < answered && exitCode(err) > 0 && exitCode(err) < 4 {
				right++
			} else {
				s.fell("sotto %s %s with %s: %v after %v: %s", args[0], args[1], path, err, time.Since(began).Round(time.Second), shortened(lastLine(out)))
			}
		}
	}
	s.note("%d of %d refused", right, tried)
}

func openMask(s *scene) {
	dir, at := s.TempDir(), s.place()
	_, err := s.startUnder([]string{"/bin/sh", "-c", `umask 000; exec "$0" "$@"`}, at.args()...)
	if err != nil {
		s.Fatal(err)
	}
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.npy")
	if err = os.WriteFile(in, []byte("text\na\nb\n"), 0o600); err != nil {
		s.Fatal(err)
	}
	// In a process of its own: other attacks make folders meanwhile.
	said, err := exec.CommandContext(s.Context(), "/bin/sh", "-c", `umask 000; exec "$0" "$@"`, binary,
		"encode", "--in", in, "--text", "text", "--encoder", "hash:16", "--out", out).CombinedOutput()
	if err != nil {
		s.Fatalf("sotto encode: %v: %s", err, said)
	}
	looked := 0
	for _, path := range []string{at.ledger, at.ledger + ".head", at.secret, out} {
		info, err := os.Stat(path)
		if err != nil {
			s.Fatal(err)
		}
		looked++
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			s.fell("%s has mode %#o", filepath.Base(path), mode)
		}
	}
	s.note("%d files", looked)
}

func studioBodies(s *scene) {
	p := s.run("studio", "--no-open")
	end := s.swarm(hostility{N: s.many(600, 100), Addresses: 2, Begin: []byte(post("/api/enter", `{"secret": "`+strings.Repeat("a", 1<<20)+`"}`)), Drip: nil, Kind: slow, Base: p.base})
	time.Sleep(time.Duration(s.many(15, 2)) * time.Second)
	peak := p.peak()
	end()
	c := from("127.0.0.1", p.base)
	c.Timeout = 5 * time.Second
	a := c.do("GET", "/", "")
	s.judge(p.alive() && peak < 256, "%d MiB", peak)
	s.judge(a.status == http.StatusOK, "the page: %s", fmt.Sprint(a))
}
