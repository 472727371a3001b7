//go:build linux

package fortress_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sotto/service/httpserve/servetest"
	"sotto/service/pgtest"
)

// binary is the command under attack, and workplace a folder that goes with the
// tests.
var binary, workplace string

func TestMain(m *testing.M) {
	if path := os.Getenv(swarmVariable); path != "" {
		if err := runSwarm(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "sotto-fortress-")
	if workplace = dir; err == nil {
		binary, err = servetest.Command(dir)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		flag.Parse()
		// Most of the time attacks wait.
		if err = flag.Set("test.parallel", "16"); err == nil {
			code = m.Run()
		}
		if err = errors.Join(err, show(os.Stdout, rows.all)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	pgtest.End()
	os.RemoveAll(dir)
	os.Exit(code)
}

// process is a command that answers on an address.
type process struct {
	*exec.Cmd
	base  string
	said  servetest.Buffer // both streams
	ended chan struct{}
	err   error // of the end, once it has ended
}

var address = regexp.MustCompile(`(?:gateway at |studio at |"address":")((?:https?://)?127\.0\.0\.1:[0-9]+)`)

// mostMemory is where a process under attack is stopped, so that an attack that
// succeeds does not take the machine with it.
const mostMemory = 6 << 20 // KiB

// start starts a command and awaits its address. An error says why it ended
// instead.
func (s *scene) start(args ...string) (*process, error) { return s.startUnder(nil, args...) }

// startUnder starts a command under another that runs it.
func (s *scene) startUnder(under []string, args ...string) (*process, error) {
	p := &process{ended: make(chan struct{})}
	command := slices.Concat([]string{"-c", `ulimit -v ` + strconv.Itoa(mostMemory) + `; exec "$0" "$@"`}, under, []string{binary}, args)
	p.Cmd = exec.Command("/bin/sh", command...)
	if !slices.Contains(args, "--listen") {
		p.Args = append(p.Args, "--listen", "127.0.0.1:0")
	}
	p.Stdout, p.Stderr = &p.said, &p.said
	if err := p.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.Wait()
		close(p.ended)
	}()
	s.Cleanup(p.kill)
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if m := address.FindStringSubmatch(p.said.String()); m != nil {
			p.base = "http://" + strings.TrimPrefix(strings.TrimPrefix(m[1], "http://"), "https://")
			if slices.Contains(args, "--tls-cert") {
				p.base = "https" + strings.TrimPrefix(p.base, "http")
			}
			return p, nil
		}
		select {
		case <-p.ended:
			return nil, fmt.Errorf("%s ended at once, %w: %s", args[0], p.err, lastLine(p.said.String()))
		default:
		}
	}
	p.kill()
	return nil, fmt.Errorf("%s says nothing for a minute: %s", args[0], p.said.String())
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// run starts a command that must start.
func (s *scene) run(args ...string) *process {
	s.Helper()
	p, err := s.start(args...)
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// end asks the process to end, and kills it if it does not; it returns how long
// that took and whether it had to be killed.
func (p *process) end(most time.Duration) (took time.Duration, killed bool) {
	p.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
	return p.await(most)
}

// await is the second half of end: a second signal would cut it off.
func (p *process) await(most time.Duration) (took time.Duration, killed bool) {
	began := time.Now()
	select {
	case <-p.ended:
	case <-time.After(most):
		killed = true
		p.kill()
	}
	return time.Since(began), killed
}

func (p *process) kill() {
	p.Process.Signal(syscall.SIGCONT) //nolint:errcheck // it may have ended
	p.Process.Kill()                  //nolint:errcheck // likewise
	<-p.ended
}

func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// worked is how long processors were at work for the process.
func (p *process) worked() time.Duration {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	user, _ := strconv.Atoi(fields[11]) // in hundredths of a second
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// peak is the most memory that the process ever had at a time, in MiB.
func (p *process) peak() int {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		return 1 << 20 // it is gone
	}
	m := regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`).FindSubmatch(content)
	if m == nil {
		return 1 << 20
	}
	kib, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return 1 << 20
	}
	return kib >> 10
}

// place is where a gateway keeps its things, and flags are what every gateway there has.
type place struct {
	dir, ledger, secret string
	flags               []string
}

// lean are flags of a gateway that starts in half the time, and ends without answering for
// another second: what most attacks are about is the same whatever makes the vectors. As
// whole has it, it is the default, as in all attacks of the whole list.
var (
	lean  = []string{"--encoder", "hash:16", "--mechanism", "laplace-l1", "--epsilon", "8", "--withdraw", "0s"}
	whole = []string{"--encoder", "default", "--mechanism", "cells", "--epsilon", "8"}
)

func (s *scene) place() place {
	s.Helper()
	dir := s.TempDir()
	p := place{dir: dir, ledger: filepath.Join(dir, "book", "ledger"), secret: filepath.Join(dir, "secret")}
	if !s.full {
		p.flags = lean
	}
	if err := os.Mkdir(filepath.Dir(p.ledger), 0o700); err != nil {
		s.Fatal(err)
	}
	return p
}

// args are those of a gateway there, with a window that does not end during an
// attack.
func (p place) args(more ...string) []string {
	return slices.Concat([]string{"gateway", "--ledger", p.ledger, "--secret", p.secret, "--window", "8760h"}, p.flags, more)
}

// gateway starts one in a place of its own.
func (s *scene) gateway(more ...string) *process {
	s.Helper()
	return s.run(s.place().args(more...)...)
}

// sotto runs a command to its end and returns what it said.
func (s *scene) sotto(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, args...).CombinedOutput()
	return string(out), err
}

// must runs a command that must succeed.
func (s *scene) must(args ...string) string {
	s.Helper()
	out, err := s.sotto(args...)
	if err != nil {
		s.Fatalf("sotto %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// models are a folder with one small model, made once.
var models = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(workplace, "models")
	out, err := exec.Command(binary, "train", "--method", "noise", "--epsilon", "8", "--dim", "4", "--hidden", "16", "--epochs", "1", "--out", dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("sotto train: %w: %s", err, out)
	}
	return dir, nil
})

// model copies that model into a folder of the scene's own, and returns the folder
// above it.
func (s *scene) model() string {
	s.Helper()
	from, err := models()
	if err != nil {
		s.Fatal(err)
	}
	dir := s.TempDir()
	if err := copyPrivate(filepath.Join(dir, "good"), filepath.Join(from, "seed-1")); err != nil {
		s.Fatal(err)
	}
	return dir
}

// caller is a client with an address of its own, so that limits by address tell it
// from others.
type caller struct {
	http.Client
	base string
	key  string
}

// from returns a client that calls from an address of this machine, such as
// 127.0.0.2.
func from(ip, base string) *caller {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	return &caller{Client: http.Client{
		Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 64, DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: time.Minute,
	}, base: base}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration
	err    error
}

func (a answer) String() string {
	if a.err != nil {
		return "no answer: " + a.err.Error()
	}
	return fmt.Sprintf("%d %s", a.status, a.code())
}

// code is the error's, "" for none.
func (a answer) code() string {
	var p struct {
		Error struct{ Code string }
		Code  string
	}
	if json.Unmarshal(a.body, &p) != nil || p.Error.Code == "" {
		return p.Code
	}
	return p.Error.Code
}

// field is a value of the answer, by the names on the way to it.
func (a answer) field(names ...string) any {
	var v any
	if json.Unmarshal(a.body, &v) != nil {
		return nil
	}
	for _, name := range names {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// do sends a request; headers come in pairs, and Host is one of them.
func (c *caller) do(method, path, body string, headers ...string) answer {
	r, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	began := time.Now()
	res, err := c.Do(r)
	if err != nil {
		return answer{err: err, took: time.Since(began)}
	}
	defer res.Body.Close()
	content, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	return answer{res.StatusCode, res.Header, content, time.Since(began), err}
}

// embed asks for the releases of texts of a user.
func (c *caller) embed(user string, texts ...string) answer {
	body, err := json.Marshal(map[string]any{"input": texts, "user": user})
	if err != nil {
		return answer{err: err}
	}
	return c.do("POST", "/v1/embeddings", string(body))
}

// ready asks whether the service is ready.
func (c *caller) ready(path string) bool { return c.do("GET", path, "").status == http.StatusOK }

// unready judges a service that must say that it is not ready, or have ended.
func (s *scene) unready(p *process) {
	s.Helper()
	c := from("127.0.0.1", p.base)
	c.Timeout = answered
	var a answer
	_, ok := within(answered, func() bool {
		a = c.do("GET", "/readyz", "")
		return !p.alive() || a.status == http.StatusServiceUnavailable
	})
	if p.alive() {
		s.judge(ok, "readiness: %v", a)
	} else {
		s.note("it ended with %d", exitCode(p.err))
	}
}

// tally counts answers by what they were.
type tally map[string]int

func (t tally) add(a answer) {
	switch {
	case a.err != nil:
		t["no answer"]++
	default:
		t[strconv.Itoa(a.status)]++
	}
}

func (t tally) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		parts = append(parts, fmt.Sprintf("%d × %s", t[name], name))
	}
	return strings.Join(parts, ", ")
}

// within waits until something is so, and returns how long that took.
func within(most time.Duration, is func() bool) (time.Duration, bool) {
	began := time.Now()
	for {
		if is() {
			return time.Since(began), true
		}
		if time.Since(began) > most {
			return time.Since(began), false
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// exitCode is that of a command that ended, -1 for a signal.
func exitCode(err error) int {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return e.ExitCode()
	}
	return 0
}
