//go:build linux

package fortress_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	wire "encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sotto/service/httpserve/servetest"
)

// TestServices sends requests of a grammar to a gateway, two servers and a studio, for as
// long as SOTTO_FUZZ_SERVICES says; without it, hundreds of them are a row of the attacks.
// SOTTO_FUZZ_SEED draws others.
func TestServices(t *testing.T) {
	lasts, err := time.ParseDuration(os.Getenv("SOTTO_FUZZ_SERVICES"))
	if os.Getenv("SOTTO_FUZZ_SERVICES") == "" {
		t.Skip("SOTTO_FUZZ_SERVICES=1h runs it for an hour; the attacks have it shorter")
	}
	if err != nil || lasts <= 0 {
		t.Fatalf("SOTTO_FUZZ_SERVICES is %q, must be a time such as 1h", os.Getenv("SOTTO_FUZZ_SERVICES"))
	}
	s := &scene{T: t, full: true}
	fuzzServices(s, lasts, math.MaxInt)
	t.Logf("%s", strings.Join(s.measured, "\n"))
}

var grammatical = []attack{
	{"requests of a grammar, whole and broken", "answers are well-formed, none is a fault; ledger and answers agree; no log has a text; it is alive, healthy and below its memory", func(s *scene) {
		fuzzServices(s, time.Duration(s.many(60, 20))*time.Second, s.many(math.MaxInt, 120))
	}},
}

const (
	mostFindings = 10 // of one service, after which it is left alone
	// fuzzers is how many talk with a service at a time.
	fuzzers = 3
	// answeredBy is when a request that is whole must have been answered.
	answeredBy = 30 * time.Second
	// brokenBy is how long an answer to what may be none is awaited.
	brokenBy = 200 * time.Millisecond
)

// fuzzed is a service under a grammar.
type fuzzed struct {
	*scene
	name     string
	p        *process
	most     int // MiB
	healthAt string
	seed     uint64
	make     func(*grammar)
	// talk sends what is drawn, and returns how many requests that were, or what is wrong.
	talk    func(f *fuzzed, g *grammar) (int, error)
	secrets []string

	next     atomic.Uint64
	requests atomic.Int64
	found    atomic.Int64
	mu       sync.Mutex // guards the rest
	count    tally
	paid     map[string]float64
	logged   int
	rest     string // of a line
}

// fuzzServices talks with all services for a time, or for so many talks of each.
func fuzzServices(s *scene, lasts time.Duration, talks int) {
	seed := uint64(1)
	if v := os.Getenv("SOTTO_FUZZ_SEED"); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			s.Fatalf("SOTTO_FUZZ_SEED is %q, must be a number", v)
		}
		seed = n
	}
	canary := filepath.Join(s.TempDir(), "canary")
	all, judge := s.fuzzedServices(seed)
	ctx, cancel := context.WithTimeout(s.Context(), lasts)
	defer cancel()
	var group, lookers sync.WaitGroup
	done := make(chan struct{})
	for _, f := range all {
		for range fuzzers {
			group.Go(func() { f.run(ctx, canary, talks) })
		}
		lookers.Go(func() { f.look(done) })
	}
	group.Wait()
	close(done)
	lookers.Wait()
	total := int64(0)
	for _, f := range all {
		f.read()
		peak := f.p.peak()
		f.judge(f.p.alive() && peak < f.most, "%s: %d requests, %d MiB, %d lines of log: %v", f.name, f.requests.Load(), peak, f.logged, f.count)
		total += f.requests.Load()
		if f.requests.Load() == 0 {
			f.fell("%s: nothing was asked", f.name)
		}
	}
	judge()
	if _, err := os.Stat(canary); err == nil {
		s.fell("a program that a request named was run")
	}
	s.note("%d requests, seed %d", total, seed)
}

// run talks until there was enough.
func (f *fuzzed) run(ctx context.Context, canary string, talks int) {
	for ctx.Err() == nil && f.found.Load() < mostFindings && f.p.alive() {
		i := f.next.Add(1)
		if i > uint64(talks) {
			return
		}
		g := &grammar{Rand: rand.New(rand.NewPCG(f.seed, i)), marker: f.marker(), canary: canary}
		f.make(g)
		n, err := f.talk(f, g)
		f.requests.Add(int64(n))
		if err != nil {
			f.found.Add(1)
			f.fell("%s, seed %d, talk %d: %v", f.name, f.seed, i, err)
		}
	}
}

// marker is in every text, and in no answer's or log's own words.
func (f *fuzzed) marker() string { return "zq" + f.name[:1] + "xqz" }

// look asks for health, and reads the log, until all is done.
func (f *fuzzed) look(done <-chan struct{}) {
	for f.healthAt != "" {
		c := from("127.0.0.9", f.p.base)
		c.Timeout = answeredBy
		if a := c.do("GET", f.healthAt, ""); a.err != nil || a.status != http.StatusOK {
			f.found.Add(1)
			f.fell("%s: %s: %v", f.name, f.healthAt, a)
			if f.found.Load() > mostFindings {
				return
			}
		}
		c.CloseIdleConnections()
		f.read()
		select {
		case <-done:
			return
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// read looks through what was logged since it was last called.
func (f *fuzzed) read() {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := f.rest + f.p.said.Take()
	end := strings.LastIndexByte(text, '\n') + 1
	f.rest = text[end:]
	for line := range strings.Lines(text[:end]) {
		f.logged++
		bad := ""
		for _, secret := range append(f.secrets, f.marker()) {
			if strings.Contains(line, secret) {
				bad = "a line of the log holds a text or a secret"
			}
		}
		switch {
		case bad != "":
		case strings.HasPrefix(line, "{") && !json.Valid([]byte(line)):
			bad = "a line of the log is no JSON"
		case strings.Contains(line, "panic:") || strings.Contains(line, "panic serving") || strings.Contains(line, "goroutine "):
			bad = "a panic"
		case strings.Contains(line, `"level":"ERROR"`):
			bad = "an error is logged"
		case strings.ContainsFunc(strings.TrimRight(line, "\n"), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f || r == 0x202e }):
			bad = "a line of the log has control characters"
		}
		if bad != "" && f.found.Add(1) <= mostFindings {
			f.fell("%s: %s: %.300q", f.name, bad, line)
		}
	}
}

// dial connects from one of a few addresses.
func (f *fuzzed) dial(g *grammar) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+g.IntN(8)))}, Timeout: answeredBy}
	to := f.p.base[strings.Index(f.p.base, "//")+2:]
	c, err := d.Dial("tcp", to)
	if err == nil && strings.HasPrefix(f.p.base, "https") {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	}
	return c, err
}

// talkHTTP talks HTTP/1.1.
func talkHTTP(f *fuzzed, g *grammar) (int, error) {
	t := g.talk(func(g *grammar) string { return "payer-" + strconv.Itoa(g.IntN(32)) })
	c, err := f.dial(g)
	if err != nil {
		return 0, fmt.Errorf("no connection: %w", err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	if t.broken != nil {
		c.SetDeadline(time.Now().Add(brokenBy)) //nolint:errcheck // it is a real connection
		go c.Write(t.broken)                    //nolint:errcheck // it may be refused
		for {
			a, err := nextAnswer(in, "")
			if gone(err) {
				return len(t.requests), nil // no more was owed
			}
			if err = errors.Join(err, f.check(a)); err != nil {
				return len(t.requests), fmt.Errorf("%w; sent %.1000q", err, t.broken)
			}
			f.add(a)
		}
	}
	for i, r := range t.requests {
		c.SetDeadline(time.Now().Add(answeredBy)) //nolint:errcheck // it is a real connection
		sent := make(chan error, 1)
		go func() { _, err := c.Write(r.bytes); sent <- err }()
		a, err := nextAnswer(in, r.method)
		if gone(err) && !errors.Is(err, os.ErrDeadlineExceeded) && r.payer == "" {
			f.add(&answer{err: err}) // it was refused before it was read
			return i + 1, nil
		}
		if a != nil {
			err = errors.Join(err, f.check(a), f.pays(r, a))
		}
		if err != nil {
			return i + 1, fmt.Errorf("%w; sent %.1000q", err, r.bytes)
		}
		f.add(a)
		if a.header.Get("Connection") == "close" || a.status == http.StatusSwitchingProtocols {
			return i + 1, nil
		}
		if err := <-sent; err != nil {
			return i + 1, nil //nolint:nilerr // the answer came before the end of the request
		}
	}
	return len(t.requests), nil
}

// gone reports whether a connection or the time for it ended, which is not a wrong answer.
func gone(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

// nextAnswer reads an answer that is well-formed; nil is none.
func nextAnswer(in *bufio.Reader, method string) (*answer, error) {
	for {
		if _, err := in.Peek(1); err != nil {
			return nil, fmt.Errorf("no answer: %w", err)
		}
		res, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			return nil, fmt.Errorf("an answer that is none: %w", err)
		}
		if res.StatusCode >= 100 && res.StatusCode < 200 && res.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		body, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
		res.Body.Close()
		if res.Close {
			res.Header.Set("Connection", "close")
		}
		if err != nil {
			err = fmt.Errorf("an answer that ends early: %w", err)
		}
		return &answer{status: res.StatusCode, header: res.Header, body: body}, err
	}
}

// documented are the answers of five hundred and more that a healthy service may give: that
// it has no room, that a server gave none, that too much was dropped, and what net/http
// says of a version or an encoding that it does not have.
var documented = regexp.MustCompile(`^(503 .*"code":"overloaded".*|503 no room now.*|502 .*"code":"server_unavailable".*|507 \{"error".*|501 Unsupported transfer encoding|505 505 HTTP Version Not Supported.*)`)

// check says what is wrong with an answer by itself.
func (f *fuzzed) check(a *answer) error {
	body := strings.TrimSpace(string(a.body))
	kind := a.header.Get("Content-Type")
	switch {
	case a.status < 200 || a.status > 599:
		return fmt.Errorf("status %d", a.status)
	case a.status >= 500 && len(body) > 0 && !documented.MatchString(fmt.Sprintf("%d %s", a.status, strings.ReplaceAll(body, "\n", " "))):
		return fmt.Errorf("status %d: %.300s", a.status, body)
	case strings.HasPrefix(kind, "application/json") && body != "" && !json.Valid(a.body) && a.header.Get("Inference-Header-Content-Length") == "":
		return fmt.Errorf("status %d with JSON that is none: %.300q", a.status, body)
	}
	for _, secret := range f.secrets {
		if strings.Contains(body, secret) {
			return errors.New("a secret is answered")
		}
	}
	if a.status >= 400 && f.name == "gateway" && strings.Contains(body, f.marker()) {
		return fmt.Errorf("an error quotes a text: %.300q", body)
	}
	return nil
}

func (f *fuzzed) add(a *answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count.add(*a)
}

// pays counts what an answer says was paid, of a request of which nothing is wrong.
func (f *fuzzed) pays(r said, a *answer) error {
	if r.payer == "" {
		return nil
	}
	if a.status == http.StatusOK {
		cost, ok := a.field("privacy", "cost").(float64)
		if !ok {
			return errors.New("an answer without its cost")
		}
		f.mu.Lock()
		f.paid[r.payer] += cost
		f.mu.Unlock()
		return nil
	}
	if code := a.code(); code != "over_budget" && code != "overloaded" && code != "rate_limit_exceeded" {
		return fmt.Errorf("a request that is right is answered %v", a)
	}
	return nil
}

// talkH2 calls by HTTP/2: frames that may make no sense, or calls whose frames are right.
func talkH2(f *fuzzed, g *grammar) (int, error) {
	_, path, _ := strings.Cut(g.one(g.paths...), " ")
	if path == "*" {
		path = "/"
	}
	if g.often(50) {
		d := net.Dialer{Timeout: answeredBy}
		c, err := d.Dial("tcp", f.p.base[strings.Index(f.p.base, "//")+2:])
		if err != nil {
			return 0, fmt.Errorf("no connection: %w", err)
		}
		if strings.HasPrefix(f.p.base, "https") {
			c = tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		}
		defer c.Close()
		sends := g.frames(path)
		c.SetDeadline(time.Now().Add(brokenBy)) //nolint:errcheck // it is a real connection
		go c.Write(sends)                       //nolint:errcheck // it may be refused
		got, _ := io.ReadAll(io.LimitReader(c, 4<<20))
		if err := wellFramed(got); err != nil {
			return 1, fmt.Errorf("%w: got %.200q; sent %.1000q", err, got, sends)
		}
		f.add(&answer{status: 299 + min(1, len(got))}) // 300: frames, 299: silence
		return 1, nil
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: answeredBy}
	n := 1 + g.IntN(4)
	for i := range n {
		call := strings.HasPrefix(path, "/inference.") || strings.HasPrefix(path, "/grpc.")
		body := g.message()
		if !call {
			body = []byte(g.inference())
		}
		r, err := http.NewRequest("POST", f.p.base+path, bytes.NewReader(body))
		if err != nil {
			return i, err
		}
		r.Header.Set("Content-Type", g.one("application/grpc", "application/grpc", "application/grpc+proto", "application/json"))
		r.Header.Set("Te", "trailers")
		if g.often(10) {
			r.Header.Set("Grpc-Timeout", g.one("1n", "5S", "1H", "-1S", "x"))
		}
		if g.often(5) {
			r.Header.Set("Grpc-Encoding", g.one("gzip", "identity"))
		}
		res, err := client.Do(r)
		if err != nil {
			return i + 1, fmt.Errorf("a call to %s is not answered: %w; sent %.1000q", path, err, body)
		}
		content, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
		res.Body.Close()
		a := &answer{status: res.StatusCode, header: res.Header, body: content}
		if call && res.Header.Get("Content-Type") == "application/grpc" {
			err = errors.Join(err, calledWell(res, content))
			a.body = nil
		}
		if err = errors.Join(err, f.check(a)); err != nil {
			return i + 1, fmt.Errorf("%w; %s: sent %.1000q", err, path, body)
		}
		f.add(a)
	}
	return n, nil
}

// calledWell says what is wrong with an answer to a call.
func calledWell(res *http.Response, body []byte) error {
	status := res.Header.Get("Grpc-Status") + res.Trailer.Get("Grpc-Status")
	code, err := strconv.Atoi(status)
	switch {
	case res.StatusCode != http.StatusOK || err != nil || code < 0 || code > 16 || code == 2:
		return fmt.Errorf("HTTP %d with status %q", res.StatusCode, status)
	case code == 13:
		return fmt.Errorf("a fault: %s", res.Header.Get("Grpc-Message"))
	case code == 0 && (len(body) < 5 || body[0] != 0 || int(wire.BigEndian.Uint32(body[1:]))+5 != len(body)):
		return fmt.Errorf("%d bytes that are no message", len(body))
	}
	return nil
}

// wellFramed checks frames of HTTP/2, of which the last may be cut off, or that HTTP/1.1
// was answered to what did not begin as HTTP/2.
func wellFramed(b []byte) error {
	if bytes.HasPrefix(b, []byte("HTTP/1.1 ")) {
		_, err := nextAnswer(bufio.NewReader(bytes.NewReader(b)), "")
		return err
	}
	for len(b) >= 9 {
		n := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
		if n > 1<<14 || b[3] > 9 && b[3] != 0x10 {
			return fmt.Errorf("a frame of kind %d with %d bytes", b[3], n)
		}
		if len(b) < 9+n {
			return nil
		}
		b = b[9+n:]
	}
	return nil
}

var studioSecret = regexp.MustCompile(`studio at http://[0-9.:]+/#(\w+)`)

// fuzzedServices starts a server over HTTP and gRPC, one over TLS, a gateway that asks the
// first, and a studio. What they come to agree on is judged when all is said.
func (s *scene) fuzzedServices(seed uint64) (all []*fuzzed, judge func()) {
	s.Helper()
	models := s.model()
	cert, private := servetest.Certify(s.T)
	_, keys := s.key()
	at := s.place()
	at.flags = nil
	server := s.run("serve", "--model", models, "--grpc-listen", "127.0.0.1:0", "--withdraw", "0s")
	secure := s.run("serve", "--model", models, "--tls-cert", cert, "--tls-key", private, "--withdraw", "0s")
	gateway := s.run(at.args("--model", filepath.Join(models, "good"), "--server", server.base, "--keys", keys, "--rate", "0", "--budget", "3000", "--withdraw", "0s")...)
	studio := s.run("studio", "--no-open", "--max-upload", "16")

	kserve := []string{"GET /v2", "GET /v2/health/live", "GET /v2/health/ready", "GET /v2/models/good", "GET /v2/models/good/ready", "POST /v2/models/good/infer", "POST /v2/models/good/infer", "POST /v2/models/good/infer", "POST /v2/models/good/infer", "POST /v2/models/good/versions/1/infer", "POST /v2/models/none/infer", "POST /v2/repository/index", "GET /metrics", "GET /nowhere", "OPTIONS *"}
	inference := []func(*grammar) string{(*grammar).inference, (*grammar).inference, func(g *grammar) string { return g.value(5) }}
	serves := func(g *grammar) { g.paths, g.bodies = kserve, inference }
	calls := func(g *grammar) {
		g.paths = []string{"POST /inference.GRPCInferenceService/ModelInfer", "POST /inference.GRPCInferenceService/ModelInfer", "POST /inference.GRPCInferenceService/ModelMetadata", "POST /inference.GRPCInferenceService/ServerLive", "POST /inference.GRPCInferenceService/ModelReady", "POST /grpc.health.v1.Health/Check", "POST /nothing/Here"}
	}
	m := called.FindStringSubmatch(server.said.String())
	if m == nil {
		s.Fatalf("it does not say where it answers gRPC: %s", server.said.String())
	}
	overGRPC := &process{Cmd: server.Cmd, ended: server.ended, base: "http://" + m[1]} // its other address
	key := s.keyOf(gateway)
	asks := func(g *grammar) {
		g.key, g.paying = key, true
		g.paths = []string{"POST /v1/embeddings", "POST /v1/embeddings", "POST /v1/embeddings", "POST /v1/classify", "GET /v1/budget", "GET /v1/budget?user=payer-1", "GET /v1/models", "GET /v1/models/sotto", "POST /v1/admin/grant", "GET /metrics", "GET /healthz", "GET /readyz", "GET /", "POST /page/try", "GET /nowhere", "OPTIONS *", "GET http://localhost/healthz"}
		g.bodies = []func(*grammar) string{func(g *grammar) string { return g.embedding("other-"+strconv.Itoa(g.IntN(32)), true) }, func(g *grammar) string { return g.value(5) }, func(g *grammar) string {
			return g.object(true, "user", `"other-1"`, "epsilon", "8", "reason", `"because"`)
		}}
	}
	session, shows := s.studied(studio)
	all = []*fuzzed{
		{name: "gateway", p: gateway, most: mostMiB, healthAt: "/readyz", make: asks, talk: talkHTTP, secrets: []string{key}},
		{name: "server", p: server, most: mostMiB, healthAt: "/v2/health/ready", make: serves, talk: talkHTTP},
		{name: "calls", p: overGRPC, most: mostMiB, make: calls, talk: talkH2},
		{name: "tls", p: secure, most: mostMiB, healthAt: "/v2/health/ready", make: serves, talk: func(f *fuzzed, g *grammar) (int, error) {
			if g.often(40) {
				return talkHTTP(f, g)
			}
			return talkH2(f, g)
		}},
		{name: "studio", p: studio, most: 2 * mostMiB, healthAt: "/healthz", make: shows, talk: talkHTTP, secrets: []string{session}},
	}
	for _, f := range all {
		f.scene, f.seed, f.count, f.paid = s, seed, tally{}, map[string]float64{}
	}
	return all, func() {
		for _, f := range all {
			if f.healthAt == "" {
				continue // it is another's process
			}
			_, killed := f.p.end(time.Minute)
			s.judge(!killed && exitCode(f.p.err) == 0, "SIGTERM ends the %s: %v", f.name, !killed)
		}
		s.agree(at, all[0].paid)
	}
}

// studied enters a studio and takes its sample, which requests then speak of.
func (s *scene) studied(p *process) (session string, shows func(*grammar)) {
	s.Helper()
	m := studioSecret.FindStringSubmatch(p.said.Take())
	if m == nil {
		s.Fatal("the studio does not say where it is")
	}
	c := from("127.0.0.1", p.base)
	session, _ = c.do("POST", "/api/enter", `{"secret": "`+m[1]+`"}`).field("session").(string)
	c.key = session
	sample := c.do("POST", "/api/data/sample", "")
	source, _ := sample.field("source").(string)
	if session == "" || source == "" {
		s.Fatalf("the studio lets nobody in: %v", sample)
	}
	paths := []string{"GET /", "GET /studio.js", "GET /studio.css", "GET /healthz", "POST /api/enter", "GET /api/jobs/none", "DELETE /api/jobs/none", "GET /shown/none", "POST /api/data/upload?name=a.csv", "POST /api/data/upload?name=b.jsonl", "POST /api/data/upload?name=c.parquet", "GET /api/data/first", "GET /api/data/again?source=" + source, "GET /nowhere"}
	for _, tab := range []string{"plan/command", "plan/target", "train/command", "train/zip", "try/release", "report/open", "errors/start", "errors/heat", "errors/command", "explain/student", "explain/words", "explain/swaps", "link/start", "link/show", "link/decide", "link/named", "link/export", "link/command", "relations/start", "relations/show", "relations/judge", "relations/keep", "relations/add", "relations/try", "relations/export"} {
		paths = append(paths, "POST /api/"+tab)
	}
	return session, func(g *grammar) {
		g.key, g.paths = session, paths
		choice := func(g *grammar) string {
			return g.object(true, "source", strconv.Quote(source), "text", `"text"`, "label", g.one(`"sentiment"`, `"none"`), "attribute", `"author"`)
		}
		g.bodies = []func(*grammar) string{choice, func(g *grammar) string { return g.value(5) }, func(g *grammar) string {
			return g.object(true, "choice", choice(g), "epsilon", g.one("1", "-1", "1e309"), "seeds", g.one("0", "-1", "21", "1"), "run", `"none"`, "text", g.oddString())
		}, func(g *grammar) string {
			table := "text,label,author\n" + strings.Repeat(g.text()+",good,a\n"+g.text()+",bad,b\n", 1+g.IntN(20))
			if g.often(30) {
				table = strings.Repeat(`{"text":`+strconv.Quote(g.text())+`,"label":"x"}`+"\n", 1+g.IntN(20))
			}
			if g.often(10) {
				table = g.one("PAR1", "\x1f\x8b\x08", "PK\x03\x04", "(\xb5/\xfd") + table
			}
			return string(g.mutate([]byte(table), g.IntN(4)))
		}}
	}
}

// agree holds a ledger against what answers said was paid.
func (s *scene) agree(at place, paid map[string]float64) {
	s.Helper()
	if out, err := s.sotto("budget", "verify", "--ledger", at.ledger, "--secret", at.secret); err != nil {
		s.fell("the ledger is not whole: %v: %s", err, out)
	}
	var shown struct {
		Users []struct {
			User     string
			Lifetime struct{ Epsilon float64 }
		}
	}
	if err := json.Unmarshal([]byte(s.must("budget", "show", "--json", "--ledger", at.ledger)), &shown); err != nil {
		s.Fatal(err)
	}
	booked := map[string]float64{}
	for _, u := range shown.Users {
		booked[u.User] = u.Lifetime.Epsilon
	}
	wrong, sum := 0, 0.0
	for _, user := range slices.Sorted(maps.Keys(paid)) {
		sum += paid[user]
		// The ledger counts in 1e-9, and each answer is rounded to that.
		if got := booked["shop/"+user]; math.Abs(got-paid[user]) > 1e-6*(1+paid[user]) {
			wrong++
			s.fell("%s was told that ε = %v was paid, and the ledger has %v", user, paid[user], got)
		}
	}
	s.judge(wrong == 0 && sum > 0, "answers and ledger agree on ε = %.0f of %d users", sum, len(paid))
}
